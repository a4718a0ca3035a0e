"""Payloads that grow at one place: a list has its elements again under other names, an object gets more members, a text
is said again, a schema gets deeper. The places are found in payloads that are there for other reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import proxai_ir
from proxai_ir import StreamConverter, TranslationError
from proxai_ir.testing.pointers import Path, at, places, replaced

from .samples.sample import Json

NAMES = frozenset({"id", "call_id", "tool_call_id", "tool_use_id", "toolUseId", "item_id", "name", "title"})
"""Members that tell one element of a list from another, and link a call and its result."""
NUMBERS = frozenset({"index", "output_index", "content_index"})
"""Those that count the elements."""


class Growth(NamedTuple):
    """One place of a payload. `pattern`: its pointer with `*` for each number; `make`: the payload at a size."""

    pattern: str
    make: Callable[[int], Any]


def growths(payload: Any) -> Iterator[Growth]:
    """Return all places at which a payload can grow, those of one pattern once."""
    seen: set[tuple[str, Any]] = set()
    for path in places(payload):
        value = at(payload, path)
        pattern = "".join("/*" if isinstance(key, int) else f"/{key}" for key in path)
        for grow in WAYS.get(type(value), ()):
            if value and (pattern, grow) not in seen and (grow is not deepened or path[-1:] == ("properties",)):
                seen.add((pattern, grow))
                yield Growth(f"{pattern} {grow.__name__}", partial(_grown, payload, path, grow))


def _grown(payload: Any, path: Path, grow: Callable[[Any, int], Any], count: int) -> Any:
    return replaced(payload, path, grow(at(payload, path), count))


def repeated(value: list[Any], count: int) -> list[Any]:
    return value * count


def renamed(value: list[Any], count: int) -> list[Any]:
    return [_renamed(one, number, len(value)) for number in range(count) for one in value]


def _renamed(value: Any, number: int, length: int) -> Any:
    if isinstance(value, list):
        return [_renamed(one, number, length) for one in value]
    if not isinstance(value, dict):
        return value
    made = {key: _renamed(one, number, length) for key, one in value.items()}
    if number:
        made |= {key: f"{one}_{number}" for key, one in value.items() if key in NAMES and isinstance(one, str)}
        made |= {key: one + number * length for key, one in value.items() if key in NUMBERS and isinstance(one, int)}
    return made


def extended(value: Json, count: int) -> Json:
    """An object with members that nobody knows, or among the properties of a schema with more of them."""
    return value | {f"zz{number}": {"type": "string", "description": "More."} for number in range(count)}


def deepened(value: Json, count: int) -> Json:
    """Properties of which one has properties, and so on; `count` is ten times the depth."""
    for _ in range(count // 10):
        value = {"deeper": {"type": "object", "properties": value}}
    return value


def said_again(value: str, count: int) -> str:
    return value * count


WAYS: dict[type, Sequence[Callable[[Any, int], Any]]] = {
    list: (renamed, repeated),
    dict: (extended, deepened),
    str: (said_again,),
}


def events_again(stream: list[Any]) -> Iterator[Growth]:
    """A stream with one of its events many times in a row, for each event that has members of its own."""
    seen: set[str] = set()
    for number, event in enumerate(stream):
        shape = repr(sorted(map(str, places(event))))
        if shape not in seen:
            seen.add(shape)
            yield Growth(f"/{number} many times", partial(_again, stream, number))


def _again(stream: list[Any], number: int, count: int) -> list[Any]:
    return [*stream[:number], *renamed([stream[number]], count), *stream[number + 1 :]]


def reading(payload: Any, protocol: str, kind: Any) -> None:
    """Read a payload, and the findings of one that is refused."""
    try:
        proxai_ir.lower(payload, protocol, kind=kind)
    except TranslationError as error:
        assert str(error)


def converting(payload: Any, src: str, dst: str, kind: Any, **options: Any) -> None:
    """Convert a payload, a stream event by event, and read what was found."""
    try:
        if kind != "stream":
            assert proxai_ir.compile(payload, src, dst, kind=kind, **options).diagnostics is not None
            return
        converter = StreamConverter(src, dst, **options)
        for event in payload:
            converter.feed(event)
        converter.close()
    except TranslationError as error:
        assert str(error)
