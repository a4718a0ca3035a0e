"""Checks of the table of Anthropic Messages: what no single field of a request or a response shows.

Rule: a check acts where it reports.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from proxai_ir.binding.server import Server
from proxai_ir.ir import parts, request, response, tools
from proxai_ir.ir.terminal import CUT_OFF, PAUSE, UNFINISHED
from proxai_ir.ir.turns import ASSISTANT, Turn
from proxai_ir.reporting.report import Report

from .conditions import adaptive, nothing_found

# --- thinking ---------------------------------------------------------------------------------------------------------


def announced(root: request.Request, report: Report, server: Server) -> None:
    """Messages that set the effort are a beta (RSN-46)."""
    for turn in root.turns or ():
        if turn.settings is not None and turn.settings.thinking is not None:
            report.at("RSN-46", turn.settings.thinking, "effort")


def unshown(root: request.Request, report: Report, server: Server) -> None:
    """Thinking that would be enabled only to be shown is not, where other settings forbid thinking (RSN-2)."""
    thinking = root.thinking
    if thinking is not None and adaptive(thinking) and _forbids_thinking(root):
        report.at("RSN-2", thinking, "display")
        thinking.mode = thinking.display = thinking.budget = None


def thinks_with_effort(root: request.Request, report: Report, server: Server) -> None:
    """At any effort this protocol's models think only where thinking is enabled too (RSN-13, RSN-14).

    Where it is not, there is none to be shown (SMP-6).
    """
    thinking = root.thinking
    if thinking is None or thinking.effort is None or thinking.mode is not None or server.thinks_by_default:
        return
    if server.adaptive_thinking and not _forbids_thinking(root):
        report.at("RSN-14", thinking, "effort")
        thinking.mode = request.ThinkingMode.ADAPTIVE
        return
    blocking = _restricting(root.sampling)
    report.at("RSN-13", thinking, "effort", f"not together with {', '.join(blocking)}" if blocking else "")
    if thinking.display is not None:
        report.at("SMP-6", thinking, "display")
        thinking.display = None


LEAST_BUDGET = 1024


def within_budget(root: request.Request, report: Report, server: Server) -> None:
    """Thinking with a budget as this protocol accepts it; the limit of output tokens is known (RSN-18 to RSN-20)."""
    thinking = root.thinking
    if thinking is None or thinking.mode is not request.ThinkingMode.ENABLED or thinking.budget is None:
        return
    highest = (root.max_tokens or 0) - 1
    if highest < LEAST_BUDGET or _forces_a_tool(root.tool_choice):
        _disable(thinking, report)
        return
    budget = min(max(thinking.budget, LEAST_BUDGET), highest)
    if budget != thinking.budget:
        report.at("RSN-19", thinking, "budget", f"from {LEAST_BUDGET} to {highest} tokens; {budget} are sent")
        thinking.budget = budget
    sampling = root.sampling
    for name in ("temperature", "top_p", "top_k") if _restricting(sampling) else ():
        if getattr(sampling, name) is not None:
            report.at("RSN-20", sampling, name)
            setattr(sampling, name, None)


def thought_before(root: request.Request, report: Report, server: Server) -> None:
    """Thinking with a budget needs it in the response whose tool calls have their results last (RSN-18)."""
    thinking = root.thinking
    if thinking is None or thinking.mode is not request.ThinkingMode.ENABLED or thinking.budget is None:
        return
    if _goes_on_unthinking(root.turns or ()):
        _disable(thinking, report)


def _disable(thinking: request.Thinking, report: Report) -> None:
    report.at("RSN-18", thinking, "budget")
    if thinking.display is not None:  # there is none to be shown
        report.at("SMP-6", thinking, "display")
    thinking.mode = thinking.budget = thinking.display = None


def _goes_on_unthinking(turns: Sequence[Turn]) -> bool:
    """Whether results of tools come last, and the response with their calls does not begin with reasoning."""
    at = len(turns)
    while at and turns[at - 1].role is not ASSISTANT:
        at -= 1
    if at == len(turns) or not any(type(part) is parts.ToolResult for part in turns[at].parts):
        return False
    while at > 1 and turns[at - 2].role is ASSISTANT:
        at -= 1
    return at > 0 and not isinstance(turns[at - 1].parts[0] if turns[at - 1].parts else None, parts.Reasoning)


def _forbids_thinking(root: request.Request) -> bool:
    """Whether this protocol refuses other settings together with adaptive thinking, which forced calls go with."""
    return bool(_restricting(root.sampling))


def _forces_a_tool(choice: tools.ToolChoice | None) -> bool:
    return isinstance(choice, (tools.NamedChoice, tools.WebSearchChoice, tools.CodeChoice)) or (
        isinstance(choice, (tools.Choice, tools.AllowedChoice)) and choice.mode is tools.ChoiceMode.REQUIRED
    )


LEAST_TOP_P = 0.95  # together with thinking


def _restricting(sampling: request.Sampling | None) -> list[str]:
    """The settings by which tokens are chosen in a way that this protocol refuses together with thinking."""
    if sampling is None:
        return []
    found = {
        "temperature": sampling.temperature not in (None, 1),
        "top_p": sampling.top_p is not None and sampling.top_p < LEAST_TOP_P,
        "top_k": sampling.top_k is not None,
    }
    return [name for name, restricts in found.items() if restricts]


# --- limits and tools -------------------------------------------------------------------------------------------------


def limited(root: request.Request, report: Report, server: Server) -> None:
    """The limit of output tokens is required (SMP-1)."""
    if root.max_tokens is None:
        root.max_tokens = server.max_tokens
        report.records.append(("SMP-1", None, f"max_tokens {root.max_tokens}"))


def limited_search(root: request.Request, report: Report, server: Server) -> None:
    """This protocol limits the calls of each tool."""
    search = tools.lone_search(root.tools or ())
    if search is not None and search.max_uses is None:
        search.max_uses = root.hosted_calls


def never_parallel(root: request.Request, report: Report, server: Server) -> None:
    """Where no tool may be called, whether calls are parallel means nothing (TUL-15)."""
    choice = root.tool_choice
    if root.parallel_tools is not None and isinstance(choice, tools.Choice) and choice.mode is tools.ChoiceMode.NONE:
        report.at("TUL-15", root, "parallel_tools")
        root.parallel_tools = None


# --- content ----------------------------------------------------------------------------------------------------------

RUN = frozenset({parts.CodeCall, parts.CodeResult})


def whole_runs(root: request.Request, report: Report, server: Server) -> None:
    """In a conversation, a run of code must have one result: a run that lacks it is left out (TUL-6), and what it wrote
    later is joined, the last outcome counts (TUL-39).
    """
    for turn in root.turns or ():
        if RUN.isdisjoint(map(type, turn.parts)):
            continue
        results: defaultdict[str, list[parts.CodeResult]] = defaultdict(list)
        for part in turn.parts:
            if isinstance(part, parts.CodeResult):
                results[part.call_id].append(part)
        turn.parts = [part for part in turn.parts if _is_kept(part, turn, results, report)]
        for first, *later in results.values():
            if later:
                _join(first, later)


def _is_kept(part: parts.Part, turn: Turn, results: Mapping[str, list[parts.CodeResult]], report: Report) -> bool:
    if isinstance(part, parts.CodeCall) and part.id not in results:
        report.at("TUL-6", part, "", "the request does not have what the code wrote")
        if part.src is turn.src:
            report.facts.add_named(turn)
        return False
    if isinstance(part, parts.CodeResult) and part is not results[part.call_id][0]:
        report.at("TUL-39", part, "", "a run has one result, so that this is joined with the earlier one")
        return False
    return True


def _join(first: parts.CodeResult, later: list[parts.CodeResult]) -> None:
    first.stdout += "".join(one.stdout for one in later)
    first.stderr = "".join(one.stderr or "" for one in (first, *later)) or None
    first.exit_code = later[-1].exit_code
    first.error = next((one.error for one in (first, *later) if one.error), None)


def answered_searches(candidate: response.Candidate, report: Report, server: Server) -> None:
    """A search is followed by what it found, which may be nothing (TUL-66); clients pair both by the id."""
    found = {part.call_id for part in candidate.parts if isinstance(part, parts.WebSearchResult)}
    for turn in candidate.turns:
        bare = [part for part in turn.parts if isinstance(part, parts.WebSearchCall) and part.id not in found]
        for call in bare:
            report.at("TUL-66", call)
            turn.parts.insert(turn.parts.index(call) + 1, nothing_found(call))


EXPLAINED = (*CUT_OFF, PAUSE, UNFINISHED)
"""Endings that explain an empty response."""


def has_content(candidate: response.Candidate, report: Report, server: Server) -> None:
    """A response must have content (CHO-3, CHO-5), unless its ending explains why there is none, or it had what only
    its provider runs, or media, whose loss is reported.
    """
    if candidate.terminal.reason in EXPLAINED or report.facts.executed or report.facts.media is not None:
        return
    for part in candidate.parts:
        if not isinstance(part, parts.WORDING) or part.text:
            return
    report.at("CHO-5" if server.allow_empty else "CHO-3", candidate, "turns")
