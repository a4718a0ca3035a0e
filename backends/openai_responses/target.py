"""The target Responses: its structural constraints, its checks, and its table."""

from __future__ import annotations

import re

from proxai_ir import ir
from proxai_ir.ir.response import END
from proxai_ir.reporting.report import Report
from proxai_ir.targets import checks
from proxai_ir.targets import conditions as c
from proxai_ir.targets.approximations import UNSTORED, word_of_json
from proxai_ir.targets.base import BASE
from proxai_ir.targets.constraints import Constraints, SealSlot
from proxai_ir.targets.settings import Server
from proxai_ir.targets.verdicts import Check, Target
from proxai_ir.wire import openai
from proxai_ir.wire import openai_responses as wire
from proxai_ir.wire.openai_responses import SEALS

from .._openai import conditions as shared
from .rows import MODELS, ROWS, SETTINGS, accepted_id

# --- requests ---------------------------------------------------------------------------------------------------------


def more_output(root: ir.Request, report: Report, server: Server) -> None:
    """Ask for what other providers return unasked: encrypted reasoning (RSN-25), and what searches found (TUL-81)."""
    asked = [SEALS] if _wants_seals(root, server) else []
    if server.seals and server.search_sources and any(type(tool) is ir.WebSearchTool for tool in root.tools or ()):
        asked.append(wire.FOUND)
    if asked:
        root.extra = ir.Extra({"include": asked})  # a member without a field, as in trees read from this protocol
        report.records += [(BY_OUTPUT[one], None, f"`include` has {one}") for one in asked]


BY_OUTPUT = {SEALS: "RSN-25", wire.FOUND: "TUL-81"}


def _wants_seals(root: ir.Request, server: Server) -> bool:
    """Return whether encrypted reasoning is asked for: signatures are carried, and the response is not stored.

    Models without reasoning refuse this, and get it only with a request for reasoning, which they refuse too.
    """
    if not server.seals or not server.encrypted_reasoning or root.thinking is None:
        return False
    asked = root.thinking.effort or root.thinking.display is ir.Display.SUMMARIZED
    return bool(asked) and root.service is not None and root.service.store is False


def unencrypted(root: ir.Request, report: Report, server: Server) -> None:
    """Drop what asks for encrypted reasoning in a request that is relayed (ENV-10)."""
    kept = {**((root.extra and root.extra.fields) or {})}
    asked = kept.pop("include", None)
    if isinstance(asked, list) and SEALS in asked:
        report.at("ENV-10", root, "include")
        others = [one for one in asked if one != SEALS]
        root.extra = ir.Extra({**kept, "include": others} if others else kept)


def limited_searches(root: ir.Request, report: Report, server: Server) -> None:
    """Move the limit of the only hosted tool, a web search, to the request (TUL-9).

    This protocol limits all provider-run calls together; with other hosted tools the limit is lost.
    """
    for tool in root.tools or ():
        if type(tool) is ir.WebSearchTool and tool.max_uses is not None:
            if tool is not ir.lone_search(root.tools or ()):
                report.at("TUL-9", tool, "max_uses", "`max_tool_calls` would limit the provider's other tools too")
            elif root.hosted_calls is None:
                root.hosted_calls = tool.max_uses
            tool.max_uses = None


def searches_once(root: ir.Request, report: Report, server: Server) -> None:
    """Keep one web search: drop those that replace page-opening tools if another one exists (TUL-41)."""
    searches = [tool for tool in root.tools or () if type(tool) is ir.WebSearchTool]
    kept = [tool for tool in searches if not c.opens_pages(tool)] or searches[:1]
    if len(kept) < len(searches):
        root.tools = [
            tool for tool in root.tools or () if type(tool) is not ir.WebSearchTool or any(tool is one for one in kept)
        ]


def instructions_first(root: ir.Request, report: Report, server: Server) -> None:
    """Give developers' messages the role of the instructions (PLC-1), unless the input has nothing else.

    For servers that take instructions at the beginning alone.
    """
    turns = root.turns or ()
    for turn in turns if len(turns) > 1 else ():
        if turn.role is ir.DEVELOPER:
            report.at("PLC-1", turn, "role")
            turn.role = ir.SYSTEM


def instructions_alone(root: ir.Request, report: Report, server: Server) -> None:
    """Give the only turn, if it has instructions, the role of a developer.

    It then stands in the input, which must not be empty.
    """
    if root.turns and len(root.turns) == 1 and root.turns[0].role is ir.SYSTEM:
        root.turns[0].role = ir.DEVELOPER


def one_way_members(root: ir.Request, report: Report, server: Server) -> None:
    """Drop cache breakpoints of the assistant's texts and citations of all others."""
    for turn in root.turns or ():
        if turn.role is ir.ASSISTANT:
            for part in turn.parts:
                if isinstance(part, ir.Text) and part.cache is not None:
                    report.at("CAC-4", part, "cache")
                    part.cache = None
        else:
            c.uncite(turn.parts, report)


def without_bare_reasoning(root: ir.Request, report: Report, server: Server) -> None:
    """Drop reasoning that has no encrypted content (RSN-5).

    The encrypted content stands with the last text of an item.
    """
    for turn in root.turns or ():
        if turn.role is not ir.ASSISTANT or ir.Reasoning not in map(type, turn.parts):
            continue
        bare: list[ir.Reasoning] = []
        sealed = False
        for part in reversed(turn.parts):
            if type(part) is not ir.Reasoning:
                sealed = False
            elif part.seal is not None:
                sealed = True
            elif not sealed:
                bare.append(part)
        for thought in reversed(bare):
            report.at("RSN-5", thought)
        if bare:
            dropped = set(map(id, bare))
            turn.parts = [part for part in turn.parts if id(part) not in dropped]
            report.facts.emptied = report.facts.emptied or not turn.parts


def without_made_ids(root: ir.Request, report: Report, server: Server) -> None:
    """Drop reasoning whose id this library made, as its own provider cannot find it (RSN-5)."""
    for turn in root.turns or ():
        if turn.parts and type(turn.parts[0]) is ir.Reasoning and _is_made(turn):
            for thought in turn.parts:
                report.at("RSN-5", thought)
            turn.parts = []
            report.facts.emptied = True


def _is_made(item: ir.Turn) -> bool:
    identity = item.src.get("id") if type(item.src) is dict and item.src.get("type") == wire.REASONING else None
    bare = all(type(part) is ir.Reasoning and part.seal is None for part in item.parts)
    return bare and isinstance(identity, str) and wire.MADE_REASONING.fullmatch(identity) is not None


def without_empty_text(root: ir.Request, report: Report, server: Server) -> None:
    """Drop empty texts of the assistant next to calls or reasoning, which would become messages (PLC-6)."""
    for turn in root.turns or ():
        if turn.role is ir.ASSISTANT and len(turn.parts) > 1:
            for part in turn.parts:
                if type(part) is ir.Text and not part.text:
                    _drop_empty_text(turn, report)
                    break


def _drop_empty_text(turn: ir.Turn, report: Report) -> None:
    empty = [part for part in turn.parts if type(part) is ir.Text and not part.text]
    if len(empty) < len(turn.parts):
        for part in empty:
            report.at("ENV-7", part)
        turn.parts = [part for part in turn.parts if type(part) is not ir.Text or part.text]


# --- both -------------------------------------------------------------------------------------------------------------


def results_follow_calls(root: ir.Request | ir.Response, report: Report, server: Server) -> None:
    """Join each result with its provider-run call, with which it shares an item.

    The call must come before it, in the turn or in one that the turn continues; else the result is dropped.
    """
    for turns in checks.conversations(root):
        waiting: dict[tuple[type, str], ir.Turn] = {}
        left: set[int] = set()
        for turn in turns:
            if not turn.continues:
                waiting.clear()
            was = len(turn.parts)
            for part in [*turn.parts]:
                if isinstance(part, (ir.WebSearchCall, ir.McpCall, ir.CodeCall)):
                    waiting[RESULT[type(part)], part.id] = turn
                elif isinstance(part, (ir.WebSearchResult, ir.McpResult, ir.CodeResult)):
                    called = waiting.pop((type(part), part.call_id), None)
                    if called is None:
                        report.at(WITHOUT_CALL[type(part)], part, "", NO_CALL)
                    elif called is not turn:
                        called.parts.append(part)
                    if called is not turn:
                        turn.parts.remove(part)
            if turn.continues and was and not turn.parts and turn.extra is None:
                left.add(id(turn))
        if left:
            turns[:] = [turn for turn in turns if id(turn) not in left]


RESULT: dict[type, type] = {
    ir.WebSearchCall: ir.WebSearchResult,
    ir.McpCall: ir.McpResult,
    ir.CodeCall: ir.CodeResult,
}
NO_CALL = "the turn has no earlier call of this id without a result"
WITHOUT_CALL: dict[type, str] = {
    ir.WebSearchResult: "TUL-22",
    ir.McpResult: "TUL-23",
    ir.CodeResult: "TUL-39",
}


# --- responses --------------------------------------------------------------------------------------------------------


def filled_in(root: ir.Response, report: Report, server: Server) -> None:
    """Report the required members that the source lacks, which are filled in (ENV-2)."""
    dated = "`created_at` is 0, " if root.created is None else ""
    settings = '`parallel_tool_calls` is true, `tool_choice` is "auto", `tools` is empty'
    report.records.append(("ENV-2", None, dated + settings))


def fitted_content(root: ir.Response, report: Report, server: Server) -> None:
    """Drop empty texts, which would become messages (PLC-6), and give a failed response a refusal (REF-8).

    The refusal's text is the explanation if the source has no other.
    """
    for candidate in root.candidates:
        for turn in candidate.turns:
            kept: list[ir.Part] = []
            for part in turn.parts:
                if type(part) is ir.Text and not part.text:
                    report.at("PLC-10", part)
                    c.cite_before(part, kept)
                else:
                    kept.append(part)
            turn.parts = kept
        if candidate.terminal.reason is ir.REFUSAL:
            _refuse(candidate)


def _refuse(candidate: ir.Candidate) -> None:
    refusals = [part for part in candidate.parts if type(part) is ir.Refusal]
    if any(refusal.text for refusal in refusals):
        return
    details = candidate.terminal.refusal
    text = (details.explanation if details is not None else None) or ""
    if refusals:
        refusals[0].text = text
    elif candidate.turns:
        candidate.turns[-1].parts.append(ir.Refusal(text))
    else:
        candidate.turns.append(ir.Turn(ir.ASSISTANT, [ir.Refusal(text)]))


# --- target -----------------------------------------------------------------------------------------------------------

CONSTRAINTS = Constraints(
    instructions="inline",
    results="anywhere",
    media_results=True,
    nested=False,
    ordered=True,
    text_parts=True,
    empty_text=True,
    alternatives=False,
    items=True,
    namespaces=True,
    open_calls=False,
    seals={ir.Reasoning: SealSlot((openai.PROVIDER,), wire.ENCRYPTED, needed=True)},
    call_id=accepted_id,
    unique_calls=True,
    tool_name=re.compile(wire.TOOL_NAME).fullmatch,
    without_output=END,
)

LIMITS = shared.limits(wire.TOOL_NAME, wire.MOST_OF_ID, wire.OPTIONS_TTL)
LIMITS["TUL-13"] += f"; web searches begin with {wire.WEB_ID}, MCP calls with {wire.MCP_ID}"
SEARCHES = (ir.WebSearchTool, ir.HostedTool)  # a search may replace the latter
RESULTS = (ir.WebSearchResult, ir.McpResult, ir.CodeResult)
CALLABLE = (ir.FunctionTool, ir.CustomTool, ir.WebSearchTool, ir.CodeTool, ir.McpServer)

TARGET = Target(
    wire.NAME,
    ROWS,
    (
        checks.MODEL_NAMED,
        *checks.calls_apart({ir.WebSearchCall: wire.WEB_ID, ir.McpCall: wire.MCP_ID, ir.CodeCall: wire.CODE_ID}),
        checks.ENVELOPE,
        checks.ANSWERED_IDS,
        shared.STRICT_SCHEMAS,
        shared.ARRAYS_COMPLETE,
        checks.choice_fits(CALLABLE),
        checks.schema_named(required=True),
        word_of_json(ir.Role.DEVELOPER, apart=True, within="system_in_place"),
        checks.explained_by(ir.Refusal),
        checks.USAGE_ALWAYS,
        checks.ENDING_FITS,
        checks.USAGE_ADDS_UP,
        checks.usage_reported(required=False),
        checks.DETAILS_REPORTED,
        Check(limited_searches, ("TUL-9",), ir.Request, given=SEARCHES),
        Check(searches_once, (), ir.Request, given=SEARCHES),
        Check(instructions_first, ("PLC-1",), ir.Request, needs=("turns",), without="system_in_place"),
        Check(instructions_first, ("PLC-1",), ir.Request, needs=("turns",), without="system_in_place", relayed=True),
        Check(instructions_alone, (), ir.Request, needs=("turns",)),
        Check(one_way_members, ("CAC-4", "CIT-1"), ir.Request, given=(ir.Cache, ir.UrlCitation)),
        Check(without_bare_reasoning, ("RSN-5",), ir.Request, given=(ir.Reasoning,), without="bare_reasoning"),
        Check(without_made_ids, ("RSN-5",), ir.Request, given=(ir.Reasoning,), without="bare_reasoning", relayed=True),
        Check(without_empty_text, ("ENV-7",), ir.Request, needs=("turns",)),
        Check(results_follow_calls, ("TUL-22", "TUL-23", "TUL-39"), ir.Request, given=RESULTS),
        UNSTORED,
        Check(more_output, ("RSN-25", "TUL-81"), ir.Request),
        Check(unencrypted, ("ENV-10",), ir.Request, without="encrypted_reasoning", relayed=True),
        Check(results_follow_calls, ("TUL-22", "TUL-23", "TUL-39"), ir.Response, given=RESULTS),
        Check(filled_in, ("ENV-2",), ir.Response),
        Check(fitted_content, ("PLC-10",), ir.Response),
        *MODELS.checks,
    ),
    LIMITS,
    base=BASE,
    settings=SETTINGS,
)
