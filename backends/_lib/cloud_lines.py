"""Batch lines of clouds that serve several protocols: Amazon Bedrock's, and the results of Vertex AI.

Sources: Amazon Bedrock's user guide, "Format and upload your batch inference data" and "View the results of a batch
inference job": the input is a body of Converse or of InvokeModel, by the type of the job, and results repeat it; Vertex
AI's guides to batches from Cloud Storage, whose results repeat the request, and whose `status` is the text of an error
or empty. Rule: the protocol of a body is the caller's, or that of the reader that knows most of its members.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from proxai_ir.protocol import batch
from proxai_ir.protocol.detection import readings
from proxai_ir.reporting.diagnostics import Refusal

# --- Bedrock ----------------------------------------------------------------------------------------------------------


MEMBERS = {"recordId", "modelInput", "modelOutput", "error"}
ENDED = {
    batch.CANCELED: (499, "The batch was stopped before this request was processed."),
    batch.EXPIRED: (408, "The batch expired before this request was processed."),
}
IDS = re.compile("[a-zA-Z0-9]+")


def _looks(line: batch.Object) -> bool:
    return bool({"recordId", "modelInput", "modelOutput"} & line.keys())


def _read(line: batch.Object, of: tuple[str, ...]) -> batch.Entry:
    unread, asked = batch.unknown(line, MEMBERS), line.get("modelInput")
    given = batch.optional(line, "recordId", str)
    entry = partial(batch.Entry, named="recordId", id=given, unread=unread, request=asked)
    held = [name for name in ("modelOutput", "error") if line.get(name) is not None]
    if len(held) == 2:
        raise Refusal("SHP-4", (line,), "expected either `modelOutput` or `error` in a batch line")
    if not held:
        body = batch.member(line, "modelInput", dict)
        protocol = _protocol(line, "modelInput", batch.REQUEST, of)
        return entry(kind=batch.REQUEST, protocol=protocol, body=body, at=("modelInput",))
    unread += batch.envelope(line, "modelInput")
    if held == ["modelOutput"]:
        body = batch.member(line, "modelOutput", dict)
        protocol = _protocol(line, "modelOutput", batch.RESPONSE, of)
        return entry(kind=batch.RESPONSE, protocol=protocol, body=body, at=("modelOutput",))
    error = batch.member(line, "error", dict)
    message, status = batch.member(error, "errorMessage", str), batch.optional(error, "errorCode", int)
    unread += [*batch.unknown(error, {"errorCode", "errorMessage"}), *batch.envelope(error, "errorCode")]
    place = ("error", "errorMessage")
    return entry(kind=batch.ERROR, protocol=of[0], body=message, at=place, status=status)


def _protocol(line: batch.Object, name: str, kind: str, of: tuple[str, ...]) -> str:
    """Return the protocol of the body in a member. Raises Refusal if none of them reads it."""
    found = of if len(of) == 1 else [one.protocol for one in readings(line[name], kind) if one.protocol in of]
    if not found:
        raise Refusal("SHP-3", (line, name), f"expected a {kind} of {' or '.join(of)}")
    return found[0]


def _write(result: batch.Result) -> tuple[batch.Object, tuple[str, ...]]:
    if result.kind == batch.REQUEST:
        return {"recordId": result.id, "modelInput": result.body}, ()
    if result.kind == batch.RESPONSE:
        return {"recordId": result.id, "modelOutput": result.body}, ()
    code, message = ENDED.get(result.kind) or (result.status, result.body["message"])
    line = {"recordId": result.id, "error": {"errorCode": code, "errorMessage": message}}
    return line, ("BAT-2",) if result.kind in ENDED else ()


BEDROCK = batch.Format(name="Bedrock", looks=_looks, read=_read, write=_write, ids=IDS)


# --- Vertex AI --------------------------------------------------------------------------------------------------------


def vertex_result(line: batch.Object, protocol: str, named: str) -> batch.Entry:
    """Return the entry of a result from Vertex AI, whose `response` is empty or absent if `status` is an error.

    named  the member with the id
    """
    response, status = batch.optional(line, "response", dict), batch.optional(line, "status", str)
    if bool(response) == bool(status):
        raise Refusal("SHP-4", (line,), "expected either a `response` or a `status` with the text of an error")
    unread = batch.unknown(line, {named, "request", "response", "status", "processed_time"})
    unread += batch.envelope(line, "request", "processed_time", *(("status",) if response else ()))
    kind, name = (batch.RESPONSE, "response") if response else (batch.ERROR, "status")
    about: dict[str, Any] = {"protocol": protocol, "named": named, "id": batch.optional(line, named, str)}
    return batch.Entry(kind=kind, body=line[name], at=(name,), unread=unread, request=line["request"], **about)


def is_vertex_result(line: batch.Object) -> bool:
    return line.get("request") is not None and bool(line.get("response") is not None or line.get("status"))
