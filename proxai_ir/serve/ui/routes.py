"""The routes of the page: lists, an exchange or a file of it, sums, a rule, what was learned, the form that converts.

Rule: `guard` sees every request; what a page shows is made in a worker thread, since payloads may be large.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from itertools import zip_longest
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, urlencode

from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

import proxai_ir

from ...ir.response import INPUT, OUTPUT
from ...matrix.rulebook import readable, section
from ...reporting.diagnostics import Severity
from ...storage import Storage, StorageError
from ...storage.memory import refused
from ...storage.records import PAYLOADS, Filter, Record, Summary, as_csv, columns_of
from ..access import Access
from ..asgi import Forbidden, body_of
from ..config import UpstreamTable
from . import guard, plots, views

PREFIX = "/ui"
PAGE, MOST_TURNS, MOST_COUNTED = 50, 20, 500
"""How many exchanges a page of the list has, and a session; and in how many the rules are counted that recur."""
MOST_PASTED = 4 << 20
"""The most bytes of a form that is sent."""
KINDS = ("request", "response", "error", "stream")
REFRESH = "5"
"""Seconds after which a browser loads a list again that refreshes."""
GROUPS = {
    "who": "key",
    "model": "model that was asked for",
    "sent_model": "model of the provider",
    "upstream": "upstream",
    "client": "protocol of the client",
    "provider": "protocol of the provider",
    "status": "status",
    "rule": "rule of a loss",
}
"""What sums are told apart by, with the names that the form has for them."""
COMBINED = {"who,sent_model": "key, model of the provider", "who,rule": "key, rule of a loss"}
MOST_ROWS = 500
"""How many rows the table of sums has."""
FILES = {"csv": "text/csv; charset=utf-8", "json": "application/x-ndjson"}
NONE: Mapping[str, Any] = {}


class Page(NamedTuple):
    template: str
    values: dict[str, Any]
    status: int = 200
    headers: Mapping[str, str] = NONE


class Fields(dict[str, str]):
    """The fields of a form; missing ones are empty."""

    def __missing__(self, _: str) -> str:
        return ""


def routes(storage: Storage, access: Access, upstreams: Mapping[str, UpstreamTable] = NONE) -> list[Route]:
    """Return the routes of all pages, which are below PREFIX; `upstreams` are those of the gateway."""
    log = Log(storage, upstreams)

    def page(path: str, make: Callable[[Log, Request, bytes], Page], *methods: str) -> Route:
        async def endpoint(request: Request) -> Response:
            answered = guard.answered(request, access, base_of(request))
            return answered or await respond(request, lambda body: make(log, request, body))

        return Route(f"{PREFIX}{path}", endpoint, methods=methods or ("GET",))

    return [
        page("", exchanges),
        page("/", exchanges),
        page("/exchanges/{name:path}", exchange),
        page("/rules/{rule:path}", rule),
        page("/sums", sums),
        page("/learned", settings),
        page("/convert", convert, "GET", "POST"),
        page("/style.css", style),
    ]


class Log(NamedTuple):
    storage: Storage
    upstreams: Mapping[str, UpstreamTable]


async def respond(request: Request, make: Callable[[bytes], Page]) -> Response:
    """Return the page that `make` returns for the body of a request, or one that says why there is none."""
    try:
        asked = request.method == "POST"
        body = await body_of(request.receive, {}, MOST_PASTED, math.inf, lambda _: None) if asked else b""
        page = await run_in_threadpool(make, body)
    except Forbidden:
        page = failure("Too large", f"The form has more than {MOST_PASTED:,} bytes, which is its limit.", 413)
    except StorageError as error:
        page = failure("The log cannot be read", f"{error}.", 503)
    text = await run_in_threadpool(rendered, request, page)
    made = HTMLResponse if page.template.endswith(".html") else PlainTextResponse
    return made(text, page.status, {**guard.HEADERS, **page.headers})


# --- pages ---


def exchanges(log: Log, request: Request, _: bytes) -> Page:
    """Return the list, the turns of one session in their order, or the rules that recur in the newest exchanges."""
    fields = Fields({name: value.strip() for name, value in request.query_params.items() if value.strip()})
    before = fields.pop("before", None)
    wanted = _wanted(fields)
    recurring = fields["recurring"] == "1"
    most = MOST_COUNTED if recurring else PAGE if wanted.session is None else MOST_TURNS
    every, further = log.storage.search(wanted, most + 1, before)
    found = every[:most]
    status = 404 if not every and further is None and (before or wanted.session) else 200
    further = found[-1].id if len(every) > most else further
    gateway = getattr(request.app.state, "gateway", None)  # None: these pages are shown without one
    values: dict[str, Any] = {
        "wanted": fields,
        "protocols": proxai_ir.protocols(),
        "found": found,
        "before": before,
        "further": further,
        "shown": log.storage.shown,
        "dropped": log.storage.dropped,
        "resting": [one for one in gateway.upstreams.values() if one.rest.left] if gateway else [],
        "refreshing": fields["refresh"] == "1" and before is None,
    }
    if recurring:
        rules = Counter((one.client, one.provider, rule, grave) for one in found for rule, grave, _ in one.rules)
        counted = sorted(rules.most_common(), key=lambda one: one[0][3] == Severity.INFO)
        return Page("list.html", values | {"counted": counted}, status)
    if wanted.session is not None:
        records = [log.storage.exchange(one.id) for one in every]
        pairs = zip_longest(records, records[1:])
        values["turns_of"] = {one.id: views.turn(one, last) for one, last in pairs if one}
    sessions: dict[str, list[Summary]] = {}
    for one in reversed(found) if wanted.session is not None else found:
        sessions.setdefault(one.session or one.id, []).append(one)
    refresh = {"refresh": REFRESH} if values["refreshing"] else {}
    return Page("list.html", values | {"sessions": sessions}, status, refresh)


def _wanted(fields: Fields) -> Filter:
    """Return the conditions that the parameters of the list's URL state."""
    return Filter(
        rule=fields.get("rule"),
        model=fields.get("model"),
        client=fields.get("client"),
        status=int(fields["status"]) if re.fullmatch(r"[0-9]{3}", fields["status"]) else None,
        session=fields.get("session"),
        failed=True if fields["failed"] == "1" else None,
        with_models=fields["models"] == "1",
    )


def exchange(log: Log, request: Request, _: bytes) -> Page:
    name, form = request.path_params["name"], request.query_params.get("as", "")
    record = log.storage.exchange(name)
    if record is None:
        return failure("No such exchange", f"There is no exchange {name!r} in the log, or no longer.", 404)
    upstream = log.upstreams.get(record.upstream)
    if form:
        known = views.values(record, form, upstream, f"{request.url.scheme}://{request.url.netloc}")
        if known is None:
            return failure("There is no such file", f"{form!r:.80} is no file, or its payload was not kept.", 404)
        return Page(f"{'payload' if form in PAYLOADS else form}.txt", known)
    raw, beside = request.query_params.get("raw") == "1", log.storage.beside(name)
    last = log.storage.exchange(beside.before) if beside.before else None
    values = {
        "record": record,
        "sides": views.sides(record, upstream, raw=raw),
        "raw": raw,
        "beside": beside,
        "changes_found": views.changed(last, record) if last else None,
    }
    return Page("exchange.html", values)


def sums(log: Log, request: Request, _: bytes) -> Page:
    """Return who used how much over time: plots with a table, or the table's rows as a file."""
    by, span, form = (request.query_params.get(*one) for one in (("by", "who"), ("span", "30d"), ("as", "")))
    try:
        columns = columns_of(by, GROUPS)
    except ValueError as error:
        return failure("There are no such sums", f"By {by!r:.80}: {error}", 404)
    if span not in plots.SPANS or form not in ("", *FILES):
        expected = f"expected a span of {', '.join(plots.SPANS)}, as {' or '.join(FILES)} where it is a file."
        return failure("There are no such sums", f"{span!r:.80}, {form!r:.80}: {expected}", 404)
    unit = plots.SPANS[span].unit
    times, since, until = plots.times_of(plots.SPANS[span], log.storage.clock())
    found = log.storage.sums((*columns, unit), since=since, until=until)
    if form:
        text = as_csv(found, (*columns, unit)) if form == "csv" else "".join(f"{json.dumps(one)}\n" for one in found)
        headers = {"content-type": FILES[form], "content-disposition": f'attachment; filename="sums.{form}"'}
        return Page("payload.txt", {"text": text}, headers=headers)
    names, drawn = plots.plotted(found, columns, unit, times)
    newest_first = sorted(found, key=lambda one: one[unit], reverse=True)
    values = {
        "by": ",".join(columns),
        "span": span,
        "groups": GROUPS | COMBINED | {",".join(columns): ", ".join(GROUPS[name] for name in columns)},
        "spans": plots.SPANS,
        "unit": unit,
        "columns": columns,
        "counted": plots.COUNTED,
        "names": names,
        "plots": drawn,
        "times": times,
        "rows": newest_first[:MOST_ROWS],
        "left_out": max(len(found) - MOST_ROWS, 0),
        "shown": log.storage.shown,
    }
    return Page("sums.html", values)


def settings(log: Log, _: Request, __: bytes) -> Page:
    return Page("learned.html", {"found": refused(log.storage.memory), "shown": log.storage.shown})


def style(_: Log, __: Request, ___: bytes) -> Page:
    return Page("payload.txt", {"text": read_file("style.css")}, headers={"content-type": "text/css; charset=utf-8"})


def rule(_: Log, request: Request, __: bytes) -> Page:
    wanted = request.path_params["rule"].upper()
    text = section(wanted)
    if text is None:
        return failure("No such rule", f"No rule has the id {wanted!r}.", 404)
    return Page("rule.html", {"rule": wanted, "text": readable(text)})


def convert(log: Log, request: Request, body: bytes) -> Page:
    record = log.storage.exchange(name) if (name := request.query_params.get("exchange")) else None
    if name and record is None:
        return failure("No such exchange", f"There is no exchange {name!r:.80} in the log, or no longer.", 404)
    form = form_of(body) or kept_form(record)
    protocols = proxai_ir.protocols()
    src, dst = form.get("source", protocols[0]), form.get("target", protocols[-1])
    kind: Any = form.get("kind", "")
    payload = form.get("payload", "")
    wrong = [one for one in (src, dst) if one not in protocols] or [one for one in (kind,) if one and one not in KINDS]
    if wrong:
        expected = ", ".join((*protocols, *KINDS))
        return failure("This form is not ours", f"{wrong[0]!r:.80} is none of {expected}.", 400)
    values = {
        "protocols": protocols,
        "kinds": KINDS,
        "src": src,
        "dst": dst,
        "kind": kind,
        "payload": payload,
        "result": views.conversion(payload, src, dst, kind or None) if payload.strip() else None,
        "missing": request.method == "POST" and not payload.strip(),
    }
    return Page("convert.html", values)


def kept_form(record: Record | None) -> dict[str, str]:
    """Return the form filled with the client's request of an exchange."""
    if record is None or record.request is None:
        return {}
    return {"payload": record.request.decode("utf-8", "replace"), "source": record.client, "target": record.provider}


def form_of(body: bytes) -> dict[str, str]:
    """Return the first value of each field; empty if the body is not a form of the page."""
    try:
        fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=8)
    except ValueError:
        return {}
    return {name: values[0] for name, values in fields.items()}


def failure(title: str, message: str, status: int) -> Page:
    return Page("failure.html", {"title": title, "message": message}, status)


# --- templates ---


def rendered(request: Request, page: Page) -> str:
    template = environment().get_template(page.template)
    return template.render(page.values, base=base_of(request), here=request.url.path)


def base_of(request: Request) -> str:
    """Return the path of all pages."""
    return f"{request.scope.get('root_path', '')}{PREFIX}"


@cache
def environment() -> Environment:
    made = Environment(
        loader=FunctionLoader(lambda name: read_file(f"templates/{name}")),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "moment": moment,
        "seconds": seconds,
        "tokens": tokens,
        "quoted": lambda text: quote(text, safe=""),
        "query": urlencode,
        "repr": repr,
    }
    return made


@cache
def read_file(name: str) -> str:
    return (files(__package__ or "") / name).read_text(encoding="utf-8")


def moment(when: float) -> str:
    try:
        return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return str(when)


def seconds(count: float | None) -> str:
    return "" if count is None else f"{count:.2f} s"


def tokens(usage: Mapping[str, Any]) -> str:
    """Return all input tokens and all output tokens (USE-1)."""
    read, made = (sum(usage.get(name, 0) for name in names) for names in (INPUT, OUTPUT))
    return f"{read:,} / {made:,}"
