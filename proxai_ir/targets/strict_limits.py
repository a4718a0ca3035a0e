"""Limits on the strict schemas of a whole request: a tool that goes beyond them is not strict (CAP-10, SCH-16).

One grammar is made of all strict schemas of a request. Rule 1: only what servers were seen to count is counted:
parameters that are reached without following a reference. What they may count or not is left out, so that no tool gives
up strictness that a server would accept. Rule 2: tools keep their order, so that one more at the end takes strictness
from none before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .. import ir
from ..reporting.report import Report
from .settings import Server
from .verdicts import Check

Object = dict[str, Any]
TOOLS, OPTIONAL, UNIONS = "strict tools", "optional parameters in strict schemas", "parameters of several types in them"
COMPOSED = ("anyOf", "oneOf")  # the second is restated as the first


class Room:
    """A count of what is left of a target's limits."""

    def __init__(self, limits: Mapping[str, int]) -> None:
        self._limits = limits
        self._left = {**limits}

    def take(self, schema: Object) -> None:
        """Count the schema of an output, which is enforced whatever is left."""
        for what, number in _parameters(schema).items():
            self._left[what] = self._left.get(what, 0) - number

    def beyond(self, schema: Object) -> str:
        """Count the schema of a strict tool, and return ""; if it exceeds a limit, count nothing and name the limit."""
        needed = {TOOLS: 1, **_parameters(schema)}
        for what, number in needed.items():
            if number and what in self._limits and number > self._left[what]:
                return f"at most {self._limits[what]} {what} in one request"
        for what, number in needed.items():
            self._left[what] = self._left.get(what, 0) - number
        return ""


def _parameters(schema: Object) -> dict[str, int]:
    """Count the optional parameters and those of several types."""
    found = {OPTIONAL: 0, UNIONS: 0}
    for one in _objects(schema):
        required = one.get("required")
        for name, parameter in one["properties"].items():
            found[OPTIONAL] += not isinstance(required, list) or name not in required
            if isinstance(parameter, dict):
                found[UNIONS] += isinstance(parameter.get("type"), list) or any(key in parameter for key in COMPOSED)
    return found


def _objects(schema: Object) -> Iterator[Object]:
    """Yield a schema and the schemas inside it, those that have properties."""
    waiting: list[Any] = [schema]
    while waiting:
        one = waiting.pop()
        if not isinstance(one, dict):
            continue
        if isinstance(one.get("properties"), dict):
            yield one
            waiting += one["properties"].values()
        listed = [one.get(key) for key in COMPOSED]
        waiting += [one.get("items"), *(each for some in listed if isinstance(some, list) for each in some)]


MOST = {TOOLS: 20, OPTIONAL: 24, UNIONS: 16}
"""The limits of the grammar that is made of all strict schemas. "Too many strict tools (25). The maximum number of
strict tools supported is 20."; https://platform.claude.com/docs/en/build-with-claude/structured-outputs (schema
complexity limits) and pydantic-ai 2.68, `_anthropic_schema_limits`, which says what is counted; read on 2026-11-29."""
MEANING = (
    f"strict schemas with more than {MOST[TOOLS]} tools, {MOST[OPTIONAL]} optional parameters or {MOST[UNIONS]} of "
    "several types in a request; what goes beyond that is not strict otherwise (SCH-16)"
)


def _give_up(root: ir.Request, report: Report, server: Server) -> None:
    """Leave tools strict as long as the limits allow it; the schema of the output is counted first."""
    strict = [tool for tool in root.tools or () if type(tool) is ir.FunctionTool and tool.strict]
    if not strict:  # as in most requests
        return
    room = Room(MOST)
    wanted = root.output.format if root.output is not None else None
    if isinstance(wanted, ir.SchemaFormat) and wanted.schema is not None:
        room.take(wanted.schema)
    for tool in strict:
        if limit := room.beyond(tool.parameters or {}):
            report.at("SCH-16", tool, "strict", limit)
            tool.strict = None


GIVEN_UP = Check(_give_up, ("SCH-16",), ir.Request, needs=("tools",), without="many_strict_tools")
"""The check for a target that enforces all schemas by one grammar; it follows those that decide what is strict."""
