"""A Converse request into the IR, member by member, by the tables at the end.

Settings of one family of models stand in `additionalModelRequestFields`, under names that no other family has, so that
they can be read without the name of a model. Rules: PLC-1, TUL-2, TUL-7, OUT-1, RSN-1, SMP-80.
"""

from __future__ import annotations

import orjson

from proxai_ir import ir
from proxai_ir.json.pointer import parsed
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import bedrock_converse as wire

from .._lib.objects import ObjectReader
from .._lib.reading import Object, each_object, keep, kept, known_word, missing, number, required, strings, wrong
from .._lib.settings import OUTPUT, SAMPLING, SERVICE, THINKING, Read, read_members, setting, within, word
from .parts import (
    ASSISTANT,
    SYSTEM,
    TURN,
    USER,
    blocks,
    find_hosted,
    read_choice,
    read_claudes_choice,
    read_client_tools,
    read_tools,
)


def lower_request(payload: Object) -> ir.Request:
    """Return the IR of a request body; raises Refusal with everything that is wrong with it."""
    request = ir.Request(wire.NAME, src=payload)
    read_members(request, payload, READERS)
    if request.turns is None and "promptVariables" not in payload:
        raise missing(payload, "messages")
    run_there = {tool.kind for tool in request.tools or () if isinstance(tool, (ir.WebSearchTool, ir.HostedTool))}
    for turn in request.turns or ():
        if turn.role is ir.Role.ASSISTANT:
            find_hosted(turn, run_there)
    if request.turns and request.turns[-1].role is ir.Role.ASSISTANT:
        request.prefill = True
    return request


# --- turns ------------------------------------------------------------------------------------------------------------

ROLES = {"user": (ir.Role.USER, USER), "assistant": (ir.Role.ASSISTANT, ASSISTANT), "system": (ir.Role.SYSTEM, SYSTEM)}


def read_turn(message: Object) -> ir.Turn:
    role, table = known_word(message, "role", ROLES)
    return ir.Turn(role, blocks(message, "content", table), src=message, extra=kept(message, TURN))


def _messages(request: ir.Request, payload: Object) -> None:
    turns = each_object(required(payload, "messages", list), read_turn)
    request.turns = [*(request.turns or ()), *turns]


def _system(request: ir.Request, payload: Object) -> None:
    turn = ir.Turn(ir.Role.SYSTEM, blocks(payload, "system", SYSTEM), src=(payload, "system"))
    request.turns = [*([turn] if turn.parts else ()), *(request.turns or ())]


def _model(request: ir.Request, payload: Object) -> None:
    """Read the model of a request as boto3 gets it, in logs; on the wire it stands in the URL."""
    request.model = required(payload, "modelId", str)
    keep(request, "modelId", request.model)


# --- settings ---------------------------------------------------------------------------------------------------------


def _schema(holder: Object, key: str) -> Object:
    """Return a schema, which is written as JSON text here."""
    try:
        found = orjson.loads(holder[key])
    except orjson.JSONDecodeError as error:
        raise Refusal("SHP-6", (holder, key), str(error)) from None
    if not isinstance(found, dict):
        raise wrong(holder, key, "the JSON text of an object", "SHP-3")
    return parsed(found, (holder, key))  # type: ignore[no-any-return]


def _format(key: str, form: ObjectReader) -> Read:
    """Return the reader of an output format, in Converse's form or in Claude's own; of two, the second is kept."""

    def read(request: ir.Request, config: Object) -> None:
        given = required(config, key, dict)
        if given.get("type") != wire.SCHEMA_TYPE or (request.output is not None and request.output.format is not None):
            keep(request, key, given)
        else:
            OUTPUT(request, config).format = form(given)

    return read


TEXT_FORMAT = _format("textFormat", ObjectReader(wire.SCHEMA, {"structure/jsonSchema/schema": _schema}))
CLAUDES_FORMAT = _format("format", ObjectReader(wire.CLAUDES_SCHEMA))


def _level(key: str) -> Read:
    """Return the reader of an effort, or of no thinking, by one word; another value, as the object in which older
    requests have Claude's thinking, is kept."""

    def read(request: ir.Request, fields: Object) -> None:
        value = fields[key]
        found = wire.EFFORT.get(value) if isinstance(value, str) else None
        if found is not None:
            THINKING(request, fields).effort = found
        elif value == wire.NO_EFFORT:
            THINKING(request, fields).mode = ir.ThinkingMode.DISABLED
        else:
            keep(request, key, value)

    return read


INFERENCE: dict[str, Read] = {
    "maxTokens": setting(None, "max_tokens", "maxTokens", int),
    "temperature": setting(SAMPLING, "temperature", "temperature", number),
    "topP": setting(SAMPLING, "top_p", "topP", number),
    "stopSequences": setting(SAMPLING, "stop", "stopSequences", strings),
}
TYPE = {"type": word(THINKING, "mode", "type", wire.THINKING)}
CLAUDES = {
    **TYPE,
    "display": word(THINKING, "display", "display", wire.DISPLAY),
    "budget_tokens": setting(THINKING, "budget", "budget_tokens", int),
}
EFFORT = {"effort": word(THINKING, "effort", "effort", wire.EFFORT)}
ADDED: dict[str, Read] = {
    "thinking": within("thinking", CLAUDES),
    "reasoningConfig": within(
        "reasoningConfig", {**TYPE, "maxReasoningEffort": word(THINKING, "effort", "maxReasoningEffort", wire.EFFORT)}
    ),
    "reasoning": within("reasoning", {"effort": _level("effort")}),
    "reasoning_config": _level("reasoning_config"),
    "reasoning_effort": _level("reasoning_effort"),
    "output_config": within("output_config", {**EFFORT, "format": CLAUDES_FORMAT}),
    "tools": read_client_tools,
    "tool_choice": read_claudes_choice,
    "top_k": setting(SAMPLING, "top_k", "top_k", int),
    "inferenceConfig": within("inferenceConfig", {"topK": setting(SAMPLING, "top_k", "topK", int)}),
}
READERS: dict[str, Read] = {
    "modelId": _model,
    "messages": _messages,
    "system": _system,
    "inferenceConfig": within("inferenceConfig", INFERENCE),
    "toolConfig": within("toolConfig", {"tools": read_tools, "toolChoice": read_choice}),
    wire.ADDED: within(wire.ADDED, ADDED),
    "outputConfig": within("outputConfig", {"textFormat": TEXT_FORMAT, **EFFORT}),
    "performanceConfig": within("performanceConfig", {"latency": word(SERVICE, "fast", "latency", wire.LATENCY)}),
    "serviceTier": within("serviceTier", {"type": word(SERVICE, "tier", "type", wire.TIER)}),
    "requestMetadata": setting(SERVICE, "metadata", "requestMetadata", dict),
}
