"""Writes requests, responses, errors and their content as Cohere's chat: canonical output, from a legal tree."""

from __future__ import annotations

from typing import Any

import orjson

from proxai_ir import ir
from proxai_ir.ir.response import UNKNOWN
from proxai_ir.targets.settings import Server
from proxai_ir.wire import cohere_v2_chat as wire

from .._lib.objects import ObjectWriter, UnionWriter, error_writer
from .._lib.writing import Json, Object, arguments_text, filler, put, text_of, with_extra

# --- tools ------------------------------------------------------------------------------------------------------------

TOOLS = UnionWriter(wire.TOOLS, {ir.UnknownTool: lambda tool: tool.raw})
CHOICE_OF = {mode: word for word, mode in wire.CHOICES.items()}


def put_tools(built: Object, request: ir.Request) -> None:
    """Write the tools, their common strictness, and the choice; auto is expressed by no choice."""
    if request.tools:
        built["tools"] = [TOOLS.write(tool) for tool in request.tools]
        strict = [tool.strict for tool in request.tools if isinstance(tool, ir.FunctionTool)]
        stated = [one for one in strict if one is not None]
        put(built, strict_tools=any(stated) if stated else None)
    choice = request.tool_choice
    if isinstance(choice, (ir.Choice, ir.AllowedChoice)) and choice.mode in CHOICE_OF:
        built["tool_choice"] = CHOICE_OF[choice.mode]


CALL = ObjectWriter(wire.CALL, {"function/arguments": arguments_text})


def call(part: ir.FunctionCall, generated: str) -> Object:
    """Return a call; `generated`: the id for a call without one (TUL-17)."""
    made: Object = CALL.write(part)
    return made if part.id is not None else {**made, "id": generated}


# --- parts ------------------------------------------------------------------------------------------------------------


def _url(image: ir.Image) -> str:
    source = image.source
    if isinstance(source, ir.Inline):
        return f"data:{source.mime or ''};base64,{source.data}"
    assert isinstance(source, ir.Url)
    return source.url


def _data(given: ir.Document) -> Json:
    """Return the data of a document; a JSON object alone is written as itself."""
    assert isinstance(given.source, (ir.PlainText, ir.Inline))
    text = text_of(given.source)
    if given.title is None and given.context is None and given.source.mime == wire.JSON:
        found = _json_object(text)
        if found is not None:
            return found
    return put({}, title=given.title, context=given.context) | {"text": text}


def _json_object(text: str) -> Object | None:
    """Return the object whose JSON a text is, or None."""
    try:
        found = orjson.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _text(part: ir.Text) -> Object:
    """Return a text, in the document that it was read from if there was one."""
    kept = (part.extra and part.extra.fields) or {}
    if kept.get("type") != "document":
        return TEXT.write(part)
    form = kept["document"].get("data")
    data: Json = {"text": part.text} if form else None if form == "" else _json_object(part.text)
    if data is None:
        data = part.text
    return {**kept, "document": {**kept["document"], "data": data}}


TEXT = ObjectWriter(wire.CONTENT["text"])
DOCUMENT = ObjectWriter(wire.DOCUMENT, {"data": _data})
CONTENT = UnionWriter(
    wire.CONTENT,
    {
        ir.Image: ObjectWriter(wire.CONTENT["image_url"], {"image_url/url": _url}),
        ir.Text: _text,
        ir.Document: ObjectWriter(wire.CONTENT["document"], {"document/data": _data}),
        ir.UnknownPart: lambda part: part.raw,
    },
)


def content(listed: list[ir.Part]) -> Json:
    """Return a string for one text, else a list of parts."""
    if ir.one_text(listed):
        return listed[0].text if listed else ""  # type: ignore[union-attr]
    return [CONTENT.write(part) for part in listed]


# --- messages ---------------------------------------------------------------------------------------------------------


def message(turn: ir.Turn) -> Object:
    """Return a message; documents of a user's turn are members of the request."""
    built: Object = {"role": wire.ROLE_OF[turn.role]}
    if turn.role is ir.ASSISTANT:
        return with_extra({**built, **assistant(turn.parts)}, turn)
    if turn.role is ir.TOOL:
        (result,) = turn.parts
        assert isinstance(result, ir.ToolResult)
        built["tool_call_id"] = result.call_id
        return with_extra({**built, "content": content(result.parts)}, turn)
    listed = [part for part in turn.parts if not (turn.role is ir.USER and isinstance(part, ir.Document))]
    return with_extra({**built, "content": content(listed)}, turn)


def assistant(listed: list[ir.Part], generated: str | None = None) -> Object:
    """Return the members of an assistant's message; the last text before calls is the plan.

    `generated`: the prefix of generated call ids in a response, whose content is always a list.
    """
    calls = [part for part in listed if isinstance(part, ir.FunctionCall)]
    shown: list[ir.Part] = [part for part in listed if not isinstance(part, ir.FunctionCall)]
    plan = shown.pop() if calls and shown and isinstance(shown[-1], ir.Text) else None
    citations = [made for index, part in enumerate(shown) for made in cited(part, index)]
    built: Object = {}
    if shown or not calls:
        built["content"] = content(shown) if generated is None else [CONTENT.write(part) for part in shown]
    if isinstance(plan, ir.Text):
        built["tool_plan"] = plan.text
        citations += cited(plan, None)
    if calls:
        built["tool_calls"] = [call(part, f"{generated}_{index}") for index, part in enumerate(calls)]
    return put(built, citations=citations or None)


def cited(part: Any, index: int | None) -> list[Object]:
    """Return the citations of a text at an index of the content, or of the plan if there is no index."""
    made = [citation(one, index, len(part.text)) for one in getattr(part, "citations", None) or ()]
    for one in made:
        if "start" in one and "end" in one:
            one.setdefault("text", part.text[one["start"] : one["end"]])
    return made


def citation(one: ir.Citation, index: int | None, length: int) -> Object:
    """Return a citation; one without a span is of the whole text, which has this length.

    Streams do not repeat the cited text, as they do not keep it.
    """
    if isinstance(one, ir.SourceCitation):
        return dict(one.raw)
    assert isinstance(one, ir.UrlCitation)
    page = put({"url": one.url}, title=one.title)
    built: Object = {"start": one.start or 0, "end": length if one.end is None else one.end}
    built["sources"] = [{"type": "document", "document": page}]
    kind = wire.PLAN_CITED if index is None else wire.TEXT_CITED
    return with_extra({**put(built, content_index=index), "type": kind}, one)


# --- request ----------------------------------------------------------------------------------------------------------

sampling = filler(**wire.SAMPLING, stop_sequences="stop")


def raise_request(request: ir.Request, server: Server) -> Object:
    model = request.model if request.model is not None else server.model
    turns = request.turns or []
    built = put({}, model=model, messages=[message(turn) for turn in turns])
    documents = [part for turn in turns if turn.role is ir.USER for part in turn.parts if isinstance(part, ir.Document)]
    if documents:
        built["documents"] = [DOCUMENT.write(part) for part in documents]
        if all(part.cite is False for part in documents):
            built["citation_options"] = {"mode": "OFF"}
    put_tools(built, request)
    put(built, max_tokens=request.max_tokens)
    if request.sampling is not None:
        sampling(built, request.sampling)
    if request.thinking is not None:
        thinking = request.thinking
        if thinking.mode is not None or thinking.budget is not None:
            mode = (thinking.mode or ir.ThinkingMode.ENABLED).value
            built["thinking"] = put({"type": mode}, token_budget=thinking.budget)
    if request.output is not None and request.output.format is not None:
        built["response_format"] = _format(request.output.format)
    if request.streaming is not None:
        put(built, stream=request.streaming.stream)
    return with_extra(built, request)


def _format(wanted: ir.Format) -> Object:
    if isinstance(wanted, ir.PlainFormat):
        return {"type": "text"}
    schema = wanted.schema if isinstance(wanted, ir.SchemaFormat) else None
    return with_extra(put({"type": "json_object"}, json_schema=schema), wanted)


# --- response ---------------------------------------------------------------------------------------------------------

USAGE = ObjectWriter(wire.USAGE)


def raise_response(response: ir.Response, server: Server) -> Object:
    (candidate,) = response.candidates
    turn = candidate.turns[0] if candidate.turns else ir.Turn(ir.ASSISTANT, [])
    message = with_extra({"role": "assistant", **assistant(turn.parts, response.id or "")}, turn)
    built = put({}, id=response.id, **ending(candidate.terminal, response.protocol == wire.NAME), message=message)
    if response.usage is not None:
        built["usage"] = USAGE.write(response.usage)
    if candidate.logprobs is not None:
        built["logprobs"] = scores(candidate.logprobs)
    return with_extra(built, response)


def ending(terminal: ir.Terminal, own: bool) -> Object:
    """Return the members that state how a response ended; `own`: it is of this protocol, whose word is kept."""
    known = own and wire.REASON.get(terminal.raw or "", UNKNOWN) is terminal.reason
    return with_extra(put({}, finish_reason=terminal.raw if known else wire.REASON_OF[terminal.reason]), terminal)


SCORED = ObjectWriter(
    wire.SCORED,
    {
        "token_ids": lambda token: [] if token.id is None else [token.id],
        "logprobs": lambda token: [token.logprob],
    },
)


def scores(given: ir.LogProbs) -> list[Object]:
    return [SCORED.write(token) for token in given.text or ()]


# --- error ------------------------------------------------------------------------------------------------------------

raise_error = error_writer(wire.ERROR)
