"""Streams: bytes however they are split, keep-alives, what breaks off, and what comes in place of a stream."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange, sse

from ..cases import each
from ..clients.provider import ANTHROPIC, CHAT, GEMINI, NO, RESPONSES, SUM, TEXT, reply
from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from .support import (
    ALL,
    ASKED,
    PAIRS,
    asked,
    bytes_of,
    events,
    message_of,
    path_of,
    request_of,
    text_of,
    whole,
    word_of,
)

KINDS = ("text", "call", "thought", "json")


def streamed(client: str, provider: str, data: bytes, sizes: Any = None) -> tuple[bytes, Any]:
    stream = asked(client, provider, streamed=True).stream(200, {"content-type": "text/event-stream"})
    out, at = b"", 0
    while at < len(data):
        step = sizes() if sizes else len(data)
        out += stream.feed(data[at : at + step])
        at += step
    return out + stream.end(), stream


@each("kind", KINDS)
@each(("client", "provider"), PAIRS)
def test_a_stream_however_its_bytes_are_split(client: str, provider: str, kind: str) -> None:
    data = bytes_of(provider, kind, streamed=True)
    at_once, stream = streamed(client, provider, data)
    assert stream.error is None
    assert stream.failure is None
    rng = Random(7)
    for sizes in (lambda: 1, lambda: rng.randint(1, 40), lambda: 4096):
        out, again = streamed(client, provider, data, sizes)
        assert out == at_once
        assert (again.response, again.usage, again.diagnostics) == (stream.response, stream.usage, stream.diagnostics)
    crlf, _ = streamed(client, provider, data.replace(b"\n", b"\r\n"), lambda: 3)
    assert crlf == at_once


@each("kind", ["text", "json"])
@each(("client", "provider"), PAIRS)
def test_the_whole_response_is_what_the_client_read(client: str, provider: str, kind: str) -> None:
    out, stream = streamed(client, provider, bytes_of(provider, kind, streamed=True))
    assert text_of(stream.response) == text_of(whole(client, out)) == {"text": TEXT, "json": '{"city": "Oslo"}'}[kind]
    assert stream.usage["input"] == 9
    assert stream.usage["output"] == 7


@pytest.mark.parametrize("provider", [CHAT, ANTHROPIC, GEMINI])
@pytest.mark.parametrize("kind", KINDS)
def test_items_have_the_same_ids_in_the_stream_and_in_the_response(provider: str, kind: str) -> None:
    """A client may refer to what it read (`item_reference`), and finds it in what is kept."""
    out, stream = streamed(RESPONSES, provider, bytes_of(provider, kind, streamed=True))
    done = [event["item"] for event in events(out) if event["type"] == "response.output_item.done"]
    assert [item["id"] for item in done] == [item["id"] for item in stream.response["output"]]
    assert all(item["id"] for item in done)


@pytest.mark.parametrize(("client", "provider"), PAIRS)
def test_keep_alives_fit_between_any_two_pieces(client: str, provider: str) -> None:
    data = bytes_of(provider, "call", streamed=True)
    at_once, _ = streamed(client, provider, data)
    stream = asked(client, provider, streamed=True).stream(200, {})
    out = stream.ping()
    for at in range(0, len(data), 5):
        out += stream.feed(data[at : at + 5]) + stream.ping() + stream.ping()
    out += stream.end()
    assert events(out) == events(at_once)
    assert (stream.ping(), stream.feed(data), stream.end()) == (b"", b"", b"")


@pytest.mark.parametrize("client", ALL)
def test_a_keep_alive_is_what_the_client_skips(client: str) -> None:
    expected = {ANTHROPIC: b'event: ping\ndata: {"type": "ping"}\n\n', GEMINI: b"\n"}
    assert asked(client, CHAT, streamed=True).stream(200, {}).ping() == expected.get(client, b": keep-alive\n\n")


def test_a_chunk_with_usage_is_sent_where_it_was_asked_for() -> None:
    for wanted in (True, False):
        exchange = Exchange(CHAT, ANTHROPIC)
        options: Any = {"stream_options": {"include_usage": wanted}} if wanted else {}
        exchange.request(request_of(CHAT, streamed=True, **options))
        stream = exchange.stream(200, {})
        made = events(stream.feed(bytes_of(ANTHROPIC, "text", streamed=True)) + stream.end())
        assert any(chunk.get("usage") for chunk in made[:-1]) is wanted
        assert made[-1] == "[DONE]"
        assert (stream.usage or {})["output"] == 7  # known to the proxy in any case


@pytest.mark.parametrize(("client", "provider"), PAIRS)
def test_through_another_process(client: str, provider: str) -> None:
    first = asked(client, provider, streamed=True)
    second = Exchange(client, provider, state=json.loads(json.dumps(first.state)), now=1_700_000_000.0)
    data = bytes_of(provider, "thought", streamed=True)
    outs = [(stream := one.stream(200, {})).feed(data) + stream.end() for one in (first, second)]
    assert outs[0] == outs[1]
    assert ASKED.encode() in outs[0]


# --- what breaks off --------------------------------------------------------------------------------------------------


def ends_badly(client: str, out: bytes) -> bool:
    """Whether the last event is the client protocol's error."""
    last = events(out)[-1]
    if client == RESPONSES:
        return bool(last["type"] in ("error", "response.failed"))
    return "error" in last


@pytest.mark.parametrize(("client", "provider"), PAIRS)
def test_a_stream_that_is_cut_ends_with_the_client_s_error(client: str, provider: str) -> None:
    data = bytes_of(provider, "text", streamed=True)
    for part in range(3):
        out, stream = streamed(client, provider, data[: len(data) * part // 4])
        assert ends_badly(client, out)
        assert stream.error is not None
        assert stream.error.rule == "STR-2"
        assert (stream.response, stream.usage) == (None, None)
        assert any(one.code == "STR-2" for one in stream.diagnostics)


OVERLOADED: dict[str, Any] = {
    CHAT: {"error": {"message": "Too many.", "type": "overloaded_error", "code": None}},
    RESPONSES: {
        "type": "error",
        "code": "rate_limit_exceeded",
        "message": "Too many.",
        "param": None,
        "sequence_number": 9,
    },
    ANTHROPIC: {"type": "error", "error": {"type": "overloaded_error", "message": "Too many."}},
    GEMINI: {"error": {"code": 503, "message": "Too many.", "status": "UNAVAILABLE"}},
}


@each("cut", [0, 2])
@each(("client", "provider"), PAIRS)
def test_an_error_in_mid_stream_is_the_client_s_error(client: str, provider: str, cut: int) -> None:
    begun = events(bytes_of(provider, "text", streamed=True))[:cut]
    data = b"".join(sse.encode(event, provider) for event in [*begun, OVERLOADED[provider]])
    out, stream = streamed(client, provider, data)
    assert ends_badly(client, out)
    assert b"Too many." in out
    assert stream.error is None
    assert stream.failure.message == "Too many."
    assert stream.response is None


@each(("client", "provider"), PAIRS)
@each("junk", [b"data: {\n\n", b"data: [1, 2]\n\n", b'data: "x"\n\n', b"data: null\n\n", b"data: \xff\n\n"])
def test_malformed_bytes_end_the_stream(client: str, provider: str, junk: bytes) -> None:
    begun = events(bytes_of(provider, "text", streamed=True))[:1]
    head = sse.encode(begun[0], provider)
    stream = asked(client, provider, streamed=True).stream(200, {})
    out = stream.feed(head) + stream.feed(junk)
    if client == provider and stream.error is None:  # which is not the proxy's to mend
        return
    assert stream.error is not None
    assert stream.feed(bytes_of(provider, "text", streamed=True)) == b""
    out += stream.end()
    assert ends_badly(client, out)
    assert stream.end() == b""
    assert stream.response is None
    assert {one.code for one in stream.error.diagnostics} <= {one.code for one in stream.diagnostics}


@pytest.mark.parametrize("client", ALL)
def test_what_follows_the_end_takes_nothing_back(client: str) -> None:
    data = bytes_of(CHAT, "text", streamed=True)
    out, stream = streamed(client, CHAT, data + b"data: {garbage\n\n")
    clean, _ = streamed(client, CHAT, data)
    assert out == clean
    assert stream.error is None
    assert text_of(stream.response) == TEXT


# --- no stream where one was asked for, and the other way round -------------------------------------------------------


@each("kind", KINDS)
@each(("client", "provider"), PAIRS)
def test_a_whole_response_in_place_of_a_stream(client: str, provider: str, kind: str) -> None:
    stream = asked(client, provider, streamed=True).stream(200, {"content-type": "application/json; charset=utf-8"})
    data = bytes_of(provider, kind, streamed=False)
    assert stream.headers["content-type"] == "text/event-stream"
    assert stream.feed(data[:9]) + stream.feed(data[9:]) == b""
    assert stream.ping() != b""
    out = stream.end()
    assert stream.error is None
    read = whole(client, out)
    assert (
        text_of(read)
        == text_of(stream.response)
        == {"text": TEXT, "thought": TEXT, "json": '{"city": "Oslo"}'}.get(kind, "")
    )
    if kind == "call":
        assert "add" in json.dumps(read)
    assert {name in json.dumps(read) for name in (ASKED,)} == {True}
    assert (stream.usage or {})["output"] in (5, 7)


@each("provider", ALL)
@each("stop", [None, -1], ["whole", "cut off"])
def test_a_client_of_gemini_gets_an_array(provider: str, stop: int | None) -> None:
    """Which it expects without `alt=sse`; an error is the last element."""
    exchange = Exchange(GEMINI, provider, model="big", now=1.0)
    exchange.request(request_of(GEMINI), path=path_of(GEMINI, streamed=True).partition("?")[0])
    exchange = Exchange(GEMINI, provider, model="big", now=1.0, state=exchange.state)
    stream = exchange.stream(200, {"content-type": "text/event-stream"})
    data = bytes_of(provider, "text", streamed=True)
    sent = bytes_of(provider, "text", streamed=True)[: len(data) // 2 if stop else None]
    out = stream.ping() + b"".join(stream.feed(sent[at : at + 9]) + stream.ping() for at in range(0, len(sent), 9))
    assert stream.headers["content-type"] == "application/json"
    elements = json.loads(out + stream.end())
    assert ("error" in elements[-1]) == bool(stop)
    assert bool(stop) or text_of(stream.response) == TEXT


@each("provider", ALL)
def test_an_array_without_an_event_has_the_error(provider: str) -> None:
    exchange = Exchange(GEMINI, provider, now=1.0, model="big")
    exchange.request(request_of(GEMINI), path=path_of(GEMINI, streamed=True).partition("?")[0])
    (element,) = json.loads(exchange.stream(200, {}).end())
    assert element["error"]["message"]


TYPES = ("application/json", "text/event-stream")


@each(("client", "provider"), PAIRS)
def test_no_element_of_a_provider_s_array_waits_for_the_next(client: str, provider: str) -> None:
    """Each gives the client what the same event gives it."""
    array, plain = (asked(client, provider, streamed=True).stream(200, {"content-type": kind}) for kind in TYPES)
    for at, event in enumerate(events(bytes_of(provider, "text", streamed=True))):
        element = (b", " if at else b"[ ") + json.dumps(event).encode()
        assert array.feed(element) == plain.feed(sse.encode(event, provider))
    assert array.feed(b"]\n") + array.end() == plain.end()
    assert array.response == plain.response


def test_gemini_s_array_in_place_of_a_stream() -> None:
    """Which it sends without `alt=sse`."""
    chunks = events(bytes_of(GEMINI, "text", streamed=True))
    stream = asked(CHAT, GEMINI, streamed=True).stream(200, {"content-type": "application/json"})
    out = stream.feed(json.dumps(chunks).encode()) + stream.end()
    assert text_of(stream.response) == TEXT
    assert events(out)[-1] == "[DONE]"


@each(("client", "provider"), PAIRS)
@each("data", [b"", b"{", b"{}", b"[]", b"5", b'{"error": {"message": "Too many."}}', b"[5]"])
def test_json_that_is_no_response_in_place_of_a_stream(client: str, provider: str, data: bytes) -> None:
    stream = asked(client, provider, streamed=True).stream(200, {"content-type": "application/json"})
    out = stream.feed(data) + stream.end()
    assert ends_badly(client, out)
    assert stream.error is not None or "Too many." in str(stream.failure)
    assert stream.response is None


@each("data", [b"\n\n", b": hi\n\n", b"id: 7", b"\xef\xbb\xbf"])
@each(("client", "provider"), PAIRS)
def test_a_stream_without_an_event_was_cut_off(client: str, provider: str, data: bytes) -> None:
    _, stream = streamed(client, provider, data)
    assert stream.error is not None
    assert stream.error.rule == "STR-2"


SAID = "Out of credit."
INSTEAD: dict[str, bytes] = {
    "JSON": json.dumps({"error": {"message": SAID}}).encode(),
    "JSON of several lines": json.dumps({"error": {"message": SAID}}, indent=1).encode() + b"\n\n",
    "JSON without an envelope": json.dumps({"code": "x", "message": SAID}).encode(),
    "a page": f"<html><body>{SAID}</body></html>".encode(),
    "a text": SAID.encode(),
    "an event": b"data: " + json.dumps({"message": SAID}).encode() + b"\n\n",
    "an event by its name": b"event: error\ndata: " + json.dumps({"code": 7, "message": SAID}).encode() + b"\n\n",
    "a named event of text": b"event: error\ndata: " + SAID.encode() + b"\n\n",
    "a named event without a message": b"event: error\ndata: " + json.dumps({"reason": SAID}).encode() + b"\n\n",
}


@each("form", INSTEAD)
@each(("client", "provider"), PAIRS)
def test_an_error_in_place_of_events_arrives(client: str, provider: str, form: str) -> None:
    """Under the content type of a stream, in whatever pieces: the provider's text, and not that the stream was cut."""
    data = INSTEAD[form]
    out, stream = streamed(client, provider, data)
    assert SAID.encode() in out
    assert stream.error is None
    assert SAID in stream.failure.message
    assert stream.response is None
    assert streamed(client, provider, data, lambda: 1)[0] == out
    if client != provider:
        assert ends_badly(client, out)
    whole = asked(client, provider).response(200, {"content-type": "text/event-stream"}, data)
    assert whole.status >= 400
    assert SAID in message_of(whole.body)


@each("kind", ["text", "call"])
@each(("client", "provider"), PAIRS)
def test_a_whole_response_under_the_type_of_a_stream(client: str, provider: str, kind: str) -> None:
    out, stream = streamed(client, provider, bytes_of(provider, kind, streamed=False), lambda: 5)
    assert stream.error is None
    assert text_of(whole(client, out)) == (TEXT if kind == "text" else "")


@each("client", [CHAT, ANTHROPIC, GEMINI])
@each("begun", [True, False])
@each(
    "failed",
    [
        {"type": "response.failed", "response": {"status": "failed", "error": {"code": "x", "message": SAID}}},
        {"type": "response.failed", "response": {"status": "failed", "output": 5, "error": {"message": SAID}}},
        {"type": "response.failed", "error": {"message": SAID}},
        {"type": "error", "error": {"message": SAID}, "status": 500},
    ],
    ids=["no output", "a wrong output", "no response", "an envelope"],
)
def test_a_failed_response_of_any_shape(client: str, failed: Any, begun: bool) -> None:
    events_before = events(bytes_of(RESPONSES, "text", streamed=True))[: 5 if begun else 0]
    data = b"".join(sse.encode(event, RESPONSES) for event in [*events_before, failed])
    out, stream = streamed(client, RESPONSES, data)
    assert stream.error is None
    assert stream.failure.message == SAID
    assert ends_badly(client, out)


def test_a_response_that_failed_without_output() -> None:
    sent = {"id": "r", "object": "response", "model": "m", "status": "failed", "error": {"code": "x", "message": SAID}}
    made = asked(ANTHROPIC, RESPONSES).response(200, {}, json.dumps(sent).encode())
    assert message_of(made.body) == SAID


@pytest.mark.parametrize(
    ("event", "category", "delay"),
    [
        ({"type": "error", "code": "cyber_policy", "message": SAID}, "INVALID_REQUEST", None),
        ({"type": "error", "code": "server_error", "message": SAID}, "SERVER", None),
        ({"type": "error", "message": SAID, "status": 401}, "AUTHENTICATION", None),
        ({"type": "error", "error": {"message": SAID, "type": "server_error"}, "status_code": 429}, "RATE_LIMIT", None),
        (
            {
                "type": "error",
                "error": {"type": "usage_limit_reached", "message": SAID, "resets_in_seconds": 13872},
                "status_code": 429,
            },
            "RATE_LIMIT",
            13872,
        ),
        ({"error": SAID, "error_type": "overloaded"}, "OVERLOADED", None),
    ],
)
def test_what_an_event_says_of_its_error(event: Any, category: str, delay: float | None) -> None:
    _, stream = streamed(ANTHROPIC, RESPONSES, b"data: " + json.dumps(event).encode() + b"\n\n")
    assert (stream.failure.category.name, stream.failure.retry_after) == (category, delay)


@pytest.mark.parametrize(("client", "provider"), PAIRS)
def test_an_error_in_place_of_a_stream_comes_whole(client: str, provider: str) -> None:
    """A proxy calls `response` for statuses of errors; where it does not, the client still gets its error."""
    made = reply(provider, "failure", streamed=True)
    stream = asked(client, provider, streamed=True).stream(made.status, {"retry-after": "3"})
    assert stream.status == (529 if client == ANTHROPIC else 503)
    assert stream.headers["content-type"] == "application/json"
    assert stream.headers["retry-after"] == "3"
    out = b"".join(map(stream.feed, made.chunks)) + stream.ping() + stream.end()
    assert word_of(client, out) in ("overloaded_error", "server_error", "api_error", "UNAVAILABLE", "INTERNAL")
    assert b"Come back later." in out


def test_a_whole_body_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proxai_ir.exchange.reply_stream.MOST_BYTES", 1000)
    stream = asked(CHAT, ANTHROPIC, streamed=True).stream(200, {"content-type": "application/json"})
    for _ in range(5):
        stream.feed(b"x" * 999)
    assert stream.error is not None
    assert stream.error.rule == "STR-15"
    assert ends_badly(CHAT, stream.end())


@each("typed", [True, False])
@each("kind", KINDS)
@each(("client", "provider"), PAIRS)
def test_a_stream_in_place_of_a_whole_response(client: str, provider: str, kind: str, typed: bool) -> None:
    headers = {"content-type": "text/event-stream; charset=utf-8"} if typed else {}
    made = asked(client, provider).response(200, headers, bytes_of(provider, kind, streamed=True))
    assert (made.status, made.headers["content-type"]) == (200, "application/json")
    body = json.loads(made.body)
    assert proxai_ir.check(body, client, client, kind="response") == ()
    assert made.usage == {**(made.usage or {}), "output": 7}
    if kind == "call":
        assert "add" in made.body.decode()
        assert all(str(value) in made.body.decode() for value in SUM.values())
    else:
        assert text_of(body) == ('{"city": "Oslo"}' if kind == "json" else TEXT)


@pytest.mark.parametrize(("client", "provider"), PAIRS)
def test_a_broken_stream_in_place_of_a_whole_response(client: str, provider: str) -> None:
    data = bytes_of(provider, "broken", streamed=True)
    made = asked(client, provider).response(200, {"content-type": "text/event-stream"}, data)
    assert made.status == 502
    failed = b"".join(sse.encode(event, provider) for event in [*events(data), OVERLOADED[provider]])
    made = asked(client, provider).response(200, {"content-type": "text/event-stream"}, failed)
    assert made.status == (429 if provider == RESPONSES else 529 if client == ANTHROPIC else 503)
    assert message_of(made.body) == "Too many."


# --- tools and refusals on their way ----------------------------------------------------------------------------------


def test_a_custom_tool_comes_back_as_one_in_a_stream() -> None:
    exchange = Exchange(RESPONSES, ANTHROPIC)
    exchange.request(request_of(RESPONSES, streamed=True, tools=[{"type": "custom", "name": "patch"}]))
    made = anthropic.stream(anthropic.call_block("toolu_1", "patch", '{"input": "*** ', 'Begin"}'), stop="tool_use")
    stream = exchange.stream(200, {})
    out = b"".join(stream.feed(sse.encode(event, ANTHROPIC)) for event in made) + stream.end()
    (item,) = stream.response["output"]
    assert (item["type"], item["input"]) == ("custom_tool_call", "*** Begin")
    assert b"response.custom_tool_call_input.delta" in out


def test_a_refusal_ends_a_stream_as_the_client_knows_it() -> None:
    made = chat.stream({"refusal": NO}, finish="stop")
    data = b"".join(sse.encode(event, CHAT) for event in made)
    out, stream = streamed(ANTHROPIC, CHAT, data)
    assert stream.response["stop_reason"] == "refusal"
    assert NO.encode() in out


def test_a_path_says_whether_a_stream_is_asked_for() -> None:
    assert Exchange(GEMINI, CHAT).request(request_of(GEMINI), path=path_of(GEMINI, streamed=True)).stream is True
    assert (
        Exchange(CHAT, GEMINI).request(request_of(CHAT, streamed=True)).path.endswith(":streamGenerateContent?alt=sse")
    )


@pytest.mark.parametrize("client", ALL)
def test_text_of_reasoning_that_is_encrypted(client: str) -> None:
    """No server sends it; a stream with it ends like any other that cannot be converted."""
    start, *_ = anthropic.stream(anthropic.text_block("x"))
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "redacted_thinking", "data": "eA=="}}
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Two"}}
    out, stream = streamed(client, ANTHROPIC, b"".join(sse.encode(one, ANTHROPIC) for one in (start, block, delta)))
    assert ends_badly(client, out)
    assert stream.response is None
