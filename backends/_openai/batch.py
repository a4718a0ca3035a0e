"""OpenAI's batch lines: requests of Chat Completions and Responses by `url`, and their results.

Sources: OpenAI's API reference, "The request input object" and "The request output object", which has the three codes
of requests that no model responded to; Azure's guide to its batches, whose `url` has no version or names a deployment;
Mistral's API reference, "Create Batch Job", whose lines have neither `method` nor `url`. Rule: `url` shows the protocol
of a body, or else the body does.
"""

from __future__ import annotations

import re
from typing import Any

from proxai_ir.json.types import found
from proxai_ir.protocol import batch
from proxai_ir.protocol.registry import backend, frontend
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.targets.settings import Server

INPUT = {"custom_id", "method", "url", "body"}
WHERE = ("method", "url")
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


AROUND = re.compile(r"^https?://[^/]*|[?#].*$")
"""What stands around the path in a URL."""
DEPLOYMENT = re.compile("/deployments/([^/]+)/")


def looks(line: batch.Object) -> bool:
    shown = bool({"url", "body", "response", "error"} & line.keys())
    return "custom_id" in line and shown and "request" not in line


def read(line: batch.Object, of: tuple[str, ...]) -> batch.Entry:
    if "response" in line or "error" in line:
        return _result(line, of)
    method = batch.optional(line, "method", str)
    if method not in (None, "POST"):
        raise Refusal("SHP-3", (line, "method"), f"expected 'POST', found {found(method)}")
    body, unread = batch.member(line, "body", dict), batch.unknown(line, INPUT)
    url = batch.optional(line, "url", str)
    protocol = _by_body(line, batch.REQUEST, of) if url is None else _by_url(line, of)
    deployment = DEPLOYMENT.search(url or "")
    if deployment is not None and body.get("model") is None:
        body = {"model": deployment[1], **body}
    elif deployment is not None and body["model"] != deployment[1]:
        unread += batch.envelope(line, "url")
    return batch.Entry(
        kind=batch.REQUEST,
        protocol=protocol,
        named="custom_id",
        id=batch.optional(line, "custom_id", str),
        body=body,
        at=("body",),
        unread=unread,
    )


def _by_url(line: batch.Object, of: tuple[str, ...]) -> str:
    """Return the protocol whose path ends a URL, with its version or without."""
    path, paths = AROUND.sub("", line["url"]), {one: name for name in of if (one := path_of(name)) is not None}
    for one, name in paths.items():
        if path.endswith(one.removeprefix("/v1")):
            return name
    expected = " or ".join(map(repr, paths))
    raise Refusal("SHP-3", (line, "url"), f"expected {expected}, found {found(line['url'])}")


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
    batch.member(response, "body", dict)
    protocol = _by_body(response, batch.RESPONSE, of)
    return batch.Entry(kind=batch.RESPONSE, protocol=protocol, body=body, at=at, status=status, unread=unread, **common)


def _by_body(holder: batch.Object, kind: str, of: tuple[str, ...]) -> str:
    """Return the protocol whose payloads of a kind have the members that the body of a line or response has."""
    shows = {one: frontend(one).discriminators[kind] for one in of}
    for one, sets in shows.items():
        if any(members <= holder["body"].keys() for members in sets):
            return one
    wanted = " or ".join(f"`{member}`" for sets in shows.values() for member in sorted(sets[0]))
    raise Refusal("SHP-3", (holder, "body"), f"expected a {kind} with {wanted}")


def has_urls(server: Server) -> bool:
    """Return whether the server's lines say where a request goes, as all do of a protocol without the setting."""
    return bool(getattr(server, "batch_urls", True))


def write(result: batch.Result) -> tuple[batch.Object, tuple[str, ...]]:
    if result.kind == batch.REQUEST:
        where = {"method": "POST", "url": path_of(result.protocol)} if has_urls(result.server) else {}
        return {"custom_id": result.id, **where, "body": result.body}, ()
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
    return {**{name: value for name, value in line.items() if name not in WHERE}, **made}


def fits(line: batch.Object, server: Server) -> bool:
    """Return whether a request's line has a URL if the server's lines do, and else has none."""
    return "body" not in line or has_urls(server) == ("url" in line)


FORMAT = batch.Format(name="OpenAI", looks=looks, read=read, write=write, keep=keep, fits=fits)
