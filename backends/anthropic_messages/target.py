"""The target Anthropic Messages: its structural constraints, its checks, and its table."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.response import CUT_OFF, UNFINISHED
from proxai_ir.reporting.report import Report
from proxai_ir.targets import checks, grammars, thinking
from proxai_ir.targets.base import BASE
from proxai_ir.targets.constraints import Constraints, SealSlot
from proxai_ir.targets.settings import Server
from proxai_ir.targets.verdicts import Check, Target
from proxai_ir.wire import anthropic_messages as wire

from .rows import CALLABLE, LIMITS, MODELS, ROWS, SETTINGS, accepted_call_id, nothing_found

# --- thinking ---------------------------------------------------------------------------------------------------------


def announced(root: ir.Request, report: Report, server: Server) -> None:
    """Report messages that set the effort, which is a beta (RSN-46)."""
    for turn in root.turns or ():
        if turn.settings is not None and turn.settings.thinking is not None:
            report.at("RSN-46", turn.settings.thinking, "effort")


# --- limits and tools -------------------------------------------------------------------------------------------------


def limited(root: ir.Request, report: Report, server: Server) -> None:
    """Fill in the output limit, which is required (SMP-1)."""
    if root.max_tokens is None:
        root.max_tokens = server.max_tokens
        report.records.append(("SMP-1", None, f"max_tokens {root.max_tokens}"))


def limited_search(root: ir.Request, report: Report, server: Server) -> None:
    """Move a limit on all provider-run calls to the only web search, as this protocol limits each tool."""
    search = ir.lone_search(root.tools or ())
    if search is not None and search.max_uses is None:
        search.max_uses = root.hosted_calls


def undeferred(root: ir.Request, report: Report, server: Server) -> None:
    """Drop deferred loading if no tool finds others, as the model would never get the tool (TUL-28)."""
    for tool in root.tools or ():
        extra = getattr(tool, "extra", None)
        if extra is not None and (extra.fields or {}).get(DEFERRED):
            report.records.append(("TUL-28", (tool.src, DEFERRED), ""))
            extra.fields = {name: one for name, one in extra.fields.items() if name != DEFERRED} or None


DEFERRED = "defer_loading"


def marked_at_the_end(root: ir.Request, report: Report, server: Server) -> None:
    """Replace automatic caching by a breakpoint at the end of the prompt (CAC-1, SVC-7)."""
    caching = root.caching
    if caching is None or not caching.automatic:
        return
    last: Any = root.turns[-1].parts[-1] if root.turns and root.turns[-1].parts else None
    marked = hasattr(last, "cache")
    report.at("SVC-7" if marked else "CAC-5", caching, "automatic")
    if marked:
        last.cache = last.cache or ir.Cache(caching.lifetime, src=caching.src)
    root.caching = None


def never_parallel(root: ir.Request, report: Report, server: Server) -> None:
    """Drop the setting of parallel calls if no tool may be called (TUL-15)."""
    choice = root.tool_choice
    if root.parallel_tools is not None and isinstance(choice, ir.Choice) and choice.mode is ir.ChoiceMode.NONE:
        report.at("TUL-15", root, "parallel_tools")
        root.parallel_tools = None


def titled(root: ir.Request, report: Report, server: Server) -> None:
    """Write the output's name and description into its schema, the only place for them (OUT-4, OUT-8)."""
    wanted = root.output.format if root.output is not None else None
    if not isinstance(wanted, ir.SchemaFormat) or wanted.schema is None:
        return
    schema = wanted.schema
    for field, keyword, rule in (("name", "title", "OUT-8"), ("description", "description", "OUT-4")):
        given, own = getattr(wanted, field), schema.get(keyword)
        if given is None or given == own:
            continue
        if own is None and "$ref" not in schema:  # which stands alone
            schema = {**schema, keyword: given}
        else:
            report.at(rule, wanted, field)
    wanted.schema = schema


# --- content ----------------------------------------------------------------------------------------------------------

RUN = frozenset({ir.CodeCall, ir.CodeResult})


def whole_runs(root: ir.Request, report: Report, server: Server) -> None:
    """Give each run of code one result.

    A run without a result is dropped (TUL-6); later results are joined with the first one, and the last outcome counts
    (TUL-39).
    """
    for turn in root.turns or ():
        if RUN.isdisjoint(map(type, turn.parts)):
            continue
        results: defaultdict[str, list[ir.CodeResult]] = defaultdict(list)
        for part in turn.parts:
            if isinstance(part, ir.CodeResult):
                results[part.call_id].append(part)
        turn.parts = [part for part in turn.parts if _is_kept(part, turn, results, report)]
        for first, *later in results.values():
            if later:
                every = (first, *later)
                first.stdout = "".join(one.stdout for one in every)
                first.stderr = "".join(one.stderr or "" for one in every) or None
                first.exit_code = later[-1].exit_code
                first.error = next((one.error for one in every if one.error), None)


def _is_kept(part: ir.Part, turn: ir.Turn, results: Mapping[str, list[ir.CodeResult]], report: Report) -> bool:
    if isinstance(part, ir.CodeCall) and part.id not in results:
        report.at("TUL-6", part, "", "the request does not have what the code wrote")
        if part.src is turn.src:
            report.facts.add_named(turn)
        return False
    if isinstance(part, ir.CodeResult) and part is not results[part.call_id][0]:
        report.at("TUL-39", part, "", "a run has one result, so that this is joined with the earlier one")
        return False
    return True


def answered_searches(candidate: ir.Candidate, report: Report, server: Server) -> None:
    """Add an empty result to each search without one, as clients pair both by the id (TUL-66)."""
    found = {part.call_id for part in candidate.parts if isinstance(part, ir.WebSearchResult)}
    for turn in candidate.turns:
        bare = [part for part in turn.parts if isinstance(part, ir.WebSearchCall) and part.id not in found]
        for call in bare:
            report.at("TUL-66", call)
            turn.parts.insert(turn.parts.index(call) + 1, nothing_found(call))


EXPLAINED = (*CUT_OFF, ir.PAUSE, UNFINISHED)
"""Endings that explain an empty response."""


def has_content(candidate: ir.Candidate, report: Report, server: Server) -> None:
    """Report a response without content (CHO-3, CHO-5).

    Its ending may explain it, as may the loss of provider-run calls or media, which is reported already.
    """
    if candidate.terminal.reason in EXPLAINED or report.facts.executed or report.facts.media is not None:
        return
    for part in candidate.parts:
        if not isinstance(part, ir.WORDING) or part.text:
            return
    report.at("CHO-5" if server.allow_empty else "CHO-3", candidate, "turns")


# --- target -----------------------------------------------------------------------------------------------------------

CONSTRAINTS = Constraints(
    instructions="top",
    results="user",
    media_results=True,
    nested=True,
    ordered=True,
    text_parts=True,
    empty_text=False,
    placed_seals=True,
    worded_results="failed",
    alternatives=False,
    items=False,
    open_calls=True,
    seals={ir.Reasoning: SealSlot((wire.PROVIDER,), "redacted", {"signature": True, "redacted": False}, True)},
    call_id=accepted_call_id,
    unique_calls=True,
    tool_name=re.compile(wire.TOOL_NAME).fullmatch,
    breakpoints=wire.MOST_BREAKPOINTS,
    outlasted=wire.DEFAULT_TTL,
    last_turn="dropped",
    parsed_arguments=True,
)

TARGET = Target(
    wire.NAME,
    ROWS,
    (
        checks.MODEL_NAMED,
        *checks.calls_apart({ir.WebSearchCall: wire.SERVER_ID, ir.McpCall: wire.MCP_ID, ir.CodeCall: wire.SERVER_ID}),
        checks.ENVELOPE,
        checks.ANSWERED_IDS,
        Check(whole_runs, ("TUL-6", "TUL-39"), ir.Request, given=(ir.CodeCall, ir.CodeResult)),
        checks.only_allowed(*CALLABLE),
        checks.ONE_WEB_SEARCH,
        checks.choice_fits(CALLABLE),
        Check(undeferred, ("TUL-28",), ir.Request, needs=("tools",), without="hosted_tools"),
        Check(marked_at_the_end, ("SVC-7", "CAC-5"), ir.Request, needs=("caching",), without="automatic_caching"),
        Check(never_parallel, ("TUL-15",), ir.Request, needs=("parallel_tools",)),
        *MODELS.checks,
        Check(limited, ("SMP-1",), ir.Request, lacks=("max_tokens",)),
        *thinking.CHECKS,
        Check(announced, ("RSN-46",), ir.Request, given=(ir.TurnSettings,)),
        Check(limited_search, (), ir.Request, needs=("hosted_calls",)),
        *grammars.CHECKS,
        Check(titled, ("OUT-4", "OUT-8"), ir.Request, needs=("output",)),
        checks.USAGE_ALWAYS,
        checks.ENDING_FITS,
        checks.REFUSAL_ENDS,
        checks.REFUSALS_APART,
        checks.USAGE_ADDS_UP,
        checks.usage_reported(required=True),
        Check(answered_searches, ("TUL-66",), ir.Candidate, given=(ir.WebSearchCall,)),
        Check(has_content, ("CHO-3", "CHO-5"), ir.Candidate),
    ),
    LIMITS,
    base=BASE,
    settings=SETTINGS,
)
