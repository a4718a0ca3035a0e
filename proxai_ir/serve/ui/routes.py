"""The routes of the page: the list, one exchange, one rule, what was learned, the form that converts, the style sheet.

Rule: every response goes through `guard`; what a page shows is made in a worker thread, since payloads may be large.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, urlencode

from jinja2 import Environment, FunctionLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

import proxai_ir

from ...cli.rulebook import readable, section
from .. import learned
from ..access import Access
from ..records import Filter
from ..storage import Storage, StorageError
from . import guard, views

PREFIX = "/ui"
PAGE = 50
"""Exchanges of one page of the list."""
MOST_PASTED = 4 << 20
"""The most bytes of a form, as it is sent."""
KINDS = ("request", "response", "error", "stream")


class Page(NamedTuple):
    template: str
    values: dict[str, Any]
    status: int = 200


class TooLargeError(Exception):
    """The form has more than MOST_PASTED bytes."""


def routes(storage: Storage, access: Access) -> list[Route]:
    """For the gateway to mount as they are; all are below PREFIX."""

    def guarded(make: Callable[[Request, bytes], Page]) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            return guard.answered(request, access, base_of(request)) or await shown(request, make)

        return endpoint

    async def style(request: Request) -> Response:
        answered = guard.answered(request, access, base_of(request))
        return answered or Response(read_file("style.css"), media_type="text/css", headers=guard.HEADERS)

    def listed(request: Request, _: bytes) -> Page:
        return exchanges(storage, request)

    def one(request: Request, _: bytes) -> Page:
        return exchange(storage, request)

    def learned_(_: Request, __: bytes) -> Page:
        return Page("learned.html", {"found": learned.read(storage.memory), "shown": storage.shown})

    return [
        Route(PREFIX, guarded(listed)),
        Route(f"{PREFIX}/", guarded(listed)),
        Route(f"{PREFIX}/exchanges/{{name:path}}", guarded(one)),
        Route(f"{PREFIX}/rules/{{rule}}", guarded(rule)),
        Route(f"{PREFIX}/learned", guarded(learned_)),
        Route(f"{PREFIX}/convert", guarded(convert), methods=["GET", "POST"]),
        Route(f"{PREFIX}/style.css", style),
    ]


async def shown(request: Request, make: Callable[[Request, bytes], Page]) -> Response:
    try:
        body = await body_of(request)
        page = await run_in_threadpool(make, request, body)
        html = await run_in_threadpool(rendered, request, page)
    except TooLargeError:
        page = failure("Too large", f"The form has more than {MOST_PASTED:,} bytes, which is its limit.", 413)
        html = rendered(request, page)
    except StorageError as error:
        page = failure("The log cannot be read", f"{error}.", 503)
        html = rendered(request, page)
    return HTMLResponse(html, page.status, guard.HEADERS)


async def body_of(request: Request) -> bytes:
    """The body, read no further than its limit."""
    body = bytearray()
    if request.method == "POST":
        async for chunk in request.stream():
            body += chunk
            if len(body) > MOST_PASTED:
                raise TooLargeError
    return bytes(body)


# --- pages ---


def exchanges(storage: Storage, request: Request) -> Page:
    asked = request.query_params
    rule, model = asked.get("rule", "").strip(), asked.get("model", "").strip()
    failed = asked.get("failed") == "1"
    found = storage.exchanges(
        Filter(rule=rule or None, model=model or None, failed=True if failed else None),
        PAGE + 1,
        asked.get("before") or None,
    )
    wanted = {"rule": rule, "model": model, "failed": "1" if failed else ""}
    wanted = {name: value for name, value in wanted.items() if value}
    older = urlencode(wanted | {"before": found[PAGE - 1].id}) if len(found) > PAGE else ""
    values = {
        "found": found[:PAGE],
        "rule": rule,
        "model": model,
        "failed": failed,
        "older": older,
        "newest": urlencode(wanted) if asked.get("before") else None,
        "shown": storage.shown,
        "dropped": storage.dropped,
    }
    return Page("list.html", values)


def exchange(storage: Storage, request: Request) -> Page:
    name = request.path_params["name"]
    record = storage.exchange(name)
    if record is None:
        return failure("No such exchange", f"There is no exchange {name!r} in the log, or no longer.", 404)
    return Page("exchange.html", {"record": record, "sides": views.sides(record)})


def rule(request: Request, _: bytes) -> Page:
    wanted = request.path_params["rule"].upper()
    text = section(wanted)
    if text is None:
        return failure("No such rule", f"No rule has the id {wanted!r}.", 404)
    return Page("rule.html", {"rule": wanted, "text": readable(text)})


def convert(request: Request, body: bytes) -> Page:
    form = form_of(body)
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
        "result": views.tried(payload, src, dst, kind or None) if payload.strip() else None,
        "missing": request.method == "POST" and not payload.strip(),
    }
    return Page("convert.html", values)


def form_of(body: bytes) -> dict[str, str]:
    """The first value of each field; empty for what is no form of ours."""
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
    """The path below which all pages are."""
    return f"{request.scope.get('root_path', '')}{PREFIX}"


@cache
def environment() -> Environment:
    made = Environment(
        loader=FunctionLoader(lambda name: read_file(f"templates/{name}")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "moment": moment,
        "seconds": seconds,
        "tokens": tokens,
        "quoted": lambda text: quote(text, safe=""),
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
    """All tokens that were read, and all that were generated (USE-1)."""
    read = sum(usage.get(name, 0) for name in ("input", "cache_read", "cache_write"))
    return f"{read:,} / {sum(usage.get(name, 0) for name in ('output', 'reasoning')):,}"
