"""The IR of a request as a generateContent request body: canonical output, from a legal tree."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from proxai_ir import ir
from proxai_ir.binding.server import Server
from proxai_ir.ir.turns import SYSTEM
from proxai_ir.schemas.openapi import legal
from proxai_ir.wire import gemini_generate_content as wire
from proxai_ir.wire import google

from .._lib.writing import Object, filler, put, with_extra
from .._lib.writing import route as routed
from .parts import Contents
from .tools import put_choice, put_tools


def raise_request(request: ir.Request, server: Server) -> Object:
    built: Object = {}
    contents = Contents(server)
    turns = request.turns or []
    if turns and turns[0].role is SYSTEM:
        built["systemInstruction"] = with_extra({"parts": contents.parts(turns[0].parts)}, turns[0])
        turns = turns[1:]
    built["contents"] = [contents.content(turn) for turn in turns]
    put_tools(built, request, server.json_schemas)
    put_choice(built, request)
    config = _generation(request, server)
    if config:
        built["generationConfig"] = config
    if request.service is not None:
        _service(built, request.service)
    if "model" in with_extra(built, request) and wire.model_name(built["model"]) != request.model:
        built["model"] = request.model
    return built


SAMPLING = filler(**{key: member.field for key, member in wire.SAMPLING.plain().items()})


def _generation(request: ir.Request, server: Server) -> Object:
    built: Object = {}
    if request.sampling is not None:
        SAMPLING(built, request.sampling)
    put(built, maxOutputTokens=request.max_tokens)
    if request.output is not None:
        _output(built, request.output, server.json_schemas)
    if request.thinking is not None:
        thinking = _thinking(request.thinking)
        if thinking:
            built["thinkingConfig"] = thinking
    return built


def _thinking(thinking: ir.Thinking) -> Object:
    built: Object = {}
    if thinking.effort is not None:
        built["thinkingLevel"] = wire.LEVEL_OF[thinking.effort]
    budget = thinking.budget
    if budget is None and thinking.mode is not None:
        budget = wire.NO_BUDGET if thinking.mode is ir.ThinkingMode.DISABLED else wire.ADAPTIVE_BUDGET
    put(built, thinkingBudget=budget)
    if thinking.display is not None:
        built["includeThoughts"] = thinking.display is ir.Display.SUMMARIZED
    return built


def _output(built: Object, output: ir.Output, json_schemas: bool) -> None:
    wanted = output.format
    if isinstance(wanted, ir.PlainFormat):
        built["responseMimeType"] = google.PLAIN
    elif isinstance(wanted, ir.EnumFormat):
        built |= {"responseMimeType": wire.ENUM, "responseSchema": legal(wanted.schema)[0]}
    elif wanted is not None:
        built["responseMimeType"] = google.JSON
        if isinstance(wanted, ir.SchemaFormat) and wanted.schema is not None:
            built["responseJsonSchema" if json_schemas else "responseSchema"] = wanted.schema
    if output.modalities is not None:
        built["responseModalities"] = [one.upper() for one in output.modalities]
    if output.audio is not None:
        speech: Object = put({}, languageCode=output.audio.language)
        if output.audio.voice is not None:
            speech["voiceConfig"] = {"prebuiltVoiceConfig": {"voiceName": output.audio.voice}}
        if speech:
            built["speechConfig"] = speech


def _service(built: Object, service: ir.Service) -> None:
    if service.tier is not None:
        built["serviceTier"] = google.TIER_OF[service.tier]
    put(built, labels=service.metadata, store=service.store)


def _path(model: str, streams: bool) -> str:
    return f"/v1beta/{_resource(model)}:{'streamGenerateContent?alt=sse' if streams else 'generateContent'}"


def route(root: Any, server: Server) -> dict[str, Any]:
    return routed(root, server, _path)


def _resource(model: str) -> str:
    """The name of a resource as it is, any other as that of a model; a client's word reaches no other part of a URL."""
    if "/" in model and all(segment.strip(".") for segment in model.split("/")):
        return quote(model, safe="/@", errors="replace")
    return f"models/{quote(model, safe='@', errors='replace')}"
