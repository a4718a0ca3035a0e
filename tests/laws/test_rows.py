"""Each row of a target's table that holds for a whole field or place: stated apart from the table, and met by a node.

The statements stand by rule: what a target does not have in common with the source. A row that is changed, added or
forgotten fails here by its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import attrs
import pytest

from proxai_ir import Profile, ir
from proxai_ir.ir.node import Cache
from proxai_ir.ir.request import Role, Turn
from proxai_ir.ir.response import Candidate, LogProbs, ScoredToken
from proxai_ir.ir.structure import FEATURES
from proxai_ir.ir.structure import PLACES as IR_PLACES
from proxai_ir.passes.pipeline import legalize
from proxai_ir.protocol.registry import backend
from proxai_ir.reporting.catalogue import KNOWN
from proxai_ir.reporting.diagnostics import Record
from proxai_ir.reporting.report import Report
from proxai_ir.targets.verdicts import Verdict
from proxai_ir.testing.specimens import SPECIMENS, asked, hello, responded
from proxai_ir.testing.tables import VALUES, _values

from ..samples import PROTOCOLS, of
from . import sometimes
from .rows import FIELDS, PLACES, TARGETS
from .tables import LATER

USER, ASSISTANT = Role.USER, Role.ASSISTANT
PARTS = frozenset(IR_PLACES["assistant"])
CLASSES = {cls.__name__: cls for cls in FEATURES}

Row = tuple[str, str, str, str]
"""A target, the subject, the capability that servers lack, the rule."""


def stated(table: str, of: str = "") -> Iterator[tuple[Row, str]]:
    """The rows of a table of the first protocols, whose lines name targets by letters, or of a later one's."""
    for line in table.strip().splitlines():
        rule, severity, *subjects = line.split()
        targets = (of,) if of else [TARGETS[letter] for letter in subjects.pop(0)]
        without = subjects.pop(0).strip("[]") if subjects[0].startswith("[") else ""
        for target in targets:
            for subject in subjects:
                yield (target, subject, without, rule), severity


def all_stated(first: str, later: str) -> dict[Row, str]:
    """The rows of all protocols: a table of the first ones, and the attribute that it is of later ones' modules."""
    rows = dict(stated(first))
    for protocol, module in LATER.items():
        rows |= stated(getattr(module, later), protocol)
    return rows


STATED = all_stated(FIELDS, "FIELDS")


def declared(protocol: str) -> Iterator[Row]:
    for subject, one in on_fields(protocol):
        if one.rule is not None and one.when is None and not one.elsewhere:
            yield protocol, subject, limits(one), str(one.rule)


def limits(one: Verdict) -> str:
    """The capability that servers lack, and the words that settings are, as rows state them: `a,b=c`."""
    return ",".join([*filter(None, [one.without]), *(f"{name}={'|'.join(words)}" for name, words in one.where)])


def on_fields(protocol: str) -> Iterator[tuple[str, Verdict]]:
    """The verdicts of a whole table on what its target carries, with the base's."""
    target = backend(protocol).target
    for cls in target.fields:
        for name, chain in target.table.fields.get(cls, {}).items():
            for words, one in chain:
                yield f"{cls.__name__}.{name}{'=' if words else ''}{'|'.join(words)}", one


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_rows_about_fields_are_those_that_are_stated(protocol: str) -> None:
    expected = {row for row in STATED if row[0] == protocol}
    found = set(declared(protocol))
    assert sorted(found - expected) == []
    assert sorted(expected - found) == []


# --- what stands in a place -------------------------------------------------------------------------------------------


def stated_places(places: dict[str, str], of: str = "") -> Iterator[tuple[Row, str]]:
    for place, lines in places.items():
        for line in lines.split(";"):
            rule, severity, *names = line.split()
            targets = (of,) if of else [TARGETS[letter] for letter in names.pop(0)]
            for target in targets:
                for name in names:
                    yield (target, place, name, rule), severity


STATED_PLACES = dict(stated_places(PLACES))
for of_later, module in LATER.items():
    STATED_PLACES |= stated_places(module.PLACES, of_later)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_rows_about_places_are_those_that_are_stated(protocol: str) -> None:
    target = backend(protocol).target
    found = {
        (protocol, place, cls.__name__, str(verdicts[-1].rule))
        for place, table in target.places["request"].items()
        for cls, verdicts in table.items()
        if target.holds(place) and verdicts[-1].rule is not None and verdicts[-1].when is None
    }
    expected = {row for row in STATED_PLACES if row[0] == protocol}
    assert sorted(found - expected) == []
    assert sorted(expected - found) == []


SOMETIMES = all_stated(sometimes.FIELDS, "SOMETIMES")
SOMETIMES_PLACES = all_stated(sometimes.PLACES, "SOMETIMES_PLACES")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_rows_with_conditions_are_those_that_are_stated(protocol: str) -> None:
    """What they say of a value is for the tests that know it; here none is forgotten, or changes its rule."""
    target = backend(protocol).target
    fields = {
        (protocol, subject, limits(one), str(one.rule))
        for subject, one in on_fields(protocol)
        if one.rule is not None and (one.when or one.elsewhere)
    }
    places = {
        (protocol, f"{place.replace(' ', '-')}/{cls.__name__}", limits(one), str(one.rule))
        for place, table in target.places["request"].items()
        for cls, verdicts in (table.items() if target.holds(place) else ())
        for one in verdicts
        if one.rule is not None and one.when
    }
    assert fields ^ {row for row in SOMETIMES if row[0] == protocol} == set()
    assert places ^ {row for row in SOMETIMES_PLACES if row[0] == protocol} == set()


TABLES = {"fields": STATED, "places": STATED_PLACES, "conditions": {**SOMETIMES, **SOMETIMES_PLACES}}


@pytest.mark.parametrize("table", TABLES)
def test_a_rule_has_the_severity_that_is_stated(table: str) -> None:
    assert {row: KNOWN[row[3]].severity for row in TABLES[table]} == TABLES[table]


# --- a node for each row ----------------------------------------------------------------------------------------------


def judged(root: Any, server: Profile) -> list[Record]:
    target = backend(server).target
    report = Report(limits=target.limits)
    legalize(root, target, report, backend(server).server)
    return report.records


OWN: dict[tuple[type, str], list[Any]] = {
    **{(cls, "cache"): [Cache(3600)] for cls in FEATURES if "cache" in {one.name for one in attrs.fields(cls)}},
    (Cache, "ttl"): [60],
    (ir.Caching, "lifetime"): [60],
    (ir.Output, "audio"): [ir.Speech("alloy", "wav")],
    (ir.Output, "picture"): [ir.Picture("16:9")],
    (ir.Speech, "format"): ["pcm16", "wav"],
    (Candidate, "logprobs"): [LogProbs([ScoredToken("Hi", -0.5)])],
    (ir.WebSearchTool, "location"): [ir.Location("Oslo")],
    (ir.SearchResult, "parts"): [[ir.Image(ir.Url("https://e.com/a.png"))]],
}
"""Values besides those of `proxai_ir.testing.tables`, which are of fields that some target carries."""
BESIDE = {
    (ir.Sampling, "top_logprobs"): {"logprobs": True},
    (ir.Caching, "lifetime"): {"automatic": True},
}
"""What a field only means something with."""


def test_values_are_of_fields_that_there_are() -> None:
    strange = [f"{cls.__name__}.{name}" for cls, name in VALUES if name not in {one.name for one in attrs.fields(cls)}]
    assert not strange


def examples(row: Row) -> Iterator[Any]:
    """Trees in which the field has a value that the row is about: the specimen's, and where a part may stand."""
    protocol, subject, _, _ = row
    name, _, field = subject.partition(".")
    field, _, listed = field.partition("=")
    cls = CLASSES[name]
    make = {**SPECIMENS, **of(protocol).specimens}[cls]
    for value in (None, *_values(cls, field, {**VALUES, **OWN})):
        if listed and str(getattr(value, "value", value)) not in listed.split("|"):
            continue
        root, node = make()
        for key, one in {**BESIDE.get((cls, field), {}), field: value}.items():
            setattr(node, key, one)
        roots = [root]
        if cls in PARTS:
            roots += [responded(node), *(asked(turns=[hello(), Turn(role, [node])]) for role in (USER, ASSISTANT))]
        yield from map(deepcopy, roots)


def everything_but(protocol: str, without: str) -> Profile:
    has = backend(protocol).target.capabilities
    stated: dict[str, Any] = {name: value is False or value for name, value in has.items()}
    for limit in filter(None, without.split(",")):
        name, _, words = limit.partition("=")
        stated[name] = words.split("|")[0] if words else False
    return Profile(protocol, **stated)


A, R = TARGETS["A"], TARGETS["R"]
UNREACHED = {
    **dict.fromkeys(((A, "Image.seal", "", "RSN-4"), (R, "Image.seal", "", "RSN-4")), "no image is answered"),
    **dict.fromkeys(((A, "Audio.seal", "", "RSN-26"), (R, "Audio.seal", "", "RSN-26")), "no recording is sent"),
}
"""Rows of two kinds of payloads of which one holds no such part."""
for module in LATER.values():
    UNREACHED |= getattr(module, "UNREACHED", {})


@pytest.mark.parametrize("row", STATED, ids=" ".join)
def test_a_node_for_each_row(row: Row) -> None:
    """It is reported under the rule, by a server that lacks the capability that the row is about, and no other."""
    protocol, _, without, rule = row
    server = everything_but(protocol, without)
    reported = any(rule in {one[0] for one in judged(root, server)} for root in examples(row))
    assert reported is (row not in UNREACHED)
