"""The IR of a request as a Responses request body."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.backends._openai.writing import put_caching, put_service
from proxai_ir.binding.server import Server
from proxai_ir.ir.parts import one_text
from proxai_ir.ir.tools import ToolGroup
from proxai_ir.ir.turns import SYSTEM, Turn
from proxai_ir.wire import openai as openai
from proxai_ir.wire import openai_responses as wire

from .._lib.writing import Object, filler, with_extra
from .parts import input_items, reasoning_of, text_of
from .tools import choice_of, groups_among, put_tools, with_listings


def raise_request(request: ir.Request, server: Server) -> Object:
    model = request.model if request.model is not None else server.model
    built: Object = {} if model is None else {"model": model}
    tools = request.tools or []
    groups = groups_among(tools) if tools else []
    _input(built, request, groups)
    if tools:
        put_tools(built, tools, groups)
    if request.tool_choice is not None:
        built["tool_choice"] = choice_of(request.tool_choice)
    put_numbers(built, request)
    if request.sampling is not None:
        _sampling(built, request.sampling)
    if request.thinking is not None and (reasoning := reasoning_of(request.thinking)):
        built["reasoning"] = reasoning
    if request.output is not None and (text := text_of(request.output)):
        built["text"] = text
    if request.caching is not None:
        put_caching(built, request.caching, wire.OPTIONS_TTL)
    if request.max_tokens == 0:
        del built["max_output_tokens"]
        built.setdefault("prompt_cache_options", {})[wire.PREWARM] = True
    if request.service is not None:
        put_service(built, request.service)
    if request.streaming is not None:
        _streaming(built, request.streaming)
    return built if request.extra is None else _with_members(built, request)


put_numbers = filler(
    parallel_tool_calls="parallel_tools", max_output_tokens="max_tokens", max_tool_calls="hosted_calls"
)


def _with_members(built: Object, request: ir.Request) -> Object:
    """With what only this protocol has: other output that is asked for, and what may hold the input instead."""
    asked = built.get("include", [])
    built = with_extra(built, request)
    if asked and built["include"] is not asked:
        built["include"] = [*asked, *built["include"]]
    if request.turns is None and any(built.get(key) is not None for key in wire.STATE):
        del built["input"]
    return built


# --- the conversation -------------------------------------------------------------------------------------------------


def _input(built: Object, request: ir.Request, groups: list[ToolGroup]) -> None:
    """Instructions that stand at the very top and are one text have a member of their own (PLC-1)."""
    hoisted, turns = 0, request.turns or []
    if turns and _is_instructions(turns[0]):
        built["instructions"] = turns[0].parts[0].text  # type: ignore[union-attr]
        turns = turns[1:]
        hoisted = 1
    items: list[Object] = []
    customs: set[str] = set()
    for turn in turns:
        items += input_items(turn, customs)
    if request.summary is not None:
        items.append({"type": wire.COMPACTION_TRIGGER})
    built["input"] = with_listings(items, groups, hoisted) if groups else items


def _is_instructions(turn: Turn) -> bool:
    """Not those of a developer, as that member does not name a role, nor those with members of their own."""
    return turn.role is SYSTEM and bool(turn.parts) and turn.extra is None and one_text(turn.parts)


# --- settings ---------------------------------------------------------------------------------------------------------


put_sampling = filler(temperature="temperature", top_p="top_p", top_logprobs="top_logprobs")


def _sampling(built: Object, sampling: ir.Sampling) -> None:
    put_sampling(built, sampling)
    if sampling.logprobs:
        built["include"] = [wire.LOGPROBS]


def _streaming(built: Object, streaming: ir.Streaming) -> None:
    if streaming.stream is not None:
        built["stream"] = streaming.stream
    if streaming.obfuscation is not None:
        built["stream_options"] = {"include_obfuscation": streaming.obfuscation}
    if streaming.extra is not None:
        with_extra(built, streaming)
