"""The schemas that Cohere makes a grammar of: of outputs, and of tools if one is strict (SCH-1, SCH-7, OUT-10).

Sources: https://docs.cohere.com/docs/structured-outputs, "Schema constraints" and "Unsupported schema features", in the
version of `llms-full.txt` of 2025-11-08, whose table has `anyOf`, `$ref` and `additionalProperties`; an older page of
cohere-ai/cohere-developer-experience lacks these. It is followed since it is the newer one. Read on 2026-11-29.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from proxai_ir import ir
from proxai_ir.reporting.report import Report
from proxai_ir.schemas.subset import fitted
from proxai_ir.targets.settings import Server
from proxai_ir.targets.verdicts import Check

KEYWORDS = frozenset(
    "$ref additionalProperties const default description enum format pattern properties required title type".split()
)
FORMATS = frozenset("date date-time time uuid".split())
BEYOND = re.compile(r"\^|\$|\(\?[=!]")
"""What patterns cannot have."""
NEEDED = "each object of the schema has to require a property"
OBJECT = "the schema has to be an object's"
MOST_FIELDS = 200  # "across all tools being passed to an API call"


def unenforceable(keyword: str, value: Any) -> bool:
    """Return whether the grammar has no such keyword, or not with this value (SCH-7)."""
    if keyword == "format":
        return not isinstance(value, str) or value not in FORMATS
    if keyword == "pattern":
        return not isinstance(value, str) or BEYOND.search(value) is not None
    return keyword not in KEYWORDS


def within(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield a schema and those that it holds, each once."""
    waiting, seen = [schema], set[int]()
    for one in waiting:  # it grows meanwhile
        if not isinstance(one, dict) or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        for key in ("properties", "$defs", "definitions"):
            waiting += one[key].values() if isinstance(one.get(key), dict) else ()
        for key in ("anyOf", "oneOf", "allOf"):
            waiting += one[key] if isinstance(one.get(key), list) else ()
        waiting.append(one.get("items"))


def lacks_required(schema: dict[str, Any]) -> bool:
    """Return whether an object of a schema requires none of its properties."""
    return any(
        one.get("type") == "object" or isinstance(one.get("properties"), dict)
        for one in within(schema)
        if not one.get("required")
    )


def _flaw(schema: dict[str, Any]) -> str:
    """Return why no grammar can be made of the schema of an output; "" if one can."""
    if schema.get("type") != "object":
        return OBJECT
    if any(len(one["allOf"]) > 1 for one in within(schema) if isinstance(one.get("allOf"), list)):
        return "`allOf`"
    return NEEDED if lacks_required(schema) else ""


def enforced_output(root: ir.Request, report: Report, server: Server) -> None:
    """Make the schema of the output one that is enforced (SCH-7, SCH-11), or ask for JSON of any shape (OUT-10)."""
    wanted = root.output.format if root.output is not None else None
    if root.output is None or not isinstance(wanted, ir.SchemaFormat) or wanted.schema is None:
        return
    if flaw := _flaw(wanted.schema):
        report.at("OUT-10", root.output, "format", flaw)
        root.output.format = ir.JsonFormat(wanted.src)
        return
    wanted.schema, misfits = fitted(wanted.schema, unenforceable, closed=False)
    report.misfits(misfits, wanted)


def enforced_tools(root: ir.Request, report: Report, server: Server) -> None:
    """Keep tools strict if the schemas of all can be enforced, since they are together (SCH-14), or else none (SCH-1,
    SCH-16)."""
    listed = [tool for tool in root.tools or () if isinstance(tool, ir.FunctionTool)]
    strict = [tool for tool in listed if tool.strict]
    if not strict:
        return
    rule, detail = _flaw_of_tools(listed)
    for tool in strict if rule else ():
        report.at(rule, tool, "strict", detail)
        tool.strict = None
    for tool in () if rule else listed:
        if not tool.strict:
            report.at("SCH-14", tool)


def _flaw_of_tools(listed: list[ir.FunctionTool]) -> tuple[str, str]:
    """Return the rule under which no tool is strict, and why; "" if all can be."""
    schemas = [tool.parameters or {} for tool in listed]
    if any(schema.get("properties") and lacks_required(schema) for schema in schemas):
        return "SCH-1", NEEDED
    held = (one.get("properties") for schema in schemas for one in within(schema))
    if sum(len(fields) for fields in held if isinstance(fields, dict)) > MOST_FIELDS:
        return "SCH-16", f"at most {MOST_FIELDS} parameters of all tools"
    return "", ""


CHECKS = (
    Check(enforced_output, ("OUT-10", "SCH-7", "SCH-11"), ir.Request, needs=("output",)),
    Check(enforced_tools, ("SCH-1", "SCH-14", "SCH-16"), ir.Request, needs=("tools",)),
)
