"""Brings payloads of generateContent into their canonical spelling, before they are read.

Rule 1: free-form JSON is never touched: only objects that `structure` describes are looked at. Rule 2: the payload is
not changed, and only objects around another spelling are copied; pointers lead to the payload.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from math import inf, isfinite

from proxai_ir.json.pointer import Relisted, Respelled
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire.gemini_generate_content_structure import INTEGER, LOWER, NUMBER, NUMBERED, SHAPES, UPPER, Shape

from .._lib.reading import Json, Object

MOST_DIGITS = 400  # of a number that is written as a string
WIDEST = 64  # bits of a number that may be an enum's
EXACT = 2.0**53  # below it a number with an exponent is one integer


def canonical(payload: Object, name: str) -> Object:
    """Return the payload in canonical spelling; `name` is its shape."""
    made: Object = _reader(name)(payload)
    return made


def canonical_response(payload: Object) -> Object:
    """Return a response or a chunk in canonical spelling; Vertex AI's, which have a time, number some enums
    otherwise."""
    return canonical(payload, "Response" if TIMES.isdisjoint(payload) else "VertexResponse")


TIMES = frozenset({"createTime", "create_time"})


# --- values -----------------------------------------------------------------------------------------------------------

INTEGERS = re.compile(r"-?[0-9]{1,19}")
NUMBERS = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")
WORDED = frozenset({str, int})
"""The types of a word: its name or its number."""


def _number(given: Json) -> Json:
    if not isinstance(given, str):
        return given
    number = float(given) if len(given) < MOST_DIGITS and NUMBERS.fullmatch(given) else inf
    return number if isfinite(number) else given


def _integer(given: Json) -> Json:
    if isinstance(given, str) and INTEGERS.fullmatch(given):
        return int(given)
    number = _number(given)
    whole = isinstance(number, float) and number.is_integer()
    return int(number) if whole and (number is given or abs(number) < EXACT) else given


def _word(case: Callable[[str], str], words: tuple[str, ...] = ()) -> Callable[[Json], Json]:
    """Return a function that spells a word of an enum, its number, or an array of them; `words` has each at its number.

    A number without a word that is known is the word of its digits.
    """

    def value(given: Json) -> Json:
        if isinstance(given, str):
            word = case(given)
            return given if word == given else word
        if type(given) is int and given.bit_length() <= WIDEST:
            return words[given] if 0 <= given < len(words) else str(given)
        if not isinstance(given, list) or not WORDED.issuperset(map(type, given)):
            return given
        made = [value(one) for one in given]
        return given if made == given else made

    return value


VALUES = {
    UPPER: _word(str.upper),
    LOWER: _word(str.lower),
    INTEGER: _integer,
    NUMBER: _number,
    **{kind: _word(str.upper, words) for kind, words in NUMBERED.items()},
}
"""The function for each kind that spells a value; it returns a canonical value, or one of a wrong type, as it is."""

WORDS = {UPPER, LOWER, *NUMBERED}
"""The kinds of words, for which integers are not canonical."""

# --- objects and arrays -----------------------------------------------------------------------------------------------

Read = Callable[[Json], Json]
"""Returns a value in canonical spelling: the value itself if all of it is canonical, or if it has a wrong type, which
readers refuse."""


@cache
def _reader(kind: str) -> Read:
    if kind in VALUES:
        return VALUES[kind]
    return _arrays_of(kind.strip("[]")) if kind[0] == "[" else _objects_of(kind)


def _free(shape: Shape) -> frozenset[str]:
    """Return the members that have one spelling, whatever their value is."""
    return shape.known - shape.kinds.keys()


def _objects_of(name: str) -> Read:
    shape = SHAPES[name]
    readers = {member: _reader(kind) for member, kind in shape.kinds.items()}
    numbered = frozenset(member for member, kind in shape.kinds.items() if kind in WORDS)
    free = _free(shape)
    is_free = free.issuperset

    def read(value: Json) -> Json:
        if (value.__class__ is not dict and not isinstance(value, dict)) or is_free(value):
            return value
        for key, given in value.items():  # integers are canonical, unless they are the numbers of words
            if key in free:
                continue
            if key not in readers:
                return _respelled(value, shape, readers, {})
            if (given.__class__ is not int or key in numbered) and (made := readers[key](given)) is not given:
                return _respelled(value, shape, readers, {key: made})
        return value

    return read


def _arrays_of(name: str) -> Read:
    one_of, is_free = _reader(name), _free(SHAPES[name]).issuperset

    def read(value: Json) -> Json:
        if not isinstance(value, list):
            return Relisted([one_of(value)], (value,)) if isinstance(value, dict) else value
        for one in value:  # most objects of a payload are looked at here, and most need no call
            if (one.__class__ is not dict or not is_free(one)) and (made := one_of(one)) is not one:
                return _relisted(value, one, made, one_of)
        return value

    return read


def _relisted(value: list[Json], one: Json, made: Json, one_of: Read) -> Relisted:
    """Return the array in canonical spelling, in which one element is so already."""
    return Relisted([made if other is one else one_of(other) for other in value], value)


def _respelled(value: Object, shape: Shape, readers: Mapping[str, Read], known: Object) -> Object:
    """Return the object in canonical spelling, or itself if nothing changes; `known` are the members that have been
    read."""
    made: Object = {}
    names: dict[str, str] = {}
    changed = False
    for key, given in value.items():
        name = shape.names.get(key, key)
        if name != key:
            if given is not None and value.get(name) is not None:
                raise Refusal("SHP-4", (value, key), f"`{name}` and `{key}` are two spellings of one member")
            changed = True
            if given is not None or name not in value:
                names[name] = key
        if given is None:
            made.setdefault(name, None)
            continue
        new = known[key] if key in known else readers[name](given) if name in readers else given
        if new is not given:
            changed = True
            if isinstance(given, dict) and isinstance(new, Relisted):
                new.source = (value, key)
        made[name] = new
    return Respelled(made, value, names) if changed else value
