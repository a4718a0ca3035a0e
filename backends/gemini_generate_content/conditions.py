"""Conditions and rewrites of the table of generateContent.

Rule: each condition stands here once; builders write what it leaves.
"""

from __future__ import annotations

from typing import Any

from proxai_ir import ir
from proxai_ir.ir.media_types import registered
from proxai_ir.rules.conditions import beyond
from proxai_ir.rules.verdicts import Fields
from proxai_ir.wire import gemini_generate_content as wire

from .._google.conditions import Images

# --- settings ---------------------------------------------------------------------------------------------------------

too_many_logprobs = beyond("top_logprobs", wire.MOST_LOGPROBS)
beyond_budgets = beyond("budget", wire.MOST_BUDGET, wire.LEAST_BUDGET)

# The budget that is sent for an effort; the effort for it is the same again (RSN-3), but for the least and the highest.
BUDGET_OF = {
    ir.Effort.MINIMAL: 512,
    ir.Effort.LOW: 1024,
    ir.Effort.MEDIUM: 4096,
    ir.Effort.HIGH: 16384,
    ir.Effort.XHIGH: 24576,
    ir.Effort.MAX: 24576,
}


def possible_budget(thinking: ir.Thinking) -> int | None:
    """The nearest budget that all models take."""
    budget = thinking.budget
    return None if budget is None else min(max(budget, wire.LEAST_BUDGET), wire.MOST_BUDGET)


def nearest_budget(thinking: ir.Thinking) -> Fields:
    """An effort as a budget, unless the source has one too (RSN-21)."""
    assert thinking.effort is not None
    budget = BUDGET_OF[thinking.effort] if thinking.budget is None else possible_budget(thinking)
    return Fields(effort=None, budget=budget)


# --- parts ------------------------------------------------------------------------------------------------------------

IMAGES = Images(wire.IMAGE_TYPES)


def in_result(part: Any) -> bool:
    """Whether a part besides text stands in a function's response: data of some types (documentation of functions)."""
    source = getattr(part, "source", None)
    if isinstance(source, ir.PlainText):
        return True
    mime = source.mime if isinstance(source, ir.Inline) else None
    return registered(mime) in wire.RESULT_TYPES


def untyped_video(source: ir.Url) -> bool:
    """Whether a URL of a film lacks its media type; pages of video sites have none."""
    return source.mime is None and not source.url.startswith(wire.VIDEO_SITES)
