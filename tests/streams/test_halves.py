"""Characters that a server splits over two deltas, each with half of it (STR-21)."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import StreamConverter
from proxai_ir.testing.streams import fed

from ..samples.anthropic_messages import building as anthropic
from ..samples.gemini_generate_content import building as gemini
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Events, Json

CHAT, RESPONSES, ANTHROPIC, GEMINI = (
    "openai_chat_completions",
    "openai_responses",
    "anthropic_messages",
    "gemini_generate_content",
)
ALL = (CHAT, RESPONSES, ANTHROPIC, GEMINI)
WHOLE = "a\U0001f600b"
FIRST, SECOND = "a\ud83d", "\ude00b"


def reasoning(text: str) -> Json:
    return {"reasoning_content": text}


def of_responses() -> Events:
    item = responses.message(responses.output_text(WHOLE), id="m", status="completed")
    where: Json = {"item_id": "m", "output_index": 0, "content_index": 0}
    deltas = [{"type": "response.output_text.delta", **where, "delta": one} for one in (FIRST, SECOND)]
    begun = responses.added({**item, "content": [], "status": "in_progress"})
    part = {"type": "response.content_part.added", **where, "part": responses.output_text("")}
    done = {"type": "response.output_text.done", **where, "text": WHOLE}
    events = [responses.created(), begun, part, *deltas, done, responses.done(item), responses.ended(item)]
    return responses.in_sequence(events)


STREAMS: dict[str, tuple[str, Events]] = {
    "text of chat": (CHAT, chat.stream({"content": FIRST}, {"content": SECOND})),
    "reasoning of chat": (CHAT, chat.stream(reasoning(FIRST), reasoning(SECOND), {"content": "c"})),
    "text of responses": (RESPONSES, of_responses()),
    "text of anthropic": (ANTHROPIC, anthropic.stream(anthropic.text_block(FIRST, SECOND))),
    "text of gemini": (GEMINI, gemini.stream(gemini.chunk(FIRST), gemini.chunk(SECOND))),
}


def encoded(events: Events, protocol: str) -> bytes:
    return b"".join(proxai_ir.sse.encode(event, protocol) for event in events)


@pytest.mark.parametrize("dst", ALL)
@pytest.mark.parametrize("name", STREAMS)
def test_both_halves_are_one_character(name: str, dst: str) -> None:
    src, events = STREAMS[name]
    if src == dst:
        assert proxai_ir.convert(events, src, dst, kind="stream") == events
        return
    conversion = proxai_ir.compile(events, src, dst, kind="stream")
    written = json.dumps(conversion.output, ensure_ascii=False)
    assert "\U0001f600b" in written
    assert not any(0xD800 <= ord(one) < 0xE000 for one in written)
    assert "STR-21" not in [one.rule for one in conversion.diagnostics]
    assert "STR-16" not in [one.rule for one in conversion.diagnostics]
    from_bytes = proxai_ir.convert(encoded(events, src), src, dst, kind="stream")
    assert from_bytes == encoded(conversion.output, dst)


@pytest.mark.parametrize("dst", ALL)
@pytest.mark.parametrize("name", STREAMS)
def test_the_kept_response_has_the_character(name: str, dst: str) -> None:
    src, events = STREAMS[name]
    converter = StreamConverter(src, dst, keep_response=True)
    for event in events:
        converter.feed(event)
    converter.close()
    assert WHOLE in json.dumps(converter.response, ensure_ascii=False)


@pytest.mark.parametrize("dst", [RESPONSES, ANTHROPIC, GEMINI])
def test_half_a_character_that_stays_alone_is_lost_by_name(dst: str) -> None:
    for deltas, said in ((["a\ud83d"], "a\ufffd"), (["\ud83d", "b"], "\ufffdb"), (["a\ud83d", "\ud83d\ude00"], None)):
        events = chat.stream(*({"content": one} for one in deltas))
        conversion = proxai_ir.compile(events, CHAT, dst, kind="stream")
        assert [one.rule for one in conversion.diagnostics if one.severity == "loss"] == ["STR-21"]
        assert (said or "a\ufffd\U0001f600") in texts(conversion.output, dst)
    assert fed(chat.stream({"content": "a\ud83d"}), CHAT, dst, strict=True).rule() == "STR-21"


def texts(events: Any, dst: str) -> str:
    pieces = [json.dumps(event, ensure_ascii=False) for event in events]
    converter = StreamConverter(dst, dst, keep_response=True)
    for piece in pieces:
        converter.feed(json.loads(piece))
    converter.close()
    return json.dumps(converter.response, ensure_ascii=False)


@pytest.mark.parametrize("dst", [RESPONSES, ANTHROPIC, GEMINI])
def test_characters_of_two_halves_that_come_whole_are_no_halves(dst: str) -> None:
    events = chat.stream({"content": "\U0001f600"}, {"content": "\ufb01"}, {"content": "\uffff"})
    conversion = proxai_ir.compile(events, CHAT, dst, kind="stream")
    assert "STR-21" not in [one.rule for one in conversion.diagnostics]
    assert "\U0001f600\ufb01\uffff" in texts(conversion.output, dst)


def test_an_exchange_of_one_protocol_relays_halves() -> None:
    exchange = proxai_ir.Exchange(CHAT, CHAT, now=1.0)
    exchange.request(json.dumps(chat.request(chat.user("Hi"), stream=True)).encode(), path="/v1/chat/completions")
    stream = exchange.stream(200, {"content-type": "text/event-stream"})
    events = chat.stream({"content": FIRST}, {"content": SECOND})
    out = stream.feed(encoded(events, CHAT)) + stream.end()
    assert list(proxai_ir.sse.decode([out])) == events
    assert stream.error is None
    assert stream.response["choices"][0]["message"]["content"] == WHOLE
