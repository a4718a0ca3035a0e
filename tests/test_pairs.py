"""The matrix of one pair: cells that are known by hand, and what a source can express against what is really read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import attrs
import pytest

from proxai_ir import TranslationError, lower, protocols
from proxai_ir.ir.error import Error
from proxai_ir.ir.response import Response
from proxai_ir.ir.structure import BOOKKEEPING, CHILDREN, PLACE_OF, PLACES
from proxai_ir.matrix.pairs import OF_WORDS, ROOTS, VERDICTS, Outcome, Row, Subject, expressed, having_all, pair
from proxai_ir.matrix.specification import spec
from proxai_ir.protocol.registry import backend, frontend
from proxai_ir.reporting.catalogue import RULES
from proxai_ir.targets.base import BASE

from . import samples

CHAT, RESPONSES, ANTHROPIC, GEMINI = (
    "openai_chat_completions",
    "openai_responses",
    "anthropic_messages",
    "gemini_generate_content",
)
EXACT = Outcome("exact", "", some=False, without="")
LAWS = {rule.id for rule in RULES.values() if rule.severity == "law"}


@cache
def rows(src: str, dst: str) -> dict[str, Row]:
    found = pair(src, dst)
    return {f"{kind} {row.subject}": row for row in found for kind in row.kinds}


# --- cells ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("src", "dst", "subject", "verdict", "outcomes"),
    [
        (CHAT, RESPONSES, "request Request.model", "exact", [EXACT]),
        (
            CHAT,
            RESPONSES,
            "request Sampling.top_p",
            "exact",
            [Outcome("omitted", "SMP-6", True, ""), Outcome("lost", "SMP-3", False, "sampling"), EXACT],
        ),
        (CHAT, ANTHROPIC, "request Sampling.seed", "lost", [Outcome("lost", "SMP-10", False, "")]),
        (
            CHAT,
            ANTHROPIC,
            "request Sampling.logit_bias",
            "lost",
            [Outcome("omitted", "SMP-6", True, ""), Outcome("lost", "SMP-3", False, "")],
        ),
        (CHAT, ANTHROPIC, "request Audio in user", "rejected", [Outcome("rejected", "AUD-1", False, "")]),
        (CHAT, ANTHROPIC, "request Caching.key", "omitted", [Outcome("omitted", "CAC-5", False, "")]),
        (
            ANTHROPIC,
            CHAT,
            "request Thinking.budget",
            "approximated",
            [
                Outcome("lost", "RSN-12", False, "efforts"),
                Outcome("lost", "RSN-34", False, "thinking"),
                Outcome("approximated", "RSN-3", False, ""),
            ],
        ),
        (
            ANTHROPIC,
            CHAT,
            "request Sampling.stop",
            "exact",
            [
                Outcome("omitted", "SMP-6", True, ""),
                Outcome("lost", "SMP-11", False, "stop_sequences"),
                Outcome("approximated", "SMP-5", True, ""),
                EXACT,
            ],
        ),
        (ANTHROPIC, CHAT, "request Image in user", "exact", [EXACT]),
        (
            ANTHROPIC,
            CHAT,
            "request WebSearchTool in tools",
            "lost",
            [Outcome("lost", "TUL-6", False, "web_search"), EXACT],
        ),
        (
            ANTHROPIC,
            GEMINI,
            "request ClientTool in tools",
            "lost",
            [
                Outcome("approximated", "TUL-9", True, ""),
                Outcome("exact", "", True, ""),
                Outcome("lost", "TUL-71", True, ""),
                Outcome("lost", "TUL-34", False, ""),
            ],
        ),
        (GEMINI, RESPONSES, "request Video in user", "rejected", [Outcome("rejected", "VID-1", False, "")]),
        (ANTHROPIC, CHAT, "response UrlCitation in citations", "exact", [EXACT]),
        (CHAT, ANTHROPIC, "error Error.param", "lost", [Outcome("lost", "ERR-2", False, "")]),
    ],
)
def test_a_cell(src: str, dst: str, subject: str, verdict: str, outcomes: list[Outcome]) -> None:
    row = rows(src, dst)[subject]
    assert (row.verdict, list(row.outcomes)) == (verdict, outcomes)


def test_a_default_is_generated() -> None:
    """`parameters` of a tool may be absent in OpenAI's protocols, and Anthropic requires them."""
    row = rows(CHAT, ANTHROPIC)["request FunctionTool.parameters"]
    assert row.verdict == "exact"
    assert row.outcomes[0] == Outcome("generated", "SCH-2", False, "")
    assert row.excepted


def test_a_row_without_exceptions_is_one() -> None:
    assert not rows(CHAT, ANTHROPIC)["request Sampling.seed"].excepted
    assert not rows(CHAT, RESPONSES)["request Request.model"].excepted


@pytest.mark.parametrize(
    ("src", "dst", "subject"),
    [
        (ANTHROPIC, CHAT, "request Sampling.seed"),  # Anthropic has no such field
        (ANTHROPIC, CHAT, "request Video in user"),
        (CHAT, RESPONSES, "request McpServer in tools"),
        (GEMINI, CHAT, "response Request.model"),  # a response holds no request
        (CHAT, ANTHROPIC, "response Text in user"),  # nor a turn of the user's
        (GEMINI, ANTHROPIC, "request Speech.voice"),  # of a node that the target does not carry: `Output.audio` is lost
    ],
)
def test_what_cannot_come_has_no_row(src: str, dst: str, subject: str) -> None:
    assert subject not in rows(src, dst)


def test_what_a_node_loses_as_a_whole_is_one_row() -> None:
    assert rows(GEMINI, ANTHROPIC)["request Output.audio"].verdict == "lost"


@pytest.mark.parametrize(("src", "dst"), samples.PAIRS)
def test_every_row_has_a_verdict_of_its_outcomes(src: str, dst: str) -> None:
    """All values of a field may be judged one by one; then the general verdict is that of the others, if any."""
    for row in pair(src, dst):
        found = {one.verdict for one in row.outcomes}
        assert row.verdict in found | {"exact"}
        assert found <= VERDICTS.keys()
        assert not {one.rule for one in row.outcomes} & LAWS


def test_every_word_of_a_table_has_a_verdict() -> None:
    rows = [*BASE, *(row for name in protocols() for row in backend(name).target.rows)]
    words = {one.word for _, found in rows for one in found}
    assert words == OF_WORDS.keys()
    assert set(OF_WORDS.values()) == VERDICTS.keys()


# --- what a source can express ----------------------------------------------------------------------------------------

HOSTED_CALL = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "of_next_year", "input": {}}
RARE: dict[str, dict[str, Any]] = {  # requests with what neither spec nor samples have
    ANTHROPIC: {"model": "m", "max_tokens": 9, "messages": [{"role": "assistant", "content": [HOSTED_CALL]}]},
}


def trees(protocol: str) -> Iterator[Any]:
    """The IR of every payload of the protocol in spec and samples that can be read."""
    examples = [one for section in spec() for one in section.examples if one.src == protocol]
    given = [
        (json.loads(one.given), one.kind) for one in examples if one.kind in (*ROOTS, None) and _is_json(one.given)
    ]
    given += [(one.make(), one.kind) for one in samples.samples(*ROOTS) if one.protocol == protocol]
    given += [(RARE[protocol], "request")] if protocol in RARE else []
    for payload, kind in given:
        try:
            yield lower(payload, protocol, kind=kind)
        except TranslationError:
            continue


def _is_json(text: str) -> bool:
    try:
        return json.loads(text) is not None
    except ValueError:
        return False


def subjects(node: Any, place: str = "") -> Iterator[Subject]:
    """The fields that hold something and the places, of a node and of all below it."""
    cls = type(node)
    if place in PLACES:
        yield Subject(cls, place=place)
    for name in [one.name for one in attrs.fields(cls) if one.name not in BOOKKEEPING]:
        value = getattr(node, name)
        if value is None or value in ([], (), {}, "", False):
            continue
        yield Subject(cls, name)
        if (below := CHILDREN.get(cls, {}).get(name)) is not None:
            for one in value if isinstance(value, list) else [value]:
                yield from subjects(one, PLACE_OF[node.role] if below == "role" else below)


@cache
def read(protocol: str) -> dict[str, set[Subject]]:
    found: dict[str, set[Subject]] = {kind: set() for kind in ROOTS}
    for tree in trees(protocol):
        kind = {Response: "response", Error: "error"}.get(type(tree), "request")
        found[kind].update(subjects(tree))
    return found


@pytest.mark.parametrize("protocol", samples.PROTOCOLS)
@pytest.mark.parametrize("kind", ROOTS)
def test_whatever_is_read_can_be_expressed(protocol: str, kind: str) -> None:
    known = set(expressed(frontend(protocol), having_all(backend(protocol).target), kind))
    assert sorted(map(str, read(protocol)[kind] - known)) == []


@pytest.mark.parametrize("protocol", samples.PROTOCOLS)
def test_what_is_declared_of_a_source_is_read_and_is_not_in_its_table(protocol: str) -> None:
    front, source = frontend(protocol), having_all(backend(protocol).target)
    bare = attrs.evolve(front, source_only={})
    needed = {one for kind in ROOTS for one in {*expressed(front, source, kind)} - {*expressed(bare, source, kind)}}
    seen = set().union(*read(protocol).values())
    for about, names in front.source_only.items():
        for name in names:
            subject = Subject(name, place=about) if isinstance(about, str) else Subject(about, name)
            assert subject in seen, f"{subject} is declared, and nothing in spec or samples is read as it"
            assert subject in needed, f"{subject} is declared, and the target table has it"
