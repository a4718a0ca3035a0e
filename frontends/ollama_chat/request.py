"""A request of `/api/chat` into the IR, member by member, by the READERS table."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.authoring import (
    OUTPUT,
    SAMPLING,
    STREAMING,
    THINKING,
    Object,
    each_object,
    generate_call_ids,
    keep,
    missing,
    number,
    pick,
    read_members,
    required,
    setting,
    strings,
    within,
    wrong,
)
from proxai_ir.wire import ollama_chat as wire

from .parts import TOOLS, read_message


def lower_request(payload: Object) -> ir.Request:
    """Return the IR of a request body; raises Refusal with everything that is wrong with it."""
    found = ir.Request(wire.NAME, src=payload)
    read_members(found, payload, READERS)
    if found.turns is None:
        raise missing(payload, "messages")
    if payload.get("stream") is None:  # this server streams unless it is asked not to
        STREAMING(found, payload).stream = True
    if found.turns and found.turns[-1].role is ir.ASSISTANT:  # which this server continues
        found.prefill = True
    return found


def _messages(found: ir.Request, payload: Object) -> None:
    found.turns = each_object(required(payload, "messages", list), read_message)
    generate_call_ids(found.turns)


def _limit(found: ir.Request, options: Object) -> None:
    limit = required(options, "num_predict", int)
    if limit < 0:  # none
        keep(found, "num_predict", limit)
    else:
        found.max_tokens = limit


def _stop(found: ir.Request, options: Object) -> None:
    given = options["stop"]
    SAMPLING(found, options).stop = [given] if isinstance(given, str) else strings(options, "stop")


def _think(found: ir.Request, payload: Object) -> None:
    value = payload["think"]
    if isinstance(value, bool):
        THINKING(found, payload).mode = ir.ThinkingMode.ADAPTIVE if value else ir.ThinkingMode.DISABLED
    elif pick(wire.EFFORTS, payload, "think") is None:
        keep(found, "think", value)
    else:
        THINKING(found, payload).effort = wire.EFFORTS[value]


def _format(found: ir.Request, payload: Object) -> None:
    value = payload["format"]
    if value == "json":
        OUTPUT(found, payload).format = ir.JsonFormat(src=(payload, "format"))
    elif isinstance(value, dict):
        OUTPUT(found, payload).format = ir.SchemaFormat(value, src=value)
    elif isinstance(value, str):
        keep(found, "format", value)
    else:
        raise wrong(payload, "format", "'json' or a JSON schema")


OPTIONS = {
    **{name: setting(SAMPLING, name, name, number) for name in wire.NUMBERS},
    "top_k": setting(SAMPLING, "top_k", "top_k", int),
    "seed": setting(SAMPLING, "seed", "seed", int),
    "stop": _stop,
    "num_predict": _limit,
}
READERS = {
    "model": setting(None, "model", "model", str),
    "messages": _messages,
    "tools": setting(None, "tools", "tools", lambda payload, key: TOOLS.each(required(payload, key, list))),
    "options": within("options", OPTIONS),
    "think": _think,
    "format": _format,
    "stream": setting(STREAMING, "stream", "stream", bool),
    "logprobs": setting(SAMPLING, "logprobs", "logprobs", bool),
    "top_logprobs": setting(SAMPLING, "top_logprobs", "top_logprobs", int),
}
