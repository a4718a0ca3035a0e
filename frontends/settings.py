"""Readers of a request's settings: each fills one field of one group of the IR from one member of the payload."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proxai_ir.diagnostics import Refusal
from proxai_ir.ir import request as ir

from .reading import Object, each, keep, optional, pick

Read = Callable[[ir.Request, Object], None]
"""Reads a member, known to be there and not null, into a request."""
Get = Callable[[ir.Request, Object], Any]


def read_members(request: ir.Request, payload: Object, readers: Mapping[str, Read]) -> None:
    """Read every member of a payload by its reader; one that has none is kept for the source's protocol (LOS-3)."""
    try:
        for key, value in payload.items():
            if value is not None:
                read = readers.get(key)
                if read is None:
                    keep(request, key, value)
                else:
                    read(request, payload)
    except Refusal:
        each(
            [key for key in payload if payload[key] is not None and key in readers],
            lambda key: readers[key](request, payload),
        )
        raise


def group(name: str, make: type[Any]) -> Get:
    """The group of settings of that name, made when the first of them is read."""

    def get(request: ir.Request, payload: Object) -> Any:
        found = getattr(request, name)
        if found is None:
            found = make()
            found.src = payload
            setattr(request, name, found)
        return found

    return get


SAMPLING = group("sampling", ir.Sampling)
THINKING = group("thinking", ir.Thinking)
OUTPUT = group("output", ir.Output)
CACHING = group("caching", ir.Caching)
SERVICE = group("service", ir.Service)
STREAMING = group("streaming", ir.Streaming)


def setting(get: Get, field: str, key: str, kind: Any) -> Read:
    """Reads one member into one field; `kind` is a type, or a function that reads and checks the member."""

    def read(request: ir.Request, payload: Object) -> None:
        value = optional(payload, key, kind) if isinstance(kind, type) else kind(payload, key)
        setattr(get(request, payload), field, value)

    return read


def itself(request: ir.Request, payload: Object) -> ir.Request:
    return request


def word(get: Get, field: str, key: str, table: Mapping[str, Any]) -> Read:
    """Reads an enum member; one that no table knows stays with this protocol (UNK-4)."""

    def read(request: ir.Request, payload: Object) -> None:
        value = pick(table, payload, key)
        if value is None:
            keep(request, key, payload[key])
        else:
            setattr(get(request, payload), field, value)

    return read
