"""Lines of batch files, whichever vendor wrote them, and which ids a vendor accepts (BAT-1).

A protocol with lines of its own declares a Format, which `Backend.batch` names. Rule 1: a line is read without its
body, which is for the protocol's frontend. Rule 2: every member of a line is in the entry, has a finding in `unread`,
or makes reading raise Refusal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from re import Pattern
from typing import Any

from attrs import field

from ..json.classes import frozen
from ..json.types import found, hashed
from ..reporting.diagnostics import Record, Refusal
from ..targets.settings import Server

Json = Any
Object = dict[str, Any]

REQUEST, RESPONSE, ERROR, CANCELED, EXPIRED = "request", "response", "error", "canceled", "expired"
OUTCOMES = (CANCELED, EXPIRED)
"""Kinds of lines that have no body: the batch ended before the request was processed."""


@frozen(kw_only=True)
class Entry:
    """A line as a value.

    kind      "request", "response", "error", "canceled" or "expired"
    id        the id that relates results to requests; None where the line has none
    body      the payload in the protocol of `protocol`; None where the kind has none
    at        where the body is in the line
    status    the HTTP status of a response or an error, where the line has it
    unread    findings about members that only this vendor's lines have
    named     the name of the member with the id
    request   what an id is made of if a line has none: the request, which the line of its result repeats (BAT-3)
    """

    kind: str
    protocol: str
    named: str
    id: str | None
    body: Json = None
    at: tuple[str, ...] = ()
    status: int | None = None
    unread: list[Record] = field(factory=list)
    request: Json = None


def made_id(request: Json) -> str:
    """Return an id for a request, the same whatever the order of its members."""
    text = json.dumps(request, sort_keys=True, default=str)
    return f"request_{hashed(text)[:32]}"


@frozen(kw_only=True)
class Result:
    """The contents of a line for the target.

    server  the target's settings
    status  the HTTP status of an error in the target's protocol
    """

    kind: str
    protocol: str
    id: str
    server: Server
    body: Json = None
    status: int | None = None


@frozen(kw_only=True)
class Format:
    """A vendor's lines.

    looks      whether a line is one of them, by the members that it has
    read       gives the entry of a line; raises Refusal. It gets the protocols that the body may be of: the one that
               the caller expects, or all that have this format
    write      the line of a result, and the rules about what the result has no equivalent for
    keep       gives the line for another protocol of the same format, from the line as it was and what was written, and
               whether both are of one kind. None: nothing around a body stays for another protocol
    fits       whether a line of this format is what a server with these settings takes, if its body is
    streams    the member of a body that asks for a stream, which no batch gives
    ids        the pattern of ids that the vendor accepts; None: any string
    """

    name: str
    looks: Callable[[Object], bool]
    read: Callable[[Object, tuple[str, ...]], Entry]
    write: Callable[[Result], tuple[Object, tuple[str, ...]]]
    ids: Pattern[str] | None = None
    streams: str = "stream"
    keep: Callable[[Object, Object, bool], Object] | None = None
    fits: Callable[[Object, Server], bool] = lambda _, __: True


def fitted_id(given: str, ids: Pattern[str] | None) -> str:
    """Return an id if the target accepts it, else its SHA256 in hexadecimal digits (BAT-1)."""
    if ids is None or ids.fullmatch(given):
        return given
    return hashed(given)


def member(line: Object, name: str, kind: type) -> Any:
    """Return a member that a line must have. Raises Refusal."""
    value = line.get(name)
    if value is None:
        raise Refusal("SHP-2", (line,), f"expected {name!r} in a batch line")
    if type(value) is not kind:
        expected = {str: "a string", dict: "an object", int: "an integer"}[kind]
        raise Refusal("SHP-1", (line, name), f"expected {expected}, found {found(value)}")
    return value


def optional(line: Object, name: str, kind: type) -> Any:
    return None if line.get(name) is None else member(line, name, kind)


def unknown(line: Mapping[str, Any], known: set[str]) -> list[Record]:
    """Return findings about members that no vendor documents."""
    return [("UNK-1", (line, name), "") for name, value in line.items() if name not in known and value is not None]


def envelope(line: Mapping[str, Any], *names: str) -> list[Record]:
    """Return findings about members that only one vendor's lines have and no client depends on."""
    return [("ENV-1", (line, name), "") for name in names if line.get(name) is not None]
