"""Tools as Chat Completions defines them, and the choice among them (TUL-2, TUL-7)."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.wire import openai_chat_completions_objects as wire

from .._lib.objects import ObjectWriter, UnionWriter
from .._lib.writing import Object, with_extra
from .parts import cache_control


def put_tools(built: Object, defined: list[ir.Tool]) -> None:
    """Each in the member that lists its kind; the wire has one place for web search."""
    for tool in defined:
        if type(tool) is ir.FunctionTool:
            made = _function(tool)
        elif type(tool) is ir.CustomTool:
            made = CUSTOM_TOOL.write(tool)
        elif type(tool) is ir.WebSearchTool:
            built["web_search_options"] = WEB_SEARCH.write(tool)
            continue
        else:
            assert isinstance(tool, (ir.HostedTool, ir.UnknownTool))
            made = tool.raw
        if "tools" in built:
            built["tools"].append(made)
        else:
            built["tools"] = [made]


FUNCTION_TOOL, WEB_SEARCH = ObjectWriter(wire.FUNCTION_TOOL), ObjectWriter(wire.WEB_SEARCH_OPTIONS)
INPUT_FORMATS = UnionWriter(wire.INPUT_FORMATS, {ir.UnknownFormat: lambda form: form.raw})
CUSTOM_TOOL = ObjectWriter(wire.CUSTOM_TOOL, {"custom/format": INPUT_FORMATS})


def _function(tool: ir.FunctionTool) -> Object:
    made = FUNCTION_TOOL.write(tool)
    if tool.cache is None:
        return made
    made["cache_control"] = cache_control(tool.cache)
    return with_extra(made, tool)


def put_choice(built: Object, choice: ir.ToolChoice) -> None:
    built["tool_choice"] = choice.mode.value if isinstance(choice, ir.Choice) else CHOICES.write(choice)


def _allowed(choice: ir.AllowedChoice) -> Object:
    listed = [{"type": kind, kind: {"name": name}} for kind, name in choice.tools]
    made = {"type": "allowed_tools", "allowed_tools": {"mode": choice.mode.value, "tools": listed}}
    return with_extra(made, choice)


CHOICES = UnionWriter(wire.CHOICES, {ir.AllowedChoice: _allowed})
