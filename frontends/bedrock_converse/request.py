"""A Converse request into the IR, member by member, by the tables at the end.

What models of one family alone take stands in `additionalModelRequestFields`, under names that no other family has, so
that reading needs no name of a model. Rules: PLC-1, TUL-2, TUL-7, OUT-1, RSN-1, SMP-80.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from proxai_ir.ir import request as ir
from proxai_ir.ir.node import Extra
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.json.pointer import parsed
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import bedrock_converse as wire

from .._lib.objects import ObjectReader
from .._lib.reading import (
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
from .parts import ASSISTANT, SYSTEM, USER, blocks
from .tools import keep_inside, read_choice, read_tools


def lower_request(payload: Object) -> ir.Request:
    """The IR of a request body; raises Refusal with everything that is wrong with it."""
    request = ir.Request(wire.NAME, src=payload)
    read_members(request, payload, READERS)
    if request.turns is None and "promptVariables" not in payload:
        raise missing(payload, "messages")
    if request.turns and request.turns[-1].role is Role.ASSISTANT:
        request.prefill = True
    return request


def inside(readers: Mapping[str, Read], key: str) -> Read:
    """Reads an object inside the request by its own table."""
    return lambda request, payload: read_members(request, required(payload, key, dict), readers)


# --- turns ------------------------------------------------------------------------------------------------------------

ROLES = {"user": (Role.USER, USER), "assistant": (Role.ASSISTANT, ASSISTANT), "system": (Role.SYSTEM, SYSTEM)}


def read_turn(message: Object) -> Turn:
    name = required(message, "role", str)
    if name not in ROLES:
        raise wrong(message, "role", "one of " + ", ".join(ROLES), "SHP-3")
    role, table = ROLES[name]
    found = Turn(role, blocks(message, "content", table), src=message)
    found.extra = extra_fields(message, {"role", "content"})
    return found


def _messages(request: ir.Request, payload: Object) -> None:
    listed = required(payload, "messages", list)
    turns = each(range(len(listed)), lambda index: read_turn(an_object(listed, index)))
    request.turns = [*(request.turns or ()), *turns]


def _system(request: ir.Request, payload: Object) -> None:
    turn = Turn(Role.SYSTEM, blocks(payload, "system", SYSTEM), src=(payload, "system"))
    request.turns = [*([turn] if turn.parts else ()), *(request.turns or ())]


# --- settings ---------------------------------------------------------------------------------------------------------


def _format(request: ir.Request, config: Object) -> None:
    OUTPUT(request, config).format = FORMAT(required(config, "textFormat", dict))


def _schema(holder: Object, key: str) -> Object:
    """A schema, which stands here as its JSON text."""
    try:
        found = orjson.loads(holder[key])
    except orjson.JSONDecodeError as error:
        raise Refusal("SHP-6", (holder, key), str(error)) from None
    if not isinstance(found, dict):
        raise wrong(holder, key, "the JSON text of an object", "SHP-3")
    return parsed(found, (holder, key))  # type: ignore[no-any-return]


FORMAT = ObjectReader(wire.SCHEMA, {"structure/jsonSchema/schema": _schema})


def _thinking(key: str, effort: str) -> Read:
    """Reads Claude's, or Nova's, which has an effort in it: what has no field stays."""

    def read(request: ir.Request, fields: Object) -> None:
        value, thinking = required(fields, key, dict), THINKING(request, fields)
        known = {"budget_tokens"}
        for name, field, table in (("type", "mode", wire.THINKING), ("display", "display", wire.DISPLAY)):
            found = pick(table, value, name)
            if found is not None:
                setattr(thinking, field, found)
                known.add(name)
        level = pick(wire.EFFORT, value, effort) if effort else None
        if level is not None:
            thinking.effort = level
            known.add(effort)
        thinking.budget = optional(value, "budget_tokens", int) or thinking.budget
        _keep_added(request, key, extra_fields(value, known))

    return read


def _reasoning(request: ir.Request, fields: Object) -> None:
    """Two families have a word here, Claude's older form is an object."""
    key = "reasoning_config" if "reasoning_config" in fields else "reasoning_effort"
    found = wire.EFFORT.get(fields[key]) if isinstance(fields[key], str) else None
    if found is None:
        keep_inside(request, wire.ADDED, key, fields[key])
    else:
        THINKING(request, fields).effort = found


def _output_config(request: ir.Request, fields: Object) -> None:
    value = required(fields, "output_config", dict)
    effort = pick(wire.EFFORT, value, "effort")
    if effort is not None:
        THINKING(request, fields).effort = effort
    _keep_added(request, "output_config", extra_fields(value, {"effort"} if effort else set()))


def _effort(request: ir.Request, config: Object) -> None:
    found = pick(wire.EFFORT, config, "effort")
    if found is None:
        keep_inside(request, "outputConfig", "effort", config["effort"])
    else:
        THINKING(request, config).effort = found


def _top_k(request: ir.Request, fields: Object) -> None:
    value = required(fields, "inferenceConfig", dict)
    if value.get("topK") is not None:
        SAMPLING(request, fields).top_k = optional(value, "topK", int)
    _keep_added(request, "inferenceConfig", extra_fields(value, {"topK"}))


def _keep_added(request: ir.Request, key: str, inner: Extra | None) -> None:
    if inner is not None:
        keep_inside(request, wire.ADDED, key, inner.fields)


def _service(key: str, inner: str, field: str, table: Mapping[str, Any]) -> Read:
    def read(request: ir.Request, payload: Object) -> None:
        value = required(payload, key, dict)
        found = pick(table, value, inner)
        if found is not None:
            setattr(SERVICE(request, payload), field, found)
        extra = extra_fields(value, set() if found is None else {inner})
        if extra is not None:
            keep(request, key, extra.fields)

    return read


def _metadata(request: ir.Request, payload: Object) -> None:
    SERVICE(request, payload).metadata = required(payload, "requestMetadata", dict)


INFERENCE: dict[str, Read] = {
    "maxTokens": setting(None, "max_tokens", "maxTokens", int),
    "temperature": setting(SAMPLING, "temperature", "temperature", number),
    "topP": setting(SAMPLING, "top_p", "topP", number),
    "stopSequences": setting(SAMPLING, "stop", "stopSequences", strings),
}
ADDED: dict[str, Read] = {
    "thinking": _thinking("thinking", ""),
    "reasoningConfig": _thinking("reasoningConfig", "maxReasoningEffort"),
    "reasoning_config": _reasoning,
    "reasoning_effort": _reasoning,
    "output_config": _output_config,
    "top_k": setting(SAMPLING, "top_k", "top_k", int),
    "inferenceConfig": _top_k,
}
OUTPUTS: dict[str, Read] = {"textFormat": _format, "effort": _effort}
READERS: dict[str, Read] = {
    "messages": _messages,
    "system": _system,
    "inferenceConfig": inside(INFERENCE, "inferenceConfig"),
    "toolConfig": inside({"tools": read_tools, "toolChoice": read_choice}, "toolConfig"),
    wire.ADDED: inside(ADDED, wire.ADDED),
    "outputConfig": inside(OUTPUTS, "outputConfig"),
    "performanceConfig": _service("performanceConfig", "latency", "fast", wire.LATENCY),
    "serviceTier": _service("serviceTier", "type", "tier", wire.TIER),
    "requestMetadata": _metadata,
}
