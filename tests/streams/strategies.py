"""Generated streams: legal ones of both protocols, what may be done to their order, and how bytes may be cut.

A legal stream has what servers send: text of every sort, thinking and its signature, calls one after the other and in
turns, refusals, usage or none, empty deltas, keep-alives, padding, members and events that nobody knows.
"""

from __future__ import annotations

import json
from copy import deepcopy
from itertools import groupby
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from ..properties.samples import RESPONSES
from . import items, wire
from .wire import ANTHROPIC, CHAT, DONE, Events, Object

Strategy = st.SearchStrategy[Any]

CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
PHASES = (Phase.explicit, Phase.generate, Phase.shrink)
SHARED = settings(deadline=None, database=None, suppress_health_check=CHECKS, phases=PHASES)
QUICK = settings(SHARED, max_examples=100, derandomize=True)
THOROUGH = settings(SHARED, max_examples=1000)

# --- words ------------------------------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    ["Hello", " world", "é", "👋🏽", "\u2028", "line\nbreak", '{"a": 1}', "\\", "[DONE]", "data: x"]
)
PIECES = st.lists(st.one_of(WORDS, WORDS, st.just("")), max_size=4)
BLANKS = st.lists(st.sampled_from([" ", "\n", ""]), max_size=2)
NAMES = st.sampled_from(["weather", "clock", "a-b_c"])
IDENTITIES = st.sampled_from(["call_", "call_", "call./"])  # the last is rewritten for anthropic (TUL-13)
ARGUMENTS = st.dictionaries(
    st.sampled_from(["city", "n", "é", "a/b"]),
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | WORDS | st.lists(WORDS, max_size=2),
    max_size=3,
)
UNKNOWN: Strategy = st.sampled_from([{"x-extra": 1}, {"new_field": {"deep": [1, "two"]}}, {"trace": None}])


@st.composite
def cut(draw: st.DrawFn, text: str) -> list[str]:
    """A text in pieces, of which some may be empty."""
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
    return [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]


@st.composite
def argued(draw: st.DrawFn) -> list[str]:
    """The fragments of a call's arguments; none at all is a call without any."""
    given = draw(ARGUMENTS)
    if not given and draw(st.booleans()):
        return draw(st.sampled_from([[], [""], ["", ""]]))
    spaced = draw(st.booleans())
    text = json.dumps(given, ensure_ascii=draw(st.booleans()), separators=None if spaced else (",", ":"))
    return draw(cut(text))


def rarely(draw: st.DrawFn, event: Object) -> Object:
    """Now and then with a member that no official type knows."""
    return {**event, **draw(UNKNOWN)} if draw(st.integers(0, 9)) == 0 else event


@st.composite
def merged(draw: st.DrawFn, lanes: list[list[Any]]) -> list[Any]:
    """All items of all lanes, each lane in its order; the first items in the order of the lanes."""
    lanes = [list(lane) for lane in lanes if lane]
    begun, out = 0, []
    while lanes:
        index = draw(st.integers(0, min(begun, len(lanes) - 1)))
        if index == begun:
            begun += 1
        out.append(lanes[index].pop(0))
        if not lanes[index]:
            del lanes[index]
            begun -= 1
    return out


# --- Anthropic Messages -----------------------------------------------------------------------------------------------

COUNTS = st.sampled_from([0, 1, 7, 1000])
FIRST_USAGE = st.none() | st.fixed_dictionaries(
    {"input_tokens": COUNTS, "output_tokens": COUNTS},
    optional={"cache_read_input_tokens": COUNTS, "cache_creation_input_tokens": COUNTS},
)
LAST_USAGE = st.none() | st.fixed_dictionaries({"output_tokens": COUNTS}, optional={"input_tokens": COUNTS})
CITED = {
    "type": "web_search_result_location",
    "url": "https://example.org/",
    "title": "T",
    "cited_text": "x",
    "encrypted_index": "E1",
}
CITATIONS = st.sampled_from([CITED, {"type": "char_location", "cited_text": "x", "document_index": 0}])
PAGE = {"type": "web_search_result", "url": "https://example.org/", "title": "T", "encrypted_content": "eA=="}
HOSTED = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [PAGE]}
ENDINGS = st.sampled_from(
    [
        wire.message_delta("end_turn"),
        wire.message_delta("max_tokens"),
        wire.message_delta("pause_turn"),
        wire.message_delta("stop_sequence", stop_sequence="END"),
        wire.message_delta("refusal"),
        wire.message_delta("refusal", stop_details={"type": "refusal", "category": "cyber", "explanation": "Policy."}),
    ]
)


@st.composite
def blocks(draw: st.DrawFn, identity: str) -> list[Object]:
    """One block of some kind; `identity` is the call's, if it is one."""
    kind = draw(
        st.sampled_from(["text", "text", "cited", "thinking", "redacted", "call", "call", "hosted", "mcp", "unknown"])
    )
    if kind == "text":
        return wire.text(*draw(PIECES))
    if kind == "cited":
        start, *rest = wire.text(*draw(PIECES), "said")
        event = {"type": "content_block_delta", "delta": {"type": "citations_delta", "citation": draw(CITATIONS)}}
        return [start, event, *rest]
    if kind == "thinking":
        return wire.thinking(*draw(PIECES), signature=draw(st.sampled_from([None, "EqQB"])))
    if kind == "redacted":
        return wire.block({"type": "redacted_thinking", "data": "eA=="})
    if kind == "hosted":
        identity = identity.replace("toolu", "srv")
        given = draw(st.sampled_from([('{"query":', '"q"}'), ('{"query":"q","beam":3}',), ("{}",), ()]))
        asked = wire.call(identity, "web_search", *given, kind="server_tool_use")
        found = draw(st.sampled_from(["srv_0", "srv_1", "srv_2"]))
        code = wire.call(identity, "code_execution", '{"code":"1"}', kind="server_tool_use")
        return draw(st.sampled_from([asked, asked, code, wire.block({**HOSTED, "tool_use_id": found})]))
    if kind == "mcp":
        asked = wire.call(identity, "n", *draw(argued()), kind="mcp_tool_use", server_name="s")
        gave: Object = draw(st.sampled_from([{"content": "x"}, {"content": "", "is_error": True}]))
        of = draw(st.sampled_from(["toolu_0", "toolu_1", "toolu_2"]))
        return draw(st.sampled_from([asked, asked, wire.block({"type": "mcp_tool_result", "tool_use_id": of, **gave})]))
    if kind == "unknown":
        return wire.block({"type": "hologram", "beam": 3}, {"type": "hologram_delta", "beam": 4})
    return wire.call(identity, draw(NAMES), *draw(argued()))


@st.composite
def anthropic(draw: st.DrawFn) -> Events:
    """Blocks one after the other; calls in turns too, which the indexes allow, though no server is known to do it."""
    more: Object = draw(st.sampled_from([{}, {}, {"container": None}, {"x": 1}]))
    start = wire.message_start(draw(FIRST_USAGE), **more)
    given = [draw(blocks(f"toolu_{index}")) for index in range(draw(st.integers(0, 4)))]
    lanes = [wire.numbered(index, events) for index, events in enumerate(given)]
    inner: list[Object] = []
    for is_call, neighbours in groupby(lanes, lambda lane: lane[0]["content_block"]["type"] == "tool_use"):
        run = list(neighbours)
        inner += draw(merged(run)) if is_call and draw(st.booleans()) else [event for lane in run for event in lane]
    called = any(event.get("content_block", {}).get("type") == "tool_use" for event in inner)
    ending = wire.message_delta("tool_use") if called and draw(st.integers(0, 3)) else draw(ENDINGS)
    usage = draw(LAST_USAGE)
    if usage is not None:
        ending = {**ending, "usage": usage}
    events = [rarely(draw, event) for event in (start, *inner, ending, wire.MESSAGE_STOP)]
    for extra in draw(st.lists(st.sampled_from([wire.PING, {"type": "telemetry", "n": 1}]), max_size=2)):
        events.insert(draw(st.integers(1, len(events) - 1)), extra)
    return deepcopy(events)


# --- Chat Completions -------------------------------------------------------------------------------------------------

REASONING = st.sampled_from([("reasoning_content",), ("reasoning",), ("reasoning", "reasoning_content")])


@st.composite
def called(draw: st.DrawFn, first: int) -> list[Object]:
    """Deltas of one to three calls, whose fragments come in any turns, alone or several in one delta."""
    lanes = []
    for index in range(first, first + draw(st.integers(1, 3))):
        opening, *more = draw(argued()) or [""]
        lanes.append(
            [
                wire.fragment(index, opening, draw(IDENTITIES) + str(index), draw(NAMES)),
                *(wire.fragment(index, piece) for piece in more),
            ]
        )
    fragments = draw(merged(lanes))
    deltas = []
    while fragments:
        size = draw(st.integers(1, 3))
        deltas.append(wire.calls(*fragments[:size]))
        fragments = fragments[size:]
    return deltas


@st.composite
def deltas(draw: st.DrawFn) -> list[Object]:
    """What a choice says, part by part."""
    spelled, found, calls = draw(REASONING), [], 0
    kinds = draw(
        st.lists(st.sampled_from(["content", "content", "reasoning", "calls", "calls", "nothing"]), max_size=4)
    )
    if not kinds or draw(st.integers(0, 5)) == 0:  # last, as a whole answer does not say what was said before it
        kinds.append("refusal")
    for kind in kinds:
        if kind == "calls":
            found += draw(called(calls))
            calls = 1 + max(piece["index"] for delta in found for piece in delta.get("tool_calls", ()))
        elif kind == "nothing":
            found.append(draw(st.sampled_from([{}, {"content": ""}, {"content": None}, {"role": "assistant"}])))
        else:
            members = spelled if kind == "reasoning" else (kind,)
            pieces = draw(PIECES)
            if kind == "refusal":  # a whole answer whose content repeats the refusal's wording says it once (REF-11)
                pieces = ["No. ", *pieces]
            found += [dict.fromkeys(members, piece) for piece in pieces]
    return found


@st.composite
def chat(draw: st.DrawFn) -> Events:
    said = draw(deltas())
    called = any("tool_calls" in delta for delta in said)
    finish = draw(st.sampled_from(["tool_calls"] * 3 + ["stop", "length"] if called else ["stop"] * 3 + ["length"]))
    if not called and draw(st.integers(0, 9)) == 0:
        finish = "content_filter"
    first: Object = draw(
        st.sampled_from([{"role": "assistant", "content": ""}, {"role": "assistant", "content": None}])
    )
    more: Object = draw(st.sampled_from([{}, {}, {"obfuscation": "x1"}, {"usage": None}, {"service_tier": "default"}]))
    running = {**more, **draw(st.sampled_from([{}] * 4 + [{"usage": {"prompt_tokens": 9, "completion_tokens": 1}}]))}
    events: Events = [*(wire.chunk(delta, **running) for delta in (first, *said)), wire.chunk({}, finish, **more)]
    if draw(st.booleans()):
        details: Object = draw(st.sampled_from([{}, {"prompt_tokens_details": {"cached_tokens": 4}}]))
        last = {**more, **wire.usage_chunk()}
        events.append({**last, "usage": {**last["usage"], **details}})
    events = [rarely(draw, event) for event in events]
    if draw(st.booleans()):
        events.append(DONE)
    return deepcopy(events)


STREAMS: dict[str, Strategy] = {ANTHROPIC: anthropic(), CHAT: chat(), RESPONSES: items.streams()}

# --- what may be done to an order -------------------------------------------------------------------------------------


@st.composite
def disordered(draw: st.DrawFn, streams: Strategy) -> Events:
    """A legal stream of which one event is missing, said twice, or exchanged with another; or of which the end is."""
    events: Events = draw(streams)
    index = draw(st.integers(0, len(events) - 1))
    deed = draw(st.sampled_from(["drop", "repeat", "swap", "truncate", "append"]))
    if deed == "drop":
        return events[:index] + events[index + 1 :]
    if deed == "repeat":
        return events[: index + 1] + events[index:]
    if deed == "truncate":
        return events[:index]
    if deed == "append":
        return [*events, events[index]]
    there = draw(st.integers(0, len(events) - 1))
    events[index], events[there] = events[there], events[index]
    return events


# --- bytes ------------------------------------------------------------------------------------------------------------


@st.composite
def torn(draw: st.DrawFn, data: bytes) -> list[bytes]:
    """The bytes in chunks, of which some may be empty."""
    places = sorted(draw(st.lists(st.integers(0, len(data)), max_size=8)))
    return [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]


ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])
FIELDS = st.sampled_from([b": keep-alive", b":", b"id: 7", b"id", b"retry: 10", b"event: x", b"nonsense", b"dat: 1"])
OBJECTS = st.dictionaries(
    st.text(max_size=3),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**64 - 1)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
)


@st.composite
def dressed(draw: st.DrawFn, events: Events) -> bytes:
    """The events as lines, in any way that the standard allows: mixed ends, other fields, data in several lines."""
    made = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    for event in events:
        indent = draw(st.sampled_from([None, 1]))
        text = event if isinstance(event, str) else json.dumps(event, indent=indent, ensure_ascii=draw(st.booleans()))
        for line in text.encode().split(b"\n"):
            for field in draw(st.lists(FIELDS, max_size=1)):
                made += field + draw(ENDS)
            space = b" " if line.startswith(b" ") else draw(st.sampled_from([b" ", b""]))
            made += b"data:" + space + line + draw(ENDS)
        made += draw(ENDS.filter(lambda end: not (end == b"\n" and made.endswith(b"\r"))))  # noqa: B023 - used at once
    return made
