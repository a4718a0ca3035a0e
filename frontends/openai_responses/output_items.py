"""Reads the items of Responses that the model or its tools produce."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.envelope import TAG, read_seal
from proxai_ir.ir.parts import PYTHON
from proxai_ir.json.types import json_text
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.schemas import client_tools as forms
from proxai_ir.wire import openai
from proxai_ir.wire import openai_responses as wire
from proxai_ir.wire import openai_responses_objects as objects

from .._lib.objects import ObjectReader
from .._lib.reading import Json, Object, an_object, each, extra_fields, kept, optional, required, tag

# --- client tools -----------------------------------------------------------------------------------------------------
# Tools of Responses that the client runs in a form of their own, and what they are as functions (TUL-34, TUL-37).


def read_client_tool(tool: Object, kind: str) -> ir.Tool | None:
    """Return a tool of this kind that the client runs, or None if the provider runs it."""
    if kind not in wire.CLIENT_TOOLS or _is_hosted(tool, kind):
        return None
    form = forms.OPENAI.get(kind)
    function = None
    if form is not None:
        description, schema = form.description, form.schema()
        if kind == wire.TOOL_SEARCH:
            description = optional(tool, "description", str) or description
            schema = optional(tool, "parameters", dict) or schema
        function = ir.FunctionTool(kind, description, schema, None, None, tool, kept(tool, KNOWN))
    return ir.ClientTool(kind, tool, function, True, tool)


KNOWN = frozenset({"type", "execution", "description", "parameters", "environment"})
CONTAINERS = ("container_auto", "container_reference")


def _is_hosted(holder: Object, kind: str) -> bool:
    """Return whether the provider runs a tool or a call of a kind that either side may run."""
    if kind == wire.TOOL_SEARCH:
        return holder.get("execution") != "client"
    where = holder.get("environment")
    return isinstance(where, dict) and where.get("type") in CONTAINERS


# --- calls ------------------------------------------------------------------------------------------------------------


def read_client_call(item: Object) -> ir.Turn | None:
    """Return a call that the client runs, or None if the provider ran it or it has another form."""
    kind = wire.CLIENT_CALLS[item["type"]]
    identity = item.get("call_id") or item.get("id")
    given: Json = item.get(ARGUMENTS.get(kind, "action"))
    if _is_hosted(item, kind) or not isinstance(identity, str):
        return None
    if not isinstance(given, (dict, str)):
        given = {"actions": item["actions"]} if isinstance(item.get("actions"), list) else None
    if given is None:
        return None
    if isinstance(given, dict) and kind in SHELLS:
        given = {key: value for key, value in given.items() if key != "type" and value is not None}
    name = kind if kind in forms.OPENAI else None
    return ir.Turn(ir.ASSISTANT, [ir.ClientCall(kind, identity, given, item, raw=item, name=name)], None, item)


SHELLS = ("shell", "local_shell")
ARGUMENTS = {"apply_patch": "operation", wire.TOOL_SEARCH: "arguments"}
"""The member of a call with its arguments, if it is not `action`."""

# --- results ----------------------------------------------------------------------------------------------------------


def read_client_result(item: Object) -> ir.Turn | None:
    """Return the result of a client's tool, or None if it has another form."""
    kind = wire.CLIENT_RESULTS[item["type"]]
    identity = item.get("call_id") or item.get("id")
    read = RESULTS.get(kind)
    found = None if read is None else read(item)
    if (found is None and read is not None) or not isinstance(identity, str):
        return None
    failed = True if item.get("status") == wire.FAILED else None
    part = ir.ClientResult(kind, identity, found, item, is_error=failed, raw=item)
    return ir.Turn(ir.ASSISTANT, [part], None, item)


def _shell(item: Object) -> str | None:
    """Return the output and the outcome of each command as JSON."""
    output = item.get("output")
    return _json(output, (item, "output")) if isinstance(output, list) else None


def _text(item: Object) -> str | None:
    output = item.get("output")
    return output if isinstance(output, str) else None


def _patch(item: Object) -> str | None:
    """Return the log of a patch, or its status if there is none."""
    output, status = item.get("output"), item.get("status")
    return output if isinstance(output, str) and output else status if isinstance(status, str) else None


def _tools_found(item: Object) -> str | None:
    """Return the names of the tools that a search found, which can be called from then on, as JSON."""
    listed = item.get("tools")
    if _is_hosted(item, wire.TOOL_SEARCH) or not isinstance(listed, list):
        return None
    names = [tool.get("name") for tool in listed if isinstance(tool, dict)]
    return _json({"tools": names}, (item, "tools"))


def _json(value: Json, place: tuple[Object, str]) -> str:
    try:
        return json_text(value)
    except ValueError as error:
        raise Refusal("SHP-7", place, str(error)) from None


RESULTS: dict[str, Callable[[Object], str | None]] = {
    "shell": _shell,
    "local_shell": _text,
    "apply_patch": _patch,
    wire.TOOL_SEARCH: _tools_found,
}


# --- output items -----------------------------------------------------------------------------------------------------
# Items of Responses that are no messages: reasoning, calls of the client's tools, what the provider runs (TUL-6).

THOUGHT_KEYS = frozenset({"type", "summary", "content", "encrypted_content"})


def reasoning(item: Object) -> ir.Turn:
    """Return the summaries, then the texts, with the seal on the last; without any, an empty one holds it (RSN-4)."""
    summary = optional(item, "summary", list)
    content = optional(item, "content", list)
    sealed = optional(item, "encrypted_content", str)
    parts: list[ir.Part] = [
        *each(range(len(summary or ())), lambda index: _thought(summary, index, "summary_text")),
        *each(range(len(content or ())), lambda index: _thought(content, index, "reasoning_text")),
    ]
    thoughts = [one for one in parts if isinstance(one, ir.Reasoning)]
    if not thoughts:
        thoughts = [ir.Reasoning(None, None, item)]
        parts += thoughts
    thoughts[-1].src = item  # a finding about the last is one about the item
    if sealed is not None:
        seal = thoughts[-1].seal = read_seal(sealed, openai.PROVIDER, wire.ENCRYPTED)
        if seal.provider == openai.PROVIDER:
            seal.id = optional(item, "id", str)
    return ir.Turn(ir.Role.ASSISTANT, [*parts], None, item, kept(item, THOUGHT_KEYS))


def _thought(listed: Any, index: int, kind: str) -> ir.Reasoning | ir.UnknownPart:
    part = an_object(listed, index)
    if part.get("type") not in (None, kind):
        return ir.UnknownPart(tag(part), part, part)
    text = required(part, "text", str)
    if kind == "summary_text":
        return ir.Reasoning(text, None, part, kept(part, {"type", "text"}), True)
    return ir.Reasoning(text, None, part, kept(part, {"text"}) or ir.Extra({"type": kind}))  # else a summary


# --- what the client runs ---------------------------------------------------------------------------------------------

CALL_KEYS = frozenset({"type", "call_id", "name", "arguments", "namespace"})
CUSTOM_CALL_KEYS = frozenset({"type", "call_id", "name", "input", "namespace"})


def function_call(item: Object) -> ir.Turn:
    identity, name, text = item.get("call_id"), item.get("name"), item.get("arguments")
    if type(identity) is not str or type(name) is not str or type(text) is not str:
        identity, name, text = (required(item, key, str) for key in ("call_id", "name", "arguments"))
    call = ir.FunctionCall(identity, name, text, None, item)
    if "namespace" in item:
        call.namespace = optional(item, "namespace", str)
    return ir.Turn(ir.ASSISTANT, [call], None, item, kept(item, CALL_KEYS))


def custom_call(item: Object) -> ir.Turn:
    call = ir.CustomCall(
        required(item, "call_id", str), required(item, "name", str), required(item, "input", str), item
    )
    call.namespace = optional(item, "namespace", str)
    return ir.Turn(ir.ASSISTANT, [call], None, item, kept(item, CUSTOM_CALL_KEYS))


# --- what the provider runs itself ------------------------------------------------------------------------------------


def hosted_call(item: Object) -> ir.Turn:
    """Return a call that the provider runs (TUL-6), or that the client runs in a form of its own (TUL-34)."""
    kind = tag(item)
    if kind in wire.CLIENT_CALLS and (call := read_client_call(item)) is not None:
        return call
    return ir.Turn(ir.ASSISTANT, [ir.HostedCall(kind, _identity(item, "id", "call_id"), item, item)], None, item)


def web_search(item: Object) -> ir.Turn:
    """Return a search with what it found, if the item has that; other actions, as opening a page, are HostedCalls."""
    action, identity = item.get("action"), optional(item, "id", str)
    if identity is None or not isinstance(action, dict) or not _plain_search(action):
        return hosted_call(item)
    query, queries, sources = action.get("query"), action.get("queries"), action.get("sources")
    asked: list[str] = queries or []
    if query is not None and asked[:1] != [query]:  # usually it is the first of them
        asked = [query, *asked]
    known = ACTION_KEYS if query is None else ACTION_KEYS - {"queries"}
    call = ir.WebSearchCall(identity, asked, None, item)
    call.extra = extra_fields({}, known, nested={"action": kept(action, known)})
    found: list[ir.Part] = [call]
    if sources is not None:
        found.append(ir.WebSearchResult(identity, HITS.each(sources), None, None, item))
    return ir.Turn(ir.ASSISTANT, found, None, item, kept(item, {"type", "id", "action"}))


HITS = ObjectReader(objects.HIT)
ACTION_KEYS = frozenset({"type", "query", "queries", "sources"})


def _plain_search(action: Object) -> bool:
    """Return whether an action is a search for words that found only pages."""
    query, queries, sources = action.get("query"), action.get("queries"), action.get("sources")
    return (
        action.get("type") == "search"
        and (query is None or isinstance(query, str))
        and (queries is None or (isinstance(queries, list) and all(isinstance(one, str) for one in queries)))
        and (sources is None or (isinstance(sources, list) and all(map(_page, sources))))
    )


def _page(source: Json) -> bool:
    return isinstance(source, dict) and source.get("type") == "url" and isinstance(source.get("url"), str)


def generated_image(item: Object) -> ir.Turn:
    """Return an image that a tool of the provider's made, or its call while the image is not there."""
    data = optional(item, "result", str)
    if not data:
        return hosted_call(item)
    word = optional(item, "output_format", str) or wire.PNG.partition("/")[2]
    mime = wire.FORMATS_OF_IMAGES.get(word, f"image/{word}")
    image = ir.Image(ir.Inline(data, mime, ir.Several(((item, "result"),), around=item)), None, None, item)
    return ir.Turn(ir.ASSISTANT, [image], None, item, kept(item, {"type", "result"}))


MCP_KEYS = frozenset({"type", "id", "server_label", "name", "arguments", "output"})
FAILURE = ("error", "output", "status")


def mcp_call(item: Object) -> ir.Turn:
    """Return a call of an MCP server's tool, with its result or error, if the item has it."""
    identity, output, error = required(item, "id", str), optional(item, "output", str), item.get("error")
    server, name, given = (required(item, key, str) for key in ("server_label", "name", "arguments"))
    found: list[ir.Part] = [ir.McpCall(identity, server, name, given, None, item)]
    known: set[str] = {*MCP_KEYS}
    if error is not None or item.get("status") == wire.FAILED:
        text = output if error is None else ir.wording(error)
        failed = ir.McpResult(identity, text, True, None, item)
        failed.extra = kept({key: item[key] for key in FAILURE if key in item}, {"output"} if error is None else set())
        found.append(failed)
        known.update(FAILURE)
    elif output is not None:
        found.append(ir.McpResult(identity, output, None, None, item))
    return ir.Turn(ir.ASSISTANT, found, None, item, kept(item, known))


def returned(item: Object) -> ir.Turn:
    """Return the result of a tool of the client's or of the provider's."""
    return read_client_result(item) or hosted_result(item)


def hosted_result(item: Object) -> ir.Turn:
    kind = tag(item)
    call_id = _identity(item, "call_id", "approval_request_id", "id")
    return ir.Turn(ir.ASSISTANT, [ir.HostedResult(kind, call_id, item, item)], None, item)


def _identity(item: Object, *keys: str) -> str:
    return next((value for key in keys if (value := optional(item, key, str)) is not None), "")


def vendor_item(item: Object) -> ir.Turn:
    kind = tag(item)
    asks = kind == wire.COMPACTION_TRIGGER
    return ir.Turn(ir.ASSISTANT, [ir.VendorPart(ir.COMPACT if asks else kind, item, item)], None, item)


def compaction(item: Object) -> ir.Turn:
    """Return the compacted conversation, which only the provider can read (R2A-3).

    A summary that was made here is named by its envelope, which the caller's options open (CTX-2).
    """
    sealed = optional(item, "encrypted_content", str) or ""
    named = sealed if sealed.startswith(TAG) else optional(item, "id", str) or ""
    return ir.Turn(ir.ASSISTANT, [ir.Reference(named, item, raw=item)], None, item)


def mark_summaries(request: ir.Request) -> None:
    """Read a trigger at the end as the request for a summary (PLC-62), and mark the summaries that were made here: one
    that a trigger in the history requested replaces what precedes it (PLC-63)."""
    turns = request.turns or []
    if _is_trigger(turns[-1]):
        request.summary = ir.Summary(None, turns.pop().src)
    for at, turn in enumerate(turns):
        part = turn.parts[0] if turn.parts else None
        if type(part) is ir.Reference and part.id.startswith(TAG):
            request.recaps = True
            turn.recap = (at > 0 and _is_trigger(turns[at - 1])) or None


def _is_trigger(turn: ir.Turn) -> bool:
    part = turn.parts[0] if turn.parts else None
    return type(part) is ir.VendorPart and part.kind == ir.COMPACT


SUMMARISED = (ir.VendorPart, ir.Reference)
"""The parts that `mark_summaries` looks for, among others."""


RUN_KEYS = frozenset({"type", "id", "code", "outputs"})
CLIENT_TOOLS = ("function", "custom", "namespace")
CUSTOM_CALL = "custom_tool_call"


def code_run(item: Object) -> ir.Turn:
    """Return a run with its output, which the item has only if the request includes it."""
    identity, code = required(item, "id", str), optional(item, "code", str)
    outputs = optional(item, "outputs", list)
    call = ir.CodeCall(identity, code or "", PYTHON, None, item)
    found: list[ir.Part] = [call]
    own = {"container_id", "status"} if item.get("status") == wire.FAILED else {"container_id"}
    call.extra = kept(item, item.keys() - own)
    if outputs is not None:
        logs = [one["logs"] for one in outputs if wire.is_log(one)]
        result = ir.CodeResult(identity, PYTHON, "".join(logs), None, None, None, None, item)
        if [{"type": "logs", "logs": one} for one in logs[:1] if one] != outputs:
            result.extra = kept({"outputs": outputs}, frozenset())
        found.append(result)
    return ir.Turn(ir.ASSISTANT, found, None, item, kept(item, RUN_KEYS | own))


def custom_tools(tools: Json) -> frozenset[str] | None:
    """Return the names of the client's custom tools among those that a response repeats.

    None if it cannot be told whose a call is: no tool of the server's may have made it, or a group may hold others.
    """
    listed = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    kinds = [tool.get("type") for tool in listed]
    if "namespace" in kinds or all(kind in CLIENT_TOOLS for kind in kinds):
        return None
    names = (tool.get("name") for tool in listed if tool.get("type") == "custom")
    return frozenset(name for name in names if isinstance(name, str))


def as_run(turn: ir.Turn, customs: frozenset[str] | None) -> ir.Turn:
    """Return the turn of an item, as a hosted call if the server ran it (TUL-6).

    xAI reports the steps of its own searches as calls of custom tools. In doubt a call is the client's.
    """
    call = turn.parts[0] if turn.parts else None
    if customs is None or type(call) is not ir.CustomCall or call.name in customs or not isinstance(turn.src, dict):
        return turn
    return ir.Turn(turn.role, [ir.HostedCall(CUSTOM_CALL, call.id, turn.src, turn.src)], None, turn.src)
