"""Tools as Chat Completions defines them, and the choice among them (TUL-2, TUL-7)."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir import tools
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.objects import Writer
from .._lib.writing import Object
from .parts import put_cache
from .restore import restore_choice, restore_tool, with_extra


def put_tools(built: Object, defined: list[tools.Tool]) -> None:
    """Each in the member that lists its kind; the wire has one place for web search."""
    for tool in defined:
        key = "tools"
        if type(tool) is tools.FunctionTool:
            made = _function(tool)
            if tool.extra is not None:
                key, made = restore_tool(made, tool.extra)
        elif type(tool) is tools.CustomTool:
            made = _custom(tool)
        elif type(tool) is tools.WebSearchTool:
            built["web_search_options"] = WEB_SEARCH.restore(tool)
            continue
        else:
            assert isinstance(tool, (tools.HostedTool, tools.UnknownTool))
            made = tool.raw
        if key in built:
            built[key].append(made)
        else:
            built[key] = [made]


FUNCTION_TOOL, WEB_SEARCH = Writer(wire.FUNCTION_TOOL), Writer(wire.WEB_SEARCH_OPTIONS)


def _function(tool: tools.FunctionTool) -> Object:
    made = FUNCTION_TOOL.write(tool)
    if tool.cache is not None:
        put_cache(made, tool.cache)
    return made


def _custom(tool: tools.CustomTool) -> Object:
    custom: Object = {"name": tool.name}
    if tool.description is not None:
        custom["description"] = tool.description
    if tool.format is not None:
        custom["format"] = _format(tool.format)
    made = {"type": "custom", "custom": custom}
    return made if tool.extra is None else with_extra(made, tool.extra)


def _format(form: tools.InputFormat) -> Object:
    if isinstance(form, tools.UnknownFormat):
        return form.raw
    made: Object = {"type": "text"}
    if isinstance(form, tools.Grammar):
        made = {"type": "grammar", "grammar": {"syntax": form.syntax, "definition": form.definition}}
    return made if form.extra is None else with_extra(made, form.extra)


def put_choice(built: Object, choice: tools.ToolChoice) -> None:
    key, made = "tool_choice", _choice(choice)
    if choice.extra is not None:
        key, made = restore_choice(made, choice.extra)
    built[key] = made


def _choice(choice: tools.ToolChoice) -> Any:
    if isinstance(choice, tools.Choice):
        return choice.mode.value
    if isinstance(choice, tools.NamedChoice):
        return {"type": "function", "function": {"name": choice.name}}
    if isinstance(choice, tools.CustomChoice):
        return {"type": "custom", "custom": {"name": choice.name}}
    assert isinstance(choice, tools.AllowedChoice)
    listed = [{"type": kind, kind: {"name": name}} for kind, name in choice.tools]
    return {"type": "allowed_tools", "allowed_tools": {"mode": choice.mode.value, "tools": listed}}
