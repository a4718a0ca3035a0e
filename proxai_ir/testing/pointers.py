"""JSON pointers: whether one exists in a payload; all places of a payload; copies that differ in one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..json.pointer import escape

Path = tuple[str | int, ...]


def exists(payload: Any, pointer: str) -> bool:
    """Whether an RFC 6901 pointer leads to a value in the payload; "" is the whole of it."""
    value = payload
    for escaped in pointer.split("/")[1:]:
        key = escaped.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            keys = {str(name): name for name in value}
            if key not in keys:
                return False
            value = value[keys[key]]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return False
    return pointer[:1] in ("", "/")


def places(payload: Any, path: Path = ()) -> Iterator[Path]:
    """Every place of a payload, the whole of it first."""
    yield path
    items = payload.items() if isinstance(payload, dict) else enumerate(payload) if isinstance(payload, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


def at(payload: Any, path: Path) -> Any:
    for key in path:
        payload = payload[key]
    return payload


def replaced(payload: Any, path: Path, value: Any) -> Any:
    """A copy with another value at a place; it shares all that is not on the way to it."""
    if not path:
        return value
    key, *rest = path
    made = _copy(payload)
    made[key] = replaced(payload[key], tuple(rest), value)
    return made


def removed(payload: Any, path: Path) -> Any:
    """A copy without the value at a place."""
    key, *rest = path
    made = _copy(payload)
    if rest:
        made[key] = removed(payload[key], tuple(rest))
    else:
        del made[key]
    return made


def _copy(payload: Any) -> Any:
    return dict(payload) if isinstance(payload, dict) else list(payload)


def pointer_to(path: Path) -> str:
    """The RFC 6901 pointer of a place."""
    return "".join(f"/{escape(key)}" for key in path)
