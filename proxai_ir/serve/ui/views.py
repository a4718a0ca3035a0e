"""The content of the pages: exchanges and sessions, payloads side by side with marked findings, remedies, files.

Rule: nothing here raises for what a payload holds, and what is shown is bounded.
"""

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
from ...ir.envelope import Seals
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
from ...storage.payloads import fold_stream, is_stream, kind_of_response, read, response_in, side_of
from ...storage.records import PAYLOADS, Record
from ...streaming.lowering import LoweredStream
from ..config import BY_PROTOCOL, OPTIONS, UpstreamTable, profile_of

# --- remedies ---------------------------------------------------------------------------------------------------------
# Rule: for an exchange only settings of its upstream are suggested, not options that the exchange sets by itself.

Json = Any
MOST_TRIED = 1 << 20
"""The most bytes of a payload that is converted again."""
ANYWHERE = ("version", "model")
"""Options that are settings of an upstream, or of a route."""


def of_request(record: Record, upstream: UpstreamTable | None, found: Sequence[Diagnostic]) -> tuple[Finding, ...]:
    """Return the findings of an exchange's request, with remedies that are settings of its upstream."""
    if upstream is None or record.request is None or profile_of(upstream).protocol != record.provider:
        return findings(found)
    options: dict[str, Any] = {"seals": Seals(), **REQUEST_ONLY, **upstream.options, "model": record.sent_model}
    side = profile_of(upstream)
    if record.sent_model and upstream.profile != BY_PROTOCOL:
        side = tailored(side, record.sent_model, upstream.server or server_at(httpx.URL(upstream.base_url).host))
    return with_help(found, record.request, record.client, side, "request", options)


def with_help(
    found: Sequence[Diagnostic], payload: Json, src: str, dst: Server, kind: Kind | None, options: Mapping[str, Any]
) -> tuple[Finding, ...]:
    """Return the findings, with remedies if the payload is short enough to look for them without a delay."""
    if isinstance(payload, bytes) and len(payload) > MOST_TRIED:
        return findings(found)
    return remedied(found, payload, src, dst, kind, options)


def in_toml(remedy: Remedy) -> str:
    """Return the change as a setting of an upstream or a route; empty if there is no such setting."""
    key, value = remedy.name, remedy.value
    if remedy.kind in ("profile", "model"):
        key, value = remedy.kind, remedy.name.lower()
    elif remedy.kind == "capability" and remedy.name not in ANYWHERE:
        key = f"settings.{remedy.name}"
    elif remedy.name in OPTIONS:
        key = f"options.{remedy.name}"
    elif remedy.name not in ANYWHERE:
        return ""
    return remedy.with_condition(f"{key} = {json.dumps(value, ensure_ascii=False)}")


# --- JSON as HTML -----------------------------------------------------------------------------------------------------
# Rule 1: every value is escaped. Rule 2: values that are left out are counted. Rule 3: the HTML of a line is complete,
# so that lines of several payloads can be put side by side. No recursion, as payloads may be deep.

MOST_VALUES = 10_000
"""Values of one payload."""
MOST_TEXT = 3_000
"""Characters of one string."""
INDENT = "  "
MOST_DEPTH = 60
"""Levels that are indented."""
NO_MARKS: Mapping[str, Any] = {}


class Mark(NamedTuple):
    """A finding at a place: the id of its entry in the list, its number and severity, and its text."""

    entry: str
    number: int
    severity: str
    label: str


class Marks(NamedTuple):
    """The findings at one place, and the id of the element there."""

    id: str
    marks: list[Mark]


class Line(NamedTuple):
    """A line of HTML; `text` is the string value on it, by which lines of several payloads are matched."""

    html: str
    text: str = ""


@frozen(kw_only=True)
class Marked:
    """A payload in lines, the pointers of the marks that were placed in it, and how many values are left out.

    `note` is a sentence that is shown with it, or in its place.
    """

    lines: list[Line] = field(factory=list)
    places: frozenset[str] = frozenset()
    left_out: int = 0
    note: str = ""


def marked(value: Json, marks: Mapping[str, Marks] = NO_MARKS, note: str = "") -> Marked:
    """Return a payload in lines, with marks by JSON pointer."""
    lines: list[Line] = []
    found: set[str] = set()
    waiting: list[Any] = [("", "", value, 0, "")]  # lines, and (path, html before, value, depth, html after)
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
    return Marked(lines=lines, places=frozenset(found), left_out=left_out, note=note)


def text_of(value: Json) -> str:
    """Return a value without members as escaped JSON, in which only printable characters are literal."""
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
    """Yield the members of a value, each as `marked` holds them.

    The path is None if it is longer than pointers of diagnostics are: a long key would be repeated in all paths below.
    """
    keyed = isinstance(value, dict)
    for at, (key, one) in enumerate(value.items() if keyed else enumerate(value), 1):
        inside = None if path is None or len(path) + len(str(key)) > MOST_LENGTH else f"{path}/{step(key)}"
        before = f'<span class="key">{_json(key)}</span>: ' if keyed else ""
        yield inside, before, one, depth, "," if at < len(value) else ""


def with_mark(html: str, here: Marks) -> str:
    """Return the HTML of a value with a mark and a link to each of its findings."""
    links = " ".join(
        f'<a class="ref" href="#{escape(mark.entry)}" title="{escape(mark.label)}"'
        f' aria-label="{escape(mark.label)}">{mark.number}</a>'
        for mark in here.marks
    )
    return f'<mark class="{escape(here.marks[0].severity)}" id="{escape(here.id)}">{links} {html}</mark>'


# --- findings ---------------------------------------------------------------------------------------------------------

MOST_PLACES, MOST_LISTED = 20, 300
"""How many places of a finding are listed, and how many findings, the gravest first."""


class Listed(NamedTuple):
    """A finding in the list. Its marks link to `id`; `more` counts places that are not listed; `helps` has remedies.

    `places` are paths, each with the id of its mark, which is empty if the source is not shown there.
    """

    id: str
    finding: Finding
    places: list[tuple[str, str]]
    more: int
    helps: list[str]


@frozen(kw_only=True)
class Source(Marked):
    """A payload with its findings, and their marks by pointer."""

    marks: dict[str, Marks] = field(factory=dict)
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
    """Return a payload with its findings.

    name       the beginning of the ids of all elements
    there      whether there is a payload
    assembled  whether the findings point into a stream that this response was assembled from
    unmarked   members that differ from those that the findings point into
    """
    found = everything[:MOST_LISTED]
    marks: dict[str, Marks] = {}
    for number, one in enumerate(found, start=1):
        mark = Mark(f"{name}-{number}", number, str(one.severity), f"{one.severity} {one.rule}: {one.message}")
        for path in dict.fromkeys(one.paths):
            if path and not assembled and path.split("/")[1] not in unmarked:
                marks.setdefault(path, Marks(f"{name}-at-{len(marks)}", [])).marks.append(mark)
    made = marked(value, marks) if there else Marked()
    links = {path: marks[path].id for path in made.places}
    return Source(
        lines=made.lines,
        marks=marks,
        left_out=made.left_out,
        note=note,
        listed=[_listed(f"{name}-{number}", one, links) for number, one in enumerate(found, start=1)],
        unlisted=len(everything) - len(found),
        summary=summary(everything),
    )


def _listed(name: str, one: Finding, links: Mapping[str, str]) -> Listed:
    paths = list(dict.fromkeys(one.paths))
    places = [(path or ROOT, links.get(path, "")) for path in paths[:MOST_PLACES]]
    helps = [text for remedy in one.remedies if (text := in_toml(remedy))]
    return Listed(name, one, places, len(paths) - len(places), helps)


# --- payloads side by side --------------------------------------------------------------------------------------------
# Rule: this knows no protocol. A text that each payload has once is put on one level.

SHORTEST = 3
"""Characters of a text by which lines are matched; shorter ones are equal by chance."""
MOST_ROWS = 400


def rows(columns: Sequence[Sequence[Line]]) -> list[list[Markup]]:
    """Return the columns cut into rows, each of which begins with a text that all columns have; or one row."""
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
    """Return the line number of each text that only one line has."""
    times = Counter(line.text for line in column)
    return {line.text: at for at, line in enumerate(column) if times[line.text] == 1 and len(line.text) >= SHORTEST}


# --- one exchange, or one conversion ----------------------------------------------------------------------------------

NOT_KEPT = "Payloads were not kept; with serve --log-payloads, or log.payloads = true, they are."
HISTORY = "The gateway put the history back from its memory; places of findings count it, and are not marked here."


@frozen(kw_only=True)
class Side:
    """A conversion of a request, a response or a pasted payload: the source, its IR, and the output unless `refused`.

    `events` is the number of events of a stream that is shown assembled.
    """

    name: str
    source: Source
    ir: Marked
    sent: Marked
    refused: bool = False
    events: int = 0

    @property
    def rows(self) -> list[list[Markup]]:
        return rows([self.source.lines, self.ir.lines, self.sent.lines])


def sides(record: Record, upstream: UpstreamTable | None = None, *, raw: bool = False) -> tuple[Side, Side]:
    """Return the request and the response of an exchange.

    upstream  the one that the request was sent to, if it is still configured
    raw       whether a stream is shown as events, and not assembled
    """
    found = of_request(record, upstream, record.found("request"))
    request = _side(record, "request", ("request", "upstream_request"), found)
    kind = kind_of_response(record)
    names = ("upstream_response", "response")
    return request, _side(record, kind, names, findings(record.found("response")), raw=raw)


def conversion(text: str, src: str, dst: str, kind: Kind | None) -> Side:
    data = text.encode("utf-8", "replace")
    kind = kind or ("stream" if is_stream(data, src) else None)
    value, note = read(data, src)
    given: Json = value if kind == "stream" and isinstance(value, list) and not is_stream(data, src) else data
    output, refused = Marked(note="Refused: there is no output."), True
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


def ir_of(payload: bytes | Json, protocol: str, kind: Kind | None, marks: Mapping[str, Marks] = NO_MARKS) -> Marked:
    """Return the IR of a payload with the payload's marks, or why it has none; of a cut-off stream what came of it."""
    note = ""
    try:
        node: Any = proxai_ir.lower(payload, protocol, kind=kind)
    except TranslationError as error:
        note = f"There is no IR of it: {error}"
        node = cut_off(payload, protocol) if kind == "stream" else None
    if node is None:
        return Marked(note=note)
    try:
        written = json.loads(ir_json.dumps(node))
    except TypeError as error:
        return Marked(note=f"There is no IR of it: {error}")
    places = (
        [*Places(payload, frontend(protocol).vocabulary).in_json(node, written)]
        if marks and isinstance(payload, dict)
        else []
    )
    here = {path: marks[place] for path, place in places if place in marks}
    here = {path: one._replace(id=f"{one.id}-ir-{at}") for at, (path, one) in enumerate(here.items())}
    return marked(written, here, note and "This is the IR of what came.")


def cut_off(payload: bytes | Json, protocol: str) -> Stream | None:
    """Return the IR of a stream without its end, or None if its events cannot be read."""
    events = read(payload, protocol)[0] if isinstance(payload, bytes) else payload
    if not isinstance(events, list):
        return None
    stream = LoweredStream(protocol, {})
    try:
        steps = [stream.feed(event) for event in events]
    except TranslationError:
        return None
    return Stream(protocol, steps, [], events) if steps else None


def shown(payload: bytes | None, protocol: str, absent: str = "", *, raw: bool = True) -> Marked:
    """Return a payload in lines, or the sentence `absent` if there is none."""
    if payload is None:
        return Marked(note=absent)
    value, note = read(payload, protocol)
    value = value if raw or not is_stream(payload, protocol) else fold_stream(payload, protocol) or value
    return marked(value, note=note)


def _side(record: Record, kind: Kind, names: tuple[str, str], found: Sequence[Finding], *, raw: bool = False) -> Side:
    """Return one side of an exchange; `names` has the payload that was converted, and the one that was sent."""
    name = "request" if kind == "request" else "response"
    absent = NOT_KEPT if record.request is None else "There was none."
    converted: bytes | None = getattr(record, names[0])
    protocol = side_of(record, names[0])
    value, note = (None, absent) if converted is None else read(converted, protocol)
    unmarked: Collection[str] = with_history(record, value) if kind == "request" else ()
    note = note or (HISTORY if unmarked else "")
    whole = fold_stream(converted, protocol) if converted and kind == "stream" and not raw else None
    events = 0 if whole is None else len(value or ())
    given: Json = converted if whole is None and not isinstance(value, dict) else value
    if whole is not None:
        value = given = whole
    of = source(value, found, name, note=note, there=converted is not None, assembled=events > 0, unmarked=unmarked)
    ir = Marked(note=absent)
    if converted is not None:
        ir = ir_of(given, protocol, "response" if events else kind, of.marks)
    sent = shown(getattr(record, names[1]), side_of(record, names[1]), absent, raw=not events)
    return Side(name=name, source=of, ir=ir, sent=sent, events=events)


def with_history(record: Record, request: Json) -> list[str]:
    """Return the members of a request that the gateway's memory added to before it was converted."""
    references = frontend(record.client).memory
    if references is None or record.client == record.provider or not isinstance(request, dict):
        return []
    if references.previous(request) is None and references.conversation(request) is None:
        return []
    return [member for member, value in references.whole(request, []).items() if value != request.get(member)]


# --- turns of a session -----------------------------------------------------------------------------------------------

MOST, LONGEST = 40, 400
"""Changes and texts of one turn, and characters of each."""


class Turn(NamedTuple):
    """The changes of the request since the last turn, None in the first one; and the texts of the response."""

    changes: list[Change] | None
    texts: list[str]


def turn(record: Record, before: Record | None) -> Turn:
    return Turn(changed(before, record), list(islice(texts(record), MOST)))


def changed(before: Record | None, after: Record) -> list[Change] | None:
    """Return the changes between two requests of a client, or None if they cannot be compared.

    Values are JSON, or empty if there is none.
    """
    if before is None or before.request is None or after.request is None:
        return None
    was, now = (read(payload, after.client)[0] for payload in (before.request, after.request))
    try:
        found = list(islice(differences(was, now), MOST))
    except RecursionError:
        return None
    return [Change(one.path or ROOT, _short(one.was), _short(one.now)) for one in found]


def texts(record: Record) -> Iterator[str]:
    """Yield the texts and calls of the response, assembled."""
    if record.upstream_response is None or kind_of_response(record) == "error":
        return
    response = response_in(record.upstream_response, record.provider)
    for node in nodes(response) if response else ():
        if isinstance(node, Text):
            yield _cut(node.text)
        elif isinstance(node, FunctionCall):
            yield f"{node.name}({node.arguments if isinstance(node.arguments, str) else _short(node.arguments)})"


def _short(value: Any) -> str:
    return "" if value is ABSENT else _cut(json.dumps(value, ensure_ascii=False))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


# --- files ------------------------------------------------------------------------------------------------------------
# Rule: values of a payload are quoted for the shell or for Python; no key is in a file.


def values(record: Record, form: str, upstream: UpstreamTable | None, gateway: str) -> dict[str, Any] | None:
    """Return the values for the template of a file: a payload, a `curl`, or a test that fails while a loss exists.

    None if there is no such form, or the payload that it needs was not kept.
    """
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
