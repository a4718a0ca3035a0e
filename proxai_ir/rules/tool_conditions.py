"""Conditions and rewrites about tools that the tables of several targets share.

Rule: as in conditions.py.
"""

from __future__ import annotations

from typing import Any

from ..ir.parts import HostedCall, HostedResult, Text, ToolResult, VendorPart
from .conditions import is_, opens_pages, searches_tools, which
from .verdicts import Fields, loses, notes, omits, refuses


def names_tool(part: VendorPart) -> bool:
    """Whether a part of a tool's result is a tool of the request that the call found (TUL-42)."""
    return part.kind == "tool_reference" and isinstance(part.raw.get("tool_name"), str)


def tool_named(part: VendorPart) -> Text:
    """The name of the tool, as text."""
    return Text(part.raw["tool_name"], None, None, part.src)


def opens_all_pages(tool: Any) -> bool:
    """Whether such a tool has no limits, so that another vendor's tool that opens pages does the same."""
    return opens_pages(tool) and not any(value for key, value in tool.raw.items() if key not in ("type", "name"))


def awaits_approval(call: Any) -> bool:
    """Whether a call is an MCP server's that the client has to approve (TUL-43)."""
    return bool(call.kind == "mcp_approval_request")


def states_failure(result: ToolResult) -> bool:
    """Whether a tool failed, and the source says so in its result (TUL-65)."""
    return result.is_error is True and result.failure is not None


def stated_failure(result: ToolResult) -> Fields:
    """The result with what says that the tool failed, and without the mark."""
    media = [part for part in result.parts if type(part) is not Text]
    stated = [Text(result.failure or "", None, None, part.src) for part in result.parts if type(part) is Text][:1]
    return Fields(parts=[*stated, *media], is_error=None)


TOOL_SEARCHES = omits("TUL-38", HostedCall, HostedResult, when=searches_tools)
"""The verdict on a provider's searches for tools, and on what they found."""
HOSTED_CALLS = (
    refuses("TUL-43", HostedCall, when=awaits_approval),
    TOOL_SEARCHES,
    loses("TUL-6", HostedCall, HostedResult, detail=which),
)
"""The verdicts on calls of hosted tools, and their results, in the responses of a target that has none."""
FOUND_TOOL = notes("TUL-42", VendorPart, when=names_tool, by=tool_named)
"""The verdict on a tool that a search of the client's found, in the result of its call."""
UNMARKED = (
    notes("TUL-65", "is_error", when=states_failure, by=stated_failure),
    loses("TUL-4", "is_error", when=is_("is_error", True)),
)
"""The verdicts on the mark of a tool that failed where the target has none."""
