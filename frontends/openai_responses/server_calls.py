"""Calls of custom tools that the server ran itself (TUL-6): xAI reports the steps of its own searches as such calls.

Rule: a response repeats the request's tools, which shows whose a call is; in doubt it is the client's.
"""

from __future__ import annotations

from proxai_ir.ir import parts
from proxai_ir.ir.turns import Turn

from .._lib.reading import Json

CLIENT_TOOLS = ("function", "custom", "namespace")
CUSTOM_CALL = "custom_tool_call"


def custom_tools(tools: Json) -> frozenset[str] | None:
    """The names of the client's custom tools among those that a response repeats; None: whose a call is cannot be seen.

    It can where there is a tool of the server's that may have made the call, and no group that may hold others.
    """
    listed = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    kinds = [tool.get("type") for tool in listed]
    if "namespace" in kinds or all(kind in CLIENT_TOOLS for kind in kinds):
        return None
    names = (tool.get("name") for tool in listed if tool.get("type") == "custom")
    return frozenset(name for name in names if isinstance(name, str))


def as_run(turn: Turn, customs: frozenset[str] | None) -> Turn:
    """The turn of an item; where that is a call that the server ran, there is nothing for the client to run."""
    call = turn.parts[0] if turn.parts else None
    if customs is None or type(call) is not parts.CustomCall or call.name in customs or not isinstance(turn.src, dict):
        return turn
    return Turn(turn.role, [parts.HostedCall(CUSTOM_CALL, call.id, turn.src, turn.src)], None, turn.src)
