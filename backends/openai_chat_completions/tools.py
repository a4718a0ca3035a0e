"""Tools as Chat Completions defines them, and the choice among them (TUL-2, TUL-7)."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir import tools
from proxai_ir.ir.request import Request

from .._lib.writing import Object, give_back, put, spelled
from .conditions import unsearched
from .parts import marked

LISTED = ("function", "custom")  # the sorts of tools that a choice may allow


def put_tools(built: Object, request: Request, home: bool) -> None:
    out = {id(tool) for tool in unsearched(request)} if not home else ()
    for tool in request.tools or ():
        if id(tool) in out:
            continue
        if isinstance(tool, tools.FunctionTool):
            key, made = _function(tool, home)
            built.setdefault(key, []).append(made)
        elif isinstance(tool, tools.WebSearchTool):
            built.setdefault("web_search_options", _web_search(tool, home))
        elif isinstance(tool, tools.CustomTool):
            custom = put({"name": tool.name}, description=tool.description, format=_format(tool.format, home))
            made = give_back({"type": "custom", "custom": custom}, tool.extra, home)
            built.setdefault("tools", []).append(made)
        else:
            assert isinstance(tool, (tools.McpToolset, tools.HostedTool, tools.UnknownTool))
            built.setdefault("tools", []).append(tool.raw)


def _format(form: tools.InputFormat | None, home: bool) -> Object | None:
    if form is None or isinstance(form, tools.UnknownFormat):
        return None if form is None else form.raw
    if isinstance(form, tools.FreeText):
        return give_back({"type": "text"}, form.extra, home)
    grammar = {"syntax": form.syntax, "definition": form.definition}
    return give_back({"type": "grammar", "grammar": grammar}, form.extra, home)


def _function(tool: tools.FunctionTool, home: bool) -> tuple[str, Object]:
    function: Object = {"name": tool.name}
    if tool.description is not None:
        function["description"] = tool.description
    if tool.parameters is not None:
        function["parameters"] = tool.parameters
    if tool.strict is not None:
        function["strict"] = tool.strict
    if spelled(tool, "functions", home):
        return "functions", give_back(function, tool.extra, home)
    made = {"function": function} if spelled(tool, "untyped", home) else {"type": "function", "function": function}
    if home:
        give_back(marked(made, tool.cache, home), tool.extra, home)
    return "tools", made


def _web_search(tool: tools.WebSearchTool, home: bool) -> Object:
    options = put({}, search_context_size=tool.context_size)
    if tool.location is not None:
        place = tool.location
        about = put({}, city=place.city, region=place.region, country=place.country, timezone=place.timezone)
        options["user_location"] = {"type": "approximate", "approximate": give_back(about, place.extra, home)}
    return give_back(options, tool.extra, home)


def put_choice(built: Object, request: Request, home: bool) -> None:
    choice = request.tool_choice
    if not home and not built.get("tools"):
        return
    key: str = "tool_choice"
    made: Any
    if isinstance(choice, tools.Choice):
        made = choice.mode.value
        key = "function_call" if spelled(choice, "function_call", home) else key
    elif spelled(choice, "function_call", home):
        assert isinstance(choice, tools.NamedChoice)
        key, made = "function_call", give_back({"name": choice.name}, choice.extra, home)
    elif isinstance(choice, tools.NamedChoice):
        made = {"function": {"name": choice.name}}
        made = give_back(made if spelled(choice, "untyped", home) else {"type": "function", **made}, choice.extra, home)
    elif isinstance(choice, tools.CustomChoice):
        made = give_back({"type": "custom", "custom": {"name": choice.name}}, choice.extra, home)
    else:
        assert isinstance(choice, tools.AllowedChoice)
        listed = [{"type": kind, kind: {"name": name}} for kind, name in choice.tools if kind in LISTED]
        allowed = {"mode": choice.mode.value, "tools": listed}
        made = give_back({"type": "allowed_tools", "allowed_tools": allowed}, choice.extra, home)
        if not listed and not home:
            made = "none"
    built[key] = made
