"""What the pages show: an exchange with its payloads side by side, and the result of a conversion.

Rule: nothing here raises for what a payload holds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from attrs import evolve, frozen
from markupsafe import Markup

import proxai_ir

from ...api import Kind
from ...binding.registry import frontend
from ...ir.stream.events import Stream
from ...json import ir_form as ir_json
from ...reporting.diagnostics import TranslationError
from ...reporting.digest import Finding, findings
from ...streaming.lowering import LoweredStream
from ..config import UpstreamTable
from ..payloads import is_stream, kind_of_response, read, side_of
from ..records import Record
from .findings import Source, source
from .helps import of_request, with_help
from .marked import marked

Json = Any


@frozen(kw_only=True)
class Shown:
    """A payload without findings; `note` is a sentence in its place, or about it."""

    html: Markup | None = None
    left_out: int = 0
    note: str = ""


@frozen(kw_only=True)
class Side:
    """What became of a request, or of a response: the payload that was converted, the IR, and what was sent."""

    name: str
    source: Source
    ir: Shown
    sent: Shown


@frozen(kw_only=True)
class Tried:
    """What the form of conversions gave: `refused`: whether there is no output."""

    source: Source
    ir: Shown
    output: Shown
    refused: bool


def sides(record: Record, upstream: UpstreamTable | None = None) -> tuple[Side, Side]:
    """The request, and the response; `upstream`: the one that the request was sent to, if it is still configured."""
    kind = kind_of_response(record)
    return (
        _side(record, "request", "request", "upstream_request", of_request(record, upstream, record.found("request"))),
        _side(record, kind, "upstream_response", "response", findings(record.found("response"))),
    )


def tried(text: str, src: str, dst: str, kind: Kind | None) -> Tried:
    """A conversion of what was pasted."""
    data = text.encode("utf-8", "replace")
    kind = kind or ("stream" if is_stream(data, src) else None)
    value, note = read(data, src)
    given: Json = value if kind == "stream" and isinstance(value, list) and not is_stream(data, src) else data
    output, refused = Shown(note="Refused: there is no output."), True
    try:
        made = proxai_ir.compile(given, src, dst, kind=kind)
    except TranslationError as error:
        found = error.diagnostics
    else:
        found, refused = made.diagnostics, False
        output = shown(made.output if isinstance(made.output, bytes) else json.dumps(made.output).encode(), dst)
    return Tried(
        source=source(value, with_help(found, given, src, dst, kind, {}), "source", note=note),
        ir=ir_of(given, src, kind),
        output=output,
        refused=refused,
    )


def ir_of(payload: bytes | Json, protocol: str, kind: Kind | None) -> Shown:
    """The IR, or why there is none; of a stream that breaks off, the IR of what came."""
    note = ""
    try:
        node: Any = proxai_ir.lower(payload, protocol, kind=kind)
    except TranslationError as error:
        note = f"There is no IR of it: {error}"
        node = begun(payload, protocol) if kind == "stream" else None
    if node is None:
        return Shown(note=note)
    try:
        return evolve(shown(ir_json.dumps(node), protocol), note=note and "This is the IR of what came.")
    except TypeError as error:
        return Shown(note=f"There is no IR of it: {error}")


def begun(payload: bytes | Json, protocol: str) -> Stream | None:
    """The IR of a stream without its end."""
    events = read(payload, protocol)[0] if isinstance(payload, bytes) else payload
    if not isinstance(events, list):
        return None
    stream = LoweredStream(protocol, {})
    try:
        steps = [stream.feed(event) for event in events]
    except TranslationError:
        return None
    return Stream(protocol, steps, [], events) if steps else None


def shown(payload: bytes | None, protocol: str, absent: str = "") -> Shown:
    """A payload, or the sentence for one that is not there."""
    if payload is None:
        return Shown(note=absent)
    value, note = read(payload, protocol)
    made = marked(value)
    return Shown(html=made.html, left_out=made.left_out, note=note)


def _side(record: Record, kind: Kind, given: str, made: str, found: Sequence[Finding]) -> Side:
    """`given` and `made`: the names of the payload that was converted, and of what was sent."""
    name = "request" if kind == "request" else "response"
    absent = NOT_KEPT if record.request is None else "There was none."
    converted: bytes | None = getattr(record, given)
    protocol = side_of(record, given)
    value, note = (None, absent) if converted is None else read(converted, protocol)
    moved = with_history(record, value) if kind == "request" else []
    there = converted is not None
    return Side(
        name=name,
        source=source(value, found, name, note=note or (HISTORY if moved else ""), there=there, unmarked=moved),
        ir=Shown(note=absent) if converted is None else ir_of(converted, protocol, kind),
        sent=shown(getattr(record, made), side_of(record, made), absent),
    )


def with_history(record: Record, request: Json) -> list[str]:
    """The members of a request that the gateway's memory put more into before it was converted."""
    references = frontend(record.client).memory
    if references is None or record.client == record.provider or not isinstance(request, dict):
        return []
    if references.previous(request) is None and references.conversation(request) is None:
        return []
    return [member for member, value in references.whole(request, []).items() if value != request.get(member)]


NOT_KEPT = "Payloads were not kept."
HISTORY = "The gateway put the history back from its memory; places of findings count it, and are not marked here."
