"""Tools of Interactions: definitions, and the choice among them (TUL-6, TUL-7)."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.wire import gemini_interactions as wire
from proxai_ir.wire import gemini_interactions_objects as objects
from proxai_ir.wire import google

from .._google.reading import token_in
from .._lib.objects import ObjectReader, UnionReader
from .._lib.reading import Json, Object, extra_fields, keep, optional, strings, tag, wrong
from .._lib.schemas import json_schema


def _function(tool: Object) -> ir.Tool:
    made: ir.FunctionTool = FUNCTION.read(tool)
    if made.parameters:
        made.parameters = json_schema(made.parameters)
    return made


def _token(tool: Object, key: str) -> str | None:
    return token_in(tool[key])[0]


def _allowed(tool: Object, key: str) -> list[str] | None:
    """The names of the tools of a server, where nothing but names is stated."""
    names: list[str] = []
    for one in tool[key]:
        if not isinstance(one, dict) or one.keys() - {"mode", "tools"} or one.get("mode") not in (None, "auto"):
            return None
        names += strings(one, "tools") or []
    return names or None


def _server(tool: Object) -> ir.Tool:
    """An MCP server; headers other than its token, and choices among its tools, stay with this protocol."""
    made: ir.McpServer = SERVER.read(tool)
    _, others = token_in(optional(tool, "headers", dict))
    if others is not None and others.fields:
        keep(made, "headers", others.fields)
    if made.allowed_tools is None and tool.get("allowed_tools"):
        keep(made, "allowed_tools", tool["allowed_tools"])
    return made


def _hosted(tool: Object) -> ir.Tool:
    kind = tag(tool)
    return ir.HostedTool(wire.PAGES_KIND if kind == wire.PAGES_TOOL else kind, None, tool, tool)


def _other(tool: Object) -> ir.Tool:
    kind = tag(tool)
    if kind == wire.CLIENT_TOOL:
        return ir.ClientTool(kind, tool, None, None, tool)
    return _hosted(tool) if kind in HOSTED else ir.UnknownTool(kind, tool, tool)


HOSTED = {*wire.HOSTED_TOOLS, wire.PAGES_TOOL}
FUNCTION = ObjectReader(objects.TOOLS["function"])
SERVER = ObjectReader(objects.TOOLS["mcp_server"], {"headers": _token, "allowed_tools": _allowed})
TOOLS = UnionReader(objects.TOOLS, {"function": _function, "mcp_server": _server}, _other)


def read_tools(listed: list[Json]) -> list[ir.Tool]:
    found: list[ir.Tool] = TOOLS.each(listed)
    return found


def read_choice(config: Object, key: str) -> ir.ToolChoice | None:
    """A word, or some of the tools; None: of a word that is not known."""
    given = config[key]
    if isinstance(given, str):
        return ir.Choice(google.MODE[given], (config, key)) if given in google.MODE else None
    if not isinstance(given, dict):
        raise wrong(config, key, "a string or an object")
    allowed = optional(given, "allowed_tools", dict)
    if allowed is None:
        return None
    mode, names = google.MODE.get(optional(allowed, "mode", str) or "auto"), strings(allowed, "tools") or []
    if mode is None:
        return None
    extra = extra_fields(given, {"allowed_tools"}, nested={"allowed_tools": extra_fields(allowed, {"mode", "tools"})})
    if not names or mode is ir.ChoiceMode.NONE:
        left = extra_fields(allowed, {"mode"})
        return ir.Choice(mode, given, extra_fields(given, {"allowed_tools"}, nested={"allowed_tools": left}))
    if mode is ir.ChoiceMode.REQUIRED and len(names) == 1:
        return ir.NamedChoice(names[0], given, extra)
    return ir.AllowedChoice(mode, [("function", name) for name in names], given, extra)
