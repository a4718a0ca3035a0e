"""Other spellings of a payload of generateContent: what readers get has the canonical one.

Rule 1: free-form JSON is never touched: only objects that `structure` describes are looked at. Rule 2: nothing of the
payload is changed or copied but the objects around what is spelled otherwise; pointers lead to the payload. Rule 3: the
spelling is noted, so that it comes back in the payload's own protocol, in wire forms, each with a pointer into the
canonical payload; to undo them all, they are undone in reverse:

    name:POINTER          the member is spelled in snake_case
    one:POINTER           there is one object in place of an array of one
    value:POINTER=JSON    the value, a word, a number or an array of words, was this one
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from math import inf, isfinite

from proxai_ir.diagnostics import Refusal
from proxai_ir.json_pointer import Relisted, Respelled, escape
from proxai_ir.wire.gemini_generate_content_structure import INTEGER, LOWER, NUMBER, SHAPES, UPPER, Shape

from .._lib.reading import Json, Object

MOST_DIGITS = 400  # of a number that is written as a string
EXACT = 2.0**53  # below it a number with an exponent is one integer


def canonical(payload: Object, name: str) -> tuple[Object, tuple[str, ...]]:
    """The payload in canonical spelling, and the wire forms that undo that; `name` is the shape that it has."""
    if PLAIN[name](payload):
        return payload, ()
    forms: list[str] = []
    return _object(payload, SHAPES[name], "", forms), tuple(forms)


# --- whether something is canonical -----------------------------------------------------------------------------------

Check = Callable[[Json], bool]
"""Whether a value is canonical with all below it; one of a wrong type is, and for the reader to refuse."""


def _objects_of(name: str) -> Check:
    """The check of objects of a shape."""
    shape = SHAPES[name]
    checks = {member: _check(kind) for member, kind in shape.kinds.items()}
    free = shape.known - checks.keys()
    is_free = free.issuperset

    def plain(value: Json) -> bool:
        if value.__class__ is not dict and not isinstance(value, dict):
            return True
        if not is_free(value):
            for key, given in value.items():  # integers are canonical, whatever is expected
                if key not in free and (key not in checks or (given.__class__ is not int and not checks[key](given))):
                    return False
        return True

    return plain


def _arrays_of(name: str) -> Check:
    each = _objects_of(name)

    def plain(value: Json) -> bool:
        if not isinstance(value, list):
            return not isinstance(value, dict)
        for one in value:  # noqa: SIM110 - most objects of a payload are looked at here
            if not each(one):
                return False
        return True

    return plain


def _check(kind: str) -> Check:
    if kind in WORDS_AND_NUMBERS:
        return lambda value: _value(value, kind) is value
    return _arrays_of(kind.strip("[]")) if kind[0] == "[" else _objects_of(kind)


WORDS_AND_NUMBERS = frozenset({UPPER, LOWER, INTEGER, NUMBER})
PLAIN = {name: _objects_of(name) for name in ("Request", "Response")}

# --- what it is in canonical spelling ---------------------------------------------------------------------------------


def _object(value: Object, shape: Shape, at: str, forms: list[str]) -> Object:
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
        inside = f"{at}/{escape(name)}"
        if name != key:
            names[name] = key
            forms.append(f"name:{inside}")
        made[name] = _member(value, key, shape.kinds.get(name), inside, forms)
        changed = changed or made[name] is not given
    return Respelled(made, value, names) if changed else value


def _member(holder: Object, key: str, kind: str | None, at: str, forms: list[str]) -> Json:
    given = holder[key]
    if kind is None:
        return given
    if kind in WORDS_AND_NUMBERS:
        made = _value(given, kind)
        if made is not given:
            forms.append(f"value:{at}={json.dumps(given, ensure_ascii=False)}")
        return made
    shape = SHAPES[kind.strip("[]")]
    if kind[0] != "[":
        return _object(given, shape, at, forms) if isinstance(given, dict) else given
    if isinstance(given, dict):
        forms.append(f"one:{at}")
        return Relisted([_object(given, shape, f"{at}/0", forms)], (holder, key))
    if not isinstance(given, list):
        return given
    listed = [
        _object(one, shape, f"{at}/{index}", forms) if isinstance(one, dict) else one for index, one in enumerate(given)
    ]
    return given if all(map(_same, listed, given)) else Relisted(listed, given)


def _same(one: Json, other: Json) -> bool:
    return one is other


INTEGERS = re.compile(r"-?[0-9]{1,19}")
NUMBERS = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")


def _value(given: Json, kind: str) -> Json:
    """The value itself where it is canonical, or of a type that it cannot have."""
    if kind in (UPPER, LOWER):
        if isinstance(given, list):
            words = [_word(one, kind) for one in given if isinstance(one, str)]
            return given if words == given or len(words) < len(given) else words
        return _word(given, kind) if isinstance(given, str) else given
    if isinstance(given, str):
        if kind == INTEGER and INTEGERS.fullmatch(given):
            return int(given)
        number = float(given) if len(given) < MOST_DIGITS and NUMBERS.fullmatch(given) else inf
        if kind == NUMBER:
            return number if isfinite(number) else given
        return int(number) if number.is_integer() and abs(number) < EXACT else given
    return int(given) if kind == INTEGER and isinstance(given, float) and given.is_integer() else given


def _word(given: str, kind: str) -> str:
    word = given.upper() if kind == UPPER else given.lower()
    return given if word == given else word
