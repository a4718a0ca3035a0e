"""How much recorded traffic passes `strict=True` with the options of an Exchange: it does not become less.

What does not pass is refused or is a loss: state at a provider, hosted tools that the target lacks, media that it does
not take, signatures and encrypted references in responses, settings that change what the model generates.
"""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import TranslationError

from .shared import ANTHROPIC, CHAT, GEMINI, RESPONSES, Tools

REQUESTS = {"emulate": "auto", "repair": ("calls",), "instructions": "in_place"}
KINDS = ("request", "response", "stream", "error")
SHARES = {
    (RESPONSES, GEMINI): 0.80,
    (CHAT, GEMINI): 0.86,
    (ANTHROPIC, GEMINI): 0.81,
    (GEMINI, CHAT): 0.70,
    (GEMINI, RESPONSES): 0.73,
    (GEMINI, ANTHROPIC): 0.70,
    (CHAT, RESPONSES): 0.87,
    (CHAT, ANTHROPIC): 0.81,
    (RESPONSES, CHAT): 0.69,
    (RESPONSES, ANTHROPIC): 0.76,
    (ANTHROPIC, CHAT): 0.69,
    (ANTHROPIC, RESPONSES): 0.79,
}


def has_model(payload: Any) -> bool:
    """Whether a payload, or an event of a stream, names its model."""
    held = payload if isinstance(payload, list) else [payload]
    return any(isinstance(one, dict) and (one.get("model") or one.get("modelVersion")) for one in held)


def passes(record: Any, src: str, dst: str, kind: Any) -> bool:
    """Whether strict mode passes a recording."""
    options: dict[str, Any] = {"carry_seals": True, **(REQUESTS if kind == "request" else {})}
    if not has_model(record.payload) and (kind == "request" or record.model):
        options["model"] = record.model or "m"
    try:
        proxai_ir.compile(record.payload, src, dst, kind=kind, strict=True, **options)
    except TranslationError:
        return False
    return True


@pytest.mark.parametrize(("src", "dst"), SHARES)
def test_strict_mode_passes_as_much_as_ever(tools: Tools, src: str, dst: str) -> None:
    passed = [passes(record, src, dst, kind) for kind in KINDS for record in tools.records(src, kind)]
    assert len(passed) > 500
    assert sum(passed) >= SHARES[src, dst] * len(passed)
