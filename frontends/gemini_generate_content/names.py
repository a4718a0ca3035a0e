"""Other spellings of a payload of generateContent: what readers get has the canonical one.

Rule 1: free-form JSON is never touched: only objects that `structure` describes are looked at. Rule 2: nothing of the
payload is changed or copied but the objects around what is spelled otherwise; pointers lead to the payload.
"""

from __future__ import annotations

import re
from collections.abc import Callable
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
    """The payload in canonical spelling; `name` is the shape that it has."""
    return payload if _check(name)(payload) else _object(payload, SHAPES[name])


def canonical_response(payload: Object) -> Object:
    """The same of a response or a chunk; Vertex AI's, which have a time, number some enums otherwise."""
    return canonical(payload, "Response" if TIMES.isdisjoint(payload) else "VertexResponse")


TIMES = frozenset({"createTime", "create_time"})


# --- values -----------------------------------------------------------------------------------------------------------

INTEGERS = re.compile(r"-?[0-9]{1,19}")
NUMBERS = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")


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
    """The word of an enum, which may be its number, or an array of them; `words`: each at its number.

    A number without a word that is known is the word of its digits.
    """

    def value(given: Json) -> Json:
        if isinstance(given, str):
            word = case(given)
            return given if word == given else word
        if type(given) is int and given.bit_length() <= WIDEST:
            return words[given] if 0 <= given < len(words) else str(given)
        if not isinstance(given, list) or not all(isinstance(one, (str, int)) for one in given):
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
"""By kind: what a value is in canonical spelling; itself where it is canonical, or of a type that it cannot have."""

WORDS = {UPPER, LOWER, *NUMBERED}
"""Kinds of words, as which integers are not canonical."""

# --- whether something is canonical -----------------------------------------------------------------------------------

Check = Callable[[Json], bool]
"""Whether a value is canonical with all below it; one of a wrong type is, and for the reader to refuse."""


@cache
def _check(kind: str) -> Check:
    if kind in VALUES:
        value_of = VALUES[kind]
        return lambda value: value_of(value) is value
    return _arrays_of(kind.strip("[]")) if kind[0] == "[" else _objects_of(kind)


def _free(shape: Shape) -> frozenset[str]:
    """The members that have one spelling, whatever their value is."""
    return shape.known - shape.kinds.keys()


def _objects_of(name: str) -> Check:
    """The check of objects of a shape."""
    shape = SHAPES[name]
    checks = {member: _check(kind) for member, kind in shape.kinds.items()}
    numbered = frozenset(member for member, kind in shape.kinds.items() if kind in WORDS)
    free = _free(shape)
    is_free = free.issuperset

    def plain(value: Json) -> bool:
        if value.__class__ is not dict and not isinstance(value, dict):
            return True
        if not is_free(value):
            for key, given in value.items():  # integers are canonical, unless they are the numbers of words
                if key in free:
                    continue
                is_number = given.__class__ is int and key not in numbered
                if key not in checks or (not is_number and not checks[key](given)):
                    return False
        return True

    return plain


def _arrays_of(name: str) -> Check:
    each, is_free = _check(name), _free(SHAPES[name]).issuperset

    def plain(value: Json) -> bool:
        if not isinstance(value, list):
            return not isinstance(value, dict)
        for one in value:  # noqa: SIM110 - most objects of a payload are looked at here, and most need no call
            if (one.__class__ is not dict or not is_free(one)) and not each(one):
                return False
        return True

    return plain


# --- what it is in canonical spelling ---------------------------------------------------------------------------------


def _object(value: Object, shape: Shape) -> Object:
    """The same object where it is canonical with all below it."""
    made: Object = {}
    names: dict[str, str] = {}
    changed = False
    for key, given in value.items():
        name = key if key in shape.known else shape.names.get(key, key)
        if name != key:
            if given is not None and value.get(name) is not None:
                raise Refusal("SHP-4", (value, key), f"`{name}` and `{key}` are two spellings of one member")
            changed = True
        if given is None:
            if name not in value:
                names[name] = key
            made.setdefault(name, None)
            continue
        if name != key:
            names[name] = key
        kind = shape.kinds.get(name)
        if kind is None or _check(kind)(given):
            made[name] = given
        else:
            made[name] = _member(value, key, kind)
            changed = changed or made[name] is not given
    return Respelled(made, value, names) if changed else value


def _member(holder: Object, key: str, kind: str) -> Json:
    """A member that is not canonical, or has something below it that is not."""
    given = holder[key]
    if kind in VALUES:
        return VALUES[kind](given)
    shape = SHAPES[kind.strip("[]")]
    if kind[0] != "[":
        return _object(given, shape)
    if isinstance(given, dict):
        return Relisted([_object(given, shape)], (holder, key))
    plain = _check(kind.strip("[]"))
    listed = [one if plain(one) else _object(one, shape) for one in given]
    return given if all(map(_same, listed, given)) else Relisted(listed, given)


def _same(one: Json, other: Json) -> bool:
    return one is other
