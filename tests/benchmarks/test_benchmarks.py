"""The benchmarks' own tests: the payloads are sound, ratios are what they claim, every row can be made. No timing."""

from __future__ import annotations

import gc
import gzip
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import orjson
import pytest

import proxai_ir

from . import __main__ as command
from . import against, conversions, growth, payloads, peers, stream_payloads
from .payloads import ANTHROPIC, CHAT, GEMINI, RESPONSES, ROUTES, Route
from .report import FAILED, MISSED, NO_GOAL, Case, Goal, Row, Settings, explained, passed, run_cases, table
from .timing import Estimate, batch_size, interleave, ratio, timed

PROTOCOLS = (ANTHROPIC, CHAT, RESPONSES, GEMINI)
EXACTLY = Estimate(1.0, 1.0, 1.0)
ONCE = Settings(1, 0.0, (1, 2, 3), None)

# --- payloads ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_requests_are_deterministic_and_differ(protocol: str) -> None:
    for make in (partial(payloads.transcripts, protocol, 3), partial(payloads.tiny, protocol)):
        assert make() == make()
        assert len(set(make())) == len(make()) > 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_sizes_are_those_that_the_goals_were_set_for(protocol: str) -> None:
    assert 300_000 < len(payloads.transcripts(protocol, 100)[0]) < 360_000
    events = stream_payloads.reference_stream(protocol)
    assert 1_980 < len(events) < 2_020
    mean = len(b"".join(map(orjson.dumps, events))) / len(events)
    assert 90 < mean < 100 if protocol == ANTHROPIC else 200 < mean < 260


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_payloads_lose_little_on_the_way(route: Route) -> None:
    """What is refused, or lost as a whole, would flatter us."""
    for source in (*payloads.tiny(route.src), *payloads.transcripts(route.src, 10)):
        assert len(proxai_ir.convert(source, *route, kind="request")) > 0.65 * len(source)
    events = stream_payloads.reference_stream(route.src)
    whole = 0.7 if route.dst == GEMINI else 0.9  # the fragments of its calls are one event
    assert len(list(proxai_ir.convert_stream(events, *route))) > whole * len(events)


def test_recordings_are_those_of_the_vendor_itself(tmp_path: Path) -> None:
    own, large = {"model": "m"}, {"model": "m" * 100}
    records = [{"payload": own}, {"payload": large, "dialect": None}, {"payload": own, "dialect": "x"}]
    with gzip.open(tmp_path / f"{CHAT}.request.jsonl.gz", "wb") as file:
        file.write(b"\n".join(map(orjson.dumps, [*records, {"payload": own, "synthetic": True}])))
    assert payloads.recorded(tmp_path, CHAT, "request", 50) == [orjson.dumps(own)]
    assert payloads.recorded(tmp_path, CHAT, "request") == [orjson.dumps(own), orjson.dumps(large)]
    assert payloads.recorded(tmp_path, ANTHROPIC, "request") == payloads.recorded(None, CHAT, "request") == []


# --- timing -----------------------------------------------------------------------------------------------------------


class Script:
    """A measurement that returns what was written down for it."""

    def __init__(self, name: str, values: list[float], log: list[str]) -> None:
        self._name, self._values, self._log = name, iter(values), log

    def __call__(self) -> float:
        self._log.append(self._name)
        return next(self._values)


def test_a_ratio_is_taken_within_each_round_and_one_disturbed_round_does_not_decide() -> None:
    scripts = {"floor": Script("floor", [1, 10, 2, 1, 4], []), "ours": Script("ours", [3, 30, 6, 90, 12], [])}
    assert ratio(interleave(scripts, 5), "ours", "floor") == Estimate(3, 3, 3)


def test_each_round_starts_with_the_next_contender() -> None:
    log: list[str] = []
    interleave({name: Script(name, [1.0] * 4, log) for name in "abc"}, 4)
    assert "".join(log) == "abcbcacababc"


def test_the_heap_is_unfrozen_even_after_a_failure() -> None:
    with pytest.raises(StopIteration):
        interleave({"short": Script("short", [1.0], [])}, 2)
    assert gc.get_freeze_count() == 0


@pytest.mark.parametrize("collector", [True, False])
def test_a_measurement_is_the_time_of_a_call_with_the_collector_as_asked(collector: bool) -> None:
    now = 0
    seen: set[bool] = set()

    def call() -> None:
        nonlocal now
        now += 250
        seen.add(gc.isenabled())

    measure = timed(call, 2e-6, collector=collector, clock=lambda: now)
    seen.clear()
    assert (measure(), seen, gc.isenabled()) == (250, {collector}, True)
    assert 8 <= batch_size(call, 2e-6, clock=lambda: now) <= 10


# --- the table --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "measured", "verdict"),
    [
        (Goal(3.2, 2.5), 2.5, "aim"),
        (Goal(3.2, 2.5), 3.2, "must"),
        (Goal(3.2, 2.5), 3.3, MISSED),
        (Goal(20, 35, at_least=True), 36, "aim"),
        (Goal(20, 35, at_least=True), 20, "must"),
        (Goal(20, 35, at_least=True), 19, MISSED),
        (NO_GOAL, 99, "-"),
    ],
)
def test_verdicts(goal: Goal, measured: float, verdict: str) -> None:
    assert goal.verdict(measured) == verdict


def test_a_missed_goal_is_explained() -> None:
    rows = [Row("slow", EXACTLY, Goal(EXACTLY.middle / 2)), Row("other", EXACTLY)]
    assert "slower than the row's goal" in explained(rows, quick=True)
    assert "--quick" in explained(rows, quick=True) and "--quick" not in explained(rows, quick=False)
    assert explained(rows[1:], quick=True) == ""


def test_what_raises_becomes_a_failed_row_and_the_rest_is_measured() -> None:
    def broken() -> Iterator[Row]:
        raise RuntimeError("no\nsuch protocol")
        yield

    rows = run_cases([Case("broken", broken), Case("sound", lambda: [Row("sound", EXACTLY)])], lambda _: None)
    assert [(row.metric, row.verdict) for row in rows] == [("broken", FAILED), ("sound", "-")]
    assert rows[0].note == "RuntimeError: no such protocol"
    assert not passed(rows)
    assert not passed([Row("a", EXACTLY, Goal(0.5))])
    assert passed([Row("a", EXACTLY, Goal(2)), Row("b", None, Goal(2), absent="no corpus")])


def test_the_table_is_aligned() -> None:
    lines = table([Row("a", EXACTLY, Goal(2, 1), "a note"), Row("longer", None, absent="no corpus")]).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert [cell.strip() for cell in lines[2].split("|")[1:-1]] == ["a", "1.00", "-", "<= 2", "<= 1", "aim", "a note"]


# --- the sections -----------------------------------------------------------------------------------------------------


def test_every_case_has_a_name_of_its_own() -> None:
    names = [case.name for section in command.SECTIONS.values() for case in section(ONCE)]
    assert len(set(names)) == len(names) > 30


@pytest.mark.slow
@pytest.mark.parametrize("section", ["requests", "responses", "streams"])
def test_every_row_can_be_measured_with_and_without_peers(section: str, monkeypatch: pytest.MonkeyPatch) -> None:
    twin: dict[tuple[str, str, str], Any] = {}
    for kind, convert in (("request", proxai_ir.convert), ("stream", proxai_ir.convert_stream)):
        twin |= {(kind, src, dst): partial(convert, src=src, dst=dst) for src, dst in ROUTES[:2]}
    monkeypatch.setattr(peers, "PEERS", {"litellm": lambda: twin, "absent": lambda: import_module("no_such_peer")})
    peers.load.cache_clear()
    try:
        wanted = [case for case in command.SECTIONS[section](ONCE) if "100 turns" not in case.name]
        rows = run_cases(wanted, lambda _: None)
    finally:
        peers.load.cache_clear()
    assert not [row for row in rows if row.verdict == FAILED]
    assert bool([row for row in rows if "litellm" in row.metric]) == (section != "responses")
    assert not [row for row in rows if "absent" in row.metric]


def test_two_trees_are_compared_over_what_both_convert() -> None:
    sides = {name: against.Side(against.ROOT) for name in (against.NEW, against.OLD)}
    route = Route(CHAT, ANTHROPIC)
    sources = ['{"model": 5}', payloads.tiny(CHAT)[0].decode()]
    stream = [stream_payloads.reference_stream(CHAT)]
    works = [
        against.Work("requests", "b->b", "request", route, sources),
        against.Work("requests", "diagnostics", "request", route, sources),
        against.Work("streams", "events", "stream", route, stream),
        against.Work("streams", "sse", "stream", route, stream),
    ]
    try:
        rows = [row for work in works for row in against._rows(ONCE, sides, work)]
    finally:
        for side in sides.values():
            side.close()
    assert [row.note.split(",")[0] for row in rows] == ["1 of 2", "1 of 2", "1 of 1", "1 of 1"]
    assert all(row.measured is not None and row.measured.middle > 0 for row in rows)


def test_a_revision_that_git_does_not_have_is_an_error_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["--against", "no-such-revision"])
    assert "git cannot give the tree of 'no-such-revision'" in capsys.readouterr().err


def test_a_peer_that_does_not_do_the_work_is_not_compared() -> None:
    payload = payloads.request(CHAT, 1)
    assert peers.usable(dict, payload, payload)
    assert not peers.usable(lambda _: {}, payload, payload)
    assert not peers.usable(lambda given: given | {"gone": given.pop("model")}, payload, payload)
    assert not peers.usable(lambda given: given["absent"], payload, payload)
    route = ROUTES[0]
    assert conversions.accepted([b'{"model": 5}', *payloads.tiny(route.src)], route, "request") == payloads.tiny(
        route.src
    )


def test_slopes_leave_the_fixed_cost_out() -> None:
    costs = {turns: 50 + 2.0 * turns for turns in (1, 10, 100)}
    assert growth.spread(costs) == EXACTLY
    assert growth.spread(costs | {1_000: 50 + 1_000**1.5}).middle > 10


class Hoarder:
    """A converter that keeps what it is given."""

    def __init__(self, *route: str) -> None:
        self.feed: Any = [].append


def test_what_is_kept_of_each_event_shows_as_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    route = Route(ANTHROPIC, CHAT)
    assert growth.held(route, 5_000) < 8
    monkeypatch.setattr(proxai_ir, "StreamConverter", Hoarder)
    assert growth.held(route, 5_000) > 100
