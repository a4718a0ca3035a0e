"""How messages name the types of JSON and quote values of a payload; JSON text of values that may be hostile.

Rule: what the detail of a record takes from a value stands between two marks, so that rendering can leave it out
(option `quote_values`). It is written with `repr`, which never writes the marks themselves.
"""

from __future__ import annotations

import json
import re
from typing import Any

NAMES = {str: "a string", dict: "an object", list: "an array", bool: "a boolean", int: "an integer", float: "a number"}

LONGEST = 64  # bits of an integer that is written in full: Python refuses to write the longest ones
OPEN, CLOSE = "\ufdd0", "\ufdd1"  # noncharacters of Unicode, which are not printable
HIDDEN = "…"
_QUOTED = re.compile(f"{OPEN}[^{CLOSE}]*{CLOSE}")
_NO_MARKS = {ord(OPEN): None, ord(CLOSE): None}


def quoted(value: str | None, most: int = 60) -> str:
    """A string of the payload, at most so many characters of it, for the detail of a record."""
    return f"{OPEN}{repr(value)[:most]}{CLOSE}"


def without_marks(detail: str, quote_values: bool) -> str:
    """The detail as a reader gets it."""
    if OPEN not in detail:
        return detail
    return detail.translate(_NO_MARKS) if quote_values else _QUOTED.sub(HIDDEN, detail)


def written(number: int) -> str:
    """An integer of the payload, for the detail of a record."""
    return f"{OPEN}{_written(number)}{CLOSE}"


def found(value: Any) -> str:
    """What a value of the payload is, for the detail of a record."""
    return _described(value, OPEN, CLOSE)


def described(value: Any) -> str:
    """What any other value is: its type and, of a string or number, the first characters. What is inside a container is
    never looked at: a deep one cannot be written at all."""
    return _described(value, "", "")


def _described(value: Any, before: str, after: str) -> str:
    if value is None:
        return "null"
    name = NAMES.get(type(value), f"a Python {type(value).__name__}")
    if isinstance(value, int) and value.bit_length() > LONGEST:
        return f"{name} {_written(value)}"
    return f"{name}, {before}{value!r:.60}{after}" if isinstance(value, (str, int, float)) else name


def _written(number: int) -> str:
    return str(number) if number.bit_length() <= LONGEST else f"of {number.bit_length()} bits"


def whole_characters(text: str) -> str:
    """The text with the halves of UTF-16 that follow each other as characters."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def json_text(value: Any) -> str:
    """Raises ValueError for what JSON cannot hold, and for what is too deep to be written."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None
