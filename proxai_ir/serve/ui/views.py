"""What the pages show: an exchange with its payloads side by side, and the result of a conversion.

Rule: nothing here raises for what a payload holds.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from attrs import field, frozen
from markupsafe import Markup

import proxai_ir

from ...api import Kind
from ...ir import json_form as ir_json
from ...ir.stream.events import Stream
from ...protocol.registry import frontend
from ...reporting.diagnostics import TranslationError
from ...reporting.digest import Finding, findings
from ...reporting.report import Places
from ...storage.payloads import is_stream, kind_of_response, read, side_of, whole_of
from ...storage.records import Record
from ...streaming.lowering import LoweredStream
from ..config import UpstreamTable
from .findings import Source, source
from .helps import of_request, with_help
from .marked import NO_MARKS, Line, Marks, marked
from .rows import rows

Json = Any


@frozen(kw_only=True)
class Shown:
    """A payload without findings; `note` is a sentence in its place, or about it."""

    lines: list[Line] = field(factory=list)
    left_out: int = 0
    note: str = ""


@frozen(kw_only=True)
class Side:
    """What became of a request, of a response, or of what was pasted: the payload that was converted, the IR, and what
    was made of it, if it was not `refused`. `events`: how many there are in a stream that is shown assembled."""

    name: str
    source: Source
    ir: Shown
    sent: Shown
    refused: bool = False
    events: int = 0

    @property
    def rows(self) -> list[list[Markup]]:
        return rows([self.source.lines, self.ir.lines, self.sent.lines])


def sides(record: Record, upstream: UpstreamTable | None = None, *, raw: bool = False) -> tuple[Side, Side]:
    """The request, and the response; `upstream`: the one that the request was sent to, if it is still configured;
    `raw`: streams as the events that came, not as the responses that they make."""
    found = of_request(record, upstream, record.found("request"))
    request = _side(record, "request", ("request", "upstream_request"), found)
    kind = kind_of_response(record)
    names = ("upstream_response", "response")
    return request, _side(record, kind, names, findings(record.found("response")), raw=raw)


def tried(text: str, src: str, dst: str, kind: Kind | None) -> Side:
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
    of = source(value, with_help(found, given, src, dst, kind, {}), "source", note=note)
    ir = ir_of(value if isinstance(value, dict) else given, src, kind, of.marks)
    return Side(name="result", source=of, ir=ir, sent=output, refused=refused)


def ir_of(payload: bytes | Json, protocol: str, kind: Kind | None, marks: Mapping[str, Marks] = NO_MARKS) -> Shown:
    """The IR, with the marks of what it was read from, or why there is none; of a stream that breaks off, the IR of
    what came."""
    note = ""
    try:
        node: Any = proxai_ir.lower(payload, protocol, kind=kind)
    except TranslationError as error:
        note = f"There is no IR of it: {error}"
        node = begun(payload, protocol) if kind == "stream" else None
    if node is None:
        return Shown(note=note)
    try:
        written = json.loads(ir_json.dumps(node))
    except TypeError as error:
        return Shown(note=f"There is no IR of it: {error}")
    places = (
        [*Places(payload, frontend(protocol).vocabulary).in_json(node, written)]
        if marks and isinstance(payload, dict)
        else []
    )
    here = {path: marks[place] for path, place in places if place in marks}
    here = {path: one._replace(id=f"{one.id}-ir-{at}") for at, (path, one) in enumerate(here.items())}
    made = marked(written, here)
    return Shown(lines=made.lines, left_out=made.left_out, note=note and "This is the IR of what came.")


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


def shown(payload: bytes | None, protocol: str, absent: str = "", *, raw: bool = True) -> Shown:
    """A payload, or the sentence for one that is not there."""
    if payload is None:
        return Shown(note=absent)
    value, note = read(payload, protocol)
    value = value if raw or not is_stream(payload, protocol) else whole_of(payload, protocol) or value
    made = marked(value)
    return Shown(lines=made.lines, left_out=made.left_out, note=note)


def _side(record: Record, kind: Kind, names: tuple[str, str], found: Sequence[Finding], *, raw: bool = False) -> Side:
    """`names`: of the payload that was converted, and of what was sent."""
    name = "request" if kind == "request" else "response"
    absent = NOT_KEPT if record.request is None else "There was none."
    converted: bytes | None = getattr(record, names[0])
    protocol = side_of(record, names[0])
    value, note = (None, absent) if converted is None else read(converted, protocol)
    unmarked: Collection[str] = with_history(record, value) if kind == "request" else ()
    note = note or (HISTORY if unmarked else "")
    whole = whole_of(converted, protocol) if converted and kind == "stream" and not raw else None
    events = 0 if whole is None else len(value or ())
    given: Json = converted if whole is None and not isinstance(value, dict) else value
    if whole is not None:
        value = given = whole
    of = source(value, found, name, note=note, there=converted is not None, assembled=events > 0, unmarked=unmarked)
    return Side(
        name=name,
        source=of,
        ir=Shown(note=absent)
        if converted is None
        else ir_of(given, protocol, "response" if events else kind, of.marks),
        sent=shown(getattr(record, names[1]), side_of(record, names[1]), absent, raw=not events),
        events=events,
    )


def with_history(record: Record, request: Json) -> list[str]:
    """The members of a request that the gateway's memory put more into before it was converted."""
    references = frontend(record.client).memory
    if references is None or record.client == record.provider or not isinstance(request, dict):
        return []
    if references.previous(request) is None and references.conversation(request) is None:
        return []
    return [member for member, value in references.whole(request, []).items() if value != request.get(member)]


NOT_KEPT = "Payloads were not kept; with serve --log-payloads, or log.payloads = true, they are."
HISTORY = "The gateway put the history back from its memory; places of findings count it, and are not marked here."
