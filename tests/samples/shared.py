"""Values and shapes that the samples of several protocols have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .sample import Json

PNG = "iVBORw0KGgoAAAANSUhEUg=="
PDF = "JVBERi0xLjcKJeLjz9M="

DEPTH_SCHEMA: Json = {
    "type": "object",
    "properties": {"harbour": {"type": "string"}, "unit": {"enum": ["m", "ft"]}},
    "required": ["harbour", "unit"],
    "additionalProperties": False,
}

WEATHER_SCHEMA: Json = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}

NO_PARAMETERS: Json = {"type": "object", "properties": {}}


def user(content: Any) -> Json:
    return {"role": "user", "content": content}


def assistant(content: Any = None, **members: Any) -> Json:
    return {"role": "assistant", "content": content, **members}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def counted(before: Json, later: Json, *sides: tuple[Callable[[Json], int], tuple[str, ...]]) -> Json:
    """Usage that is reported again: a side, a sum and the members that it is of, stays where it falls to 0 (USE-9)."""
    known = {**before, **later}
    for total, members in sides:
        none = members[0] in later and not any(later.get(member) for member in members)
        if none and total(known) < total(before):
            known = {key: value for key, value in known.items() if key not in members}
            known |= {key: before[key] for key in members if key in before}
    return known
