"""Envelopes that a client sends back: opened only when asked, only for their maker, and with keys only if authentic
(RSN-9 to RSN-11)."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import pytest
from attrs import evolve

import proxai_ir
from proxai_ir import Seals
from proxai_ir.ir.envelope import LONGEST, NONE, enveloped
from proxai_ir.ir.node import Seal
from proxai_ir.testing.pointers import DEEP

from .samples.anthropic_messages import building as anthropic
from .samples.openai_chat_completions import building as chat
from .samples.openai_responses import building as responses
from .samples.sample import Json

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"
SIGNATURE = Seal("anthropic", "signature", "c2lnbmVk")
REDACTED = Seal("anthropic", "redacted", "c2VhbGVk")
ENCRYPTED = Seal("openai", "encrypted", "c2VhbGVk", "rs_7")
NEW, OLD = b"n" * 16, b"o" * 16
KEYS = {"k2": NEW, "k1": OLD}
AUDIENCE = "tenant/conversation"


def unsigned(inner: bytes) -> str:
    """An envelope around any bytes, as anybody can make it."""
    body = base64.urlsafe_b64encode(inner)
    return f"proxai_ir.seal.1.{body.decode()}.{zlib.crc32(body):08x}"


def asked_of_anthropic(envelope: str, text: str | None = "A thought.", **options: Any) -> tuple[Any, list[str]]:
    """The assistant's content, from a request of a client of Responses, and the losses."""
    summary = [] if text is None else [{"type": "summary_text", "text": text}]
    item = {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": envelope}
    hello = responses.message(responses.output_text("Hello."))
    asked = responses.request(chat.user("Hi"), item, hello, chat.user("And?"))
    made = proxai_ir.compile(asked, RESPONSES, ANTHROPIC, **options)
    return made.output["messages"][1]["content"], losses(made.diagnostics)


def asked_of_responses(envelope: str, **options: Any) -> tuple[list[Json], list[str]]:
    """The items, from a request of a client of Anthropic Messages, and the losses."""
    thought = {"type": "thinking", "thinking": "A thought.", "signature": envelope}
    asked = anthropic.request(chat.user("Hi"), chat.assistant([thought, chat.text("Hello.")]), chat.user("And?"))
    made = proxai_ir.compile(asked, ANTHROPIC, RESPONSES, **options)
    return [item for item in made.output["input"] if item["type"] == "reasoning"], losses(made.diagnostics)


def losses(diagnostics: Any) -> list[str]:
    return [one.code for one in diagnostics if one.severity == "loss"]


# --- without keys -----------------------------------------------------------------------------------------------------

HOSTILE = [
    pytest.param(unsigned(b"[" * 1500), id="deep"),
    pytest.param(unsigned(b'{"a":' * DEEP), id="deep objects"),
    pytest.param(unsigned(b"[" + b"9" * 5000 + b",1,1,1]"), id="a long integer"),
    pytest.param(unsigned(b'["anthropic","signature",null,"\xff"]'), id="no text"),
    pytest.param(unsigned(b'["anthropic","signature",[],"x"]'), id="an id that is a list"),
    pytest.param(unsigned(b'"anth"'), id="a string of four"),
    pytest.param(enveloped(SIGNATURE).replace("=.", "=\n."), id="a line break"),
    pytest.param(enveloped(SIGNATURE) + "\u00e9", id="not ASCII"),
    pytest.param(unsigned(b'["anthropic", "signature", null, "c2lnbmVk"]'), id="not as the library writes it"),
    pytest.param(enveloped(Seal("anthropic", "signature", "x" * LONGEST)), id="too long"),
    pytest.param(enveloped(Seal("anthropic", "closed", "c2lnbmVk")), id="closed"),
    pytest.param(enveloped(Seal("", "closed", "c2lnbmVk")), id="closed by nobody"),
    pytest.param(enveloped(Seal("anthropic", "unverified", "c2lnbmVk")), id="unverified"),
    pytest.param(enveloped(Seal("anthropic", "index", "c2lnbmVk")), id="another kind"),
    pytest.param(enveloped(Seal("other", "signature", "c2lnbmVk")), id="an unknown provider"),
    pytest.param(enveloped(REDACTED), id="redacted reasoning as a signature"),
    pytest.param("proxai_ir.seal.", id="nothing"),
    pytest.param("proxai_ir.seal.1.", id="a version"),
    pytest.param("proxai_ir.seal.2.k1", id="a key"),
]


@pytest.mark.parametrize("envelope", HOSTILE)
def test_what_does_not_belong_in_a_slot_stays_closed(envelope: str) -> None:
    content, lost = asked_of_anthropic(envelope, seals=Seals())
    assert content == "Hello."
    assert lost in (["RSN-10"], ["RSN-11"], ["RSN-5"])  # the last: of another provider, by what it says itself
    stream = [
        {"type": "message_start", "message": {**anthropic.response(), "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "x"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": envelope}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    made = proxai_ir.compile(stream, ANTHROPIC, RESPONSES, seals=Seals())
    assert "encrypted_content" not in json.dumps(made.output)


@pytest.mark.parametrize("options", [{}, {"seals": False}])
def test_an_envelope_is_opened_only_when_asked(options: dict[str, Any]) -> None:
    assert asked_of_anthropic(enveloped(SIGNATURE), **options) == ("Hello.", ["RSN-10"])
    assert asked_of_responses(enveloped(ENCRYPTED), **options)[1] == ["RSN-10"]


def test_an_envelope_from_an_upstream_is_not_opened_either() -> None:
    """A provider's response may hold one too: the conversion to the client opens none unless asked."""
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": enveloped(REDACTED)}
    response = responses.response(item, responses.message(responses.output_text("Hello.")))
    made = proxai_ir.compile(response, RESPONSES, ANTHROPIC)
    assert made.output["content"] == [{"type": "text", "text": "Hello."}]
    assert losses(made.diagnostics) == ["RSN-10"]
    asked = proxai_ir.compile(response, RESPONSES, ANTHROPIC, seals=Seals())
    assert asked.output["content"][0] == {"type": "redacted_thinking", "data": "c2VhbGVk"}


def test_a_stream_from_another_gateway_whose_envelopes_hold_nothing() -> None:
    """It makes one for thinking without a signature, which clients of Anthropic Messages expect."""
    chunks = [
        chat.chunk({"role": "assistant", "reasoning_content": "Hm."}),
        *chat.stream({"content": "Hi"}, usage=False)[1:],
    ]
    sent: list[Json] = proxai_ir.convert(chunks, CHAT, ANTHROPIC, kind="stream", seals=Seals())
    assert '"signature_delta"' in json.dumps(sent)
    made = proxai_ir.compile(sent, ANTHROPIC, RESPONSES, kind="stream", seals=Seals())
    (item, _) = made.output[-1]["response"]["output"]
    assert item["summary"] == [{"type": "summary_text", "text": "Hm."}]
    assert "encrypted_content" not in item


def test_thinking_that_grows_gets_what_clients_of_anthropic_expect_at_its_end() -> None:
    place = {"item_id": "rs_1", "output_index": 0, "summary_index": 0}
    item = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]}
    events = [
        responses.created(),
        responses.added({**item, "summary": []}),
        {"type": "response.reasoning_summary_part.added", **place, "part": {"type": "summary_text", "text": ""}},
        {"type": "response.reasoning_summary_text.delta", **place, "delta": "Hm."},
        {"type": "response.reasoning_summary_text.done", **place, "text": "Hm."},
        {"type": "response.reasoning_summary_part.done", **place, "part": item["summary"][0]},
        responses.done(item),
        responses.ended(item),
    ]
    sent = proxai_ir.convert(events, RESPONSES, ANTHROPIC, kind="stream", seals=Seals())
    deltas = [one["delta"] for one in sent if one["type"] == "content_block_delta"]
    assert deltas[0] == {"type": "thinking_delta", "thinking": "Hm."}
    assert [one["type"] for one in deltas] == ["thinking_delta", "signature_delta"]


def test_a_seal_too_long_for_an_envelope_is_not_carried() -> None:
    thought = {"type": "thinking", "thinking": "x", "signature": "x" * LONGEST}
    made = proxai_ir.compile(anthropic.response(thought, chat.text("Hi")), ANTHROPIC, RESPONSES, seals=Seals())
    assert losses(made.diagnostics) == ["RSN-4"]


# --- with keys --------------------------------------------------------------------------------------------------------


def carried(keys: dict[str, bytes], **members: Any) -> str:
    """The envelope that a client of Responses gets."""
    thought = {"type": "thinking", "thinking": "A thought.", "signature": SIGNATURE.data}
    response = anthropic.response(thought, chat.text("Hello."))
    made = proxai_ir.compile(response, ANTHROPIC, RESPONSES, seals=Seals(keys, **members))
    assert losses(made.diagnostics) == []
    found: str = made.output["output"][0]["encrypted_content"]
    return found


OPENED = [{"type": "thinking", "thinking": "A thought.", "signature": "c2lnbmVk"}, chat.text("Hello.")]


@pytest.mark.parametrize(
    ("keys", "asked"),
    [
        (KEYS, KEYS),
        ({"k1": OLD}, KEYS),
        (KEYS, {"k3": b"3" * 16, **KEYS}),
    ],
    ids=["the same", "rotated", "rotated again"],
)
def test_an_authentic_envelope_is_opened(keys: dict[str, bytes], asked: dict[str, bytes]) -> None:
    envelope = carried(keys, audience=AUDIENCE, expires=2000)
    assert envelope.startswith(f"proxai_ir.seal.2.{next(iter(keys))}.")
    assert asked_of_anthropic(envelope, seals=Seals(asked, audience=AUDIENCE, now=1999)) == (OPENED, [])


@pytest.mark.parametrize(
    "asked",
    [
        {"audience": AUDIENCE, "now": 2000},
        {"audience": AUDIENCE},
        {"audience": "tenant/other", "now": 1999},
        {"now": 1999},
        {"audience": AUDIENCE, "now": 1999, "keys": {"k1": OLD}},
        {"audience": AUDIENCE, "now": 1999, "keys": {"k2": OLD}},
    ],
    ids=["expired", "no time", "another audience", "no audience", "a removed key", "another key"],
)
def test_what_cannot_be_verified_stays_closed(asked: dict[str, Any]) -> None:
    envelope = carried(KEYS, audience=AUDIENCE, expires=2000)
    assert asked_of_anthropic(envelope, seals=Seals(**{"keys": KEYS, **asked})) == ("Hello.", ["RSN-11"])


@pytest.mark.parametrize(("now", "opened"), [(1999.9, True), (2000.0, False)])
def test_the_time_of_an_exchange_is_that_of_its_envelopes(now: float, opened: bool) -> None:
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": carried(KEYS, expires=2000)}
    hello = responses.message(responses.output_text("Hello."))
    asked = responses.request(chat.user("Hi"), item, hello, chat.user("And?"))
    sent = proxai_ir.Exchange(RESPONSES, ANTHROPIC, model="claude-m", now=now, seals=Seals(KEYS)).request(asked)
    assert ('"signature":"c2lnbmVk"' in sent.body.decode()) is opened


def test_without_the_keys_an_authenticated_envelope_stays_closed() -> None:
    assert asked_of_anthropic(carried(KEYS), seals=Seals()) == ("Hello.", ["RSN-11"])
    assert asked_of_anthropic(carried(KEYS)) == ("Hello.", ["RSN-10"])


def test_with_keys_an_envelope_that_anybody_can_make_stays_closed() -> None:
    assert asked_of_anthropic(enveloped(SIGNATURE), seals=Seals(KEYS)) == ("Hello.", ["RSN-11"])


def test_every_character_of_an_envelope_is_authenticated() -> None:
    envelope = carried(KEYS, expires=2000)
    for position in range(len("proxai_ir.seal."), len(envelope)):
        other = "A" if envelope[position] != "A" else "B"
        altered = f"{envelope[:position]}{other}{envelope[position + 1 :]}"
        content, lost = asked_of_anthropic(altered, seals=Seals(KEYS, now=1999))
        assert content == "Hello.", altered
        assert lost in (["RSN-10"], ["RSN-11"])


@pytest.mark.parametrize(
    "seal",
    [
        Seal("anthropic", "closed", "c2lnbmVk"),
        Seal("anthropic", "index", "c2lnbmVk"),
        REDACTED,
    ],
)
def test_an_authentic_seal_is_held_to_its_slot_too(seal: Seal) -> None:
    assert asked_of_anthropic(enveloped(seal, Seals(KEYS)), seals=Seals(KEYS)) == ("Hello.", ["RSN-10"])


def test_an_authentic_seal_of_another_provider_is_no_signature_here() -> None:
    assert asked_of_anthropic(enveloped(ENCRYPTED, Seals(KEYS)), seals=Seals(KEYS)) == ("Hello.", ["RSN-5"])


def test_the_id_of_an_item_comes_back_from_an_authentic_envelope() -> None:
    seals = Seals(KEYS, audience=AUDIENCE)
    items, lost = asked_of_responses(enveloped(ENCRYPTED, seals), seals=seals)
    assert (items[0]["id"], items[0]["encrypted_content"], lost) == ("rs_7", "c2VhbGVk", [])


def test_streams_carry_and_open_authenticated_envelopes() -> None:
    events = [
        {"type": "message_start", "message": {**anthropic.response(), "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "A thought."}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "c2lnbmVk"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "redacted_thinking", "data": "c2VhbGVk"}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    seals = Seals(KEYS, audience=AUDIENCE, expires=2000)
    sent = proxai_ir.convert(events, ANTHROPIC, RESPONSES, seals=seals)
    output = sent[-1]["response"]["output"]
    assert all(item["encrypted_content"].startswith("proxai_ir.seal.2.k2.") for item in output)
    asked = responses.request(chat.user("Hi"), *output, chat.user("And?"))
    made = proxai_ir.convert(asked, RESPONSES, ANTHROPIC, seals=evolve(seals, now=1999))
    assert made["messages"][1]["content"] == [OPENED[0], {"type": "redacted_thinking", "data": "c2VhbGVk"}]
    back = proxai_ir.convert(sent, RESPONSES, ANTHROPIC, seals=evolve(seals, now=1999))
    assert "c2lnbmVk" in json.dumps(back) and "c2VhbGVk" in json.dumps(back)
    late = proxai_ir.compile(sent, RESPONSES, ANTHROPIC, seals=evolve(seals, now=2000))
    assert "c2lnbmVk" not in json.dumps(late.output)
    assert set(losses(late.diagnostics)) == {"RSN-11"}


def test_an_envelope_comes_back_unread_in_its_own_protocol() -> None:
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": carried(KEYS)}
    asked = responses.request(chat.user("Hi"), item, chat.user("And?"))
    assert proxai_ir.convert(asked, RESPONSES, RESPONSES) == asked
    assert proxai_ir.raise_to(proxai_ir.lower(asked, RESPONSES), RESPONSES) == asked


# --- between a protocol and itself (RSN-27) ---------------------------------------------------------------------------

GEMINI = "gemini_generate_content"
GOOGLES = Seal("google", "signature", "c2lnbmVk")
SWITCHED: list[dict[str, Any]] = [{"seals": Seals()}, {"seals": Seals(KEYS)}, {"seals": False}]


def of(seal: Seal, options: dict[str, Any]) -> str:
    return enveloped(seal, options["seals"] or Seals())


@pytest.mark.parametrize("options", SWITCHED, ids=["open", "keys", "not opened"])
def test_anthropic_is_sent_no_envelope_by_its_own_client(options: dict[str, Any]) -> None:
    """And no thinking without its signature, which it refuses; in a loop of tools none at all (RSN-18)."""
    foreign = {"type": "thinking", "thinking": "A thought.", "signature": of(ENCRYPTED, options)}
    redacted = {"type": "redacted_thinking", "data": of(ENCRYPTED, options)}
    asked = anthropic.request(
        chat.user("Hi"),
        chat.assistant([foreign, redacted, anthropic.tool_use("look", {})]),
        chat.user([anthropic.tool_result("one")]),
        tools=[anthropic.tool("look")],
        max_tokens=4096,
        thinking={"type": "enabled", "budget_tokens": 2048},
    )
    given = json.loads(json.dumps(asked))
    made = proxai_ir.compile(asked, ANTHROPIC, ANTHROPIC, **options)
    assert asked == given
    assert made.output["messages"][1]["content"] == given["messages"][1]["content"][2:]
    assert "thinking" not in made.output
    assert all(made.output[key] == given[key] for key in given.keys() - {"messages", "thinking"})
    dropped = ["RSN-10", "RSN-10"] if options == {"seals": False} else ["RSN-5"]
    assert losses(made.diagnostics) == [*dropped, "RSN-18"]
    assert [one.path for one in made.diagnostics][:2] == ["/messages/1/content/0", "/messages/1/content/1"]
    assert proxai_ir.raise_to(proxai_ir.lower(asked, ANTHROPIC), ANTHROPIC, **options) == made.output


@pytest.mark.parametrize("options", SWITCHED, ids=["open", "keys", "not opened"])
def test_responses_is_sent_no_envelope_by_its_own_client(options: dict[str, Any]) -> None:
    text = [{"type": "summary_text", "text": one} for one in ("One.", "Two.")]
    foreign = {"type": "reasoning", "id": "rs_1", "summary": text, "encrypted_content": of(SIGNATURE, options)}
    own = {"type": "reasoning", "id": "rs_x", "summary": text, "encrypted_content": of(ENCRYPTED, options)}
    stored = {"type": "reasoning", "id": "rs_9", "summary": []}
    asked = responses.request(chat.user("Hi"), foreign, own, stored, chat.user("And?"))
    made = proxai_ir.compile(asked, RESPONSES, RESPONSES, **options)
    opened = {**own, "id": "rs_7", "encrypted_content": "c2VhbGVk"}
    kept = [stored] if options == {"seals": False} else [opened, stored]
    assert made.output["input"] == [asked["input"][0], *kept, asked["input"][-1]]
    assert losses(made.diagnostics) == (["RSN-10", "RSN-10"] if len(kept) == 1 else ["RSN-5"])


@pytest.mark.parametrize("options", SWITCHED, ids=["open", "keys", "not opened"])
def test_gemini_is_sent_no_envelope_by_its_own_client(options: dict[str, Any]) -> None:
    """It takes thoughts without a signature, and calls with the placeholder."""

    def signed(part: Json, seal: Seal) -> Json:
        return {**part, "thoughtSignature": base64.b64encode(of(seal, options).encode()).decode()}

    call = {"functionCall": {"name": "look", "args": {}}}
    thought = {"text": "A thought.", "thought": True}
    result = {"functionResponse": {"name": "look", "response": {"output": "one"}}}
    parts = [signed(thought, SIGNATURE), signed({"text": "", "thought": True}, REDACTED), signed(call, GOOGLES), call]
    contents = [
        {"role": "user", "parts": [{"text": "Hi"}]},
        {"role": "model", "parts": parts},
        {"role": "user", "parts": [result, result]},
    ]
    made = proxai_ir.compile({"contents": contents}, GEMINI, GEMINI, **options)
    unopened = options == {"seals": False}
    signature = "skip_thought_signature_validator" if unopened else "c2lnbmVk"
    assert made.output["contents"][1]["parts"] == [thought, {**call, "thoughtSignature": signature}, call]
    assert losses(made.diagnostics) == (["RSN-10"] * 3 if unopened else [])


def test_an_item_without_its_own_signature_does_not_reach_its_provider_either() -> None:
    """RSN-16: reasoning of a model without signatures."""
    bare = {"type": "thinking", "thinking": "A thought.", "signature": enveloped(NONE)}
    asked = anthropic.request(chat.user("Hi"), chat.assistant([bare, chat.text("Hello.")]), chat.user("And?"))
    made = proxai_ir.compile(asked, ANTHROPIC, ANTHROPIC, seals=Seals())
    assert made.output["messages"][1]["content"] in ("Hello.", [chat.text("Hello.")])
    assert losses(made.diagnostics) == ["RSN-5"]


@pytest.mark.parametrize("options", [{"seals": Seals()}, {"seals": Seals(KEYS)}, {"seals": False}])
def test_a_request_without_envelopes_is_returned_as_it_is(options: dict[str, Any]) -> None:
    thought = {"type": "thinking", "thinking": "A thought.", "signature": "c2lnbmVk"}
    asked = anthropic.request(chat.user("Hi"), chat.assistant([thought, chat.text("Hello.")]), chat.user("And?"))
    assert proxai_ir.convert(asked, ANTHROPIC, ANTHROPIC, **options) is asked
    sent = json.dumps(asked, indent=3).encode()
    assert proxai_ir.convert(sent, ANTHROPIC, ANTHROPIC, **options) is sent


def test_strict_mode_refuses_the_reasoning_that_is_dropped() -> None:
    thought = {"type": "thinking", "thinking": "A thought.", "signature": enveloped(ENCRYPTED)}
    asked = anthropic.request(chat.user("Hi"), chat.assistant([thought, chat.text("Hello.")]), chat.user("And?"))
    with pytest.raises(proxai_ir.Unrepresentable) as caught:
        proxai_ir.convert(asked, ANTHROPIC, ANTHROPIC, seals=Seals(), strict=True)
    assert (caught.value.rule, caught.value.path) == ("RSN-5", "/messages/1/content/0")


@pytest.mark.parametrize("kept", ["thinking", "redacted_thinking"])
def test_blocks_of_anthropic_come_back_unaltered_through_a_client_of_gemini(kept: str) -> None:
    """Anthropic: thinking blocks "cannot be modified"."""
    block = {"type": kept, "data": "c2VhbGVk"} if kept == "redacted_thinking" else {**OPENED[0], "thinking": ""}
    response = anthropic.response(block, chat.text("Hello."))
    shown = proxai_ir.convert(response, ANTHROPIC, GEMINI, seals=Seals())
    contents = [shown["candidates"][0]["content"], {"role": "user", "parts": [{"text": "And?"}]}]
    asked = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}, *contents]}
    back = proxai_ir.convert(asked, GEMINI, ANTHROPIC, seals=Seals(), model="m")
    assert back["messages"][1]["content"] == [block, chat.text("Hello.")]


def test_encrypted_reasoning_gets_no_summary_through_a_client_of_gemini() -> None:
    item = {"type": "reasoning", "id": "rs_7", "summary": [], "encrypted_content": "c2VhbGVk"}
    response = responses.response(item, responses.message(responses.output_text("Hello.")))
    shown = proxai_ir.convert(response, RESPONSES, GEMINI, seals=Seals())
    contents = [shown["candidates"][0]["content"], {"role": "user", "parts": [{"text": "And?"}]}]
    asked = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}, *contents]}
    back = proxai_ir.convert(asked, GEMINI, RESPONSES, seals=Seals(), model="m")
    assert back["input"][1] == item


@pytest.mark.parametrize(
    "options",
    [
        {"keys": {}},
        {"keys": [b"n" * 16]},
        {"keys": {"k1": "n" * 16}},
        {"keys": {"k1": b"short"}},
        {"keys": {"": NEW}},
        {"keys": {"a.b": NEW}},
        {"keys": {"a\n": NEW}},
        {"keys": {"k" * 65: NEW}},
        {"keys": {1: NEW}},
        {"audience": AUDIENCE},
        {"expires": 1},
        {"keys": KEYS, "now": 1.5},
        {"keys": KEYS, "now": True},
        {"keys": KEYS, "audience": b"x"},
    ],
)
def test_options_that_are_no_keys(options: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="expected") as caught:
        Seals(**options)
    assert "nnnn" not in str(caught.value)  # no message quotes a key
