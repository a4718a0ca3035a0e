"""Tools of generateContent: definitions, and the choice among them (TUL-6)."""

from __future__ import annotations

from collections.abc import Callable

from proxai_ir import ir
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.schemas.from_openapi import NO_TYPE, NUMBERED, normalised
from proxai_ir.schemas.openapi import TYPES
from proxai_ir.wire import gemini_generate_content as wire

from .._google.reading import token_in
from .._lib.reading import (
    Json,
    Object,
    each_object,
    extra_fields,
    keep,
    kept,
    missing,
    optional,
    reader,
    required,
    strings,
    wrong,
)
from .._lib.schemas import json_schema as any_schema
from .._lib.schemas import respelled

# --- definitions ------------------------------------------------------------------------------------------------------


def read_tools(listed: list[Json]) -> list[ir.Tool]:
    """An object of the array holds any number of tools, each member one or several; functions come first."""
    found: list[ir.Tool] = []

    def read(tool: Object) -> None:
        if not all(isinstance(key, str) for key in tool):
            raise Refusal("SHP-7", tool, "expected strings as the names of members")
        for key in tool if len(tool) == 1 else sorted(tool, key=_rank):  # members have no order of their own
            if tool[key] is not None:
                found.extend(READERS.get(key, _unknown)(tool, key))

    each_object(listed, read)
    return found


FUNCTION_KEYS = frozenset({"name", "description", "parametersJsonSchema", "parameters"})
FUNCTION = reader(name=str, description=str, parametersJsonSchema=dict, parameters=dict)


def _function(declared: Object) -> ir.Tool:
    """A function; its parameters are a JSON Schema, or a schema in the form of OpenAPI."""
    name, description, schema, older = FUNCTION(declared)
    if name is None:
        raise missing(declared, "name")
    if schema is not None and older is not None:
        raise Refusal("SHP-4", (declared, "parameters"), "expected `parameters` or `parametersJsonSchema`, found both")
    if schema is not None:
        schema = any_schema(schema)
    made = ir.FunctionTool(name, description, schema, src=declared, extra=kept(declared, FUNCTION_KEYS))
    if older is not None:
        made.parameters = json_schema(older)
    return made


def json_schema(schema: Object) -> Object:
    """The JSON Schema of a schema in the form of OpenAPI; what is renamed in it keeps its place."""
    kind = schema.get("type")
    known = kind.lower() in TYPES or kind == NO_TYPE if isinstance(kind, str) else kind in range(len(NUMBERED))
    if isinstance(kind, (str, int)) and not known:
        raise wrong(schema, "type", "one of " + ", ".join(TYPES.values()), "SHP-3")
    return normalised(schema, respelled)


def _search(tool: Object, key: str) -> list[ir.Tool]:
    search = required(tool, key, dict)
    blocked = strings(search, "excludeDomains")
    return [
        ir.WebSearchTool(key, blocked_domains=blocked, src=(tool, key), extra=extra_fields(search, {"excludeDomains"}))
    ]


def _code(tool: Object, key: str) -> list[ir.Tool]:
    return [ir.CodeTool(key, src=(tool, key), extra=extra_fields(required(tool, key, dict), set()))]


def _server(server: Object) -> ir.Tool:
    transport = required(server, "streamableHttpTransport", dict)
    headers = optional(transport, "headers", dict)
    token, others = token_in(headers)
    inner = extra_fields(transport, {"url", "headers"}, nested={"headers": others})
    extra = extra_fields(server, {"name", "streamableHttpTransport"}, nested={"streamableHttpTransport": inner})
    return ir.McpServer(required(server, "name", str), required(transport, "url", str), token, None, server, extra)


def _each(read: Callable[[Object], ir.Tool]) -> Callable[[Object, str], list[ir.Tool]]:
    return lambda tool, key: each_object(required(tool, key, list), read)


def _hosted(tool: Object, key: str) -> list[ir.Tool]:
    return [ir.HostedTool(key, None, {key: tool[key]}, (tool, key))]


def _of_client(tool: Object, key: str) -> list[ir.Tool]:
    return [ir.ClientTool(key, {key: tool[key]}, None, None, (tool, key))]


def _unknown(tool: Object, key: str) -> list[ir.Tool]:
    return [ir.UnknownTool(key, {key: tool[key]}, (tool, key))]


READERS: dict[str, Callable[[Object, str], list[ir.Tool]]] = {
    wire.FUNCTIONS: _each(_function),
    **dict.fromkeys(wire.SEARCH_TOOLS, _search),
    wire.CODE_TOOL: _code,
    wire.MCP_SERVERS: _each(_server),
    **dict.fromkeys(wire.HOSTED_TOOLS, _hosted),
    wire.CLIENT_TOOL: _of_client,
}

RANKS = {key: rank for rank, key in enumerate(READERS)}


def _rank(key: str) -> tuple[int, str]:
    return RANKS.get(key, len(RANKS)), key


# --- the choice among them --------------------------------------------------------------------------------------------


def read_choice(config: Object) -> tuple[ir.ToolChoice | None, set[str]]:
    """The choice that a `functionCallingConfig` is, and which of its members that has."""
    word, names = optional(config, "mode", str), strings(config, "allowedFunctionNames")
    mode = wire.MODE.get(word or "AUTO")
    if mode is None or (word is None and not names):
        return None, set()
    known = {"mode", "allowedFunctionNames"}
    if not names or mode is ir.ChoiceMode.NONE:
        return ir.Choice(mode, config), {"mode"}
    if mode is not ir.ChoiceMode.REQUIRED:  # which does not make the model call any
        made = ir.AllowedChoice(mode, [("function", name) for name in names], config)
        if mode is ir.ChoiceMode.AUTO:
            keep(made, "mode", word or "AUTO")
        return made, known
    if len(names) == 1:
        return ir.NamedChoice(names[0], config), known
    return ir.AllowedChoice(mode, [("function", name) for name in names], config), known
