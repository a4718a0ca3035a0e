"""The routes of the page: lists, one exchange or a file of it, one rule, what was learned, the form that converts.

Rule: `guard` sees every request; what a page shows is made in a worker thread, since payloads may be large.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, urlencode

from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

import proxai_ir

from ...matrix.rulebook import readable, section
from ...reporting.diagnostics import Severity
from ...storage import Storage, StorageError
from ...storage.records import PAYLOADS, Filter, Summary
from .. import learned
from ..access import Access
from ..config import UpstreamTable
from . import guard, views

PREFIX = "/ui"
PAGE, MOST_TURNS, MOST_COUNTED = 50, 20, 500
"""How many exchanges a page of the list has, and a session; and in how many the rules are counted that recur."""
MOST_PASTED = 4 << 20
"""The most bytes of a form that is sent."""
KINDS = ("request", "response", "error", "stream")
REFRESH = "5"
"""Seconds after which a browser loads a list again that refreshes."""
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


class TooLargeError(Exception):
    """The form has more than MOST_PASTED bytes."""


def routes(storage: Storage, access: Access, upstreams: Mapping[str, UpstreamTable] = NONE) -> list[Route]:
    """Return the routes of all pages, which are below PREFIX; `upstreams` are those of the gateway."""
    log = Log(storage, upstreams)

    def page(path: str, make: Callable[[Log, Request, bytes], Page], *methods: str) -> Route:
        async def endpoint(request: Request) -> Response:
            answered = guard.answered(request, access, base_of(request))
            return answered or await respond(request, lambda body: make(log, request, body))

        return Route(f"{PREFIX}{path}", endpoint, methods=methods or ("GET",))

    async def style(request: Request) -> Response:
        answered = guard.answered(request, access, base_of(request))
        return answered or Response(read_file("style.css"), media_type="text/css", headers=guard.HEADERS)

    return [
        page("", exchanges),
        page("/", exchanges),
        page("/exchanges/{name:path}", exchange),
        page("/rules/{rule}", rule),
        page("/learned", settings),
        page("/convert", convert, "GET", "POST"),
        Route(f"{PREFIX}/style.css", style),
    ]


class Log(NamedTuple):
    storage: Storage
    upstreams: Mapping[str, UpstreamTable]


async def respond(request: Request, make: Callable[[bytes], Page]) -> Response:
    """Return the page that `make` returns for the body of a request, or one that says why there is none."""
    try:
        body = await body_of(request)
        page = await run_in_threadpool(make, body)
        text = await run_in_threadpool(rendered, request, page)
    except TooLargeError:
        page = failure("Too large", f"The form has more than {MOST_PASTED:,} bytes, which is its limit.", 413)
        text = rendered(request, page)
    except StorageError as error:
        page = failure("The log cannot be read", f"{error}.", 503)
        text = rendered(request, page)
    made = HTMLResponse if page.template.endswith(".html") else PlainTextResponse
    return made(text, page.status, {**guard.HEADERS, **page.headers})


async def body_of(request: Request) -> bytes:
    """Return the body of a POST. Raises TooLargeError, without having read the rest."""
    body = bytearray()
    if request.method == "POST":
        async for chunk in request.stream():
            body += chunk
            if len(body) > MOST_PASTED:
                raise TooLargeError
    return bytes(body)


# --- pages ---


def exchanges(log: Log, request: Request, _: bytes) -> Page:
    """Return the list, the turns of one session in their order, or the rules that recur in the newest exchanges."""
    fields = Fields({name: value.strip() for name, value in request.query_params.items() if value.strip()})
    before = fields.pop("before", None)
    wanted = filter_of(fields)
    recurring = fields["recurring"] == "1"
    most = MOST_COUNTED if recurring else PAGE if wanted.session is None else MOST_TURNS
    every, further = log.storage.search(wanted, most + 1, before)
    found = every[:most]
    further = found[-1].id if len(every) > most else further
    values: dict[str, Any] = {
        "wanted": fields,
        "protocols": proxai_ir.protocols(),
        "found": found,
        "before": before,
        "further": further,
        "shown": log.storage.shown,
        "dropped": log.storage.dropped,
        "refreshing": fields["refresh"] == "1" and before is None,
    }
    if recurring:
        rules = Counter((one.client, one.provider, rule, grave) for one in found for rule, grave, _ in one.rules)
        counted = sorted(rules.most_common(), key=lambda one: one[0][3] == Severity.INFO)
        return Page("list.html", values | {"counted": counted})
    if wanted.session is not None:
        records = [log.storage.exchange(one.id) for one in every]
        pairs = zip(records, [*records[1:], None], strict=True)
        values["turns_of"] = {one.id: views.turn(one, last) for one, last in pairs if one}
    sessions: dict[str, list[Summary]] = {}
    for one in reversed(found) if wanted.session is not None else found:
        sessions.setdefault(one.session or one.id, []).append(one)
    refresh = {"refresh": REFRESH} if values["refreshing"] else {}
    return Page("list.html", values | {"sessions": sessions}, headers=refresh)


def filter_of(fields: Fields) -> Filter:
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


def settings(log: Log, _: Request, __: bytes) -> Page:
    return Page("learned.html", {"found": learned.read(log.storage.memory), "shown": log.storage.shown})


def rule(_: Log, request: Request, __: bytes) -> Page:
    wanted = request.path_params["rule"].upper()
    text = section(wanted)
    if text is None:
        return failure("No such rule", f"No rule has the id {wanted!r}.", 404)
    return Page("rule.html", {"rule": wanted, "text": readable(text)})


def convert(log: Log, request: Request, body: bytes) -> Page:
    form = form_of(body) or kept_form(log, request)
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


def kept_form(log: Log, request: Request) -> dict[str, str]:
    """Return the form filled with the client's request of an exchange that the URL names."""
    name = request.query_params.get("exchange")
    record = log.storage.exchange(name) if name else None
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
    read, made = (
        sum(usage.get(name, 0) for name in names)
        for names in (("input", "cache_read", "cache_write"), ("output", "reasoning"))
    )
    return f"{read:,} / {made:,}"
