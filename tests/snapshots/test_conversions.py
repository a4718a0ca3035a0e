"""Every example in the other protocols, with all diagnostics; a refused one shows its refusals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
import pytest
from syrupy.assertion import SnapshotAssertion

import proxai_ir
from proxai_ir import Diagnostic, TranslationError

from ..samples import Sample, others, samples

EXAMPLES = samples("request", "response", "error", dense=False)
ROUTES = [pytest.param(sample, dst, id=f"{sample} to {dst}") for sample in EXAMPLES for dst in others(sample.protocol)]


@pytest.mark.parametrize(("sample", "dst"), ROUTES)
def test_conversions(sample: Sample, dst: str, snapshot: SnapshotAssertion) -> None:
    assert shown(sample, dst) == snapshot


def test_the_capability_system_in_place(snapshot: SnapshotAssertion) -> None:
    (agent,) = (one for one in EXAMPLES if str(one) == "openai_chat_completions request: agent")
    assert shown(agent, proxai_ir.Profile("anthropic_messages", system_in_place=True)) == snapshot


def shown(sample: Sample, dst: str | proxai_ir.Profile, **options: Any) -> str:
    """The output as JSON, then a line for each diagnostic; members and lines sorted, as their order means nothing."""
    try:
        made = proxai_ir.compile(sample.make(), sample.protocol, dst, kind=sample.kind, **options)
    except TranslationError as error:
        return "\n".join([type(error).__name__, *lines(error.diagnostics)])
    output = orjson.dumps(made.output, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS).decode()
    return "\n".join([output, *lines(made.diagnostics)])


def lines(diagnostics: Sequence[Diagnostic]) -> list[str]:
    found = sorted(diagnostics, key=lambda one: (one.path, one.code))
    return [f"{one.path or '(root)'} {one.severity} {one.code}" for one in found]
