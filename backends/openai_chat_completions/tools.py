"""Tools as Chat Completions defines them, and the choice among them (TUL-2, TUL-7)."""

from __future__ import annotations

from proxai_ir.ir import tools
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.objects import ObjectWriter
from .._lib.writing import Object, with_extra
from .parts import cache_control


def put_tools(built: Object, defined: list[tools.Tool]) -> None:
    """Each in the member that lists its kind; the wire has one place for web search."""
    for tool in defined:
        if type(tool) is tools.FunctionTool:
            made = _function(tool)
        elif type(tool) is tools.CustomTool:
            made = _custom(tool)
        elif type(tool) is tools.WebSearchTool:
            built["web_search_options"] = WEB_SEARCH.write(tool)
            continue
        else:
            assert isinstance(tool, (tools.HostedTool, tools.UnknownTool))
            made = tool.raw
        if "tools" in built:
            built["tools"].append(made)
        else:
            built["tools"] = [made]


FUNCTION_TOOL, WEB_SEARCH = ObjectWriter(wire.FUNCTION_TOOL), ObjectWriter(wire.WEB_SEARCH_OPTIONS)


def _function(tool: tools.FunctionTool) -> Object:
    made = FUNCTION_TOOL.write(tool)
    if tool.cache is None:
        return made
    made["cache_control"] = cache_control(tool.cache)
    return with_extra(made, tool)


def _custom(tool: tools.CustomTool) -> Object:
    custom: Object = {"name": tool.name}
    if tool.description is not None:
        custom["description"] = tool.description
    if tool.format is not None:
        custom["format"] = _format(tool.format)
    made = {"type": "custom", "custom": custom}
    return with_extra(made, tool)


def _format(form: tools.InputFormat) -> Object:
    if isinstance(form, tools.UnknownFormat):
        return form.raw
    made: Object = {"type": "text"}
    if isinstance(form, tools.Grammar):
        made = {"type": "grammar", "grammar": {"syntax": form.syntax, "definition": form.definition}}
    return with_extra(made, form)


def put_choice(built: Object, choice: tools.ToolChoice) -> None:
    if isinstance(choice, tools.Choice):
        built["tool_choice"] = choice.mode.value
    else:
        built["tool_choice"] = with_extra(_choice(choice), choice)


def _choice(choice: tools.ToolChoice) -> Object:
    if isinstance(choice, tools.NamedChoice):
        return {"type": "function", "function": {"name": choice.name}}
    if isinstance(choice, tools.CustomChoice):
        return {"type": "custom", "custom": {"name": choice.name}}
    assert isinstance(choice, tools.AllowedChoice)
    listed = [{"type": kind, kind: {"name": name}} for kind, name in choice.tools]
    return {"type": "allowed_tools", "allowed_tools": {"mode": choice.mode.value, "tools": listed}}
