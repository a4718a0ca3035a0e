"""When payloads of one protocol say the same: null = missing, [] = missing, empty options = missing, and one plain
text part = its string.
"""

from __future__ import annotations

from typing import Any

OPTIONS = frozenset({"filters", "stream_options"})
"""Members whose empty object asks for nothing."""


def silent(key: str, value: Any) -> bool:
    return value is None or value == [] or (value == {} and key in OPTIONS)


def canonical(value: Any) -> Any:
    """The payload with its equivalent spellings brought to one."""
    if isinstance(value, dict):
        made = {key: canonical(item) for key, item in value.items()}
        return {key: item for key, item in made.items() if not silent(key, item)}
    if isinstance(value, list):
        items = [canonical(item) for item in value]
        if (
            len(items) == 1
            and isinstance(items[0], dict)
            and items[0].keys() == {"type", "text"}
            and items[0]["type"] == "text"
        ):
            return items[0]["text"]
        return items
    if isinstance(value, float):
        return ("float", repr(value))  # 1.0 is not 1, and NaN is itself
    if isinstance(value, bool):
        return ("bool", value)
    return value
