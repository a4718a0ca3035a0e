"""Values of Anthropic Messages that decide more than what they are: under which rule a member is reported that depends
on the rest of the request, which text is none of the prompt's, and how messages change tools and settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..ir.node import ByObject
from . import filled

Json = Any

# What Claude Code writes as the first block of the system prompt, for this vendor's servers to take out again:
# "x-anthropic-billing-header: cc_version=2.1.37.0d9; cc_entrypoint=cli; cch=fa690;", another one in each request.
BILLING = "x-anthropic-billing-header:"

# --- what messages change from there on -------------------------------------------------------------------------------

TOOL_ADDITION, TOOL_REMOVAL, DEFINITION = "tool_addition", "tool_removal", "tool_definition"
TOOL_CHANGES = frozenset({TOOL_ADDITION, TOOL_REMOVAL})
TOOL_REFERENCES = {
    "tool_reference": ("name",),
    "mcp_tool_reference": ("server_name", "name"),
    "mcp_toolset_reference": ("server_name",),
}
"""How such a block names a tool that is defined elsewhere, and the members that do it."""
NEXT_MESSAGE = "next_user_message"  # when a message of the system is forgotten

CLIENT_TOOLSETS = frozenset({"browser_toolset_20260801", "computer_toolset_20260801"})
"""Tools of several calls that the client runs, which no one function has."""


def _edits(value: Json, request: Mapping[str, Json]) -> str:
    """What the provider clears from the prompt; the request may have nothing of that kind (CTX-3)."""
    edits = value.get("edits") if isinstance(value, dict) and value.keys() == {"edits"} else None
    if edits == []:
        return "ENV-7"
    idle = isinstance(edits, list) and all(_is_idle(edit, request) for edit in edits)
    return "CTX-3" if idle else "CTX-1"


EDITS = ByObject(_edits)

FAILED_MESSAGE: dict[str, Any] = {
    **dict.fromkeys(("type", "role", "stop_reason"), ""),
    **dict.fromkeys(("id", "model", "stop_sequence"), "ENV-1"),
    "content": filled("ERR-2"),
    "usage": "USE-4",
}
"""The members of a message that is an error (FIN-8)."""


def _is_idle(edit: Json, request: Mapping[str, Json]) -> bool:
    kind = edit.get("type") if isinstance(edit, dict) else None
    if not isinstance(kind, str):
        return False
    if kind.startswith("clear_thinking_"):
        return not any(block in ("thinking", "redacted_thinking") for block in _blocks(request))
    if kind.startswith("clear_tool_uses_"):
        return not _runs_tools(request) and not any("tool_" in block for block in _blocks(request))
    return False


def _container(value: Json, request: Mapping[str, Json]) -> str:
    """The machine that the provider's tools run on; a request without such tools does not use it (HST-1)."""
    return "HST-1" if _runs_tools(request) else "ENV-7"


CONTAINER = ByObject(_container)


def _blocks(request: Mapping[str, Json]) -> Iterator[str]:
    """The types of all blocks of the conversation."""
    messages = request.get("messages")
    for message in messages if isinstance(messages, list) else ():
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else ():
            yield str(block.get("type")) if isinstance(block, dict) else ""


def _runs_tools(request: Mapping[str, Json]) -> bool:
    """Whether the provider may run tools itself, so that there are results within one response."""
    tools = request.get("tools")
    listed = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    return bool(request.get("mcp_servers")) or any(tool.get("type") not in (None, "custom") for tool in listed)
