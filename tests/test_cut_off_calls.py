"""Calls that the end of a response came within (TUL-1, TUL-29, TUL-44, TUL-45, STS-10).

The table is written by hand from the rules, and holds for whole responses and for streams, towards every target.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import StreamConverter, TranslationError
from proxai_ir.testing.payloads import canonical

from .cases import each
from .endings import (
    ANTHROPIC,
    BROKEN,
    CHAT,
    EMPTY,
    GEMINI,
    RESPONSES,
    SOURCES,
    TARGETS,
    WHOLE,
    WORDS,
    Json,
    called,
    called_in_stream,
    chat_stream,
    chat_whole,
    claude_stream,
    codes,
    ended,
    ended_stream,
)

OBJECTS = (ANTHROPIC, GEMINI)  # targets whose calls have objects as arguments


def expected(src: str, dst: str, ending: str, arguments: str) -> tuple[str, str, str | None]:
    """How the response ends, the text of the call's arguments ("-": there is no call), and the rule that is reported.

    The ending is "refused" where the conversion is, under this rule.
    """
    text = dst not in OBJECTS
    if ending == "none" and src == CHAT and arguments != WHOLE:
        return "refused", "-", "TUL-45 STR-2"
    if arguments == WHOLE:
        return ("calls" if ending in ("stop", "calls", "none") else ending), WHOLE, None
    if ending in ("length", "filter"):
        return ending, (arguments if text else "-"), (None if text else "TUL-29")
    if arguments == EMPTY:
        return "calls", "{}", (None if src == ANTHROPIC else "TUL-44")
    return ("calls", arguments, None) if text else ("refused", "-", "TUL-1")


CASES = [
    (src, ending, arguments, dst)
    for src, (_, _, endings) in SOURCES.items()
    for ending in endings
    for arguments in (EMPTY, BROKEN, WHOLE)
    for dst in TARGETS
    if dst != src
]
CALL_RULES = {"TUL-1", "TUL-29", "TUL-44", "TUL-45"}


@each(("src", "ending", "arguments", "dst"), CASES)
def test_a_call_at_the_end_of_a_whole_response(src: str, ending: str, arguments: str, dst: str) -> None:
    payload = SOURCES[src][0](arguments, ending)
    if payload is None:  # the source has objects only
        return
    word, text, rule = expected(src, dst, ending, arguments)
    if word == "refused":
        with pytest.raises(TranslationError) as caught:
            proxai_ir.convert(payload, src, dst)
        assert caught.value.rule in (rule or "").split()
        return
    made = proxai_ir.compile(payload, src, dst)
    assert ended(dst, made.output) == WORDS[word][dst]
    given = [] if text == "-" else [json.loads(text) if dst in OBJECTS else text]
    assert called(dst, made.output) == given
    assert codes(made.diagnostics) & CALL_RULES == ({rule} if rule else set())


@each(("src", "ending", "arguments", "dst"), CASES)
def test_a_call_at_the_end_of_a_stream(src: str, ending: str, arguments: str, dst: str) -> None:
    word, text, rule = expected(src, dst, ending, arguments)
    converter = StreamConverter(src, dst, keep_response=True)
    out: list[Json] = []
    try:
        for event in SOURCES[src][1](arguments, ending):
            out += converter.feed(event)
        out += converter.close()
    except TranslationError as error:
        assert word == "refused"
        assert error.rule in (rule or "").split()
        assert ended_stream(dst, out + converter.close(error_event=True)) == "error"
        return
    assert ended_stream(dst, out) == WORDS[word][dst]
    sent = called_in_stream(dst, out)
    if text == "-":  # it has been sent as far as it came, where calls are not sent as a whole
        assert sent == ([arguments] if dst == ANTHROPIC else [])
    else:
        assert [json.loads(one or "{}") if dst in OBJECTS else one for one in sent] == [
            json.loads(text) if dst in OBJECTS else text
        ]
    assert codes(converter.diagnostics) & CALL_RULES == ({rule} if rule else set())
    if rule != "TUL-29":
        response: Any = converter.response
        assert response == proxai_ir.convert(response, dst, dst)
        assert called(dst, response) == ([json.loads(text) if dst in OBJECTS else text])


@pytest.mark.parametrize("dst", [ANTHROPIC, GEMINI, RESPONSES])
def test_a_call_without_arguments_that_others_follow_is_whole(dst: str) -> None:
    payload = chat_whole("", "length")
    calls = payload["choices"][0]["message"]["tool_calls"]
    calls.append({**calls[0], "id": "call_2", "function": {"name": "g", "arguments": '{"b":2}'}})
    assert [json.loads(one) if isinstance(one, str) else one for one in called(dst, convert(payload, dst))] == [
        {},
        {"b": 2},
    ]
    begun, *_, finish, done = chat_stream("", "length")
    later = {"index": 1, "id": "call_2", "type": "function", "function": {"name": "g", "arguments": '{"b":2}'}}
    second = {**begun, "choices": [{"index": 0, "delta": {"tool_calls": [later]}, "finish_reason": None}]}
    sent = called_in_stream(dst, proxai_ir.convert([begun, second, finish, done], CHAT, dst))
    assert [json.loads(one or "{}") for one in sent] == [{}, {"b": 2}]


def convert(payload: Json, dst: str) -> Json:
    return proxai_ir.convert(payload, CHAT, dst)


@pytest.mark.parametrize("dst", [ANTHROPIC, GEMINI, RESPONSES])
def test_reasoning_alone_and_no_reason_is_truncation(dst: str) -> None:
    chunk = chat_stream("", None)[0]
    chunk["choices"][0]["delta"] = {"role": "assistant", "reasoning_content": "Hm."}
    with pytest.raises(proxai_ir.StreamError, match="STR-2"):
        proxai_ir.convert([chunk, "[DONE]"], CHAT, dst)
    text = {**chunk, "choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": None}]}
    made = proxai_ir.compile([chunk, text, "[DONE]"], CHAT, dst)
    assert ended_stream(dst, made.output) == WORDS["stop"][dst]
    assert "STS-10" in codes(made.diagnostics)


@pytest.mark.parametrize("dst", [CHAT, GEMINI, RESPONSES])
@pytest.mark.parametrize("ending", [{"stop_reason": None}, {}, None])
def test_a_message_without_a_stop_reason_is_whole_at_its_end(ending: Json, dst: str) -> None:
    events = claude_stream(WHOLE, None)
    events[-2:-1] = [] if ending is None else [{**events[-2], "delta": ending}]
    made = proxai_ir.compile(events, ANTHROPIC, dst)
    assert ended_stream(dst, made.output) == WORDS["calls"][dst]
    assert [one.severity for one in made.diagnostics if one.code == "STS-10"] == ["info"]
    assert proxai_ir.convert(events, ANTHROPIC, ANTHROPIC) == events
    again = proxai_ir.raise_to(proxai_ir.lower(events, ANTHROPIC, kind="stream"), ANTHROPIC)
    assert canonical(again) == canonical(events)
