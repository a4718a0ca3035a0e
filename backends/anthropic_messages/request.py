"""The IR of a request as an Anthropic Messages request body: canonical output, from a legal tree."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.binding.server import Server
from proxai_ir.ir.node import Cache
from proxai_ir.ir.parts import BOOKKEEPING, ToolChange, VendorPart
from proxai_ir.ir.tools import McpServer
from proxai_ir.ir.turns import SYSTEM, Turn
from proxai_ir.wire import anthropic_messages as wire

from .._lib.writing import Object, filler, put, with_extra
from .parts import CACHE, content, message
from .tools import put_choice, put_tools


def raise_request(request: ir.Request, server: Server) -> Object:
    model = request.model if request.model is not None else server.model
    built: Object = {} if model is None else {"model": model}
    if request.max_tokens is not None:
        built["max_tokens"] = request.max_tokens
    turns = request.turns or []
    if turns and turns[0].role is SYSTEM and not _in_messages(turns[0]):
        built["system"] = content(turns[0].parts)
        turns = turns[1:]
    messages = built["messages"] = []
    for turn in turns:
        messages.append(message(turn))  # noqa: PERF401 - a comprehension is a call more, and most are short
    if request.tools:
        put_tools(built, request)
    put_choice(built, request)
    if request.sampling is not None:
        put_sampling(built, request.sampling)
    if request.thinking is not None:
        _thinking(built, request.thinking)
    if request.output is not None:
        _output(built, request.output)
    if request.caching is not None:
        _caching(built, request.caching)
    if request.service is not None:
        _service(built, request.service)
    if request.streaming is not None and request.streaming.stream is not None:
        built["stream"] = request.streaming.stream
    if request.summary is not None:
        built["compaction"] = _compaction(request.summary)
    return with_extra(built, request)


def _compaction(summary: ir.Summary) -> Object:
    return with_extra(put({"type": wire.SUMMARIZE}, instructions=summary.instructions), summary)


def _in_messages(instructions: Turn) -> bool:
    """Whether they have what only stands among the messages: settings, and blocks that only this vendor has."""
    if instructions.extra is not None or instructions.settings is not None:
        return True
    return any(
        type(part) is ToolChange or (type(part) is VendorPart and part.kind != BOOKKEEPING)
        for part in instructions.parts
    )


put_sampling = filler(temperature="temperature", top_p="top_p", top_k="top_k", stop_sequences="stop")


def _thinking(built: Object, thinking: ir.Thinking) -> None:
    mode, display = thinking.mode, thinking.display
    if mode is not None or display is not None or thinking.budget is not None:
        built["thinking"] = put(
            {},
            type=None if mode is None else mode.value,
            budget_tokens=thinking.budget,
            display=None if display is None else display.value,
        )
    if thinking.effort is not None:
        built["output_config"] = {"effort": thinking.effort.value}


def _output(built: Object, output: ir.Output) -> None:
    wanted = output.format
    if isinstance(wanted, ir.SchemaFormat):
        made = with_extra({"type": "json_schema", "schema": wanted.schema}, wanted)
        built.setdefault("output_config", {})["format"] = made


def _caching(built: Object, caching: ir.Caching) -> None:
    if caching.automatic:
        built["cache_control"] = CACHE.write(Cache(caching.lifetime))
    with_extra(built, caching)


def _service(built: Object, service: ir.Service) -> None:
    if service.tier is not None:
        built["service_tier"] = wire.REQUEST_TIER_OF[service.tier]
    if service.fast is not None:
        built["speed"] = wire.SPEED_OF[service.fast]
    if service.end_user is not None:
        built["metadata"] = {"user_id": service.end_user}


def headers(root: ir.Request, server: Server) -> dict[str, str]:
    """The version of the API, and its betas: MCP servers, and messages that set the effort (TUL-24, RSN-46, TUL-27)."""
    needed = {"anthropic-version": server.version}
    betas = [wire.MCP_BETA] if any(isinstance(tool, McpServer) for tool in root.tools or ()) else []
    if root.changes and any(turn.settings is not None and turn.settings.thinking for turn in root.turns or ()):
        betas.append(wire.TURN_SETTINGS_BETA)
    if betas:
        needed["anthropic-beta"] = ",".join(betas)
    return needed
