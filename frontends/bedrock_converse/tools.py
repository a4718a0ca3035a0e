"""Tools of Converse: definitions, with cache points between them, and the choice among them (TUL-2, TUL-6, TUL-7)."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir import request as ir
from proxai_ir.ir import tools as ir_tools
from proxai_ir.ir.parts import VendorPart
from proxai_ir.wire import bedrock_converse as wire

from .._lib.objects import ObjectReader
from .._lib.reading import Object, an_object, each, extra_fields, keep, required
from .._lib.schemas import json_schema
from .parts import SYSTEM, marked, one_of

TOOL = ObjectReader(wire.TOOL)


def _tool(tool: Object) -> Any:
    kind = one_of(tool, TOOLS)
    if kind == "toolSpec":
        found: ir_tools.FunctionTool = TOOL(tool)
        found.parameters = json_schema(found.parameters or {})
        return found
    if kind == "systemTool":
        name = required(required(tool, kind, dict), "name", str)
        return ir_tools.HostedTool(name, name, tool, tool)
    return SYSTEM[kind](tool) if kind == "cachePoint" else ir_tools.UnknownTool(kind, tool, tool)


TOOLS = frozenset({"toolSpec", "systemTool", "cachePoint"})


def read_tools(request: ir.Request, config: Object) -> None:
    listed = required(config, "tools", list)
    found = marked(each(range(len(listed)), lambda index: _tool(an_object(listed, index))))
    request.tools = [
        ir_tools.UnknownTool(one.kind, one.raw, one.src) if isinstance(one, VendorPart) else one for one in found
    ]


def read_choice(request: ir.Request, config: Object) -> None:
    choice = required(config, "toolChoice", dict)
    kind = one_of(choice, CHOICES)
    if kind not in CHOICES:
        keep_inside(request, "toolConfig", "toolChoice", choice)
        return
    inner, mode = required(choice, kind, dict), CHOICES[kind]
    if mode is not None:
        found: ir_tools.ToolChoice = ir_tools.Choice(mode, choice)
    else:
        found = ir_tools.NamedChoice(required(inner, "name", str), choice)
    kept = extra_fields(inner, {"name"} if mode is None else set())
    found.extra = extra_fields(choice, {kind}, nested={kind: kept})
    request.tool_choice = found


CHOICES = {"auto": ir_tools.ChoiceMode.AUTO, "any": ir_tools.ChoiceMode.REQUIRED, "tool": None}


def keep_inside(request: ir.Request, outer: str, key: str, value: Any) -> None:
    """Keep a member of an object inside the request, beside what is kept of that already."""
    kept = (request.extra.fields or {}).get(outer) if request.extra is not None else None
    keep(request, outer, {**(kept or {}), key: value})
