"""Every payload in the other protocols, with all that is said about the way; a refused one shows its refusals."""

from __future__ import annotations

from collections.abc import Sequence

import orjson
import pytest
from syrupy.assertion import SnapshotAssertion

import proxai_ir
from proxai_ir import Diagnostic, TranslationError

from .payloads import ANTHROPIC, CHAT, RESPONSES, SAMPLES, Sample

FIRST = {CHAT: ANTHROPIC, ANTHROPIC: CHAT, RESPONSES: CHAT}
SECOND = {CHAT: RESPONSES, ANTHROPIC: RESPONSES, RESPONSES: ANTHROPIC}


@pytest.mark.parametrize("name", SAMPLES)
def test_what_arrives_and_what_is_said(name: str, snapshot: SnapshotAssertion) -> None:
    sample = SAMPLES[name]
    assert told(sample, FIRST[sample.protocol]) == snapshot


@pytest.mark.parametrize("name", SAMPLES)
def test_what_arrives_in_the_third(name: str, snapshot: SnapshotAssertion) -> None:
    sample = SAMPLES[name]
    assert told(sample, SECOND[sample.protocol]) == snapshot


def test_instructions_may_stay_where_they_stand(snapshot: SnapshotAssertion) -> None:
    assert told(SAMPLES["chat agent"], ANTHROPIC, system_in_place=True) == snapshot


def told(sample: Sample, dst: str, **options: bool) -> str:
    """The output as JSON, then a line for each diagnostic; members and lines sorted, as their order means nothing."""
    try:
        made = proxai_ir.compile(sample.payload, sample.protocol, dst, kind=sample.kind, **options)
    except TranslationError as error:
        return "\n".join([type(error).__name__, *lines(error.diagnostics)])
    output = orjson.dumps(made.output, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS).decode()
    return "\n".join([output, *lines(made.diagnostics)])


def lines(diagnostics: Sequence[Diagnostic]) -> list[str]:
    found = sorted(diagnostics, key=lambda one: (one.path, one.code))
    return [f"{one.path or '(root)'} {one.severity} {one.code}" for one in found]
