"""Tools as Responses defines them, the choice among them, and the items of what the provider runs (TUL-2, TUL-7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.parts import ClientCall, FunctionCall, McpCall, McpResult
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import openai_responses as wire
from proxai_ir.wire import openai_responses_objects as objects

from .._lib.objects import ObjectWriter, UnionWriter
from .._lib.writing import Object, arguments, dumps, put, raw, with_extra

# --- definitions ------------------------------------------------------------------------------------------------------


def _format(tool: ir.CustomTool) -> Object | None:
    form = tool.format
    return form.raw if isinstance(form, ir.UnknownFormat) else None if form is None else INPUT_FORMATS.write(form)


INPUT_FORMATS = UnionWriter(objects.INPUT_FORMATS)


def _version(tool: ir.WebSearchTool) -> str:
    return tool.kind if tool.kind in wire.WEB_SEARCH_TOOLS else wire.WEB_SEARCH_TOOL


def _code_tool(tool: ir.CodeTool) -> Object:
    built: Object = {"type": wire.CODE_TOOL, "container": {"type": "auto"}}
    return built if tool.extra is None else with_extra(built, tool)


BY_HAND: dict[type, Callable[[Any], Object] | ObjectWriter] = {
    # strict mode is this protocol's default
    ir.FunctionTool: ObjectWriter(objects.TOOLS["function"], {"strict": lambda tool: bool(tool.strict)}),
    ir.CustomTool: ObjectWriter(objects.TOOLS["custom"], {"format": _format}),
    ir.WebSearchTool: ObjectWriter(objects.TOOLS["web_search"], {"type": _version}),
    ir.McpServer: ObjectWriter(objects.TOOLS["mcp"], {"allowed_tools": lambda server: server.allowed_tools}),
    ir.CodeTool: _code_tool,
    **dict.fromkeys((ir.ToolGroup, ir.ClientTool, ir.HostedTool, ir.UnknownTool), raw),
}
DEFINITION = UnionWriter(objects.TOOLS, BY_HAND).writers


Key = tuple[Any, Any, Any]


def groups_among(defined: list[ir.Tool]) -> list[ir.ToolGroup]:
    """The tools that hold others, in a namespace or an item of the conversation; most requests have none."""
    return [tool for tool in defined if type(tool) is ir.ToolGroup]


def put_tools(built: Object, defined: list[ir.Tool], groups: list[ir.ToolGroup]) -> None:
    """Those that no namespace and no item of the conversation holds, which come after all others of their name."""
    held = [key for group in groups for key in _members(group.raw)] if groups else []
    searched = wire.SEARCHED
    for item in built["input"]:
        if item.get("type") == searched:
            held += _members(item)
    made = [DEFINITION[type(tool)](tool) for tool in defined]
    if groups or held:
        made = _unheld(defined, made, held)
    if made:
        built["tools"] = made


def _unheld(defined: list[ir.Tool], made: list[Object], held: list[Key]) -> list[Object]:
    left: list[Object] = []
    for tool, item in zip(reversed(defined), reversed(made), strict=True):
        key = _key(item, getattr(tool, "namespace", None))
        if key in held:
            held.remove(key)
        elif type(tool) is not ir.ToolGroup or tool.position is None:
            left.append(item)
    return left[::-1]


def _members(group: Object) -> list[Key]:
    """The tools that a namespace or an item of the conversation holds."""
    name = group.get("name")
    inner = [one for one in group["tools"] if isinstance(one, dict)]
    late = group.get("type") != wire.NAMESPACE
    deeper = [key for one in inner if late and one.get("type") == wire.NAMESPACE for key in _members(one)]
    return [*(_key(one, None if late else name) for one in inner), *deeper]


def _key(item: Object, namespace: str | None) -> Key:
    """What names a tool; a search puts what it found alone into a namespace of the same name."""
    name = item.get("name") or item.get("server_label")
    return item.get("type"), name, None if namespace == name else namespace


def with_listings(items: list[Object], groups: list[ir.ToolGroup], before: int) -> list[Object]:
    """The items of the conversation and those that define tools; `before`: how many turns stand before all items."""
    made: list[Object] = []
    taken = 0
    for group in groups:
        if group.position is not None:
            made += [*items[taken : group.position - before], group.raw]
            taken = group.position - before
    return [*made, *items[taken:]] if made else items


# --- the choice -------------------------------------------------------------------------------------------------------


def _search_choice(choice: ir.WebSearchChoice) -> Object:
    """Versions can be chosen, web search as such only as what is allowed."""
    search = [wire.entry(wire.WEB_SEARCH_TOOL, "")]
    return with_extra({}, choice) or {"type": "allowed_tools", "mode": ir.ChoiceMode.REQUIRED.value, "tools": search}


def _allowed(choice: ir.AllowedChoice) -> Object:
    listed = [wire.entry(*one) for one in choice.tools]
    return with_extra({"type": "allowed_tools", "mode": choice.mode.value, "tools": listed}, choice)


CHOICES: dict[type, Callable[[Any], Any]] = {
    ir.Choice: lambda choice: choice.mode.value,
    ir.HostedChoice: raw,
    ir.WebSearchChoice: _search_choice,
    ir.CodeChoice: lambda choice: with_extra({"type": wire.CODE_TOOL}, choice),
    ir.AllowedChoice: _allowed,
}
choice_of = UnionWriter(objects.CHOICES, CHOICES).write


# --- what the provider runs itself ------------------------------------------------------------------------------------


HIT = ObjectWriter(objects.HIT)


def web_search(parts: list[Any]) -> Object:
    """One item for a search and what it found; the wire wants a status, and a search with no error is completed."""
    call, *results = parts
    action: Object = {"type": "search"}
    if call.page is not None:
        action = {"type": "open_page", "url": call.page}
    elif call.queries:
        action |= {"query": call.queries[0], "queries": [*call.queries]}
    status = wire.COMPLETED
    for result in results:
        if call.page is not None:
            continue  # only whether it was opened
        if result.error is not None:
            status = wire.FAILED
        else:
            action["sources"] = [HIT.write(hit) for hit in result.hits]
    built: Object = {"type": wire.WEB_SEARCH, "id": call.id, "action": action, "status": status}
    return built if call.extra is None else with_extra(built, call)


def arguments_text(call: FunctionCall | McpCall) -> str:
    text = call.arguments
    if type(text) is not str:
        return dumps(text, (call, "arguments"))
    return text if text and not text.isspace() else "{}"  # no arguments: their text must be JSON all the same (TUL-1)


def mcp_call(parts: list[Any]) -> Object:
    """One item for a call and what it returned; without a result it has not come to its end."""
    call, *results = parts
    built: Object = {
        "type": wire.MCP_CALL,
        "id": call.id,
        "server_label": call.server,
        "name": call.name,
        "arguments": arguments_text(call),
        "status": wire.COMPLETED if results else wire.INCOMPLETE,
    }
    for result in results:
        if result.is_error:
            built |= {"status": wire.FAILED, **_failure(result)}
        else:
            built["output"] = result.text or ""
    return built


def _failure(result: McpResult) -> Object:
    """Why a call failed, as its server put it, if that is still so; some have that for their output."""
    fields = (result.extra and result.extra.fields) or {}
    error = fields.get("error")
    if error is None and "status" in fields:
        return put({}, output=result.text)
    if error is None or ir.wording(error) != result.text:
        error = {"type": wire.MCP_FAILED, "content": [{"type": "text", "text": result.text or ""}]}
    return {**fields, "error": error}


def code_run(parts: list[Any]) -> Object:
    """One item for a run and what it wrote; the id of its container, which the wire wants, is empty (HST-1)."""
    call, *results = parts
    built: Object = {
        "type": wire.CODE_RUN,
        "id": call.id,
        "code": call.code,
        "container_id": "",
        "outputs": None,
        "status": wire.COMPLETED if results else wire.INCOMPLETE,
    }
    for result in results:
        built["outputs"] = [{"type": "logs", "logs": text} for text in (result.stdout, result.stderr) if text]
        if result.error is not None:
            built["status"] = wire.FAILED
        kept = with_extra({}, result).get("outputs", [])
        if kept and "".join(one["logs"] for one in kept if wire.is_log(one)) == result.stdout:
            built["outputs"] = kept
    return built if call.extra is None else with_extra(built, call)


# --- what the client runs in a form of this protocol's own (TUL-37) ---------------------------------------------------


def client_call(call: ClientCall) -> Object:
    """The item of a call; one of this protocol's own as it was."""
    if call.raw is not None:
        return call.raw
    given = arguments(call.arguments, (call, "arguments"))
    made = CALLS[call.kind](given)
    if made is None:
        raise Refusal("TUL-36", (call, "arguments"), f"they are those of no call of `{call.kind}`")
    return {"type": wire.CLIENT_CALL_OF[call.kind], "call_id": call.id, **made, "status": wire.COMPLETED}


def _shell(given: Object) -> Object | None:
    if not _texts(given.get("commands")):
        return None
    limits = {key: given.get(key) for key in ("timeout_ms", "max_output_length")}
    return {"action": {"commands": given["commands"], **limits}}


def _local_shell(given: Object) -> Object | None:
    if not _texts(given.get("command")):
        return None
    return {"action": {"type": "exec", "env": {}, **put({}, **given)}}


def _apply_patch(given: Object) -> Object | None:
    wanted = ("path", "diff") if given.get("type") in ("create_file", "update_file") else ("path",)
    known = given.get("type") in ("create_file", "update_file", "delete_file")
    if not known or not all(isinstance(given.get(key), str) for key in wanted):
        return None
    return {"operation": {key: given[key] for key in ("type", *wanted)}}


def _tool_search(given: Object) -> Object | None:
    return {"execution": "client", "arguments": given}


def _texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


CALLS: dict[str, Callable[[Object], Object | None]] = {
    "shell": _shell,
    "local_shell": _local_shell,
    "apply_patch": _apply_patch,
    wire.TOOL_SEARCH: _tool_search,
}
