"""Shared code of framings: the errors of a stream's bytes, and events as JSON."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from math import isfinite
from typing import Any, NoReturn

import orjson

from ..reporting.diagnostics import Refusal, StreamError, render

Json = Any


def stream_error(rule: str, position: int, why: str) -> StreamError:
    """Return an error whose path is the position of an event, counted from 0."""
    seen = {position: None}
    return StreamError(render([(rule, (seen, position), why)], seen, refused=True))


class GoodFirst(ABC):
    """A decoder that returns the good events before an error, and raises it at the next call."""

    _broken: StreamError | None = None

    def feed(self, chunk: bytes) -> list[Json]:
        """Return the events that these bytes complete, in order. Raises StreamError."""
        if self._broken is not None:
            raise self._broken
        found: list[Json] = []
        try:
            self._read(bytes(chunk), found)
        except StreamError as error:
            self._broken = error
            if not found:
                raise
        return found

    @abstractmethod
    def _read(self, data: bytes, found: list[Json]) -> None:
        """Append the events that these bytes complete to `found`."""

    def close(self) -> list[Json]:
        """Return the events that the end of the bytes completes, by default none. Raises StreamError."""
        if self._broken is not None:
            raise self._broken
        return []


DONE = "[DONE]"
"""The word that ends some streams in place of JSON."""
half = re.compile(rb"\\u[dD][89a-fA-F]").search


def loads(data: bytes) -> Json:
    """Parse JSON whose strings may have half a character, since some servers split one over two events.

    Raises orjson.JSONDecodeError.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        if half(data):
            with suppress(ValueError, RecursionError):
                return json.loads(data.decode(), parse_constant=_no_number)
        raise


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def dumps(value: Json) -> bytes:
    """Return a value as JSON, with half a character as those servers write it. Raises Refusal (SHP-7)."""
    try:
        return orjson.dumps(value)
    except TypeError as error:
        if "surrogates" not in str(error):
            raise Refusal("SHP-7", None, str(error)) from None
        try:
            return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
        except (TypeError, ValueError, RecursionError):
            raise Refusal("SHP-7", None, str(error)) from None


def json_of(value: Json, protocol: str) -> bytes:
    """Return an event as JSON; raises Refusal for what JSON cannot hold, NaN included (SHP-7)."""
    data = dumps(value)
    nulls = data.count(b"null")
    if nulls and not finite(value, nulls, protocol):
        raise Refusal("SHP-7", None, "NaN and infinity are not JSON")
    return data


NULLS: dict[tuple[str, int], tuple[tuple[Any, ...], ...]] = {}
"""The keys to each null of an earlier event, by protocol and number, as most events of a stream have theirs there."""
MOST_NULLS = 4


def finite(event: Json, nulls: int, protocol: str) -> bool:
    """Return whether none of the nulls in an event's JSON was written for NaN or infinity, as orjson does."""
    try:
        for keys in NULLS[protocol, nulls]:
            value = event
            for key in keys:
                value = value[key]
            if value is not None:
                break
        else:
            return True
    except (KeyError, IndexError, TypeError):
        pass
    waiting = [event]
    for one in waiting:  # the list grows meanwhile
        kind = one.__class__
        if kind is dict:
            waiting += one.values()
        elif kind is list:
            waiting += one
        elif kind is float and not isfinite(one):
            return False
    if nulls <= MOST_NULLS and len(found := tuple(_nulls(event))) == nulls:
        NULLS[protocol, nulls] = found
    return True


def _nulls(value: Json) -> Iterator[tuple[Any, ...]]:
    """Yield the keys to each null."""
    if value is None:
        yield ()
    elif value.__class__ in (dict, list):
        for key, one in value.items() if value.__class__ is dict else enumerate(value):
            for keys in _nulls(one):
                yield (key, *keys)
