"""Tables of other packages: defaults for what is newer than a table, holes reported by name, rules as values."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import proxai_ir
from proxai_ir import ir
from proxai_ir.ir import structure
from proxai_ir.ir.error import Error, ErrorCategory
from proxai_ir.ir.structure import FEATURES, PLACES
from proxai_ir.passes.pipeline import legalize
from proxai_ir.protocol.registry import backend
from proxai_ir.reporting.catalogue import KNOWN, RULES, Rule, TableError
from proxai_ir.reporting.diagnostics import Refusal, render
from proxai_ir.reporting.report import Report
from proxai_ir.targets.base import BASE
from proxai_ir.targets.settings import Server, capability
from proxai_ir.targets.verdicts import (
    Target,
    Verdict,
    in_requests,
    inside,
    lacking,
    loses,
    notes,
    of,
    ok,
    omits,
    refuses,
)
from proxai_ir.testing.tables import features

from .test_legality import rows
from .test_registry import BACKEND, package, run

DROPPED = Rule("TESTS-1", "loss", "The field is newer than the table.")
REFUSED = Rule("TESTS-2", "error", "The value is newer than the table.")
NEWER = (loses(DROPPED), refuses(REFUSED))


def younger(monkeypatch: pytest.MonkeyPatch, *subjects: Any) -> None:
    for subject in subjects:
        monkeypatch.setitem(structure.SINCE, subject, 2)


def verdicts(target: Target, cls: type, name: str) -> list[tuple[Any, Verdict]]:
    return [one for field in target.fields[cls] if field.name == name for one in field.verdicts]


def decision(target: Target, cls: type, name: str, value: Any = None) -> tuple[str, str | None]:
    """The first verdict on a value of a field."""
    for values, verdict in verdicts(target, cls, name):
        if values is None or value in values:
            return verdict.word, verdict.rule
    return "ok", None


# --- what is newer than a table ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", ["anthropic_messages", "openai_chat_completions", "openai_responses"])
def test_our_own_tables_take_no_defaults(protocol: str) -> None:
    target = backend(protocol).target
    assert target.newer is None
    assert target.ir == structure.VERSION


def test_a_newer_field_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    younger(monkeypatch, (ir.Sampling, "seed"))
    target = Target("x", rows(without=(ir.Sampling, "seed")), ir=1, newer=NEWER)
    assert decision(target, ir.Sampling, "seed") == ("loses", DROPPED)
    assert decision(target, ir.Sampling, "top_p") == ("ok", None)


def test_a_newer_field_that_holds_nodes_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    younger(monkeypatch, (ir.Text, "cache"))
    target = Target("x", rows(), ir=1, newer=NEWER)
    assert decision(target, ir.Text, "cache", ir.Cache(1)) == ("loses", DROPPED)


def test_a_verdict_on_all_values_is_about_those_that_there_were(monkeypatch: pytest.MonkeyPatch) -> None:
    younger(monkeypatch, (ir.Effort, "MAX"), (ir.StopReason, "PAUSE"), (ir.Role, "DEVELOPER"))
    target = Target("x", rows(), ir=1, newer=NEWER)
    assert decision(target, ir.Thinking, "effort", ir.Effort.MAX) == ("loses", DROPPED)
    assert decision(target, ir.Thinking, "effort", ir.Effort.LOW) == ("ok", None)
    assert decision(target, ir.Terminal, "reason", ir.PAUSE) == ("refuses", REFUSED), "it cannot be absent"
    assert "developer" not in target.roles


OLDER = [
    {"rows": rows(), "newer": NEWER},
    {"rows": (), "base": BASE},
    {"rows": [of(Error, ok("category"))], "base": BASE},
]


@pytest.mark.parametrize("made", OLDER, ids=["alone", "on a base", "a verdict on all"])
def test_a_newer_category_of_an_error_is_what_its_status_means(made: Any) -> None:
    """It refuses nothing (ERR-10)."""
    target = Target("x", ir=1, **made)
    verdict, *_ = [
        one for values, one in verdicts(target, Error, "category") if values and ErrorCategory.CONTEXT_LENGTH in values
    ]
    assert (verdict.word, verdict.rule) == ("notes", "ERR-3")
    assert verdict.by is not None
    assert verdict.by(Error(None, ErrorCategory.CONTEXT_LENGTH, "No.")) is ErrorCategory.INVALID_REQUEST


def test_no_table_refuses_errors() -> None:
    made = [row for row in rows() if row[0] is not Error]
    for verdict in (refuses(REFUSED, "category=context_length"), refuses(REFUSED, "status")):
        with pytest.raises(TableError, match=r"refuses errors.*ERR-10"):
            Target("x", [*made, of(Error, verdict, ok("message category"))])


def test_a_newer_class_is_refused_in_its_places(monkeypatch: pytest.MonkeyPatch) -> None:
    younger(monkeypatch, ir.Video, "citations", ("tools", ir.CustomTool))
    missing = [("Video", place) for place in PLACES if ir.Video in PLACES[place]]
    made = [row for row in rows() if row[0] is not ir.Video and row[0] != ("citations", "")]
    made = [
        inside(subject[0], *(ok(*(cls for cls in one.subjects if cls is not ir.Video)) for one in verdicts))
        if isinstance(subject, tuple)
        else (subject, verdicts)
        for subject, verdicts in made
    ]
    target = Target("x", made, ir=1, newer=NEWER)
    assert ir.Video not in target.fields
    for name, place in missing:
        (verdict,) = target.places["request"][place][ir.Video]
        assert (verdict.word, verdict.rule) == ("refuses", REFUSED), (name, place)
    assert [one.rule for one in target.places["response"]["citations"][ir.UrlCitation]] == [REFUSED]
    assert target.places["request"]["tools"][ir.CustomTool][0].word == "ok", "the table names it"


def test_what_a_table_names_it_judges_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    younger(monkeypatch, (ir.Sampling, "seed"), (ir.Effort, "MAX"))
    lost = of(ir.Sampling, loses("SMP-3", "seed"))
    some = of(ir.Thinking, ok("effort=max"))
    target = Target("x", [lost, some, *rows(without=(ir.Sampling, "seed"))], ir=1, newer=NEWER)
    assert decision(target, ir.Sampling, "seed") == ("loses", "SMP-3")
    assert decision(target, ir.Thinking, "effort", ir.Effort.MAX) == ("ok", None)


def test_a_table_of_this_version_takes_no_default(monkeypatch: pytest.MonkeyPatch) -> None:
    younger(monkeypatch, (ir.Sampling, "seed"))
    with pytest.raises(TableError, match=r"Sampling\.seed"):
        Target("x", rows(without=(ir.Sampling, "seed")), ir=2, newer=NEWER)


@pytest.mark.parametrize("newer", [(refuses(REFUSED), loses(DROPPED)), (notes("SMP-6"), refuses(REFUSED))])
def test_defaults_drop_and_refuse(newer: Any) -> None:
    with pytest.raises(TableError, match="expected"):
        Target("x", rows(), ir=1, newer=newer)
    Target("x", rows(), ir=1, newer=(omits("SMP-6"), refuses(REFUSED)))


def test_a_conversion_with_something_newer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table's defaults act as its other verdicts do."""
    younger(monkeypatch, (ir.Sampling, "seed"), (ir.Effort, "MAX"))
    target = Target("x", rows(without=(ir.Sampling, "seed")), ir=1, newer=NEWER)
    root = ir.Request(None, "m", [ir.Turn(ir.USER, [ir.Text("Hi")])], src={"seed": 1})
    root.sampling = ir.Sampling(seed=1, top_p=0.5, src=root.src)
    root.thinking = ir.Thinking(effort=ir.Effort.MAX, src=root.src)
    report = Report()
    legalize(root, target, report, Server({}))
    found = {(one.code, one.path) for one in render(report.records, root.src)}
    assert found == {("TESTS-1", "/seed"), ("TESTS-1", "")}
    assert (root.sampling.seed, root.sampling.top_p, root.thinking.effort) == (None, 0.5, None)


# --- tables on a base -------------------------------------------------------------------------------------------------

LACKING = {"seed": capability(True, "a seed")}


def test_the_base_is_a_table() -> None:
    target = Target("x", BASE)
    assert decision(target, ir.Sampling, "seed") == ("loses", "SMP-10")
    assert Target("x", (), base=BASE).fields == target.fields
    assert Target("x", (), base=BASE).places == target.places
    assert Target("x", (), base=target).fields == target.fields


RAW = {"UnknownFormat", "McpToolset", "ToolGroup", "ClientTool", "UnknownTool", "HostedChoice", "ClientCall"}
RAW |= {"ClientResult", "HostedCall", "HostedResult", "Reference", "UnknownPart", "SourceCitation"}


@pytest.mark.parametrize("cls", FEATURES)
def test_the_base_judges_each_field(cls: type) -> None:
    """But for those of classes that it carries nowhere and only their vendor reads: who carries one judges them."""
    subjects = {each for about, found in BASE if about is cls for one in found for each in one.subjects}
    judged = {subject.partition("=")[0] for subject in subjects}
    assert [name for name in features(cls) if name not in judged] == (features(cls) if cls.__name__ in RAW else [])


def test_what_a_table_says_replaces_what_its_base_says() -> None:
    hot = loses("SMP-2", "top_k", when=lambda sampling: sampling.top_k == 9)
    target = Target("x", [of(ir.Sampling, ok("seed"), hot, ok("top_k"))], base=BASE)
    assert decision(target, ir.Sampling, "seed") == ("ok", None)
    assert [one.rule for _, one in verdicts(target, ir.Sampling, "top_k")] == ["SMP-2", None]
    assert decision(target, ir.Sampling, "candidates") == ("refuses", "CHO-2"), "it does not speak of these"


def test_a_value_is_judged_by_the_table_and_others_by_its_base() -> None:
    target = Target("x", [of(ir.Turn, ok("role=developer")), of(ir.Response, ok("tier=flex"))], base=BASE)
    assert decision(target, ir.Turn, "role", ir.DEVELOPER) == ("ok", None)
    assert decision(target, ir.Turn, "role", ir.USER) == ("ok", None)
    tiers = {values: one.rule for values, one in verdicts(target, ir.Response, "tier")}
    others = tuple(tier for tier in ir.Tier if tier.value != "flex")
    assert tiers == {(ir.Tier.FLEX,): None, others: "ENV-3"}


def test_a_value_that_a_table_judges_sometimes_is_otherwise_its_bases() -> None:
    some = omits("SMP-6", "mode=between_tools", when=lambda thinking: thinking.budget is None)
    target = Target("x", [of(ir.Thinking, some)], base=BASE)
    found = [
        one.rule for values, one in verdicts(target, ir.Thinking, "mode") if ir.ThinkingMode.BETWEEN_TOOLS in values
    ]
    assert found == ["SMP-6", "RSN-6"]


def test_all_values_judged_leave_nothing_to_the_base() -> None:
    target = Target("x", [of(ir.Thinking, ok("mode=disabled|enabled|adaptive|between_tools"))], base=BASE)
    assert verdicts(target, ir.Thinking, "mode") == []


def test_what_servers_lack_stands_before_what_the_base_says() -> None:
    row = of(ir.Sampling, lacking("seed", refuses("CHO-2", "top_p")))
    target = Target(
        "x", [row, inside("user", lacking("seed", refuses("SRC-3", ir.Image)))], base=BASE, settings=LACKING
    )
    assert verdicts(target, ir.Sampling, "top_p") == []
    assert [one.word for one in target.places["request"]["user"][ir.Image]] == ["ok"]
    without = target.having({"seed": False})
    assert [one.word for _, one in verdicts(without, ir.Sampling, "top_p")] == ["refuses", "ok"]
    assert [one.word for one in without.places["response"]["user"][ir.Image]] == ["refuses", "ok"]


def test_what_requests_alone_lose_stands_before_what_the_base_says() -> None:
    target = Target("x", [of(ir.Reasoning, in_requests(omits("RSN-26", "text")))], base=BASE)
    assert [one.kind for _, one in verdicts(target, ir.Reasoning, "text")] == ["request", ""]


def test_a_place_is_judged_in_requests_and_responses() -> None:
    target = Target("x", [inside("assistant", loses("TUL-6", ir.ClientCall, ir.Audio))], base=BASE)
    for kind in ("request", "response"):
        assert [one.rule for one in target.places[kind]["assistant"][ir.ClientCall]] == ["TUL-6"]
        assert [one.word for one in target.places[kind]["assistant"][ir.Text]] == ["ok"]
    answers = Target("x", [inside("assistant", ok(ir.ClientCall, ir.Video), kind="response")], base=rows())
    assert [one.word for one in answers.places["response"]["assistant"][ir.ClientCall]] == ["ok"]
    answers = Target("x", [inside("assistant", loses("TUL-6", ir.Text), kind="response")], base=BASE)
    assert [one.rule for one in answers.places["response"]["assistant"][ir.Text]] == ["TUL-6"]
    assert [one.rule for one in answers.places["request"]["assistant"][ir.Text]] == [None]


def test_another_protocols_table_is_a_base() -> None:
    chat = backend("openai_chat_completions").target
    lost = of(ir.Sampling, loses("SMP-3", "seed"))
    target = Target("x", [lost], base=chat, settings=chat.settings)
    assert decision(target, ir.Sampling, "seed") == ("loses", "SMP-3")
    assert {cls: fields for cls, fields in target.fields.items() if cls is not ir.Sampling} == {
        cls: fields for cls, fields in chat.fields.items() if cls is not ir.Sampling
    }
    assert target.places == chat.places
    with pytest.raises(TableError, match="declare it in `settings`"):
        Target("x", [lost], base=chat)


def test_a_chain_that_does_not_end_is_a_hole_on_a_base_too() -> None:
    sometimes = of(ir.Sampling, loses("SMP-3", "top_p", when=lambda sampling: sampling.top_p == 1))
    with pytest.raises(
        TableError, match=r"the table of x needs a verdict.* take the place of the base's, for Samp.*top_p"
    ):
        Target("x", [sometimes], base=BASE)
    place = inside("user", refuses("AUD-1", ir.Audio, when=lambda audio: audio.id is None))
    with pytest.raises(TableError, match=r"take the place of the base's, for Audio in user"):
        Target("x", [place], base=BASE)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (of(ir.Sampling, ok("warmth")), "x: Sampling has no field warmth; it has candidates, frequency_penalty, "),
        (of(ir.Grammar, ok("sintax")), "Grammar has no field sintax; it has definition, syntax"),
        (of(ir.Thinking, ok("effort=vast")), "Thinking.effort has no value vast; it has minimal"),
        (inside("attic", ok(ir.Text)), "x: there is no place 'attic'; places are instructions, user, "),
        (inside("citations", ok(ir.Text)), "x: no Text can be in 'citations', which takes UrlCitation, "),
    ],
)
def test_what_is_misspelt_is_named_on_a_base_too(row: Any, words: str) -> None:
    with pytest.raises(TableError, match=words):
        Target("x", [row], base=BASE)


def test_a_class_that_a_table_carries_and_none_judges_is_a_hole() -> None:
    with pytest.raises(TableError, match=r"HostedCall\.id.*HostedCall\.kind.*HostedCall\.raw"):
        Target("x", [inside("assistant", ok(ir.HostedCall))], base=BASE)


def test_what_is_newer_than_a_table_is_as_its_base_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    younger(monkeypatch, (ir.Sampling, "seed"), (ir.Effort, "MAX"), (ir.Effort, "LOW"), ir.Video)
    base = [of(ir.Thinking, loses("RSN-6", "effort=max|low"), ok("effort")), *BASE]
    target = Target("x", [of(ir.Thinking, omits("SMP-6", "effort"))], base=base, ir=1)
    assert decision(target, ir.Sampling, "seed") == ("loses", "SMP-10")
    assert decision(target, ir.Thinking, "effort", ir.Effort.MAX) == ("loses", "RSN-6")
    assert decision(target, ir.Thinking, "effort", ir.Effort.HIGH) == ("omits", "SMP-6")
    assert [one.rule for one in target.places["request"]["user"][ir.Video]] == ["VID-1"]
    named = Target("x", [of(ir.Thinking, ok("effort=low"), omits("SMP-6", "effort"))], base=base, ir=1)
    assert decision(named, ir.Thinking, "effort", ir.Effort.LOW) == ("ok", None), "the table names it"
    with pytest.raises(TableError, match="it takes no `newer`"):
        Target("x", (), base=BASE, ir=1, newer=NEWER)


# --- holes ------------------------------------------------------------------------------------------------------------


def test_all_holes_are_named_at_once_with_what_to_add() -> None:
    made = rows(without=(ir.Sampling, "seed"))
    made = [row for row in made if row[0] is not ir.Thinking]
    some = of(ir.Thinking, ok("mode budget display effort=low|medium|high|xhigh"))
    with pytest.raises(TableError) as caught:
        Target("acme", [*made, some])
    message = str(caught.value)
    for words in ("acme", "Sampling.seed,", "Thinking.effort=minimal", "Thinking.effort=max", "of(", "newer="):
        assert words in message
    assert "low" not in message


def test_a_wrong_value_of_a_field_is_named() -> None:
    with pytest.raises(TableError, match=r"Thinking\.effort has no value vast; it has minimal, low"):
        Target("x", [*rows(), of(ir.Thinking, loses("RSN-6", "effort=vast"))])


HOLE = BACKEND.replace("for cls in FEATURES:", "for cls in FEATURES:\n    if cls is ir.Text:\n        continue")


def test_a_hole_is_no_crash_of_a_conversion(tmp_path: Path) -> None:
    """The error names the package that is wrong; it is the one that all conversions raise."""
    package(tmp_path, "toy_protocol", "toy_protocol", backend=HOLE)
    code = """
chat = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
def raised(function, *arguments, **options):
    try:
        return str(function(*arguments, **options))
    except proxai_ir.UnknownProtocol as error:
        return str(error)
answer = [
    raised(proxai_ir.convert, chat, "openai_chat_completions", "toy"),
    raised(proxai_ir.compile, chat, "openai_chat_completions", "toy"),
    raised(proxai_ir.raise_to, proxai_ir.lower(chat, "openai_chat_completions"), "toy"),
    raised(proxai_ir.StreamConverter, "openai_chat_completions", "toy"),
    raised(proxai_ir.check, chat, "openai_chat_completions", "toy"),
]
"""
    for message in run(tmp_path, code):
        assert "Text.text" in message and "of toy" in message


# --- rules of other packages ------------------------------------------------------------------------------------------


def test_a_rule_is_its_id() -> None:
    rule = Rule("TESTS-1", "loss", "The field is newer than the table.")
    assert rule == "TESTS-1" and rule.id == "TESTS-1" and type(rule.id) is str
    assert (rule.severity, rule.sentence) == ("loss", "The field is newer than the table.")
    assert KNOWN["TESTS-1"] is DROPPED
    assert "TESTS-1" not in RULES


@pytest.mark.parametrize(
    ("rule", "severity", "sentence"),
    [("SMP-3", "error", "Mine."), ("TESTS-1", "loss", "Another sentence."), ("TESTS-1", "info", DROPPED.sentence)],
)
def test_an_id_has_one_meaning(rule: str, severity: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"{rule} is declared already"):
        Rule(rule, severity, sentence)
    assert (KNOWN[rule].severity, KNOWN[rule].sentence) != (severity, sentence)


@pytest.mark.parametrize("rule", ["ABC-77", "acme-1", "ACME", "ACME-", "ACME1", "ACME-1-2", "", 7, None, []])
def test_an_id_has_a_shape(rule: Any) -> None:
    """Three letters are ours, so that no rule of ours is ever one of another package's."""
    with pytest.raises(TableError, match=r"is no id of a rule; expected four capital letters or more, .* as in ACME-1"):
        Rule(rule, "loss", "A sentence.")
    assert not isinstance(rule, str) or rule not in KNOWN


def test_a_rule_has_a_severity_and_a_sentence() -> None:
    for arguments, expected in [
        (("TESTS-8", "warning", "A sentence."), "TESTS-8 is 'warning'; expected one of law, info, loss, error"),
        (("TESTS-8", "loss", " "), "TESTS-8 says ' '; expected a sentence"),
        (("TESTS-8", "loss", None), "TESTS-8 says None; expected a sentence"),
    ]:
        with pytest.raises(TableError, match=re.escape(expected)):
            Rule(*arguments)  # type: ignore[arg-type]
    with pytest.raises(TableError, match="`whole` is for info"):
        Rule("TESTS-8", "loss", "A sentence.", whole=True)
    assert "TESTS-8" not in KNOWN
    assert Rule("TESTS-7a", "info", "A sentence.", whole=True).whole


def test_what_is_inside_an_omitted_node_is_reported_unless_the_rule_names_it_all() -> None:
    """A rule of no loss about an object says nothing of the members in it that nobody knows (LOS-1)."""
    payload = {"mark": {"zz": 1}}
    for rule, expected in [
        (Rule("TESTS-5", "info", "The marker."), {"TESTS-5", "UNK-1"}),
        (Rule("TESTS-6", "info", "The marker and all in it.", whole=True), {"TESTS-6"}),
    ]:
        target = Target("x", [of(ir.Text, omits(rule, "cache")), *rows()])
        cache = ir.Cache(1, src=payload["mark"], extra=ir.Extra({"zz": 1}))
        part = ir.Text("Hi", cache=cache, src=payload)
        root = ir.Request(None, "m", [ir.Turn(ir.USER, [part])], src=payload)
        report = Report()
        legalize(root, target, report, Server({}))
        assert {one.rule for one in render(report.records, payload)} == expected


def test_a_verdict_has_the_severity_of_its_rule() -> None:
    with pytest.raises(TableError, match="TESTS-2 is error, and `loses` takes loss"):
        loses(REFUSED, "seed")
    with pytest.raises(TableError, match="no rule TESTS-99"):
        loses("TESTS-99", "seed")


def test_findings_under_a_rule_of_another_package() -> None:
    payload = {"seed": 1}
    (lost,) = render([(DROPPED, (payload, "seed"), "seed 1")], payload)
    assert lost == ("TESTS-1", proxai_ir.Severity.LOSS, "/seed", "The field is newer than the table. (seed 1)")
    assert type(lost.code) is str
    refusal = Refusal(REFUSED, payload)
    (refused,) = render(refusal.records, payload, refused=True)
    assert (refused.code, refused.severity) == ("TESTS-2", proxai_ir.Severity.ERROR)


OF_ITS_OWN = """
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.reporting.catalogue import Rule
from proxai_ir.targets.verdicts import Check

LOST = Rule("TOYS-1", "loss", "Toys have no seed.")
HOT = Rule("TOYS-2", "error", "Toys take no temperature.")
LATE = Rule("TOYS-3", "loss", "Toys have no service.")
BRAIN = Rule("TOYS-4", "error", "Toys have one brain.")


def late(root, report, options):
    report.at(LATE, root, "service")


def ask(node, server):
    if node.model != "m":
        raise Refusal(BRAIN, (node, "model"))
    return build(node, server)


OWN = [of(ir.Sampling, loses(LOST, "seed"), refuses(HOT, "temperature"))]
CHECKS = [Check(late, (LATE,), ir.Request, needs=("service",))]
SETTINGS = {"glue": option(" ", "what texts are joined with", of="requests")}
BACKEND = Backend("toy", Target("toy", OWN + ROWS, CHECKS, settings=SETTINGS), CONSTRAINTS, ask, build, build)
"""


def test_a_package_with_rules_of_its_own(tmp_path: Path) -> None:
    package(tmp_path, "toy_protocol", "toy_protocol", backend=BACKEND + OF_ITS_OWN)
    code = """
def found(model="m", strict=False, **members):
    chat = {"model": model, "messages": [{"role": "user", "content": "Hi"}], **members}
    return [str(one) for one in proxai_ir.check(chat, "openai_chat_completions", "toy", strict=strict)]
answer = [found(seed=1), found(seed=1, strict=True), found(temperature=1), found(store=True), found("other")]
"""
    lost, strict, hot, late, brain = run(tmp_path, code)
    assert lost == ["loss TOYS-1 /seed Toys have no seed."]
    assert strict == ["error TOYS-1 /seed Toys have no seed."]
    assert hot == ["error TOYS-2 /temperature Toys take no temperature."]
    assert late == ["loss TOYS-3 (the whole payload) Toys have no service."]
    assert brain == ["error TOYS-4 /model Toys have one brain."]


def test_a_package_cannot_take_an_id_of_ours(tmp_path: Path) -> None:
    package(
        tmp_path,
        "toy_protocol",
        "toy_protocol",
        backend=BACKEND + "\nfrom proxai_ir.reporting.catalogue import Rule\nRule('SMP-3', 'info', 'Mine.')\n",
    )
    code = """
try:
    proxai_ir.check({"messages": []}, "openai_chat_completions", "toy")
except proxai_ir.UnknownProtocol as error:
    answer = str(error)
"""
    message = run(tmp_path, code)
    assert message.startswith("protocol 'toy' cannot be used: ") and "SMP-3 is declared already" in message
