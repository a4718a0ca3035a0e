"""Strategies that the protocols share: texts, names, JSON values, schemas, optional members, pieces of streams."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from .sample import Json, Strategy

TEXTS = st.sampled_from(["Hello", "a b", "é", "🙂", "line\nbreak", '{"a": 1}', " ", "", "0", "null", "/~"])
WORDS = st.sampled_from(["Hello", "a b", "é", "🙂", "line\nbreak", '{"a": 1}', "0"])
NAMES = st.sampled_from(["weather", "clock", "a-b_c", "N" * 64])
IDS = st.sampled_from(["c1", "call_2", "toolu_3"])
NUMBERS = st.sampled_from([0, 0.5, 1, 1.0, 1.7, -0.25])
COUNTS = st.sampled_from([0, 1, 2, 5, 1000])
LIMITS = st.sampled_from([0, 5, 16, 64, 1000, 4096])  # some below the lowest that a target takes, most above it
BASE64 = st.sampled_from(["aGk=", "eA==", ""])
URLS = st.sampled_from(["https://example.com/a.png", "http://example.com/b?c=d"])
FLAGS = st.booleans()

JSON = st.recursive(
    st.one_of(st.none(), FLAGS, st.integers(-(2**53), 2**53), st.floats(-1e6, 1e6), TEXTS),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "b", "a/b", "~"]), inner, max_size=2)
    ),
    max_leaves=4,
)
OBJECTS = st.dictionaries(st.sampled_from(["city", "n", "a/b", "é"]), JSON, max_size=2)
SCHEMAS = st.sampled_from(
    [
        {"type": "object"},
        {"type": "object", "properties": {}},
        {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": False,
        },
        {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object"}}}},
        {"properties": {"city": {}}},
    ]
)
UNKNOWN = st.dictionaries(st.sampled_from(["new_field", "x-extra"]), JSON, min_size=1, max_size=1)


def some(required: dict[str, Strategy], **members: Strategy) -> Strategy:
    """An object with the required members and any few of the others."""
    keys = st.lists(st.sampled_from(sorted(members)), max_size=3, unique=True) if members else st.just([])
    return keys.flatmap(lambda chosen: st.fixed_dictionaries({**required, **{key: members[key] for key in chosen}}))


def rarely(strategy: Strategy) -> Strategy:
    """An object, now and then with members that no official type knows."""
    return st.one_of(
        strategy, strategy, strategy, st.builds(lambda object_, extra: {**object_, **extra}, strategy, UNKNOWN)
    )


def tagged(kind: str, **members: Strategy) -> dict[str, Strategy]:
    return {"type": st.just(kind), **members}


# --- streams ----------------------------------------------------------------------------------------------------------

PIECE = st.sampled_from(
    ["Hello", " world", "é", "👋🏽", "\u2028", "line\nbreak", '{"a": 1}', "\\", "[DONE]", "data: x"]
)
PIECES = st.lists(st.one_of(PIECE, PIECE, st.just("")), max_size=4)
ARGUMENTS = st.dictionaries(
    st.sampled_from(["city", "n", "é", "a/b"]),
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | PIECE | st.lists(PIECE, max_size=2),
    max_size=3,
)
UNKNOWN_MEMBERS: Strategy = st.sampled_from([{"x-extra": 1}, {"new_field": {"deep": [1, "two"]}}, {"trace": None}])


def cut(draw: st.DrawFn, text: str, places: int = 4) -> list[str]:
    """A text in pieces, of which some may be empty."""
    at = sorted(draw(st.lists(st.integers(0, len(text)), max_size=places)))
    return [text[start:end] for start, end in zip([0, *at], [*at, len(text)], strict=True)]


@st.composite
def fragments(draw: st.DrawFn) -> list[str]:
    """The pieces of a call's arguments; no piece is a call without any."""
    arguments = draw(ARGUMENTS)
    if not arguments and draw(st.booleans()):
        return draw(st.sampled_from([[], [""], ["", ""]]))
    spaced = draw(st.booleans())
    text = json.dumps(arguments, ensure_ascii=draw(st.booleans()), separators=None if spaced else (",", ":"))
    return cut(draw, text)


def with_unknown(draw: st.DrawFn, event: Json) -> Json:
    """An event, now and then with a member that no official type knows."""
    return {**event, **draw(UNKNOWN_MEMBERS)} if draw(st.integers(0, 9)) == 0 else event


@st.composite
def interleaved(draw: st.DrawFn, sequences: list[list[Any]]) -> list[Any]:
    """All items of all sequences, each sequence in its order; the first items in the order of the sequences."""
    sequences = [list(one) for one in sequences if one]
    begun, out = 0, []
    while sequences:
        index = draw(st.integers(0, min(begun, len(sequences) - 1)))
        if index == begun:
            begun += 1
        out.append(sequences[index].pop(0))
        if not sequences[index]:
            del sequences[index]
            begun -= 1
    return out
