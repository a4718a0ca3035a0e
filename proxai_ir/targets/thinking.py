"""Thinking as models take it whose requests state its type, behind whatever protocol: each type with the members that
it needs (RSN-1, RSN-2, RSN-6).

Rule: a request that says anything of thinking says its type; what the model has no type for is dropped as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..ir.parts import Reasoning, ToolResult
from ..ir.request import ASSISTANT, Effort, Request, Thinking, ThinkingMode, Turn
from ..reporting.report import Report
from .conditions import always, is_
from .settings import Server
from .verdicts import Verdict, lacking, loses, ok, omits

LEAST_BUDGET = 1024


def absent(_: Any) -> None:
    """A rewrite: nothing, which means the same as an empty value."""


def unthinking(thinking: Thinking) -> bool:
    """Return whether no thinking is asked for, so that there is none to be shown."""
    if thinking.mode is None and thinking.effort is None and thinking.budget is None:
        return True
    return thinking.mode is ThinkingMode.DISABLED or thinking.effort is Effort.MINIMAL


def unmeasured(thinking: Thinking) -> bool:
    """Return whether thinking is on, and how much the model thinks is left to it."""
    return thinking.budget is None and thinking.mode in (ThinkingMode.ENABLED, ThinkingMode.ADAPTIVE)


def shown(thinking: Thinking) -> bool:
    """Return whether such thinking is to be displayed, which is what is reported where there is none (RSN-2)."""
    return unmeasured(thinking) and thinking.display is not None


def of_no_tokens(thinking: Thinking) -> bool:
    """Return whether there is no thinking that a budget could be of, but for that between tool calls, which has
    none."""
    return thinking.mode in (ThinkingMode.DISABLED, ThinkingMode.BETWEEN_TOOLS)


WITHOUT_TYPE = (
    omits("SMP-6", "display", when=unthinking),
    loses("RSN-2", "display", when=is_("mode", ThinkingMode.BETWEEN_TOOLS)),
    loses("RSN-6", "budget", when=of_no_tokens),
)
"""The verdicts on what no type of thinking has."""

WITHOUT_BUDGETS = lacking("thinking_budgets", ok("mode=enabled", by=always(ThinkingMode.ADAPTIVE)))
MEASURED = ok("mode=enabled", when=unmeasured, by=always(ThinkingMode.ADAPTIVE))
"""The type `enabled` needs a budget; without one the model decides how much it thinks."""


def without_adaptive(capability: str) -> tuple[Verdict, ...]:
    """For models that never decide by themselves how much they think; thinking that is only shown is none at all."""
    return (
        lacking(capability, ok("mode=enabled|adaptive", when=shown, by=absent)),
        lacking(capability, loses("RSN-6", "mode=enabled|adaptive", when=unmeasured)),
        lacking(capability, loses("RSN-2", "display", when=unmeasured)),
    )


def typed(root: Request, report: Report, server: Server) -> None:
    """A budget is one of thinking that is enabled; where nothing of thinking is left, there is none to be shown."""
    thinking = root.thinking
    if thinking is None:
        return
    if thinking.budget is not None:
        thinking.mode = ThinkingMode.ENABLED
    elif thinking.mode is None and thinking.effort is None:
        _not_shown(thinking, report)


def enable_for_effort(thinking: Thinking, report: Report, server: Server, blocking: list[str]) -> None:
    """At any effort these models think only where thinking is enabled too (RSN-13, RSN-14), but for those that think by
    default, where it is enabled only to be shown. Where it is not, there is none to be shown (SMP-6).

    `blocking`: the settings that thinking is refused together with.
    """
    if thinking.effort is None or thinking.mode is not None:
        return
    if server.thinks_by_default:
        thinking.mode = None if thinking.display is None else ThinkingMode.ADAPTIVE
    elif server.adaptive_thinking and not blocking:
        report.at("RSN-14", thinking, "effort")
        thinking.mode = ThinkingMode.ADAPTIVE
    else:
        report.at("RSN-13", thinking, "effort", f"not together with {', '.join(blocking)}" if blocking else "")
        _not_shown(thinking, report)


def disable(thinking: Thinking, report: Report) -> None:
    """Thinking with a budget is not enabled (RSN-18)."""
    report.at("RSN-18", thinking, "budget")
    _not_shown(thinking, report)
    thinking.mode = thinking.budget = None


def _not_shown(thinking: Thinking, report: Report) -> None:
    if thinking.display is not None:
        report.at("SMP-6", thinking, "display")
        thinking.display = None


def within(thinking: Thinking, most: int, report: Report) -> None:
    """A budget in the range that the model takes (RSN-19)."""
    assert thinking.budget is not None
    budget = min(max(thinking.budget, LEAST_BUDGET), most)
    if budget != thinking.budget:
        report.at("RSN-19", thinking, "budget", f"from {LEAST_BUDGET} to {most} tokens; {budget} are sent")
        thinking.budget = budget


def thought_before(root: Request, report: Report, server: Server) -> None:
    """Thinking with a budget needs it in the response whose tool calls have their results last (RSN-18)."""
    thinking = root.thinking
    if thinking is None or thinking.mode is not ThinkingMode.ENABLED or thinking.budget is None:
        return
    if _goes_on_unthinking(root.turns or ()):
        disable(thinking, report)


def _goes_on_unthinking(turns: Sequence[Turn]) -> bool:
    """Return whether results of tools come last, and the response with their calls does not begin with reasoning."""
    at = len(turns)
    while at and turns[at - 1].role is not ASSISTANT:
        at -= 1
    if at == len(turns) or not any(type(part) is ToolResult for part in turns[at].parts):
        return False
    while at > 1 and turns[at - 2].role is ASSISTANT:
        at -= 1
    return at > 0 and not isinstance(turns[at - 1].parts[0] if turns[at - 1].parts else None, Reasoning)
