"""The law of remedies over every recorded payload and every named profile: what is shown removes its finding, and costs
nothing that it does not name."""

from __future__ import annotations

from typing import Any, get_args

import pytest

import proxai_ir
from proxai_ir.advice.changes import applied, named_profiles
from proxai_ir.api import Kind, Server

from .shared import Tools, pairs, some

FEW = 3
WEIGHTS = {"info": 0, "loss": 1, "error": 2}
MODELS = ("gpt-5.6", "claude-opus-5.5", "gemini-4", "qwen3.8")


def servers(dst: str) -> list[Server]:
    models = [proxai_ir.profiles.for_model(dst, name) for name in MODELS]
    return [dst, *named_profiles(dst).values(), *dict.fromkeys(models)]


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["some", "all"])
@pytest.mark.parametrize("kind", [one for one in get_args(Kind) if one != "error"])
@pytest.mark.parametrize(("src", "dst"), pairs())
def test_a_remedy_removes_its_finding_and_adds_none_graver(
    tools: Tools, src: str, dst: str, kind: Kind, every: bool
) -> None:
    records = tools.records(src, kind)
    for server in servers(dst) if every else some(servers(dst), 1):
        for record in records if every else some(records, FEW):
            options = {"model": record.model} if record.model else {}
            for finding in proxai_ir.remedies(record.payload, src, server, kind=kind, **options):
                for remedy in finding.remedies:
                    holds(record.payload, src, server, kind, options, finding, remedy)


def holds(
    payload: Any, src: str, dst: Server, kind: Kind, options: Any, finding: proxai_ir.Finding, remedy: proxai_ir.Remedy
) -> None:
    before = {(one.rule, one.path): WEIGHTS[one.severity] for one in checked(payload, src, dst, kind, options)}
    server, given = applied(remedy, dst, options)
    after = {(one.rule, one.path): WEIGHTS[one.severity] for one in checked(payload, src, server, kind, given)}
    assert not [path for path in finding.paths if (finding.rule, path) in after], (finding, remedy)
    added = {place: weight for place, weight in after.items() if weight > before.get(place, -1)}
    assert WEIGHTS["error"] not in added.values(), (finding, remedy)
    if finding.severity == "loss":
        assert {rule for (rule, _), weight in added.items() if weight} == set(remedy.leaves), (finding, remedy)
    if finding.severity == "info":
        assert added == {}, (finding, remedy)


def checked(
    payload: Any, src: str, dst: Server, kind: Kind, options: dict[str, Any]
) -> tuple[proxai_ir.Diagnostic, ...]:
    return proxai_ir.check(payload, src, dst, kind=kind, **options)


@pytest.mark.parametrize(("src", "dst"), pairs())
def test_what_is_not_tried_would_not_help(tools: Tools, monkeypatch: pytest.MonkeyPatch, src: str, dst: str) -> None:
    """Narrowing by the tables leaves out what removes no loss; a note may be removed by more. Of models only a few are
    tried, which are better chosen the fewer settings they are chosen by."""
    records = some(tools.records(src, "request"), 2 * FEW)
    narrowed = [helped(record.payload, src, dst) for record in records]
    monkeypatch.setattr("proxai_ir.advice.changes._narrowed", lambda target, lost, noted: target.settings)
    every = [helped(record.payload, src, dst) for record in records]
    assert [without_models(one) for one in narrowed] == [without_models(one) for one in every]
    assert all(by_models(one) <= by_models(other) for one, other in zip(every, narrowed, strict=True))


def helped(payload: Any, src: str, dst: str) -> list[proxai_ir.Finding]:
    return [one for one in proxai_ir.remedies(payload, src, dst, kind="request") if one.severity != "info"]


def without_models(findings: list[proxai_ir.Finding]) -> list[tuple[Any, ...]]:
    return [(one.rule, one.paths, [each for each in one.remedies if each.kind != "model"]) for one in findings]


def by_models(findings: list[proxai_ir.Finding]) -> set[tuple[Any, ...]]:
    """The findings that a model removes."""
    return {(one.rule, one.paths) for one in findings if any(each.kind == "model" for each in one.remedies)}
