"""Where findings point in payloads of a kind that no protocol of ours has; nothing in them is lost silently (LOS-1)."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint
from typing import Any

import pytest

import proxai_ir
from proxai_ir.ir.node import Several
from proxai_ir.ir.parts import Text
from proxai_ir.ir.request import Request, Role, Sampling, Turn
from proxai_ir.passes.pipeline import legalize
from proxai_ir.protocol import registry
from proxai_ir.reporting.diagnostics import render
from proxai_ir.reporting.report import Report
from proxai_ir.reporting.vocabulary import Vocabulary
from proxai_ir.targets.settings import Server
from proxai_ir.targets.verdicts import Target, loses, of
from proxai_ir.testing.payloads import Case, accounts_for_every_leaf, accounts_for_every_member

from ..test_legality import rows
from .beacons import NAME

OTHERS = ("anthropic_messages", "gemini_generate_content", "openai_chat_completions", "openai_responses")


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    entries = {
        side: {NAME: [EntryPoint(NAME, f"tests.outside.beacons:{side[:-1].upper()}", f"proxai_ir.{side}")]}
        for side in ("frontends", "backends")
    }
    monkeypatch.setattr(registry, "_elsewhere", entries.__getitem__)
    yield


def asked(*beside: Any, **members: Any) -> dict[str, Any]:
    return {"system": [{"text": "Be brief."}, *beside], "say": [{"text": "Hi"}], **members}


def found(payload: Any, dst: str, **options: Any) -> list[tuple[str, str]]:
    done = proxai_ir.check(payload, NAME, dst, kind="request", **options)
    return [
        (one.rule, one.path) for one in done if one.rule != "SMP-1" and not one.rule.startswith(("ENV", "PLC", "CAP"))
    ]


def test_a_marker_beside_what_it_marks() -> None:
    """The marker is a node with a `src` of its own, which no path below the text leads to."""
    payload = asked({"mark": {"for": 300}})
    assert found(payload, "openai_chat_completions") == [("CAC-4", "/system/1")]
    assert ("CAC-2", "/system/1/mark/for") not in found(asked({"mark": {}}), "anthropic_messages")


def test_what_is_unknown_inside_a_marker() -> None:
    payload = asked({"mark": {"for": 300, "zz": 1}, "yy": 2})
    for dst in OTHERS:
        done = found(payload, dst)
        covered = {path for _, path in done}
        assert "/system/1" in covered or {"/system/1/yy", "/system/1/mark/zz"} <= covered, (dst, done)
        assert not any(path.startswith("/system/0") for path in covered), (dst, done)
    assert ("UNK-1", "/system/1/mark/zz") in found(payload, "anthropic_messages")


def test_settings_of_a_group_in_two_objects() -> None:
    """Each is found in the object that has it, whichever was read first."""
    payload = asked(infer={"heat": 0.5}, more={"top": 3})
    assert found(payload, "openai_chat_completions") == [("SMP-3", "/more/top")]
    assert found(payload, "openai_responses") == [("SMP-3", "/more/top")]
    other = asked(more={"top": 3}, infer={"heat": 0.5}, seed=7)
    assert found(other, "openai_chat_completions") == [("SMP-3", "/more/top")]
    assert found(other, "anthropic_messages") == [("SMP-10", "/seed")]
    assert found(asked(seed=7, more={"heat": 3.5}), "anthropic_messages")[0] == ("SMP-10", "/seed")


def test_what_is_unknown_in_an_object_inside_the_payload() -> None:
    payload = asked(infer={"heat": 0.5, "cold": {"a": 1}}, more={"top": 3, "warm": 2}, wild=1)
    for dst in OTHERS:
        paths = {path for rule, path in found(payload, dst) if rule == "UNK-1"}
        assert paths == {"/infer/cold", "/more/warm", "/wild"}, dst
    node = proxai_ir.lower(payload, NAME, kind="request")
    assert node.extra is not None
    assert node.extra.fields == {"infer": {"cold": {"a": 1}}, "more": {"warm": 2}, "wild": 1}


def test_objects_inside_objects() -> None:
    """What a reader keeps there stays at its place, as what none reads."""
    payload = asked(more={"deep": {"top": 3, "warm": 2, "mood": "high"}, "mood": "low"})
    assert ("SMP-3", "/more/deep/top") in found(payload, "openai_chat_completions")
    node = proxai_ir.lower(payload, NAME, kind="request")
    assert node.extra is not None
    assert node.extra.fields == {"more": {"deep": {"warm": 2, "mood": "high"}, "mood": "low"}}


def test_a_group_that_is_dropped_is_named_in_every_object() -> None:
    payload = {"infer": {"heat": 0.5}, "more": {"top": 3}}
    sampling = Sampling(temperature=0.5, top_k=3, src=Several((payload["infer"], payload["more"])))
    root = Request(None, "m", [Turn(Role.USER, [Text("Hi")])], src=payload, sampling=sampling)
    target = Target("x", [of(Request, loses("SMP-3", "sampling")), *rows()])
    report = Report(Vocabulary({}, {"Sampling": {"temperature": "heat"}}))
    legalize(root, target, report, Server({}))
    assert [one.path for one in render(report.records, payload)] == ["/infer", "/more"]
    assert root.sampling is None


@pytest.mark.parametrize(
    "payload",
    [
        asked({"mark": {"for": 300}}),
        asked({"text": "Be kind."}, {"mark": {}}, infer={"heat": 0.5, "seed": 3}, more={"top": 3}),
        asked(more={"top": 3, "odd": [1]}, infer={"heat": 0.5}, seed=7),
        asked(more={"deep": {"heat": 0.5, "deep": {"top": 3, "odd": 1}}, "mood": 1}, seed=7),
    ],
)
def test_nothing_in_them_is_lost(payload: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(NAME, "request", payload)
    monkeypatch.setattr(proxai_ir, "raise_to", lambda node, dst: node.src)  # it has no backend of its own
    assert accounts_for_every_member(case, OTHERS)
    assert accounts_for_every_leaf(case, OTHERS)
