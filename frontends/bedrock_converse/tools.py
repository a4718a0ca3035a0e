"""Tools of Converse: definitions, with cache points between them, and the choice among them (TUL-2, TUL-6, TUL-7)."""

from __future__ import annotations

from typing import Any

from proxai_ir import ir
from proxai_ir.ir.parts import VendorPart
from proxai_ir.wire import bedrock_converse as wire

from .._lib.objects import ObjectReader
from .._lib.reading import Object, each_object, keep, required
from .._lib.schemas import json_schema
from .parts import SYSTEM, marked, one_of

TOOL = ObjectReader(wire.TOOL)


def _tool(tool: Object) -> Any:
    kind = one_of(tool, TOOLS)
    if kind == "toolSpec":
        found: ir.FunctionTool = TOOL(tool)
        found.parameters = json_schema(found.parameters or {})
        return found
    if kind == "systemTool":
        name = required(required(tool, kind, dict), "name", str)
        return ir.HostedTool(name, name, tool, tool)
    return SYSTEM[kind](tool) if kind == "cachePoint" else ir.UnknownTool(kind, tool, tool)


TOOLS = frozenset({"toolSpec", "systemTool", "cachePoint"})


def read_tools(request: ir.Request, config: Object) -> None:
    found = marked(each_object(required(config, "tools", list), _tool))
    request.tools = [
        ir.UnknownTool(one.kind, one.raw, one.src) if isinstance(one, VendorPart) else one for one in found
    ]


def read_choice(request: ir.Request, config: Object) -> None:
    choice = required(config, "toolChoice", dict)
    read = CHOICES.get(one_of(choice, CHOICES))
    if read is None:
        keep(request, "toolChoice", choice)
    else:
        request.tool_choice = read(choice)


CHOICES = {kind: ObjectReader(declared) for kind, declared in wire.CHOICES.items()}
