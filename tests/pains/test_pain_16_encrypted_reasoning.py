"""Pain 16: reasoning that only its maker can read is sent to another, or asked for by an id that nobody holds."""

from __future__ import annotations

import json

import pytest

import proxai_ir
from proxai_ir.ir import parts
from proxai_ir.ir.node import Seal
from proxai_ir.ir.request import Request

from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Json,
    again,
    assistant,
    from_responses,
    item,
    losses,
    output_text,
    refusals,
    responses_request,
    user,
)

SEALED: Json = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VhbGVk"}
TOLD: Json = {**SEALED, "summary": [{"type": "summary_text", "text": "A greeting."}]}
SAID = item(output_text("Hello."))


def history(reasoning: Json, **settings: bool | str) -> Json:
    return responses_request(user("Hi"), reasoning, SAID, user("And?"), **settings)


def test_the_seal_says_whose_it_is() -> None:
    node = proxai_ir.lower(history(SEALED), RESPONSES, kind="request")
    assert isinstance(node, Request)
    assert node.turns is not None
    (found,) = node.turns[1].parts
    assert isinstance(found, parts.Reasoning)
    assert (found.text, found.seal) == (None, Seal("openai", "encrypted", "c2VhbGVk"))


@pytest.mark.parametrize("reasoning", [SEALED, TOLD, {**TOLD, "content": []}], ids=["sealed", "told", "no content"])
def test_at_home_ids_and_seals_come_back(reasoning: Json) -> None:
    payload = history(reasoning, store=False)
    assert again(payload, RESPONSES) == payload


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
@pytest.mark.parametrize("reasoning", [SEALED, TOLD], ids=["sealed", "told"])
def test_nobody_else_is_sent_the_seal_or_the_id(reasoning: Json, dst: str) -> None:
    made = from_responses(history(reasoning), dst)
    sent = json.dumps(made.output)
    assert "c2VhbGVk" not in sent
    assert "rs_1" not in sent
    assert any(code in ("RSN-4", "RSN-5") for code, _ in losses(made))


def test_chat_gets_the_summary_as_reasoning() -> None:
    made = from_responses(history(TOLD), CHAT)
    assert made.output["messages"][1] == assistant("Hello.", reasoning_content="A greeting.")
    assert losses(made) == [("RSN-4", "/input/1/encrypted_content")]


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
    assert refusals(responses_request(user("And?"), **held), RESPONSES, dst=dst) == [("R2A-3", place)]


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_so_is_an_item_that_only_the_provider_holds(dst: str) -> None:
    pointed = responses_request({"type": "item_reference", "id": "rs_1"}, user("And?"))
    assert refusals(pointed, RESPONSES, dst=dst) == [("R2A-3", "/input/0")]
