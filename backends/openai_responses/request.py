"""The IR of a request as a Responses request body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.ir import request as ir
from proxai_ir.ir.parts import CustomCall
from proxai_ir.ir.tools import McpToolset
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.rules.conditions import effort_for
from proxai_ir.vendors.openai import vocabulary as openai
from proxai_ir.vendors.openai.restoring import restore_service
from proxai_ir.vendors.openai.writing import put_caching, put_service
from proxai_ir.wire import openai_responses as wire

from .._lib.writing import Object, give_back, put, spelled
from .parts import items, plain
from .tools import choice_of, definition

SCHEMA_NAME = "response"  # OUT-2


def raise_request(request: ir.Request, home: bool, options: Mapping[str, Any]) -> Object:
    model = request.model if request.model is not None else options.get("model")
    built: Object = {} if model is None else {"model": model}
    _input(built, request.turns or [], home)
    if request.tools:
        built["tools"] = [definition(tool, home) for tool in request.tools if type(tool) is not McpToolset]
    if request.tool_choice is not None and (home or built.get("tools")):
        built["tool_choice"] = choice_of(request.tool_choice, home)
    if request.parallel_tools is not None and (home or built.get("tools")):
        built["parallel_tool_calls"] = request.parallel_tools
    if request.max_tokens is not None and (home or not too_short(request)):
        built["max_output_tokens"] = request.max_tokens
    if request.sampling is not None:
        _sampling(built, request.sampling)
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


# --- the conversation -------------------------------------------------------------------------------------------------


def _input(built: Object, turns: list[Turn], home: bool) -> None:
    """Instructions that stand at the very top and are one text have a member of their own (PLC-1)."""
    if turns and (spelled(turns[0], "instructions", True) if home else at_the_top(turns[0])):
        built["instructions"] = turns[0].parts[0].text  # type: ignore[union-attr]
        turns = turns[1:]
    if turns and spelled(turns[0], "input", home):
        built["input"] = turns[0].parts[0].text  # type: ignore[union-attr]
    elif turns or not home:
        customs = {part.id for turn in turns for part in turn.parts if type(part) is CustomCall}
        built["input"] = [item for turn in turns for item in items(turn, home, customs)]


def at_the_top(turn: Turn) -> bool:
    """Those of a developer stay where they stand, as that member does not say whose they are."""
    return turn.role is Role.SYSTEM and bool(turn.parts) and plain(turn.parts)


# --- settings ---------------------------------------------------------------------------------------------------------

FEWEST_TOKENS = 16


def too_short(request: ir.Request) -> bool:
    """Whether the limit is below the lowest that this protocol takes (SMP-2)."""
    return request.max_tokens is not None and request.max_tokens < FEWEST_TOKENS


def _sampling(built: Object, sampling: ir.Sampling) -> None:
    put(built, temperature=sampling.temperature, top_p=sampling.top_p, top_logprobs=sampling.top_logprobs)
    if sampling.logprobs:
        built["include"] = [wire.LOGPROBS]


def _thinking(built: Object, thinking: ir.Thinking, home: bool) -> None:
    effort = None if thinking.effort is None else thinking.effort.value
    if thinking.mode is ir.ThinkingMode.DISABLED:
        effort = openai.NO_EFFORT
    elif effort is None and thinking.budget is not None:
        effort = effort_for(thinking.budget)
    reasoning = put({}, effort=effort)
    if thinking.display is ir.Display.SUMMARIZED:
        reasoning["generate_summary" if spelled(thinking, "generate_summary", home) else "summary"] = wire.SUMMARY
    if reasoning:
        built["reasoning"] = reasoning


def _output(built: Object, output: ir.Output, home: bool) -> None:
    text = put({}, verbosity=output.verbosity)
    if output.format is not None:
        text["format"] = _format(output.format, home)
    if text:
        built["text"] = text


def _format(wanted: ir.Format, home: bool) -> Object:
    if isinstance(wanted, ir.PlainFormat):
        return give_back({"type": "text"}, wanted.extra, home)
    if isinstance(wanted, ir.JsonFormat):
        return give_back({"type": "json_object"}, wanted.extra, home)
    strict, schema = wanted.strict, wanted.schema
    if not home and schema is None:
        strict, schema = None, {"type": "object"}  # SCH-2
    made = put(
        {"type": "json_schema"},
        name=wanted.name if home else wanted.name or SCHEMA_NAME,
        description=wanted.description,
        schema=schema,
        strict=strict,
    )
    return give_back(made, wanted.extra, home)


def _streaming(built: Object, streaming: ir.Streaming, home: bool) -> None:
    options = put({}, include_obfuscation=streaming.obfuscation)
    put(built, stream=streaming.stream, stream_options=options or None)
    give_back(built, streaming.extra, home)
