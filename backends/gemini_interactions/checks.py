"""Checks of the table of Interactions: what no single field of a request shows.

Rule: a check acts where it reports.
"""

from __future__ import annotations

from proxai_ir.binding.server import Server
from proxai_ir.ir import request, tools
from proxai_ir.ir.parts import Text
from proxai_ir.ir.turns import SYSTEM
from proxai_ir.reporting.report import Report

GOOGLES = (tools.WebSearchTool, tools.CodeTool, tools.HostedTool, tools.McpServer)
"""Tools that Google runs itself."""


def choosable(root: request.Request, report: Report, server: Server) -> None:
    """Tools of other kinds that a choice allows are not listed in it (TUL-6); they are defined all the same."""
    choice = root.tool_choice
    if isinstance(choice, tools.AllowedChoice):
        listed = [(kind, name) for kind, name in choice.tools if kind == "function"]
        if len(listed) != len(choice.tools):
            report.at("TUL-6", choice, "tools")
            choice.tools = listed


def one_instruction(root: request.Request, report: Report, server: Server) -> None:
    """The texts of instructions are one string (PLC-8)."""
    first = root.turns[0] if root.turns else None
    if first is not None and first.role is SYSTEM and len(first.parts) > 1:
        texts = [part for part in first.parts if isinstance(part, Text)]
        for part in texts[1:]:
            report.at("PLC-8", part)
        first.parts = [Text("\n\n".join(part.text for part in texts), src=texts[0].src)]
