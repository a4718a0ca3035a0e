"""What the table of OpenAI Responses asks of nodes and trees: the conditions of its verdicts, its own checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.ir import parts, request, response
from proxai_ir.ir.turns import Role
from proxai_ir.report import Report
from proxai_ir.rules import checks

from .parts import ours
from .response import scorable

BEARERS = (parts.Text, parts.Image, parts.Document, parts.SearchResult)  # what a cache marker can stand behind


def unmarkable(result: parts.ToolResult) -> bool:
    return not any(isinstance(part, BEARERS) for part in result.parts)


def others_seal(reasoning: parts.Reasoning) -> bool:
    return not ours(reasoning)


def unreadable(reasoning: parts.Reasoning) -> bool:
    return not reasoning.text and not ours(reasoning)


def unscorable(candidate: response.Candidate) -> bool:
    return not scorable(candidate)


def beside_text(root: request.Request, report: Report, options: Mapping[str, Any]) -> None:
    """What only one side can say beside its text: markers stand in what goes in, citations in what came out."""
    for turn in root.turns or ():
        if turn.role is Role.ASSISTANT:
            for part in turn.parts:
                if isinstance(part, parts.Text) and part.cache is not None:
                    report.at("CAC-4", part, "cache")
        else:
            uncited(turn.parts, report)


def uncited(found: list[Any], report: Report) -> None:
    for part in found:
        if isinstance(part, parts.Text):
            for one in part.citations or ():
                if isinstance(one, parts.UrlCitation):
                    report.at("CIT-1", one)
        elif isinstance(part, (parts.ToolResult, parts.SearchResult)):
            uncited(part.parts, report)
        elif isinstance(part, parts.Document) and isinstance(part.source, parts.Chunks):
            uncited(part.source.parts, report)


def told_apart(root: request.Request | response.Response, report: Report, options: Mapping[str, Any]) -> None:
    """What the provider's call gave back stands with it, which must come before it in the turn."""
    for turns in checks.conversations(root) if report.facts.hosted else ():
        for turn in turns:
            waiting: set[tuple[type, str]] = set()
            for part in [*turn.parts]:
                if isinstance(part, (parts.WebSearchCall, parts.McpCall)):
                    waiting.add((RESULT[type(part)], part.id))
                elif isinstance(part, (parts.WebSearchResult, parts.McpResult)):
                    if (type(part), part.call_id) not in waiting:
                        report.at(APART[type(part)], part, "", "the turn has no earlier call that it belongs to")
                        turn.parts.remove(part)
                    waiting.discard((type(part), part.call_id))


RESULT: dict[type, type] = {parts.WebSearchCall: parts.WebSearchResult, parts.McpCall: parts.McpResult}
APART: dict[type, str] = {parts.WebSearchResult: "TUL-22", parts.McpResult: "TUL-23"}


def generated(root: response.Response, report: Report, options: Mapping[str, Any]) -> None:
    """What this wire requires of an answer and the source lacks (ENV-2)."""
    if root.created is None:
        report.records.append(("ENV-2", None, "`created_at` is 0"))
    report.records.append(("ENV-2", None, '`parallel_tool_calls` is true, `tool_choice` is "auto", `tools` is empty'))
