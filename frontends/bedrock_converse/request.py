"""A Converse request into the IR, member by member, by the READERS table at the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from proxai_ir.ir import request as ir
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.wire import bedrock_converse as wire

from .._lib.reading import (
    Json,
    Object,
    an_object,
    each,
    extra_fields,
    keep,
    missing,
    number,
    optional,
    pick,
    required,
    strings,
    wrong,
)
from .._lib.settings import OUTPUT, SAMPLING, SERVICE, THINKING, Read, read_members, setting
from .parts import ASSISTANT, SYSTEM, USER, Reader, blocks
from .tools import keep_at, read_choice, read_tools


def lower_request(payload: Object) -> ir.Request:
    """The IR of a request body; raises Refusal with everything that is wrong with it."""
    request = ir.Request(wire.NAME)
    request.src = payload
    read_members(request, payload, READERS)
    if request.turns is None and payload.get("promptVariables") is None:
        raise missing(payload, "messages")
    if request.turns and request.turns[-1].role is Role.ASSISTANT:
        request.prefill = True
    return request


# --- turns ------------------------------------------------------------------------------------------------------------


def _messages(request: ir.Request, payload: Object) -> None:
    messages = required(payload, "messages", list)
    turns = each(range(len(messages)), lambda index: _message(messages, index))
    request.turns = turns if request.turns is None else request.turns + turns


def _system(request: ir.Request, payload: Object) -> None:
    parts = blocks(payload, "system", SYSTEM)
    if parts:
        turn = Turn(Role.SYSTEM, parts, None, (payload, "system"))
        request.turns = [turn] if request.turns is None else [turn, *request.turns]


ROLES: dict[str, tuple[Role, Mapping[str, Reader]]] = {
    "user": (Role.USER, USER),
    "assistant": (Role.ASSISTANT, ASSISTANT),
    "system": (Role.SYSTEM, SYSTEM),
}


def _message(messages: list[Json], index: int) -> Turn:
    message = an_object(messages, index)
    role, table = ROLES.get(required(message, "role", str), (None, SYSTEM))
    if role is None:
        raise wrong(message, "role", "one of " + ", ".join(ROLES), "SHP-3")
    return Turn(role, blocks(message, "content", table), None, message, extra_fields(message, {"role", "content"}))


# --- settings ---------------------------------------------------------------------------------------------------------


def _inside(key: str, readers: Mapping[str, Read]) -> Read:
    """Reads the members of an object inside the request, or inside another such object."""

    def read(request: ir.Request, payload: Object) -> None:
        read_members(request, required(payload, key, dict), readers)

    return read


def _word(group: Any, field: str, key: str, table: Mapping[str, Any], *path: str) -> Read:
    """A word of a table; any other stays with this protocol (UNK-4), at its path in the request."""

    def read(request: ir.Request, payload: Object) -> None:
        value = pick(table, payload, key)
        if value is None:
            keep_at(request, (*path, key), payload[key])
        else:
            setattr(group(request, payload), field, value)

    return read


def _model(request: ir.Request, payload: Object) -> None:
    request.model = required(payload, "modelId", str)
    keep(request, "modelId", request.model)


def _text_format(request: ir.Request, config: Object) -> None:
    wanted = required(config, "textFormat", dict)
    if wanted.get("type") != wire.JSON_SCHEMA:
        keep_at(request, ("outputConfig", "textFormat"), wanted)
        return
    structure = required(wanted, "structure", dict)
    given = required(structure, "jsonSchema", dict)
    text = required(given, "schema", str)
    try:
        schema = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise wrong(given, "schema", f"JSON text ({error})", "SHP-3") from None
    if not isinstance(schema, dict):
        raise wrong(given, "schema", "the JSON text of an object", "SHP-3")
    inner = extra_fields(given, {"schema", "name", "description"})
    extra = extra_fields(
        wanted,
        {"type", "structure"},
        nested={"structure": extra_fields(structure, {"jsonSchema"}, nested={"jsonSchema": inner})},
    )
    name, description = optional(given, "name", str), optional(given, "description", str)
    OUTPUT(request, request.src).format = ir.SchemaFormat(schema, name, description, True, wanted, extra)


def _metadata(request: ir.Request, payload: Object) -> None:
    given = required(payload, "requestMetadata", dict)
    SERVICE(request, payload).metadata = {key: required(given, key, str) for key in given} or None


# --- what the models of a family take besides -------------------------------------------------------------------------

_ADDITIONAL = "additionalModelRequestFields"


def _reasoning(request: ir.Request, fields: Object) -> None:
    """OpenAI's models, and others after their example."""
    key = "reasoning_effort" if "reasoning_effort" in fields else "reasoning_config"
    if not isinstance(fields[key], str):
        keep_at(request, (_ADDITIONAL, key), fields[key])
    else:
        _word(THINKING, "effort", key, wire.EFFORT_WORDS, _ADDITIONAL)(request, fields)


def _additional(request: ir.Request, payload: Object) -> None:
    fields = payload[_ADDITIONAL]
    if isinstance(fields, dict):
        read_members(request, fields, ADDITIONAL)
    else:
        keep(request, _ADDITIONAL, fields)


def _object_of(key: str, readers: Mapping[str, Read]) -> Read:
    """The members of an object whose name other models may use for something else."""

    def read_or_keep(request: ir.Request, fields: Object) -> None:
        inner = fields[key]
        if not isinstance(inner, dict):
            keep_at(request, (_ADDITIONAL, key), inner)
            return
        for name, value in inner.items():
            read = readers.get(name) if value is not None else None
            if read is not None:
                read(request, inner)
            elif value is not None:
                keep_at(request, (_ADDITIONAL, key, name), value)

    return read_or_keep


ADDITIONAL: dict[str, Read] = {
    "top_k": setting(SAMPLING, "top_k", "top_k", int),
    "thinking": _object_of(
        "thinking",
        {
            "type": _word(THINKING, "mode", "type", wire.MODE, _ADDITIONAL, "thinking"),
            "budget_tokens": setting(THINKING, "budget", "budget_tokens", int),
            "display": _word(THINKING, "display", "display", wire.DISPLAY, _ADDITIONAL, "thinking"),
        },
    ),
    "output_config": _object_of(
        "output_config", {"effort": _word(THINKING, "effort", "effort", wire.EFFORT, _ADDITIONAL, "output_config")}
    ),
    "inferenceConfig": _object_of("inferenceConfig", {"topK": setting(SAMPLING, "top_k", "topK", int)}),
    "reasoningConfig": _object_of(
        "reasoningConfig",
        {
            "type": _word(THINKING, "mode", "type", wire.MODE, _ADDITIONAL, "reasoningConfig"),
            "maxReasoningEffort": _word(
                THINKING, "effort", "maxReasoningEffort", wire.TOP_EFFORT, _ADDITIONAL, "reasoningConfig"
            ),
        },
    ),
    "reasoning_effort": _reasoning,
    "reasoning_config": _reasoning,
}

READERS: dict[str, Read] = {
    "modelId": _model,
    "messages": _messages,
    "system": _system,
    "inferenceConfig": _inside(
        "inferenceConfig",
        {
            "maxTokens": setting(None, "max_tokens", "maxTokens", int),
            "temperature": setting(SAMPLING, "temperature", "temperature", number),
            "topP": setting(SAMPLING, "top_p", "topP", number),
            "stopSequences": setting(SAMPLING, "stop", "stopSequences", strings),
        },
    ),
    "toolConfig": _inside("toolConfig", {"tools": read_tools, "toolChoice": read_choice}),
    "additionalModelRequestFields": _additional,
    "outputConfig": _inside(
        "outputConfig",
        {"textFormat": _text_format, "effort": _word(THINKING, "effort", "effort", wire.EFFORT, "outputConfig")},
    ),
    "performanceConfig": _inside(
        "performanceConfig", {"latency": _word(SERVICE, "fast", "latency", wire.LATENCY, "performanceConfig")}
    ),
    "serviceTier": _inside("serviceTier", {"type": _word(SERVICE, "tier", "type", wire.TIER, "serviceTier")}),
    "requestMetadata": _metadata,
}
