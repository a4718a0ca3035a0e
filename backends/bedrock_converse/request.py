"""The IR of a request as a Converse request body: canonical output, from a legal tree. The model stands in the URL."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from proxai_ir import ir
from proxai_ir.binding.server import Server
from proxai_ir.ir.turns import SYSTEM
from proxai_ir.wire import bedrock_converse as wire

from .._lib.objects import ObjectWriter
from .._lib.writing import Object, dumps, put, with_extra
from .._lib.writing import route as routed
from .parts import content, message
from .tools import tool_choice, tool_list


def raise_request(request: ir.Request, server: Server) -> Object:
    built: Object = {}
    turns = request.turns or []
    if turns and turns[0].role is SYSTEM and turns[0].extra is None:
        built["system"] = content(turns[0].parts)
        turns = turns[1:]
    if request.turns is not None:
        built["messages"] = [message(turn) for turn in turns]
    sampling, output = request.sampling or ir.Sampling(), request.output or ir.Output()
    inference = put({}, maxTokens=request.max_tokens, temperature=sampling.temperature, topP=sampling.top_p)
    put(built, inferenceConfig=put(inference, stopSequences=sampling.stop) or None)
    config = put({}, tools=tool_list(request) or None, toolChoice=tool_choice(request.tool_choice))
    put(built, toolConfig=config or None)
    thinking = request.thinking or ir.Thinking()
    added, effort = ADDED[server.family](thinking, sampling)
    form = FORMAT.write(output.format) if isinstance(output.format, ir.SchemaFormat) else None
    put(built, outputConfig=put({}, textFormat=form, effort=effort) or None)
    put(built, **{wire.ADDED: added or None})
    return with_extra(_service(built, request.service or ir.Service()), request)


def _service(built: Object, service: ir.Service) -> Object:
    if service.fast is not None:
        built["performanceConfig"] = {"latency": wire.LATENCY_OF[service.fast]}
    if service.tier is not None:
        built["serviceTier"] = {"type": wire.TIER_OF[service.tier]}
    return put(built, requestMetadata=service.metadata or None)


FORMAT = ObjectWriter(
    wire.SCHEMA, {"structure/jsonSchema/schema": lambda form: dumps(form.schema or {}, (form, "schema"))}
)

# --- by family --------------------------------------------------------------------------------------------------------

Added = tuple[Object, str | None]
"""`additionalModelRequestFields`, and the effort where that has a member of its own."""


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


def _gpt(thinking: ir.Thinking, _: ir.Sampling) -> Added:
    return put({}, reasoning_effort=_word(thinking)), None


def _word(thinking: ir.Thinking) -> str | None:
    return None if thinking.effort is None else thinking.effort.value


ADDED = {"anthropic": _claude, "nova": _nova, "openai": _gpt, "other": lambda *_: ({}, None)}


def _path(model: str, streams: bool) -> str:
    return f"/model/{quote(model, safe='')}/{'converse-stream' if streams else 'converse'}"


def route(root: Any, server: Server) -> Object:
    return routed(root, server, _path)
