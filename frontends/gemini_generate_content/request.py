"""A request of generateContent into the IR, member by member, by the READERS tables."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from proxai_ir import ir
from proxai_ir.ir.node import Extra
from proxai_ir.ir.parts import FunctionCall, ToolResult
from proxai_ir.ir.request import ASSISTANT, SYSTEM, Turn
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import gemini_generate_content as wire
from proxai_ir.wire import gemini_generate_content_values as values
from proxai_ir.wire import google

from .._lib.reading import (
    Known,
    Object,
    an_object,
    each,
    each_object,
    extra_fields,
    generate_call_ids,
    keep,
    kept,
    missing,
    optional,
    required,
    strings,
)
from .._lib.reading import json_schema as any_schema
from .._lib.settings import OUTPUT, SAMPLING, SERVICE, THINKING, Read, read_members, setting, settings, word
from .names import canonical
from .parts import PARTS, RUNS, RunIds, json_schema, read_choice, read_parts, read_tools, read_turn


def lower_request(payload: Object) -> ir.Request:
    """Return the IR of a request body; raises Refusal with everything that is wrong with it."""
    request = ir.Request(wire.NAME)
    body = canonical(payload, "Request")
    request.src = body
    read_members(request, body, READERS)
    if request.turns is None or body.get("contents") is None:
        raise missing(body, "contents")
    classes = {type(part) for turn in request.turns for part in turn.parts}
    if not LINKED.isdisjoint(classes):
        _link(request.turns)
    if not RUNS.isdisjoint(classes):
        _name_runs(request.turns)
    return request


LINKED = frozenset({FunctionCall, ToolResult})


def _name_runs(turns: list[Turn]) -> None:
    """Give ids to what the provider ran itself."""
    for at, turn in enumerate(turns):
        if not RUNS.isdisjoint(map(type, turn.parts)):
            ids = RunIds(str(at))
            for part in turn.parts:
                ids.give(part)


def _link(turns: list[Turn]) -> None:
    """Give ids to calls and results that have none. The name of such a result is what finds its call, and says no more
    than the id that it gets."""
    for result in generate_call_ids(turns):
        result.name = None


# --- turns ------------------------------------------------------------------------------------------------------------


def _contents(request: ir.Request, payload: Object) -> None:
    turns: list[Turn] = each_object(required(payload, "contents", list), read_turn)
    for before, turn in pairwise(turns):
        if before.role is turn.role is ASSISTANT:
            turn.continues = True  # one turn to Gemini, whose client keeps each chunk of a stream as a content
    request.turns = turns if request.turns is None else request.turns + turns


def _system(request: ir.Request, payload: Object) -> None:
    """Instructions; a role in them has no meaning."""
    content = required(payload, "systemInstruction", dict)
    turn = Turn(SYSTEM, read_parts(content), None, content, kept(content, PARTS))
    request.turns = [turn] if request.turns is None else [turn, *request.turns]


def _model(request: ir.Request, payload: Object) -> None:
    """Rare: it stands in the URL."""
    model = required(payload, "model", str)
    request.model = wire.model_name(model)
    keep(request, "model", model)


# --- tools ------------------------------------------------------------------------------------------------------------


def _tools(request: ir.Request, payload: Object) -> None:
    request.tools = read_tools(required(payload, "tools", list))


def _tool_config(request: ir.Request, payload: Object) -> None:
    config = required(payload, "toolConfig", dict)
    calling, known, inner = optional(config, "functionCallingConfig", dict), set[str](), None
    if calling:
        request.tool_choice, members = read_choice(calling)
        inner, known = extra_fields(calling, members), {"functionCallingConfig"}
        if inner is None and len(config) == 1:
            return
    kept = _fields(config, known, functionCallingConfig=inner)
    if kept:
        keep(request, "toolConfig", kept)


def _fields(value: Object, known: Known, **nested: Extra | None) -> Object | None:
    """What is left of an object; `nested`: of objects in it."""
    kept = extra_fields(value, known, nested=nested)
    return None if kept is None else kept.fields


# --- how the response is generated ------------------------------------------------------------------------------------


def _generation_config(request: ir.Request, payload: Object) -> None:
    """Members of the configuration are settings of the groups; what none of them has is kept."""
    config = required(payload, "generationConfig", dict)
    kept: Object = {}
    known = NONE if FORMATS.isdisjoint(config) else _format(request, config)
    try:
        for key, value in config.items():
            if value is not None and key not in known:
                _configure(request, config, key, kept)
    except Refusal:
        each(
            [key for key in config if config[key] is not None and key not in known],
            lambda key: _configure(request, config, key, kept),
        )
        raise
    if kept:
        keep(request, "generationConfig", kept)


NONE = frozenset[str]()


def _configure(request: ir.Request, config: Object, key: str, kept: Object) -> None:
    """Read a member of the configuration; `kept` gets what is left of it."""
    read = CONFIGURATION.get(key)
    left = None if read is None else read(request, config)
    if read is None or config[key] == {}:
        kept[key] = config[key]
    elif left:
        kept[key] = left


FORMATS = frozenset(values.FORMAT_PATHS)


def _format(request: ir.Request, config: Object) -> set[str]:
    """Read the format of the output, for which there are several members; returns those of them that it has."""
    mime = optional(config, "responseMimeType", str)
    if config.get("responseFormat") is not None:
        return _response_format(request, config) if mime is None and not _schemas(config) else set()
    found = _schemas(config)
    if mime is None and not found:
        return set()
    if mime == google.PLAIN:
        OUTPUT(request, config).format = ir.PlainFormat((config, "responseMimeType"))
        return {"responseMimeType"}
    if mime == wire.ENUM and found and (made := _enum(config, found[0])) is not None:
        OUTPUT(request, config).format = made
        return {"responseMimeType", found[0]}
    if mime not in (google.JSON, None):
        return set()
    if not found:
        OUTPUT(request, config).format = ir.JsonFormat((config, "responseMimeType"))
        return {"responseMimeType"}
    key = found[0]
    OUTPUT(request, config).format = _schema_format(config, key, config)
    return {"responseMimeType", key}


def _schemas(config: Object) -> list[str]:
    return [key for key in values.SCHEMAS if config.get(key) is not None]


def _schema_format(holder: Object, key: str, src: Object) -> ir.SchemaFormat:
    """Return a schema, which the provider enforces."""
    schema = required(holder, key, dict)
    read = json_schema if key == "responseSchema" else any_schema
    return ir.SchemaFormat(read(schema), None, None, True, src)


def _enum(config: Object, key: str) -> ir.EnumFormat | None:
    """Return an enum, which is the only schema that is for output of this type."""
    schema = json_schema(required(config, key, dict))
    words = schema.get("enum")
    known = isinstance(words, list) and words and all(isinstance(word, str) for word in words)
    return ir.EnumFormat(schema, config) if known and schema.get("type", "string") == "string" else None


def _response_format(request: ir.Request, config: Object) -> set[str]:
    """Return the newer place for it, an array of formats of which that of text is read."""
    listed = required(config, "responseFormat", list)
    one = an_object(listed, 0) if len(listed) == 1 else {}
    text = optional(one, "text", dict)
    if text is None or extra_fields(one, {"text"}) or extra_fields(text, {"mimeType", "schema"}):
        return set()
    given = optional(text, "mimeType", str)
    mime = wire.FORMAT_MIME.get(given or "", given)
    made: ir.Format
    if text.get("schema") is not None and mime in (google.JSON, None):
        made = _schema_format(text, "schema", config)
    elif mime in (google.JSON, google.PLAIN) and text.get("schema") is None:
        made = ir.JsonFormat(listed) if mime == google.JSON else ir.PlainFormat(listed)
    else:
        return set()
    OUTPUT(request, config).format = made
    return {"responseFormat"}


def _thinking(request: ir.Request, config: Object) -> Object | None:
    value = required(config, "thinkingConfig", dict)
    thinking = THINKING(request, config)
    shown, budget = optional(value, "includeThoughts", bool), optional(value, "thinkingBudget", int)
    level = wire.LEVEL.get(optional(value, "thinkingLevel", str) or "")
    known = {"includeThoughts"}
    if shown is not None:
        thinking.display = ir.Display.SUMMARIZED if shown else ir.Display.OMITTED
    if level is not None:
        thinking.effort = level
        known.add("thinkingLevel")
    if budget is not None and budget >= wire.ADAPTIVE_BUDGET:
        thinking.mode = BUDGETS.get(budget, ir.ThinkingMode.ENABLED)
        thinking.budget = budget if thinking.mode is ir.ThinkingMode.ENABLED else None
        known.add("thinkingBudget")
    elif shown:  # thoughts of thinking that the model measures itself
        thinking.mode = ir.ThinkingMode.ADAPTIVE
    return _fields(value, known)


BUDGETS = {wire.NO_BUDGET: ir.ThinkingMode.DISABLED, wire.ADAPTIVE_BUDGET: ir.ThinkingMode.ADAPTIVE}


def _speech(request: ir.Request, config: Object) -> Object | None:
    """Return the voice of one speaker, and its language; speech without a voice is kept, as are several speakers."""
    value = required(config, "speechConfig", dict)
    voice = optional(value, "voiceConfig", dict)
    named = None if voice is None else optional(voice, "prebuiltVoiceConfig", dict)
    name = None if named is None else optional(named, "voiceName", str)
    if voice is None or named is None or name is None:
        return _fields(value, set())
    OUTPUT(request, config).audio = ir.Speech(name, None, optional(value, "languageCode", str), value)
    inner = extra_fields(named, {"voiceName"})
    around = extra_fields(voice, {"prebuiltVoiceConfig"}, nested={"prebuiltVoiceConfig": inner})
    return _fields(value, {"voiceConfig", "languageCode"}, voiceConfig=around)


def _modalities(request: ir.Request, config: Object) -> Object | None:
    """Return text alone is the default everywhere; images no other protocol asks for in this way."""
    words = strings(config, "responseModalities") or []
    if "AUDIO" not in words or not {"TEXT", "AUDIO"}.issuperset(words):
        return words  # type: ignore[return-value]
    OUTPUT(request, config).modalities = [one.lower() for one in words]
    return None


CONFIGURATION: dict[str, Callable[[ir.Request, Object], Object | None]] = {
    **settings(SAMPLING, wire.SAMPLING),
    "maxOutputTokens": setting(None, "max_tokens", "maxOutputTokens", int),
    "thinkingConfig": _thinking,
    "speechConfig": _speech,
    "responseModalities": _modalities,
}
"""Readers of members, which return what they leave of them."""

READERS: dict[str, Read] = {
    "model": _model,
    "contents": _contents,
    "systemInstruction": _system,
    "tools": _tools,
    "toolConfig": _tool_config,
    "generationConfig": _generation_config,
    "labels": setting(SERVICE, "metadata", "labels", dict),
    "serviceTier": word(SERVICE, "tier", "serviceTier", google.TIER),
    "store": setting(SERVICE, "store", "store", bool),
}
