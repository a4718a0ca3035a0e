"""The public functions: convert, compile, check, lower, raise_to.

Rule 1: whatever a payload holds, what comes out is a result or a TranslationError. Rule 2: arguments are not changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .diagnostics import (
    Diagnostic,
    InvalidPayload,
    Record,
    Refusal,
    TranslationError,
    Unrepresentable,
    render,
    too_deep,
)
from .ir.copying import copy_tree
from .ir.error import Error
from .ir.request import Request, Streaming
from .ir.response import Response
from .json_bytes import BINARY, dumped, parsed, parsed_error_body
from .options import quotes
from .passes.failures import as_error
from .passes.relayed import holds_envelopes
from .profile import Profile, protocol_of
from .registry import Backend, Frontend, read_error
from .report import Report
from .routes import Route, bound, reading_side
from .streaming.events import Stream

Json = Any
Node = Request | Response | Error | Stream
NODES = (Request, Response, Error, Stream)
Server = str | Profile

KINDS = ("request", "response", "error", "stream")


class Conversion:
    """The result of a conversion.

    `output` is bytes where bytes came in, else parsed JSON; `diagnostics` name what was lost, approximated or filled
    in, in the order in which it was found; `kind` is that of the output: "request", "response" or "error". `state` is
    plain JSON: pass it as the option `state` when the response is converted back, to undo what was done to its tools.

    `headers` are the HTTP headers that the output needs, by lower-case name: send them with it. `route` is what targets
    have in the URL instead of the body: the model, whether the response is streamed, and the path that says both.
    """

    __slots__ = ("_diagnostics", "_unrendered", "dst", "headers", "kind", "output", "route", "src", "state")

    def __init__(
        self,
        output: Json,
        diagnostics: tuple[Diagnostic, ...],
        kind: str,
        src: str,
        dst: str,
        state: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        unrendered: tuple[list[Record], Json, bool] | None = None,
        route: dict[str, Any] | None = None,
    ) -> None:
        """`unrendered`: records and source of the diagnostics and whether they quote values; they are rendered when
        they are first read."""
        self.output = output
        self.kind = kind
        self.src = src
        self.dst = dst
        self.state = state or {}
        self.headers = headers or {}
        self.route = route or {}
        self._diagnostics = diagnostics
        self._unrendered = unrendered

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        unrendered = self._unrendered
        if unrendered is not None:
            records, source, quote_values = unrendered
            self._diagnostics = render(records, source, tree=True, quote_values=quote_values)
            self._unrendered = None
        return self._diagnostics

    def __getstate__(self) -> object:
        _ = self.diagnostics
        return super().__getstate__()

    def __repr__(self) -> str:
        return f"<Conversion of a {self.kind}, {self.src} to {self.dst}, {len(self.diagnostics)} diagnostics>"


def convert(payload: Json, src: Server, dst: Server, *, kind: str | None = None, **options: Any) -> Json:
    """The payload in another protocol: parsed JSON in, parsed JSON out; bytes in, bytes out.

    A stream is the list of its events, in bytes server-sent events. Bytes are read by orjson, to which integers beyond
    64 bits are floats; where that matters, hand over parsed JSON.

    src, dst  the names of the protocols, or Profiles of the servers that are meant
    kind      "request", "response", "error" or "stream"; detected from the payload's members if left out
    options   strict=True refuses every loss but those under the rules of accept=("SVC-2", …); model="…" is the model
              where the source has it outside the body, and the one that a response is to name; response_id="…" and
              created=… are the id and the time of a response without them; status=429
              is the HTTP status of an error body; emulate="auto" sends custom tools as functions to a target without
              them, and state=… gives the response the source's tools and names back, and its calls ids that are new to
              the conversation; carry_seals=True wraps other
              vendors' reasoning signatures so that they come back with the next request, seal_keys={"id": b"…"} does so
              in envelopes that only holders of the key can make; quote_values=False keeps the payload's values out of
              all messages; capabilities of the target are options too, True or False, as in a Profile; spec/ lists the
              options of each target

    Raises InvalidPayload where the payload is not what `src` and `kind` claim, Unrepresentable where `dst` has no
    equivalent for it and dropping it is not allowed, TypeError for an unknown option or one of the wrong type.
    From a protocol to itself the payload is checked and returned as it is; with `carry_seals` or `seal_keys` without
    envelopes (RSN-27).
    """
    try:
        if _is_stream(payload, kind):
            return _stream(payload, src, dst, options)[0]
        return converted(payload, src, dst, kind, options)[0]
    except RecursionError as error:
        raise too_deep(error) from None


def compile(payload: Json, src: Server, dst: Server, *, kind: str | None = None, **options: Any) -> Conversion:
    """The same as `convert`, with diagnostics for all that was lost, approximated or filled in."""
    try:
        if _is_stream(payload, kind):
            return Conversion(*_stream(payload, src, dst, options), "stream", protocol_of(src), protocol_of(dst))
        output, report, source, kind, node, back, known = converted(payload, src, dst, kind, options)
        headers = None if back.headers is None else back.headers(node, known)
        way = None if back.route is None else back.route(node, known)
        about = (kind, protocol_of(src), back.protocol, report.state, headers)
        if source is payload:  # which the caller may change before reading the diagnostics
            found = render(report.records, payload, quote_values=quotes(options))
            return Conversion(output, found, *about, route=way)
        return Conversion(output, (), *about, (report.records, source, quotes(options)), way)
    except RecursionError as error:
        raise too_deep(error) from None


def check(
    payload: Json, src: Server, dst: Server, *, kind: str | None = None, **options: Any
) -> tuple[Diagnostic, ...]:
    """The diagnostics that a conversion would have; a refusal is among them instead of being raised."""
    try:
        if _is_stream(payload, kind):
            from .streaming.whole import checked

            return checked(_events(payload), src, dst, options)
        return compile(payload, src, dst, kind=kind, **options).diagnostics
    except TranslationError as error:
        return error.diagnostics
    except RecursionError as error:
        return too_deep(error).diagnostics


def lower(payload: Json, src: Server, *, kind: str | None = None, quote_values: bool = True) -> Node:
    """The IR of a payload. Raises InvalidPayload; for a stream also StreamError."""
    options = {"quote_values": quote_values}
    try:
        if _is_stream(payload, kind):
            from .streaming.whole import lowered

            return lowered(_events(payload), src, options)
        front = reading_side(src)
        source = _parsed(payload, kind) if isinstance(payload, BINARY) else payload
        node: Node = _lowered(source, front, kind, options)[0]
        return node
    except RecursionError as error:
        raise too_deep(error) from None


def raise_to(node: Node, dst: Server, **options: Any) -> Json:
    """The wire payload of an IR tree, which is not changed. Raises Unrepresentable."""
    if not isinstance(node, NODES):
        raise TypeError(f"expected a Request, Response, Error or Stream, found {type(node).__name__}")
    try:
        if isinstance(node, Stream):
            from .streaming.whole import raised

            return raised(node, dst, options)
        source = node.protocol
        way, known = bound(protocol_of(dst) if source is None else source, dst, options)
        if source == protocol_of(dst):
            return way.relay(copy_tree(node), known)[0] if holds_envelopes(node, known) else way.restored(node, known)
        if source is None:
            way = Route(None, way.back)
        return way.write(copy_tree(as_error(node)), known)[0]
    except Refusal as refusal:
        raise Unrepresentable(refusal.taken(node.src, quotes(options))) from None
    except RecursionError as error:
        raise too_deep(error) from None


# --- streams ----------------------------------------------------------------------------------------------------------


def _is_stream(payload: Json, kind: str | None) -> bool:
    return kind == "stream" or (kind is None and isinstance(payload, list))


def _stream(payload: Json, src: Server, dst: Server, options: Mapping[str, Any]) -> tuple[Json, tuple[Diagnostic, ...]]:
    from .framing.sse import encode
    from .streaming.whole import converted

    events, diagnostics = converted(_events(payload), src, dst, options)
    if protocol_of(src) == protocol_of(dst):
        return payload, diagnostics
    if isinstance(payload, BINARY):
        return b"".join([encode(event, protocol_of(dst)) for event in events]), diagnostics
    return events, diagnostics


def _events(payload: Json) -> list[Json]:
    """The events of a stream, from their list or from the bytes that a server sent."""
    if isinstance(payload, BINARY):
        from .framing.sse import decode

        return list(decode([bytes(payload)]))
    if not isinstance(payload, list):
        what = f"expected a list of events or bytes as the stream, found {type(payload).__name__}"
        raise InvalidPayload(render([("SHP-1", None, what)], payload, refused=True))
    return payload


# --- the steps --------------------------------------------------------------------------------------------------------


Converted = tuple[Json, Report, Json, str, Any, Backend, Mapping[str, Any]]
"""Output, report, the source as parsed JSON, the kind of the output, the tree that it was written from, the backend and
all options. A plain tuple, which costs less than naming them in every conversion."""


def converted(payload: Json, src: Server, dst: Server, kind: str | None, options: Mapping[str, Any]) -> Converted:
    way, known = bound(src, dst, options)
    front, back = way.front, way.back
    assert front is not None  # as `src` is a protocol
    binary = isinstance(payload, BINARY)
    source = _parsed(payload, kind) if binary else payload
    node, kind = _lowered(source, front, kind, options)
    if type(node) is Error:
        node.status = None  # the caller's own option, which decided the category and is no finding
    elif known.get("stream") is not None and type(node) is Request and node.streaming is None:
        node.streaming = Streaming(known["stream"], known["stream"] or None)
    same = front.protocol == back.protocol
    if same and not holds_envelopes(node, known):
        return payload, NOTHING, source, kind, node, back, known
    failure = as_error(node)
    if failure is not node:
        node, kind = failure, "error"
    try:
        made, report = (way.relay if same else way.write)(node, known)
        return dumped(made) if binary else made, report, source, kind, node, back, known
    except Refusal as refusal:
        raise Unrepresentable(refusal.taken(source, quotes(options))) from None


NOTHING = Report({}, {})  # what is found between a protocol and itself


def _parsed(payload: bytes | bytearray | memoryview, kind: str | None) -> Json:
    return parsed_error_body(payload) if kind == "error" else parsed(payload)


def _lowered(payload: Json, front: Frontend, kind: str | None, options: Mapping[str, Any]) -> tuple[Any, str]:
    """What the frontend read, and of what kind that is."""
    try:
        kind = kind or front.detect(payload)
        if kind == "request" or kind == "response":
            if not isinstance(payload, dict):
                raise Refusal("SHP-1", None, f"expected an object as the {kind}, found {type(payload).__name__}")
            if kind == "request":
                return front.request(payload), kind
            node = front.response(payload)
            return node, kind if type(node) is Response else "error"  # a failed response (STS-9)
        if kind == "error":
            return read_error(front, payload, options.get("status")), kind
        raise Refusal("SHP-9", None, f"unknown kind {kind!r:.80}; expected one of {', '.join(KINDS)}")
    except Refusal as refusal:
        refusal.records = _hinted(refusal.records, payload, kind, front)
        raise InvalidPayload(refusal.taken(payload, quotes(options))) from None


def _hinted(records: list[Record], payload: Json, kind: str | None, front: Frontend) -> list[Record]:
    """The first of them also names the protocol that the payload looks like, if another one reads it."""
    from .resemblance import resembled

    name = resembled(payload, kind, front)
    (rule, place, detail), *others = records
    hint = f"the payload looks like {name}"
    return [(rule, place, f"{detail}; {hint}" if detail else hint), *others] if name else records
