"""A request of Interactions into the IR, member by member, by the READERS tables."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.wire import gemini_interactions as wire
from proxai_ir.wire import google

from .._lib.reading import Object, json_schema, keep, missing, number, optional, required, strings
from .._lib.settings import OUTPUT, SAMPLING, SERVICE, STREAMING, THINKING, Read, read_members, setting, within, word
from . import parts
from .parts import read_input


def lower_request(payload: Object) -> ir.Request:
    """Return the IR of a request body; raises Refusal with everything that is wrong with it."""
    request = ir.Request(wire.NAME)
    request.src = payload
    read_members(request, payload, READERS)
    if payload.get("input") is None and all(payload.get(key) is None for key in wire.STATE):
        raise missing(payload, "input")
    if request.turns and request.turns[-1].role is ir.ASSISTANT:
        request.prefill = True
    return request


def _input(request: ir.Request, payload: Object) -> None:
    request.turns = (request.turns or []) + read_input(payload, "input")


def _system(request: ir.Request, payload: Object) -> None:
    text, place = required(payload, "system_instruction", str), (payload, "system_instruction")
    turn = ir.Turn(ir.SYSTEM, [ir.Text(text, src=place)], None, place)
    request.turns = [turn, *(request.turns or [])]


# --- how the response is generated ------------------------------------------------------------------------------------


def _choice(request: ir.Request, config: Object) -> None:
    request.tool_choice = parts.read_choice(config, "tool_choice")
    if request.tool_choice is None:
        keep(request, "tool_choice", config["tool_choice"])


def _speech(request: ir.Request, config: Object) -> None:
    """Read the voice of one speaker, and its language; several speakers are kept for this protocol."""
    given = config["speech_config"]
    listed = given if isinstance(given, list) else []
    one = listed[0] if len(listed) == 1 and isinstance(listed[0], dict) else {}
    if not one or one.keys() - {"voice", "language"}:
        keep(request, "speech_config", given)
        return
    OUTPUT(request, config).audio = ir.Speech(optional(one, "voice", str), None, optional(one, "language", str), one)


# --- what the response is made of -------------------------------------------------------------------------------------


def _format(request: ir.Request, payload: Object) -> None:
    """Read the format of text, alone or in a list of one; other media and older forms are kept for this protocol."""
    given = payload["response_format"]
    one = given[0] if isinstance(given, list) and len(given) == 1 else given
    made = _text_format(one) if isinstance(one, dict) and one.get("type") == "text" else None
    if made is None:
        keep(request, "response_format", given)
    else:
        OUTPUT(request, payload).format = made


def _text_format(one: Object) -> ir.Format | None:
    mime, schema = optional(one, "mime_type", str), optional(one, "schema", dict)
    if one.keys() - {"type", "mime_type", "schema"}:
        return None
    if schema is not None and mime in (google.JSON, None):
        return ir.SchemaFormat(json_schema(schema), None, None, True, one)
    if schema is None and mime in (google.JSON, google.PLAIN, None):
        return ir.JsonFormat(one) if mime == google.JSON else ir.PlainFormat(one)
    return None


def _modalities(request: ir.Request, payload: Object) -> None:
    """Read the modalities; images are kept for this protocol, as no other requests them in this way."""
    words = strings(payload, "response_modalities") or []
    if {"text", "audio"}.issuperset(words):
        OUTPUT(request, payload).modalities = words or None
    else:
        keep(request, "response_modalities", words)


def _summaries(request: ir.Request, config: Object) -> None:
    """Read whether thoughts are summarised, which means that the model decides how long it thinks."""
    SUMMARIES(request, config)
    thinking = request.thinking
    if thinking is not None and thinking.display is ir.Display.SUMMARIZED:
        thinking.mode = ir.ThinkingMode.ADAPTIVE


SUMMARIES = word(THINKING, "display", "thinking_summaries", wire.SUMMARIES)
CONFIG: dict[str, Read] = {
    "temperature": setting(SAMPLING, "temperature", "temperature", number),
    "top_p": setting(SAMPLING, "top_p", "top_p", number),
    "seed": setting(SAMPLING, "seed", "seed", int),
    "stop_sequences": setting(SAMPLING, "stop", "stop_sequences", strings),
    "max_output_tokens": setting(None, "max_tokens", "max_output_tokens", int),
    "thinking_level": word(THINKING, "effort", "thinking_level", google.LEVEL),
    "thinking_summaries": _summaries,
    "tool_choice": _choice,
    "speech_config": _speech,
}
READERS: dict[str, Read] = {
    "model": setting(None, "model", "model", str),
    "input": _input,
    "system_instruction": _system,
    "tools": setting(None, "tools", "tools", lambda payload, key: parts.TOOLS.each(required(payload, key, list))),
    "generation_config": within("generation_config", CONFIG),
    "response_format": _format,
    "response_modalities": _modalities,
    "labels": setting(SERVICE, "metadata", "labels", dict),
    "service_tier": word(SERVICE, "tier", "service_tier", google.TIER),
    "store": setting(SERVICE, "store", "store", bool),
    "stream": setting(STREAMING, "stream", "stream", bool),
}
