"""When two payloads of one protocol mean the same: null, [] and empty options = missing, one text part = its string."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

OPTIONS = frozenset({"filters", "stream_options"})
"""Members whose empty object asks for nothing."""


def canonical(value: Any) -> Any:
    """The payload with its equivalent forms brought to one."""
    if isinstance(value, dict):
        made = {key: canonical(item) for key, item in value.items()}
        return {key: item for key, item in made.items() if not _is_empty(key, item)}
    if isinstance(value, list):
        items = [canonical(item) for item in value]
        plain = len(items) == 1 and isinstance(items[0], dict) and items[0].keys() == {"type", "text"}
        return items[0]["text"] if plain and items[0]["type"] == "text" else items
    if isinstance(value, float):
        return ("float", repr(value))  # 1.0 is not 1, and NaN is itself
    if isinstance(value, bool):
        return ("bool", value)
    return value


def _is_empty(key: str, value: Any) -> bool:
    return value is None or value == [] or (value == {} and key in OPTIONS)


def shape(value: Any) -> Iterator[Any]:
    """Types, and keys in their order: what equality does not compare."""
    yield type(value)
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from shape(item)
    elif isinstance(value, list):
        for item in value:
            yield from shape(item)
