"""How messages name the types of JSON and describe a value that is wrong; JSON text of values that may be hostile."""

from __future__ import annotations

import json
from typing import Any

NAMES = {str: "a string", dict: "an object", list: "an array", bool: "a boolean", int: "an integer", float: "a number"}


LONGEST = 64  # bits of an integer that is written in full: Python refuses to write the longest ones


def written(number: int) -> str:
    return str(number) if number.bit_length() <= LONGEST else f"of {number.bit_length()} bits"


def found(value: Any) -> str:
    """Its type and, of a string or number, the first characters. What is inside a container is never looked at: a deep
    one cannot be written at all."""
    if value is None:
        return "null"
    name = NAMES.get(type(value), f"a Python {type(value).__name__}")
    if isinstance(value, int) and value.bit_length() > LONGEST:
        return f"{name} {written(value)}"
    return f"{name}, {value!r:.60}" if isinstance(value, (str, int, float)) else name


def json_text(value: Any) -> str:
    """Raises ValueError for what JSON cannot hold, and for what is too deep to be written."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None
