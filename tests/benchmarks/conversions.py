"""Owns the rows about requests and responses: against JSON, with diagnostics read, and against other converters.

Small payloads are held against the standard library's `json.loads(source)` and `json.dumps(target)`, larger ones
against the floor, orjson's. Both write our own output, so that a conversion is not excused by what it leaves out. The
floor writes a fresh copy each time, whose making is subtracted: orjson writes a string again in a fraction of the time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import orjson

import proxai_ir

from . import peers
from .payloads import ANTHROPIC, CHAT, GEMINI, RESPONSES, ROUTES, SMALL, Route, recorded, tiny, transcripts
from .report import NO_GOAL, Case, Goal, Row, Settings, duration
from .timing import Call, median, race, ratio

JSON, FLOOR, COPIES, CONVERT, COMPILE = "json", "floor", "copies", "convert", "compile"
DIAGNOSTICS = Goal(must=1.5, aim=1.25)


class Workload(NamedTuple):
    """What is converted, what it is held against, and what must come out, by source and by route."""

    name: str
    kind: Any
    unit: str
    sources: Callable[[Settings, str], list[bytes]]
    goals: dict[str, Goal]
    litellm: dict[Route, Goal]
    form: str = "b->b"

    def metric(self, route: Route) -> str:
        return f"{self.name} b->b / {self.unit}, {route}"


def every(must: float, aim: float) -> dict[str, Goal]:
    return dict.fromkeys((ANTHROPIC, CHAT, RESPONSES, GEMINI), Goal(must, aim))


ADAPTED = Goal(1.0, 1.4, at_least=True)
LITELLM = {
    **dict.fromkeys((Route(CHAT, ANTHROPIC), Route(RESPONSES, ANTHROPIC)), Goal(5, 8, at_least=True)),
    **dict.fromkeys((Route(ANTHROPIC, CHAT), Route(CHAT, RESPONSES), Route(RESPONSES, CHAT)), ADAPTED),
    Route(ANTHROPIC, RESPONSES): Goal(0.4, 0.6, at_least=True),
}
WORKLOADS = (
    Workload("tiny request", "request", JSON, lambda _, src: tiny(src), every(1.5, 1.1), {}),
    Workload(
        "recorded small request",
        "request",
        JSON,
        lambda settings, src: recorded(settings.corpus, src, "request", SMALL),
        {ANTHROPIC: Goal(2.0, 1.5), CHAT: Goal(2.0, 1.5), RESPONSES: Goal(2.6, 1.9), GEMINI: Goal(2.6, 1.9)},
        LITELLM,
    ),
    Workload(
        "request of 10 turns",
        "request",
        FLOOR,
        lambda _, src: transcripts(src, 10),
        {ANTHROPIC: Goal(2.3, 1.8), CHAT: Goal(2.5, 1.8), RESPONSES: Goal(3.0, 1.8), GEMINI: Goal(3.0, 1.8)},
        {},
    ),
    Workload("request of 100 turns", "request", FLOOR, lambda _, src: transcripts(src, 100), every(2.0, 1.6), {}),
    Workload(
        "recorded response",
        "response",
        FLOOR,
        lambda settings, src: recorded(settings.corpus, src, "response"),
        {CHAT: Goal(4.2, 3.0), ANTHROPIC: Goal(5.2, 3.6), RESPONSES: Goal(5.5, 3.8), GEMINI: Goal(5.5, 3.8)},
        dict.fromkeys(ROUTES, Goal(6, 10, at_least=True)),
        "d->d",
    ),
)


def requests(settings: Settings) -> Iterator[Case]:
    return _cases(settings, "request")


def responses(settings: Settings) -> Iterator[Case]:
    return _cases(settings, "response")


def _cases(settings: Settings, kind: Any) -> Iterator[Case]:
    for workload in WORKLOADS:
        for route in ROUTES if workload.kind == kind else ():
            yield Case(workload.metric(route), partial(_rows, settings, workload, route))


def _rows(settings: Settings, workload: Workload, route: Route) -> list[Row]:
    goal = workload.goals[route.src]
    sources = accepted(workload.sources(settings, route.src), route, workload.kind)
    if not sources:
        return [Row(workload.metric(route), None, goal, "see --corpus", absent="no corpus")]
    calls = contenders(sources, route, workload)
    compared = {name: _compared(name, workload, route, sources) for name in peers.PEERS}
    for pair in compared.values():
        calls |= pair
    taken = race(calls, settings.batch_seconds, settings.rounds)
    if workload.unit == FLOOR:
        taken = [{**one, FLOOR: one[FLOOR] - one[COPIES]} for one in taken]
    size = sum(map(len, sources)) / len(sources) / 1e3
    note = f"{len(sources)} of {size:.1f} KB, {duration(median(taken, CONVERT) / len(sources))}"
    rows = [
        Row(workload.metric(route), ratio(taken, CONVERT, workload.unit), goal, note),
        Row("  compile, diagnostics read / convert", ratio(taken, COMPILE, CONVERT), DIAGNOSTICS),
    ]
    for name in [name for name, pair in compared.items() if pair]:
        theirs = workload.litellm.get(route, NO_GOAL) if name == "litellm" else NO_GOAL
        rows.append(Row(f"  {name} / proxai_ir, {workload.form}", ratio(taken, name, _ours(name)), theirs))
    return rows


def accepted(sources: Sequence[bytes], route: Route, kind: Any) -> list[bytes]:
    """Those that the target can take: a refusal is quick, and would flatter us."""
    taken: list[bytes] = []
    for source in sources:
        try:
            proxai_ir.convert(source, *route, kind=kind)
        except proxai_ir.TranslationError:
            continue
        taken.append(source)
    return taken


def contenders(sources: Sequence[bytes], route: Route, workload: Workload) -> dict[str, Call]:
    """JSON alone, the conversion, and the conversion whose diagnostics are read, each over all the sources in turn."""
    src, dst = route
    kind, convert, compile_ = workload.kind, proxai_ir.convert, proxai_ir.compile
    targets = [convert(source, src, dst, kind=kind) for source in sources]
    pairs = list(zip(sources, targets, strict=True))
    objects = [(source, orjson.loads(target)) for source, target in pairs]

    def standard() -> None:
        for source, target in objects:
            json.loads(source)
            json.dumps(target)

    def floor() -> None:
        for source, target in pairs:
            orjson.loads(source)
            orjson.dumps(orjson.loads(target))

    def copies() -> None:
        for target in targets:
            orjson.loads(target)

    def converted() -> None:
        for source in sources:
            convert(source, src, dst, kind=kind)

    def compiled() -> None:
        for source in sources:
            tuple(compile_(source, src, dst, kind=kind).diagnostics)

    units = {JSON: standard} if workload.unit == JSON else {FLOOR: floor, COPIES: copies}
    return {**units, CONVERT: converted, COMPILE: compiled}


def _ours(peer: str) -> str:
    return f"proxai_ir, what {peer} can"


def _compared(peer: str, workload: Workload, route: Route, sources: Sequence[bytes]) -> dict[str, Call]:
    """A peer, and we, over those sources that it can convert; nothing, if it cannot convert any."""
    theirs = (peers.load(peer) or {}).get((workload.kind, route.src, route.dst))
    if theirs is None:
        return {}
    ours = partial(proxai_ir.convert, src=route.src, dst=route.dst, kind=workload.kind)
    parsed = [(source, orjson.loads(source)) for source in sources]
    able = [(source, payload) for source, payload in parsed if peers.usable(theirs, payload, ours(payload))]
    if not able:
        return {}
    if workload.form == "d->d":
        payloads = [payload for _, payload in able]
        return {peer: partial(_each, theirs, payloads), _ours(peer): partial(_each, ours, payloads)}
    wires = [source for source, _ in able]
    return {
        peer: partial(_each, lambda source: orjson.dumps(theirs(orjson.loads(source))), wires),
        _ours(peer): partial(_each, ours, wires),
    }


def _each(convert: Callable[[Any], Any], payloads: Sequence[Any]) -> None:
    for payload in payloads:
        convert(payload)
