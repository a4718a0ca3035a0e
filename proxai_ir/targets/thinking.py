"""Thinking as models take it whose requests state its type, behind whatever protocol: each type with the members that
it needs, and what it is refused together with (RSN-1, RSN-2, RSN-6, RSN-13 to RSN-21, RSN-33).

A protocol of such models puts FIRST before the verdicts on what a model lacks and LAST behind them, has SETTINGS among
its own, and runs CHECKS when the limit of output tokens is known.

Rule: a request that says anything of thinking says its type; what the model has no type for is dropped as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import ir
from ..ir.parts import Reasoning, ToolResult
from ..ir.request import ASSISTANT, Effort, Request, Sampling, Thinking, ThinkingMode, Turn
from ..reporting.report import Report
from .approximations import least
from .conditions import always, covered_by_effort, is_
from .models import CAPABILITIES
from .settings import Server, Settings, capability
from .verdicts import Check, Fields, Verdict, lacking, loses, ok, omits, weaker, where

LEAST_BUDGET = 1024
BETWEEN_TOOLS = ThinkingMode.BETWEEN_TOOLS.value

SETTINGS: Settings = {
    "adaptive_thinking": capability(True, "adaptive thinking, which an effort then enables (RSN-14)"),
    "effort": capability(
        True, "an effort, and adaptive thinking; the nearest thinking budget is sent otherwise (RSN-21, RSN-12)"
    ),
    "least_thinking": capability(
        "least_effort",
        "what is sent for none where that is impossible: the least effort, or thinking between tool calls (RSN-33)",
        choices=("least_effort", BETWEEN_TOOLS),
    ),
    "unsigned_thinking": capability(False, "thinking without a signature in messages of the assistant (RSN-5)"),
}

# --- conditions and rewrites ------------------------------------------------------------------------------------------


def absent(_: Any) -> None:
    """Rewrite a value to nothing, which means the same as an empty one."""


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


def graded(thinking: Thinking) -> bool:
    """Return whether an effort says how much the model is to think, and no budget."""
    return thinking.budget is None and thinking.effort not in (None, Effort.MINIMAL)


def of_no_tokens(thinking: Thinking) -> bool:
    """Return whether there is no thinking that a budget could be of, but for that between tool calls, which has
    none."""
    return thinking.mode in (ThinkingMode.DISABLED, ThinkingMode.BETWEEN_TOOLS)


def says_only_that(thinking: Thinking) -> bool:
    """Return whether a request asks for thinking and does not say how much."""
    return thinking.effort is None and thinking.budget is None


def high_effort(_: Thinking) -> Fields:
    """Return thinking as an effort, for models that think only where there is one."""
    return Fields(mode=None, effort=Effort.HIGH)


def without_thinking(_: Thinking) -> Fields:
    """Return the least effort as no thinking at all (RSN-7)."""
    return Fields(mode=ThinkingMode.DISABLED, effort=None)


def between_tools(_: Thinking) -> Fields:
    """Return the least thinking of some models: none before the answer, notes between calls (RSN-33)."""
    return Fields(mode=ThinkingMode.BETWEEN_TOOLS, effort=None)


# --- verdicts ---------------------------------------------------------------------------------------------------------

WITHOUT_TYPE = (
    omits("SMP-6", "display", when=unthinking),
    loses("RSN-2", "display", when=is_("mode", ThinkingMode.BETWEEN_TOOLS)),
    loses("RSN-6", "budget", when=of_no_tokens),
)
"""The verdicts on what no type of thinking has."""

WITHOUT_BUDGETS = lacking("thinking_budgets", ok("mode=enabled", by=always(ThinkingMode.ADAPTIVE)))
MEASURED = ok("mode=enabled", when=unmeasured, by=always(ThinkingMode.ADAPTIVE))
"""The type `enabled` needs a budget; without one the model decides how much it thinks."""
BY_EFFORT = lacking("thinks_by_default", ok("mode=enabled|adaptive", when=says_only_that, by=high_effort))
"""Thinking that is on, for models whose only setting is an effort, and which do not think without one."""
EFFORTS = "effort=low|medium|high|xhigh|max"


def _least(subject: str) -> tuple[Verdict, Verdict]:
    """Return the verdicts of models that always think, on no thinking or on the least effort."""
    other = (
        weaker("RSN-33", subject, by=least(Effort.LOW))
        if subject == "mode=disabled"
        else weaker("RSN-32", subject, by=always(Effort.LOW))
    )
    between = where("least_thinking", BETWEEN_TOOLS, weaker("RSN-33", subject, by=between_tools))
    return lacking("thinking_off", between), lacking("thinking_off", other)


def without_adaptive(name: str) -> tuple[Verdict, ...]:
    """Return the verdicts of models that never decide by themselves how much they think, for which a check gives it a
    budget; thinking that is only shown is none at all."""
    return (
        lacking(name, ok("mode=enabled|adaptive", when=shown, by=absent)),
        lacking(name, loses("RSN-2", "display", when=unmeasured)),
    )


((_, NEVER),) = CAPABILITIES["thinking"].rows
FIRST = (
    *WITHOUT_TYPE,
    *NEVER,  # before an effort is made a budget
    lacking("effort", ok("mode=enabled|adaptive display", when=graded)),  # which a check makes a budget
    lacking("thinking_off", loses("RSN-6", "effort", when=covered_by_effort)),
    *_least("mode=disabled"),
    *_least("effort=minimal"),
    WITHOUT_BUDGETS,
)
LAST = (
    *without_adaptive("effort"),
    *without_adaptive("adaptive_thinking"),
    MEASURED,
    ok(f"mode budget display {EFFORTS}"),
    weaker("RSN-7", "effort=minimal", by=without_thinking),
)

# --- checks -----------------------------------------------------------------------------------------------------------
# What no single field shows. Rule: a check acts where it reports.

BUDGETS = {Effort.LOW: 1024, Effort.MEDIUM: 4096, Effort.HIGH: 16384, Effort.XHIGH: 32768, Effort.MAX: 32768}
"""The budget for an effort: the least of those that the same effort is sent for (RSN-3), but at least LEAST_BUDGET."""
USUAL_EFFORT = Effort.HIGH  # which models have that think by themselves, and whose only setting is an effort get
LEAST_TOP_P = 0.95  # together with thinking


def restricting(sampling: Sampling | None) -> list[str]:
    """Return the settings by which tokens are chosen in a way that is refused together with thinking."""
    if sampling is None:
        return []
    found = {
        "temperature": sampling.temperature not in (None, 1),
        "top_p": sampling.top_p is not None and sampling.top_p < LEAST_TOP_P,
        "top_k": sampling.top_k is not None,
    }
    return [name for name, restricts in found.items() if restricts]


def forces_a_tool(choice: ir.ToolChoice | None) -> bool:
    """Return whether a choice is of a tool that has to be called."""
    return isinstance(choice, (ir.NamedChoice, ir.WebSearchChoice, ir.CodeChoice)) or (
        isinstance(choice, (ir.Choice, ir.AllowedChoice)) and choice.mode is ir.ChoiceMode.REQUIRED
    )


def measure(root: Request, report: Report, server: Server) -> None:
    """Make an effort the nearest budget for models that have budgets alone (RSN-21), at most half of the output, so
    that the rest is left for the answer, and without sampling that is refused beside it (RSN-20). Where the request
    leaves no place for a budget thinking is not enabled (RSN-18); where there are no budgets either, the effort is
    dropped (RSN-12)."""
    thinking = root.thinking
    if thinking is None or thinking.effort is None:
        return
    most = _most(root)
    crowded = _is_crowded(root, most)
    if not graded(thinking) or of_no_tokens(thinking) or not server.thinking_budgets:
        report.at("RSN-12", thinking, "effort")
    elif crowded:
        report.at("RSN-18", thinking, "effort")
    else:
        report.at("RSN-21", thinking, "effort")
        thinking.mode, thinking.budget = ThinkingMode.ENABLED, min(BUDGETS[thinking.effort], most)
        _sample_freely(root, report)
    thinking.effort = None
    if unmeasured(thinking):
        thinking.mode = None


def measure_by_default(root: Request, report: Report, server: Server) -> None:
    """Give thinking that is on without an amount the budget of the effort that models have by default, where they
    neither decide by themselves how much they think nor think for an effort alone (RSN-21); without budgets they have
    no such thinking (RSN-6)."""
    thinking = root.thinking
    if thinking is None or not unmeasured(thinking) or (thinking.effort is not None and not server.effort):
        return
    most = _most(root)
    if not server.thinking_budgets or _is_crowded(root, most):
        report.at("RSN-18" if server.thinking_budgets else "RSN-6", thinking, "mode")
        thinking.mode = None
        return
    report.at("RSN-21", thinking, "mode")
    thinking.mode, thinking.budget = ThinkingMode.ENABLED, min(BUDGETS[thinking.effort or USUAL_EFFORT], most)
    _sample_freely(root, report)


def _most(root: Request) -> int:
    """Return the largest budget that leaves half of the output for the answer."""
    return max(BUDGETS.values()) if root.max_tokens is None else root.max_tokens // 2


def _is_crowded(root: Request, most: int) -> bool:
    """Return whether a request leaves no place for a budget."""
    return most < LEAST_BUDGET or forces_a_tool(root.tool_choice) or _goes_on_unthinking(root.turns or ())


def typed(root: Request, report: Report, server: Server) -> None:
    """Make a budget one of thinking that is enabled; where nothing of thinking is left, leave out how it is shown."""
    thinking = root.thinking
    if thinking is None:
        return
    if thinking.budget is not None:
        thinking.mode = ThinkingMode.ENABLED
    elif thinking.mode is None and thinking.effort is None:
        _not_shown(thinking, report)


def unshown(root: Request, report: Report, server: Server) -> None:
    """Do not enable thinking only to show it, where other settings forbid thinking (RSN-2)."""
    thinking = root.thinking
    if thinking is not None and unmeasured(thinking) and restricting(root.sampling):
        report.at("RSN-2", thinking, "display")
        thinking.mode = thinking.display = None


def enable_for_effort(root: Request, report: Report, server: Server) -> None:
    """Enable thinking where there is an effort (RSN-13, RSN-14), but for models that think by default, where it is
    enabled only to be shown. Where it is not, there is none to be shown (SMP-6)."""
    thinking = root.thinking
    if thinking is None or thinking.effort is None or thinking.mode is not None:
        return
    blocking = restricting(root.sampling)
    if server.thinks_by_default:
        thinking.mode = None if thinking.display is None else ThinkingMode.ADAPTIVE
    elif server.adaptive_thinking and not blocking:
        report.at("RSN-14", thinking, "effort")
        thinking.mode = ThinkingMode.ADAPTIVE
    else:
        report.at("RSN-13", thinking, "effort", f"not together with {', '.join(blocking)}" if blocking else "")
        _not_shown(thinking, report)


def thought_before(root: Request, report: Report, server: Server) -> None:
    """Disable thinking with a budget where the response whose calls have their results last has none (RSN-18)."""
    thinking = root.thinking
    if thinking is None or thinking.mode is not ThinkingMode.ENABLED or thinking.budget is None:
        return
    if _goes_on_unthinking(root.turns or ()):
        _disable(thinking, report)


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


def within_budget(root: Request, report: Report, server: Server) -> None:
    """Disable thinking with a budget where a tool is forced or the limit of output leaves no room (RSN-18), keep the
    budget in its range (RSN-19), and leave out sampling that is refused beside it (RSN-20)."""
    thinking = root.thinking
    if thinking is None or thinking.mode is not ThinkingMode.ENABLED or thinking.budget is None:
        return
    most = max(thinking.budget, LEAST_BUDGET) if root.max_tokens is None else root.max_tokens - 1
    if most < LEAST_BUDGET or forces_a_tool(root.tool_choice):
        _disable(thinking, report)
        return
    budget = min(max(thinking.budget, LEAST_BUDGET), most)
    if budget != thinking.budget:
        limits = f"at least {LEAST_BUDGET}" if root.max_tokens is None else f"from {LEAST_BUDGET} to {most}"
        report.at("RSN-19", thinking, "budget", f"{limits} tokens; {budget} are sent")
        thinking.budget = budget
    _sample_freely(root, report)


def _sample_freely(root: Request, report: Report) -> None:
    sampling = root.sampling
    for name in ("temperature", "top_p", "top_k") if restricting(sampling) else ():
        if getattr(sampling, name) is not None:
            report.at("RSN-20", sampling, name)
            setattr(sampling, name, None)


def _disable(thinking: Thinking, report: Report) -> None:
    report.at("RSN-18", thinking, "budget")
    _not_shown(thinking, report)
    thinking.mode = thinking.budget = None


def _not_shown(thinking: Thinking, report: Report) -> None:
    if thinking.display is not None:
        report.at("SMP-6", thinking, "display")
        thinking.display = None


CHECKS = (
    Check(measure, ("RSN-12", "RSN-18", "RSN-20", "RSN-21"), Request, needs=("thinking",), without="effort"),
    *(
        Check(measure_by_default, ("RSN-6", "RSN-18", "RSN-20", "RSN-21"), Request, needs=("thinking",), without=name)
        for name in ("effort", "adaptive_thinking")
    ),
    Check(typed, ("SMP-6",), Request, needs=("thinking",)),
    Check(unshown, ("RSN-2",), Request, needs=("thinking",)),
    Check(enable_for_effort, ("RSN-13", "RSN-14", "SMP-6"), Request, needs=("thinking",)),
    Check(thought_before, ("RSN-18", "SMP-6"), Request, needs=("thinking",), relayed=True),
    Check(within_budget, ("RSN-18", "RSN-19", "RSN-20", "SMP-6"), Request, needs=("thinking",)),
)
