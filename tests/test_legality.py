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


# --- a backend does what its table declares ---------------------------------------------------------------------------

SEALED = (parts.Text, parts.Image, parts.Audio, *parts.CALLS)
GROUPED: dict[tuple[type, str], list[Any]] = {  # values that mean something, where any would not do
    (request.Request, "max_tokens"): [3, 64],
    (request.Sampling, "candidates"): [1, 2],
    (request.Sampling, "temperature"): [0.5, 1.5],
    (request.Output, "modalities"): [["text"], ["text", "audio"]],
    (request.Caching, "lifetime"): [300, 1800, 3600, 43200],
    (Cache, "ttl"): [300, 1800, 3600, 43200],
    (parts.Reasoning, "seal"): [Seal("anthropic", "signature", "eQ=="), Seal("other", "signature", "eA==")],
    **{(cls, "seal"): [Seal("other", "signature", "eA==")] for cls in SEALED},
    (parts.WebSearchCall, "queries"): [["moon"], ["moon", "tides"]],
    (parts.McpResult, "is_error"): [True],
    (parts.WebHit, "seal"): [Seal("anthropic", "content", "eQ==")],
    (parts.UrlCitation, "seal"): [Seal("anthropic", "index", "eA==")],
    (parts.Inline, "mime"): ["image/jpeg", "audio/wav"],
    (parts.Url, "url"): ["https://e.com/b.png", "gs://b/c"],
    (tools.AllowedChoice, "tools"): [[("function", "f"), ("function", "g")]],
    (tools.NamedChoice, "name"): ["g"],
    (tools.FunctionTool, "parameters"): [
        {"type": "object", "properties": {}, "additionalProperties": False, "title": "T"}
    ],
    (parts.PlainText, "mime"): ["text/markdown"],
    (usage.Usage, "details"): [
        {key: 7} for key in ("input.audio", "output.accepted_prediction", "cache_write.300", "x.y")
    ],
    (request.SchemaFormat, "strict"): [False],  # a closed schema is strict by default
}

Exempt = dict[tuple[type, str], str]
SAME = "several values share one value of the wire"
JOINED = "shows only where there is a turn before that it continues"
EXEMPT: dict[str, Exempt] = {
    ANTHROPIC: {
        (tools.WebSearchTool, "kind"): "the version of the source's vendor is not the target's",
        (request.Request, "prefill"): "a last turn of the assistant is always continued",
        (turns.Turn, "continues"): JOINED,
        (terminal.Terminal, "raw"): "the reason is carried; the raw value is the source's own",
        (terminal.Terminal, "reason"): SAME,
        (Error, "type"): "the category is carried; the raw value is the source's own",
    },
    CHAT: {
        (turns.Turn, "continues"): JOINED,
        (terminal.Terminal, "raw"): "the reason is carried; the raw value is the source's own",
        (terminal.Terminal, "reason"): SAME,
        (Error, "type"): "the category is carried; the raw value is the source's own",
        (tools.WebSearchTool, "kind"): "the version of the source's vendor is not the target's",
        (
            usage.Usage,
            "total",
        ): "the wire's total is a sum; a source's other total is reported (USE-2)",
    },
    RESPONSES: {
        (turns.Turn, "continues"): "items stay items",
        (terminal.Terminal, "raw"): "the reason is carried; the raw value is the source's own",
        (terminal.Terminal, "reason"): SAME,
        (Error, "type"): "the category is carried; the raw value is the source's own",
        (tools.WebSearchTool, "kind"): "the version of the source's vendor is not the target's",
        (usage.Usage, "total"): "the wire's total is a sum; a source's other total is reported (USE-2)",
        (tools.FunctionTool, "strict"): "what is not strict is marked so here, whether the source marks it or not",
        (parts.Reasoning, "summary"): "the thinking of other protocols becomes the summary",
    },
}


def values(cls: type, name: str) -> list[Any]:
    """Values to put into a field."""
    if (cls, name) in GROUPED:
        return GROUPED[cls, name]
    hint = get_type_hints(cls)[name]
    options = [option for option in (hint, *get_args(hint)) if option is not type(None)]
    for option in options:
        if isinstance(option, type) and issubclass(option, Enum):
            return list(option)
    simple: dict[Any, list[Any]] = {bool: [True, False], int: [3], float: [0.25], str: ["other"]}
    for option in options:
        if option in simple:
            return simple[option]
        if str(option).startswith("list"):
            return [["b", "c"]]
        if str(option).startswith("dict"):
            return [{"k": 1}]
    raise AssertionError(f"no values for {cls.__name__}.{name}: {hint}")


def verdict(target: Target, node: Any, name: str) -> Verdict | None:
    """The table's verdict on a field as it is; None: plainly legal."""
    value = getattr(node, name)
    if value and name in KEYED.get(type(node), ()):
        (value,) = value  # its one key
    for field in target.fields[type(node)]:
        if field.name == name:
            for among, one in field.verdicts:
                if (among is None or value in among) and (one.when is None or one.when(node)):
                    return one if one.rule else None
    return None


def wire(root: Any, name: str) -> Any:
    """The wire, or the rules that refuse it."""
    try:
        return repr(proxai_ir.raise_to(root, name))
    except proxai_ir.TranslationError as error:
        return {one.code for one in error.diagnostics}


CASES = [
    pytest.param(
        name,
        cls,
        field,
        id=f"{name}: {cls.__name__}.{field}",
    )
    for name in PROTOCOLS
    for cls in FEATURES
    for field in features(cls)
]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_table_is_total(protocol: str) -> None:
    table_is_total(protocol)
    vocabulary_is_sound(protocol)


def test_every_class_has_a_specimen() -> None:
    assert set(SPECIMENS) == set(FEATURES)


def changes(cls: type, name: str) -> Iterator[tuple[Any, Any, Any, Any]]:
    """The specimen as it is and with another value in one field: two trees and their nodes."""
    for value in values(cls, name):
        before, old = SPECIMENS[cls]()
        after, new = SPECIMENS[cls]()
        if getattr(old, name) == value:
            continue
        setattr(new, name, value)
        yield before, old, after, new


def follows_its_table(protocol: str, cls: type, name: str) -> None:
    target = backend(protocol).target
    if cls not in target.fields:
        return
    for before, old, after, new in changes(cls, name):
        was, is_ = verdict(target, old, name), verdict(target, new, name)
        if was is not None and getattr(old, name) is not None:
            continue  # the specimen itself is not legal in this field
        wires, value = (wire(before, protocol), wire(after, protocol)), getattr(new, name)
        if is_ is None:
            assert wires[0] != wires[1], f"{value!r} is legal and the wire does not change"
        elif is_.word in DROPS and getattr(old, name) is None:
            assert wires[0] == wires[1], f"{value!r} is lost and the wire changes"
        elif is_.word == "refuses":
            assert isinstance(wires[1], set) and is_.rule in wires[1]


@pytest.mark.parametrize(("protocol", "cls", "name"), CASES)
def test_the_wire_changes_exactly_as_the_table_declares(protocol: str, cls: type, name: str) -> None:
    if (cls, name) not in EXEMPT[protocol]:
        follows_its_table(protocol, cls, name)


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
    with pytest.raises(AssertionError):
        follows_its_table(protocol, cls, name)
