"""The lines of Anthropic's results, as its own package reads them; skipped where the package is not installed."""

from __future__ import annotations

import pytest

from proxai_ir.batch import convert_line

from .test_lines import ANTHROPIC, BUSY_OPENAI, COMPLETION, outcome

EXPIRED = {"custom_id": "q-1", "response": None, "error": {"code": "batch_expired", "message": "Late"}}


@pytest.mark.parametrize("line", [outcome(COMPLETION), outcome(BUSY_OPENAI, 503), EXPIRED])
def test_the_official_package_reads_them(line: dict[str, object]) -> None:
    official = pytest.importorskip("anthropic.types.messages", reason="the package anthropic is not installed")
    made = convert_line(line, None, ANTHROPIC)
    read = official.MessageBatchIndividualResponse.model_validate(made)
    assert read.custom_id == "q-1"
    assert read.result.type == made["result"]["type"]
