"""A Chat Completions request into the IR, member by member: what each becomes is in the READERS table at the end."""

from __future__ import annotations

from operator import methodcaller
from typing import Any

from proxai_ir import ir
from proxai_ir.frontends._openai import reading as openai_reading
from proxai_ir.wire import openai as openai
from proxai_ir.wire import openai_chat_completions as wire
from proxai_ir.wire import openai_chat_completions_objects as objects

from .._lib.objects import ObjectReader, UnionReader
from .._lib.reading import (
    Json,
    Object,
    an_object,
    each,
    each_object,
    extra_fields,
    keep,
    missing,
    optional,
    required,
    strings,
    tagged,
    wrong,
)
from .._lib.schemas import json_schema
from .._lib.settings import OUTPUT, SAMPLING, SERVICE, STREAMING, Read, read_members, setting, settings, word
from . import anthropic_blocks, thinking, tools
from .messages import MESSAGES, pair_blank_ids


def lower_request(payload: Object) -> ir.Request:
    """The IR of a request body; raises Refusal with everything that is wrong with it."""
    request = ir.Request(wire.NAME)
    request.src = payload
    read_members(request, payload, READERS)
    if request.turns is None:
        raise missing(payload, "messages")
    return request


CALL_ID = methodcaller("get", "tool_call_id")


def _messages(request: ir.Request, payload: Object) -> None:
    messages = payload["messages"]
    if type(messages) is not list:
        messages = required(payload, "messages", list)
    turns = tagged(messages, "role", MESSAGES)
    request.turns = turns if turns is not None else each(range(len(messages)), lambda index: _message(messages, index))
    if messages and messages[-1].get("prefix") is True:  # Mistral
        request.prefill = True
    if "" in map(CALL_ID, messages):
        pair_blank_ids(request.turns)


def _message(messages: list[Json], index: int) -> Any:
    """What is wrong with a message, if anything is."""
    message = an_object(messages, index)
    read = MESSAGES.get(required(message, "role", str))
    if read is None:
        raise wrong(message, "role", "one of " + ", ".join(MESSAGES), "SHP-3")
    return read(message)


# --- settings ---------------------------------------------------------------------------------------------------------


def _older_limit(request: ir.Request, payload: Object) -> None:
    new, old = payload.get("max_completion_tokens"), optional(payload, "max_tokens", int)
    if new is None:
        request.max_tokens = old
    elif old != new:
        keep(request, "max_tokens", old)


def _stop(request: ir.Request, payload: Object) -> None:
    sampling = SAMPLING(request, payload)
    if isinstance(payload["stop"], str):
        sampling.stop = [payload["stop"]]
    else:
        sampling.stop = strings(payload, "stop")


def _top_k(request: ir.Request, payload: Object) -> None:
    """Dialects have it, of vLLM and of routers to other vendors; no official type defines it."""
    if type(payload["top_k"]) is int:
        SAMPLING(request, payload).top_k = payload["top_k"]
    else:
        keep(request, "top_k", payload["top_k"])


def _random_seed(request: ir.Request, payload: Object) -> None:
    """Mistral's name for the seed."""
    if payload.get("seed") is not None:
        keep(request, "random_seed", payload["random_seed"])
        return
    SAMPLING(request, payload).seed = optional(payload, "random_seed", int)


def _speech(request: ir.Request, payload: Object) -> None:
    """How the model speaks; a voice of the account's own is an object, which stays with this protocol."""
    value = an_object(payload, "audio")
    known = {key for key in ("voice", "format") if isinstance(value.get(key), str)}
    voice, form = (value[key] if key in known else None for key in ("voice", "format"))
    OUTPUT(request, payload).audio = ir.Speech(voice, form, None, value, extra_fields(value, known))


def _prediction(request: ir.Request, payload: Object) -> None:
    keep(request, "prediction", an_object(payload, "prediction"))


def _format(request: ir.Request, payload: Object) -> None:
    value = an_object(payload, "response_format")
    older = value.get("type") == "json_object" and isinstance(value.get("schema"), dict)
    found = OLDER_SCHEMA.read(value) if older else FORMATS.read(value)
    if found is None:
        keep(request, "response_format", value)
    else:
        if type(found) is ir.SchemaFormat and found.schema:
            found.schema = json_schema(found.schema)
        OUTPUT(request, payload).format = found


OLDER_SCHEMA, FORMATS = ObjectReader(objects.OLDER_SCHEMA), UnionReader(objects.FORMATS, other=lambda _: None)


def _tier(request: ir.Request, payload: Object) -> None:
    if payload["service_tier"] == wire.ON_DEMAND:
        SERVICE(request, payload).tier = ir.Tier.STANDARD
        keep(request, "service_tier", wire.ON_DEMAND)
    elif payload["service_tier"] == openai.FAST:
        SERVICE(request, payload).fast = True
    else:
        word(SERVICE, "tier", "service_tier", openai.TIER)(request, payload)


def _stream_options(request: ir.Request, payload: Object) -> None:
    options = required(payload, "stream_options", dict)
    streaming = STREAMING(request, payload)
    streaming.usage = optional(options, "include_usage", bool)
    streaming.obfuscation = optional(options, "include_obfuscation", bool)
    inner = extra_fields(options, {"include_usage", "include_obfuscation"})
    streaming.extra = extra_fields({}, set(), nested={"stream_options": inner})


# --- tools ------------------------------------------------------------------------------------------------------------


def _tools(request: ir.Request, payload: Object) -> None:
    listed = required(payload, "tools", list)
    found = tagged(listed, "type", tools.TOOLS)
    request.tools = (each_object(listed, tools.read_tool) if found is None else found) + (request.tools or [])


def _functions(request: ir.Request, payload: Object) -> None:
    listed = required(payload, "functions", list)
    before = request.tools or []
    at = len(before) - (bool(before) and before[-1].src is payload.get("web_search_options"))
    request.tools = [*before[:at], *each_object(listed, tools.read_legacy), *before[at:]]  # in any order of the members


def _web_search(request: ir.Request, payload: Object) -> None:
    found = tools.WEB_SEARCH.read(required(payload, "web_search_options", dict))
    request.tools = [*(request.tools or []), found]


def _tool_choice(request: ir.Request, payload: Object) -> None:
    choice = tools.read_choice(payload, "tool_choice")
    if choice is None or _among_none(payload):
        keep(request, "tool_choice", payload["tool_choice"])
    else:
        request.tool_choice = choice
        if payload["tool_choice"] == wire.ANY_TOOL:
            keep(request, "tool_choice", wire.ANY_TOOL)
        elif choice.src is payload["tool_choice"] and type(alone := choice.src.get(anthropic_blocks.PARALLEL)) is bool:
            request.parallel_tools = not alone


def _among_none(payload: Object) -> bool:
    """Whether a choice has no tool to be among but a web search, which no choice means (TUL-11, TUL-15)."""
    defined = payload.get("tools") or payload.get("functions")
    return payload.get("web_search_options") is not None and not defined and isinstance(payload["tool_choice"], str)


def _function_choice(request: ir.Request, payload: Object) -> None:
    choice = tools.legacy_choice(payload, "function_call")
    if choice is None or payload.get("tool_choice") is not None:
        keep(request, "function_call", payload["function_call"])
    else:
        request.tool_choice = choice


READERS: dict[str, Read] = {
    **openai_reading.settings(wire.OPTIONS_TTL),
    "messages": _messages,
    "tools": _tools,
    "functions": _functions,
    "web_search_options": _web_search,
    "tool_choice": _tool_choice,
    "function_call": _function_choice,
    "max_completion_tokens": setting(None, "max_tokens", "max_completion_tokens", int),
    "max_tokens": _older_limit,
    **settings(SAMPLING, objects.SAMPLING),
    "top_k": _top_k,
    "stop": _stop,
    "random_seed": _random_seed,
    **thinking.READERS,
    "response_format": _format,
    "verbosity": setting(OUTPUT, "verbosity", "verbosity", str),
    "modalities": setting(OUTPUT, "modalities", "modalities", strings),
    "audio": _speech,
    "prediction": _prediction,
    "service_tier": _tier,
    "metadata": setting(SERVICE, "metadata", "metadata", dict),
    "stream": setting(STREAMING, "stream", "stream", bool),
    "stream_options": _stream_options,
}
