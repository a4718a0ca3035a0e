"""What the pages show: exchanges and sessions, payloads side by side with marked findings, remedies, files to save."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import islice, pairwise
from typing import Any, NamedTuple

import httpx
from attrs import field, frozen
from markupsafe import Markup, escape

import proxai_ir

from ...advice.remedies import remedied
from ...api import Kind, Server
from ...exchange.exchange import REQUEST_ONLY
from ...exchange.provider import http_of
from ...ir import json_form as ir_json
from ...ir.parts import FunctionCall, Text
from ...ir.stream.events import Stream
from ...ir.structure import nodes
from ...json.merge import ABSENT, Change, differences
from ...json.pointer import MOST_LENGTH
from ...json.pointer import escape as step
from ...profiles.models import tailored
from ...profiles.named import server_at
from ...protocol.registry import frontend
from ...reporting.diagnostics import ROOT, Diagnostic, Severity, TranslationError
from ...reporting.digest import Finding, Remedy, findings, summary
from ...reporting.report import Places
from ...storage.payloads import is_stream, kind_of_response, read, side_of, whole_of
from ...storage.records import PAYLOADS, Record
from ...streaming.lowering import LoweredStream
from ..config import BY_PROTOCOL, OPTIONS, UpstreamTable, profile_of

# --- helps ------------------------------------------------------------------------------------------------------------
# Remedies of the findings of a gateway's conversions, as keys of its configuration.
#
# Rule: for an exchange only settings of its upstream are suggested, not options that an exchange sets by itself.


Json = Any
MOST_TRIED = 1 << 20
"""The most bytes of a payload that is converted again."""
ANYWHERE = ("version", "model")
"""Options that are settings of an upstream, or of a route."""


def of_request(record: Record, upstream: UpstreamTable | None, found: Sequence[Diagnostic]) -> tuple[Finding, ...]:
    """Return the findings of an exchange's request, with what its upstream may be told."""
    if upstream is None or record.request is None or profile_of(upstream).protocol != record.provider:
        return findings(found)
    options: dict[str, Any] = {"carry_seals": True, **REQUEST_ONLY, **upstream.options, "model": record.sent_model}
    side = profile_of(upstream)
    if record.sent_model and upstream.profile != BY_PROTOCOL:
        side = tailored(side, record.sent_model, upstream.server or server_at(httpx.URL(upstream.base_url).host))
    return with_help(found, record.request, record.client, side, "request", options)


def with_help(
    found: Sequence[Diagnostic], payload: Json, src: str, dst: Server, kind: Kind | None, options: Mapping[str, Any]
) -> tuple[Finding, ...]:
    """What helps is looked for where that takes no time that a reader notices."""
    if isinstance(payload, bytes) and len(payload) > MOST_TRIED:
        return findings(found)
    return remedied(found, payload, src, dst, kind, options)


def in_toml(remedy: Remedy) -> str:
    """Return the change as keys of an upstream or a route; empty where there is no such key."""
    if remedy.kind in ("profile", "model"):
        return remedy.with_condition(f"{remedy.kind} = {_value(remedy.name.lower())}")
    if remedy.kind == "capability":
        return remedy.with_condition(f"settings.{remedy.name} = {_value(remedy.value)}")
    if remedy.name in OPTIONS:
        return remedy.with_condition(f"options.{remedy.name} = {_value(remedy.value)}")
    return remedy.with_condition(f"{remedy.name} = {_value(remedy.value)}") if remedy.name in ANYWHERE else ""


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


# --- marked -----------------------------------------------------------------------------------------------------------
# JSON as lines of HTML: indented, every value escaped, and the places of findings marked and linked.
#
# Rule 1: whatever a payload holds, what is shown of it is text. Rule 2: what is shown is bounded, and what is left out
# is
# counted. Rule 3: each line is whole, so that lines of several payloads can stand side by side. No recursion: payloads
# may be deep.


MOST_VALUES = 10_000
"""Of one payload."""
MOST_TEXT = 3_000
"""Characters of one string."""
INDENT = "  "
MOST_DEPTH = 60
"""What is deeper is not indented further."""
NO_MARKS: Mapping[str, Any] = {}


class Mark(NamedTuple):
    """A finding at a place: the id of its entry in the list, its number and severity there, and what it is."""

    entry: str
    number: int
    severity: str
    label: str


class Marks(NamedTuple):
    """The findings at one place, and the id that the element there gets."""

    id: str
    marks: list[Mark]


class Line(NamedTuple):
    """`text`: the string that stands there, by which the same is found elsewhere."""

    html: str
    text: str = ""


class Marked(NamedTuple):
    """`places`: the pointers of the marks that the payload has; `left_out`: how many values are not shown."""

    lines: list[Line]
    places: frozenset[str]
    left_out: int


def marked(value: Json, marks: Mapping[str, Marks] = NO_MARKS) -> Marked:
    """`marks`: by JSON pointer."""
    lines: list[Line] = []
    found: set[str] = set()
    waiting: list[Any] = [("", "", value, 0, "")]  # lines, and (path, what stands before it, value, depth, after it)
    shown = left_out = 0
    while waiting:
        item = waiting.pop()
        if isinstance(item, Line):
            lines.append(item)
            continue
        path, before, value, depth, after = item
        if shown >= MOST_VALUES:
            left_out += 1
            continue
        shown += 1
        indent = INDENT * min(depth, MOST_DEPTH)
        around = value if value and isinstance(value, (dict, list)) else None
        brackets = "{}" if isinstance(value, dict) else "[]"
        html = before + (text_of(value) if around is None else brackets[0])
        if path in marks:
            found.add(path)
            html = with_mark(html, marks[path])
        lines.append(Line(f"{indent}{html}{after if around is None else ''}", value if isinstance(value, str) else ""))
        if around is not None:
            members = list(islice(_members(path, value, depth + 1), MOST_VALUES - shown))
            left_out += len(value) - len(members)
            waiting += [Line(f"{indent}{brackets[1]}{after}"), *reversed(members)]
    return Marked(lines, frozenset(found), left_out)


def text_of(value: Json) -> str:
    """Return a string, a number or another value without members, as escaped JSON. What is not printable is an
    escape."""
    kind = {str: "text", int: "num", float: "num"}.get(type(value), "word")
    return f'<span class="{kind}">{_json(value)}</span>'


def _json(value: Json) -> str:
    more = ""
    if isinstance(value, str) and len(value) > MOST_TEXT:
        more = f'<span class="more">… and {len(value) - MOST_TEXT:,} more characters</span>'
        value = value[:MOST_TEXT]
    written = json.dumps(value, ensure_ascii=False)
    if not written.isprintable():
        written = "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in written)
    return f"{escape(written[:-1])}{more}{escape(written[-1])}" if more else str(escape(written))


def _members(path: str | None, value: Json, depth: int) -> Iterator[Any]:
    """What is within. Its path is None where no pointer of a diagnostic is that long; paths of long keys would be
    repeated for all within them."""
    keyed = isinstance(value, dict)
    for at, (key, one) in enumerate(value.items() if keyed else enumerate(value), 1):
        inside = None if path is None or len(path) + len(str(key)) > MOST_LENGTH else f"{path}/{step(key)}"
        before = f'<span class="key">{_json(key)}</span>: ' if keyed else ""
        yield inside, before, one, depth, "," if at < len(value) else ""


def with_mark(html: str, here: Marks) -> str:
    """Return a value with findings: a link to each of them, and the mark."""
    links = " ".join(
        f'<a class="ref" href="#{escape(mark.entry)}" title="{escape(mark.label)}"'
        f' aria-label="{escape(mark.label)}">{mark.number}</a>'
        for mark in here.marks
    )
    return f'<mark class="{escape(here.marks[0].severity)}" id="{escape(here.id)}">{links} {html}</mark>'


# --- findings ---------------------------------------------------------------------------------------------------------
# The findings of a conversion as the page lists them, each with links to its places in the source.


MOST_PLACES, MOST_LISTED = 20, 300
"""How many places of a finding are listed, and how many findings, the gravest first."""


@frozen
class Place:
    """`link`: the id of its mark; empty where the source that is shown has no such place."""

    path: str
    link: str


@frozen
class Listed:
    """One finding. `id` is that of its entry in the list, which its marks link to; `helps`: what removes it."""

    id: str
    number: int
    finding: Finding
    places: list[Place]
    more: int
    helps: list[str]


@frozen(kw_only=True)
class Source:
    """A payload with its findings, and their marks by pointer. There are no `lines` where there is no payload; `note`
    is why, or is about it."""

    lines: list[Line] = field(factory=list)
    marks: dict[str, Marks] = field(factory=dict)
    left_out: int = 0
    note: str = ""
    listed: list[Listed] = field(factory=list)
    unlisted: int = 0
    summary: str = ""


def source(
    value: Json,
    everything: Sequence[Finding],
    name: str,
    *,
    note: str = "",
    there: bool = True,
    assembled: bool = False,
    unmarked: Collection[str] = (),
) -> Source:
    """`name` begins the ids of all elements; `there`: whether there is a payload at all; `assembled`: whether it is
    another than the findings' pointers are of; `unmarked`: members of it of which that is so."""
    found = everything[:MOST_LISTED]
    marks: dict[str, Marks] = {}
    for number, one in enumerate(found, start=1):
        mark = Mark(f"{name}-{number}", number, str(one.severity), f"{one.severity} {one.rule}: {one.message}")
        for path in dict.fromkeys(one.paths):
            if path and not assembled and path.split("/")[1] not in unmarked:
                marks.setdefault(path, Marks(f"{name}-at-{len(marks)}", [])).marks.append(mark)
    shown = marked(value, marks) if there else Marked([], frozenset(), 0)
    links = {path: marks[path].id for path in shown.places}
    return Source(
        lines=shown.lines,
        marks=marks,
        left_out=shown.left_out,
        note=note,
        listed=[_listed(f"{name}-{number}", number, one, links) for number, one in enumerate(found, start=1)],
        unlisted=len(everything) - len(found),
        summary=summary(everything),
    )


def _listed(name: str, number: int, one: Finding, links: Mapping[str, str]) -> Listed:
    paths = list(dict.fromkeys(one.paths))
    places = [Place(path or ROOT, links.get(path, "")) for path in paths[:MOST_PLACES]]
    helps = [text for remedy in one.remedies if (text := in_toml(remedy))]
    return Listed(name, number, one, places, len(paths) - len(places), helps)


# --- rows -------------------------------------------------------------------------------------------------------------
# Payloads side by side: which lines of theirs stand beside each other.
#
# Rule: nothing of protocols is known here. What stands once in each payload is one and the same, and is on one level.


SHORTEST = 3
"""Characters of a text that tells what is the same; shorter ones are the same by chance."""
MOST_ROWS = 400


def rows(columns: Sequence[Sequence[Line]]) -> list[list[Markup]]:
    """Return parts of each column, in rows; where nothing is common to all, one row."""
    places = [by_text(column) if column else None for column in columns]
    there = [place for place in places if place is not None]
    common = [text for text in there[0] if all(text in place for place in there[1:])][:MOST_ROWS] if there else []
    for other in there[1:]:
        matcher = SequenceMatcher(None, common, sorted(common, key=other.__getitem__), autojunk=False)
        common = [text for block in matcher.get_matching_blocks() for text in common[block.a : block.a + block.size]]
    made = []
    for column, place in zip(columns, places, strict=True):
        ends = [0, *(place[text] for text in common), len(column)] if place is not None else [0] * (len(common) + 2)
        made.append([Markup("\n".join(line.html for line in column[a:b])) for a, b in pairwise(ends)])  # noqa: S704
    return [list(row) for row in zip(*made, strict=True) if any(row)]


def by_text(column: Sequence[Line]) -> dict[str, int]:
    """Where each text is that stands in one line alone."""
    times = Counter(line.text for line in column)
    return {line.text: at for at, line in enumerate(column) if times[line.text] == 1 and len(line.text) >= SHORTEST}


# --- views ------------------------------------------------------------------------------------------------------------
# What the pages show: an exchange with its payloads side by side, and the result of a conversion.
#
# Rule: nothing here raises for what a payload holds.


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
    """Return the request, and the response; `upstream`: the one that the request was sent to, if it is still
    configured; `raw`: streams as the events that came, not as the responses that they make."""
    found = of_request(record, upstream, record.found("request"))
    request = _side(record, "request", ("request", "upstream_request"), found)
    kind = kind_of_response(record)
    names = ("upstream_response", "response")
    return request, _side(record, kind, names, findings(record.found("response")), raw=raw)


def tried(text: str, src: str, dst: str, kind: Kind | None) -> Side:
    """Return a conversion of what was pasted."""
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
    """Return the IR, with the marks of what it was read from, or why there is none; of a stream that breaks off, the IR
    of what came."""
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
    """Return the IR of a stream without its end."""
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
    """Return a payload, or the sentence for one that is not there."""
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
    """Return the members of a request that the gateway's memory put more into before it was converted."""
    references = frontend(record.client).memory
    if references is None or record.client == record.provider or not isinstance(request, dict):
        return []
    if references.previous(request) is None and references.conversation(request) is None:
        return []
    return [member for member, value in references.whole(request, []).items() if value != request.get(member)]


NOT_KEPT = "Payloads were not kept; with serve --log-payloads, or log.payloads = true, they are."
HISTORY = "The gateway put the history back from its memory; places of findings count it, and are not marked here."


# --- turns ------------------------------------------------------------------------------------------------------------
# A session's turns: what changed from one request to the next, and what the model said.
#
# Rule: nothing here raises for what a payload holds, and what is shown is bounded.


MOST, LONGEST = 40, 400
"""Changes and texts of one turn, and characters of each."""


class Turn(NamedTuple):
    """`changes`: None of a first one; their values are JSON, or empty where there is none."""

    changes: list[Change] | None
    said: list[str]


def turn(record: Record, before: Record | None) -> Turn:
    return Turn(changed(before, record), list(islice(said(record), MOST)))


def changed(before: Record | None, after: Record) -> list[Change] | None:
    """What changed from one request of a client to the next."""
    if before is None or before.request is None or after.request is None:
        return None
    was, now = (read(payload, after.client)[0] for payload in (before.request, after.request))
    try:
        found = list(islice(differences(was, now), MOST))
    except RecursionError:
        return None
    return [Change(one.path or ROOT, _short(one.was), _short(one.now)) for one in found]


def said(record: Record) -> Iterator[str]:
    """Yield the texts and calls of the response, assembled."""
    data, kind = record.upstream_response, kind_of_response(record)
    if data is None or kind == "error":
        return
    try:
        whole: Any = whole_of(data, record.provider) if kind == "stream" else read(data, record.provider)[0]
        response = proxai_ir.lower(whole, record.provider, kind="response")
    except TranslationError:
        return
    for node in nodes(response):
        if isinstance(node, Text):
            yield _cut(node.text)
        elif isinstance(node, FunctionCall):
            yield f"{node.name}({node.arguments if isinstance(node.arguments, str) else _short(node.arguments)})"


def _short(value: Any) -> str:
    return "" if value is ABSENT else _cut(json.dumps(value, ensure_ascii=False))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


# --- saved ------------------------------------------------------------------------------------------------------------
# An exchange as a file: a payload as it came, a `curl`, or a test of pytest that fails while what was lost is lost.
#
# Rule: what a payload holds is quoted for what reads the file, be it a shell or Python; no key is in it.


def values(record: Record, form: str, upstream: UpstreamTable | None, gateway: str) -> dict[str, Any] | None:
    """What the template of the form gets; None where there is none, or the payload that it needs is not kept."""
    payload: bytes | None = getattr(record, form if form in PAYLOADS else "request")
    if payload is None or form not in ("curl", "test", *PAYLOADS):
        return None
    known: dict[str, Any] = {"record": record, "text": payload.decode("utf-8", "replace")}
    if form == "curl":
        return known | {"http": http_of(record.client), "quoted": shlex.quote, "gateway": gateway}
    side = profile_of(upstream) if upstream else None
    given = side.given if side and side.protocol == record.provider else {}
    return known | {
        "found": [one for one in record.diagnostics if one["severity"] != Severity.INFO],
        "expected": http_of(record.client).clients,
        "given": given,
        "by": "protocol" if upstream and upstream.profile == BY_PROTOCOL else "model",
        "options": (upstream.options if upstream else {}),
        "kind": kind_of_response(record),
        "lines": lambda data: data.splitlines(keepends=True),
    }
