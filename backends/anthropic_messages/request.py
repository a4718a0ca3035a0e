"""The IR of a request as an Anthropic Messages request body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.ir import request as ir
from proxai_ir.ir.tools import AllowedChoice, Choice, ChoiceMode, McpServer, NamedChoice
from proxai_ir.ir.turns import SYSTEM
from proxai_ir.rules.conditions import unbounded
from proxai_ir.schemas.subset import fitted
from proxai_ir.wire import anthropic_messages as wire

from .._lib.writing import Object, give_back, put, spelled
from .parts import content, message
from .tools import put_choice, put_tools


def raise_request(request: ir.Request, home: bool, options: Mapping[str, Any]) -> Object:
    model = request.model if request.model is not None else options.get("model")
    built: Object = {} if model is None else {"model": model}
    limit = request.max_tokens
    built["max_tokens"] = limit if limit is not None else options["max_tokens"]
    turns = request.turns or []
    if turns and turns[0].role is SYSTEM and not spelled(turns[0], "message", home):
        built["system"] = content(turns[0].parts, home)
        turns = turns[1:]
    messages = built["messages"] = []
    for turn in turns:
        messages.append(message(turn, home))  # noqa: PERF401 - a comprehension is a call more, and most are short
    if request.tools:
        put_tools(built, request, home)
    put_choice(built, request, home)
    if request.sampling is not None:
        _sampling(built, request.sampling, home)
    if request.thinking is not None and (home or not unshown(request)):
        _thinking(built, request.thinking, home)
    elif request.thinking is not None:
        _effort(built, request.thinking.effort)
    if request.output is not None:
        _output(built, request.output, home)
    if request.caching is not None:
        _caching(built, request.caching, home)
    if request.service is not None:
        _service(built, request.service, home)
    if request.streaming is not None:
        _streaming(built, request.streaming, home)
    return built if request.extra is None else give_back(built, request.extra, home)


def too_hot(sampling: ir.Sampling) -> bool:
    """This protocol's temperature ends at 1 (SMP-2)."""
    return sampling.temperature is not None and not 0 <= sampling.temperature <= 1


def unthinking(thinking: ir.Thinking) -> bool:
    """Whether no thinking is asked for, so that there is none to be shown."""
    return thinking.mode is ir.ThinkingMode.DISABLED or thinking.effort is ir.Effort.MINIMAL


def unshown(request: ir.Request) -> bool:
    """Whether thinking would be turned on only to be shown, beside what this wire refuses together with it."""
    forced = isinstance(request.tool_choice, NamedChoice) or (
        isinstance(request.tool_choice, (Choice, AllowedChoice)) and request.tool_choice.mode is ChoiceMode.REQUIRED
    )
    adaptive = request.thinking is not None and request.thinking.mode is ir.ThinkingMode.ADAPTIVE
    return adaptive and (forced or (request.sampling is not None and _chosen(request.sampling)))


LEAST_TOP_P = 0.95  # beside thinking


def _chosen(sampling: ir.Sampling) -> bool:
    """Whether tokens are chosen otherwise than this wire lets them be beside thinking."""
    if sampling.top_p is not None and sampling.top_p < LEAST_TOP_P:
        return True
    if sampling.temperature not in (None, 1) and not too_hot(sampling):
        return True
    return sampling.top_k is not None and not unbounded(sampling)


def blank(sequence: str) -> bool:
    return not sequence.strip()


def _sampling(built: Object, sampling: ir.Sampling, home: bool) -> None:
    stops = sampling.stop
    if not home:
        stops = [one for one in stops or () if not blank(one)] or None
    put(
        built,
        temperature=None if not home and too_hot(sampling) else sampling.temperature,
        top_p=sampling.top_p,
        top_k=None if not home and unbounded(sampling) else sampling.top_k,
        stop_sequences=stops,
    )


def _thinking(built: Object, thinking: ir.Thinking, home: bool) -> None:
    mode, effort = thinking.mode, thinking.effort
    if effort is ir.Effort.MINIMAL:
        mode, effort = ir.ThinkingMode.DISABLED, None  # RSN-7
    if mode is not None or thinking.display is not None or thinking.budget is not None:
        display = None if thinking.display is None or (not home and unthinking(thinking)) else thinking.display.value
        kind = None if mode is None else mode.value
        built["thinking"] = put({}, type=kind, budget_tokens=thinking.budget, display=display)
    _effort(built, effort)


def _effort(built: Object, effort: ir.Effort | None) -> None:
    if effort is not None:
        built["output_config"] = {"effort": effort.value}


def _output(built: Object, output: ir.Output, home: bool) -> None:
    wanted = output.format
    if isinstance(wanted, ir.SchemaFormat) and wanted.schema is not None:
        schema = wanted.schema if home else fitted(wanted.schema, wire.unenforceable)[0]
        made = give_back({"type": "json_schema", "schema": schema}, wanted.extra, home)
        if spelled(output, "output_format", home):
            built["output_format"] = made
        else:
            built["output_config"] = {**built.get("output_config", {}), "format": made}


def _caching(built: Object, caching: ir.Caching, home: bool) -> None:
    if caching.automatic:
        built["cache_control"] = put({"type": "ephemeral"}, ttl=wire.TTL_OF.get(caching.lifetime))
    give_back(built, caching.extra, home)


def _service(built: Object, service: ir.Service, home: bool) -> None:
    tier = wire.REQUEST_TIER_OF.get(service.tier) if service.tier else None
    speed = None if service.fast is None else wire.SPEED_OF[service.fast]
    user = None if service.end_user is None else {"user_id": service.end_user}
    put(built, service_tier=tier, speed=speed, metadata=user)


def _streaming(built: Object, streaming: ir.Streaming, home: bool) -> None:
    put(built, stream=streaming.stream)


def headers(root: Any) -> dict[str, str]:
    """MCP servers are a beta (TUL-24)."""
    tools = (root.tools if isinstance(root, ir.Request) else None) or ()
    return {"anthropic-beta": wire.MCP_BETA} if any(isinstance(tool, McpServer) for tool in tools) else {}
