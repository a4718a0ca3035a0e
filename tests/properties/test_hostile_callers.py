"""Hostile input and its caller: options that are none, errors that keep no payload, depth and cycles everywhere."""

from __future__ import annotations

import asyncio
import copy
import gc
import pickle
import weakref
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import pytest

import proxai_ir
from proxai_ir import StreamConverter, TranslationError, sse
from proxai_ir.testing.pointers import nested, places, replaced

from ..cases import each, in_turn
from ..samples import PROTOCOLS, samples
from ..samples.openai_chat_completions import building as chat
from ..samples.sample import Json

CHAT, ANTHROPIC = "openai_chat_completions", "anthropic_messages"
HELLO = chat.user("Hi")


# --- options and names ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [5, None, True, b"x", [], {}, ("a",), float("nan")])
def test_protocol_names_that_are_no_strings(name: Any) -> None:
    response = chat.response(content="Hi")
    calls: list[Callable[[], Any]] = [
        lambda: proxai_ir.convert(response, name, ANTHROPIC),
        lambda: proxai_ir.convert(response, CHAT, name),
        lambda: proxai_ir.lower(response, name),
        lambda: proxai_ir.raise_to(proxai_ir.lower(response, CHAT), name),
        lambda: StreamConverter(name, CHAT),
        lambda: StreamConverter(CHAT, name),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="expected the name of a protocol or a Profile, found a"):
            call()


@each("value", [10**5000, [[]], {}, b"x"], ids=["long", "list", "object", "bytes"])
@each("name", ["strict", "model", "status", "max_tokens", "emulate", "state", "accept", "usage"])
def test_values_of_options_are_never_written_whole(name: str, value: Any) -> None:
    dst = CHAT if name == "usage" else ANTHROPIC
    src = ANTHROPIC if name == "usage" else CHAT
    options = {name: value}
    if (name, value) == ("state", {}) or (name == "max_tokens" and type(value) is int) or name == "usage":
        return
    if name == "status" and type(value) is int:
        return
    with pytest.raises(TypeError, match=f"option '{name}' .*expected") as caught:
        proxai_ir.convert({"messages": [HELLO]}, src, dst, **options)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("node", [5, {}, None, "x", []])
def test_what_is_no_tree_is_the_callers_mistake(node: Any) -> None:
    with pytest.raises(TypeError, match="expected a Request, Response, Error or Stream"):
        proxai_ir.raise_to(node, CHAT)


# --- memory and copies ------------------------------------------------------------------------------------------------


class Payload(dict[str, Any]):
    """An object that can be watched."""


REFUSED: list[Json] = [
    {"temperature": "hot"},
    {"messages": [chat.user(5)]},
    {"messages": [HELLO, {"role": "boss"}]},
    {"tools": [5]},
    {"n": 2},
    {"messages": [HELLO, chat.assistant(tool_calls=[chat.call("f", "[", "c")])]},
]


@pytest.mark.parametrize("changes", REFUSED)
def test_a_refused_payload_is_free_at_once(changes: Json) -> None:
    def convert(payload: Json) -> TranslationError:
        with pytest.raises(TranslationError) as caught:
            proxai_ir.convert(payload, CHAT, ANTHROPIC)
        error = caught.value
        del caught
        return error.with_traceback(None)

    proxai_ir.check(chat.request(HELLO), CHAT, ANTHROPIC)
    gc.collect()
    gc.disable()
    try:
        payload = Payload(chat.request(HELLO) | changes)
        watched = weakref.ref(payload)
        error = convert(payload)
        del payload
        assert error.diagnostics
        assert watched() is None  # although the error is kept, with its context
    finally:
        gc.enable()


def test_bytes_that_are_no_json_are_not_kept_by_the_error() -> None:
    with pytest.raises(TranslationError) as caught:
        proxai_ir.convert(b"{" + b" " * 1000, CHAT, ANTHROPIC)
    assert caught.value.__context__ is None
    decoder = sse.Decoder()
    with pytest.raises(TranslationError) as caught:
        decoder.feed(b"data: {" + b" " * 1000 + b"\n\n")
    assert caught.value.__context__ is None


@pytest.mark.parametrize("make", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_converter_cannot_be_in_two_places(make: Callable[[Any], Any]) -> None:
    converter = StreamConverter(CHAT, ANTHROPIC)
    converter.feed(chat.chunk({"role": "assistant", "content": "Hi"}))
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        make(converter)


@pytest.mark.parametrize("fault", [False, True], ids=["the reader stops", "an event is wrong"])
def test_the_upstream_generator_is_closed_at_once(fault: bool) -> None:
    closed: list[str] = []

    async def upstream() -> AsyncIterator[Any]:
        try:
            yield chat.chunk({"role": "assistant", "content": "Hi"})
            yield 5 if fault else chat.chunk({"content": "Hi"})
        finally:
            closed.append("closed")

    async def run() -> list[str]:
        stream = proxai_ir.aconvert_stream(upstream(), CHAT, ANTHROPIC)
        try:
            async for _ in stream:
                if not fault:
                    break
        except TranslationError:
            return [*closed]
        await stream.aclose()  # type: ignore[attr-defined]
        return [*closed]

    assert asyncio.run(run()) == ["closed"]


@pytest.mark.parametrize("value", [1e308, 5, "x", [1], {"a": 1}])
def test_a_schema_with_a_member_without_a_name(value: Any) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False, "": value}
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    assert proxai_ir.check(chat.request(HELLO, response_format=form), CHAT, ANTHROPIC)


@pytest.mark.parametrize("value", [nested(3000), object()], ids=["deep", "no JSON"])
@pytest.mark.parametrize("emulate", [(), "auto"], ids=["as they are", "as functions"])
def test_calls_of_the_clients_tools_that_cannot_be_written(value: Any, emulate: Any) -> None:
    items: list[Json] = [
        {"type": "shell_call", "call_id": "c", "action": {"commands": [value]}},
        {"type": "shell_call_output", "call_id": "c", "output": [value]},
        {"type": "tool_search_call", "call_id": "d", "execution": "client", "arguments": {"a": value}},
        {"type": "tool_search_output", "call_id": "d", "execution": "client", "tools": [{"name": value}]},
    ]
    for number in range(len(items)):
        asked = {"model": "m", "input": [{"role": "user", "content": "Hi"}, *items[number // 2 * 2 : number + 1]]}
        for dst in PROTOCOLS:
            assert proxai_ir.check(asked, "openai_responses", dst, emulate=emulate) is not None


# --- depth and cycles at every place ----------------------------------------------------------------------------------


def loop() -> Json:
    """An object that holds itself, in places that readers look into."""
    made: Json = {"type": "text", "text": "x"}
    made["content"] = made["properties"] = [made]
    made["a"] = made
    return made


EVERYWHERE = {"a cycle": loop(), "deep": nested(985), "very deep": nested(3000, [], "content")}


@pytest.mark.parametrize("step", [23, pytest.param(1, marks=pytest.mark.slow)], ids=["some places", "all places"])
@pytest.mark.parametrize("name", EVERYWHERE)
def test_depth_and_cycles_at_every_place_are_no_crash(name: str, step: int) -> None:
    for sample in samples("request", "response", "error", dense=True):
        payload = sample.make()
        for path, dst in in_turn([*places(payload)][::step], PROTOCOLS, 3):
            spoilt = replaced(payload, path, EVERYWHERE[name])
            assert proxai_ir.check(spoilt, sample.protocol, dst, kind=sample.kind) is not None


def test_a_response_without_an_id_that_holds_itself_gets_one() -> None:
    """Its digest is that of a copy with sorted members."""
    call = {"toolUse": {"toolUseId": "t1", "name": "f", "input": loop()}}
    response = {"output": {"message": {"role": "assistant", "content": [call]}}, "stopReason": "tool_use", "usage": {}}
    assert proxai_ir.check(response, "bedrock_converse", "anthropic_messages", kind="response") is not None


# --- the caller's stack -----------------------------------------------------------------------------------------------


def room() -> int:
    """How many frames are left."""
    try:
        return 1 + room()
    except RecursionError:
        return 0


def deep_in_the_stack(left: int, call: Callable[[], Any]) -> Any:
    """The call, made where so many frames are left."""

    def down(frames: int) -> Any:
        return call() if frames <= left else down(frames - 1)

    return down(room())


LEFT = [*range(6, 40), *range(40, 200, 9)]
"""From too few for any conversion to enough for most; with fewer than these not even an error can be made."""


def outcome(call: Callable[[], Any], left: int) -> str:
    try:
        deep_in_the_stack(left, call)
    except TranslationError as error:
        return error.rule
    return "converted"


@pytest.mark.parametrize("shape", [nested(3), nested(985)], ids=["shallow", "deep"])
@pytest.mark.parametrize("dst", PROTOCOLS)
def test_a_caller_deep_in_the_stack(dst: str, shape: Json) -> None:
    parameters = {"type": "object", "properties": {"a": {"const": shape}}}
    tool = {"type": "function", "function": {"name": "f", "parameters": parameters}}
    payload = {"model": "m", "messages": [HELLO], "tools": [tool], "extra": shape}
    calls: dict[str, Callable[[], Any]] = {
        "convert": lambda: proxai_ir.convert(payload, CHAT, dst, kind="request"),
        "compile": lambda: proxai_ir.compile(payload, CHAT, dst, kind="request").diagnostics,
        "lower": lambda: proxai_ir.lower(payload, CHAT, kind="request"),
        "raise_to": lambda: proxai_ir.raise_to(proxai_ir.lower(payload, CHAT, kind="request"), dst),
    }
    for name, call in calls.items():
        found = [outcome(call, left) for left in LEFT]
        assert set(found) <= {"converted", "SHP-7"}, name
        assert found[0] == "SHP-7", name
    for left in LEFT:
        found = deep_in_the_stack(left, lambda: proxai_ir.check(payload, CHAT, dst, kind="request"))
        assert {one.code for one in found if one.severity == "error"} <= {"SHP-7"}


@pytest.mark.parametrize("dst", PROTOCOLS)
def test_a_stream_whose_caller_is_deep_in_the_stack(dst: str) -> None:
    events = [
        chat.chunk({"role": "assistant", "content": "Hi"}),
        chat.chunk({**chat.calls(chat.fragment(0, '{"a":1}', "c", "f"))}),
        chat.chunk({}, "tool_calls"),
        "[DONE]",
    ]
    for left in LEFT:
        converter = StreamConverter(CHAT, dst)
        try:
            for event in events:
                deep_in_the_stack(left, partial(converter.feed, event))
        except TranslationError as error:
            assert error.rule == "SHP-7"
            assert converter.error is error
            assert converter.close(error_event=True)
        assert outcome(lambda: proxai_ir.convert(events, CHAT, dst), left) in ("converted", "SHP-7")
