"""Tools as Converse defines them, and the choice among them (TUL-2, TUL-7): canonical output, from a legal tree."""

from __future__ import annotations

from proxai_ir.ir import tools
from proxai_ir.ir.request import Request
from proxai_ir.wire import bedrock_converse_objects as objects

from .._lib.objects import ObjectWriter
from .._lib.writing import Object, with_extra
from .parts import cache_point

TOOL = ObjectWriter(objects.TOOL)
MODES = {tools.ChoiceMode.AUTO: "auto", tools.ChoiceMode.REQUIRED: "any"}  # there are no others


def tool_config(request: Request) -> Object:
    listed: list[Object] = []
    for tool in request.tools or ():
        if isinstance(tool, tools.FunctionTool):
            listed += [TOOL.write(tool), *cache_point(tool)]
        else:
            assert isinstance(tool, (tools.HostedTool, tools.UnknownTool))
            listed.append(tool.raw)
    built: Object = {"tools": listed} if listed else {}
    choice = request.tool_choice
    if isinstance(choice, tools.NamedChoice):
        built["toolChoice"] = with_extra({"tool": {"name": choice.name}}, choice)
    elif isinstance(choice, (tools.Choice, tools.AllowedChoice)):
        built["toolChoice"] = with_extra({MODES[choice.mode]: {}}, choice)
    return built
