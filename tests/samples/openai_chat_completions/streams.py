"""Chat Completions streams: between them every kind of delta, illegal orders, and streams that go on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from ..sample import Events, Json, Streams
from .building import DONE, calls, chunk, fragment, stream, usage_chunk


def _talk() -> Events:
    """Reasoning, text, interleaved calls, running usage, padding, usage at the end."""
    events = stream(
        {"reasoning_content": "Two calls."},
        {"content": "Rain"},
        {"content": " 👋🏽."},
        calls(fragment(0, "", "call_1", "sky"), fragment(1, '{"zone":', "call_2", "now")),
        calls(fragment(1, '"CET"}'), fragment(0, '{"city":"Oslo"}')),
        {"tool_calls": [{"index": 2, "id": "call_3", "type": "function", "function": {"name": "noop"}}]},
        finish="tool_calls",
    )
    events[1] |= {"obfuscation": "x1", "trace": {"deep": [1]}, "usage": {"prompt_tokens": 9, "completion_tokens": 1}}
    events[-2]["usage"] |= {
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    return events


def _dialects() -> Events:
    """Parts of content, an annotation, a repeated role and finish reason, a chunk of no choice, `reasoning`."""
    piece = {"type": "text", "text": "It says: Rain."}
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    cited = {"url": "https://example.org/", "title": "T", "start_index": 9, "end_index": 14}
    events = stream(
        {"role": "assistant", "reasoning": "Hm."},
        {"content": [thought, piece]},
        {"content": "It says: Rain.", "annotations": [{"type": "url_citation", "url_citation": cited}]},
        usage=False,
        done=False,
    )
    return [*events, chunk({"content": ""}, "stop"), chunk(moderation={"flagged": False}), usage_chunk()]


def _own() -> Events:
    """What only Chat Completions can express: a custom call, log probabilities, a spoken response."""
    scored = {"token": "Hi", "logprob": -0.1, "bytes": [72, 105], "top_logprobs": []}
    custom = {"index": 0, "id": "call_1", "type": "custom", "custom": {"name": "shell", "input": "l"}}
    events = stream(
        {"content": "Hi"},
        {"tool_calls": [custom]},
        {"tool_calls": [{"index": 0, "custom": {"input": "s"}}]},
        {"audio": {"id": "audio_1", "data": "aGk=", "transcript": "Hi"}},
        {"audio": {"data": "aGk=", "transcript": " you", "expires_at": 1700000100}},
        finish="tool_calls",
    )
    events[1]["choices"][0]["logprobs"] = {"content": [scored], "refusal": None}
    return events


LEGACY = ({"name": "sky", "arguments": ""}, {"arguments": '{"city":'}, {"arguments": '"Oslo"}'})
FAILURE = {"message": "Slow down.", "type": "rate_limit_error", "param": None, "code": 429}

STREAMS: Streams = {
    "talk": _talk(),
    "own dialects": _dialects(),
    "refusal": stream({"refusal": "I must"}, {"refusal": " not."}),
    "legacy function": stream(*({"function_call": one} for one in LEGACY), finish="function_call"),
    "own": _own(),
    "failure": [*stream({"content": "It"})[:2], {"error": FAILURE}],
}

# --- illegal ----------------------------------------------------------------------------------------------------------

HI = chunk({"content": "Hi"})
ENDED = chunk({"content": "Hi"}, "stop")
OPEN_CALL = chunk(calls(fragment(0, "{", "call_1", "sky")))

ILLEGAL: dict[str, tuple[Events, str]] = {
    "another response": (
        [chunk({"role": "assistant"}), HI, chunk({"role": "assistant", "content": "Hi"}, id="chatcmpl-2")],
        "/2/id",
    ),
    "another name of a call": (
        [OPEN_CALL, chunk(calls({"index": 0, "function": {"name": "now", "arguments": "}"}}))],
        "/1/choices/0/delta/tool_calls/0/function/name",
    ),
    "more of arguments that were complete": (
        [chunk(calls(fragment(0, "{}", "call_1", "sky"))), HI, chunk(calls(fragment(0, "{}")))],
        "/2/choices/0/delta/tool_calls/0/function/arguments",
    ),
    "usage after the end": ([ENDED, DONE, usage_chunk()], "/2/usage"),
    "content after the end": ([ENDED, DONE, chunk({"content": "!"})], "/2"),
}

# --- that go on -------------------------------------------------------------------------------------------------------

ROLE = chunk({"role": "assistant", "content": ""})


def _repeating(*chunks: Json) -> Iterator[Any]:
    yield ROLE
    while True:
        yield from chunks


def _dialect() -> Iterator[Any]:
    """Members that come with every chunk and are reported once."""
    yield ROLE
    delta = {"role": "assistant", "content": "word ", "trace": {"n": 1}, "refusal": ""}
    usage = {"prompt_tokens": 1, "completion_tokens": 1}
    for number in count():
        yield chunk(delta, usage=usage, obfuscation="x", provider="p", number=number)


ENDLESS = {
    "text": lambda: _repeating(chunk({"content": "word "})),
    "reasoning": lambda: _repeating(chunk({"reasoning_content": "hm "})),
    "dialect": _dialect,
    "empty deltas": lambda: _repeating(chunk({"content": ""}), chunk({})),
}


def _calls_and_texts(parts: int) -> Events:
    pairs = [
        (calls(fragment(number, "{}", f"call_{number}", "sky")), {"content": "word"}) for number in range(parts // 2)
    ]
    return stream(*(delta for pair in pairs for delta in pair), finish="tool_calls")


def _open_call(parts: int) -> Events:
    """A call that stays open, while text and reasoning alternate."""
    opened = calls(fragment(0, '{"a":"' + "x" * 100 * parts, "call_0", "sky"))
    deltas = [{"content": "word"}, {"reasoning_content": "hm"}] * (parts // 2)
    return stream(opened, *deltas, calls(fragment(0, '"}')), finish="tool_calls")


GROWING = {
    "calls and texts": _calls_and_texts,
    "an open call": _open_call,
    "blanks": lambda parts: stream(*[{"content": " "}] * (10 * parts), {"content": "word"}),
}
