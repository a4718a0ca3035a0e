"""The verdicts on differences from other converters are well-formed, unique, and applied from the top."""

from __future__ import annotations

import re
import tomllib

import pytest

from proxai_ir.reporting.catalogue import RULES

from .differential import CLASSES
from .peers import CONVERTERS
from .verdicts import FILE, PATTERNS, RIGHT, SHORT, Verdict, covering, verdicts

ROWS = tomllib.loads(FILE.read_text())["verdict"]
KIND = ("litellm", "different", "request", "openai_chat_completions -> anthropic_messages", "request.tools")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['class']} {row['field']}")
def test_a_verdict_is_well_formed(row: dict[str, str]) -> None:
    assert {"class", "field", "right", "count", "why"} <= row.keys() <= {*PATTERNS, "right", "count", "why"}
    assert row["class"] in CLASSES
    assert row["right"] in RIGHT
    assert row["why"].endswith(".")
    routes = [f"{src}>{dst}" for src in SHORT for dst in SHORT]
    for name, words in (("peer", CONVERTERS), ("route", routes), ("kind", ("request", "response", "stream"))):
        assert name not in row or any(re.fullmatch(row[name], word) for word in words)
    assert {*re.findall(r"\b[A-Z][A-Z0-9]{2}-\d+\b", row["why"])} <= RULES.keys()
    for name in PATTERNS:
        re.compile(row.get(name, ""))


def test_no_two_verdicts_are_about_the_same() -> None:
    patterns = [one.patterns for one in verdicts()]
    assert len(set(patterns)) == len(patterns)


def test_a_general_verdict_hides_none_that_stands_below_it() -> None:
    """Expect of two of one class and field the one that says less below."""
    seen: set[tuple[str | None, ...]] = set()
    for one in verdicts():
        _, what, _, _, field, *_ = one.patterns
        assert (what, field) not in seen, one
        if {*one.patterns} == {what, field, None}:
            seen.add((what, field))


def verdict(why: str, **patterns: str) -> Verdict:
    return Verdict(tuple(map(patterns.get, PATTERNS)), "ours", 0, why)


@pytest.mark.parametrize(
    ("patterns", "covers"),
    [
        ({}, True),
        ({"field": r"request\.tools"}, True),
        ({"field": r"request\.tool"}, False),
        ({"route": "C>A", "peer": "litellm", "kind": "request"}, True),
        ({"route": "C>G"}, False),
        ({"ours": "a.*"}, True),
        ({"theirs": "a.*"}, False),
    ],
    ids=["nothing", "the field", "a part of it", "the route", "another route", "ours", "theirs"],
)  # fmt: skip
def test_what_a_verdict_covers(patterns: dict[str, str], covers: bool) -> None:
    made = verdict("why", **patterns)
    assert covering([made], KIND, "a\nb", "b") is (made if covers else None)


def test_the_first_verdict_counts() -> None:
    special, general = verdict("special", ours="a"), verdict("general")
    assert covering([special, general], KIND, "a", "b") is special
    assert covering([special, general], KIND, "c", "b") is general
