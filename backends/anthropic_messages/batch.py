"""Anthropic's batch lines: the elements of `requests` of a Message Batch, and the lines of its results.

Sources: Anthropic's API reference, "Create a Message Batch" and "Retrieve Message Batch results". Their result names
its type; an error has the same body as a response with a status of failure.
"""

from __future__ import annotations

import re

from proxai_ir.json.types import found
from proxai_ir.protocol.batch import (
    ERROR,
    OUTCOMES,
    REQUEST,
    RESPONSE,
    Entry,
    Format,
    Object,
    Result,
    member,
    optional,
    unknown,
)
from proxai_ir.reporting.diagnostics import Refusal

SUCCEEDED, ERRORED = "succeeded", "errored"
IDS = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def looks(line: Object) -> bool:
    return "params" in line or "result" in line


def read(line: Object, of: tuple[str, ...]) -> Entry:
    protocol = of[0]
    given = optional(line, "custom_id", str)
    if "result" not in line:
        body = member(line, "params", dict)
        unread = unknown(line, {"custom_id", "params"})
        return Entry(
            kind=REQUEST, protocol=protocol, named="custom_id", id=given, body=body, at=("params",), unread=unread
        )
    result = member(line, "result", dict)
    kind, unread = member(result, "type", str), unknown(line, {"custom_id", "result"})
    if kind in OUTCOMES:
        unread += unknown(result, {"type"})
        return Entry(kind=kind, protocol=protocol, named="custom_id", id=given, unread=unread)
    if kind not in (SUCCEEDED, ERRORED):
        expected = ", ".join((SUCCEEDED, ERRORED, *OUTCOMES))
        raise Refusal("SHP-3", (result, "type"), f"expected one of {expected}, found {found(kind)}")
    name = "message" if kind == SUCCEEDED else "error"
    body = member(result, name, dict)
    return Entry(
        kind=RESPONSE if kind == SUCCEEDED else ERROR,
        protocol=protocol,
        named="custom_id",
        id=given,
        body=body,
        at=("result", name),
        unread=[*unread, *unknown(result, {"type", name})],
    )


def write(result: Result) -> tuple[Object, tuple[str, ...]]:
    if result.kind == REQUEST:
        return {"custom_id": result.id, "params": result.body}, ()
    made: Object = {"type": result.kind}
    if result.kind == RESPONSE:
        made = {"type": SUCCEEDED, "message": result.body}
    elif result.kind == ERROR:
        made = {"type": ERRORED, "error": result.body}
    return {"custom_id": result.id, "result": made}, ()


FORMAT = Format(name="Anthropic", looks=looks, read=read, write=write, ids=IDS)
