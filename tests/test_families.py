"""Verdicts that hold for servers of which a declared setting is one of some words: a model's family, as its profile or
the caller states it. The protocol is one of another package, whose fields for top k and thinking differ by family."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proxai_ir import ir
from proxai_ir.reporting.catalogue import TableError
from proxai_ir.targets.settings import capability, option
from proxai_ir.targets.verdicts import Check, Target, Verdict, lacking, loses, of, ok, where

from .test_legality import rows
from .test_registry import BACKEND, package, run

FAMILIES = """
from proxai_ir.authoring import Check, Fields, capability, put, weaker, where
from proxai_ir.ir.parts import Image
from proxai_ir.ir.request import Effort


def maximal(node):
    return Fields(effort=Effort.HIGH, budget=None)


def ask(node, server):
    asked = build(node, server)
    sampling = node.sampling or ir.Sampling()
    thinking = node.thinking or ir.Thinking()
    effort = thinking.effort and thinking.effort.value
    further = {
        "claude": {"top_k": sampling.top_k, "thinking": thinking.budget, "effort": effort},
        "nova": {"topK": sampling.top_k, "maxReasoningEffort": effort},
        "other": {},
    }[server.family]
    return put(asked, **further)


def loudly(root, report, server):
    root.turns[-1].parts[-1].text += "!"


OWN = [
    of(
        ir.Sampling,
        where("family", "claude|nova", ok("top_k")),
        where("tone", "loud", loses("SMP-3", "temperature")),
        ok("temperature"),
    ),
    of(
        ir.Thinking,
        where("family", "other", loses("RSN-12", "budget effort")),
        where("family", "nova", weaker("RSN-3", "budget", by=maximal)),
        where("family", "nova", weaker("RSN-6", "effort=minimal|xhigh|max", by=maximal)),
    ),
    inside("user", where("family", "nova", where("tone", "loud", refuses("SRC-3", Image)))),
]
SETTINGS = {
    **SETTINGS,
    "family": capability("other", "the model's family", choices=("claude", "nova", "other")),
    "tone": option("plain", "how the model writes", of="requests", choices=("plain", "loud")),
}
CHECKS = [where("tone", "loud", Check(loudly, (), ir.Request))]
BACKEND = Backend("toy", Target("toy", OWN + ROWS, CHECKS, settings=SETTINGS), CONSTRAINTS, ask, build, build)
"""
CODE = """
CHAT = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
RESPONSES = {"model": "m", "input": "Hi"}
ASKED = {"model": "m", "max_tokens": 9000, "messages": [{"role": "user", "content": "Hi"}], "top_k": 5}

def made(payload, src, server="toy", **options):
    done = proxai_ir.compile(payload, src, server, accept=(), **options)
    return [done.output, [f"{one.rule} {one.path}" for one in done.diagnostics]]
"""
HI = {"ask": "Hi", "brain": "m"}


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    package(tmp_path, "toy_protocol", "toy_protocol", backend=BACKEND + FAMILIES)
    return tmp_path


def test_top_k_and_thinking_by_family(installed: Path) -> None:
    """A profile states the family; without one the default holds."""
    code = f"""{CODE}
thinking = {{**ASKED, "thinking": {{"type": "enabled", "budget_tokens": 2048}}}}
answer = []
for family in ("claude", "nova"):
    answer += [
        made(thinking, "anthropic_messages", proxai_ir.Profile("toy", family=family)),
    ]
answer.append(made(thinking, "anthropic_messages"))
"""
    *stated, assumed = run(installed, code)
    claude = [{**HI, "top_k": 5, "thinking": 2048}, []]
    nova = [{**HI, "topK": 5, "maxReasoningEffort": "high"}, ["RSN-3 /thinking/budget_tokens"]]
    assert stated == [claude, nova]
    assert assumed == [HI, ["SMP-3 /top_k", "RSN-12 /thinking/budget_tokens"]]


def test_effort_by_family(installed: Path) -> None:
    code = f"""{CODE}
def effort(word, family):
    server = proxai_ir.Profile("toy", family=family)
    return made({{**CHAT, "reasoning_effort": word}}, "openai_chat_completions", server)
answer = [effort(word, family) for family in ("claude", "nova", "other") for word in ("low", "minimal")]
"""
    assert run(installed, code) == [
        [{**HI, "effort": "low"}, []],
        [{**HI, "effort": "minimal"}, []],
        [{**HI, "maxReasoningEffort": "low"}, []],
        [{**HI, "maxReasoningEffort": "high"}, ["RSN-6 /reasoning_effort"]],
        [HI, ["RSN-12 /reasoning_effort"]],
        [HI, ["RSN-12 /reasoning_effort"]],
    ]


def test_an_option_of_calls_decides_verdicts_and_checks(installed: Path) -> None:
    code = f"""{CODE}
warm = {{**CHAT, "temperature": 0.5}}
loud = [proxai_ir.Profile("toy", tone="loud"), proxai_ir.Profile("toy", family="nova", tone="loud")]
answer = [made(warm, "openai_chat_completions"), made(warm, "openai_chat_completions", tone="loud")]
answer += [made(warm, "openai_chat_completions", server) for server in loud]
"""
    quiet, *loud = run(installed, code)
    assert quiet == [HI, []]
    assert loud == [[{**HI, "ask": "Hi!"}, ["SMP-3 /temperature"]]] * 3


def test_settings_that_are_wrong(installed: Path) -> None:
    code = f"""{CODE}
answer = []
for settings in ({{"family": "llama"}}, {{"family": True}}, {{"families": "nova"}}):
    try:
        proxai_ir.Profile("toy", **settings)
    except TypeError as error:
        answer.append(str(error))
"""
    word, kind, name = run(installed, code)
    assert word == "option 'family' is a string, 'llama'; expected one of claude, nova, other"
    assert "expected one of claude, nova, other" in kind
    assert "'families'" in name and "family" in name


def test_tables_are_made_once_for_what_they_depend_on(installed: Path) -> None:
    """And not for each call, or for settings that no verdict asks for; what is remembered is bounded."""
    code = f"""{CODE}
from proxai_ir.protocol import registry
def table(**settings):
    return registry.backend(proxai_ir.Profile("toy", **settings)).target
answer = [table(family="nova") is table(family="nova", glue="-"), table(family="nova") is table(family="claude")]
answer.append(table(family="other") is registry.backend("toy").target)
for number in range(300):
    made(CHAT, "openai_chat_completions", proxai_ir.Profile("toy", glue=str(number), family="claude"))
answer += [registry._table.cache_info().currsize, registry._backend.cache_info().maxsize]
"""
    assert run(installed, code) == [True, False, True, 3, 128]


def test_the_matrix_shows_verdicts_by_family(installed: Path) -> None:
    code = """
from proxai_ir.matrix.tables import matrix
from proxai_ir.matrix.pairs import pair
answer = [line for line in matrix(["toy"]).splitlines() if line.startswith("| ")]
answer += [[one.verdict, one.where] for row in pair("anthropic_messages", "toy") if row.subject == "Sampling.top_k"
           for one in row.outcomes]
"""
    lines = run(installed, code)
    for line in (
        "| family | other |",
        "| tone | plain |",
        "| Sampling.top_k | yes where family is claude or nova, SMP-3 |",
        "| Thinking.budget | [RSN-12 where family is other], [RSN-3 approximated where family is nova], yes |",
        "| Image in user | [SRC-3 where tone is loud and family is nova], PLC-3 |",
    ):
        assert line in lines
    assert lines[-2:] == [["exact", "family is claude or nova"], ["lost", ""]]


def test_the_laws_of_tables_hold_for_every_word(installed: Path) -> None:
    """A builder that forgets what the table carries for one family breaks the law; the message names the family."""
    code = """
from proxai_ir.ir.request import Sampling
from proxai_ir.testing.tables import wire_is_as_declared
try:
    wire_is_as_declared("toy", Sampling, exempt={(Sampling, "temperature"): "not written"})
    answer = ""
except AssertionError as error:
    answer = str(error)
"""
    assert run(installed, code) == ""
    forgetful = BACKEND + FAMILIES.replace('"topK": sampling.top_k, ', "")
    (installed / "toy_protocol" / "back.py").write_text(forgetful)
    assert run(installed, code).startswith("toy, family nova: Sampling.top_k = 3 is declared `ok`")


# --- what a table declares --------------------------------------------------------------------------------------------

SETTINGS = {
    "family": capability("other", "the model's family", choices=("claude", "other")),
    "images": capability(True, "images"),
    "tone": option("plain", "how the model writes", of="requests", choices=("plain", "loud")),
}
LOST = loses("SMP-3", "seed")


@pytest.mark.parametrize(
    ("verdict", "message"),
    [
        (where("families", "claude", LOST), "no setting 'families' that is claude: declare it in `settings`"),
        (where("images", "yes", LOST), "no setting 'images' that is yes: declare it in `settings`, with its `choices`"),
        (where("family", "claude|nova", LOST), "no setting 'family' that is nova: it is one of claude, other"),
        (lacking("speech", LOST), "no capability 'speech'"),
    ],
)
def test_a_setting_that_is_not_declared(verdict: Verdict, message: str) -> None:
    with pytest.raises(TableError, match=message):
        Target("x", [of(ir.Sampling, verdict), *rows()], settings=SETTINGS)


def test_a_check_names_declared_settings() -> None:
    def run(*_: Any) -> None: ...

    check = where("tone", "loud", Check(run, (), ir.Request))
    target = Target("x", rows(), [check], settings=SETTINGS)
    assert (target.active, target.having({"tone": "loud"}).active) == ((), (check,))
    with pytest.raises(TableError, match="'tone' that is shrill"):
        Target("x", rows(), [where("tone", "shrill", check)], settings=SETTINGS)


def test_a_table_is_total_without_such_verdicts() -> None:
    one = of(ir.Sampling, where("family", "claude", ok("seed")), where("family", "other", LOST))
    with pytest.raises(TableError, match=r"Sampling\.seed"):
        Target("x", [one, *rows(without=(ir.Sampling, "seed"))], settings=SETTINGS)
