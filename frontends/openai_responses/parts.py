"""Reads the content of turns and the tools of Responses. Requests and responses share these readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.structure import GROWING
from proxai_ir.json.pointer import extended
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.schemas.strict import closed
from proxai_ir.wire import openai
from proxai_ir.wire import openai_responses as wire
from proxai_ir.wire import openai_responses_objects as objects
from proxai_ir.wire.openai_responses import AGENT_MESSAGE, heading_of, unasked

from .._lib import reading as r
from .._lib.objects import ObjectReader, UnionReader
from .._lib.reading import Json, Object
from .._lib.spellings import flat, unnested
from .._openai.reading import file_data, media, stored
from . import output_items as items
from .output_items import read_client_tool

# --- tools ------------------------------------------------------------------------------------------------------------
# Tools of Responses: definitions, where these are listed, and the choice among them (TUL-6).


def read_tool(tool: Object) -> ir.Tool:
    kind = r.tag(tool)
    read = TOOLS.get(kind)
    if read is not None:
        if "name" not in tool and kind in openai.WRAPPED:
            tool = unnested(tool)
        return read(tool)  # type: ignore[no-any-return]
    if kind == wire.NAMESPACE:
        return ir.ToolGroup(kind, tool, None, tool)
    if (client := read_client_tool(tool, kind)) is not None:
        return client
    if kind in wire.HOSTED_TOOLS:
        return ir.HostedTool(kind, r.optional(tool, "name", str), tool, tool)
    return ir.UnknownTool(kind, tool, tool)


FUNCTIONS = ObjectReader(objects.TOOLS["function"])
INPUT_FORMATS = UnionReader(objects.INPUT_FORMATS)


def _function(tool: Object) -> ir.Tool:
    made: ir.FunctionTool = FUNCTIONS.read(tool)
    if made.parameters:
        made.parameters = r.json_schema(made.parameters)
    if made.strict is None and made.parameters and closed(made.parameters):
        made.strict = True  # the default, where it is possible
    if made.parameters:
        _unmark(made, made.parameters)
    return made


def _unmark(made: ir.FunctionTool, schema: Object) -> None:
    """Keep the marks of parameters that are to come in ciphertext, which no other protocol has, for this protocol."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return
    marked = {name: one for name, one in properties.items() if isinstance(one, dict) and wire.IN_CIPHERTEXT in one}
    if marked:
        unmarked = {name: extended(one, {}) for name, one in marked.items()}
        marks = {name: {wire.IN_CIPHERTEXT: one.pop(wire.IN_CIPHERTEXT)} for name, one in unmarked.items()}
        made.parameters = extended(schema, {"properties": extended(properties, unmarked)})
        r.keep(made, "parameters", {"properties": marks})


def _format(tool: Object, key: str) -> ir.InputFormat:
    form = unnested(tool[key])
    kind, members = form.get("type"), (form.get("syntax"), form.get("definition"))
    if kind == "text" or (kind == "grammar" and all(isinstance(one, str) for one in members)):
        found: ir.InputFormat = INPUT_FORMATS.read(form)
        return found
    return ir.UnknownFormat(kind if isinstance(kind, str) else "", form, form)


def _web_search(tool: Object) -> ir.Tool:
    """Return the search tool; an empty list of domains allows all."""
    made: ir.WebSearchTool = WEB_SEARCH.read(tool)
    made.allowed_domains = made.allowed_domains or None
    return made


WEB_SEARCH = ObjectReader(objects.TOOLS["web_search"])
SERVED_ELSEWHERE = ("connector_id", "tunnel_id")


def _mcp_server(tool: Object) -> ir.Tool:
    """Return an MCP server whose tools need no approval; one that needs approval, or has no URL, is a hosted tool."""
    allowed = _allowed_tools(tool)
    if (
        any(tool.get(key) is not None for key in SERVED_ELSEWHERE)
        or not isinstance(tool.get("server_url"), str)
        or tool.get("require_approval") != wire.UNATTENDED
        or not (allowed is None or (isinstance(allowed, list) and all(isinstance(name, str) for name in allowed)))
    ):
        return ir.HostedTool(wire.MCP_TOOL, r.optional(tool, "name", str), tool, tool)
    return SERVERS.read(tool)  # type: ignore[no-any-return]


def _allowed_tools(tool: Object, key: str = "allowed_tools") -> Json:
    """Return the names of the tools that may be called (None: all), or {} if a filter has further conditions."""
    found: Json = tool.get(key)
    if isinstance(found, dict):
        return found["tool_names"] if r.kept(found, {"tool_names"}) is None and found.get("tool_names") else {}
    return found


SERVERS = ObjectReader(objects.TOOLS["mcp"], {"allowed_tools": _allowed_tools})


TOOLS: dict[str, Callable[[Object], Any]] = {
    "function": _function,
    "custom": ObjectReader(objects.TOOLS["custom"], {"format": _format}),
    wire.MCP_TOOL: _mcp_server,
    wire.CODE_TOOL: lambda tool: ir.CodeTool(wire.CODE_TOOL, None, tool, r.kept(tool, {"type"})),  # HST-1
    **dict.fromkeys(wire.WEB_SEARCH_TOOLS, _web_search),
}


# --- the choice -------------------------------------------------------------------------------------------------------


def read_choice(holder: Object, key: str) -> ir.ToolChoice | None:
    """Return the `tool_choice`, or None if its value is unknown."""
    value = holder[key]
    if isinstance(value, str):
        mode = r.pick(CHOICE, holder, key)
        return None if mode is None else ir.Choice(mode, (holder, key))
    choice = r.an_object(holder, key)
    kind = r.tag(choice)
    if kind in openai.WRAPPED:
        choice = unnested(choice)
    if kind in wire.WEB_SEARCH_TOOLS:
        return ir.WebSearchChoice(choice, r.kept(choice, frozenset()))
    if kind == wire.CODE_TOOL:
        return ir.CodeChoice(choice, r.kept(choice, {"type"}))
    if kind in wire.HOSTED_CHOICES:
        return ir.HostedChoice(kind, choice, choice)
    read = CHOICES.get(kind)
    return None if read is None else read(choice)


CHOICE = {**openai.CHOICE, openai.ANY_TOOL: ir.ChoiceMode.REQUIRED}


def _allowed(choice: Object) -> ir.ToolChoice | None:
    mode = r.pick({"auto": ir.ChoiceMode.AUTO, "required": ir.ChoiceMode.REQUIRED}, choice, "mode")
    if mode is None:
        return None
    listed = r.required(choice, "tools", list)
    entries = [unnested(r.an_object(listed, index)) for index in range(len(listed))]
    names = [(_kind(one), r.optional(one, wire.named_by(r.tag(one)), str) or "") for one in entries]
    known = {"type", "mode", "tools"} if listed == [wire.entry(*one) for one in names] else {"type", "mode"}
    return ir.AllowedChoice(mode, names, choice, r.kept(choice, known))


def _kind(entry: Object) -> str:
    """Return the kind of a tool, which is the same for all versions of web search."""
    kind = r.tag(entry)
    return wire.WEB_SEARCH_TOOL if kind in wire.WEB_SEARCH_TOOLS else kind


CHOICES = UnionReader(objects.CHOICES, {"allowed_tools": _allowed}).readers


# --- lists of tools: in the request, in namespaces, and in items of the conversation (TUL-25) -------------------------


def read_tools(listed: list[Json]) -> list[ir.Tool]:
    """Return a list of tools, with those of a namespace after it."""
    found: list[ir.Tool] = r.each_object(listed, read_tool)
    for tool in found:
        if type(tool) is ir.ToolGroup:
            return [one for tool in found for one in (tool, *_members(tool))]
    return found


def _members(tool: ir.Tool) -> list[ir.Tool]:
    """Return the tools of a namespace, whose shared description precedes that of the first tool (TUL-25)."""
    if type(tool) is not ir.ToolGroup:
        return []
    name, inner = r.required(tool.raw, "name", str), r.required(tool.raw, "tools", list)
    members = r.each_object(inner, _member)
    named = [one for one in members if isinstance(one, (ir.FunctionTool, ir.CustomTool))]
    for one in named:
        one.namespace = name
    shared = r.optional(tool.raw, "description", str)
    if shared and named:
        named[0].description = "\n\n".join(text for text in (shared, named[0].description) if text)
    return members


def _member(tool: Object) -> ir.Tool:
    """Return a tool of a namespace, which holds no other namespace."""
    made = read_tool(tool)
    return ir.UnknownTool(made.kind, made.raw, made.raw) if type(made) is ir.ToolGroup else made


def define_late(request: ir.Request) -> None:
    """Add the tools that items of the conversation define to those of the request.

    An item that does nothing else is removed from the conversation.
    """
    turns, kept = request.turns or [], []
    late: list[ir.Tool] = []
    for turn in turns:
        item: Json = turn.src if turn.parts and type(turn.parts[0]) in RETURNED else {}
        kind = item.get("type")
        if kind not in wire.LISTINGS:
            kept.append(turn)
            continue
        if kind == wire.ADDITIONAL_TOOLS:
            late.append(ir.ToolGroup(kind, item, len(kept), item))
            late += read_tools(r.required(item, "tools", list))
        else:
            kept.append(turn)
            late += map(_found, read_tools(r.required(item, "tools", list)))
    if late:
        request.turns = kept
        request.tools = request.tools or []
        plain = {tool.name for tool in request.tools if isinstance(tool, NAMED) and tool.namespace is None}
        for tool in late:
            if isinstance(tool, NAMED) and tool.namespace == tool.name and tool.name in plain:
                tool.namespace = None  # which a search puts what it found alone into
            request.tools.append(tool)


def _found(tool: ir.Tool) -> ir.Tool:
    """Return a tool that a search found without its mark as a deferred one (TUL-80)."""
    if isinstance(tool, NAMED) and tool.extra is not None and tool.extra.fields is not None:
        tool.extra.fields.pop("defer_loading", None)
    return tool


NAMED = (ir.FunctionTool, ir.CustomTool)
RETURNED = (ir.HostedResult, ir.ClientResult)


# --- updates ----------------------------------------------------------------------------------------------------------
# Items of Responses that change how the model responds from there on (RSN-45), and the settings that they share with
# requests.


def set_effort(effort: str, thinking: Callable[[], ir.Thinking]) -> bool:
    """Set the effort, or that there is none, and return whether the word is known."""
    if effort == openai.NO_EFFORT:
        thinking().mode = ir.ThinkingMode.DISABLED
    elif effort in openai.EFFORT:
        thinking().effort = openai.EFFORT[effort]
    else:
        return False
    return True


def read_format(holder: Object, key: str = "format") -> ir.Format | None:
    """Return a format, or None if its type is unknown."""
    form = unnested(r.an_object(holder, key))
    found = FORMATS.get(r.required(form, "type", str))
    made: ir.Format | None = None if found is None else found(form)
    if type(made) is ir.SchemaFormat and made.schema:
        made.schema = r.json_schema(made.schema)
    return made


FORMATS = UnionReader(objects.FORMATS).readers


def configuration_update(item: Object) -> ir.Turn:
    """Return a turn without content that has settings."""
    reasoning, text = r.optional(item, "reasoning", dict) or {}, r.optional(item, "text", dict) or {}
    settings = ir.TurnSettings(src=item)
    of_reasoning, of_text = set(), set()
    effort = r.optional(reasoning, "effort", str)
    thinking = ir.Thinking(src=item)
    if effort is not None and set_effort(effort, lambda: thinking):
        settings.thinking = thinking
        of_reasoning.add("effort")
    if text.get("format") is not None and (form := read_format(text)) is not None:
        settings.output = ir.Output(form, src=item)
        of_text.add("format")
    left = {"reasoning": r.extra_fields(reasoning, of_reasoning), "text": r.extra_fields(text, of_text)}
    extra = r.extra_fields(item, {"type", *left}, nested=left)
    return ir.Turn(ir.Role.SYSTEM, [], None, item, extra, settings=settings)


# --- parts ------------------------------------------------------------------------------------------------------------
# Content parts and items of Responses, as turns: one turn for each item (R2A-1). Requests and responses share them.
#
# The id, status and phase of an item are kept with its turn for this protocol. An assistant's item that follows
# another
# one has `continues`: other targets make one turn of them.


def _citation(note: Object) -> ir.Citation:
    made: ir.UrlCitation = CITATION.read(note)
    for key, index in (("start_index", made.start), ("end_index", made.end)):
        if index is not None and index < 0:  # which is not written
            r.keep(made, key, index)
    return made


CITATION = ObjectReader(objects.CITATIONS["url_citation"], dict.fromkeys(("start_index", "end_index"), dict.get))
CITATIONS = UnionReader(
    objects.CITATIONS, {"url_citation": _citation}, lambda note: ir.SourceCitation(note["type"], note, note)
)
INPUT_TEXT = ObjectReader(objects.INPUT["input_text"])


def _input_text(part: Object) -> ir.Part:
    made: ir.Text = INPUT_TEXT.read(part)
    return made if made.cache is None else _marked(made)


def _marked(made: Any) -> Any:
    """Keep an unknown lifetime with the part, so that it is reported even where the breakpoint is dropped (UNK-4)."""
    extra = made.cache.extra
    if extra is not None and extra.fields and "ttl" in extra.fields:
        r.keep(made, objects.BREAKPOINT, {"ttl": extra.fields.pop("ttl")})
        made.cache.extra = extra if extra.fields else None
    return made


def _sourced(kind: str, *keys: str) -> Callable[[Object], ir.Part]:
    """Return a reader of parts whose source is in exactly one of these members (SHP-4)."""
    plain = ObjectReader(objects.INPUT[kind])

    def read(part: Object) -> ir.Part:
        made: Any = plain.read(part)
        there = [key for key in keys if part.get(key) is not None]
        if len(there) != 1:
            names = ", ".join(f"`{key}`" for key in keys)
            raise Refusal("SHP-4", part, f"expected exactly one of {names}")
        made.source = SOURCES[there[0]](part[there[0]], part)
        return made if made.cache is None else _marked(made)  # type: ignore[no-any-return]

    return read


SOURCES: dict[str, Callable[[str, Object], ir.Source]] = {
    "image_url": media,
    "file_data": lambda value, part: file_data(value, part.get("filename"), part),
    "file_url": ir.Url,
    "file_id": stored,
}
AUDIO = ObjectReader(objects.AUDIO, {"format": lambda audio, key: f"audio/{audio[key]}"})
READERS: dict[str, Callable[[Object], Any] | ObjectReader] = {
    "input_text": _input_text,
    "input_image": _sourced("input_image", "image_url", "file_id"),
    "input_file": _sourced("input_file", "file_data", "file_url", "file_id"),
    "input_audio": ObjectReader(objects.INPUT["input_audio"], {"input_audio": AUDIO}),
}


def _unknown_part(part: Object) -> ir.Part:
    return ir.UnknownPart(part["type"], part, part)


def _other_part(part: Object) -> ir.Part:
    """Return a part in the spelling of OpenAI's older protocol, an assistant's text in a message of another role, or an
    unknown part."""
    kind = part["type"]
    if kind in openai.PARTS:
        own, names = openai.PARTS[kind]
        respelled = flat(part, own, kind if names else "", {inner: name for name, inner in names.items()})
        return READERS[own](respelled)  # type: ignore[no-any-return]
    return OUTPUT_TEXT.read(part) if kind == "output_text" else _unknown_part(part)


GIVEN = UnionReader(objects.INPUT, READERS, _other_part)
OUTPUT_TEXT = ObjectReader(objects.OUTPUT["output_text"], {"annotations": CITATIONS})
WRITTEN = UnionReader(objects.OUTPUT, {**READERS, "output_text": OUTPUT_TEXT}, _other_part)
SCORED_KEYS = frozenset({"type", "text", "annotations", "logprobs"})  # of a text whose scores are the answer's


def read_parts(holder: Object, key: str, reader: UnionReader) -> list[ir.Part]:
    """Return the parts of a string or of a list of parts."""
    content = holder.get(key)
    if type(content) is str:
        return [ir.Text(content, None, None, (holder, key))]
    if content is None:
        raise r.missing(holder, key)
    if not isinstance(content, list):
        raise r.wrong(holder, key, "a string or an array of parts")
    return reader.each(content)


# --- messages ---------------------------------------------------------------------------------------------------------

MESSAGE_KEYS = frozenset({"type", "role", "content"})
ROLES = {role.value: role for role in (ir.Role.USER, ir.Role.ASSISTANT, ir.Role.SYSTEM, ir.Role.DEVELOPER)}


def message(item: Object) -> ir.Turn:
    word = item.get("role")
    if type(word) is not str:
        word = r.required(item, "role", str)
    role = ROLES.get(word)
    if role is None:
        if word == "tool":
            return result(flat(item, "function_call_output", "", openai.RESULT))
        raise r.wrong(item, "role", "one of " + ", ".join(ROLES), "SHP-3")
    if role is ir.ASSISTANT and item.get("tool_calls") is not None:
        return _calling(item)
    parts = read_parts(item, "content", WRITTEN if role is ir.ASSISTANT else GIVEN)
    for part in parts if role is ir.ASSISTANT else ():
        if type(part) is ir.Image:  # and none that was generated, which is an item
            r.keep(part, "type", "input_image")
    return ir.Turn(role, parts, None, item, r.kept(item, MESSAGE_KEYS))


def _calling(item: Object) -> ir.Turn:
    """Return the turn of a message that holds its calls; the content may be missing."""
    parts = [] if item.get("content") is None else read_parts(item, "content", WRITTEN)
    parts += r.each_object(r.required(item, "tool_calls", list), _call)
    return ir.Turn(ir.ASSISTANT, parts, None, item, r.kept(item, {*MESSAGE_KEYS, "tool_calls"}))


def _call(call: Object) -> ir.Part:
    kind = r.tag(call, "function")
    if kind not in openai.CALLS:
        return _unknown_part(call)
    turn = ITEMS[openai.CALLS[kind]](flat(call, openai.CALLS[kind], kind, {"id": "call_id"}))
    turn.parts[0].extra = turn.extra
    return turn.parts[0]


def output_message(item: Object) -> ir.Turn:
    if item.get("role") != "assistant":
        r.constant(item, "role", "assistant")
    return message(item)


def has_span(note: Json) -> bool:
    return isinstance(note, dict) and type(note.get("start_index")) is int and type(note.get("end_index")) is int


# --- items that are read as a user's message --------------------------------------------------------------------------
# With a heading that says what they are. Messages between agents (PLC-61): for the agent that gets one it is its task.
# OpenAI encrypts what its models tell each other, and decrypts it for them; with servers of others the plain text
# stands in the place of the ciphertext. Results that name a tool and no call (TUL-3): no call has them.


def _user_turn(item: Object, member: str, parts: list[ir.Part], *named: str) -> ir.Turn:
    """Return a user's turn of the parts in `member`, under a heading with the members in `named`."""
    heading = heading_of(item)
    if heading and not _sealed(parts):
        parts.insert(0, ir.Text(heading, None, None, (item, next(key for key in named if item.get(key)))))
    return ir.Turn(ir.Role.USER, parts, None, item, r.kept(item, {member}))


def _sealed(parts: list[ir.Part]) -> bool:
    return all(isinstance(part, ir.VendorPart) for part in parts)


def agent_message(item: Object) -> ir.Turn:
    """Return what can be read of a message between agents, under its author and recipient."""
    parts = read_parts(item, "content", BETWEEN_AGENTS)
    for key in ("author", "recipient"):
        r.optional(item, key, str)
    if _sealed(parts):
        for part in parts:
            part.kind = ir.ALL_SEALED  # type: ignore[union-attr]
    return _user_turn(item, "content", parts, "author", "recipient")


def _unread(part: Object) -> ir.Part:
    text = r.optional(part, wire.CIPHER, str) if part["type"] == wire.CIPHER else None
    if text is None or not wire.is_clear(part):
        return ir.VendorPart(ir.SEALED, part, part)
    return ir.Text(text, None, None, part, r.kept(part, {"type", wire.CIPHER}))


BETWEEN_AGENTS = UnionReader(objects.INPUT, READERS, _unread)


# --- what the client's tools returned ---------------------------------------------------------------------------------

RESULT_KEYS = frozenset({"type", "call_id", "output"})


def result(item: Object) -> ir.Turn:
    """Return the result of a client's tool; if it names no call, it belongs to none (TUL-3)."""
    if unasked(item):
        return _user_turn(item, "output", read_parts(item, "output", GIVEN), "name")
    call_id = item.get("call_id")
    if type(call_id) is not str:
        call_id = r.optional(item, "call_id", str)
    found = ir.ToolResult(call_id or "", _output(item), None, None, item)
    return ir.Turn(ir.TOOL, [found], None, item, r.kept(item, RESULT_KEYS))


def _output(item: Object) -> list[ir.Part]:
    """Return the content of a result; an object is the only part, or the tool's output, which becomes JSON text."""
    output = item.get("output")
    if type(output) is dict:
        kind = output.get("type")
        if type(kind) is str and kind in GIVEN.readers:
            return [GIVEN.read(output)]
        return [ir.Text(r.json_text(item, "output"), None, None, (item, "output"))]
    return [] if output is None and "output" in item else read_parts(item, "output", GIVEN)


def reference(item: Object) -> ir.Turn:
    """Return an item that only the provider holds (R2A-3)."""
    return ir.Turn(
        ir.Role.ASSISTANT, [ir.Reference(r.required(item, "id", str), item)], None, item, r.kept(item, {"type", "id"})
    )


def unknown(item: Object) -> ir.Turn:
    """Return an item of unknown type, in the role that it has, if any."""
    named = item.get("role")
    role = ROLES.get(named, ir.Role.ASSISTANT) if isinstance(named, str) else ir.Role.ASSISTANT
    return ir.Turn(role, [ir.UnknownPart(r.tag(item), item, item)], None, item, ir.Extra({"type": item["type"]}))


def untyped(item: Object) -> ir.Turn:
    """Return an item without a type: a message, or only an id."""
    return reference(item) if "role" not in item and "id" in item else message(item)


Readers = Mapping[str | None, Callable[[Object], ir.Turn]]
ITEMS: dict[str | None, Callable[[Object], ir.Turn]] = {
    None: message,
    "message": message,
    "function_call": items.function_call,
    "custom_tool_call": items.custom_call,
    "reasoning": items.reasoning,
    wire.WEB_SEARCH: items.web_search,
    wire.MCP_CALL: items.mcp_call,
    wire.CODE_RUN: items.code_run,
    wire.GENERATED: items.generated_image,
    **dict.fromkeys(wire.HOSTED_CALLS, items.hosted_call),
    **dict.fromkeys(wire.HOSTED_RESULTS, items.hosted_result),
    **dict.fromkeys(wire.VENDOR_ITEMS, items.vendor_item),
}
INPUT: Readers = (
    ITEMS
    | dict.fromkeys(wire.CLIENT_RESULTS, items.returned)
    | {
        None: untyped,
        AGENT_MESSAGE: agent_message,
        "function_call_output": result,
        "custom_tool_call_output": result,
        "item_reference": reference,
        "compaction": items.compaction,
        wire.CONTEXT_COMPACTION: items.compaction,
        wire.CONFIGURATION_UPDATE: configuration_update,
    }
)
OUTPUT: Readers = ITEMS | {
    None: output_message,
    "message": output_message,
    "function_call_output": items.hosted_result,
    "custom_tool_call_output": items.hosted_result,
}


def read_items(listed: list[Json], readers: Readers) -> list[ir.Turn]:
    """Return a turn for each item; an assistant's item after another one continues it."""
    turns: list[ir.Turn] = []
    try:
        for item in listed:
            turns.append(readers[item.get("type")](item))  # noqa: PERF401 - as in `tagged`
    except (KeyError, TypeError, AttributeError, Refusal):
        turns = r.each(range(len(listed)), lambda index: _item(listed, index, readers))
    before = None
    for turn in turns:
        if turn.role is before is ir.ASSISTANT:
            turn.continues = True
        before = turn.role
    return turns


def _item(listed: list[Json], index: int, readers: Readers) -> ir.Turn:
    item = r.an_object(listed, index)
    return readers.get(None if item.get("type") is None else r.tag(item), unknown)(item)


# --- what streams ask of parts ----------------------------------------------------------------------------------------


def kind_of(part: ir.Part) -> str:
    """Return the wire's name for a part, or "" for one without text."""
    if isinstance(part, ir.Reasoning):
        if part.text is None:
            return ""
        return "summary_text" if part.summary else "reasoning_text"
    return KINDS.get(type(part), "")


RESULT = "result"  # which comes as a whole; what is read of it is held against the end of the stream
KINDS: dict[type, str] = {
    ir.Text: "output_text",
    ir.Refusal: "refusal",
    ir.FunctionCall: "function_call",
    ir.CustomCall: "custom_tool_call",
    ir.McpCall: wire.MCP_CALL,
    ir.McpResult: RESULT,
    ir.WebSearchResult: RESULT,
    ir.CodeResult: RESULT,
}


def wording(part: Any) -> str:
    """Return the text of a part of any class, to compare its stream with."""
    if isinstance(part, ir.WebSearchResult):
        return " ".join(hit.url for hit in part.hits)
    return str(getattr(part, "stdout" if isinstance(part, ir.CodeResult) else GROWING.get(type(part), ("text",))[0]))
