"""The benchmarks' own tests: the generator's payloads are sound, ratios are what they say. Nothing here is timed."""

from __future__ import annotations

import gc
import gzip
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson
import pytest

import proxai_ir

from . import __main__ as command
from . import payloads, peers, stream_payloads, transcript
from .payloads import ANTHROPIC, CHAT, ITEMS, PAIRS, ROUTES, Route
from .report import FAILED, MISSED, NO_GOAL, Case, Goal, Row, Settings, passed, run_cases, table
from .timing import Estimate, batch_size, estimate, interleave, median, ratio, surcharge, timed
from .transcript import Json

SIZES = (1, 2, 10, 37)
EXACTLY = Estimate(1.0, 1.0, 1.0)
ONCE = Settings(1, 0.0, (1, 10), None)


def _blocks(message: Json, kind: str) -> list[Json]:
    return (
        [block for block in message["content"] if block["type"] == kind] if isinstance(message["content"], list) else []
    )


class TestGenerator:
    @pytest.mark.parametrize("protocol", payloads.REQUESTS)
    @pytest.mark.parametrize("turns", SIZES)
    def test_it_is_deterministic_and_json(self, protocol: str, turns: int) -> None:
        first, second = payloads.REQUESTS[protocol](turns), payloads.REQUESTS[protocol](turns)
        assert first == second
        assert orjson.loads(orjson.dumps(first)) == first

    @pytest.mark.parametrize("turns", SIZES)
    def test_anthropic_roles_alternate_and_calls_are_answered(self, turns: int) -> None:
        messages = payloads.anthropic_request(turns)["messages"]
        assert [message["role"] for message in messages] == [*["user", "assistant"] * turns, "user"]
        assert all(message["content"] for message in messages)
        for message, after in pairwise(messages):
            calls = [block["id"] for block in _blocks(message, "tool_use")]
            assert calls == [block["tool_use_id"] for block in _blocks(after, "tool_result")]
            assert len(calls) == (message["role"] == "assistant")
        thinking = [block for message in messages for block in _blocks(message, "thinking")]
        assert len(thinking) == turns // transcript.THINKING_EVERY
        assert all(block["signature"] for block in thinking)

    @pytest.mark.parametrize("turns", SIZES)
    def test_chat_calls_are_answered_and_arguments_are_text(self, turns: int) -> None:
        request = payloads.chat_request(turns)
        names = {tool["function"]["name"] for tool in request["tools"]}
        called = 0
        for message, after in pairwise(request["messages"]):
            for call in message.get("tool_calls", ()):
                called += 1
                assert call["function"]["name"] in names
                assert isinstance(orjson.loads(call["function"]["arguments"]), dict)
                assert (after["role"], after["tool_call_id"]) == ("tool", call["id"])
        assert called == turns
        assert request["messages"][0]["role"] == "system"

    def test_both_protocols_tell_the_same_story(self) -> None:
        anthropic, chat = payloads.anthropic_request(10), payloads.chat_request(10)
        inputs = [block["input"] for message in anthropic["messages"] for block in _blocks(message, "tool_use")]
        calls = [call for message in chat["messages"] for call in message.get("tool_calls", ())]
        assert inputs == [orjson.loads(call["function"]["arguments"]) for call in calls]
        schemas = [tool["input_schema"] for tool in anthropic["tools"]]
        assert schemas == [tool["function"]["parameters"] for tool in chat["tools"]]
        assert len({tool["name"] for tool in anthropic["tools"]}) == transcript.TOOLS

    def test_sizes_are_those_that_the_goals_were_set_for(self) -> None:
        sizes = {turns: len(orjson.dumps(payloads.anthropic_request(turns))) for turns in (1, 100)}
        assert 17_000 < sizes[1] < 21_000
        assert 300_000 < sizes[100] < 360_000
        assert all(2_800 < len(orjson.dumps(make())) < 3_300 for make in payloads.RESPONSES.values())

    def test_texts_are_of_the_asked_size_and_partly_foreign(self) -> None:
        turns = list(transcript.turns(40))
        texts = [text for turn in turns for text in (turn.answer, turn.result)]
        assert all(abs(len(text.encode()) - transcript.TEXT) < 40 for text in texts)
        assert len(set(texts)) == len(texts)
        assert sum(text.isascii() for text in texts) / len(texts) == 0.75

    def test_anthropic_response_holds_what_it_is_to_measure(self) -> None:
        response = payloads.anthropic_response()
        assert [block["type"] for block in response["content"]] == ["thinking", "text", "tool_use"]
        assert response["stop_reason"] == "tool_use"

    def test_recordings_are_taken_small_and_from_the_vendor_itself(self, tmp_path: Path) -> None:
        small, other = {"model": "m"}, {"model": "n"}
        records = [
            {"payload": small, "dialect": None, "origin": payloads.SMALL + ":one"},
            {"payload": small, "dialect": "x", "origin": payloads.SMALL + ":two"},
            {"payload": other, "origin": "elsewhere"},
        ]
        with gzip.open(tmp_path / f"{CHAT}.request.jsonl.gz", "wb") as file:
            file.write(b"\n".join(map(orjson.dumps, records)))
        assert payloads.recorded_small_requests(tmp_path, CHAT) == [orjson.dumps(small)]
        assert payloads.recorded_small_requests(tmp_path, ANTHROPIC) == []
        assert payloads.recorded_small_requests(None, CHAT) == []


class TestStreamGenerator:
    @pytest.mark.parametrize("protocol", stream_payloads.STREAMS)
    def test_it_is_deterministic_and_json(self, protocol: str) -> None:
        first, second = stream_payloads.STREAMS[protocol](), stream_payloads.STREAMS[protocol]()
        assert first == second
        assert orjson.loads(orjson.dumps(first)) == first

    def test_sizes_are_those_that_the_goals_were_set_for(self) -> None:
        streams = {protocol: make() for protocol, make in stream_payloads.STREAMS.items()}
        sizes = {protocol: sum(len(orjson.dumps(event)) for event in events) for protocol, events in streams.items()}
        assert all(1_980 < len(events) < 2_020 for events in streams.values())
        assert 94 < sizes[ANTHROPIC] / len(streams[ANTHROPIC]) < 98
        assert 200 < sizes[CHAT] / len(streams[CHAT]) < 240
        assert 200 < sizes[ITEMS] / len(streams[ITEMS]) < 240

    def test_blocks_open_grow_and_close_and_calls_are_json(self) -> None:
        events = stream_payloads.anthropic_stream()
        assert [event["type"] for event in (events[0], *events[-2:])] == [
            "message_start",
            "message_delta",
            "message_stop",
        ]
        starts = [event["content_block"]["type"] for event in events if event["type"] == "content_block_start"]
        assert starts == ["thinking", "text", "text", "tool_use"]
        assert sum(event["type"] == "ping" for event in events) >= 5
        assert isinstance(orjson.loads(_said(events, "partial_json")), dict)

    def test_both_protocols_tell_the_same_story(self) -> None:
        events, chunks = stream_payloads.anthropic_stream(), stream_payloads.chat_stream()
        assert chunks[-1] == stream_payloads.DONE
        assert _said(events, "thinking") + _said(events, "text") == _said(chunks, "content")
        assert _said(events, "partial_json") == _said(chunks, "arguments")

    def test_so_does_the_one_that_says_everything_again(self) -> None:
        events, items = stream_payloads.anthropic_stream(), stream_payloads.items_stream()
        said = [event for event in items if event["type"].endswith(".delta")]
        calls = [event for event in said if "arguments" in event["type"]]
        others = [event for event in said if event not in calls]
        assert _said(calls, "delta") == _said(events, "partial_json")
        assert _said(others, "delta") == _said(events, "thinking") + _said(events, "text")
        done = [event["item"] for event in items if event["type"] == "response.output_item.done"]
        assert items[-1]["response"]["output"] == done

    def test_chunks_may_be_padded(self) -> None:
        plain = stream_payloads.chat_stream()
        padded = list(stream_payloads.padded(plain))
        assert padded[-1] == stream_payloads.DONE
        assert all(event["obfuscation"] for event in padded[:-1])
        assert [event["choices"] for event in padded[:-1]] == [event["choices"] for event in plain[:-1]]

    @pytest.mark.parametrize("route", PAIRS, ids=str)
    @pytest.mark.parametrize("kind", stream_payloads.KINDS)
    def test_streams_of_one_kind_are_as_long_as_asked(self, kind: str, route: Route) -> None:
        events = list(stream_payloads.stream_of(route.src, kind, 300))
        assert 300 < len(events) < 310
        assert len(list(proxai_ir.convert_stream(events, *route))) > 300


def _said(events: list[Any], member: str) -> str:
    """All fragments under one name, wherever they stand in their events."""

    def found(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from [inner] if key == member and isinstance(inner, str) else found(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from found(inner)

    return "".join(found(events))


class Hoarder:
    """A converter that keeps what it is given."""

    def __init__(self, *route: str) -> None:
        self.kept: list[Any] = []

    def feed(self, event: Any) -> list[Any]:
        self.kept.append(event)
        return []


class Script:
    """A contender that takes the seconds that it was told to take, and remembers the order of calls."""

    def __init__(self, name: str, seconds: list[float], log: list[str]) -> None:
        self.name, self.seconds, self.log = name, iter(seconds), log

    def __call__(self) -> float:
        self.log.append(self.name)
        return next(self.seconds)


class TestTiming:
    def test_ratios_compare_times_of_one_round(self) -> None:
        """A machine that slows down tenfold changes both sides, and so no ratio."""
        floor, ours = Script("floor", [1, 10, 100], []), Script("ours", [2, 20, 200], [])
        rounds = interleave({"floor": floor, "ours": ours}, 3)
        assert ratio(rounds, "ours", "floor") == Estimate(2, 2, 2)
        assert ratio(rounds, "floor", "ours") == Estimate(0.5, 0.5, 0.5)
        assert median(rounds, "ours") == 20

    def test_one_disturbed_round_does_not_decide(self) -> None:
        rounds = interleave({"floor": Script("floor", [1] * 5, []), "ours": Script("ours", [3, 3, 90, 3, 3], [])}, 5)
        assert ratio(rounds, "ours", "floor").middle == 3

    def test_a_surcharge_is_in_units_of_the_floor(self) -> None:
        rounds = [{"floor": 2.0, "cheap": 4.0, "dear": 7.0}]
        assert surcharge(rounds, "dear", "cheap", "floor") == Estimate(1.5, 1.5, 1.5)

    def test_each_round_starts_with_the_next_contender(self) -> None:
        log: list[str] = []
        interleave({name: Script(name, [1.0] * 4, log) for name in "abc"}, 4)
        assert "".join(log) == "abcbcacababc"

    def test_the_heap_is_unfrozen_even_after_a_failure(self) -> None:
        with pytest.raises(StopIteration):
            interleave({"short": Script("short", [1.0], [])}, 2)
        assert gc.get_freeze_count() == 0

    def test_quartiles(self) -> None:
        assert estimate([5, 1, 3, 2, 4]) == Estimate(3, 2, 4)

    @pytest.mark.parametrize("collector", [True, False])
    def test_a_measurement_is_seconds_a_call_with_the_collector_as_asked(self, collector: bool) -> None:
        now = 0.0
        seen: set[bool] = set()

        def call() -> None:
            nonlocal now
            now += 0.25
            seen.add(gc.isenabled())

        measure = timed(call, 2.0, collector=collector, clock=lambda: now)
        seen.clear()
        assert measure() == 0.25
        assert seen == {collector}
        assert gc.isenabled()

    def test_batches_are_long_enough(self) -> None:
        now = 0.0

        def call() -> None:
            nonlocal now
            now += 0.25

        assert 8 <= batch_size(call, 2.0, clock=lambda: now) <= 10
        assert batch_size(call, 0.1, clock=lambda: now) == 1


class TestReport:
    @pytest.mark.parametrize(
        ("goal", "measured", "verdict"),
        [
            (Goal(3.2, 2.5), 2.5, "aim"),
            (Goal(3.2, 2.5), 3.2, "must"),
            (Goal(3.2, 2.5), 3.3, MISSED),
            (Goal(20, 35, at_least=True), 36, "aim"),
            (Goal(20, 35, at_least=True), 20, "must"),
            (Goal(20, 35, at_least=True), 19, MISSED),
            (Goal(2), 0, "must"),
            (NO_GOAL, 99, "-"),
        ],
    )
    def test_verdicts(self, goal: Goal, measured: float, verdict: str) -> None:
        assert goal.verdict(measured) == verdict

    def test_what_raises_becomes_a_failed_row_and_the_rest_is_measured(self) -> None:
        def broken() -> Iterator[Row]:
            raise RuntimeError("no\nsuch protocol")
            yield

        rows = run_cases([Case("broken", broken), Case("sound", lambda: [Row("sound", EXACTLY)])], lambda _: None)
        assert [(row.metric, row.verdict) for row in rows] == [("broken", FAILED), ("sound", "-")]
        assert rows[0].note == "RuntimeError: no such protocol"
        assert not passed(rows)

    def test_only_misses_and_failures_count(self) -> None:
        assert passed([Row("a", EXACTLY, Goal(2)), Row("b", None, Goal(2), absent="not installed")])
        assert not passed([Row("a", EXACTLY, Goal(0.5))])

    def test_the_table_is_aligned(self) -> None:
        lines = table(
            [Row("a", EXACTLY, Goal(2, 1), "a note"), Row("longer", None, absent="not installed")]
        ).splitlines()
        assert len({len(line) for line in lines}) == 1
        assert [cell.strip() for cell in lines[2].split("|")[1:-1]] == [
            "a",
            "1.00",
            "-",
            "<= 2",
            "<= 1",
            "aim",
            "a note",
        ]


class TestSections:
    def test_a_peer_that_is_not_installed_is_no_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(peers, "PEERS", {"nobody": lambda: import_module("proxai_ir_no_such_peer")})
        assert peers.load("nobody") is None

    @pytest.mark.parametrize("name", command.SECTIONS)
    def test_every_section_has_cases(self, name: str) -> None:
        section: Any = import_module(f".{name}", __package__)
        names = [case.name for case in section.cases(ONCE)]
        assert names
        assert len(set(names)) == len(names)

    def test_slopes_leave_the_fixed_cost_out(self) -> None:
        scaling: Any = import_module(".scaling", __package__)
        costs = {turns: 50 + 2.0 * turns for turns in (1, 10, 100)}
        assert scaling.spread(costs) == EXACTLY
        assert scaling.spread(costs | {1_000: 50 + 1_000**1.5}).middle > 10

    def test_a_peer_that_does_nothing_is_not_compared(self) -> None:
        comparison: Any = import_module(".comparison", __package__)
        payload = payloads.chat_response()
        comparison.check(dict, payload)
        with pytest.raises(ValueError, match="bytes of"):
            comparison.check(lambda _: {}, payload)
        with pytest.raises(ValueError, match="changes its argument"):
            comparison.check(lambda given: given | {"gone": given.pop("usage")}, payload)

    def test_a_peer_may_stream_objects(self) -> None:
        class Chunk:
            def model_dump(self) -> Json:
                return {"content": "some text"}

        comparison: Any = import_module(".comparison", __package__)
        events = comparison.payload_of("stream", CHAT)
        assert all(isinstance(event, dict) for event in events)
        comparison.check(lambda given: (Chunk() for _ in given), [{"content": "some text"}] * 9)
        with pytest.raises(ValueError, match="bytes of"):
            comparison.check(lambda given: (Chunk() for _ in given), events)

    @pytest.mark.parametrize("route", ROUTES, ids=str)
    def test_streams_are_compared_event_by_event(self, monkeypatch: pytest.MonkeyPatch, route: Route) -> None:
        comparison: Any = import_module(".comparison", __package__)
        monkeypatch.setattr(comparison, "_load", lambda _: {("stream", *route): iter})
        monkeypatch.setattr(peers, "release", lambda name: name)
        case = next(case for case in comparison.cases(ONCE) if f"stream d->d, {route}" in case.name)
        (row,) = case.run()
        assert row.measured is not None
        assert "per event" in row.note

    @pytest.mark.parametrize("name", ["streams", "long_streams"])
    def test_every_row_of_streams_can_be_measured(self, name: str) -> None:
        section: Any = import_module(f".{name}", __package__)
        rows = run_cases(section.cases(ONCE), lambda _: None)
        assert not [row for row in rows if row.measured is None]
        told = [row for row in rows if "until the first" in row.metric]
        assert all(row.measured == EXACTLY for row in told)

    @pytest.mark.parametrize("route", ROUTES, ids=str)
    def test_what_is_kept_of_each_event_shows_as_growth(self, monkeypatch: pytest.MonkeyPatch, route: Route) -> None:
        section: Any = import_module(".long_streams", __package__)
        assert section.growth(route, stream_payloads.TEXT, 5_000) < 8
        monkeypatch.setattr(proxai_ir, "StreamConverter", Hoarder)
        assert section.growth(route, stream_payloads.TEXT, 5_000) > 100
