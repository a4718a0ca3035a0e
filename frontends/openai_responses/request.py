"""A Responses request into the IR, member by member: what each becomes is in the READERS table at the end."""

from __future__ import annotations

from operator import attrgetter

from proxai_ir import ir
from proxai_ir.frontends._openai import reading as openai_reading
from proxai_ir.wire import openai as openai
from proxai_ir.wire import openai_responses as wire

from .._lib.reading import Object, extra_fields, keep, kept, missing, number, optional, required, rest, strings, wrong
from .._lib.settings import OUTPUT, SAMPLING, SERVICE, STREAMING, THINKING, Read, read_members, setting, word
from . import parts
from .output_items import SUMMARISED, mark_summaries
from .parts import INPUT, read_format, read_items, set_effort


def lower_request(payload: Object) -> ir.Request:
    """Return the IR of a request body; raises Refusal with everything that is wrong with it."""
    request = ir.Request(wire.NAME)
    request.src = payload
    read_members(request, payload, READERS)
    if "prompt_cache_options" in payload and wire.prewarms(payload):
        _ask_for_no_output(request, payload)
    items = payload.get("input")
    if items.__class__ is list:
        first = {turn.parts[0].__class__ for turn in request.turns or () if turn.parts}
        if not first.isdisjoint(parts.RETURNED):  # which few requests have
            parts.define_late(request)
        if not first.isdisjoint(SUMMARISED):
            mark_summaries(request)
    elif items is None and all(payload.get(key) is None for key in INSTEAD):
        raise missing(payload, "input")
    return request


INSTEAD = ("instructions", *wire.STATE)
"""The members of which a request without input must have one; official types do not require it."""
SETTINGS = attrgetter("settings")


def _input(request: ir.Request, payload: Object) -> None:
    value = payload["input"]
    if isinstance(value, str):
        place = (payload, "input")
        turns = [ir.Turn(ir.Role.USER, [ir.Text(value, None, None, place)], None, place)]
    elif isinstance(value, list):
        turns = read_items(value, INPUT)
        request.changes = any(map(SETTINGS, turns)) or None
    else:
        raise wrong(payload, "input", "a string or an array of items")
    request.turns = (request.turns or []) + turns


def _instructions(request: ir.Request, payload: Object) -> None:
    """Read `instructions` as the first turn (PLC-1)."""
    text, place = required(payload, "instructions", str), (payload, "instructions")
    turn = ir.Turn(ir.Role.SYSTEM, [ir.Text(text, None, None, place)], None, place)
    request.turns = [turn, *(request.turns or [])]


# --- settings ---------------------------------------------------------------------------------------------------------


def _reasoning(request: ir.Request, payload: Object) -> None:
    """Read the effort and whether a summary is shown; its length is kept for this protocol (RSN-1, RSN-2)."""
    value = required(payload, "reasoning", dict)
    others = rest(value, {"effort", "summary", "generate_summary"}) or {}
    effort = optional(value, "effort", str)
    if effort is not None and not set_effort(effort, lambda: THINKING(request, payload)):
        others["effort"] = effort
    summary, old = optional(value, "summary", str), optional(value, "generate_summary", str)
    if old is not None and summary is None:
        _summary(request, payload, others, "generate_summary", old)
    elif summary is not None:
        _summary(request, payload, others, "summary", summary)
        others |= {} if old is None else {"generate_summary": old}
    if others:
        keep(request, "reasoning", others)


def _summary(request: ir.Request, payload: Object, others: Object, key: str, value: str) -> None:
    if value in wire.SUMMARIES:
        THINKING(request, payload).display = ir.Display.SUMMARIZED
        if THINKING(request, payload).mode is None:  # a summary is of thinking that the model measures itself
            THINKING(request, payload).mode = ir.ThinkingMode.ADAPTIVE
    if value != wire.SUMMARY:
        others[key] = value


def _text(request: ir.Request, payload: Object) -> None:
    value = required(payload, "text", dict)
    others = rest(value, {"format", "verbosity"}) or {}
    verbosity = optional(value, "verbosity", str)
    if verbosity is not None:
        OUTPUT(request, payload).verbosity = verbosity
    if value.get("format") is not None:
        found = read_format(value)
        if found is None:
            others["format"] = value["format"]
        else:
            OUTPUT(request, payload).format = found
    if others:
        keep(request, "text", others)


def _effort(request: ir.Request, payload: Object) -> None:
    """Read the effort where Chat Completions has it; that in `reasoning` counts."""
    value, own = required(payload, "reasoning_effort", str), payload.get("reasoning")
    if isinstance(own, dict) and own.get("effort") is not None:
        known = own["effort"] == value
    else:
        known = set_effort(value, lambda: THINKING(request, payload))
    if not known:
        keep(request, "reasoning_effort", value)


def _response_format(request: ir.Request, payload: Object) -> None:
    """Read the format where Chat Completions has it; that in `text` counts."""
    own = payload.get("text")
    twice = isinstance(own, dict) and own.get("format") is not None
    found = None if twice else read_format(payload, "response_format")
    if found is None:
        keep(request, "response_format", payload["response_format"])
    else:
        OUTPUT(request, payload).format = found


def _include(request: ir.Request, payload: Object) -> None:
    """Read what the response is to include; only log probabilities are not this provider's own."""
    asked = strings(payload, "include") or []
    if wire.LOGPROBS in asked:
        SAMPLING(request, payload).logprobs = True
    others = [one for one in asked if one != wire.LOGPROBS]
    if others:
        keep(request, "include", others)


def _metadata(request: ir.Request, payload: Object) -> None:
    value = required(payload, "metadata", dict)
    if value:
        SERVICE(request, payload).metadata = value


def _tier(request: ir.Request, payload: Object) -> None:
    value = payload["service_tier"]
    if value in (openai.FAST, wire.ULTRAFAST):
        SERVICE(request, payload).fast = True
    if value == wire.ULTRAFAST:
        keep(request, "service_tier", value)
    elif value != openai.FAST:
        word(SERVICE, "tier", "service_tier", openai.TIER)(request, payload)


def _stream_options(request: ir.Request, payload: Object) -> None:
    options = required(payload, "stream_options", dict)
    streaming = STREAMING(request, payload)
    streaming.obfuscation = optional(options, "include_obfuscation", bool)
    streaming.extra = extra_fields({}, set(), nested={"stream_options": kept(options, {"include_obfuscation"})})


# --- tools ------------------------------------------------------------------------------------------------------------


def _tool_choice(request: ir.Request, payload: Object) -> None:
    choice = parts.read_choice(payload, "tool_choice")
    if choice is None:
        keep(request, "tool_choice", payload["tool_choice"])
    else:
        request.tool_choice = choice


_plain_options = openai_reading.cache_options(wire.OPTIONS_TTL)


def _cache_options(request: ir.Request, payload: Object) -> None:
    """Read the cache options; a request that only fills the prompt cache is one for no output (CAC-8)."""
    if not wire.prewarms(payload):
        _plain_options(request, payload)
        return
    options = rest(payload["prompt_cache_options"], {wire.PREWARM})
    if options is not None:
        _plain_options(request, {**payload, "prompt_cache_options": options})


def _ask_for_no_output(request: ir.Request, payload: Object) -> None:
    """Ask for no output, as the request only fills the prompt cache; its limit has no meaning (CAC-8)."""
    if request.max_tokens is not None:
        keep(request, "max_output_tokens", request.max_tokens)
    request.max_tokens = 0


READERS: dict[str, Read] = {
    **openai_reading.settings(wire.OPTIONS_TTL),
    "prompt_cache_options": _cache_options,
    "instructions": _instructions,
    "input": _input,
    "tools": setting(None, "tools", "tools", lambda payload, key: parts.read_tools(required(payload, key, list))),
    "tool_choice": _tool_choice,
    **openai_reading.limit("max_output_tokens", "max_completion_tokens", "max_tokens"),
    "max_tool_calls": setting(None, "hosted_calls", "max_tool_calls", int),
    "temperature": setting(SAMPLING, "temperature", "temperature", number),
    "top_p": setting(SAMPLING, "top_p", "top_p", number),
    "top_logprobs": setting(SAMPLING, "top_logprobs", "top_logprobs", int),
    "include": _include,
    "reasoning": _reasoning,
    "reasoning_effort": _effort,
    "text": _text,
    "response_format": _response_format,
    "service_tier": _tier,
    "metadata": _metadata,
    "stream": setting(STREAMING, "stream", "stream", bool),
    "stream_options": _stream_options,
}
