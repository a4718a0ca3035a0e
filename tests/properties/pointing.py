"""JSON pointers in tests: whether one points at something; all the places of a payload; copies that differ in one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Path = tuple[str | int, ...]


def exists(payload: Any, pointer: str) -> bool:
    """Whether an RFC 6901 pointer stands for something in the payload; "" is the whole of it."""
    if pointer == "":
        return True
    if not pointer.startswith("/"):
        return False
    at = payload
    for escaped in pointer[1:].split("/"):
        word = escaped.replace("~1", "/").replace("~0", "~")
        if isinstance(at, dict):
            keys = {str(key): key for key in at}
            if word not in keys:
                return False
            at = at[keys[word]]
        elif isinstance(at, list):
            if not word.isdecimal() or int(word) >= len(at):
                return False
            at = at[int(word)]
        else:
            return False
    return True


def places(payload: Any, path: Path = ()) -> Iterator[Path]:
    """Every place of a payload, the whole of it first."""
    yield path
    items = payload.items() if isinstance(payload, dict) else enumerate(payload) if isinstance(payload, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


def replaced(payload: Any, path: Path, value: Any) -> Any:
    """A copy that shares all but the way to the place, which holds `value`."""
    if not path:
        return value
    key, *rest = path
    made: Any = dict(payload) if isinstance(payload, dict) else list(payload)
    made[key] = replaced(payload[key], tuple(rest), value)
    return made


def removed(payload: Any, path: Path) -> Any:
    """A copy without what stands at the place."""
    key, *rest = path
    made: Any = dict(payload) if isinstance(payload, dict) else list(payload)
    if rest:
        made[key] = removed(payload[key], tuple(rest))
    else:
        del made[key]
    return made
