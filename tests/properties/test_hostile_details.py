"""What hostile input must not do: be dropped silently, come back changed, lead pointers astray."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import proxai_ir
from proxai_ir import StreamConverter, TranslationError, sse
from proxai_ir.api import Kind
from proxai_ir.ir import json_form as ir_json
from proxai_ir.testing.pointers import DEEP, HUGE, nested

from ..samples import PROTOCOLS
from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Events, Json

CHAT, ANTHROPIC, RESPONSES = "openai_chat_completions", "anthropic_messages", "openai_responses"
HELLO = chat.user("Hi")


def found(payload: Any, src: str, dst: str, **options: Any) -> list[tuple[str, str]]:
    return [(one.code, one.path) for one in proxai_ir.check(payload, src, dst, **options)]


def again(payload: Any, protocol: str, kind: Kind | None = None) -> Any:
    return proxai_ir.raise_to(proxai_ir.lower(payload, protocol, kind=kind), protocol)


# --- what was dropped silently ----------------------------------------------------------------------------------------


def messages_stream(**start: Any) -> Events:
    message = {**anthropic.response(), "content": [], "stop_reason": None, "stop_sequence": None, **start}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Hi"}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 1},
        },
        {"type": "message_stop"},
    ]


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
@pytest.mark.parametrize(
    ("member", "value"),
    [("stop_reason", "max_tokens"), ("stop_sequence", "x"), ("stop_details", {"type": "refusal", "category": "c"})],
)
def test_how_a_message_ended_before_it_began_is_named(member: str, value: Any, dst: str) -> None:
    stream = messages_stream(**{member: value})
    assert ("ENV-7", f"/0/message/{member}") in found(stream, ANTHROPIC, dst)
    assert again(stream, ANTHROPIC)[0]["message"][member] == value


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
@pytest.mark.parametrize("kind", ["any", "auto", "none"])
def test_a_name_with_a_choice_of_any_tool_is_named(kind: Kind, dst: str) -> None:
    choice = {"type": kind, "name": "f"}
    asked = anthropic.request(HELLO, tools=[anthropic.tool("f")], tool_choice=choice)
    assert ("UNK-1", "/tool_choice/name") in found(asked, ANTHROPIC, dst)
    assert again(asked, ANTHROPIC)["tool_choice"] == choice


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_a_fraction_of_a_second_is_named(dst: str) -> None:
    response = responses.response(responses.message(responses.output_text("Hi")), created_at=1.5)
    assert ("ENV-1", "/created_at") in found(response, RESPONSES, dst)
    assert again(response, RESPONSES)["created_at"] == 1.5


# --- from a protocol to itself ----------------------------------------------------------------------------------------


def test_a_whole_number_of_seconds_stays_a_floating_point_number() -> None:
    response = responses.response(responses.message(responses.output_text("Hi")), created_at=7.0)
    assert repr(again(response, RESPONSES)["created_at"]) == "7.0"
    assert repr(proxai_ir.convert(response, RESPONSES, CHAT)["created"]) == "7"


def test_two_entries_of_one_choice_in_a_chunk() -> None:
    first = {**chat.chunk({"role": "assistant", "content": "a"}), "choices": []}
    first["choices"] = [
        {"index": 0, "delta": {"role": "assistant", "content": "a"}},
        {"index": 0, "delta": {"content": "b"}},
    ]
    stream = [first, chat.chunk({}, "stop"), "[DONE]"]
    assert again(stream, CHAT)[0]["choices"] == first["choices"]
    deltas = [event.get("delta", {}) for event in proxai_ir.convert(stream, CHAT, ANTHROPIC)]
    assert "".join(delta.get("text", "") for delta in deltas) == "ab"


@pytest.mark.parametrize("tiers", [("zz", "zz"), ("zz", "yy"), ("default", "zz")])
def test_an_unknown_service_tier_in_chunks(tiers: tuple[str, str]) -> None:
    chunks = [chat.chunk({"role": "assistant", "content": "a"}), chat.chunk({}, "stop")]
    stream = [*({**chunk, "service_tier": tier} for chunk, tier in zip(chunks, tiers, strict=True)), "[DONE]"]
    assert [chunk["service_tier"] for chunk in again(stream, CHAT)[:2]] == [*tiers]


def test_a_stream_that_fails_within_a_refusal_is_one_that_is_read() -> None:
    """The response that failed repeats the refusal, and the error that came before it still counts."""
    deltas = [{"role": "assistant", "content": ""}, {"content": "It"}, {"refusal": "I must"}]
    stream = [*map(chat.chunk, deltas), {"error": {"message": "Slow down.", "type": "rate_limit_error", "code": 429}}]
    made = proxai_ir.convert(stream, CHAT, RESPONSES)
    assert [event["type"] for event in made[-2:]] == ["error", "response.failed"]
    assert again(made, RESPONSES) == made


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_a_block_that_is_open_does_not_grow_after_an_error(dst: str) -> None:
    first, opened, *_ = messages_stream()
    opened["content_block"]["text"] = ""
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "It"}}
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    assert found([first, opened, error, delta], ANTHROPIC, dst)[-1] == ("STR-9", "/3")
    assert found([first, opened, delta, error, delta], ANTHROPIC, dst)[-1] == ("STR-9", "/4")


def test_audio_that_begins_without_data_is_pointed_at() -> None:
    pieces: list[Json] = [{"role": "assistant", "audio": {"id": "a"}}, {"audio": {"data": "aGk=", "transcript": "Hi"}}]
    stream = [*(chat.chunk(piece) for piece in pieces), chat.chunk({}, "stop"), "[DONE]"]
    assert all(resolves(path, stream) for _, path in found(stream, CHAT, RESPONSES))


@pytest.mark.parametrize("dst", PROTOCOLS)
def test_an_index_too_long_to_write(dst: str) -> None:
    chunk = chat.chunk({"role": "assistant", "content": "Hi"})
    chunk["choices"][0]["index"] = HUGE
    assert dst == CHAT or found([chunk, chat.chunk({}, "stop")], CHAT, dst)[-1][0] == "CHO-1"
    first, opened, closed, *_ = messages_stream()
    opened["index"] = closed["index"] = HUGE
    for wrong in ([first, closed], [first, opened, opened], [first, opened, closed, closed]):
        assert {"STR-9", "STR-18"} & {rule for rule, _ in found(wrong, ANTHROPIC, dst)}


@pytest.mark.parametrize("identity", [nested(1000), HUGE, [], 5], ids=["deep", "long", "list", "number"])
def test_an_id_of_a_repeated_item_that_is_no_text(identity: Any) -> None:
    response = responses.response(responses.message(responses.output_text("Hi")))
    begun = {**response, "status": "in_progress", "output": []}
    ended = {**response, "output": [{**response["output"][0], "id": identity}]}
    stream = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.done", "output_index": 0, "item": response["output"][0]},
        {"type": "response.completed", "response": ended},
    ]
    assert not [one for one in found(stream, RESPONSES, ANTHROPIC) if one[0][:3] in ("STR", "SHP")]


@pytest.mark.parametrize("value", [nested(3000), HUGE, [], 5], ids=["deep", "long", "list", "number"])
def test_words_of_a_request_that_are_no_text(value: Any) -> None:
    item = {"type": "zz", "role": value}
    assert found(responses.request(HELLO, item), RESPONSES, ANTHROPIC)
    toolset = {"type": "mcp_toolset", "mcp_server_name": value}
    server = {"type": "url", "name": "s", "url": "https://example.com"}
    assert found(anthropic.request(HELLO, tools=[toolset], mcp_servers=[server]), ANTHROPIC, RESPONSES)


def test_an_id_that_changes_in_an_event_of_no_part_is_not_taken_for_that_of_the_next() -> None:
    begun = {**responses.response(), "status": "in_progress", "output": []}
    item = {"id": "m", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    stream = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "item_id": "n", "delta": "Hi"},
        {"type": "response.in_progress", "response": begun},
    ]
    converter = StreamConverter(RESPONSES, RESPONSES)
    assert [converter.feed(event) for event in stream] == [[event] for event in stream]


def test_deltas_of_an_item_that_came_whole_are_relayed() -> None:
    response = responses.response(responses.message(responses.output_text("Hi")))
    delta = {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Hi"}
    delta["item_id"] = response["output"][0].get("id")
    stream = [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": response["output"][0]},
        delta,
        delta,
        delta,
    ]
    converter = StreamConverter(RESPONSES, RESPONSES)
    assert [converter.feed(event) for event in stream] == [[event] for event in stream]
    assert [one.code for one in converter.diagnostics] == ["STR-18"]


# --- pointers of streams ----------------------------------------------------------------------------------------------


def dialect_stream() -> Events:
    """Unknown members in many places; what some of them are about comes later."""
    first = {**chat.chunk({"role": "assistant", "content": ""}), "zz": {"a": 1}}
    called = chat.chunk(chat.calls({**chat.fragment(0, "{", "c", "f"), "extra_content": {"a": {"b": 1}}}))
    usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 3, "zz": {"a": 1}}
    ended = {**chat.chunk(chat.calls(chat.fragment(0, "}")), "tool_calls"), "usage": usage}
    return [first, chat.chunk({"content": " "}), called, ended, "[DONE]"]


@pytest.mark.parametrize("usage", ["finish_chunk", "usage_chunk", "running"])
@pytest.mark.parametrize("dst", [ANTHROPIC, RESPONSES])
def test_pointers_stay_when_events_are_cleared_after_they_were_fed(dst: str, usage: str) -> None:
    kept, cleared = StreamConverter(CHAT, dst, usage=usage), StreamConverter(CHAT, dst, usage=usage)  # type: ignore[arg-type]
    for event, twin in zip(dialect_stream(), dialect_stream(), strict=True):
        kept.feed(event)
        cleared.feed(twin)
        if isinstance(twin, dict):
            twin.clear()
    kept.close()
    cleared.close()
    stream = dialect_stream()
    assert len(kept.diagnostics) > 3
    for one, other in zip(kept.diagnostics, cleared.diagnostics, strict=True):
        assert (one.code, one.severity) == (other.code, other.severity)
        assert resolves(one.path, stream) and resolves(other.path, stream)
        assert one.path.startswith(other.path)  # what is found later may be a container around it


def resolves(path: str, value: Any) -> bool:
    for key in path.split("/")[1:]:
        value = value[int(key)] if isinstance(value, list) else value[key]
    return True


# --- shapes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [(), (1, 2), ("x", {})])
def test_a_tuple_is_no_error_body(body: Any) -> None:
    for dst in PROTOCOLS:
        with pytest.raises(TranslationError) as caught:
            proxai_ir.compile(body, CHAT, dst, kind="error")
        assert (caught.value.rule, caught.value.path) == ("SHP-1", "")


@pytest.mark.parametrize("kind", [0, False, [], {}])
def test_a_type_of_a_tool_call_that_is_no_text(kind: Any) -> None:
    called = {**chat.call("f", "{}", "c"), "type": kind}
    asked = chat.request(HELLO, chat.assistant(tool_calls=[called]), chat.result("r", "c"))
    assert found(asked, CHAT, ANTHROPIC) == [("ENV-15", "/messages/1/tool_calls/0/type")]
    fragment = {**chat.fragment(0, "{}", "c", "f"), "type": kind}
    stream = [chat.chunk({"role": "assistant", **chat.calls(fragment)}), chat.chunk({}, "tool_calls"), "[DONE]"]
    assert found(stream, CHAT, ANTHROPIC)[0] == ("ENV-15", "/0/choices/0/delta/tool_calls/0/type")


def spaced(data: bytes) -> memoryview:
    """A view that is not contiguous."""
    return memoryview(b"".join(bytes([byte, 0]) for byte in data))[::2]


@pytest.mark.parametrize("as_chunk", [memoryview, bytearray, spaced])
def test_the_decoder_takes_any_bytes(as_chunk: Callable[[bytes], Any]) -> None:
    decoder = sse.Decoder()
    assert decoder.feed(as_chunk(b'data: {"a":1}\n\ndata: {"a":2}\n\nda')) == [{"a": 1}, {"a": 2}]
    assert decoder.feed(as_chunk(b'ta: {"a":3}\n\n')) == [{"a": 3}]
    assert decoder.feed(as_chunk(b'data: {"a":4}\n\n')) == [{"a": 4}]


@pytest.mark.parametrize("word", ["a\n\ndata: x", "a\rb", "\n", "[DONE]\n"])
def test_a_word_writes_no_lines_of_its_own(word: str) -> None:
    with pytest.raises(TranslationError) as caught:
        sse.encode(word, CHAT)
    assert caught.value.rule == "SHP-7"
    assert sse.encode("[DONE]", CHAT) == b"data: [DONE]\n\n"


def test_log_probabilities_of_a_text_without_wording() -> None:
    """They are lost with it: the output has no text that they could stand with."""
    token = {"token": "Hi", "logprob": -0.1, "bytes": None, "top_logprobs": []}
    response = chat.response("tool_calls", content="", tool_calls=[chat.call("f", "{}", "c")])
    response["choices"][0]["logprobs"] = {"content": [token], "refusal": None}
    assert ("SMP-7", "/choices/0/logprobs") in found(response, CHAT, RESPONSES)


def test_numbers_in_the_json_form_stay_as_they_were_written() -> None:
    asked = chat.request(HELLO, temperature=1, top_p=1.0)
    node = ir_json.loads(ir_json.dumps(proxai_ir.lower(asked, CHAT)))
    made = proxai_ir.raise_to(node, CHAT)
    assert (repr(made["temperature"]), repr(made["top_p"])) == ("1", "1.0")  # type: ignore[call-overload]


HOSTILE_TREES: list[Any] = [
    b"[]",
    b"5",
    b'"x"',
    b"null",
    b"{}",
    b'{"is": "Request"}',
    b'{"is": "Nothing"}',
    b'{"is": ["Request"]}',
    b'{"is": "Request", "protocol": null, "turns": 5}',
    b'{"is": "Request", "protocol": null, "model": "m", "turns": [{"role": "nobody", "parts": []}]}',
    b'{"is": "Request", "protocol": null, "model": "m", "sampling": {"temperature": "hot"}}',
    b"[" * 5000,
    b'{"is": "Request", "turns": ' * 900 + b"1" + b"}" * 900,
    b"\xff",
    "\ud800",
]


@pytest.mark.parametrize("data", HOSTILE_TREES, ids=range(len(HOSTILE_TREES)))
def test_the_json_form_of_no_tree_is_a_value_error(data: Any) -> None:
    with pytest.raises(ValueError):
        ir_json.loads(data)


def test_a_tree_too_deep_for_its_json_form() -> None:
    node = proxai_ir.lower(anthropic.request(HELLO, zz=nested(DEEP)), ANTHROPIC)
    with pytest.raises(TypeError):
        ir_json.dumps(node)


@pytest.mark.parametrize("word", [{}, [], 5])
def test_a_cohere_stream_that_begins_with_an_end_of_another_type(word: Any) -> None:
    events = [{"type": "message-end", "delta": {"finish_reason": word}}]
    assert found(events, "cohere_v2_chat", CHAT)[0] == ("ENV-15", "/0/delta/finish_reason")
    assert proxai_ir.raise_to(proxai_ir.lower(events, "cohere_v2_chat", kind="stream"), "cohere_v2_chat") == events
