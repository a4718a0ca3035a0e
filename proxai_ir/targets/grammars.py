"""Schemas that a target makes a grammar of, and enforces so: of strict tools, and of outputs (SCH-1 to SCH-11).

What such a grammar has stands here once, for all protocols behind which one vendor's servers make it, with the
conditions, rewrites and checks that follow from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .. import ir
from ..json.pointer import derived
from ..reporting.report import Report
from ..schemas.subset import fitted, is_composed, is_enforced, obstacle, one_object
from . import strict_limits
from .conditions import is_no_object, states_object
from .settings import Server
from .verdicts import Check

# --- what a grammar has -----------------------------------------------------------------------------------------------

# The keywords of schemas, and the formats of strings.
SCHEMA_KEYWORDS = frozenset(
    """
    additionalProperties const default description enum format items minItems pattern properties required title type
    """.split()
)
STRING_FORMATS = frozenset("date-time time date duration email hostname uri ipv4 ipv6 uuid".split())
BEYOND_REGULAR = re.compile(r"\(\?[=!<P]|\\[bBk1-9]")  # looking around, word boundaries, references back


def unenforceable(keyword: str, value: Any) -> bool:
    """Return whether a keyword stands in the way of a schema that is to be enforced (SCH-7)."""
    check = SCHEMA_VALUES.get(keyword)
    return keyword not in SCHEMA_KEYWORDS if check is None else not check(value)


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, (dict, list))


SCHEMA_VALUES: dict[str, Callable[[Any], bool]] = {
    "format": lambda value: isinstance(value, str) and value in STRING_FORMATS,
    "minItems": lambda value: value in (0, 1),
    "pattern": lambda value: isinstance(value, str) and BEYOND_REGULAR.search(value) is None,
    "enum": lambda value: isinstance(value, list) and bool(value) and all(map(_is_scalar, value)),
    "const": _is_scalar,
}
"""Of keywords that are enforced with some values only: whether a value is one of them."""

PARAMETER_NAME = r"[a-zA-Z0-9_.-]{1,64}"
"""The pattern of parameters' names, of tools that are strict or not."""

# --- of outputs -------------------------------------------------------------------------------------------------------


def refitted(root: ir.Request, report: Report, server: Server) -> None:
    """Make the schema of the output, which is enforced, one that can be (SCH-6, SCH-7, SCH-11), or drop it (SCH-8)."""
    wanted = root.output.format if root.output is not None else None
    if root.output is None or not isinstance(wanted, ir.SchemaFormat) or wanted.schema is None:
        return
    if is_enforced(wanted.schema, unenforceable):
        return
    found = obstacle(wanted.schema, unenforceable)
    if found:
        report.at("SCH-8", root.output, "format", found)
        root.output.format = None
        return
    wanted.schema, misfits = fitted(wanted.schema, unenforceable)
    report.misfits(misfits, wanted)


# --- of tools ---------------------------------------------------------------------------------------------------------

PARAMETER = re.compile(PARAMETER_NAME).fullmatch


def schema_flaw(tool: ir.FunctionTool) -> str:
    """Return the rule that the parameters' schema breaks, "" if none.

    SCH-3: it must describe an object; SCH-9: without composition; SCH-4: a parameter's name is not accepted; SCH-2: it
    has to state that it describes an object, and nothing else.
    """
    if is_no_object(tool):
        return "SCH-3"
    schema = tool.parameters or {}
    composed = is_composed(schema)
    if composed:
        schema = uncomposed(tool)
    names = schema.get("properties")
    try:
        if isinstance(names, dict) and not all(map(PARAMETER, names)):
            return "SCH-4"
    except TypeError:  # a key that is no string, which parsed JSON cannot have
        return "SCH-4"
    return "SCH-9" if composed else "" if states_object(tool) else "SCH-2"


def uncomposed(tool: ir.FunctionTool) -> dict[str, Any]:
    """Return the schema as one object, without composition."""
    return one_object(tool.parameters or {})


def has_flaw(rule: str) -> Any:
    """Return the condition that a tool's schema breaks a rule; "": none."""
    return lambda tool: schema_flaw(tool) == rule


def of_an_object(tool: ir.FunctionTool) -> dict[str, Any]:
    """Return the schema with its type; that of a tool without one has no parameters, as strict mode has to be told."""
    if tool.parameters is None and tool.strict:
        return {"type": "object", "properties": {}, "additionalProperties": False}
    schema = tool.parameters or {}
    return derived(schema, {"type": "object", **schema} | {"type": "object"})


def composed_though_strict(tool: ir.FunctionTool) -> bool:
    """Return whether a tool asks for strict mode with a schema that is only approximated (SCH-1)."""
    return bool(tool.strict and tool.parameters) and is_composed(tool.parameters or {})


def strict_schemas(root: ir.Request, report: Report, server: Server) -> None:
    """Close (SCH-6) or restate (SCH-11) the schemas of strict tools so that they can be enforced; else make the tools
    not strict (SCH-1)."""
    for tool in root.tools or ():
        if type(tool) is ir.FunctionTool and tool.strict and tool.parameters is not None:
            if not is_enforced(tool.parameters, unenforceable):
                _fit(tool, tool.parameters, report)


def _fit(tool: ir.FunctionTool, schema: dict[str, Any], report: Report) -> None:
    made, misfits = (None, []) if obstacle(schema, unenforceable) else fitted(schema, unenforceable)
    rules = {rule for rule, _ in misfits}
    if made is None or not rules <= {"SCH-6", "SCH-11"}:
        report.at("SCH-1", tool, "strict")
        tool.strict = None
    elif made is not schema:
        report.at("SCH-6" if "SCH-6" in rules else "SCH-11", tool, "parameters")
        tool.parameters = made


FITTED = (
    Check(strict_schemas, ("SCH-1", "SCH-6", "SCH-11"), ir.Request, needs=("tools",)),
    Check(refitted, ("SCH-6", "SCH-7", "SCH-8", "SCH-11"), ir.Request, needs=("output",)),
)
CHECKS = (*FITTED, strict_limits.GIVEN_UP)
