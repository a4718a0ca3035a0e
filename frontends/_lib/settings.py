"""Readers of a request's settings: each fills one field of one group of the IR from one member of the payload."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import is_not
from typing import Any

import attrs

from proxai_ir import ir
from proxai_ir.ir.node import Extra, Several, sources
from proxai_ir.json.codegen import compiled
from proxai_ir.reporting.diagnostics import ONLY_WHETHER, Refusal
from proxai_ir.wire.objects import WireObject

from .reading import Object, each, keep, number, optional, pick, required, strings

Read = Callable[[ir.Request, Object], None]
"""Reads a member, known to be there and not null, into a request."""


def read_members(request: ir.Request, payload: Object, readers: Mapping[str, Read]) -> None:
    """Read every member of a payload by its reader; one that has none is kept for the source's protocol (LOS-3).

    The payload is the request's, or an object inside it: members that are kept stay at their places, and a group with
    settings from several objects has all of them as its `src`.
    """
    if payload is not request.src and request.src is not None:
        _read_inside(request, payload, readers)
        return
    try:
        for key, value in payload.items():
            if value is not None:
                read = readers.get(key)
                if read is None:
                    keep(request, key, value)
                else:
                    read(request, payload)
    except Refusal:
        if ONLY_WHETHER.get():
            raise
        each(
            [key for key in payload if payload[key] is not None and key in readers],
            lambda key: readers[key](request, payload),
        )
        raise


def within(key: str, readers: Mapping[str, Read]) -> Read:
    """Return a reader of an object inside the request, member by member, by a table of its own."""
    return lambda request, payload: read_members(request, required(payload, key, dict), readers)


def _read_inside(request: ir.Request, payload: Object, readers: Mapping[str, Read]) -> None:
    groups = {get.name: group for get in GROUPS if (group := getattr(request, get.name)) is not None}
    before = {name: (group, _state(group), sources(group)) for name, group in groups.items()}
    path = _path_to(payload, request.src) or ()
    outer, kept = request.src, request.extra
    request.src, request.extra = payload, None
    try:
        read_members(request, payload, readers)
    finally:
        inner, request.src, request.extra = request.extra, outer, kept
    left: Object = dict((inner.fields if inner is not None else None) or {})
    for key, value in left.items():  # kept at its place in the payload
        request.extra = request.extra or Extra()
        request.extra.fields = fields = request.extra.fields or {}
        for name in path:
            fields = fields.setdefault(name, {})
        fields[key] = value
    for get in GROUPS:
        group = getattr(request, get.name)
        old, state, known = before.get(get.name, (None, (), ()))
        if group is not None and (group is not old or any(map(is_not, _state(group), state))):
            group.src = Several((*known, payload), request.src)


def _state(group: Any) -> tuple[Any, ...]:
    return attrs.astuple(group, recurse=False)


def _path_to(inner: Object, outer: Object) -> tuple[str, ...] | None:
    """Return the keys that lead to an object inside another one, or None."""
    for key, value in outer.items():
        if value is inner:
            return (key,)
        if isinstance(value, dict) and (path := _path_to(inner, value)) is not None:
            return (key, *path)
    return None


class Group:
    """A group of settings; a call returns the request's own group, made when the first of its settings is read."""

    def __init__(self, name: str, make: type[Any]) -> None:
        self.name = name
        self.make = make

    def __call__(self, request: ir.Request, payload: Object) -> Any:
        found = getattr(request, self.name)
        if found is None:
            found = self.make()
            found.src = payload
            setattr(request, self.name, found)
        return found


SAMPLING = Group("sampling", ir.Sampling)
THINKING = Group("thinking", ir.Thinking)
OUTPUT = Group("output", ir.Output)
CACHING = Group("caching", ir.Caching)
SERVICE = Group("service", ir.Service)
STREAMING = Group("streaming", ir.Streaming)
"""The groups of a request's settings, for `setting` and for readers by hand: `THINKING(request, payload)` returns the
request's own `thinking`, made if there is none yet."""
GROUPS = (SAMPLING, THINKING, OUTPUT, CACHING, SERVICE, STREAMING)


def setting(group: Group | None, field: str, key: str, kind: Any) -> Read:
    """Return a reader of one member into one field of a group, or of the request itself; it is generated code.

    `kind` is a type, or a function that reads and checks the member. Raises ValueError for an unknown field.
    """
    cls = ir.Request if group is None else group.make
    if field not in (known := {one.name for one in attrs.fields(cls)}):
        has = ", ".join(sorted(known))
        raise ValueError(f"the setting {key!r} is {field!r}, and {cls.__name__} has the fields {has}")
    lines = ["def read(request, payload):"]
    if isinstance(kind, type):
        lines += [f"    value = payload[{key!r}]", "    if type(value) is not kind:"]
        lines += [f"        optional(payload, {key!r}, kind)"]
    else:
        lines += [f"    value = kind(payload, {key!r})"]
    if group is None:
        lines += [f"    request.{field} = value"]
    else:
        lines += [f"    (request.{group.name} or group(request, payload)).{field} = value"]
    scope: dict[str, Any] = {"kind": kind, "group": group, "optional": optional}
    read: Read = compiled(f"reader of {key} as {field}", lines, scope)
    return read


KINDS: dict[str, Any] = {"int": int, "bool": bool, "str": str, "dict": dict, "number": number, "strings": strings}


def settings(group: Group | None, declared: WireObject) -> dict[str, Read]:
    """Return the readers of declared members, by name, as settings of a group."""
    return {key: setting(group, one.field, key, KINDS[one.type]) for key, one in declared.plain().items()}


def word(get: Group, field: str, key: str, table: Mapping[str, Any]) -> Read:
    """Return a reader of an enum member; a word that the table does not have is kept for this protocol (UNK-4)."""

    def read(request: ir.Request, payload: Object) -> None:
        value = pick(table, payload, key)
        if value is None:
            keep(request, key, payload[key])
        else:
            setattr(get(request, payload), field, value)

    return read
