"""The laws of the target tables: one with a hole does not load, and what one says is what its backend does."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any, get_args, get_type_hints

import attrs
import pytest

import proxai_ir
from proxai_ir.ir import parts, request, terminal, tools, turns, usage
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Cache, Seal
from proxai_ir.ir.structure import BOOKKEEPING, CHILDREN, FEATURES, KEYED, PLACES
from proxai_ir.registry import backend
from proxai_ir.rules.catalogue import RULES
from proxai_ir.rules.verdicts import DROPS, Target, Verdict, inside, loses, notes, of, ok, refuses, weaker

from .properties.specimens import SPECIMENS
from .samples import PROTOCOLS

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"


def features(cls: type) -> list[str]:
    """The fields of a class that a table judges."""
    names = {each.name for each in attrs.fields(cls)} - BOOKKEEPING - set(CHILDREN.get(cls, ()))
    return sorted(names)


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


@pytest.mark.parametrize("name", PROTOCOLS)
def test_our_tables_cite_rules_that_are_reported(name: str) -> None:
    assert {rule for rule in backend(name).target.cited() if RULES[rule].severity == "law"} == set()


# --- what a table says is what the backend does -----------------------------------------------------------------------

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
    (request.SchemaFormat, "strict"): [False],  # a closed schema is strict where nothing is said
}

Exempt = dict[tuple[type, str], str]
SAME = "several values share one word of the wire"
JOINED = "shows only where there is a turn before that it goes on with"
EXEMPT: dict[str, Exempt] = {
    ANTHROPIC: {
        (tools.WebSearchTool, "kind"): "the version of the source's vendor is not the target's",
        (request.Request, "prefill"): "a last turn of the assistant's is gone on from, always",
        (turns.Turn, "continues"): JOINED,
        (terminal.Terminal, "raw"): "the reason is what travels; the raw word is the source's own",
        (terminal.Terminal, "reason"): SAME,
        (Error, "type"): "the category is what travels; the raw word is the source's own",
    },
    CHAT: {
        (turns.Turn, "continues"): JOINED,
        (terminal.Terminal, "raw"): "the reason is what travels; the raw word is the source's own",
        (terminal.Terminal, "reason"): SAME,
        (Error, "type"): "the category is what travels; the raw word is the source's own",
        (tools.WebSearchTool, "kind"): "the version of the source's vendor is not the target's",
        (
            usage.Usage,
            "total",
        ): "the wire's total is a sum; a source's other total is reported (USE-2)",
    },
    RESPONSES: {
        (turns.Turn, "continues"): "items stay items",
        (terminal.Terminal, "raw"): "the reason is what travels; the raw word is the source's own",
        (terminal.Terminal, "reason"): SAME,
        (Error, "type"): "the category is what travels; the raw word is the source's own",
        (tools.WebSearchTool, "kind"): "the version of the source's vendor is not the target's",
        (usage.Usage, "total"): "the wire's total is a sum; a source's other total is reported (USE-2)",
        (tools.FunctionTool, "strict"): "what is not strict says so here, whether the source does or not",
        (parts.Reasoning, "summary"): "what others tell of the thinking is told as its summary",
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
    """What the table says of a field as it is; None: plainly legal."""
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
def test_a_table_judges_only_what_its_target_carries(protocol: str) -> None:
    assert backend(protocol).target.idle == ()


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


def as_the_table_says(protocol: str, cls: type, name: str) -> None:
    target = backend(protocol).target
    if cls not in target.fields:
        return
    for before, old, after, new in changes(cls, name):
        was, is_ = verdict(target, old, name), verdict(target, new, name)
        if was is not None and getattr(old, name) is not None:
            continue  # the specimen itself is not legal in this field
        told, value = (wire(before, protocol), wire(after, protocol)), getattr(new, name)
        if is_ is None:
            assert told[0] != told[1], f"{value!r} is legal and the wire does not say it"
        elif is_.word in DROPS and getattr(old, name) is None:
            assert told[0] == told[1], f"{value!r} is lost and the wire says it"
        elif is_.word == "refuses":
            assert isinstance(told[1], set) and is_.rule in told[1]


@pytest.mark.parametrize(("protocol", "cls", "name"), CASES)
def test_the_wire_changes_exactly_where_the_table_says(protocol: str, cls: type, name: str) -> None:
    if (cls, name) not in EXEMPT[protocol]:
        as_the_table_says(protocol, cls, name)


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
        as_the_table_says(protocol, cls, name)


def test_what_rewrites_refuse_is_reported_with_all_else() -> None:
    broken = {"type": "file", "file": {"filename": "a.txt", "file_data": "data:text/plain;base64,!"}}
    speech = {"type": "input_audio", "input_audio": {"data": "eA==", "format": "wav"}}
    request = {"model": "m", "messages": [{"role": "user", "content": [broken, speech]}]}
    with pytest.raises(proxai_ir.Unrepresentable) as refused:
        proxai_ir.convert(request, CHAT, ANTHROPIC)
    assert {one.code for one in refused.value.diagnostics} == {"SRC-3", "AUD-1"}
