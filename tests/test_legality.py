"""The laws of the target tables: one with a hole does not load, and each backend does what its table declares."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir.ir import parts, request, terminal, tools, usage
from proxai_ir.ir.error import Error
from proxai_ir.ir.structure import FEATURES, PLACES
from proxai_ir.rules.verdicts import Target, inside, loses, notes, of, ok, refuses, weaker
from proxai_ir.testing.specimens import SPECIMENS
from proxai_ir.testing.tables import (
    Exempt,
    features,
    table_is_total,
    vocabulary_is_sound,
    wire_differs_where_exempt,
    wire_is_as_declared,
)

from .samples import PROTOCOLS

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"


# --- a table is total -------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(("cls", "name"), [(cls, name) for cls in FEATURES for name in features(cls)])
def test_a_table_without_a_field_does_not_load(cls: type, name: str) -> None:
    with pytest.raises(ValueError, match=rf"{cls.__name__}\.{name}"):
        Target("x", rows(without=(cls, name)))


@pytest.mark.parametrize("place", PLACES)
def test_a_table_without_a_place_does_not_load(place: str) -> None:
    missing = PLACES[place][-1].__name__
    with pytest.raises(ValueError, match=f"{missing} in {place}"):
        Target("x", rows(without=(place, missing)))


def test_a_table_without_an_enum_member_does_not_load() -> None:
    some = of(request.Thinking, ok("effort=low|medium|high|xhigh"), loses("RSN-6", "effort=minimal"))
    with pytest.raises(ValueError, match=r"Thinking\.effort"):
        Target("x", rows(without=(request.Thinking, "effort"), more=(some,)))
    Target("x", rows(without=(request.Thinking, "effort"), more=(some, of(request.Thinking, ok("effort=max")))))


def test_a_verdict_that_holds_sometimes_is_not_enough() -> None:
    sometimes = of(request.Sampling, loses("SMP-3", "seed", when=lambda node: node.seed == 1))
    with pytest.raises(ValueError, match=r"Sampling\.seed"):
        Target("x", rows(without=(request.Sampling, "seed"), more=(sometimes,)))
    place = inside("user", refuses("AUD-1", parts.Audio, when=lambda node: True))
    with pytest.raises(ValueError, match="Audio in user"):
        Target("x", rows(without=("user", "Audio"), more=(place,)))


@pytest.mark.parametrize(
    "row",
    [
        of(request.Sampling, loses("SMP-3", "warmth")),
        inside("attic", ok(parts.Text)),
        of(str, ok()),
    ],
)
def test_a_table_of_things_that_are_not_there_does_not_load(row: Any) -> None:
    with pytest.raises(ValueError, match=r"no field warmth|no such class or place"):
        Target("x", rows(more=(row,)))


def test_an_enum_member_that_is_not_there() -> None:
    with pytest.raises((ValueError, KeyError)):
        Target("x", rows(more=(of(request.Thinking, loses("RSN-6", "effort=vast")),)))


@pytest.mark.parametrize(
    ("word", "rule"), [(loses, "SMP-6"), (notes, "SMP-3"), (refuses, "SMP-3"), (weaker, "TUL-2"), (loses, "FIN-1")]
)
def test_a_verdict_has_the_severity_of_its_rule(word: Any, rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        word(rule, "seed")


# --- what a table declares is what the backend does -------------------------------------------------------------------

SAME = "several values share one value of the wire"
EXEMPT: dict[str, Exempt] = {
    ANTHROPIC: {
        (tools.WebSearchTool, "kind"): "the version of the source's vendor is not the target's",
        (request.Request, "prefill"): "a last turn of the assistant is always continued",
        (terminal.Terminal, "reason"): SAME,
        (Error, "type"): "the category is carried; the raw value is the source's own",
    },
    CHAT: {
        (terminal.Terminal, "reason"): SAME,
        (Error, "type"): "the category is carried; the raw value is the source's own",
        (tools.WebSearchTool, "kind"): "the version of the source's vendor is not the target's",
        (
            usage.Usage,
            "total",
        ): "the wire's total is a sum; a source's other total is reported (USE-2)",
    },
    RESPONSES: {
        (terminal.Terminal, "reason"): SAME,
        (Error, "type"): "the category is carried; the raw value is the source's own",
        (tools.WebSearchTool, "kind"): "the version of the source's vendor is not the target's",
        (usage.Usage, "total"): "the wire's total is a sum; a source's other total is reported (USE-2)",
        (tools.FunctionTool, "strict"): "what is not strict is marked so here, whether the source marks it or not",
        (parts.Reasoning, "summary"): "the thinking of other protocols becomes the summary",
    },
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_table_is_total(protocol: str) -> None:
    table_is_total(protocol)
    vocabulary_is_sound(protocol)


def test_every_class_has_a_specimen() -> None:
    assert set(SPECIMENS) == set(FEATURES)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("cls", FEATURES, ids=lambda cls: cls.__name__)
def test_the_wire_changes_exactly_where_the_table_declares_it(protocol: str, cls: type) -> None:
    wire_is_as_declared(protocol, cls, exempt=EXEMPT[protocol])


@pytest.mark.parametrize(
    ("protocol", "cls", "name"),
    [
        pytest.param(protocol, cls, name, id=f"{protocol}: {cls.__name__}.{name}")
        for protocol, exempt in EXEMPT.items()
        for cls, name in exempt
    ],
)
def test_an_exemption_is_needed(protocol: str, cls: type, name: str) -> None:
    assert EXEMPT[protocol][cls, name], "no reason is given"
    wire_differs_where_exempt(protocol, cls, name)


def test_what_rewrites_refuse_is_reported_with_all_else() -> None:
    broken = {"type": "file", "file": {"filename": "a.txt", "file_data": "data:text/plain;base64,!"}}
    speech = {"type": "input_audio", "input_audio": {"data": "eA==", "format": "wav"}}
    request = {"model": "m", "messages": [{"role": "user", "content": [broken, speech]}]}
    with pytest.raises(proxai_ir.Unrepresentable) as refused:
        proxai_ir.convert(request, CHAT, ANTHROPIC)
    assert {one.code for one in refused.value.diagnostics} == {"SRC-3", "AUD-1"}
