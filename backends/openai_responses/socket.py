"""Responses over a WebSocket: the events of clients, and how a stream's events and errors stand on it.

Sources: OpenAI's guide "WebSocket mode"; the `openai` package (`ResponsesClientEvent`, `ResponsesServerEvent`); for
`response.processed` and the headers beside an error the source of Codex. All read in November 2026.

Rule 1: events are those of a stream over HTTP, with the `stream_id` of their request. Rule 2: an error is an event with
the HTTP status and body that the request would have got. Rule 3: a response has one last event, by which clients know
that the next one is another's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from proxai_ir import ir
from proxai_ir.protocol.http import Asked, Socket
from proxai_ir.wire import openai_responses as wire

from .write import USAGE, envelope

Json = Any
Object = dict[str, Any]

CREATE, STEER, PROCESSED = "response.create", "response.steer", "response.processed"
OF_SOCKET = frozenset({"type", "stream_id", "generate", "background"})
"""Members of an event that a request over HTTP has not, or may not have here."""
LANE = re.compile(r"[\w.-]{1,256}", re.ASCII)
LANES, AT_ONCE = 32, 16
ENCRYPTED = "reasoning.encrypted_content"
INVALID_LANE = "'stream_id' is not valid; expected 1 to 256 letters, digits, underscores, hyphens and periods."


# --- events of clients ------------------------------------------------------------------------------------------------


def read(event: Json) -> Asked | Object | None:
    """Return what a client asks for, or the event that answers it."""
    kind = event.get("type") if isinstance(event, dict) else None
    if kind == PROCESSED:
        return None
    if kind == STEER:
        return _not_steered(event)
    if kind != CREATE:
        return refused(None, f"There is no event {kind!r:.80} here; expected '{CREATE}'.", "type")
    lane, generate = event.get("stream_id"), event.get("generate")
    if lane is not None and not (isinstance(lane, str) and LANE.fullmatch(lane)):
        return refused("invalid_stream_id", INVALID_LANE, "stream_id")
    if event.get("background") not in (None, False):
        return refused(None, "'background' is not supported over a WebSocket.", "background", lane)
    if generate is not None and type(generate) is not bool:
        return refused(None, f"'generate' is {generate!r:.80}; expected a boolean.", "generate", lane)
    request = {name: value for name, value in event.items() if name not in OF_SOCKET}
    generates = generate is not False or wire.prewarms(request)  # a provider fills the cache without output
    return Asked({**request, **_with_reasoning(request), "stream": True}, lane, generates)


def _with_reasoning(request: Object) -> Object:
    """Return what makes a response whose provider does not store it complete: the reasoning, which the next request on
    the socket sends back."""
    asked = request.get("include") or []
    if request.get("store") is not False or not isinstance(asked, list) or ENCRYPTED in asked:
        return {}
    return {"include": [*asked, ENCRYPTED]}


def _not_steered(event: Object) -> Object:
    """Return the event for input that is to steer a response, which the gateway cannot do."""
    message = "Responses are not steered here; send the input with the next 'response.create'."
    return {
        "type": "response.steer.failed",
        "sequence_number": 0,
        "error": {"type": "invalid_request_error", "code": "steering_not_supported", "message": message},
        "steer": {name: event.get(name) for name in ("input", "previous_response_id")},
    }


# --- events of the server ---------------------------------------------------------------------------------------------


class Frames:
    """The events of one response. The last one of a stream that fails is its `response.failed`, or else its error."""

    def __init__(self, lane: str | None) -> None:
        self._lane = _of(lane)
        self._failure: list[Object] = []

    def feed(self, event: Json) -> list[Object]:
        if not isinstance(event, dict):  # a word that ends the streams of some servers
            return []
        if event.get("type") == "error":
            self._failure = [_nested(event) | self._lane]
            return []
        if event.get("type") == "response.failed":
            self._failure = []
        return [event | self._lane]

    def close(self) -> list[Object]:
        return self._failure


def _nested(event: Object) -> Object:
    """Return an error of a stream as sockets have it."""
    if isinstance(event.get("error"), dict):
        return event
    found = {"type": "server_error"} | {name: event.get(name) for name in ("code", "message", "param")}
    return {"type": "error", "sequence_number": event.get("sequence_number"), "error": found}


def error(status: int, body: Json, headers: Mapping[str, str], lane: str | None) -> Object:
    """Return the event for an error over HTTP.

    It has the headers twice: the official client reads them from the member `error`, Codex from the event itself.
    """
    found = body.get("error") if isinstance(body, dict) else None
    if not isinstance(found, dict):
        found = {"type": "server_error", "code": None, "message": str(body), "param": None}
    own = {**headers}
    return {"type": "error", "status": status, "error": {**found, "headers": own}, "headers": own} | _of(lane)


def refused(code: str | None, message: str, param: str | None, lane: str | None = None) -> Object:
    found = {"type": "invalid_request_error", "code": code, "message": message, "param": param}
    return {"type": "error", "status": 400, "error": found} | _of(lane)


def prepared(request: Object, name: str, now: int) -> list[Object]:
    """Return the events of a response without output, to which later requests can refer."""
    identity, model = f"resp_{name}", request.get("model")
    made = envelope(ir.Response(None, identity, model, [], created=now))
    made |= {"output": [], "error": None, "incomplete_details": None}
    begun, done = {**made, "status": "in_progress"}, {**made, "status": "completed"}
    done["usage"] = USAGE.write(ir.Usage(input=0, output=0, total=0))
    steps = [("created", begun), ("in_progress", begun), ("completed", done)]
    return [
        {"type": f"response.{kind}", "sequence_number": number, "response": response}
        for number, (kind, response) in enumerate(steps)
    ]


def crowded(lane: str) -> Object:
    message = f"This connection has {LANES} values of 'stream_id', the most; use one of them, or another connection."
    return refused("websocket_stream_limit_reached", message, "stream_id", lane)


def expired(seconds: float, lane: str | None) -> Object:
    message = f"This connection has lasted {seconds / 60:g} minutes, the longest; go on with another one."
    return refused("websocket_connection_limit_reached", message, None, lane)


def _of(lane: str | None) -> Object:
    return {} if lane is None else {"stream_id": lane}


SOCKET = Socket(
    read=read,
    frames=Frames,
    error=error,
    prepared=prepared,
    crowded=crowded,
    expired=expired,
    lanes=LANES,
    at_once=AT_ONCE,
    headers={"openai-beta": "responses_websockets"},
)
