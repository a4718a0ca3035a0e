"""Reads requests of Chat Completions: settings, messages and tools."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from itertools import count
from operator import methodcaller
from typing import Any

from proxai_ir import ir
from proxai_ir.json.types import quoted
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import openai
from proxai_ir.wire import openai_chat_completions as wire
from proxai_ir.wire import openai_chat_completions_objects as objects

from .._lib import reading as r
from .._lib.objects import ObjectReader, UnionReader
from .._lib.reading import Json, Object
from .._lib.settings import OUTPUT, SAMPLING, SERVICE, STREAMING, Read, read_members, setting, settings, word
from .._lib.spellings import nested
from .._openai import reading as openai_reading
from . import parts, reasoning
from .parts import FUNCTION_KEYS, cache_control, content_parts, in_content, mark_last, read_calls, read_images
from .reasoning import read_reasoning, sign

# --- messages ---------------------------------------------------------------------------------------------------------
# Whole messages of Chat Completions, as turns. Requests and responses share them.
#
# A message's reasoning comes first, then its content, refusal, audio and images, then its calls (PLC-4).


def legacy_call(message: Object) -> ir.FunctionCall | None:
    """Return the single, id-less call of the legacy `function_call` member (TUL-5)."""
    call = r.optional(message, "function_call", dict)
    if call is None or _blank(call):
        return None
    name, arguments = r.required(call, "name", str), r.optional(call, "arguments", str) or ""
    return ir.FunctionCall(None, name, arguments, None, call, r.extra_fields(call, FUNCTION_KEYS))


def _blank(value: Object) -> bool:
    """Return whether a value has only empty members, with which some servers fill what is absent (ENV-7)."""
    return not any(value.values())


PLAIN_KEYS = frozenset({"role", "content", "name"})
TOOL_KEYS = frozenset({"role", "content", "tool_call_id"})
ASSISTANT_KEYS = frozenset({"role", "content", "name", "refusal", "audio", "tool_calls", "function_call"})
ORDINARY_KEYS = frozenset({"role", "content", "tool_calls"})
MAY_BE_BLANK = frozenset({"refusal", "audio", "function_call"})


def assistant_turn(message: Object, audio: Callable[[Object], ir.Part]) -> ir.Turn:
    """Return the turn of an assistant message; `audio` reads the member that differs in requests and responses."""
    turn = ir.Turn(ir.ASSISTANT, object_content(message), None, message)
    shape = type(message.get("content"))
    if shape is list:
        in_content(turn.parts)
    ordinary = True
    for key, value in message.items():
        if value is not None and key not in ORDINARY_KEYS and value != []:
            ordinary = False
            break
    if not ordinary:
        _before_calls(turn, message, audio)
    calls = message.get("tool_calls")
    if calls is not None:
        turn.parts += read_calls(calls if type(calls) is list else r.required(message, "tool_calls", list))
    if not ordinary:
        legacy = legacy_call(message)
        if legacy is not None:
            turn.parts.append(legacy)
        mark_last(turn, message, turn.parts)
    if shape is dict:
        r.keep(turn, "content", message["content"])
    return turn


def _before_calls(turn: ir.Turn, message: Object, audio: Callable[[Object], ir.Part]) -> None:
    """Read what an assistant message has besides its content and calls, and keep the rest for this protocol."""
    known = set(ASSISTANT_KEYS)
    turn.parts[:0] = read_reasoning(message, known)
    if not MAY_BE_BLANK.isdisjoint(message):
        _refusal_and_audio(turn, message, audio, known)
    turn.parts += read_images(message, known)
    turn.name = r.optional(message, "name", str)
    rests = sign(turn, message, known)
    turn.extra = r.extra_fields(message, known, nested=rests)


def _refusal_and_audio(turn: ir.Turn, message: Object, audio: Callable[[Object], ir.Part], known: set[str]) -> None:
    refusal = r.optional(message, "refusal", str)
    if refusal:
        turn.parts.append(ir.Refusal(refusal, (message, "refusal")))
    spoken = r.optional(message, "audio", dict)
    if spoken is not None and not _blank(spoken):
        turn.parts.append(audio(spoken))
    for key in MAY_BE_BLANK:
        value = message.get(key)
        if value is not None and (not value or (isinstance(value, dict) and _blank(value))):
            known.discard(key)


def plain_turn(role: ir.Role) -> Any:
    def read(message: Object) -> ir.Turn:
        content = message.get("content")
        if type(content) is str and len(message) == 2:  # role and content: what most messages are
            return ir.Turn(role, [ir.Text(content, None, None, (message, "content"))], None, message)
        if content is None:
            raise r.missing(message, "content")
        turn = ir.Turn(role, content_parts(message), None, message)
        if len(message) != 2:
            turn.name = r.optional(message, "name", str)
            turn.extra = r.extra_fields(message, PLAIN_KEYS)
            mark_last(turn, message, turn.parts)
        return turn

    return read


def tool_turn(message: Object) -> ir.Turn:
    """Return a `role: "tool"` message, which is one result (TUL-3); without an id it belongs to no known call."""
    content, call_id = message.get("content"), message.get("tool_call_id")
    if type(content) is str and type(call_id) is str and len(message) == 3:
        text = ir.Text(content, None, None, (message, "content"))
        return ir.Turn(ir.TOOL, [ir.ToolResult(call_id, [text], None, None, message)], None, message)
    call_id = r.optional(message, "tool_call_id", str) or ""
    result = ir.ToolResult(call_id, object_content(message), None, None, message)
    known = TOOL_KEYS
    if not call_id and (name := r.optional(message, "name", str)):  # by which its call may be found (TUL-63)
        result.name, known = name, known | {"name"}
    turn = ir.Turn(ir.TOOL, [result], None, message, r.extra_fields(message, known))
    mark_last(turn, message, [result])
    return turn


def function_turn(message: Object) -> ir.Turn:
    """Return a legacy `role: "function"` message: a result that names its function and no call (TUL-5)."""
    name = r.required(message, "name", str)
    result = ir.ToolResult(None, content_parts(message), None, None, message, name=name)
    return ir.Turn(ir.TOOL, [result], None, message, r.extra_fields(message, PLAIN_KEYS))


def object_content(message: Object) -> list[ir.Part]:
    """Return the content of a message; Cloudflare writes structured output, and results of tools, as an object."""
    if type(message.get("content")) is dict:
        return [ir.Text(r.json_text(message, "content"), None, None, (message, "content"))]
    return content_parts(message)


def stored_audio(audio: Object) -> ir.Part:
    """Return the reference by which a request names an earlier spoken answer."""
    return ir.Audio(
        ir.FileRef(r.required(audio, "id", str), audio), None, None, None, None, audio, r.extra_fields(audio, {"id"})
    )


answered_audio = ObjectReader(objects.SPOKEN, {"data": lambda audio, key: ir.Inline(audio[key], None, (audio, key))})
"""Reads the audio of an answer, which has the recording itself, in the requested format."""


MESSAGES = {
    "system": plain_turn(ir.SYSTEM),
    "developer": plain_turn(ir.DEVELOPER),
    "user": plain_turn(ir.USER),
    "assistant": partial(assistant_turn, audio=stored_audio),
    "tool": tool_turn,
    "function": function_turn,
}


def pair_blank_ids(turns: list[ir.Turn]) -> None:
    """Give an id to calls whose id is "", and to their results, which follow in the order of the calls."""
    used: set[Any] = {call.id for turn in turns for call in turn.parts if isinstance(call, ir.CALLS)}
    free = (name for name in map("call_{}".format, count(1)) if name not in used)
    waiting: deque[ir.FunctionCall] = deque()
    for turn in turns:
        if turn.role is ir.ASSISTANT:
            waiting = deque(part for part in turn.parts if isinstance(part, ir.FunctionCall) and part.id is None)
        for result in turn.parts:
            if isinstance(result, ir.ToolResult) and result.call_id == "" and waiting:
                call = waiting.popleft()
                call.id = result.call_id = next(free)
                r.keep(call, "id", "")
                r.keep(turn, "tool_call_id", "")


# --- tools ------------------------------------------------------------------------------------------------------------
# Tools of a Chat Completions request, today's and legacy ones, and the choice among them (TUL-2, TUL-5, TUL-7).


def read_tool(tool: Object) -> ir.Tool:
    kind = r.tag(tool, "function")
    read = TOOLS.get(kind)
    return ir.UnknownTool(kind, tool, tool) if read is None else read(tool)


FUNCTION_TOOL, LEGACY_FUNCTION = (ObjectReader(objects.FUNCTION_TOOL), ObjectReader(objects.LEGACY_FUNCTION))
FLAT_FUNCTION, BLOCK_TOOL = (ObjectReader(objects.FLAT_FUNCTION), ObjectReader(objects.BLOCK_TOOL))


def read_legacy(function: Object) -> ir.Tool:
    """Return the tool of an entry of `functions`."""
    result: ir.FunctionTool = LEGACY_FUNCTION.read(function)
    if result.parameters:
        result.parameters = r.json_schema(result.parameters)
    return result


def _function(tool: Object) -> ir.Tool:
    read = FUNCTION_TOOL
    if tool.get("function") is None and "name" in tool:
        read = BLOCK_TOOL if "input_schema" in tool else FLAT_FUNCTION
    result: ir.FunctionTool = read.read(tool)
    if result.parameters:
        result.parameters = r.json_schema(result.parameters)
    given = tool.get("cache_control")
    if given is not None:
        result.cache = cache_control(given)
        if result.cache is None:
            r.keep(result, "cache_control", given)
    return result


def _custom_format(custom: Object, key: str) -> ir.InputFormat:
    form = r.an_object(custom, key)
    try:
        return INPUT_FORMATS.read(form)  # type: ignore[no-any-return]
    except Refusal:
        kind = form.get("type")
        return ir.UnknownFormat(kind if isinstance(kind, str) else "", form, form)


INPUT_FORMATS, FLAT_FORMATS = (UnionReader(objects.INPUT_FORMATS), UnionReader(objects.FLAT_FORMATS))


def _flat_format(tool: Object, key: str) -> ir.InputFormat:
    form = r.an_object(tool, key)
    known = form.get("type") == "grammar" and isinstance(form.get("syntax"), str)
    return FLAT_FORMATS.read(form) if known else _custom_format(tool, key)


CUSTOM_TOOL = ObjectReader(objects.CUSTOM_TOOL, {"custom/format": _custom_format})
FLAT_CUSTOM = ObjectReader(objects.FLAT_CUSTOM, {"format": _flat_format})
FLAT_CHOICES = {kind: ObjectReader(declared) for kind, declared in objects.FLAT_CHOICES.items()}


def _custom(tool: Object) -> ir.Tool:
    if not _is_flat(tool):
        return CUSTOM_TOOL.read(tool)  # type: ignore[no-any-return]
    return _function(tool) if "input_schema" in tool else FLAT_CUSTOM.read(tool)


TOOLS: dict[str, Callable[[Object], ir.Tool]] = {
    "function": _function,
    "custom": _custom,
    objects.ROUTED_SEARCH: ObjectReader(objects.ROUTED_WEB_SEARCH),
}


WEB_SEARCH = ObjectReader(objects.WEB_SEARCH_OPTIONS)
"""`web_search_options`: this protocol's one hosted tool; routers have theirs among the tools."""


def read_choice(holder: Object, key: str) -> ir.ToolChoice | None:
    """Return the `tool_choice`, or None if its value is unknown."""
    value = holder[key]
    if isinstance(value, str):
        mode = ir.ChoiceMode.REQUIRED if value == openai.ANY_TOOL else r.pick(openai.CHOICE, holder, key)
        return None if mode is None else ir.Choice(mode, (holder, key))
    choice = r.an_object(holder, key)
    if (flat := FLAT_CHOICES.get(r.tag(choice, "function"))) is not None and _is_flat(choice):
        return flat.read(choice)  # type: ignore[no-any-return]
    return parts.read_choice(choice, choice.get("type")) or CHOICES.read(choice)


def _is_flat(holder: Object) -> bool:
    """Return whether a tool or a choice has its members at the top, as in Responses, not in an object of their own."""
    return "name" in holder and holder.get(holder.get("type") or "function") is None


def _allowed(choice: Object) -> ir.ToolChoice | None:
    allowed = r.required(choice, "allowed_tools", dict)
    mode = r.pick({"auto": ir.ChoiceMode.AUTO, "required": ir.ChoiceMode.REQUIRED}, allowed, "mode")
    if mode is None:
        return None
    listed = r.required(allowed, "tools", list)
    names = [_listed(listed, index) for index in range(len(listed))]
    plain = [{"type": kind, kind: {"name": name}} for kind, name in names]
    inner = r.extra_fields(allowed, {"mode", "tools"} if listed == plain else {"mode"})
    return ir.AllowedChoice(
        mode, names, choice, r.extra_fields(choice, {"type", "allowed_tools"}, nested={"allowed_tools": inner})
    )


def _listed(tools: list[Json], index: int) -> tuple[str, str]:
    tool = r.an_object(tools, index)
    kind = r.tag(tool)
    if tool.get(kind) is None:  # named by a value, which messages quote as such
        raise Refusal("SHP-2", tool, f"{quoted(kind)} is missing")
    return kind, r.required(r.required(tool, kind, dict), "name", str)


CHOICES = UnionReader(objects.CHOICES, {"allowed_tools": _allowed}, other=lambda _: None)


def legacy_choice(holder: Object, key: str) -> ir.ToolChoice | None:
    """Return the legacy `function_call` of a request: none, auto, or a function's name."""
    value = holder[key]
    if isinstance(value, str):
        mode = r.pick({"none": ir.ChoiceMode.NONE, "auto": ir.ChoiceMode.AUTO}, holder, key)
        return None if mode is None else ir.Choice(mode, (holder, key))
    choice = r.an_object(holder, key)
    return ir.NamedChoice(r.required(choice, "name", str), choice, r.extra_fields(choice, {"name"}))


# --- request ----------------------------------------------------------------------------------------------------------
# A Chat Completions request into the IR, member by member: what each becomes is in the READERS table at the end.


def lower_request(payload: Object) -> ir.Request:
    """Return the IR of a request body; raises Refusal with everything that is wrong with it."""
    request = ir.Request(wire.NAME)
    request.src = payload
    read_members(request, payload, READERS)
    if payload.get("messages") is None:
        raise r.missing(payload, "messages")
    return request


CALL_ID = methodcaller("get", "tool_call_id")


def _messages(request: ir.Request, payload: Object) -> None:
    messages = payload["messages"]
    if type(messages) is not list:
        messages = r.required(payload, "messages", list)
    turns = r.tagged(messages, "role", MESSAGES)
    if turns is None:
        turns = r.each(range(len(messages)), lambda index: _message(messages, index))
    if messages and messages[-1].get("prefix") is True:  # Mistral
        request.prefill = True
    if "" in map(CALL_ID, messages):
        pair_blank_ids(turns)
    if any(type(part) is ir.UnknownPart for turn in turns for part in turn.parts):
        _mark_unknown_results(turns)
    request.turns = turns if request.turns is None else request.turns + turns


def _instructions(request: ir.Request, payload: Object) -> None:
    """Read `instructions`, as Responses has them, as the first turn (PLC-1)."""
    text, place = r.required(payload, "instructions", str), (payload, "instructions")
    turn = ir.Turn(ir.SYSTEM, [ir.Text(text, None, None, place)], None, place)
    request.turns = [turn, *(request.turns or [])]


def _mark_unknown_results(turns: list[ir.Turn]) -> None:
    """Replace each result of a call of an unknown kind by an unknown result."""
    unknown: set[Json] = set()
    for at, turn in enumerate(turns):
        first = turn.parts[0] if turn.parts else None
        calls = (part for part in turn.parts if type(part) is ir.UnknownPart and part.extra is not None)
        unknown |= {name for call in calls if isinstance(name := call.raw.get("id"), str)}
        if isinstance(first, ir.ToolResult) and first.call_id and first.call_id in unknown:
            turns[at] = parts.unknown_result(turn.src)


def _message(messages: list[Json], index: int) -> Any:
    """Return the turn of a message, or refuse what is wrong with it."""
    message = r.an_object(messages, index)
    read = MESSAGES.get(r.required(message, "role", str))
    if read is None:
        raise r.wrong(message, "role", "one of " + ", ".join(MESSAGES), "SHP-3")
    return read(message)


# --- settings ---------------------------------------------------------------------------------------------------------


def _stop(request: ir.Request, payload: Object) -> None:
    sampling = SAMPLING(request, payload)
    if isinstance(payload["stop"], str):
        sampling.stop = [payload["stop"]]
    else:
        sampling.stop = r.strings(payload, "stop")


def _top_k(request: ir.Request, payload: Object) -> None:
    """Read a member of dialects, those of vLLM and of routers to other vendors; no official type defines it."""
    if type(payload["top_k"]) is int:
        SAMPLING(request, payload).top_k = payload["top_k"]
    else:
        r.keep(request, "top_k", payload["top_k"])


def _random_seed(request: ir.Request, payload: Object) -> None:
    """Read Mistral's name for the seed."""
    if payload.get("seed") is not None:
        r.keep(request, "random_seed", payload["random_seed"])
        return
    SAMPLING(request, payload).seed = r.optional(payload, "random_seed", int)


def _speech(request: ir.Request, payload: Object) -> None:
    """Read how the model speaks; a custom voice is an object, which is kept for this protocol."""
    value = r.an_object(payload, "audio")
    known = {key for key in ("voice", "format") if isinstance(value.get(key), str)}
    voice, form = (value[key] if key in known else None for key in ("voice", "format"))
    OUTPUT(request, payload).audio = ir.Speech(voice, form, None, value, r.extra_fields(value, known))


def _format(request: ir.Request, payload: Object) -> None:
    found = _read_format(payload, "response_format")
    if found is None:
        r.keep(request, "response_format", payload["response_format"])
    else:
        OUTPUT(request, payload).format = found


def _read_format(holder: Object, key: str) -> ir.Format | None:
    """Return the format, or None if its type is unknown; that of Responses has its members at the top."""
    value = r.an_object(holder, key)
    if value.get("type") == SCHEMA and value.get(SCHEMA) is None:
        value = nested(value, SCHEMA, SCHEMA, OF_SCHEMA)
    older = value.get("type") == "json_object" and isinstance(value.get("schema"), dict)
    found: ir.Format | None = OLDER_SCHEMA.read(value) if older else FORMATS.read(value)
    if type(found) is ir.SchemaFormat and found.schema:
        found.schema = r.json_schema(found.schema)
    return found


def _text(request: ir.Request, payload: Object) -> None:
    """Read the format and the verbosity where Responses has them; the own members count."""
    value = r.required(payload, "text", dict)
    others = r.rest(value, {"format", "verbosity"}) or {}
    verbosity, form = r.optional(value, "verbosity", str), None
    if value.get("format") is not None and payload.get("response_format") is None:
        form = _read_format(value, "format")
    if form is not None:
        OUTPUT(request, payload).format = form
    elif value.get("format") is not None:
        others["format"] = value["format"]
    if verbosity is not None and payload.get("verbosity") is None:
        OUTPUT(request, payload).verbosity = verbosity
    elif verbosity != payload.get("verbosity"):
        others["verbosity"] = verbosity
    if others:
        r.keep(request, "text", others)


def _structured(request: ir.Request, payload: Object) -> None:
    """Read vLLM's constraint of the output: a schema, or words of which one is the answer."""
    value = r.required(payload, wire.STRUCTURED, dict)
    asked = [key for key in wire.CONSTRAINTS if value.get(key) is not None]
    found = _constraint(asked[0], value, asked[0]) if len(asked) == 1 and not _has_format(payload) else None
    if found is not None:
        OUTPUT(request, payload).format = found
    if others := r.rest(value, set(asked) if found is not None else set()):
        r.keep(request, wire.STRUCTURED, others)


def _guided(kind: str, member: str) -> Read:
    """Return the reader of one of vLLM's older members, of which each states one kind of constraint."""

    def read(request: ir.Request, payload: Object) -> None:
        others = (wire.STRUCTURED, *wire.GUIDED.values())
        alone = not any(payload.get(other) is not None for other in others if other != member)
        found = _constraint(kind, payload, member) if alone and not _has_format(payload) else None
        if found is None:
            r.keep(request, member, payload[member])
        else:
            OUTPUT(request, payload).format = found

    return read


def _has_format(payload: Object) -> bool:
    """Return whether a request also states a format in OpenAI's way."""
    return payload.get("response_format") is not None or payload.get("text") is not None


def _constraint(kind: str, holder: Object, member: str) -> ir.Format | None:
    """Return the format that a constraint of vLLM's is, or None if there is no such format."""
    value = holder[member]
    if kind == "json" and isinstance(value, dict) and value:
        return ir.SchemaFormat(r.json_schema(value), strict=True, src=(holder, member))
    if kind == "choice" and isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return ir.EnumFormat({"type": "string", "enum": value}, (holder, member))
    return None


SCHEMA = "json_schema"
OF_SCHEMA = {one: one for one in ("name", "description", "schema", "strict")}
OLDER_SCHEMA, FORMATS = ObjectReader(objects.OLDER_SCHEMA), UnionReader(objects.FORMATS, other=lambda _: None)


def _tier(request: ir.Request, payload: Object) -> None:
    if payload["service_tier"] == wire.ON_DEMAND:
        SERVICE(request, payload).tier = ir.Tier.STANDARD
        r.keep(request, "service_tier", wire.ON_DEMAND)
    elif payload["service_tier"] == openai.FAST:
        SERVICE(request, payload).fast = True
    else:
        word(SERVICE, "tier", "service_tier", openai.TIER)(request, payload)


def _stream_options(request: ir.Request, payload: Object) -> None:
    options = r.required(payload, "stream_options", dict)
    streaming = STREAMING(request, payload)
    streaming.usage = r.optional(options, "include_usage", bool)
    streaming.obfuscation = r.optional(options, "include_obfuscation", bool)
    inner = r.extra_fields(options, {"include_usage", "include_obfuscation"})
    streaming.extra = r.extra_fields({}, set(), nested={"stream_options": inner})


# --- tools ------------------------------------------------------------------------------------------------------------


def _tools(request: ir.Request, payload: Object) -> None:
    listed = r.required(payload, "tools", list)
    found = r.tagged(listed, "type", TOOLS)
    request.tools = (r.each_object(listed, read_tool) if found is None else found) + (request.tools or [])


def _functions(request: ir.Request, payload: Object) -> None:
    listed = r.required(payload, "functions", list)
    before = request.tools or []
    at = len(before) - (bool(before) and before[-1].src is payload.get("web_search_options"))
    request.tools = [*before[:at], *r.each_object(listed, read_legacy), *before[at:]]  # in any order of the members


def _web_search(request: ir.Request, payload: Object) -> None:
    found = WEB_SEARCH.read(r.required(payload, "web_search_options", dict))
    request.tools = [*(request.tools or []), found]


def _switched_search(request: ir.Request, payload: Object) -> None:
    """Read Qwen's switch, with which the model decides whether it searches the web."""
    if payload[wire.SEARCHES] is True:
        search = ir.WebSearchTool(wire.NAME, src=(payload, wire.SEARCHES))
        request.tools = [*(request.tools or []), search]
    elif payload[wire.SEARCHES] is not False:
        r.keep(request, wire.SEARCHES, payload[wire.SEARCHES])


def _live_search(request: ir.Request, payload: Object) -> None:
    """Read xAI's live search, if the model decides whether it searches, and it searches nothing but the web."""
    value = r.required(payload, wire.LIVE, dict)
    sources, known = value.get("sources"), set[str]()
    if value.get("mode") in (None, "auto") and isinstance(sources, list) and len(sources) == 1:
        source = r.an_object(sources, 0)
        if source.get("type") == "web":
            request.tools = [*(request.tools or []), LIVE_SOURCE.read(source)]
            known = {"mode", "sources"}
    others = r.rest(value, known)
    if others or not known:  # an empty one switches it on, with sources besides the web
        r.keep(request, wire.LIVE, others or value)


def _in_country(source: Object, key: str) -> ir.Location:
    return ir.Location(country=source[key], src=source)


LIVE_SOURCE = ObjectReader(objects.LIVE_SOURCE, {"country": _in_country})


def _tool_choice(request: ir.Request, payload: Object) -> None:
    choice = read_choice(payload, "tool_choice")
    if choice is None or _among_none(payload):
        r.keep(request, "tool_choice", payload["tool_choice"])
    else:
        request.tool_choice = choice
        if payload["tool_choice"] == openai.ANY_TOOL:
            r.keep(request, "tool_choice", openai.ANY_TOOL)
        elif choice.src is payload["tool_choice"] and type(alone := choice.src.get(parts.PARALLEL)) is bool:
            request.parallel_tools = not alone


def _among_none(payload: Object) -> bool:
    """Return whether a choice has no tools but a web search, to which it does not apply (TUL-11, TUL-15)."""
    defined = payload.get("tools") or payload.get("functions")
    members = ("web_search_options", wire.SEARCHES, wire.LIVE)
    return (
        any(payload.get(one) not in (None, False) for one in members)
        and not defined
        and isinstance(payload["tool_choice"], str)
    )


def _function_choice(request: ir.Request, payload: Object) -> None:
    choice = legacy_choice(payload, "function_call")
    if choice is None or payload.get("tool_choice") is not None:
        r.keep(request, "function_call", payload["function_call"])
    else:
        request.tool_choice = choice


READERS: dict[str, Read] = {
    **openai_reading.settings(wire.OPTIONS_TTL),
    "messages": _messages,
    "instructions": _instructions,
    "tools": _tools,
    "functions": _functions,
    "web_search_options": _web_search,
    "tool_choice": _tool_choice,
    "function_call": _function_choice,
    **openai_reading.limit("max_completion_tokens", "max_tokens", "max_output_tokens"),
    **settings(SAMPLING, objects.SAMPLING),
    "top_k": _top_k,
    "stop": _stop,
    "random_seed": _random_seed,
    **reasoning.THINKING_READERS,
    "response_format": _format,
    "text": _text,
    wire.STRUCTURED: _structured,
    **{member: _guided(kind, member) for kind, member in wire.GUIDED.items()},
    wire.SEARCHES: _switched_search,
    wire.LIVE: _live_search,
    "verbosity": setting(OUTPUT, "verbosity", "verbosity", str),
    "modalities": setting(OUTPUT, "modalities", "modalities", r.strings),
    "audio": _speech,
    "prediction": lambda request, payload: r.keep(request, "prediction", r.an_object(payload, "prediction")),
    "service_tier": _tier,
    "metadata": setting(SERVICE, "metadata", "metadata", dict),
    "stream": setting(STREAMING, "stream", "stream", bool),
    "stream_options": _stream_options,
}
