"""Tools of Responses: definitions, the choice among them, and the items of their calls (TUL-6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir.ir import calls as mcp
from proxai_ir.ir import parts
from proxai_ir.ir import tools as ir
from proxai_ir.ir.turns import ASSISTANT, Turn
from proxai_ir.schemas.subset import closed
from proxai_ir.wire import openai as openai
from proxai_ir.wire import openai_responses as wire
from proxai_ir.wire import openai_responses_objects as objects

from .._lib.objects import ObjectReader, UnionReader
from .._lib.reading import Json, Object, an_object, extra_fields, kept, optional, pick, required, tag
from .client_tools import read_client_call, read_client_result, read_client_tool
from .output_items import code_tool


def read_tool(tool: Object) -> ir.Tool:
    kind = tag(tool)
    read = TOOLS.get(kind)
    if read is not None:
        return read(tool)
    if kind == wire.NAMESPACE:
        return ir.ToolGroup(kind, tool, None, tool)
    if (client := read_client_tool(tool, kind)) is not None:
        return client
    if kind in wire.HOSTED_TOOLS:
        return ir.HostedTool(kind, optional(tool, "name", str), tool, tool)
    return ir.UnknownTool(kind, tool, tool)


FUNCTIONS, SERVERS = ObjectReader(objects.FUNCTION), ObjectReader(objects.MCP_SERVER, {"allowed_tools": dict.get})


def _function(tool: Object) -> ir.Tool:
    made: ir.FunctionTool = FUNCTIONS.read(tool)
    if made.strict is None and made.parameters and closed(made.parameters):
        made.strict = True  # the default, where it is possible
    return made


def _format(tool: Object, key: str) -> ir.InputFormat:
    form = tool[key]
    kind, members = form.get("type"), (form.get("syntax"), form.get("definition"))
    if kind == "text" or (kind == "grammar" and all(isinstance(one, str) for one in members)):
        found: ir.InputFormat = INPUT_FORMATS.read(form)
        return found
    return ir.UnknownFormat(kind if isinstance(kind, str) else "", form, form)


INPUT_FORMATS = UnionReader(objects.INPUT_FORMATS)


SERVED_ELSEWHERE = ("connector_id", "tunnel_id")


def _mcp_server(tool: Object) -> ir.Tool:
    """A server whose tools are called without approval; one that needs approval, or has no URL, is a hosted tool."""
    allowed, known = _allowed_tools(tool)
    if (
        any(tool.get(key) is not None for key in SERVED_ELSEWHERE)
        or not isinstance(tool.get("server_url"), str)
        or tool.get("require_approval") != wire.UNATTENDED
        or not known
    ):
        return ir.HostedTool(wire.MCP_TOOL, optional(tool, "name", str), tool, tool)
    server: ir.McpServer = SERVERS.read(tool)
    server.allowed_tools = allowed
    return server


def _allowed_tools(tool: Object) -> tuple[list[str] | None, bool]:
    """The names of those that may be called, None for all; and whether there is no other condition."""
    found: Json = tool.get("allowed_tools")
    if isinstance(found, dict):  # a filter, which may have further conditions
        found = found["tool_names"] if kept(found, {"tool_names"}) is None and found.get("tool_names") else {}
    return found, found is None or (isinstance(found, list) and all(isinstance(name, str) for name in found))


TOOLS: dict[str, Callable[[Object], Any]] = {
    "function": _function,
    "custom": ObjectReader(objects.CUSTOM, {"format": _format}),
    wire.MCP_TOOL: _mcp_server,
    wire.CODE_TOOL: code_tool,
    **dict.fromkeys(wire.WEB_SEARCH_TOOLS, ObjectReader(objects.WEB_SEARCH)),
}


# --- the choice -------------------------------------------------------------------------------------------------------


def read_choice(holder: Object, key: str) -> ir.ToolChoice | None:
    """`tool_choice`; None where the value is not known."""
    value = holder[key]
    if isinstance(value, str):
        mode = pick(openai.CHOICE, holder, key)
        return None if mode is None else ir.Choice(mode, (holder, key))
    choice = an_object(holder, key)
    kind = tag(choice)
    if kind in wire.WEB_SEARCH_TOOLS:
        return ir.WebSearchChoice(choice, kept(choice, frozenset()))
    if kind in wire.HOSTED_CHOICES:
        return ir.HostedChoice(kind, choice, choice)
    read = CHOICES.get(kind)
    return None if read is None else read(choice)


def _allowed(choice: Object) -> ir.ToolChoice | None:
    mode = pick({"auto": ir.ChoiceMode.AUTO, "required": ir.ChoiceMode.REQUIRED}, choice, "mode")
    if mode is None:
        return None
    listed = required(choice, "tools", list)
    entries = [an_object(listed, index) for index in range(len(listed))]
    names = [(_kind(one), optional(one, wire.named_by(tag(one)), str) or "") for one in entries]
    known = {"type", "mode", "tools"} if listed == [wire.entry(*one) for one in names] else {"type", "mode"}
    return ir.AllowedChoice(mode, names, choice, kept(choice, known))


def _kind(entry: Object) -> str:
    """All versions of web search are one kind of tool."""
    kind = tag(entry)
    return wire.WEB_SEARCH_TOOL if kind in wire.WEB_SEARCH_TOOLS else kind


CHOICES = UnionReader(objects.CHOICES).readers | {"allowed_tools": _allowed}


# --- what the client runs ---------------------------------------------------------------------------------------------

CALL_KEYS = frozenset({"type", "call_id", "name", "arguments", "namespace"})
CUSTOM_CALL_KEYS = frozenset({"type", "call_id", "name", "input", "namespace"})


def function_call(item: Object) -> Turn:
    identity, name, text = item.get("call_id"), item.get("name"), item.get("arguments")
    if type(identity) is not str or type(name) is not str or type(text) is not str:
        identity, name, text = (required(item, key, str) for key in ("call_id", "name", "arguments"))
    call = parts.FunctionCall(identity, name, text, None, item)
    if "namespace" in item:
        call.namespace = optional(item, "namespace", str)
    return Turn(ASSISTANT, [call], None, item, kept(item, CALL_KEYS))


def custom_call(item: Object) -> Turn:
    call = parts.CustomCall(
        required(item, "call_id", str), required(item, "name", str), required(item, "input", str), item
    )
    call.namespace = optional(item, "namespace", str)
    return Turn(ASSISTANT, [call], None, item, kept(item, CUSTOM_CALL_KEYS))


# --- what the provider runs itself ------------------------------------------------------------------------------------


def hosted_call(item: Object) -> Turn:
    """What the provider runs (TUL-6), or has the client run in a form of its own (TUL-34)."""
    kind = tag(item)
    if kind in wire.CLIENT_CALLS and (call := read_client_call(item)) is not None:
        return call
    return Turn(ASSISTANT, [parts.HostedCall(kind, _identity(item, "id", "call_id"), item, item)], None, item)


def web_search(item: Object) -> Turn:
    """A search with what it found, if the item has that; pages that are opened or looked through are HostedCalls."""
    action, identity = item.get("action"), optional(item, "id", str)
    if identity is None or not isinstance(action, dict) or not _plain_search(action):
        return hosted_call(item)
    query, queries, sources = action.get("query"), action.get("queries"), action.get("sources")
    asked: list[str] = queries or []
    if query is not None and asked[:1] != [query]:  # usually it is the first of them
        asked = [query, *asked]
    known = ACTION_KEYS if query is None else ACTION_KEYS - {"queries"}
    call = parts.WebSearchCall(identity, asked, None, item)
    call.extra = extra_fields({}, known, nested={"action": kept(action, known)})
    found: list[parts.Part] = [call]
    if sources is not None:
        found.append(parts.WebSearchResult(identity, HITS.each(sources), None, None, item))
    return Turn(ASSISTANT, found, None, item, kept(item, {"type", "id", "action"}))


HITS = ObjectReader(objects.HIT)
ACTION_KEYS = frozenset({"type", "query", "queries", "sources"})


def _plain_search(action: Object) -> bool:
    """Whether an action is a search for words, and all that it found are pages."""
    query, queries, sources = action.get("query"), action.get("queries"), action.get("sources")
    return (
        action.get("type") == "search"
        and (query is None or isinstance(query, str))
        and (queries is None or (isinstance(queries, list) and all(isinstance(one, str) for one in queries)))
        and (sources is None or (isinstance(sources, list) and all(map(_page, sources))))
    )


def _page(source: Json) -> bool:
    return isinstance(source, dict) and source.get("type") == "url" and isinstance(source.get("url"), str)


MCP_KEYS = frozenset({"type", "id", "server_label", "name", "arguments", "output"})
FAILURE = ("error", "output", "status")


def mcp_call(item: Object) -> Turn:
    """A call of a server's tool, with what that returned or why it failed, where the item has it."""
    identity, output, error = required(item, "id", str), optional(item, "output", str), item.get("error")
    server, name, given = (required(item, key, str) for key in ("server_label", "name", "arguments"))
    found: list[parts.Part] = [parts.McpCall(identity, server, name, given, None, item)]
    known: set[str] = {*MCP_KEYS}
    if error is not None or item.get("status") == wire.FAILED:
        text = output if error is None else mcp.wording(error)
        failed = parts.McpResult(identity, text, True, None, item)
        failed.extra = kept({key: item[key] for key in FAILURE if key in item}, {"output"} if error is None else set())
        found.append(failed)
        known.update(FAILURE)
    elif output is not None:
        found.append(parts.McpResult(identity, output, None, None, item))
    return Turn(ASSISTANT, found, None, item, kept(item, known))


def returned(item: Object) -> Turn:
    """What a tool of the client's returned, or one of the provider's."""
    return read_client_result(item) or hosted_result(item)


def hosted_result(item: Object) -> Turn:
    kind = tag(item)
    call_id = _identity(item, "call_id", "approval_request_id", "id")
    return Turn(ASSISTANT, [parts.HostedResult(kind, call_id, item, item)], None, item)


def _identity(item: Object, *keys: str) -> str:
    return next((value for key in keys if (value := optional(item, key, str)) is not None), "")


def vendor_item(item: Object) -> Turn:
    return Turn(ASSISTANT, [parts.VendorPart(tag(item), item, item)], None, item)


def compaction(item: Object) -> Turn:
    """All that is left of the conversation before it, which only the provider can read (R2A-3)."""
    part = parts.Reference(optional(item, "id", str) or "", item, raw=item)
    return Turn(ASSISTANT, [part], None, item)
