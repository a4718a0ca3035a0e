"""OpenAI's batch lines: requests of Chat Completions and Responses by `url`, and their results.

Sources: OpenAI's API reference, "The request input object" and "The request output object", which has the three codes
of requests that no model responded to. Rule: which protocol a body is of is shown by `url`, or by the body.
"""

from __future__ import annotations

from typing import Any

from ..binding.registry import backend
from ..json.types import found
from ..reporting.diagnostics import Refusal
from .lines import (
    CANCELED,
    ERROR,
    EXPIRED,
    REQUEST,
    RESPONSE,
    Entry,
    Format,
    Object,
    Result,
    envelope,
    member,
    optional,
    unknown,
)

CHAT, RESPONSES = "openai_chat_completions", "openai_responses"
INPUT = {"custom_id", "method", "url", "body"}
OUTPUT = {"id", "custom_id", "response", "error"}
HTTP = {"status_code", "request_id", "body"}
CODES = {"batch_cancelled": CANCELED, "batch_expired": EXPIRED}
MESSAGES = {
    CANCELED: "The batch was cancelled before this request was executed.",
    EXPIRED: "The batch expired before this request was executed.",
}
STATUSES = {"request_timeout": 504}
"""The HTTP statuses that other codes mean."""
CODE_OF = {outcome: code for code, outcome in CODES.items()}
SUCCESS = 200
"""The HTTP status that is written for a result of another vendor; any other one is reported where it is dropped."""


def looks(line: Object) -> bool:
    return "custom_id" in line and ("url" in line or "body" in line or "response" in line or "error" in line)


def read(line: Object, expected: str | None) -> Entry:
    if "response" in line or "error" in line:
        return _result(line, expected)
    method = optional(line, "method", str)
    if method not in (None, "POST"):
        raise Refusal("SHP-3", (line, "method"), f"expected 'POST', found {found(method)}")
    protocol = _by_url(line, expected)
    body = member(line, "body", dict)
    return Entry(
        kind=REQUEST,
        protocol=protocol,
        named="custom_id",
        id=optional(line, "custom_id", str),
        body=body,
        at=("body",),
        unread=unknown(line, INPUT),
    )


def _by_url(line: Object, expected: str | None) -> str:
    url = member(line, "url", str)
    paths = {path_of(name): name for name in (CHAT, RESPONSES)}
    protocol = paths.get(url)
    if protocol is None or expected not in (None, protocol):
        wanted = " or ".join(map(repr, paths)) if expected is None else repr(path_of(expected))
        raise Refusal("SHP-3", (line, "url"), f"expected {wanted}, found {found(url)}")
    return protocol


def path_of(protocol: str) -> str | None:
    http = backend(protocol).http
    return None if http is None else http.path


def _result(line: Object, expected: str | None) -> Entry:
    """Where there is an HTTP response, `error` is null; else it says why there is none."""
    common: dict[str, Any] = {"named": "custom_id", "id": optional(line, "custom_id", str)}
    unread = [*unknown(line, OUTPUT), *envelope(line, "id")]
    response, error = optional(line, "response", dict), optional(line, "error", dict)
    if (response is None) == (error is None):
        raise Refusal("SHP-4", (line,), "expected either `response` or `error` in a batch line")
    if error is not None:
        code = optional(error, "code", str) or ""
        outcome = CODES.get(code)
        protocol = expected or CHAT
        if outcome is not None:
            unread += [*unknown(error, {"code", "message"}), *envelope(error, "message")]
            return Entry(kind=outcome, protocol=protocol, unread=unread, **common)
        body, status = {"error": error}, STATUSES.get(code)
        return Entry(kind=ERROR, protocol=protocol, body=body, status=status, unread=unread, **common)
    status = member(response, "status_code", int)
    unread += [*unknown(response, HTTP), *envelope(response, "request_id")]
    unread += envelope(response, "status_code") if status != SUCCESS else []
    body, at = response.get("body"), ("response", "body")
    if not 200 <= status < 300:
        known = {"status": status, "body": body, "at": at, "unread": unread}
        return Entry(kind=ERROR, protocol=expected or CHAT, **known, **common)
    protocol = _by_body(member(response, "body", dict), response, expected)
    return Entry(kind=RESPONSE, protocol=protocol, body=body, at=at, status=status, unread=unread, **common)


def _by_body(body: Object, response: Object, expected: str | None) -> str:
    shown = RESPONSES if "output" in body else CHAT if "choices" in body else None
    if shown is None or expected not in (None, shown):
        wanted = {CHAT: "`choices`", RESPONSES: "`output`"}
        what = " or ".join(wanted.values()) if expected is None else wanted[expected]
        raise Refusal("SHP-3", (response, "body"), f"expected a response with {what}")
    return shown


def write(result: Result) -> tuple[Object, tuple[str, ...]]:
    if result.kind == REQUEST:
        line = {"custom_id": result.id, "method": "POST", "url": path_of(result.protocol), "body": result.body}
        return line, ()
    made: Object = {"custom_id": result.id, "response": None, "error": None}
    if result.kind in MESSAGES:
        made["error"] = {"code": CODE_OF[result.kind], "message": MESSAGES[result.kind]}
        return made, ("ENV-2",)
    made["response"] = {"status_code": result.status or SUCCESS, "body": result.body}
    return made, ()


FORMAT = Format(name="OpenAI", looks=looks, read=read, write=write)
