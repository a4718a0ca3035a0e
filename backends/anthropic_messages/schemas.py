"""Conditions, rewrites and checks on schemas: of tools' parameters, and of outputs, which are always enforced."""

from __future__ import annotations

import re
from typing import Any

from proxai_ir import ir
from proxai_ir.reporting.report import Report
from proxai_ir.schemas.subset import fitted, is_composed, is_enforced, obstacle, one_object
from proxai_ir.targets.settings import Server
from proxai_ir.wire import anthropic_messages as wire

# --- of outputs -------------------------------------------------------------------------------------------------------


def refitted(root: ir.Request, report: Report, server: Server) -> None:
    """Restate the schema of the output so that it can be enforced (SCH-6, SCH-7, SCH-11), or drop it (SCH-8)."""
    wanted = root.output.format if root.output is not None else None
    if root.output is None or not isinstance(wanted, ir.SchemaFormat) or wanted.schema is None:
        return
    if is_enforced(wanted.schema, wire.unenforceable):
        return
    found = obstacle(wanted.schema, wire.unenforceable)
    if found:
        report.at("SCH-8", root.output, "format", found)
        root.output.format = None
        return
    wanted.schema, misfits = fitted(wanted.schema, wire.unenforceable)
    report.records += [(rule, place, "") for rule, place in misfits]


def titled(root: ir.Request, report: Report, server: Server) -> None:
    """Write the output's name and description into its schema, the only place for them (OUT-4, OUT-8)."""
    wanted = root.output.format if root.output is not None else None
    if not isinstance(wanted, ir.SchemaFormat) or wanted.schema is None:
        return
    schema = wanted.schema
    for field, keyword, rule in (("name", "title", "OUT-8"), ("description", "description", "OUT-4")):
        given, own = getattr(wanted, field), schema.get(keyword)
        if given is None or given == own:
            continue
        if own is None and "$ref" not in schema:  # a reference stands alone
            schema = {**schema, keyword: given}
        else:
            report.at(rule, wanted, field)
    wanted.schema = schema


# --- of tools ---------------------------------------------------------------------------------------------------------

PARAMETER = re.compile(wire.PARAMETER).fullmatch


def schema_flaw(tool: ir.FunctionTool) -> str:
    """Return the rule that the parameters' schema breaks, "" if none.

    SCH-3: it must describe an object; SCH-9: without composition; SCH-4: a parameter's name is not accepted; SCH-2: it
    has to state that it describes an object.
    """
    schema = tool.parameters or {}
    if schema.get("type", "object") != "object":
        return "SCH-3"
    composed = is_composed(schema)
    if composed:
        schema = uncomposed(tool)
    names = schema.get("properties")
    try:
        if isinstance(names, dict) and not all(map(PARAMETER, names)):
            return "SCH-4"
    except TypeError:  # a key is no string, which JSON cannot have
        return "SCH-4"
    return "SCH-9" if composed else "" if "type" in schema else "SCH-2"


def uncomposed(tool: ir.FunctionTool) -> dict[str, Any]:
    return one_object(tool.parameters or {})


def has_flaw(rule: str) -> Any:
    """Return a condition: the parameters' schema breaks this rule."""
    return lambda tool: schema_flaw(tool) == rule


def of_an_object(tool: ir.FunctionTool) -> dict[str, Any]:
    """Return the parameters as the schema of an object; strict mode requires one without parameters to say so."""
    if tool.parameters is None and tool.strict:
        return {"type": "object", "properties": {}, "additionalProperties": False}
    return {"type": "object", **(tool.parameters or {})}


def composed_though_strict(tool: ir.FunctionTool) -> bool:
    """Return whether a strict tool has a schema that is only approximated (SCH-1)."""
    return bool(tool.strict and tool.parameters) and is_composed(tool.parameters or {})


def strict_schemas(root: ir.Request, report: Report, server: Server) -> None:
    """Close (SCH-6) or restate (SCH-11) the schemas of strict tools, or drop strictness (SCH-1)."""
    for tool in root.tools or ():
        if type(tool) is ir.FunctionTool and tool.strict and tool.parameters is not None:
            if not is_enforced(tool.parameters, wire.unenforceable):
                _fit(tool, tool.parameters, report)


def _fit(tool: ir.FunctionTool, schema: dict[str, Any], report: Report) -> None:
    made, misfits = (None, []) if obstacle(schema, wire.unenforceable) else fitted(schema, wire.unenforceable)
    rules = {rule for rule, _ in misfits}
    if made is None or not rules <= {"SCH-6", "SCH-11"}:
        report.at("SCH-1", tool, "strict")
        tool.strict = None
    elif made is not schema:
        report.at("SCH-6" if "SCH-6" in rules else "SCH-11", tool, "parameters")
        tool.parameters = made
