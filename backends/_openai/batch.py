"""OpenAI's batch lines: requests of Chat Completions and Responses by `url`, and their results.

Sources: OpenAI's API reference, "The request input object" and "The request output object", which has the three codes
of requests that no model responded to. Rule: which protocol a body is of is shown by `url`, or by the body.
"""

from __future__ import annotations

from typing import Any

from proxai_ir.json.types import found
from proxai_ir.protocol import batch
from proxai_ir.protocol.registry import backend, frontend
from proxai_ir.reporting.diagnostics import Refusal

INPUT = {"custom_id", "method", "url", "body"}
OUTPUT = {"id", "custom_id", "response", "error"}
HTTP = {"status_code", "request_id", "body"}
CODES = {"batch_cancelled": batch.CANCELED, "batch_expired": batch.EXPIRED}
MESSAGES = {
    batch.CANCELED: "The batch was cancelled before this request was executed.",
    batch.EXPIRED: "The batch expired before this request was executed.",
}
STATUSES = {"request_timeout": 504}
"""The HTTP statuses that other codes mean."""
CODE_OF = {outcome: code for code, outcome in CODES.items()}
SUCCESS = 200
"""The HTTP status that is written for a result of another vendor; any other one is reported where it is dropped."""


def looks(line: batch.Object) -> bool:
    return "custom_id" in line and ("url" in line or "body" in line or "response" in line or "error" in line)


def read(line: batch.Object, of: tuple[str, ...]) -> batch.Entry:
    if "response" in line or "error" in line:
        return _result(line, of)
    method = batch.optional(line, "method", str)
    if method not in (None, "POST"):
        raise Refusal("SHP-3", (line, "method"), f"expected 'POST', found {found(method)}")
    url, paths = batch.member(line, "url", str), {path_of(name): name for name in of}
    if url not in paths:
        raise Refusal("SHP-3", (line, "url"), f"expected {' or '.join(map(repr, paths))}, found {found(url)}")
    body = batch.member(line, "body", dict)
    return batch.Entry(
        kind=batch.REQUEST,
        protocol=paths[url],
        named="custom_id",
        id=batch.optional(line, "custom_id", str),
        body=body,
        at=("body",),
        unread=batch.unknown(line, INPUT),
    )


def path_of(protocol: str) -> str | None:
    http = backend(protocol).http
    return None if http is None else http.path


def _result(line: batch.Object, of: tuple[str, ...]) -> batch.Entry:
    """Return the entry of a result line, which has either a response or an error that says why there is none.

    The body of an error is the same in every protocol of the vendor.
    """
    common: dict[str, Any] = {"named": "custom_id", "id": batch.optional(line, "custom_id", str)}
    unread = [*batch.unknown(line, OUTPUT), *batch.envelope(line, "id")]
    response, error = batch.optional(line, "response", dict), batch.optional(line, "error", dict)
    if (response is None) == (error is None):
        raise Refusal("SHP-4", (line,), "expected either `response` or `error` in a batch line")
    if error is not None:
        code = batch.optional(error, "code", str) or ""
        outcome = CODES.get(code)
        if outcome is not None:
            unread += [*batch.unknown(error, {"code", "message"}), *batch.envelope(error, "message")]
            return batch.Entry(kind=outcome, protocol=of[0], unread=unread, **common)
        body, status = {"error": error}, STATUSES.get(code)
        return batch.Entry(kind=batch.ERROR, protocol=of[0], body=body, status=status, unread=unread, **common)
    status = batch.member(response, "status_code", int)
    unread += [*batch.unknown(response, HTTP), *batch.envelope(response, "request_id")]
    unread += batch.envelope(response, "status_code") if status != SUCCESS else []
    body, at = response.get("body"), ("response", "body")
    if not 200 <= status < 300:
        known = {"status": status, "body": body, "at": at, "unread": unread}
        return batch.Entry(kind=batch.ERROR, protocol=of[0], **known, **common)
    protocol = _by_body(batch.member(response, "body", dict), response, of)
    return batch.Entry(kind=batch.RESPONSE, protocol=protocol, body=body, at=at, status=status, unread=unread, **common)


def _by_body(body: batch.Object, response: batch.Object, of: tuple[str, ...]) -> str:
    """Return the protocol whose responses have the members that the body has."""
    shows = {name: frontend(name).discriminators["response"][0] for name in of}
    for name, members in shows.items():
        if members <= body.keys():
            return name
    wanted = " or ".join(f"`{member}`" for members in shows.values() for member in members)
    raise Refusal("SHP-3", (response, "body"), f"expected a response with {wanted}")


def write(result: batch.Result) -> tuple[batch.Object, tuple[str, ...]]:
    if result.kind == batch.REQUEST:
        line = {"custom_id": result.id, "method": "POST", "url": path_of(result.protocol), "body": result.body}
        return line, ()
    made: batch.Object = {"custom_id": result.id, "response": None, "error": None}
    if result.kind in MESSAGES:
        made["error"] = {"code": CODE_OF[result.kind], "message": MESSAGES[result.kind]}
        return made, ("ENV-2",)
    made["response"] = {"status_code": result.status or SUCCESS, "body": result.body}
    return made, ()


def keep(line: batch.Object, made: batch.Object, alike: bool) -> batch.Object:
    """Return the line with another body, converted between two protocols of the vendor.

    `alike`: the result is of the same kind, and keeps its status.
    """
    if line.get("response") is not None:
        status = line["response"]["status_code"] if alike else made["response"]["status_code"]
        made["response"] = {**line["response"], **made["response"], "status_code": status}
    return {**line, **made}


FORMAT = batch.Format(name="OpenAI", looks=looks, read=read, write=write, keep=keep)
