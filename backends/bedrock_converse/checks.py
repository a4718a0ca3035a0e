"""Checks of the table of Bedrock Converse: what no single field of a request or a response shows.

Rule: a check acts where it reports.
"""

from __future__ import annotations

import re
from typing import Any

from proxai_ir.binding.server import Server
from proxai_ir.ir import parts, request, response, tools
from proxai_ir.ir.node import Cache
from proxai_ir.json.types import quoted
from proxai_ir.reporting.report import Report
from proxai_ir.schemas.subset import fitted, is_enforced, obstacle
from proxai_ir.wire import bedrock_converse as wire

from .conditions import MARKED

# --- thinking ---------------------------------------------------------------------------------------------------------


def thinks_with_effort(root: request.Request, report: Report, server: Server) -> None:
    """Claude thinks at an effort only where thinking is enabled, too (RSN-13, RSN-14)."""
    thinking = root.thinking
    if server.family != "claude" or thinking is None or thinking.effort is None or thinking.mode is not None:
        return
    if server.adaptive_thinking:
        report.at("RSN-14", thinking, "effort")
        thinking.mode = request.ThinkingMode.ADAPTIVE
    else:
        report.at("RSN-13", thinking, "effort")


LEAST_BUDGET = 1024


def within_budget(root: request.Request, report: Report, server: Server) -> None:
    """A budget as Claude accepts it, below the limit of output tokens (RSN-18, RSN-19)."""
    thinking = root.thinking
    if thinking is None or thinking.mode is not request.ThinkingMode.ENABLED or thinking.budget is None:
        return
    highest = thinking.budget if root.max_tokens is None else root.max_tokens - 1
    if root.max_tokens is not None and highest < LEAST_BUDGET:
        report.at("RSN-18", thinking, "budget")
        thinking.mode = thinking.budget = thinking.display = None
        return
    budget = max(min(thinking.budget, highest), LEAST_BUDGET)
    if budget != thinking.budget:
        report.at("RSN-19", thinking, "budget", f"{budget} tokens are sent")
        thinking.budget = budget


# --- cache breakpoints ------------------------------------------------------------------------------------------------


def marked_at_the_end(root: request.Request, report: Report, server: Server) -> None:
    """Automatic caching is a breakpoint at the end of the prompt (CAC-1), which has to be stated here (CAC-20)."""
    caching = root.caching
    if caching is None or not caching.automatic:
        return
    report.at("CAC-20", caching, "automatic")
    given: list[Any] = [part for turn in root.turns or () for part in turn.parts]
    for part in reversed(given):
        if type(part) in MARKED:
            if part.cache is None:
                part.cache = Cache(caching.lifetime, caching.src)
                report.facts.cache_breakpoints += 1
            break
    root.caching = None


def marked_outside(root: request.Request, report: Report, server: Server) -> None:
    """Cache points stand between the blocks of a message, and not inside of one (CAC-1, CAC-4)."""
    for turn in root.turns or ():
        for part in turn.parts:
            if isinstance(part, HOLDERS):
                _mark_outside(part, report)


HOLDERS = (parts.ToolResult, parts.SearchResult, parts.Document)


def _mark_outside(part: Any, report: Report) -> None:
    listed = part.source if isinstance(part, parts.Document) else part
    inside: list[Any] = getattr(listed, "parts", [])
    for inner in inside:
        if getattr(inner, "cache", None) is None:
            continue
        if inner is inside[-1] and part.cache is None:
            part.cache = inner.cache
        else:
            report.at("CAC-4", inner, "cache")
        inner.cache = None


# --- documents --------------------------------------------------------------------------------------------------------

ODD_IN_NAME = re.compile(wire.ODD_IN_NAME)


def named_documents(root: request.Request, report: Report, server: Server) -> None:
    """Documents have names of few characters, each another one (DOC-2, DOC-20)."""
    seen: set[str] = set()
    for document in _documents(root):
        given = document.title
        name = base = ODD_IN_NAME.sub("-", given or "")[: wire.MOST_OF_NAME].strip() or "Document"
        number = 1
        while name in seen:
            number += 1
            ending = f" {number}"
            name = base[: wire.MOST_OF_NAME - len(ending)].rstrip() + ending
        seen.add(name)
        if given is None:
            report.at("DOC-2", document, "", f"`name` is {quoted(name, 80)}")
        elif given != name:
            report.at("DOC-20", document, "title", f"{quoted(name, 80)} is sent")
        document.title = name


def _documents(root: request.Request) -> list[parts.Document]:
    found: list[parts.Document] = []
    for turn in root.turns or ():
        for part in turn.parts:
            listed = part.parts if isinstance(part, parts.ToolResult) else (part,)
            found += [one for one in listed if isinstance(one, parts.Document)]
    return found


# --- tools and output -------------------------------------------------------------------------------------------------


def none_to_call(root: request.Request, report: Report, server: Server) -> None:
    """There is no choice of none: tools that no call of the conversation needs are not defined (TUL-69, TUL-7)."""
    choice = root.tool_choice
    if not isinstance(choice, tools.Choice) or choice.mode is not tools.ChoiceMode.NONE:
        return
    called = any(isinstance(part, parts.CALLS) for turn in root.turns or () for part in turn.parts)
    report.at("TUL-7" if called else "TUL-69", choice, "mode")
    root.tool_choice = None
    if not called:
        for tool in root.tools or ():
            report.at("TUL-69", tool)
        root.tools = None


def strict_schemas(root: request.Request, report: Report, server: Server) -> None:
    """What is strict has a schema that is enforced (SCH-6, SCH-11), else it is not strict (SCH-1)."""
    for tool in root.tools or ():
        if type(tool) is not tools.FunctionTool or not tool.strict or tool.parameters is None:
            continue
        if is_enforced(tool.parameters, wire.unenforceable):
            continue
        made, misfits = (None, []) if obstacle(tool.parameters, wire.unenforceable) else _fitted(tool.parameters)
        rules = {rule for rule, _ in misfits}
        if made is None or not rules <= {"SCH-6", "SCH-11"}:
            report.at("SCH-1", tool, "strict")
            tool.strict = None
        elif made is not tool.parameters:
            report.at("SCH-6" if "SCH-6" in rules else "SCH-11", tool, "parameters")
            tool.parameters = made


def _fitted(schema: dict[str, Any]) -> Any:
    return fitted(schema, wire.unenforceable)


def refitted(root: request.Request, report: Report, server: Server) -> None:
    """The schema of the output is enforced: it becomes one that can be (SCH-6, SCH-7, SCH-11), or is lost (SCH-8)."""
    wanted = root.output.format if root.output is not None else None
    if root.output is None or not isinstance(wanted, request.SchemaFormat) or wanted.schema is None:
        return
    if is_enforced(wanted.schema, wire.unenforceable):
        return
    found = obstacle(wanted.schema, wire.unenforceable)
    if found:
        report.at("SCH-8", root.output, "format", found)
        root.output.format = None
        return
    wanted.schema, misfits = _fitted(wanted.schema)
    report.records += [(rule, place, "") for rule, place in misfits]


# --- responses --------------------------------------------------------------------------------------------------------


def measured(root: response.Response, report: Report, server: Server) -> None:
    """Clients require the time that a response took, which nobody measures (ENV-2)."""
    if root.protocol != wire.NAME:
        report.records.append(("ENV-2", None, "`metrics.latencyMs` is 0"))
