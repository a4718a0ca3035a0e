"""The public functions: convert, compile, check, lower, raise_to.

Rule 1: whatever a payload holds, what comes out is a result or a TranslationError. Rule 2: arguments are not changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import is_
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar, Unpack, overload

from .conversion.bytes import BINARY, parsed
from .conversion.conversion import Conversion, Json, JsonObject, Root, ending_of
from .conversion.directions import KINDS as KINDS
from .conversion.directions import Direction, Shown, bound, in_plain_objects
from .conversion.directions import Kind as Kind
from .conversion.directions import read as read
from .conversion.options import checked_headers, checked_status, quotes
from .conversion.profile import Profile, protocol_of
from .conversion.settings import Options, Reading
from .ir.error import Error
from .ir.request import Request
from .ir.response import Response
from .ir.stream.events import Stream
from .ir.structure import copy_tree
from .json.objects import Model, as_payload
from .passes.changes import changes_something
from .passes.endings import as_error
from .protocol.detection import is_stream
from .protocol.registry import framing_of, frontend
from .reporting.diagnostics import (
    Diagnostic,
    Refusal,
    TranslationError,
    UnknownProtocol,
    Unrepresentable,
    mistake,
    too_deep,
)

if TYPE_CHECKING:
    from .streaming.converter import StreamConverter

Node = Root | Stream
NODES = (Request, Response, Error, Stream)
Server = str | Profile
Headers = Mapping[str, str]
Payload = TypeVar("Payload", bytes, JsonObject, list[Any])
"""The output has the type of the payload."""
NoObject = list[Any] | str | int | float | bool | None
"""The body of an error that does not have its protocol's shape (ERR-5)."""


@overload
def convert(
    payload: NoObject, src: Server, dst: Server, *, kind: Literal["error"], **options: Unpack[Options]
) -> Json: ...
@overload
def convert(
    payload: Payload, src: Server, dst: Server, *, kind: Kind | None = ..., **options: Unpack[Options]
) -> Payload: ...
@overload
def convert(
    payload: Model, src: Server, dst: Server, *, kind: Kind | None = ..., **options: Unpack[Options]
) -> JsonObject: ...
@overload
def convert(
    payload: Iterator[Any], src: Server, dst: Server, *, kind: Kind | None = ..., **options: Unpack[Options]
) -> list[Any]: ...
@overload
def convert(
    payload: bytearray | memoryview, src: Server, dst: Server, *, kind: Kind | None = ..., **options: Unpack[Options]
) -> bytes | bytearray | memoryview: ...
@overload
def convert(
    payload: Json, src: Server, dst: Server, *, kind: Kind | None = ..., output_type: Any, **options: Unpack[Options]
) -> Any: ...
def convert(
    payload: Json,
    src: Server,
    dst: Server,
    *,
    kind: Kind | None = None,
    output_type: Any = None,
    **options: Unpack[Options],
) -> Json:
    """Return the payload in another protocol: parsed JSON in, parsed JSON out; bytes in, bytes out.

    A stream is the list of its events, or bytes as its protocol has them. Bytes are read by orjson, to which integers
    beyond 64 bits are floats; if that matters, pass parsed JSON.

    src, dst     the names of the protocols, or Profiles of the servers
    kind         "request", "response", "error" or "stream"; detected from the payload's members if left out
    output_type  a class of the target's SDK, such as `anthropic.types.Message`: the output is an instance of it, or for
                 a stream a list of them; raises TypeError if the class does not hold the output
    options      strict=True refuses every loss, except those under the rules of accept=("SVC-2", …)
                 model="…" is the model if the source has it outside the body, and the one that a response is to name
                 response_id="…", created=… are the id and the time of a response that has none
                 status=429 is the HTTP status of an error body; headers={"name": "value"} are those of a response or an
                 error, for protocols that have something there
                 emulate="auto" sends custom tools as functions to a target without them; state=… gives the response the
                 source's tools and names back, and its calls ids that are new to the conversation
                 seals=Seals() wraps other vendors' reasoning signatures so that they come back with the next request
                 (Seals(ids=True): those of calls in their ids, for clients that send nothing else back); with
                 Seals(keys={"id": b"…"}) in envelopes that only holders of the key can make
                 quote_values=False keeps the payload's values out of all messages
                 spec/README.md lists the options; what a server takes is stated in its Profile

    Raises InvalidPayload if the payload is not what `src` and `kind` claim, and Unrepresentable if `dst` has no
    equivalent for it and dropping it is not allowed. For mistakes of the caller it raises UnknownProtocol (a protocol
    or kind that does not exist) and TypeError (an unknown option, or one of the wrong type).
    From a protocol to itself the payload is checked and returned as it is; with `seals` without envelopes
    (RSN-27).
    """
    if output_type is not None:
        from .conversion.bytes import typed

        return typed(convert(payload, src, dst, kind=kind, **options), output_type)
    try:
        if is_stream(payload, kind):
            return _stream(payload, src, dst, options)[0]
        way, known = bound(src, dst, options)
        return way.convert(payload, kind, known).output
    except RecursionError as error:
        raise too_deep(error) from None
    except Exception as error:
        again = in_json(error, payload, kind, src)
    return convert(again, src, dst, kind=kind, **options)


@overload
def compile(
    payload: NoObject, src: Server, dst: Server, *, kind: Literal["error"], **options: Unpack[Options]
) -> Conversion[Json]: ...
@overload
def compile(
    payload: Payload, src: Server, dst: Server, *, kind: Kind | None = ..., **options: Unpack[Options]
) -> Conversion[Payload]: ...
@overload
def compile(
    payload: Model, src: Server, dst: Server, *, kind: Kind | None = ..., **options: Unpack[Options]
) -> Conversion[JsonObject]: ...
@overload
def compile(
    payload: Iterator[Any], src: Server, dst: Server, *, kind: Kind | None = ..., **options: Unpack[Options]
) -> Conversion[list[Any]]: ...
@overload
def compile(
    payload: bytearray | memoryview, src: Server, dst: Server, *, kind: Kind | None = ..., **options: Unpack[Options]
) -> Conversion[bytes | bytearray | memoryview]: ...
def compile(
    payload: Json, src: Server, dst: Server, *, kind: Kind | None = None, **options: Unpack[Options]
) -> Conversion[Json]:
    """Return the output of `convert` with diagnostics for all that was lost, approximated or filled in."""
    try:
        if is_stream(payload, kind):
            output, by = _stream(payload, src, dst, options)
            about = (by.finishes, by.usage)
            return Conversion(output, "stream", protocol_of(src), protocol_of(dst), found=by.diagnostics, ending=about)
        if isinstance(payload, BINARY):
            way, known = bound(src, dst, options)
            return Conversion(*way.convert(payload, kind, known))
        done = converted(payload, src, dst, kind, options)
        _ = done.diagnostics  # as the caller may change the payload before reading them
        return done
    except RecursionError as error:
        raise too_deep(error) from None
    except Exception as error:
        again = in_json(error, payload, kind, src)
    return compile(again, src, dst, kind=kind, **options)


def check(
    payload: Json, src: Server, dst: Server, *, kind: Kind | None = None, **options: Unpack[Options]
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics that a conversion would have, with those of its refusal, which is not raised."""
    try:
        try:
            if is_stream(payload, kind):
                from .streaming.whole import checked, events_of

                return checked(events_of(payload, src), src, dst, options)
            way, known = bound(src, dst, options)
            return Conversion(*way.convert(payload, kind, known)).diagnostics
        except RecursionError as error:
            raise too_deep(error) from None
        except Exception as error:
            again = in_json(error, payload, kind, src)
    except TranslationError as refusal:
        return refusal.diagnostics
    return check(again, src, dst, kind=kind, **options)


@overload
def lower(payload: Json, src: Server, *, kind: Literal["request"], **options: Unpack[Reading]) -> Request: ...
@overload
def lower(payload: Json, src: Server, *, kind: Literal["response"], **options: Unpack[Reading]) -> Response | Error: ...
@overload
def lower(payload: Json, src: Server, *, kind: Literal["error"], **options: Unpack[Reading]) -> Error: ...
@overload
def lower(payload: Json, src: Server, *, kind: Literal["stream"], **options: Unpack[Reading]) -> Stream: ...
@overload
def lower(payload: Json, src: Server, *, kind: Kind | None = ..., **options: Unpack[Reading]) -> Node: ...
def lower(
    payload: Json,
    src: Server,
    *,
    kind: Kind | None = None,
    status: int | None = None,
    headers: Headers | None = None,
    quote_values: bool = True,
) -> Node:
    """Return the IR of a payload. Raises InvalidPayload; for a stream also StreamError.

    status   the HTTP status that an error's body came with, which may decide its category
    headers  those that a response, an error or a stream came with, by lower-case name
    """
    options: dict[str, Any] = {"quote_values": quote_values, "status": checked_status(status)}
    if headers is not None:
        options["headers"] = checked_headers(headers)
    try:
        if is_stream(payload, kind):
            from .streaming.whole import events_of, lowered

            return lowered(events_of(payload, src), src, options)
        source = parsed(payload, kind) if isinstance(payload, BINARY) else payload
        node: Node = read(source, frontend(src), kind, options)[0]
        return node
    except RecursionError as error:
        raise too_deep(error) from None
    except Exception as error:
        again = in_json(error, payload, kind, src)
    return lower(again, src, kind=kind, status=status, headers=headers, quote_values=quote_values)


@overload
def raise_to(node: Request | Response, dst: Server, **options: Unpack[Options]) -> JsonObject: ...
@overload
def raise_to(node: Stream, dst: Server, **options: Unpack[Options]) -> list[Json]: ...
@overload
def raise_to(node: Node, dst: Server, **options: Unpack[Options]) -> Json: ...
def raise_to(node: Node, dst: Server, **options: Unpack[Options]) -> Json:
    """Return the wire payload of an IR tree, which is not changed. Raises Unrepresentable.

    The option `status` is the HTTP status that an error will be sent with, which some protocols repeat in the body.
    """
    if not isinstance(node, NODES):
        raise TypeError(f"expected a Request, Response, Error or Stream, found {type(node).__name__}")
    try:
        if isinstance(node, Stream):
            from .streaming.whole import raised

            return raised(node, dst, options)
        source = node.protocol
        way, known = bound(protocol_of(dst) if source is None else source, dst, options)
        if source == protocol_of(dst):
            root = copy_tree(node)
            made = way.relay(root, known)[0] if way.relaying.concerns(root, known) else None
            return way.restored(node, known) if made is None else in_plain_objects(made, root)
        if source is None:
            way = Direction(None, way.back)
        root = copy_tree(as_error(node))
        if type(root) is Request and not root.changes:
            root.changes = changes_something(root)
        if type(root) is Error and known.get("status") is not None:
            root.status = None  # that of the response that it was read from
        return in_plain_objects(way.write(root, known)[0], root)
    except Refusal as refusal:
        raise Unrepresentable(refusal.taken(node.src, quotes(options))) from None
    except RecursionError as error:
        raise too_deep(error) from None
    except Exception as error:
        raise_known(error)


# --- errors -----------------------------------------------------------------------------------------------------------


def in_json(error: Exception, payload: Json, kind: str | None, src: Server) -> Json:
    """Return the payload in JSON, for a second attempt, if it failed because it is or holds objects of an SDK; raise
    its error otherwise.

    Only a payload that failed is searched for such objects. Raises TypeError for what is not a payload.
    """
    again = payload
    sound = isinstance(error, Unrepresentable) and error.rule != "SHP-7"
    if not sound and not isinstance(error, UnknownProtocol):
        again = as_payload(payload, kind, frontend(src).client_only)
    if again is not payload:
        return again
    try:
        raise_known(error)
    finally:
        del error  # a traceback holds this frame: the error in it would be garbage that only the collector frees


def raise_known(error: Exception) -> NoReturn:
    """Raise the error that a caller gets for an exception: TranslationError for a mistake of a package's author.

    Callers handle a RecursionError themselves, since there may be no room on the stack for one more call.
    """
    try:
        if wrong := mistake(error):
            raise wrong from error
        raise error
    finally:
        del error  # as above


# --- streams ----------------------------------------------------------------------------------------------------------


def _stream(payload: Json, src: Server, dst: Server, options: Mapping[str, Any]) -> tuple[Json, StreamConverter]:
    from .streaming.whole import converted, events_of

    events, by = converted(events_of(payload, src), src, dst, options)
    if protocol_of(src) == protocol_of(dst):
        same = isinstance(payload, BINARY) or all(map(is_, events, payload))  # and no objects of a client's
        return payload if same else events, by
    if isinstance(payload, BINARY):
        protocol, encode = protocol_of(dst), framing_of(dst).encode
        return b"".join([encode(event, protocol) for event in events]), by
    return events, by


# --- for batch files, rows and exchanges ------------------------------------------------------------------------------


def compiled(
    payload: Json, kind: str | None, way: Direction, known: Mapping[str, Any], hook: Shown | None = None
) -> Conversion[Any]:
    """Return the conversion of a payload that is no stream, as `compile` does, in a direction that is bound."""
    assert way.front is not None
    try:
        return Conversion(*way.convert(payload, kind, known, hook))
    except RecursionError as error:
        raise too_deep(error) from None
    except Exception as error:
        again = in_json(error, payload, kind, way.front.protocol)
    return compiled(again, kind, way, known, hook)


def converted(
    payload: Json,
    src: Server,
    dst: Server,
    kind: str | None,
    options: Mapping[str, Any],
    served: Callable[[Request], Server] | None = None,
) -> Conversion[Any]:
    """Return a conversion that has noted how a response ended and its usage, as the payload may change afterwards.

    `served` gives the target of a request that was read, by the model that it names.
    """
    way, known = bound(src, dst, options)
    assert way.front is not None  # as `src` is a protocol
    source = parsed(payload, kind) if isinstance(payload, BINARY) else payload
    node, kind = read(source, way.front, kind, options)
    if served is not None and type(node) is Request:
        way, known = bound(src, served(node), options)
    return written(payload, source, node, kind, way, known)


def written(
    payload: Json,
    source: Json,
    node: Any,
    kind: str,
    way: Direction,
    known: Mapping[str, Any],
    hook: Shown | None = None,
) -> Conversion[Any]:
    """Return the same for a payload that is read: `source` is its parsed JSON, `node` its tree."""
    ending = ending_of(node)  # before passes change the tree
    made = way.written(payload, source, node, kind, known, hook)
    return Conversion(*made, ending=ending if made.kind == "response" else ((), None))
