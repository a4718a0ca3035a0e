"""Values and shapes that the samples of several protocols have in common."""

from __future__ import annotations

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
