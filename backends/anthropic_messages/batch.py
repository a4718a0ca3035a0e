"""Anthropic's batch lines: the elements of `requests` of a Message Batch, the lines of its results, and Vertex AI's.

Sources: Anthropic's API reference, "Create a Message Batch" and "Retrieve Message Batch results". Their result names
its type; an error has the same body as a response with a status of failure. Vertex AI's guide "Batch predictions with
Anthropic Claude models": `custom_id` and `request`, whose model stands in the call that creates the batch.
"""

from __future__ import annotations

import re
from typing import Any

from proxai_ir.backends._lib.cloud_lines import is_vertex_result, vertex_result
from proxai_ir.json.types import found
from proxai_ir.protocol import batch
from proxai_ir.reporting.diagnostics import Refusal

SUCCEEDED, ERRORED = "succeeded", "errored"
IDS = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def looks(line: batch.Object) -> bool:
    return "params" in line or "result" in line


def read(line: batch.Object, of: tuple[str, ...]) -> batch.Entry:
    protocol = of[0]
    given = batch.optional(line, "custom_id", str)
    if "result" not in line:
        body = batch.member(line, "params", dict)
        unread = batch.unknown(line, {"custom_id", "params"})
        return batch.Entry(
            kind=batch.REQUEST, protocol=protocol, named="custom_id", id=given, body=body, at=("params",), unread=unread
        )
    result = batch.member(line, "result", dict)
    kind, unread = batch.member(result, "type", str), batch.unknown(line, {"custom_id", "result"})
    if kind in batch.OUTCOMES:
        unread += batch.unknown(result, {"type"})
        return batch.Entry(kind=kind, protocol=protocol, named="custom_id", id=given, unread=unread)
    if kind not in (SUCCEEDED, ERRORED):
        expected = ", ".join((SUCCEEDED, ERRORED, *batch.OUTCOMES))
        raise Refusal("SHP-3", (result, "type"), f"expected one of {expected}, found {found(kind)}")
    name = "message" if kind == SUCCEEDED else "error"
    body = batch.member(result, name, dict)
    return batch.Entry(
        kind=batch.RESPONSE if kind == SUCCEEDED else batch.ERROR,
        protocol=protocol,
        named="custom_id",
        id=given,
        body=body,
        at=("result", name),
        unread=[*unread, *batch.unknown(result, {"type", name})],
    )


def write(result: batch.Result) -> tuple[batch.Object, tuple[str, ...]]:
    if result.kind == batch.REQUEST:
        return {"custom_id": result.id, "params": result.body}, ()
    made: batch.Object = {"type": result.kind}
    if result.kind == batch.RESPONSE:
        made = {"type": SUCCEEDED, "message": result.body}
    elif result.kind == batch.ERROR:
        made = {"type": ERRORED, "error": result.body}
    return {"custom_id": result.id, "result": made}, ()


FORMAT = batch.Format(name="Anthropic", looks=looks, read=read, write=write, ids=IDS)


# --- Vertex AI --------------------------------------------------------------------------------------------------------


def looks_vertex(line: batch.Object) -> bool:
    return "custom_id" in line and "request" in line


def read_vertex(line: batch.Object, of: tuple[str, ...]) -> batch.Entry:
    if is_vertex_result(line):
        return vertex_result(line, of[0], "custom_id")
    body, given = batch.member(line, "request", dict), batch.optional(line, "custom_id", str)
    unread = batch.unknown(line, {"custom_id", "request"})
    about: dict[str, Any] = {"protocol": of[0], "named": "custom_id", "id": given, "request": body}
    return batch.Entry(kind=batch.REQUEST, body=body, at=("request",), unread=unread, **about)


VERTEX = batch.Format(name="Claude on Vertex AI", looks=looks_vertex, read=read_vertex, write=write, ids=IDS)
"""Lines that are read; the protocol's own are written."""
