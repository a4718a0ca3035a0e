"""Target tables: one with a hole does not load. That a backend follows its table is for tests/test_conformance.py."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import ir
from proxai_ir.ir.request import ASSISTANT, USER, Turn, TurnSettings
from proxai_ir.ir.structure import FEATURES, PLACES
from proxai_ir.passes.pipeline import legalize
from proxai_ir.reporting.report import Report
from proxai_ir.targets import checks
from proxai_ir.targets.settings import Server, capability
from proxai_ir.targets.verdicts import Check, Target, inside, loses, notes, of, ok, refuses, weaker
from proxai_ir.testing.specimens import SPECIMENS
from proxai_ir.testing.tables import features

from .cases import each


def rows(*, without: tuple[Any, str] = (None, ""), more: tuple[Any, ...] = ()) -> list[Any]:
    """A table that finds everything legal, but for one field of a class or one class in a place."""
    made: list[Any] = [of(cls, ok(*(name for name in features(cls) if (cls, name) != without))) for cls in FEATURES]
    for place, classes in PLACES.items():
        made.append(inside(place, ok(*(cls for cls in classes if (place, cls.__name__) != without))))
    return made + list(more)


def test_a_whole_table_loads() -> None:
    target = Target("x", rows())
    assert set(target.fields) == set(FEATURES)
    assert target.cited() == set()


@each(("cls", "name"), [(cls, name) for cls in FEATURES for name in features(cls)])
def test_a_table_without_a_field_does_not_load(cls: type, name: str) -> None:
    with pytest.raises(ValueError, match=rf"{cls.__name__}\.{name}"):
        Target("x", rows(without=(cls, name)))


@pytest.mark.parametrize("place", PLACES)
def test_a_table_without_a_place_does_not_load(place: str) -> None:
    missing = PLACES[place][-1].__name__
    with pytest.raises(ValueError, match=f"{missing} in {place}"):
        Target("x", rows(without=(place, missing)))


def test_a_table_without_an_enum_member_does_not_load() -> None:
    some = of(ir.Thinking, ok("effort=low|medium|high|xhigh"), loses("RSN-6", "effort=minimal"))
    with pytest.raises(ValueError, match=r"Thinking\.effort"):
        Target("x", rows(without=(ir.Thinking, "effort"), more=(some,)))
    Target("x", rows(without=(ir.Thinking, "effort"), more=(some, of(ir.Thinking, ok("effort=max")))))


def test_a_verdict_that_holds_sometimes_is_not_enough() -> None:
    sometimes = of(ir.Sampling, loses("SMP-3", "seed", when=lambda node: node.seed == 1))
    with pytest.raises(ValueError, match=r"Sampling\.seed"):
        Target("x", rows(without=(ir.Sampling, "seed"), more=(sometimes,)))
    place = inside("user", refuses("AUD-1", ir.Audio, when=lambda node: True))
    with pytest.raises(ValueError, match="Audio in user"):
        Target("x", rows(without=("user", "Audio"), more=(place,)))


@pytest.mark.parametrize(
    "row",
    [
        of(ir.Sampling, loses("SMP-3", "warmth")),
        inside("attic", ok(ir.Text)),
        of(str, ok()),
    ],
)
def test_a_table_of_things_that_are_not_there_does_not_load(row: Any) -> None:
    with pytest.raises(ValueError, match=r"no field warmth|there is no place|expected a class of the IR or a place"):
        Target("x", rows(more=(row,)))


def test_an_enum_member_that_is_not_there() -> None:
    with pytest.raises((ValueError, KeyError)):
        Target("x", rows(more=(of(ir.Thinking, loses("RSN-6", "effort=vast")),)))


@pytest.mark.parametrize(
    ("word", "rule"), [(loses, "SMP-6"), (notes, "SMP-3"), (refuses, "SMP-3"), (weaker, "TUL-2"), (loses, "FIN-1")]
)
def test_a_verdict_has_the_severity_of_its_rule(word: Any, rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        word(rule, "seed")


@pytest.mark.parametrize(("carried", "images", "expected"), [(True, 2, 1), (True, 0, 0), (False, 2, 0)])
def test_a_check_of_some_classes_runs_once_where_the_target_gets_them(
    carried: bool, images: int, expected: int
) -> None:
    runs: list[ir.Request] = []
    check = Check(lambda root, report, options: runs.append(root), (), ir.Request, given=(ir.Image,))
    dropped = inside("user", loses("TUL-6", ir.Image))
    table = rows() if carried else rows(without=("user", "Image"), more=(dropped,))
    turn = Turn(USER, [ir.Image(ir.Url("https://example.com/a.png")) for _ in range(images)])
    legalize(ir.Request(None, "m", [turn]), Target("x", table, [check]), Report(), Server({}))
    assert len(runs) == expected


def test_a_check_does_not_run_where_the_one_before_it_removed_what_both_need() -> None:
    runs: list[str] = []

    def first(root: ir.Request, report: Report, server: Server) -> None:
        runs.append("first")
        root.thinking = None

    checks = [
        Check(first, (), ir.Request, needs=("thinking",)),
        Check(lambda *_: runs.append("second"), (), ir.Request, needs=("thinking",)),
        Check(lambda *_: runs.append("images"), (), ir.Request, given=(ir.Image,)),
        Check(lambda *_: runs.append("images that think"), (), ir.Request, given=(ir.Image,), needs=("thinking",)),
        Check(lambda *_: runs.append("images or audio"), (), ir.Request, given=(ir.Audio, ir.Image)),
        Check(lambda *_: runs.append("last"), (), ir.Request),
    ]
    turn = Turn(USER, [ir.Image(ir.Url("https://example.com/a.png"))])
    request = ir.Request(None, "m", [turn], thinking=ir.Thinking())
    legalize(request, Target("x", rows(), checks), Report(), Server({}))
    assert runs == ["first", "images", "images or audio", "last"]


CALLED: list[ir.Part] = [
    ir.FunctionCall("a", "now", "{}", src={}),
    ir.CustomCall("b", "sing", "la", src={}),
    ir.FunctionCall("c", "now", "{}", src={}),
]


@pytest.mark.parametrize(
    ("defined", "called", "expected"),
    [
        (None, CALLED, [("now", {"type": "object", "properties": {}}), ("sing", None)]),
        ([], CALLED[:1], [("now", {"type": "object", "properties": {}})]),
        ([ir.FunctionTool("other")], CALLED, [("other", None)]),
        (None, [], None),
    ],
)
def test_calls_that_need_tools_get_them(defined: Any, called: list[Any], expected: Any) -> None:
    asked = ir.Request(None, "m", [Turn(ASSISTANT, list(called))], tools=defined, src={})
    report = Report()
    legalize(asked, Target("x", rows(), [checks.calls_need_tools()]), report, Server({}))
    made = [(getattr(tool, "name", ""), getattr(tool, "parameters", None)) for tool in asked.tools or ()]
    assert made == (expected or [])
    assert [one[0] for one in report.records] == ["TUL-62"] * (len(expected or ()) if not defined else 0)


def test_results_of_a_wire_without_ids_stand_in_the_order_of_their_calls() -> None:
    calls = [ir.FunctionCall(one, "now", "{}", src={}) for one in "ab"]
    results = [ir.ToolResult(one, [], src={}) for one in "ba"]
    asked = ir.Request(None, "m", [Turn(ASSISTANT, [*calls]), Turn(ir.TOOL, [*results])], src={})
    report = Report()
    in_order, named = checks.without_call_ids("TUL-17")
    in_order.run(asked, report, Server({}))
    assert [one.call_id for one in asked.turns[1].parts] == ["a", "b"]  # type: ignore[index, union-attr]
    assert [one.name for one in asked.turns[1].parts] == ["now", "now"]  # type: ignore[index, union-attr]
    assert [one[0] for one in report.records] == ["TUL-17"] * 4
    called = ir.Response(None, None, "m", [ir.Candidate([Turn(ASSISTANT, [calls[0]])], ir.Terminal(ir.StopReason.END))])
    report = Report()
    named.run(called, report, Server({}))
    assert [one[0] for one in report.records] == ["TUL-17"]


@pytest.mark.parametrize(("has", "expected"), [(True, None), (False, 1)])
def test_servers_that_do_without_tools(has: bool, expected: Any) -> None:
    settings = {"bare": capability(True, "calls without tools")}
    table = Target("x", rows(), [checks.calls_need_tools(without="bare")], settings=settings)
    asked = ir.Request(None, "m", [Turn(ASSISTANT, CALLED[:1])], src={})
    legalize(asked, table.having({"bare": has}), Report(), Server({}))
    assert (asked.tools and len(asked.tools)) == expected


@pytest.mark.parametrize(
    ("group", "held"),
    [("thinking", {ir.Thinking}), ("output", {ir.Output, ir.Speech, ir.Picture, *PLACES["format"]})],
)
def test_what_no_request_carries_no_turn_of_it_carries(group: str, held: set[type]) -> None:
    """Settings that a turn changes become the request's (RSN-45), so that those are judged which a request has."""
    assert held <= set(Target("x", rows()).fields)
    target = Target("x", rows(more=(of(ir.Request, loses("UNK-1", group)),)))
    assert set(target.fields) == set(FEATURES) - held
    turn = Turn(USER, [ir.Text("Hi")], src={}, settings=TurnSettings(ir.Thinking(), ir.Output(), src={}))
    report = Report()
    legalize(ir.Request(None, "m", [turn], src={}), target, report, Server({}))
    left = {"thinking": (None, ir.Output()), "output": (ir.Thinking(), None)}[group]
    assert turn.settings is not None
    assert (turn.settings.thinking, turn.settings.output) == left
    assert [one[0] for one in report.records] == ["UNK-1"]


def test_every_class_has_a_specimen() -> None:
    assert set(SPECIMENS) == set(FEATURES)


def test_what_rewrites_refuse_is_reported_with_all_else() -> None:
    broken = {"type": "file", "file": {"filename": "a.txt", "file_data": "data:text/plain;base64,!"}}
    speech = {"type": "input_audio", "input_audio": {"data": "eA==", "format": "wav"}}
    request = {"model": "m", "messages": [{"role": "user", "content": [broken, speech]}]}
    with pytest.raises(proxai_ir.Unrepresentable) as refused:
        proxai_ir.convert(request, "openai_chat_completions", "anthropic_messages")
    assert {one.code for one in refused.value.diagnostics} == {"SRC-3", "AUD-1"}
