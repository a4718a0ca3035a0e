"""Tools of an Anthropic Messages request and the choice among them (TUL-2, TUL-6, TUL-7)."""

from __future__ import annotations

from proxai_ir.ir import tools as ir
from proxai_ir.wire import anthropic_messages as wire

from ..reading import Json, Object, an_object, constant, missing, optional, own, reader, required, strings, tag
from .parts import marker

KEYS = frozenset({"type", "name", "description", "input_schema", "strict", "cache_control"})


USUAL_KEYS = frozenset({"name", "description", "input_schema"})


def read_tool(tools: list[Json], index: int) -> ir.Tool:
    tool = an_object(tools, index)
    kind = tag(tool, "custom")
    if kind == "custom":
        return _function(tool)
    if kind in wire.WEB_SEARCH_TOOLS:
        return _web_search(tool, kind)
    if kind in wire.HOSTED_TOOLS:
        return ir.HostedTool(kind, optional(tool, "name", str), tool, tool)
    return ir.UnknownTool(kind, tool, tool)


read_definition = reader(name=str, description=str, input_schema=dict, strict=bool)


def _function(tool: Object) -> ir.Tool:
    name, description, schema, strict = read_definition(tool)
    if name is None or schema is None:
        raise missing(tool, "name" if name is None else "input_schema")
    result = ir.FunctionTool(name, description, schema, strict, None, tool)
    if not USUAL_KEYS.issuperset(tool):
        result.cache = marker(tool)
        result.own = own(tool, KEYS, *(("typed",) if tool.get("type") else ()))
    return result


KNOWN_PLACE = ("city", "region", "country", "timezone")


def _web_search(tool: Object, kind: str) -> ir.Tool:
    constant(tool, "name", "web_search")
    place = optional(tool, "user_location", dict)
    location = None
    if place is not None:
        constant(place, "type", "approximate")
        city, region, country, timezone = (optional(place, key, str) for key in KNOWN_PLACE)
        location = ir.Location(city, region, country, timezone, place, own(place, {"type", *KNOWN_PLACE}))
    known = {"type", "name", "user_location", "allowed_domains", "blocked_domains", "max_uses", "cache_control"}
    return ir.WebSearchTool(
        kind,
        location,
        None,
        strings(tool, "allowed_domains"),
        strings(tool, "blocked_domains"),
        optional(tool, "max_uses", int),
        marker(tool),
        tool,
        own(tool, known),
    )


def read_choice(choice: Object) -> tuple[ir.ToolChoice | None, bool | None]:
    """The choice (None: of a type that nobody knows), and whether calls may come in parallel."""
    alone = optional(choice, "disable_parallel_tool_use", bool)
    kind = tag(choice)
    extra = own(choice, {"type", "name", "disable_parallel_tool_use"})
    if kind == "tool":
        found: ir.ToolChoice | None = ir.NamedChoice(required(choice, "name", str), choice, extra)
    elif kind in MODES:
        found = ir.Choice(MODES[kind], choice, extra)
    else:
        found = None
    return found, None if alone is None else not alone


MODES = {"auto": ir.ChoiceMode.AUTO, "any": ir.ChoiceMode.REQUIRED, "none": ir.ChoiceMode.NONE}
