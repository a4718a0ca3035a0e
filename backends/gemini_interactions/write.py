"""Writes requests, responses, errors and their content as Interactions: canonical output, from a legal tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.envelope import holds_envelope
from proxai_ir.ir.parts import BASH
from proxai_ir.ir.response import UNKNOWN
from proxai_ir.targets.settings import Server
from proxai_ir.wire import gemini_interactions as wire
from proxai_ir.wire import gemini_interactions_objects as objects
from proxai_ir.wire import google, time_of

from .._google.writing import headers_of, raise_usage, signature
from .._lib.objects import ObjectWriter, UnionWriter
from .._lib.writing import Json, Object, arguments_of, base64_of, put, raw, whole, with_extra

# --- parts ------------------------------------------------------------------------------------------------------------
# Rule 1: a turn of this protocol is one step. In turns of other protocols each call, result and thought is a step of
# its own, and adjacent content is one step; in responses each content is a step, as in streams. Rule 2: a thought ends
# with its signature. The signature of a call ends the thought before it, or stands in a thought of its own there; that
# of a text stands in a thought after it (RSN-90).


# --- content ----------------------------------------------------------------------------------------------------------


def annotation(one: ir.Citation, offsets: google.Offsets) -> Object:
    """Return a citation with its span, which this protocol counts in bytes."""
    if isinstance(one, ir.SourceCitation):
        return one.raw
    assert isinstance(one, ir.UrlCitation)  # the table lets no others through
    kept = None if one.extra is None else one.extra.fields
    kind = (kept or {}).get("type", "url_citation")
    address, title = objects.ADDRESS[kind]
    built = put({"type": kind, address: one.url}, **{title: one.title})
    for name, at in (("start_index", one.start), ("end_index", one.end)):
        if at is not None:
            built[name] = offsets.byte(at)
    return built if one.extra is None else with_extra(built, one)


def _annotations(part: ir.Text) -> list[Object]:
    offsets = google.Offsets([part.text])
    return [annotation(one, offsets) for one in part.citations or ()]


def _data(part: Any) -> str | None:
    source = part.source
    if isinstance(source, ir.PlainText):
        return base64_of(source.text, (source, "text"))
    return source.data if isinstance(source, ir.Inline) else None


def _uri(part: Any) -> str | None:
    source = part.source
    return source.id if isinstance(source, ir.FileRef) else source.url if isinstance(source, ir.Url) else None


def _media(kind: str) -> ObjectWriter:
    by_hand = {"data": _data, "uri": _uri, "mime_type": lambda part: part.source.mime}
    return ObjectWriter(objects.CONTENT[kind], by_hand)


CONTENT: dict[type, Callable[[Any], Object]] = {
    **UnionWriter(
        objects.CONTENT,
        {
            ir.Text: ObjectWriter(
                objects.CONTENT["text"],
                {"annotations": lambda part: _annotations(part) if part.citations else None},
            ),
            ir.Image: _media("image"),
            ir.Audio: _media("audio"),
            ir.Video: _media("video"),
            ir.Document: _media("document"),
            ir.Refusal: lambda part: {"type": "text", "text": part.text},
            ir.UnknownPart: raw,
        },
    ).writers
}

# --- steps ------------------------------------------------------------------------------------------------------------


def signed(seal: ir.Seal) -> Object:
    """Return a thought that has nothing but a signature."""
    return {"type": wire.THOUGHT, "signature": signature(seal)}


def has_own_signature(part: Any) -> bool:
    """Return whether a part is a call of this protocol that came with a signature, which goes back on the call."""
    extra = part.extra if type(part) is ir.FunctionCall else None
    return extra is not None and objects.SIGNATURE in (extra.fields or ())


def _function_call(part: ir.FunctionCall) -> Object:
    """Return a call. A signature of its own is the one of its seal, which may have been edited."""
    built = CALL.write(part)
    if has_own_signature(part) and built[objects.SIGNATURE]:
        del built[objects.SIGNATURE]
        put(built, signature=None if part.seal is None else signature(part.seal))
    return built


CALL = ObjectWriter(objects.STEPS["function_call"], {"arguments": arguments_of})


def ends_thought(part: Any) -> bool:
    """Return whether a part has, or is, the signature of the reasoning right before it."""
    ends = type(part) is ir.FunctionCall or (type(part) is ir.Reasoning and not part.text)
    if not ends or has_own_signature(part):
        return False
    return part.seal is not None and part.seal.provider == google.PROVIDER and not holds_envelope(part.seal)


def _thought(parts: list[ir.Reasoning]) -> Object:
    summary = [with_extra({"type": "text", "text": part.text}, part) for part in parts if part.text is not None]
    built: Object = {"type": wire.THOUGHT}
    if summary:
        built["summary"] = summary
    for part in parts:
        if part.seal is not None:
            built["signature"] = signature(part.seal)
    return built


def _returned(part: ir.ToolResult) -> str | list[Object]:
    return text_of(part.parts) if ir.one_text(part.parts) else [CONTENT.get(type(one), raw)(one) for one in part.parts]


def text_of(parts: list[Any]) -> str:
    """Return the string for one text, or for no parts."""
    return getattr(parts[0], "text", "") if parts else ""


def _failed(part: ir.CodeResult) -> bool | None:
    if part.error is not None:
        return True
    return None if part.exit_code is None else part.exit_code != 0


STEP: dict[type, Callable[[Any], Object]] = {
    **UnionWriter(
        objects.STEPS,
        {
            ir.FunctionCall: _function_call,
            ir.ToolResult: ObjectWriter(objects.STEPS["function_result"], {"result": _returned}),
            ir.WebSearchResult: ObjectWriter(
                objects.STEPS["google_search_result"],
                {"result": lambda part: [put({"url": hit.url}, title=hit.title) for hit in part.hits]},
            ),
            ir.CodeCall: ObjectWriter(
                objects.STEPS["code_execution_call"],
                {"arguments/language": lambda part: "bash" if part.language == BASH else "python"},
            ),
            ir.CodeResult: ObjectWriter(
                objects.STEPS["code_execution_result"],
                {"result": lambda part: part.stdout or part.error or "", "is_error": _failed},
            ),
            ir.McpCall: ObjectWriter(objects.STEPS["mcp_server_tool_call"], {"arguments": arguments_of}),
            ir.McpResult: ObjectWriter(
                objects.STEPS["mcp_server_tool_result"], {"result": lambda part: part.text or ""}
            ),
        },
    ).writers,
    ir.HostedCall: raw,
    ir.HostedResult: raw,
    ir.VendorPart: raw,
}
"""Writers of parts that are steps by themselves."""
STEP_OF = {ir.ASSISTANT: wire.MODEL, ir.USER: wire.USER}


def steps(turn: ir.Turn, own: bool, apart: bool = False) -> list[Object]:
    """Return the steps of a turn; `own`: it is of this protocol; `apart`: each content is a step."""
    if own and len(turn.parts) == 1 and isinstance(turn.parts[0], ir.UnknownPart) and turn.parts[0].raw is turn.src:
        return [turn.parts[0].raw]
    made: list[Object] = []
    thought: list[Any] = []  # parts of a thought without a signature so far
    kind: type | None = None
    part: Any
    for part in turn.parts:
        cls = type(part)
        if cls is ir.ToolChange:  # its definition is in the result
            continue
        if cls is ir.Reasoning:
            thought = _think(made, thought, part, own or not apart)
            kind = None
            continue
        if cls in STEP and not (own and turn.role is ir.USER):
            if thought and ends_thought(part):
                made[-1]["signature"] = signature(part.seal)
            else:
                made += _signature(part)
            made.append(STEP[cls](part))
        else:
            if not (kind is not None and (own or not apart)):
                made.append({"type": STEP_OF.get(turn.role, wire.USER), "content": []})
            made[-1]["content"].append((CONTENT.get(cls) or STEP[cls])(part))
            made += (after := _signature(part))
            cls = ir.Reasoning if after else cls
        thought = []
        kind = cls if cls in CONTENT or (own and turn.role is ir.USER) else None
    if own and not made:
        made = [{"type": STEP_OF.get(turn.role, wire.USER)}]
    if made and turn.extra is not None:
        with_extra(made[0], turn)
    return made


def _think(made: list[Object], thought: list[Any], part: ir.Reasoning, together: bool) -> list[Any]:
    """Add reasoning to the thought without a signature, or begin another one; return the thought that has none then.

    `together`: whether a thought may have several texts.
    """
    if thought and (together or ends_thought(part)):
        made.pop()
    else:
        thought = []
    thought.append(part)
    made.append(_thought(thought))
    return thought if part.seal is None else []


def _signature(part: Any) -> list[Object]:
    seal = getattr(part, "seal", None)
    return [] if seal is None or has_own_signature(part) else [signed(seal)]


# --- tools ------------------------------------------------------------------------------------------------------------


def _allowed(server: ir.McpServer) -> list[Object] | None:
    return None if server.allowed_tools is None else [{"tools": server.allowed_tools}]


TOOLS = UnionWriter(
    objects.TOOLS,
    {
        ir.McpServer: ObjectWriter(objects.TOOLS["mcp_server"], {"headers": headers_of, "allowed_tools": _allowed}),
        ir.ClientTool: raw,
        ir.HostedTool: raw,
        ir.UnknownTool: raw,
    },
)


def choice_of(choice: ir.ToolChoice) -> Json:
    if isinstance(choice, ir.Choice):
        word = wire.MODE_OF[choice.mode]
        return word if choice.extra is None else with_extra({"allowed_tools": {"mode": word}}, choice)
    allowed: Object = {}
    if isinstance(choice, ir.NamedChoice):
        allowed = {"mode": "any", "tools": [choice.name]}
    elif isinstance(choice, ir.AllowedChoice):
        allowed = {"mode": wire.MODE_OF[choice.mode], "tools": [name for _, name in choice.tools]}
    return with_extra({"allowed_tools": allowed}, choice)


# --- request ----------------------------------------------------------------------------------------------------------

REVISION = {"api-revision": "2026-05-20"}
"""The revision of the API with steps (official client; documentation: "Breaking changes")."""


def raise_request(request: ir.Request, server: Server) -> Object:
    agent = request.extra is not None and bool(request.extra.fields and request.extra.fields.get("agent"))
    model = server.model if request.model is None and not agent else request.model
    built = put({}, model=model)
    turns = request.turns or []
    if turns and turns[0].role is ir.SYSTEM:
        built["system_instruction"] = wire.LINE.join(text_of([part]) for part in turns[0].parts)
        turns = turns[1:]
    if turns or request.extra is None:
        built["input"] = _input(turns, request.protocol == wire.NAME)
    if request.tools:
        built["tools"] = [TOOLS.write(tool) for tool in request.tools]
    if config := _config(request):
        built["generation_config"] = config
    if request.output is not None and not keeps_format(request):
        _output_format(built, request.output)
    if request.service is not None:
        service = request.service
        tier = None if service.tier is None else google.TIER_OF[service.tier]
        put(built, service_tier=tier, labels=service.metadata, store=service.store)
    if request.streaming is not None:
        put(built, stream=request.streaming.stream)
    return with_extra(built, request)


def _input(turns: list[ir.Turn], own: bool) -> Json:
    """Return a string for one text of the user, content for input that came as content, else steps."""
    if len(turns) == 1 and turns[0].role is ir.USER and turns[0].extra is None:
        (turn,) = turns
        if ir.one_text(turn.parts):
            return text_of(turn.parts) if turn.parts else []
        given = turn.src[0].get(turn.src[1]) if own and isinstance(turn.src, tuple) else None
        if isinstance(given, list) and all(type(part) in CONTENT for part in turn.parts):
            return [CONTENT[type(part)](part) for part in turn.parts]
    made = [step for turn in turns for step in steps(turn, own)]
    return made if own else _named(made)


def _named(made: list[Object]) -> list[Object]:
    """Return the steps with the name of its tool in each result, without which servers refuse them (TUL-3)."""
    names = {step["id"]: step["name"] for step in made if step["type"] == "function_call"}
    for step in made:
        if step["type"] == "function_result" and step["call_id"] in names:
            step.setdefault("name", names[step["call_id"]])
    return made


def _config(request: ir.Request) -> Object:
    built: Object = {}
    if request.sampling is not None:
        one = request.sampling
        put(built, temperature=one.temperature, top_p=one.top_p, seed=one.seed, stop_sequences=one.stop)
    put(built, max_output_tokens=request.max_tokens)
    if request.thinking is not None:
        effort, display = request.thinking.effort, request.thinking.display
        put(built, thinking_level=None if effort is None else effort.value)
        put(built, thinking_summaries=None if display is None else wire.SUMMARIES_OF[display])
    if request.tool_choice is not None:
        built["tool_choice"] = choice_of(request.tool_choice)
    output = request.output
    if output is not None and output.audio is not None and (speech := _speech(output.audio)):
        built["speech_config"] = speech
    picture = None if output is None or keeps_format(request) else output.picture
    if picture is not None and (made := put({}, aspect_ratio=picture.aspect_ratio, image_size=picture.size)):
        built["image_config"] = made
    return built


def keeps_format(request: ir.Request) -> bool:
    """Return whether a request of this protocol has its formats as they were."""
    return request.extra is not None and "response_format" in (request.extra.fields or ())


def _speech(audio: ir.Speech) -> list[Object]:
    """Return the settings of each speaker."""
    if audio.speakers is None:
        one = put({}, voice=audio.voice, language=audio.language)
        return [one] if one else []
    return [put({}, speaker=speaker, voice=voice, language=audio.language) for speaker, voice in audio.speakers.items()]


def _output_format(built: Object, output: ir.Output) -> None:
    wanted = output.format
    if wanted is not None:
        plain = isinstance(wanted, ir.PlainFormat)
        made: Object = {"type": "text", "mime_type": google.PLAIN if plain else google.JSON}
        if isinstance(wanted, ir.SchemaFormat):
            put(made, schema=wanted.schema)
        built["response_format"] = made
    put(built, response_modalities=output.modalities)


def headers(root: ir.Request, server: Server) -> dict[str, str]:
    return dict(REVISION)


# --- response ---------------------------------------------------------------------------------------------------------


def raise_response(response: ir.Response, server: Server) -> Object:
    (candidate,) = response.candidates
    own = response.protocol == wire.NAME
    built = {**envelope(response, status(candidate.terminal, own)), **around(response)}
    built["steps"] = [step for turn in candidate.turns for step in steps(turn, own, apart=True)]
    for at, step in enumerate(built["steps"]):
        if step["type"] == wire.CALL and step["id"] is None:
            step["id"] = generated_id(response, at)
    if explained := explanation(candidate):
        texts = [part.text for part in candidate.parts if isinstance(part, ir.Text)]
        built["steps"] += [] if any(texts) else [text_step(explained)]
    if response.usage is not None:
        built["usage"] = raise_usage(response.usage, wire.TOKENS, own)
    return with_extra(built, response)


def explanation(candidate: ir.Candidate) -> str | None:
    """Return the explanation of a refusal, which is its text if there is no other (REF-5)."""
    details = candidate.terminal.refusal
    return None if details is None or candidate.terminal.reason is not ir.REFUSAL else details.explanation


def generated_id(response: ir.Response, index: int) -> str:
    """Return the id of a call without one, by the number of its step (TUL-17)."""
    return f"call_{response.id}_{index}"


def text_step(text: str) -> Object:
    return {"type": wire.MODEL, "content": [{"type": "text", "text": text}]}


def envelope(response: ir.Response, word: str | None) -> Object:
    """Return the members that the first event of a stream has."""
    return put({}, id=response.id, status=word, object=wire.OBJECT, model=response.model)


def around(response: ir.Response) -> Object:
    """Return the members that are known when a response is complete."""
    time = None if response.created is None else time_of(response.created)
    tier = None if response.tier is None else google.TIER_OF[response.tier]
    return put({}, created=time, updated=None if response.protocol == wire.NAME else time, service_tier=tier)


def status(terminal: ir.Terminal, own: bool) -> str | None:
    """Return the status of a response; `own`: it is of this protocol, whose word is kept."""
    if own and wire.STATUS.get(terminal.raw or "", UNKNOWN) is terminal.reason:
        return terminal.raw
    if own and terminal.raw == wire.COMPLETED:
        return terminal.raw  # although the interaction has calls
    return wire.STATUS_OF[terminal.reason]


# --- error ------------------------------------------------------------------------------------------------------------
# An error is `{"error": {"code", "message"}}`.


def raise_error(error: ir.Error, server: Server) -> Json:
    if error.verbatim:
        return whole(error)
    extra = (error.extra.fields if error.extra is not None else None) or {}
    if extra.get("status") == wire.FAILED:  # an interaction that failed
        listed = [{"code": error.type, "message": error.message}]
        return with_extra({"errors": listed}, error)
    inner = extra.get("error") or {}
    made = {"message": error.message}
    if isinstance(inner.get("code"), int) and error.type is not None:  # the form of older servers
        made["status"] = error.type
    elif error.type is not None or error.protocol != wire.NAME:
        made["code"] = word_of(error)
    return with_extra({"error": made}, error)


def word_of(error: ir.Error) -> str:
    """Return this protocol's own word for an error, or that of the category."""
    own = wire.ERRORS.get((error.type or "").lower())
    if error.type is not None and (error.protocol == wire.NAME or own is error.category):
        return error.type
    if isinstance(error.code, str) and wire.ERRORS.get(error.code) is error.category:
        return error.code
    return wire.ERROR_OF[error.category]
