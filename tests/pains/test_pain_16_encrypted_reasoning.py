"""Pain 16: encrypted reasoning is sent to a provider that cannot read it, or referred to by an unknown id."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import proxai_ir
from proxai_ir import ir
from proxai_ir.ir.node import Seal
from proxai_ir.ir.request import Request
from proxai_ir.ir.response import Response
from proxai_ir.ir.stream.aggregate import unfold
from proxai_ir.ir.stream.events import Stream

from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Json,
    again,
    anthropic,
    assistant,
    from_responses,
    losses,
    notes,
    refusals,
    responses,
    text,
    to_responses,
    user,
)

SEALED: Json = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VhbGVk"}
SUMMARISED: Json = {**SEALED, "summary": [{"type": "summary_text", "text": "A greeting."}]}
HELLO = responses.message(responses.output_text("Hello."))


def history(reasoning: Json, **settings: bool | str) -> Json:
    return responses.request(user("Hi"), reasoning, HELLO, user("And?"), **settings)


def test_the_seal_names_its_provider() -> None:
    node = proxai_ir.lower(history(SEALED), RESPONSES, kind="request")
    assert isinstance(node, Request)
    assert node.turns is not None
    (found,) = node.turns[1].parts
    assert isinstance(found, ir.Reasoning)
    assert (found.text, found.seal) == (None, Seal("openai", "encrypted", "c2VhbGVk", "rs_1"))


@pytest.mark.parametrize(
    "reasoning", [SEALED, SUMMARISED, {**SUMMARISED, "content": []}], ids=["sealed", "summarised", "no content"]
)
def test_ids_and_seals_come_back_in_their_own_protocol(reasoning: Json) -> None:
    payload = history(reasoning, store=False)
    assert again(payload, RESPONSES) == payload


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
@pytest.mark.parametrize("reasoning", [SEALED, SUMMARISED], ids=["sealed", "summarised"])
def test_no_other_protocol_is_sent_the_seal_or_the_id(reasoning: Json, dst: str) -> None:
    made = from_responses(history(reasoning), dst)
    sent = json.dumps(made.output)
    assert "c2VhbGVk" not in sent
    assert "rs_1" not in sent
    assert any(code in ("RSN-5", "RSN-26") for code, _ in [*losses(made), *notes(made)])


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
@pytest.mark.parametrize(
    ("held", "place"),
    [
        ({"previous_response_id": "resp_0"}, "/previous_response_id"),
        ({"conversation": {"id": "conv_1"}}, "/conversation"),
        ({"prompt": {"id": "pmpt_1"}}, "/prompt"),
    ],
)
def test_state_that_only_the_provider_holds_is_refused(held: Json, place: str, dst: str) -> None:
    assert refusals(responses.request(user("And?"), **held), RESPONSES, dst=dst) == [("R2A-3", place)]


# --- envelopes: a seal comes back to its provider ---------------------------------------------------------------------

SIGNED: Json = {"type": "thinking", "thinking": "A greeting.", "signature": "c2lnbmVk"}
OMITTED: Json = {"type": "thinking", "thinking": "", "signature": "c2lnbmVk"}
REDACTED: Json = {"type": "redacted_thinking", "data": "c2VhbGVk"}
THOUGHTS: list[list[Json]] = [[SIGNED], [OMITTED], [REDACTED], [SIGNED, REDACTED], [SIGNED, OMITTED, SIGNED]]


def answered_by_anthropic(thoughts: list[Json]) -> list[Json]:
    """The items that a client of responses gets of such thoughts, and sends back."""
    made = to_responses(anthropic.response(*thoughts, text("Hello.")), ANTHROPIC, "response", seals=proxai_ir.Seals())
    assert losses(made) == []
    output: list[Json] = made.output["output"]
    return output


@pytest.mark.parametrize("thoughts", THOUGHTS)
def test_anthropic_gets_its_thinking_back_from_a_client_of_responses(thoughts: list[Json]) -> None:
    items = answered_by_anthropic(thoughts)
    made = from_responses(responses.request(user("Hi"), *items, user("And?")), ANTHROPIC, seals=proxai_ir.Seals())
    assert made.output["messages"][1] == {"role": "assistant", "content": [*thoughts, text("Hello.")]}
    assert losses(made) == []


@pytest.mark.parametrize(
    "reasoning",
    [
        SEALED,
        SUMMARISED,
        {**SUMMARISED, "summary": [{"type": "summary_text", "text": "One."}, {"type": "summary_text", "text": "Two."}]},
    ],
)
def test_responses_gets_its_reasoning_back_from_a_client_of_anthropic(reasoning: Json) -> None:
    response = responses.response(reasoning, {**reasoning, "id": "rs_2"}, HELLO)
    sent = from_responses(response, ANTHROPIC, "response", seals=proxai_ir.Seals())
    assert losses(sent) == []
    history = anthropic.request(user("Hi"), assistant(sent.output["content"]), user("And?"))
    made = to_responses(history, ANTHROPIC, seals=proxai_ir.Seals())
    assert made.output["input"][1:3] == [reasoning, {**reasoning, "id": "rs_2"}]
    assert losses(made) == []


def test_chat_has_no_slot_for_an_envelope() -> None:
    made = from_responses(responses.response(SUMMARISED, HELLO), CHAT, "response", seals=proxai_ir.Seals())
    assert losses(made) == [("RSN-4", "/output/0/encrypted_content")]


def test_no_provider_is_sent_an_envelope() -> None:
    asked = anthropic.request(user("Hi"), assistant([SIGNED, text("Hello.")]), user("And?"))
    made = to_responses(asked, ANTHROPIC, seals=proxai_ir.Seals())
    assert losses(made) == [("RSN-5", "/messages/1/content/0")]
    assert made.output == to_responses(asked, ANTHROPIC).output
    made = to_responses(asked, ANTHROPIC, seals=proxai_ir.Seals(), bare_reasoning=True)
    assert losses(made) == []
    assert ("RSN-26", "/messages/1/content/0/signature") in notes(made)
    assert made.output == to_responses(asked, ANTHROPIC, bare_reasoning=True).output


def test_an_envelope_is_opened_for_its_maker_alone() -> None:
    """Sent on to the vendor whose protocol it travelled in, it would be rejected there; chat gets nothing of it."""
    (carried, _) = answered_by_anthropic([SIGNED])
    made = from_responses(history(carried), CHAT, seals=proxai_ir.Seals())
    assert losses(made) == []
    assert ("RSN-26", "/input/1/encrypted_content") in notes(made)
    assert "c2lnbmVk" not in json.dumps(made.output)


def test_an_envelope_comes_back_in_its_own_protocol() -> None:
    payload = history(answered_by_anthropic([SIGNED])[0])
    assert again(payload, RESPONSES) == payload


HOLDS_TOO_LITTLE = "proxai_ir.seal.1.WyJhIl0=.644ffad9"
NOT_BASE64 = "proxai_ir.seal.1.!.9e6bffd3"


@pytest.mark.parametrize(
    "damage",
    [
        lambda envelope: envelope[:-1] + ("0" if envelope[-1] != "0" else "1"),
        lambda envelope: envelope.replace("seal.1.", "seal.9."),
        lambda envelope: envelope[: len(envelope) // 2],
        lambda envelope: "proxai_ir.seal.",
        lambda envelope: HOLDS_TOO_LITTLE,
        lambda envelope: NOT_BASE64,
    ],
    ids=["checksum", "version", "cut", "tag alone", "too little", "no base64"],
)
def test_a_damaged_envelope_is_refused_quietly(damage: Callable[[str], str]) -> None:
    (carried, _) = answered_by_anthropic([SIGNED])
    payload = history({**carried, "encrypted_content": damage(carried["encrypted_content"])})
    made = from_responses(payload, ANTHROPIC, seals=proxai_ir.Seals())
    assert losses(made) == [("RSN-10", "/input/1")]
    assert made.output["messages"][1]["content"] == "Hello."
    assert again(payload, RESPONSES) == payload


def test_streams_carry_seals_as_whole_responses_do() -> None:
    """Through a client's stream and back: what the client would send is what it would send after a whole response."""
    response = anthropic.response(SIGNED, REDACTED, text("Hello."))
    events = proxai_ir.raise_to(Stream(None, [list(unfold(lowered(response)))]), ANTHROPIC)
    sent = proxai_ir.compile(events, ANTHROPIC, RESPONSES, kind="stream", seals=proxai_ir.Seals())
    assert [found for found in sent.diagnostics if found.severity == "loss"] == []
    assert sent.output[-1]["response"]["output"][:2] == answered_by_anthropic([SIGNED, REDACTED])[:2]
    back = proxai_ir.convert(sent.output, RESPONSES, ANTHROPIC, kind="stream", seals=proxai_ir.Seals())
    starts = [event["content_block"] for event in back if event["type"] == "content_block_start"]
    assert starts[0] == {"type": "thinking", "thinking": "", "signature": ""}
    assert starts[1] == REDACTED
    assert {"type": "signature_delta", "signature": "c2lnbmVk"} in [event.get("delta") for event in back]


def lowered(response: Json) -> Response:
    node = proxai_ir.lower(response, ANTHROPIC, kind="response")
    assert isinstance(node, Response)
    return node
