"""Writes requests, responses, errors and their content as Converse: canonical output, from a legal tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from proxai_ir import ir
from proxai_ir.ir.response import UNKNOWN
from proxai_ir.targets.settings import Server
from proxai_ir.wire import bedrock_converse as wire

from .._lib.objects import ByHand, ObjectWriter
from .._lib.writing import Json, Object, arguments_of, dumps, put, raw, whole, with_extra
from .._lib.writing import route as routed
from .rows import CLAUDE, accepted_call_id

# --- parts ------------------------------------------------------------------------------------------------------------

CACHE = ObjectWriter(wire.CACHE)

# --- text and citations -----------------------------------------------------------------------------------------------

TEXT, GUARDED_TEXT = ObjectWriter(wire.TEXT), ObjectWriter(wire.GUARDED_TEXT)


def _is_guarded(part: Any) -> bool:
    return part.extra is not None and "guardContent" in (part.extra.fields or {})


def citation(one: ir.Citation) -> Object:
    if isinstance(one, ir.SourceCitation):
        return one.raw
    return CITATIONS[getattr(one, "unit", None)].write(one)


CITATIONS = {
    declared.fixed.get("unit"): ObjectWriter(
        declared, {"sourceContent": lambda one: None if one.cited_text is None else [{"text": one.cited_text}]}
    )
    for declared in wire.CITATIONS.values()
}
"""Writers of citations by unit; the citation of a page has none."""
CITED = ObjectWriter(
    wire.CITED,
    {
        "citationsContent/content": lambda part: [{"text": part.text}],
        "citationsContent/citations": lambda part: [citation(one) for one in part.citations],
    },
)

# --- media ------------------------------------------------------------------------------------------------------------


def _format(kind: str) -> Callable[[Any], str | None]:
    """Return a function that gives the format of a part; text of a type without a format is plain text."""

    def write(part: Any) -> str | None:
        mime = getattr(part.source, "mime", None)
        if mime is None:
            return None
        main, _, sub = mime.partition("/")
        return wire.FORMAT_OF[kind].get(mime, "txt" if isinstance(part.source, ir.PlainText) and main != kind else sub)

    return write


def _source(part: Any) -> Object:
    source = part.source
    if isinstance(source, ir.Inline):
        made: Object = {"bytes": source.data}
    elif isinstance(source, ir.Url):
        made = {"s3Location": {"uri": source.url}}
    elif isinstance(source, ir.PlainText):
        made = {"text": source.text}
    else:
        made = {"content": content(source.parts)}
    found: Object = with_extra({"source": made}, source)["source"]
    return found


def _media(declared: Any, kind: str, at: str) -> ObjectWriter:
    return ObjectWriter(declared, {f"{at}/format": _format(kind), f"{at}/source": _source})


IMAGE, GUARDED_IMAGE = _media(wire.IMAGE, "image", "image"), _media(wire.GUARDED_IMAGE, "image", "guardContent/image")

# --- tools and reasoning ----------------------------------------------------------------------------------------------

CALL = ObjectWriter(wire.CALL, {"toolUse/input": arguments_of})


def _reasoning(part: ir.Reasoning) -> Object:
    """Return reasoning sealed as a whole as a blob, other reasoning with its signature."""
    whole = part.text is None and part.seal is not None and part.seal.kind != wire.SIGNATURE
    return REASONING["redactedContent" if whole else "reasoningText"].write(part)


REASONING = {
    "reasoningText": ObjectWriter(
        wire.REASONING["reasoningText"],
        {"reasoningContent/reasoningText/signature": lambda part: None if part.seal is None else part.seal.data},
    ),
    "redactedContent": ObjectWriter(
        wire.REASONING["redactedContent"],
        {"reasoningContent/redactedContent": lambda part: wire.blob_of(part.seal)},
    ),
}
BUILD: dict[type, Callable[[Any], Object]] = {
    ir.Text: lambda part: (CITED if part.citations else GUARDED_TEXT if _is_guarded(part) else TEXT).write(part),
    ir.Image: lambda part: (GUARDED_IMAGE if _is_guarded(part) else IMAGE).write(part),
    ir.Audio: _media(wire.AUDIO, "audio", "audio"),
    ir.Video: _media(wire.VIDEO, "video", "video"),
    ir.Document: _media(wire.DOCUMENT, "document", "document"),
    ir.SearchResult: ObjectWriter(wire.SEARCH_RESULT, {"searchResult/content": lambda part: content(part.parts)}),
    ir.FunctionCall: CALL,
    ir.ToolResult: ObjectWriter(wire.RESULT, {"toolResult/content": lambda part: content(part.parts)}),
    ir.Reasoning: _reasoning,
    ir.Refusal: lambda part: {"text": part.text},
    **dict.fromkeys((ir.HostedCall, ir.HostedResult, ir.VendorPart, ir.UnknownPart), raw),
}


def content(parts: list[Any], response_id: str | None = None) -> list[Object]:
    """Return the blocks, each followed by its cache point; calls of a response without ids get one (TUL-17)."""
    blocks: list[Object] = []
    for part in parts:
        block = BUILD[type(part)](part)
        if isinstance(part, ir.FunctionCall) and part.id is None:
            block["toolUse"]["toolUseId"] = generated_id(response_id, len(blocks))
        blocks += with_cache(block, part)
    return blocks


def generated_id(response_id: str | None, index: int) -> str:
    return accepted_call_id(f"tooluse_{response_id or ''}_{index}")


def with_cache(block: Object, node: Any) -> list[Object]:
    cache: ir.Cache | None = getattr(node, "cache", None)
    return [block] if cache is None else [block, CACHE.write(cache)]


ROLES = {ir.Role.USER: "user", ir.Role.ASSISTANT: "assistant", ir.Role.SYSTEM: "system", ir.Role.DEVELOPER: "system"}


def message(turn: ir.Turn, response_id: str | None = None) -> Object:
    return with_extra({"role": ROLES[turn.role], "content": content(turn.parts, response_id)}, turn)


# --- tools ------------------------------------------------------------------------------------------------------------

TOOL, WEB_SEARCH = ObjectWriter(wire.TOOL), ObjectWriter(wire.WEB_SEARCH)


def tool_list(request: ir.Request) -> list[Object]:
    made: list[Object] = []
    for tool in request.tools or ():
        if isinstance(tool, ir.FunctionTool):
            made += with_cache(TOOL.write(tool), tool)
        elif isinstance(tool, ir.WebSearchTool):
            made += with_cache(WEB_SEARCH.write(tool), tool)
        elif isinstance(tool, (ir.HostedTool, ir.UnknownTool)):
            made.append(tool.raw)
    return made


def tool_choice(choice: ir.ToolChoice | None) -> Object | None:
    if choice is None:
        return None
    kind = "tool" if isinstance(choice, ir.NamedChoice) else MODES[getattr(choice, "mode", None)]
    return CHOICES[kind].write(choice)


def client_tools(request: ir.Request) -> list[Object]:
    """Return the client tools that Claude knows by their types, which have no place among the others."""
    return [tool.raw for tool in request.tools or () if isinstance(tool, ir.ClientTool)]


def claudes_choice(request: ir.Request) -> Object | None:
    """Return the choice of tools in Claude's own form, for what Converse cannot say: no tool, or one call at most.

    The service refuses a request with both forms.
    """
    choice, parallel = request.tool_choice, request.parallel_tools
    mode = getattr(choice, "mode", None)
    if mode is not ir.ChoiceMode.NONE and parallel is not False:
        return None
    named = {"name": choice.name} if isinstance(choice, ir.NamedChoice) else {}
    made: Object = {"type": "tool" if named else OWN_MODES[mode], **named}
    return put(made, **{wire.ALONE: None if parallel is None else not parallel})


OWN_MODES = {None: "auto", ir.ChoiceMode.AUTO: "auto", ir.ChoiceMode.REQUIRED: "any", ir.ChoiceMode.NONE: "none"}
CHOICES = {kind: ObjectWriter(declared) for kind, declared in wire.CHOICES.items()}
MODES = dict.fromkeys((None, *ir.ChoiceMode), "auto") | {ir.ChoiceMode.REQUIRED: "any"}


# --- request ----------------------------------------------------------------------------------------------------------
# The model stands in the URL.


def raise_request(request: ir.Request, server: Server) -> Object:
    built: Object = {}
    turns = request.turns or []
    if turns and turns[0].role is ir.SYSTEM and turns[0].extra is None:
        built["system"] = content(turns[0].parts)
        turns = turns[1:]
    if request.turns is not None:
        built["messages"] = [message(turn) for turn in turns]
    sampling, output = request.sampling or ir.Sampling(), request.output or ir.Output()
    inference = put({}, maxTokens=request.max_tokens, temperature=sampling.temperature, topP=sampling.top_p)
    put(built, inferenceConfig=put(inference, stopSequences=sampling.stop) or None)
    own_choice = claudes_choice(request) if server.family == CLAUDE else None
    choice = tool_choice(request.tool_choice) if own_choice is None else None
    put(built, toolConfig=put({}, tools=tool_list(request) or None, toolChoice=choice) or None)
    thinking = request.thinking or ir.Thinking()
    added, effort = ADDED[server.family](thinking, sampling)
    if own_choice is not None:
        added["tool_choice"] = own_choice
    if typed := client_tools(request):
        betas = {wire.NEWER_USE.get(tool["type"], wire.COMPUTER_USE): None for tool in typed}
        added |= {"tools": typed, wire.BETAS: [*betas]}
    form = FORMAT.write(output.format) if isinstance(output.format, ir.SchemaFormat) else None
    put(built, outputConfig=put({}, textFormat=form, effort=effort) or None)
    put(built, **{wire.ADDED: added or None})
    if sampling.stop and server.family == CLAUDE and request.protocol != wire.NAME:
        streams = request.streaming is not None and request.streaming.stream is True
        built[wire.ASKED] = [wire.STOP_PATHS[streams]]
    service = request.service or ir.Service()
    if service.fast is not None:
        built["performanceConfig"] = {"latency": wire.LATENCY_OF[service.fast]}
    if service.tier is not None:
        built["serviceTier"] = {"type": wire.TIER_OF[service.tier]}
    return with_extra(put(built, requestMetadata=service.metadata or None), request)


FORMAT = ObjectWriter(
    wire.SCHEMA, {"structure/jsonSchema/schema": lambda form: dumps(form.schema or {}, (form, "schema"))}
)

# --- by family --------------------------------------------------------------------------------------------------------

Added = tuple[Object, str | None]
"""`additionalModelRequestFields`, and the effort if it has a member of its own."""


def _claude(thinking: ir.Thinking, sampling: ir.Sampling) -> Added:
    mode, display = thinking.mode, thinking.display
    made = put({}, type=None if mode is None else mode.value, budget_tokens=thinking.budget)
    put(made, display=None if display is None else display.value)
    return put({}, thinking=made or None, top_k=sampling.top_k), _word(thinking)


def _nova(thinking: ir.Thinking, sampling: ir.Sampling) -> Added:
    mode = thinking.mode or (None if thinking.effort is None else ir.ThinkingMode.ENABLED)
    made = put({}, type=None if mode is None else mode.value, maxReasoningEffort=_word(thinking))
    top = None if sampling.top_k is None else {"topK": sampling.top_k}
    return put({}, reasoningConfig=made or None, inferenceConfig=top), None


def _switched(thinking: ir.Thinking) -> str | None:
    """Return the effort, or the word for no thinking."""
    return wire.NO_EFFORT if thinking.mode is ir.ThinkingMode.DISABLED else _word(thinking)


def _word(thinking: ir.Thinking) -> str | None:
    return None if thinking.effort is None else thinking.effort.value


ADDED: dict[str, Callable[[ir.Thinking, ir.Sampling], Added]] = {
    "anthropic": _claude,
    "nova": _nova,
    "openai": lambda thinking, _: (put({}, reasoning_effort=_switched(thinking)), None),
    "responses": lambda thinking, _: (put({}, reasoning=put({}, effort=_switched(thinking)) or None), None),
    "qwen": lambda thinking, _: (put({}, reasoning_config=_switched(thinking)), None),
    "other": lambda *_: ({}, None),
}


def _path(model: str, streams: bool) -> str:
    return f"/model/{quote(model, safe='')}/{'converse-stream' if streams else 'converse'}"


def route(root: Any, server: Server) -> Object:
    return routed(root, server, _path)


# --- response ---------------------------------------------------------------------------------------------------------


def raise_response(response: ir.Response, server: Server) -> Object:
    return RESPONSE.write(response)


def _message(response: ir.Response) -> Object:
    turns = response.candidates[0].turns
    return message(turns[0] if turns else ir.Turn(ir.ASSISTANT, []), response.id)


def ending(terminal: ir.Terminal, own: bool) -> Object:
    """Return the members that state how a response ended; `own`: it is of this protocol, whose word is kept."""
    known = own and wire.REASON.get(terminal.raw or "", UNKNOWN) is terminal.reason
    built: Object = {"stopReason": terminal.raw if known else wire.STOP_OF.get(terminal.reason, "end_turn")}
    kept = terminal.extra.fields or {} if terminal.extra is not None else {}
    if terminal.stop_sequence is not None and wire.SHOWN not in kept:
        built[wire.SHOWN] = {wire.STOP_SEQUENCE: terminal.stop_sequence}
    return with_extra(built, terminal)


def _ending(response: ir.Response) -> Object:
    return ending(response.candidates[0].terminal, response.protocol == wire.NAME)


def _details(usage: ir.Usage) -> list[Object] | None:
    """Return the counts of cache writes by lifetime, the longest first."""
    found = {name: (usage.details or {}).get(f"{wire.WRITTEN}{ttl}") for name, ttl in wire.TTL.items()}
    made = [{"ttl": ttl, "inputTokens": count} for ttl, count in reversed(found.items()) if count]
    return made or None


USAGE = ObjectWriter(
    wire.USAGE, {"cacheDetails": _details, "totalTokens": lambda usage: usage.all_input + usage.all_output}
)
SERVED: Mapping[str, ByHand] = {
    "usage": USAGE,
    "metrics": lambda response: None if response.protocol == wire.NAME else {"latencyMs": 0},  # required (ENV-2)
}
METADATA = ObjectWriter(wire.SERVED, SERVED)
"""The last event of a stream."""
RESPONSE = ObjectWriter(
    wire.RESPONSE,
    {
        "output/message": _message,
        "stopReason": lambda response: _ending(response)["stopReason"],
        wire.SHOWN: lambda response: _ending(response).get(wire.SHOWN),
        **SERVED,
    },
)


# --- error ------------------------------------------------------------------------------------------------------------
# The type of an error stands in a header and in the body; in a stream it is the event's name.


def kind_of(error: ir.Error) -> str:
    """Return the error's own type if it belongs to its category, else the type of the category."""
    own = error.type if error.protocol == wire.NAME else None
    return own if wire.ERROR_TYPE.get(own or "") is error.category and own else wire.ERROR_TYPE_OF[error.category]


def raise_error(error: ir.Error, server: Server) -> Json:
    """Return an error body, which repeats the type for readers without the headers."""
    if error.verbatim:
        return whole(error)
    stated = error.type is not None or error.protocol != wire.NAME
    built: Object = {wire.BODY_TYPE: kind_of(error)} if stated else {}
    return with_extra({**built, "message": error.message}, error)


def reply_headers(node: Any, server: Server) -> dict[str, str]:
    return {wire.ERROR_HEADER: kind_of(node)} if isinstance(node, ir.Error) else {}


def raise_exception(error: ir.Error, server: Server) -> Object:
    """Return an error as an event of a stream; a category without one becomes a server error or a validation error."""
    kind = kind_of(error)
    name = kind[:1].lower() + kind[1:]
    if name not in wire.IN_STREAM:
        server_fails = error.category.value in ("timeout", "server", "overloaded", "unknown")
        name = "internalServerException" if server_fails else "validationException"
    body = {"message": error.message} if error.verbatim else dict(raise_error(error, server))
    body.pop(wire.BODY_TYPE, None)
    return {name: body}
