"""Small strategies that the vocabularies share: texts, names, JSON values, schemas, objects with optional members."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Strategy = st.SearchStrategy[Any]

TEXTS = st.sampled_from(["Hello", "a b", "é", "🙂", "line\nbreak", '{"a": 1}', " ", "", "0", "null", "/~"])
SPOKEN = st.sampled_from(["Hello", "a b", "é", "🙂", "line\nbreak", '{"a": 1}', "0"])
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
