"""The IR of a request as a Chat Completions request body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.ir import request as ir
from proxai_ir.rules.conditions import effort_for
from proxai_ir.vendors.openai import vocabulary as openai
from proxai_ir.vendors.openai.restoring import restore_service
from proxai_ir.vendors.openai.writing import put_caching, put_service
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.writing import Object, give_back, put, spelled
from .conditions import unscored
from .parts import TURNS
from .tools import put_choice, put_tools

SCHEMA_NAME = "response"  # OUT-2


def raise_request(request: ir.Request, home: bool, options: Mapping[str, Any]) -> Object:
    model = request.model if request.model is not None else options.get("model")
    built: Object = {} if model is None else {"model": model}
    messages = built["messages"] = []
    for turn in request.turns or ():
        messages.append(TURNS[turn.role](turn, home))  # noqa: PERF401 - a comprehension is a call more
    if request.tools:
        put_tools(built, request, home)
    if request.tool_choice is not None:
        put_choice(built, request, home)
    if request.parallel_tools is not None and (home or built.get("tools")):
        built["parallel_tool_calls"] = request.parallel_tools
    if request.max_tokens is not None:
        _limit(built, request, home)
    if request.sampling is not None:
        _sampling(built, request.sampling, home)
    if request.thinking is not None:
        _thinking(built, request.thinking, home)
    if request.output is not None:
        _output(built, request.output, home)
    if request.caching is not None:
        put_caching(built, request.caching, wire.OPTIONS_TTL)
    if request.service is not None:
        put_service(built, request.service)
        restore_service(built, request.service)
    if request.streaming is not None:
        _streaming(built, request.streaming, home)
    return built if request.extra is None else give_back(built, request.extra, home)


def _limit(built: Object, request: ir.Request, home: bool) -> None:
    if not spelled(request, "max_tokens", home):
        built["max_completion_tokens"] = request.max_tokens
    if spelled(request, "max_tokens", home) or spelled(request, "both limits", home):
        built["max_tokens"] = request.max_tokens


def _sampling(built: Object, sampling: ir.Sampling, home: bool) -> None:
    stop = sampling.stop if home else sampling.stop or None
    put(
        built,
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        top_k=sampling.top_k if home else None,
        stop=stop[0] if stop and spelled(sampling, "one stop", home) else stop,
        seed=sampling.seed,
        frequency_penalty=sampling.frequency_penalty,
        presence_penalty=sampling.presence_penalty,
        logit_bias=sampling.logit_bias,
        n=sampling.candidates,
        logprobs=sampling.logprobs,
        top_logprobs=sampling.top_logprobs if home or not unscored(sampling) else None,
    )


def _thinking(built: Object, thinking: ir.Thinking, home: bool) -> None:
    if thinking.mode is ir.ThinkingMode.DISABLED:
        built["reasoning_effort"] = openai.NO_EFFORT
    elif thinking.effort is not None:
        built["reasoning_effort"] = thinking.effort.value
    elif thinking.budget is not None:
        built["reasoning_effort"] = effort_for(thinking.budget)


def _output(built: Object, output: ir.Output, home: bool) -> None:
    if output.format is not None:
        built["response_format"] = _format(output.format, home)
    put(
        built,
        verbosity=output.verbosity,
        modalities=output.modalities,
        audio=None if output.audio is None else _speech(output.audio, home),
    )


def _speech(speech: ir.Speech, home: bool) -> Object:
    return give_back(put({}, voice=speech.voice, format=speech.format), speech.extra, home)


def _format(wanted: ir.Format, home: bool) -> Object:
    if isinstance(wanted, ir.PlainFormat):
        return give_back({"type": "text"}, wanted.extra, home)
    if isinstance(wanted, ir.JsonFormat):
        return give_back({"type": "json_object"}, wanted.extra, home)
    schema = put(
        {},
        name=wanted.name if home else wanted.name or SCHEMA_NAME,
        description=wanted.description,
        schema=wanted.schema,
        strict=wanted.strict,
    )
    return give_back({"type": "json_schema", "json_schema": schema}, wanted.extra, home)


def _streaming(built: Object, streaming: ir.Streaming, home: bool) -> None:
    options = put({}, include_usage=streaming.usage, include_obfuscation=streaming.obfuscation)
    put(built, stream=streaming.stream, stream_options=options or None)
    give_back(built, streaming.extra, home)
