"""Since which version of the IR there is a class, a field, an enum member or a place.

Rule: whoever adds one raises VERSION once for a release and enters it in SINCE. Tables that packages of other protocols
wrote for an earlier version then give it a default verdict (`Target(…, ir=…, newer=…)`).
"""

from __future__ import annotations

from typing import Any

from . import error, parts, request, terminal, tools, turns

VERSION = 2
SINCE: dict[Any, int] = {
    tools.ToolGroup: 2,
    (tools.FunctionTool, "namespace"): 2,
    (tools.CustomTool, "namespace"): 2,
    (tools.NamedChoice, "namespace"): 2,
    (tools.CustomChoice, "namespace"): 2,
    (parts.FunctionCall, "namespace"): 2,
    (parts.CustomCall, "namespace"): 2,
    (parts.Reference, "raw"): 2,
    tools.ClientTool: 2,
    parts.ClientCall: 2,
    parts.ClientResult: 2,
    tools.WebSearchChoice: 2,
    tools.CodeTool: 2,
    tools.CodeChoice: 2,
    parts.CodeCall: 2,
    parts.CodeResult: 2,
    (error.ErrorCategory, "CONTEXT_LENGTH"): 2,
    (request.Service, "moderation"): 2,
    (request.Request, "hosted_calls"): 2,
    (request.Request, "summary"): 2,
    request.Summary: 2,
    (parts.WebSearchCall, "page"): 2,
    (parts.WebSearchResult, "page"): 2,
    (terminal.StopReason, "FAILED"): 2,
    parts.DocumentCitation: 2,
    request.EnumFormat: 2,
    parts.ToolChange: 2,
    turns.TurnSettings: 2,
    (turns.Turn, "settings"): 2,
}
"""By class, by (class, name of a field or of an enum member), by place, or by (place, class); all others: 1."""


def since(*subjects: Any) -> int:
    """The version in which the youngest of these appeared."""
    return max(SINCE.get(subject, 1) for subject in subjects)
