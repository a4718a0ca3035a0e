"""The conversion of a row that is not one payload: a recorded stream, and a request with what it got back.

Rule: the protocol of a pair is that of its request. Both sides go the same way, so that a tool has one name in both;
the `state` of a request is for responses that come back, and would undo that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import orjson

from .. import api
from ..conversion.bytes import dumped, parsed
from ..conversion.conversion import Conversion
from ..conversion.profile import protocol_of
from ..exports.pairs import MEMBERS
from ..ir.request import Request
from ..json.types import found
from ..protocol.detection import detected, is_error, means_the_same, streams_in
from ..protocol.registry import framing_of, frontend, protocols
from ..reporting import diagnostics as d
from .job import AUTO, PAIR, STREAM, Server

Json = Any
Serve = Callable[[Request], Server]
REQUEST, RESPONSE = MEMBERS
LEAST_FAILURE = 400
"""The least HTTP status of an error."""


def shown_protocol(payload: Json, kind: str | None, dst: Server) -> str:
    """Return the protocol of a payload, parsed or in bytes: the one that leaves the fewest members unknown.

    Several protocols may do so if the payload means the same in all of them. Raises InvalidPayload.
    """
    shown: Sequence[Any] = ()
    if kind == STREAM:
        names = streams_in(payload if isinstance(payload, bytes) else dumped(payload))
    else:
        shown = detected(parsed(payload) if isinstance(payload, bytes) else payload, kind)
        names = [one.protocol for one in shown]
    if len(names) == 1 or (shown and means_the_same(shown)):
        return protocol_of(dst) if protocol_of(dst) in names else names[0]
    what = f"a payload of {' or '.join(names)}, which mean different things" if names else "one that none of them reads"
    detail = f"expected a payload of {', '.join(protocols())}; found {what}"
    raise d.InvalidPayload(d.render([("SHP-3", None, detail)], None, refused=True))


def compile_stream(payload: bytes, src: Server, dst: Server, **options: Any) -> Conversion[Any]:
    """Return the conversion of a stream that is a JSON array of events, bytes, or a JSON string of these.

    A text stays a text: it becomes an array if the target's bytes are no text.
    """
    if payload.startswith(b'"'):
        done = compile_stream(str(parsed(payload)).encode(), src, dst, **options)
        if not done.output.startswith(b"["):
            done.output = dumped(done.output.decode())
        return done
    if src == AUTO:
        src = shown_protocol(payload, STREAM, dst)
    framing = framing_of(src)
    if payload.startswith(b"["):
        events = parsed(payload)
    elif framing_of(dst).binary and not framing.binary:
        events = list(framing.decode([payload]))
    else:
        return api.compile(payload, src, dst, kind=STREAM, **options)
    done = api.compile(events, src, dst, kind=STREAM, **options)
    done.output = dumped(done.output)
    return done


# --- pairs ------------------------------------------------------------------------------------------------------------


def compile_pair(
    payload: bytes, src: Server, dst: Server, served: Serve | None, options: Mapping[str, Any]
) -> Conversion[bytes]:
    """Return the conversion of `{"request": …, "response": …}`, whose other members stay as they are.

    The response may be an error, whose HTTP status the member `status` states, or a stream: a list of its events, or
    its text. A text that does not begin as a stream is an error's if the status says so. Members that are texts of JSON
    become texts. Raises InvalidPayload and Unrepresentable; diagnostics point into the pair.
    """
    entry = parsed(payload)
    if not isinstance(entry, dict) or entry.get(REQUEST) is None:
        without = f" without `{REQUEST}`" if isinstance(entry, dict) else ""
        what = f"expected an object with `request` and `response`, found {found(entry)}{without}"
        raise d.InvalidPayload(d.render([("SHP-1", None, what)], None, refused=True))
    with _inside(REQUEST):
        given = _value(entry[REQUEST])
        if src == AUTO:
            src = shown_protocol(given, REQUEST, dst)
        first = api.converted(given, src, dst, REQUEST, options, served)
    told, ending = _placed(first.diagnostics, REQUEST), first.told
    made = {**entry, REQUEST: _like(entry[REQUEST], first.output)}
    if entry.get(RESPONSE) is not None:
        with _inside(RESPONSE):
            second = _outcome(entry, src, dst, options)
        told, ending = told + _placed(second.diagnostics, RESPONSE), second.told
        made[RESPONSE] = _like(entry[RESPONSE], second.output)
    about = protocol_of(src), protocol_of(dst), first.node
    return Conversion(dumped(made), PAIR, *about, found=told, stated=first.stated, ending=ending)


def _value(member: Json) -> Json:
    """Return a member, parsed if it is the text of JSON."""
    return parsed(member.encode()) if isinstance(member, str) else member


def _like(member: Json, output: Json) -> Json:
    """Return an output as text if the member was one."""
    return dumped(output).decode() if isinstance(member, str) and not isinstance(output, str) else output


def _outcome(entry: Mapping[str, Json], src: Server, dst: Server, options: Mapping[str, Any]) -> Conversion[Any]:
    """Return the conversion of what came back."""
    given = entry[RESPONSE]
    if isinstance(given, str):
        with suppress(orjson.JSONDecodeError):
            given = orjson.loads(given)
    status = entry.get("status")
    stated = {"status": status} if type(status) is int else {}
    if isinstance(given, str):
        if stated.get("status", 0) >= LEAST_FAILURE and not framing_of(src).begins(given.encode()):
            return api.converted(given, src, dst, "error", {**options, **stated})
        done = compile_stream(given.encode(), src, dst, **options)
        done.output = orjson.loads(done.output) if done.output.startswith(b"[") else done.output.decode()
        return done
    front = frontend(src)
    if isinstance(given, list) and not (front.error_arrays and is_error(front, given)):
        return api.compile(given, src, dst, kind=STREAM, **options)
    if not is_error(front, given):
        return api.converted(given, src, dst, RESPONSE, options)
    return api.converted(given, src, dst, "error", {**options, **stated})


@contextmanager
def _inside(name: str) -> Iterator[None]:
    """Raise the errors of a member with pointers into the pair."""
    try:
        yield
    except d.TranslationError as error:
        raise type(error)(_placed(error.diagnostics, name)) from None


def _placed(found: tuple[d.Diagnostic, ...], name: str) -> tuple[d.Diagnostic, ...]:
    return tuple(one._replace(path=f"/{name}{one.path}") for one in found)
