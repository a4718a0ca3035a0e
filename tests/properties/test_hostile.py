"""Hostile payloads: deep, huge, no JSON. Each ends in a result or a TranslationError that names what is wrong."""

from __future__ import annotations

import json
import math
import pickle
from copy import copy
from itertools import cycle
from typing import Any

import pytest

import proxai_ir
from proxai_ir import InvalidPayload, TranslationError, Unrepresentable
from proxai_ir.api import Kind
from proxai_ir.testing.payloads import Case, converts_or_is_refused, leaves
from proxai_ir.testing.pointers import DEEP, HUGE, nested, replaced

from ..samples import PROTOCOLS, others, samples
from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.sample import Json

ANTHROPIC = "anthropic_messages"
CHAT = "openai_chat_completions"
HELLO = chat.user("Hi")
LONG = 123456789012345678901234567890


def chat_call(arguments: Any, call_id: str = "c") -> Json:
    called = chat.assistant(tool_calls=[chat.call("f", arguments, call_id)])
    return chat.request(HELLO, called, chat.result("r", call_id))


def anthropic_call(arguments: Any) -> Json:
    called = chat.assistant([anthropic.tool_use("f", arguments, "c")])
    return anthropic.request(HELLO, called, chat.user([anthropic.tool_result("r", "c")]))


def refusal(payload: Any, src: str = CHAT, dst: str = ANTHROPIC, **options: Any) -> TranslationError:
    with pytest.raises(TranslationError) as caught:
        proxai_ir.convert(payload, src, dst, **options)
    return caught.value


@pytest.mark.parametrize(
    ("src", "kind", "payload"),
    [
        (CHAT, "request", chat.request(HELLO, top_logprobs=HUGE)),
        (CHAT, "request", chat.request(HELLO, seed=HUGE)),
        (ANTHROPIC, "request", anthropic_call({"n": HUGE})),
        (CHAT, "request", chat.request(HELLO, user=HUGE)),
        (CHAT, "error", chat.error(None, code=HUGE)),
    ],
)
def test_an_integer_too_long_to_write(src: str, kind: Kind, payload: Json) -> None:
    converts_or_is_refused(Case(src, kind, payload), others(src))


# --- depth and size ---------------------------------------------------------------------------------------------------


def test_deep_arguments_text() -> None:
    text = '{"a":' * DEEP + "1" + "}" * DEEP
    assert refusal(chat_call(text)).rule == "TUL-1"
    long = text.replace("1", "12345678901234567890")
    assert refusal(chat_call(long)).path == "/messages/1/tool_calls/0/function/arguments"


def test_arguments_text_of_sensible_depth() -> None:
    text = '{"a":' * 500 + "1" + "}" * 500
    (block,) = proxai_ir.convert(chat_call(text), CHAT, ANTHROPIC)["messages"][1]["content"]
    assert block["input"] == nested(500)


def test_arguments_text_that_is_a_deep_array() -> None:
    """What a message calls the value must not be its text, which Python cannot write at this depth."""
    error = refusal(chat_call("[" * 1000 + "]" * 1000))
    assert (error.rule, error.path) == ("TUL-1", "/messages/1/tool_calls/0/function/arguments")
    assert "expected an object, found an array" in str(error)
    chunk = chat.chunk({"role": "assistant", **chat.calls(chat.fragment(0, "[" * 1000 + "]" * 1000, "c", "f"))})
    error = refusal([chunk, chat.chunk({}, "tool_calls"), "[DONE]"])
    assert (error.rule, error.path[:2]) == ("TUL-1", "/0")


@pytest.mark.parametrize("dst", [CHAT, "openai_responses"])
def test_deep_tool_input_with_a_state(dst: str) -> None:
    response = anthropic.response(anthropic.tool_use("f", nested(3000), "c"), stop_reason="tool_use")
    error = refusal(response, ANTHROPIC, dst, state={"custom_tools": ["f"]})
    assert error.path == "/content/0/input"
    response = anthropic.response(
        anthropic.tool_use("f", {"input": "x", "n": nested(3000)}, "c"), stop_reason="tool_use"
    )
    error = refusal(response, ANTHROPIC, dst, state={"custom_tools": ["f"]})
    assert error.path == "/content/0/input"


@pytest.mark.parametrize("identity", [nested(1000), 10**5000], ids=["deep", "long"])
def test_an_item_id_that_cannot_be_written(identity: Any) -> None:
    item = {"id": identity, "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    response = {"id": "r", "object": "response", "created_at": 1, "status": "in_progress", "model": "m", "output": []}
    part = {"type": "output_text", "text": "", "annotations": []}
    events = [
        {"type": "response.created", "response": response},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.content_part.added", "output_index": 0, "content_index": 0, "item_id": "x", "part": part},
    ]
    assert refusal(events, "openai_responses", ANTHROPIC).rule == "STR-2"  # cut off: the id itself is no reason


@pytest.mark.parametrize("leaf", [1, 10**30], ids=["short", "long"])
def test_deep_tool_input(leaf: int) -> None:
    error = refusal(anthropic_call(nested(DEEP, leaf)), ANTHROPIC, CHAT)
    assert (error.rule, error.path) == ("SHP-7", "/messages/1/content/0/input")


def test_deep_schemas_are_passed_on_untouched() -> None:
    schema = {"type": "object", "properties": nested(DEEP, {}, "properties")}
    tool: Json = anthropic.tool("f", input_schema=schema)
    made = proxai_ir.convert(anthropic.request(HELLO, tools=[tool]), ANTHROPIC, CHAT)
    assert made["tools"][0]["function"]["parameters"] is schema
    tool = chat.tool("f", parameters=schema)
    assert proxai_ir.convert(chat.request(HELLO, tools=[tool]), CHAT, ANTHROPIC)["tools"][0]["input_schema"] is schema
    closed = proxai_ir.convert(
        chat.request(HELLO, tools=[chat.tool("f", parameters=schema, strict=True)]), CHAT, ANTHROPIC
    )
    assert closed["tools"][0]["input_schema"]["additionalProperties"] is False


def test_deep_content() -> None:
    arrays: Any = "x"
    for _ in range(DEEP):
        arrays = [arrays]
    assert refusal(chat.request(HELLO, chat.user(arrays))).path == "/messages/1/content/0"
    block = nested(DEEP, "x", "content")
    assert refusal(anthropic.request(HELLO, anthropic.user([block])), ANTHROPIC, CHAT).rule == "SHP-2"


def test_deep_unknown_members() -> None:
    payload = anthropic.request(HELLO, zz=nested(DEEP))
    (found,) = proxai_ir.check(payload, ANTHROPIC, CHAT)
    assert (found.code, found.path) == ("UNK-1", "/zz")


@pytest.mark.parametrize("data", [b"[" * DEEP, b'{"messages":' * DEEP + b"1" + b"}" * DEEP])
def test_deep_bytes(data: bytes) -> None:
    assert refusal(data).rule == "SHP-6"


def test_a_string_of_100_megabytes() -> None:
    text = "x" * 100_000_000
    made = proxai_ir.convert(chat.request(chat.user(text)), CHAT, ANTHROPIC)
    assert made["messages"][0]["content"] is text
    error = refusal({"model": text, "messages": text})
    assert len(str(error)) < 1000


@pytest.mark.slow
def test_a_million_parts() -> None:
    parts = [chat.text("x") for _ in range(1_000_000)]
    made = proxai_ir.convert(chat.request(chat.user(parts)), CHAT, ANTHROPIC)
    assert len(made["messages"][0]["content"]) == 1_000_000


# --- numbers and text outside JSON ------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1, LONG])
def test_long_integers_in_arguments_text_arrive_exactly(number: int) -> None:
    made = proxai_ir.convert(chat_call(f'{{"n": {number}}}'), CHAT, ANTHROPIC)
    arrived = made["messages"][1]["content"][0]["input"]["n"]
    assert (arrived, type(arrived)) == (number, int)


def test_a_long_integer_in_tool_input_arrives_exactly() -> None:
    made = proxai_ir.convert(anthropic_call({"n": LONG}), ANTHROPIC, CHAT)
    assert made["messages"][1]["tool_calls"][0]["function"]["arguments"] == f'{{"n":{LONG}}}'


def test_a_long_integer_in_tool_input_of_bytes_is_read_as_documented() -> None:
    """Bytes are read by orjson, parsed JSON is up to the caller: see `convert`."""
    data = json.dumps(anthropic_call({"n": LONG})).encode()
    of_bytes = json.loads(proxai_ir.convert(data, ANTHROPIC, CHAT))
    of_parsed = proxai_ir.convert(json.loads(data), ANTHROPIC, CHAT)
    read = [json.loads(made["messages"][1]["tool_calls"][0]["function"]["arguments"]) for made in (of_bytes, of_parsed)]
    assert read == [{"n": float(LONG)}, {"n": LONG}]


def test_a_long_integer_in_arguments_text_of_bytes_arrives() -> None:
    made = json.loads(proxai_ir.convert(json.dumps(chat_call(f'{{"n":{LONG}}}')).encode(), CHAT, ANTHROPIC))
    assert made["messages"][1]["content"][0]["input"] == {"n": LONG}


@pytest.mark.parametrize(
    "text",
    [
        '{"n": NaN}',
        '{"n": -Infinity}',
        '{"n": 1e999}',
        '{"n": NaN, "m": 1234567890123456789}',
        '{"n": 1e999, "m": 1234567890123456789}',
    ],
)
def test_numbers_in_arguments_text_that_json_lacks(text: str) -> None:
    assert refusal(chat_call(text)).rule == "TUL-1"


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_in_tool_input_that_json_lacks(number: float) -> None:
    error = refusal(anthropic_call({"a": [{"n": number}]}), ANTHROPIC, CHAT)
    assert (error.rule, error.path) == ("SHP-7", "/messages/1/content/0/input")


def test_null_in_tool_input_is_not_taken_for_nan() -> None:
    made = proxai_ir.convert(anthropic_call({"n": None, "x": 1.0}), ANTHROPIC, CHAT)
    assert made["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"n":null,"x":1.0}'


def test_half_a_character_in_text_is_passed_on_between_dicts() -> None:
    made = proxai_ir.convert(chat.request(HELLO, chat.user("\ud800")), CHAT, ANTHROPIC)
    assert made["messages"][1]["content"] == "\ud800"


def test_half_a_character_where_text_is_written() -> None:
    assert refusal(anthropic_call({"a": "\ud800"}), ANTHROPIC, CHAT).rule == "SHP-7"
    assert refusal(anthropic_call({"a": "\ud800", "n": LONG}), ANTHROPIC, CHAT).rule == "SHP-7"
    assert refusal(chat_call('{"a": "\\ud800"}')).rule == "TUL-1"
    assert refusal(chat_call('{"a": "\ud800"}')).rule == "TUL-1"


def test_half_a_character_in_a_call_id() -> None:
    made = proxai_ir.convert(chat_call("{}", "\ud800"), CHAT, ANTHROPIC)
    call, result = made["messages"][1]["content"][0], made["messages"][2]["content"][0]
    assert call["id"] == result["tool_use_id"]
    assert call["id"].isascii()


# --- what errors name -------------------------------------------------------------------------------------------------


def test_a_message_names_pointer_expected_found_and_rule() -> None:
    error = refusal(chat.request(HELLO, chat.user(5)))
    assert (error.rule, error.path) == ("SHP-1", "/messages/1/content")
    for part in ("SHP-1", "/messages/1/content", "expected a string or an array of parts", "found an integer, 5"):
        assert part in str(error)


def test_all_refusals_of_a_payload_are_in_the_error() -> None:
    error = refusal(chat.request(HELLO, chat.user(5), {"role": "boss"}, temperature="hot", stop=[1]))
    paths = {one.path for one in error.diagnostics}
    assert paths == {"/messages/1/content", "/messages/2/role", "/temperature", "/stop/0"}
    assert (error.rule, error.path) == (error.diagnostics[0].code, error.diagnostics[0].path)
    assert all(path in str(error) for path in paths)


def test_all_that_a_target_refuses_is_in_the_error() -> None:
    audio = {"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}
    error = refusal(chat.request(HELLO, chat.user([audio, chat.text("Hi"), audio | {"a": 1}]), n=2))
    assert isinstance(error, Unrepresentable)
    expected = {("AUD-1", "/messages/1/content/0"), ("AUD-1", "/messages/1/content/2"), ("CHO-2", "/n")}
    assert {(one.code, one.path) for one in error.diagnostics} == expected


@pytest.mark.parametrize(
    "error",
    [refusal(5), refusal(chat.request(HELLO, n=2)), refusal(chat.request(HELLO, chat.user("x" * 5), n="\ud800"))],
)
def test_errors_are_picklable(error: TranslationError) -> None:
    for twin in (pickle.loads(pickle.dumps(error)), copy(error)):
        assert type(twin) is type(error)
        for name in ("rule", "path", "diagnostics"):
            assert getattr(twin, name) == getattr(error, name)
        assert str(twin) == str(error)


@pytest.mark.parametrize("payload", [[], 5, None, True])
def test_a_payload_that_is_no_object(payload: Any) -> None:
    error = refusal(payload, kind="request")
    assert isinstance(error, InvalidPayload)
    assert (error.rule, error.path) == ("SHP-1", "")
    assert refusal(payload).rule == ("STR-2" if payload == [] else "SHP-1")


@pytest.mark.parametrize("payload", ["x", object(), {1}, dict])
def test_what_is_no_payload_at_all_is_a_mistake_of_the_caller(payload: Any) -> None:
    for kind in (None, "request", "stream"):
        with pytest.raises(TypeError, match="the payload is a"):
            proxai_ir.convert(payload, CHAT, ANTHROPIC, kind=kind)


@pytest.mark.parametrize(
    "data", [b"", b" ", b"{", b"{'a': 1}", b'{"a": NaN}', b"\xff\xfe", b'{"model": "\xff"}', b"\xef\xbb\xbf{"]
)
def test_bytes_that_are_not_json(data: bytes) -> None:
    error = refusal(data)
    assert isinstance(error, InvalidPayload)
    assert (error.rule, error.path) == ("SHP-6", "")


@pytest.mark.parametrize(("src", "dst"), [("nope", CHAT), (CHAT, "nope"), ("nope", "nope"), (CHAT, "../x"), ("", CHAT)])
def test_an_unknown_protocol_lists_the_known_ones(src: str, dst: str) -> None:
    """A mistake of the caller's, which never blames the payload (SHP-9 is about conversions that do not exist)."""
    for call in (proxai_ir.convert, proxai_ir.compile, proxai_ir.check):
        with pytest.raises(proxai_ir.UnknownProtocol) as caught:
            call(chat.request(HELLO), src, dst)
        assert isinstance(caught.value, LookupError) and not isinstance(caught.value, TranslationError)
        assert all(protocol in str(caught.value) for protocol in PROTOCOLS)


def test_an_unknown_kind() -> None:
    with pytest.raises(proxai_ir.UnknownProtocol, match="'poem'; expected one of request, response"):
        proxai_ir.convert(chat.request(HELLO), CHAT, ANTHROPIC, kind="poem")  # type: ignore[call-overload]


def test_an_ambiguous_payload_is_not_guessed() -> None:
    error = refusal({"messages": [HELLO], "choices": []})
    assert error.rule == "SHP-8"
    assert "more than one kind: request, response" in str(error)


def test_two_calls_of_one_turn_with_one_id() -> None:
    payload = chat_call("{}")
    payload["messages"][1]["tool_calls"] *= 2
    assert "TUL-16" in {one.code for one in refusal(payload).diagnostics}
    twice = chat_call("{}")
    twice["messages"] += twice["messages"][1:]
    assert len(proxai_ir.convert(twice, CHAT, ANTHROPIC)["messages"]) == 5  # one id in two exchanges is no conflict


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_error_body_of_unknown_shape_comes_back_unchanged(protocol: str) -> None:
    body = {"detail": [{"loc": ["body", 2**70], "msg": "no"}], "error": {"message": 1}}
    assert proxai_ir.convert(body, protocol, protocol, kind="error") == body
    assert proxai_ir.raise_to(proxai_ir.lower(body, protocol, kind="error"), protocol) == body


@pytest.mark.parametrize("choices", [5, "x", {"a": 1}, [5], [{"finish_reason": "stop", "index": "x", "delta": 5}]])
@pytest.mark.parametrize("dst", [CHAT, "openai_responses", ANTHROPIC])
def test_choices_of_a_chunk_that_are_none(choices: Any, dst: str) -> None:
    converter = proxai_ir.StreamConverter(CHAT, dst)
    converter.feed(chat.chunk({"role": "assistant", "content": "Hi"}))
    with pytest.raises(proxai_ir.InvalidPayload, match="SHP-1"):
        converter.feed({"id": "c", "choices": choices})


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("value", [10**5000, math.nan], ids=["long", "nan"])
def test_a_number_that_cannot_be_written_in_any_place(protocol: str, value: float) -> None:
    """Python writes no integer of more than 4,300 digits, which a caller's object may have but no JSON text.

    Each place goes to one of the other protocols, in turn, as the readers are what most of this is about.
    """
    targets = cycle(others(protocol))
    for sample in samples("request", "response", "error"):
        if sample.protocol == protocol:
            payload = sample.make()
            for path, _ in leaves(payload):
                converts_or_is_refused(Case(protocol, sample.kind, replaced(payload, path, value)), [next(targets)])
