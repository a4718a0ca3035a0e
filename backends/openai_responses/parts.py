"""Writes the content, items and tools of Responses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zlib import crc32

from proxai_ir import ir
from proxai_ir.ir.envelope import holds_envelope, seal_text
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import openai
from proxai_ir.wire import openai_responses as wire
from proxai_ir.wire import openai_responses_objects as objects
from proxai_ir.wire.openai_responses import AGENT_MESSAGE, heading_of

from .._lib.objects import ObjectWriter, UnionWriter
from .._lib.writing import Object, arguments, arguments_text, put, raw, with_extra
from .._openai import conditions as shared
from .._openai.writing import BREAKPOINT, address, breakpoint_of

# --- definitions ------------------------------------------------------------------------------------------------------


def _format(tool: ir.CustomTool) -> Object | None:
    form = tool.format
    return form.raw if isinstance(form, ir.UnknownFormat) else None if form is None else INPUT_FORMATS.write(form)


INPUT_FORMATS = UnionWriter(objects.INPUT_FORMATS)


TOOLS_BY_HAND: dict[type, Callable[[Any], Object] | ObjectWriter] = {
    # strict mode is this protocol's default
    ir.FunctionTool: ObjectWriter(objects.TOOLS["function"], {"strict": lambda tool: bool(tool.strict)}),
    ir.CustomTool: ObjectWriter(objects.TOOLS["custom"], {"format": _format}),
    ir.WebSearchTool: ObjectWriter(
        objects.TOOLS["web_search"],
        {"type": lambda tool: tool.kind if tool.kind in wire.WEB_SEARCH_TOOLS else wire.WEB_SEARCH_TOOL},
    ),
    ir.McpServer: ObjectWriter(objects.TOOLS["mcp"], {"allowed_tools": lambda server: server.allowed_tools}),
    ir.CodeTool: lambda tool: with_extra({"type": wire.CODE_TOOL, "container": {"type": "auto"}}, tool),
    **dict.fromkeys((ir.ToolGroup, ir.ClientTool, ir.HostedTool, ir.UnknownTool), raw),
}
DEFINITION = UnionWriter(objects.TOOLS, TOOLS_BY_HAND).writers


Key = tuple[Any, Any, Any]


def groups_among(defined: list[ir.Tool]) -> list[ir.ToolGroup]:
    """Return the tools that hold others, in a namespace or an item of the conversation; most requests have none."""
    return [tool for tool in defined if type(tool) is ir.ToolGroup]


def put_tools(built: Object, defined: list[ir.Tool], groups: list[ir.ToolGroup]) -> None:
    """Write the tools that no namespace or item of the conversation holds."""
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
    """Return the definitions that are not held elsewhere; of several of one name the last ones are held."""
    left: list[Object] = []
    for tool, item in zip(reversed(defined), reversed(made), strict=True):
        key = _key(item, getattr(tool, "namespace", None))
        if key in held:
            held.remove(key)
        elif type(tool) is not ir.ToolGroup or tool.position is None:
            left.append(item)
    return left[::-1]


def _members(group: Object) -> list[Key]:
    """Return the keys of the tools that a namespace or an item of the conversation holds."""
    name = group.get("name")
    inner = [one for one in group["tools"] if isinstance(one, dict)]
    late = group.get("type") != wire.NAMESPACE
    deeper = [key for one in inner if late and one.get("type") == wire.NAMESPACE for key in _members(one)]
    return [*(_key(one, None if late else name) for one in inner), *deeper]


def _key(item: Object, namespace: str | None) -> Key:
    """Return the key of a tool; a search puts a single found tool into a namespace of the tool's own name."""
    name = item.get("name") or item.get("server_label")
    return item.get("type"), name, None if namespace == name else namespace


def with_listings(items: list[Object], groups: list[ir.ToolGroup], before: int) -> list[Object]:
    """Return the items of the conversation together with those that define tools.

    `before`: how many turns stand before all items.
    """
    made: list[Object] = []
    taken = 0
    for group in groups:
        if group.position is not None:
            made += [*items[taken : group.position - before], group.raw]
            taken = group.position - before
    return [*made, *items[taken:]] if made else items


# --- the choice -------------------------------------------------------------------------------------------------------


def _search_choice(choice: ir.WebSearchChoice) -> Object:
    """Return the choice of web search: its version, or an allowed tool if it names none."""
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
    """Return one item for a search and its results.

    The status is required; a search without an error is completed.
    """
    call, *results = parts
    action: Object = {"type": "search"}
    if call.page is not None:
        action = {"type": "open_page", "url": call.page}
    elif call.queries:
        action |= {"query": call.queries[0], "queries": [*call.queries]}
    status = wire.COMPLETED
    for result in results:
        if result.error is not None:
            status = wire.FAILED
        elif call.page is None:  # the item of a page says only that it was opened
            action["sources"] = [HIT.write(hit) for hit in result.hits]
    built: Object = {"type": wire.WEB_SEARCH, "id": call.id, "action": action, "status": status}
    return built if call.extra is None else with_extra(built, call)


def mcp_call(parts: list[Any]) -> Object:
    """Return one item for a call and its result; a call without a result is incomplete."""
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


def _failure(result: ir.McpResult) -> Object:
    """Return the members for a failed call: its server's error if the text is unchanged, else one made of the text."""
    fields = (result.extra and result.extra.fields) or {}
    error = fields.get("error")
    if error is None and "status" in fields:
        return put({}, output=result.text)
    if error is None or ir.wording(error) != result.text:
        error = {"type": wire.MCP_FAILED, "content": [{"type": "text", "text": result.text or ""}]}
    return {**fields, "error": error}


def code_run(parts: list[Any]) -> Object:
    """Return one item for a run and its output; the required id of its container is empty (HST-1)."""
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


def client_call(call: ir.ClientCall) -> Object:
    """Return the item of a call; one of this protocol's own stays as it was."""
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


def _texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


CALLS: dict[str, Callable[[Object], Object | None]] = {
    "shell": _shell,
    "local_shell": _local_shell,
    "apply_patch": _apply_patch,
    wire.TOOL_SEARCH: lambda given: {"execution": "client", "arguments": given},
}


# --- parts ------------------------------------------------------------------------------------------------------------
# Rule 1: a message item holds texts, media and refusals, in order; calls, results and reasoning are items of their own
# (PLC-6, REF-2). Rule 2: unmapped members of an item of this protocol are written to the first item of its turn.

DETAIL = "auto"  # required, and the default

# --- what messages and results are made of ----------------------------------------------------------------------------


def _file_id(part: ir.Image | ir.Document) -> str | None:
    return part.source.id if isinstance(part.source, ir.FileRef) else None


def _file_url(part: ir.Document) -> str | None:
    return part.source.url if isinstance(part.source, ir.Url) and not shared.is_data(part.source) else None


def _data(part: ir.Image | ir.Document) -> str | None:
    return None if isinstance(part.source, ir.FileRef) else address(part.source)


IMAGE = {"image_url": _data, "file_id": _file_id, "detail": lambda image: image.detail or DETAIL}
DOCUMENT = {
    "file_id": _file_id,
    "file_url": _file_url,
    "file_data": lambda document: None if _file_url(document) else _data(document),
}


def _refusal(part: ir.Refusal) -> Object:
    """Return a refusal; one with the type of a text came from a response that failed without an error (STS-2)."""
    built = with_extra({"type": "refusal"}, part)
    built["refusal" if built["type"] == "refusal" else "text"] = part.text
    return built


AUDIO = ObjectWriter(objects.AUDIO, {"format": lambda given: (given.mime or "").removeprefix("audio/")})
BY_HAND: dict[type, Callable[[Any], Object] | ObjectWriter] = {
    ir.Image: ObjectWriter(objects.INPUT["input_image"], IMAGE),
    ir.Document: ObjectWriter(objects.INPUT["input_file"], DOCUMENT),
    ir.Audio: ObjectWriter(objects.INPUT["input_audio"], {"input_audio": AUDIO}),
    ir.Refusal: _refusal,
    ir.UnknownPart: raw,
}
CONTENT = UnionWriter(objects.INPUT, BY_HAND).writers
"""Writers of the parts of messages and results."""


def _output_text(part: ir.Text) -> Object:
    """Return an assistant's text; only those that went in have cache breakpoints (CAC-4)."""
    return OUTPUT_TEXT.write(part) if part.cache is None else CONTENT[ir.Text](part)


OUTPUT_TEXT = ObjectWriter(
    objects.OUTPUT["output_text"],
    {"annotations": lambda part: [annotation(one, len(part.text)) for one in part.citations] if part.citations else []},
)


def annotation(one: ir.Citation, length: int) -> Object:
    """Return a citation with its span in the text of its part, which has this length."""
    if isinstance(one, ir.SourceCitation):
        return one.raw
    assert isinstance(one, ir.UrlCitation)  # the table lets no others through
    built: Object = {
        "type": "url_citation",
        "url": one.url,
        "title": one.title or "",
        "start_index": max(one.start or 0, 0),
        "end_index": length if one.end is None else max(one.end, 0),
    }
    return built if one.extra is None else with_extra(built, one)


OUTPUT = UnionWriter(objects.OUTPUT, {**BY_HAND, ir.Text: _output_text}).writers
"""Writers of the parts of an assistant's message."""


# --- items ------------------------------------------------------------------------------------------------------------


def _function_call(call: ir.FunctionCall) -> Object:
    built = {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments_text(call)}
    return built if call.namespace is None else {**built, "namespace": call.namespace}


def _custom_call(call: ir.CustomCall) -> Object:
    built = {"type": "custom_tool_call", "call_id": call.id, "name": call.name, "input": call.input}
    return built if call.namespace is None else {**built, "namespace": call.namespace}


def _reasoning(parts: list[ir.Reasoning]) -> Object:
    """Return one item for adjacent reasoning, with the seal over it (RSN-4).

    The thinking of other protocols is written as its summary, which is what clients show.
    """
    summary: list[Object] = []
    content: list[Object] = []
    built: Object = {"type": REASONING, "summary": summary}
    for part in parts:
        if part.text is not None:
            thought: Object = {"type": "summary_text", "text": part.text}
            if part.extra is not None:
                with_extra(thought, part)
            (content if thought["type"] == "reasoning_text" else summary).append(thought)
        if part.seal is not None:
            built["encrypted_content"] = seal_text(part.seal, openai.PROVIDER)
            if part.seal.id is not None:
                built["id"] = part.seal.id
    if content:
        built["content"] = content
    return built


def _returned(part: ir.ToolResult) -> str | list[Object]:
    """Return the output of a result; a breakpoint after the result stands after its last part."""
    if ir.one_text(part.parts) and (part.cache is None or not part.parts):
        return _string(part.parts)
    made = [CONTENT[type(one)](one) for one in part.parts]
    if part.cache is not None and BREAKPOINT not in made[-1]:
        made[-1][BREAKPOINT] = breakpoint_of(part.cache)
    return made


def _string(parts: list[Any]) -> str:
    """Return the string for one text, or for no parts."""
    return parts[0].text if parts else ""


def _generated(part: ir.Image) -> Object:
    """Return an image that a model made; its format is named if it is not the usual one."""
    source = part.source
    assert isinstance(source, ir.Inline)
    built: Object = {"type": wire.GENERATED, "status": wire.COMPLETED, "result": source.data}
    if source.mime not in (None, wire.PNG):
        built["output_format"] = (source.mime or "").partition("/")[2]
    return built


def _is_generated(image: ir.Image) -> bool:
    """Return whether a model made an image; one in a message has a type in its unmapped members."""
    return image.extra is None or "type" not in (image.extra.fields or {})


def _vendor_part(part: ir.VendorPart) -> Object:
    if part.kind == ir.SUMMARY:
        return {"type": wire.COMPACTION, "encrypted_content": part.raw["envelope"]}
    return raw(part)


ITEM: dict[type, Callable[[Any], Object]] = {
    ir.Image: _generated,
    ir.FunctionCall: _function_call,
    ir.CustomCall: _custom_call,
    ir.Reference: lambda part: {"type": "item_reference", "id": part.id} if part.raw is None else part.raw,
    ir.ClientCall: client_call,
    ir.ClientResult: raw,
    ir.HostedCall: raw,
    ir.HostedResult: raw,
    ir.VendorPart: _vendor_part,
}
"""Writers of parts that are items by themselves."""

# --- turns ------------------------------------------------------------------------------------------------------------

MESSAGE, REASONING, GENERATED = "message", "reasoning", wire.GENERATED
RUN: dict[str, Callable[[list[Any]], Object]] = {
    wire.WEB_SEARCH: web_search,
    wire.MCP_CALL: mcp_call,
    wire.CODE_RUN: code_run,
}
"""Writers of the items of provider-run calls, each together with its result, wherever that stands."""
RESULTS = (ir.WebSearchResult, ir.McpResult, ir.CodeResult)
SHARED: dict[type, str] = {
    ir.Reasoning: REASONING,
    ir.WebSearchCall: wire.WEB_SEARCH,
    ir.WebSearchResult: wire.WEB_SEARCH,
    ir.McpCall: wire.MCP_CALL,
    ir.McpResult: wire.MCP_CALL,
    ir.CodeCall: wire.CODE_RUN,
    ir.CodeResult: wire.CODE_RUN,
} | dict.fromkeys((*(cls for cls in ITEM if cls is not ir.Image), ir.ToolResult), "")
"""The kind of item of each class of part: adjacent parts of a kind share an item, those of "" have one each."""


def joins(kind: str, group: list[Any], part: Any) -> bool:
    """Return whether a part may follow these in one item of its kind.

    A seal ends the reasoning that it covers, and an envelope without text covers none.
    """
    if not kind or not group or kind != REASONING:
        return bool(kind and group)
    alone = part.text is None and part.seal is not None and holds_envelope(part.seal)
    return group[-1].seal is None and not alone


def grouped(parts: list[Any], by_model: bool = True) -> list[tuple[str, list[Any]]]:
    """Return the parts of a turn, by the item that they become; `by_model`: in a turn of the assistant's."""
    groups: list[tuple[str, list[Any]]] = []
    calls: dict[tuple[str, str], list[Any]] = {}
    last, group = "", EMPTY
    for part in parts:
        kind = SHARED.get(type(part), MESSAGE)
        if part.__class__ is ir.Image and by_model and _is_generated(part):
            kind = ""
        if kind == "":
            last = kind
            groups.append((kind, [part]))
        elif kind in RUN:
            if isinstance(part, RESULTS):
                calls.get((kind, part.call_id), []).append(part)
                continue
            last, group = kind, [part]
            calls[kind, part.id] = group
            groups.append((kind, group))
        elif kind == last and joins(kind, group, part):
            group.append(part)
        else:
            last, group = kind, [part]
            groups.append((kind, group))
    return groups or [(MESSAGE, EMPTY)]


EMPTY: list[Any] = []
ONE_ITEM = (ir.Text, ir.ToolResult)
"""Classes of parts that alone in a turn make one item."""


def input_items(turn: ir.Turn, customs: set[str]) -> list[Object]:
    """Return the items of a turn of a request; `customs`: the ids of the calls of custom tools so far."""
    if turn.extra is not None and (items := _other_items(turn)):
        return items
    parts, by_model = turn.parts, turn.role is ir.ASSISTANT
    if turn.settings is not None:
        return _with_update(turn)
    if len(parts) == 1 and (only := type(parts[0])) in ONE_ITEM:  # most turns
        made = [_message(turn, parts) if only is ir.Text else _item("", parts, customs)]
    else:
        made = []
        for kind, group in grouped(parts, by_model):
            made.append(_message(turn, group) if kind == MESSAGE else _item(kind, group, customs))
    if turn.extra is not None:
        made[0] = _with_members(made[0], turn)
    if by_model:
        for item in made:
            if item["type"] == GENERATED and "id" not in item:  # which is required
                checksum = crc32(item["result"].encode(errors="replace"))
                item["id"] = f"{wire.ID_PREFIX[wire.GENERATED]}_{checksum:08x}"
    return made


def _with_update(turn: ir.Turn) -> list[Object]:
    """Return the item that changes settings, after the turn's message, if it has one."""
    settings = turn.settings
    assert settings is not None
    update: Object = {"type": wire.CONFIGURATION_UPDATE}
    if settings.thinking is not None and (reasoning := reasoning_of(settings.thinking)):
        update["reasoning"] = reasoning
    if settings.output is not None and (text := text_of(settings.output)):
        update["text"] = text
    made = [_message(turn, turn.parts)] if turn.parts else []
    if len(update) > 1 or not made:
        made.append(update)
    if turn.extra is not None:
        made[0] = with_extra(made[0], turn)
    return made


def reasoning_of(thinking: ir.Thinking) -> Object:
    """Return the effort of a request, or of an item that changes it, and whether a summary is shown."""
    reasoning: Object = {}
    if thinking.mode is ir.ThinkingMode.DISABLED:
        reasoning["effort"] = openai.NO_EFFORT
    elif thinking.effort is not None:
        reasoning["effort"] = thinking.effort.value
    if thinking.display is ir.Display.SUMMARIZED:
        reasoning["summary"] = wire.SUMMARY
    return reasoning


def text_of(output: ir.Output) -> Object:
    """Return the settings of the text of a request, or of an item that changes them."""
    text: Object = {} if output.verbosity is None else {"verbosity": output.verbosity}
    if output.format is not None:
        text["format"] = FORMATS.write(output.format)
    return text


FORMATS = UnionWriter(objects.FORMATS)


def _with_members(item: Object, turn: ir.Turn) -> Object:
    """Return the item with unmapped members; a sealed item keeps the id that the seal was issued with."""
    sealed = item.get("id")
    item = with_extra(item, turn)
    return item if sealed is None else {**item, "id": sealed}


def _other_items(turn: ir.Turn) -> list[Object]:
    """Return the item of a turn that has a type of its own: an unknown one, or one read as a user's message."""
    fields, parts = (turn.extra and turn.extra.fields) or {}, turn.parts
    if "type" not in fields:
        return []
    if len(parts) == 1 and type(parts[0]) is ir.UnknownPart:
        return [parts[0].raw]
    if parts and isinstance(parts[0], ir.Text) and parts[0].text == heading_of(fields):
        parts = parts[1:]
    content = [part.raw if type(part) is ir.VendorPart else CONTENT[type(part)](part) for part in parts]
    return [{**fields, "content" if fields["type"] == AGENT_MESSAGE else "output": content}]


def output_items(turn: ir.Turn) -> list[Object]:
    """Return the items of a turn of a response."""
    if turn.extra is not None and (items := _other_items(turn)):
        return items
    made: list[Object] = []
    for kind, group in grouped(turn.parts):
        if kind == MESSAGE:
            made.append({"type": MESSAGE, "role": "assistant", "content": [OUTPUT[type(part)](part) for part in group]})
        else:
            made.append(_item(kind, group, set()))
    return made if turn.extra is None else [_with_members(made[0], turn), *made[1:]]


WORDS = {role: role.value for role in ir.Role}


def _message(turn: ir.Turn, parts: list[Any]) -> Object:
    content: str | list[Object]
    if ir.one_text(parts):
        content = parts[0].text if parts else ""
    else:
        build = OUTPUT if turn.role is ir.ASSISTANT else CONTENT
        content = [build[type(part)](part) for part in parts]
    return {"type": MESSAGE, "role": WORDS[turn.role], "content": content}


def _item(kind: str, group: list[Any], customs: set[str]) -> Object:
    if kind:
        return _reasoning(group) if kind == REASONING else RUN[kind](group)
    only = group[0]
    if type(only) is ir.ToolResult:
        result = "custom_tool_call_output" if only.call_id in customs else "function_call_output"
        return {"type": result, "call_id": only.call_id, "output": _returned(only)}
    if type(only) is ir.CustomCall:
        customs.add(only.id)
    return ITEM[type(only)](only)
