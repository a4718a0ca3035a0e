"""The IR of a request as a Converse request body: canonical output, from a legal tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from proxai_ir.binding.server import Server
from proxai_ir.ir import request as ir
from proxai_ir.ir.turns import SYSTEM, Turn
from proxai_ir.wire import bedrock_converse as wire

from .._lib.writing import Object, dumps, put, with_extra
from .parts import content, message
from .tools import tool_config


def raise_request(request: ir.Request, server: Server) -> Object:
    turns = request.turns or []
    built: Object = {}
    if turns and turns[0].role is SYSTEM:
        built["system"] = content(turns[0].parts)
        turns = turns[1:]
    built["messages"] = _messages(turns)
    sampling, thinking = request.sampling or ir.Sampling(), request.thinking or ir.Thinking()
    inference = put(
        {},
        maxTokens=request.max_tokens,
        temperature=sampling.temperature,
        topP=sampling.top_p,
        stopSequences=sampling.stop,
    )
    put(
        built,
        inferenceConfig=inference or None,
        toolConfig=tool_config(request) or None,
        additionalModelRequestFields=ADDITIONAL[server.family](sampling, thinking) or None,
        outputConfig=_output(request, server) or None,
    )
    service = request.service or ir.Service()
    if service.fast is not None:
        built["performanceConfig"] = {"latency": wire.LATENCY_OF[service.fast]}
    if service.tier is not None:
        built["serviceTier"] = {"type": wire.TIER_OF[service.tier]}
    put(built, requestMetadata=service.metadata)
    with_extra(built, request)
    if "modelId" in built:
        built["modelId"] = request.model
    return built


def _messages(turns: Sequence[Turn]) -> list[Object]:
    """Roles have to alternate: neighbours of one role are one message (PLC-5)."""
    made: list[Object] = []
    for turn in turns:
        one = message(turn)
        if made and turn.extra is None and made[-1].keys() == {"role", "content"} and made[-1]["role"] == one["role"]:
            made[-1]["content"] += one["content"]
        else:
            made.append(one)
    return made


def route(root: Any, server: Server) -> dict[str, Any]:
    """The model and whether the response is streamed, which stand in the URL."""
    if not isinstance(root, ir.Request):
        return {}
    model = root.model if root.model is not None else server.model
    streams = root.streaming is not None and bool(root.streaming.stream)
    made: dict[str, Any] = {"model": model, "stream": streams}
    if model is not None:
        name = quote(model, safe="", errors="replace")
        made["path"] = f"/model/{name}/{'converse-stream' if streams else 'converse'}"
    return made


# --- output and thinking ----------------------------------------------------------------------------------------------


def _output(request: ir.Request, server: Server) -> Object:
    built: Object = {}
    wanted = request.output.format if request.output is not None else None
    if isinstance(wanted, ir.SchemaFormat):
        schema = {"schema": dumps(wanted.schema, (wanted, "schema"))}
        structure = {"jsonSchema": put(schema, name=wanted.name, description=wanted.description)}
        built["textFormat"] = with_extra({"type": wire.JSON_SCHEMA, "structure": structure}, wanted)
    effort = request.thinking.effort if request.thinking is not None else None
    if effort is not None and server.family in ("claude", "other"):
        built["effort"] = effort.value
    return built


def _claude(sampling: ir.Sampling, thinking: ir.Thinking) -> Object:
    built = put({}, top_k=sampling.top_k)
    if thinking.mode is not None or thinking.budget is not None or thinking.display is not None:
        built["thinking"] = put(
            {},
            type=None if thinking.mode is None else thinking.mode.value,
            budget_tokens=thinking.budget,
            display=None if thinking.display is None else thinking.display.value,
        )
    return built


def _top(thinking: ir.Thinking) -> str | None:
    """The effort, of models whose highest is `high`."""
    if thinking.effort is None:
        return None
    return thinking.effort.value if thinking.effort in wire.TOP_EFFORT.values() else "high"


def _nova(sampling: ir.Sampling, thinking: ir.Thinking) -> Object:
    built: Object = {} if sampling.top_k is None else {"inferenceConfig": {"topK": sampling.top_k}}
    off = thinking.mode is ir.ThinkingMode.DISABLED
    if thinking.mode is not None or thinking.effort is not None:
        built["reasoningConfig"] = put(
            {"type": "disabled" if off else "enabled"}, maxReasoningEffort=None if off else _top(thinking)
        )
    return built


def _openai(_: ir.Sampling, thinking: ir.Thinking) -> Object:
    return put({}, reasoning_effort=_top(thinking))


ADDITIONAL: Mapping[str, Callable[[ir.Sampling, ir.Thinking], Object]] = {
    "claude": _claude,
    "nova": _nova,
    "openai": _openai,
    "other": lambda _sampling, _thinking: {},
}
"""By family of models: what stands in `additionalModelRequestFields`."""
