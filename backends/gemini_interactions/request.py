"""The IR of a request as a body of Interactions: canonical output, from a legal tree."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.binding.server import Server
from proxai_ir.ir.parts import one_text
from proxai_ir.ir.turns import SYSTEM, USER, Turn
from proxai_ir.wire import gemini_interactions as wire
from proxai_ir.wire import google

from .._lib.writing import Json, Object, put, with_extra
from .parts import CONTENT, steps, text_of
from .tools import TOOLS, choice_of

REVISION = {"api-revision": "2026-05-20"}
"""The revision of the API with steps (official client; documentation: "Breaking changes")."""


def raise_request(request: ir.Request, server: Server) -> Object:
    agent = request.extra is not None and bool(request.extra.fields and request.extra.fields.get("agent"))
    model = server.model if request.model is None and not agent else request.model
    built = put({}, model=model)
    turns = request.turns or []
    if turns and turns[0].role is SYSTEM:
        built["system_instruction"] = wire.LINE.join(text_of([part]) for part in turns[0].parts)
        turns = turns[1:]
    if turns or request.extra is None:
        built["input"] = _input(turns, request.protocol == wire.NAME)
    if request.tools:
        built["tools"] = [TOOLS.write(tool) for tool in request.tools]
    if config := _config(request):
        built["generation_config"] = config
    if request.output is not None:
        _output(built, request.output)
    if request.service is not None:
        service = request.service
        tier = None if service.tier is None else google.TIER_OF[service.tier]
        put(built, service_tier=tier, labels=service.metadata, store=service.store)
    if request.streaming is not None:
        put(built, stream=request.streaming.stream)
    return with_extra(built, request)


def _input(turns: list[Turn], own: bool) -> Json:
    """A string, where the input is one text of the user; content that came without a step is written without one."""
    if len(turns) == 1 and turns[0].role is USER and turns[0].extra is None:
        (turn,) = turns
        if one_text(turn.parts):
            return text_of(turn.parts) if turn.parts else []
        given = turn.src[0].get(turn.src[1]) if own and isinstance(turn.src, tuple) else None
        if isinstance(given, list) and all(type(part) in CONTENT for part in turn.parts):
            return [CONTENT[type(part)](part) for part in turn.parts]
    return [step for turn in turns for step in steps(turn, own)]


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
    audio = None if request.output is None else request.output.audio
    if audio is not None and (speech := put({}, voice=audio.voice, language=audio.language)):
        built["speech_config"] = [speech]
    return built


def _output(built: Object, output: ir.Output) -> None:
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
