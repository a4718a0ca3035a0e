"""Limits on the strict schemas of a whole request: what goes beyond them is not strict (CAP-10, SCH-16).

Rule: tools keep their order, so that one more at the end takes strictness from none before it.
"""

from __future__ import annotations

from ..binding.server import Server
from ..ir.request import Request, SchemaFormat
from ..ir.tools import FunctionTool
from ..reporting.report import Report
from ..schemas.room import OPTIONAL, TOOLS, UNIONS, Room
from .verdicts import Check

MOST = {TOOLS: 20, OPTIONAL: 24, UNIONS: 16}
"""Those of the grammar that is made of all strict schemas: "Too many strict tools (25). The maximum number of strict
tools supported is 20."; https://platform.claude.com/docs/en/build-with-claude/structured-outputs (schema complexity
limits) and pydantic-ai 2.68, `_anthropic_schema_limits`, which says what is counted; read on 2026-11-29."""
MEANING = (
    f"strict schemas with more than {MOST[TOOLS]} tools, {MOST[OPTIONAL]} optional parameters or {MOST[UNIONS]} of "
    "several types in a request; what goes beyond that is not strict otherwise (SCH-16)"
)


def _give_up(root: Request, report: Report, server: Server) -> None:
    """Make tools strict as long as there is room beside the schema of the output, which is enforced with them."""
    room = Room(MOST)
    wanted = root.output.format if root.output is not None else None
    if isinstance(wanted, SchemaFormat) and wanted.schema is not None:
        room.take(wanted.schema)
    for tool in root.tools or ():
        if type(tool) is FunctionTool and tool.strict and (limit := room.beyond(tool.parameters or {})):
            report.at("SCH-16", tool, "strict", limit)
            tool.strict = None


GIVEN_UP = Check(_give_up, ("SCH-16",), Request, needs=("tools",), without="many_strict_tools")
"""For a target of which one grammar enforces all schemas, behind the checks that decide what is strict at all."""
