"""The IR of a request as an Anthropic Messages request body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.ir import request as ir
from proxai_ir.ir import tools
from proxai_ir.ir.turns import SYSTEM
from proxai_ir.wire import anthropic_messages as wire

from ..building import Object, give_back, put, spelled
from .parts import content, finish, marker, message


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
        _tools(built, request, home)
    _choice(built, request, home)
    if request.sampling is not None:
        _sampling(built, request.sampling, home)
    if request.thinking is not None:
        _thinking(built, request.thinking, home)
    if request.output is not None:
        _output(built, request.output, home)
    if request.caching is not None:
        _caching(built, request.caching, home)
    if request.service is not None:
        _service(built, request.service, home)
    if request.streaming is not None:
        _streaming(built, request.streaming, home)
    return built if request.own is None else give_back(built, request.own, home)


def too_hot(sampling: ir.Sampling) -> bool:
    """This protocol's temperature ends at 1 (SMP-2)."""
    return sampling.temperature is not None and not 0 <= sampling.temperature <= 1


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
        top_k=sampling.top_k,
        stop_sequences=stops,
    )


def _thinking(built: Object, thinking: ir.Thinking, home: bool) -> None:
    mode, effort = thinking.mode, thinking.effort
    if effort is ir.Effort.MINIMAL:
        mode, effort = ir.ThinkingMode.DISABLED, None  # RSN-7
    if mode is not None or thinking.display is not None or thinking.budget is not None:
        display = None if thinking.display is None else thinking.display.value
        kind = None if mode is None else mode.value
        built["thinking"] = put({}, type=kind, budget_tokens=thinking.budget, display=display)
    if effort is not None:
        built["output_config"] = {"effort": effort.value}


def _output(built: Object, output: ir.Output, home: bool) -> None:
    wanted = output.format
    if isinstance(wanted, ir.SchemaFormat) and wanted.schema is not None:
        made = give_back({"type": "json_schema", "schema": wanted.schema}, wanted.own, home)
        if spelled(output, "output_format", home):
            built["output_format"] = made
        else:
            built["output_config"] = {**built.get("output_config", {}), "format": made}


def _caching(built: Object, caching: ir.Caching, home: bool) -> None:
    if caching.automatic:
        built["cache_control"] = marker(caching.lifetime, home) if caching.lifetime else {"type": "ephemeral"}
    give_back(built, caching.own, home)


def _service(built: Object, service: ir.Service, home: bool) -> None:
    tier = wire.REQUEST_TIER_OF.get(service.tier) if service.tier else None
    speed = None if service.fast is None else wire.SPEED_OF[service.fast]
    user = None if service.end_user is None else {"user_id": service.end_user}
    put(built, service_tier=tier, speed=speed, metadata=user)


def _streaming(built: Object, streaming: ir.Streaming, home: bool) -> None:
    put(built, stream=streaming.stream)


# --- tools ------------------------------------------------------------------------------------------------------------


def excluded(request: ir.Request) -> list[tools.FunctionTool]:
    """The function tools that the choice does not allow, where it allows only some (TUL-12)."""
    choice = request.tool_choice
    if not isinstance(choice, tools.AllowedChoice):
        return []
    defined = [tool for tool in request.tools or () if isinstance(tool, tools.FunctionTool)]
    kept = {id(tool) for tool in tools.allowed(choice, defined)}
    return [tool for tool in defined if id(tool) not in kept]


def _tools(built: Object, request: ir.Request, home: bool) -> None:
    out = {id(tool) for tool in excluded(request)} if request.tool_choice is not None else ()
    made = [_tool(tool, home) for tool in request.tools or () if id(tool) not in out]
    if made:
        built["tools"] = made


def _tool(tool: tools.Tool, home: bool) -> Object:
    if isinstance(tool, tools.FunctionTool):
        return _function(tool, home)
    if isinstance(tool, tools.WebSearchTool):
        return _web_search(tool, home)
    assert isinstance(tool, (tools.HostedTool, tools.UnknownTool))
    return tool.raw


def _function(tool: tools.FunctionTool, home: bool) -> Object:
    built: Object = {"type": "custom", "name": tool.name} if spelled(tool, "typed", home) else {"name": tool.name}
    if tool.description is not None:
        built["description"] = tool.description
    built["input_schema"] = schema_of(tool, home)
    if tool.strict is not None:
        built["strict"] = tool.strict
    return built if tool.cache is None and tool.own is None else finish(built, tool, home)


def schema_of(tool: tools.FunctionTool, home: bool) -> Object:
    """The parameters, which this wire wants to say that they are an object's (SCH-2)."""
    schema = tool.parameters
    if home and schema is not None:
        return schema
    return schema if schema is not None and "type" in schema else {"type": "object", **(schema or {})}


def _web_search(tool: tools.WebSearchTool, home: bool) -> Object:
    built: Object = {"type": tool.sort if home else wire.WEB_SEARCH_TOOL, "name": "web_search"}
    put(built, allowed_domains=tool.allowed_domains, blocked_domains=tool.blocked_domains, max_uses=tool.max_uses)
    if tool.location is not None:
        place = tool.location
        about = put({"type": "approximate"}, city=place.city, region=place.region)
        put(about, country=place.country, timezone=place.timezone)
        built["user_location"] = give_back(about, place.own, home)
    return finish(built, tool, home)


MODES = {tools.ChoiceMode.AUTO: "auto", tools.ChoiceMode.REQUIRED: "any", tools.ChoiceMode.NONE: "none"}


def _choice(built: Object, request: ir.Request, home: bool) -> None:
    choice, parallel = request.tool_choice, request.parallel_tools
    if (choice is None and parallel is None) or (not home and not built.get("tools")):
        return
    made: Object = {"type": "auto"}
    if isinstance(choice, (tools.Choice, tools.AllowedChoice)):
        made = {"type": MODES[choice.mode]}
    elif isinstance(choice, tools.NamedChoice):
        made = {"type": "tool", "name": choice.name}
    if parallel is not None and (home or made["type"] != "none"):
        made["disable_parallel_tool_use"] = not parallel
    built["tool_choice"] = made if choice is None else give_back(made, choice.own, home)
