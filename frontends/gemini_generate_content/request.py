"""A request of generateContent into the IR, member by member, by the READERS tables."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from proxai_ir import ir
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import gemini_generate_content as wire
from proxai_ir.wire import gemini_generate_content_values as values
from proxai_ir.wire import google

from .._lib import reading as r
from .._lib.reading import Object
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
        raise r.missing(body, "contents")
    classes = {type(part) for turn in request.turns for part in turn.parts}
    if not LINKED.isdisjoint(classes):
        for result in r.generate_call_ids(request.turns):
            result.name = None  # it found the call, and says no more than the id
    if not RUNS.isdisjoint(classes):
        _name_runs(request.turns)
    return request


LINKED = frozenset({ir.FunctionCall, ir.ToolResult})


def _name_runs(turns: list[ir.Turn]) -> None:
    """Give ids to what the provider ran itself."""
    for at, turn in enumerate(turns):
        if not RUNS.isdisjoint(map(type, turn.parts)):
            ids = RunIds(str(at))
            for part in turn.parts:
                ids.give(part)


# --- turns ------------------------------------------------------------------------------------------------------------


def _contents(request: ir.Request, payload: Object) -> None:
    turns: list[ir.Turn] = r.each_object(r.required(payload, "contents", list), read_turn)
    for before, turn in pairwise(turns):
        if before.role is turn.role is ir.ASSISTANT:
            turn.continues = True  # one turn to Gemini, whose client keeps each chunk of a stream as a content
    request.turns = turns if request.turns is None else request.turns + turns


def _system(request: ir.Request, payload: Object) -> None:
    """Read the instructions; a role in them has no meaning."""
    content = r.required(payload, "systemInstruction", dict)
    turn = ir.Turn(ir.SYSTEM, read_parts(content), None, content, r.kept(content, PARTS))
    request.turns = [turn] if request.turns is None else [turn, *request.turns]


def _model(request: ir.Request, payload: Object) -> None:
    """Read the model of a request that names it in its body, where it rarely is: it stands in the URL."""
    model = r.required(payload, "model", str)
    request.model = wire.model_name(model)
    r.keep(request, "model", model)


# --- tools ------------------------------------------------------------------------------------------------------------


def _tool_config(request: ir.Request, payload: Object) -> None:
    config = r.required(payload, "toolConfig", dict)
    calling, known, inner = r.optional(config, "functionCallingConfig", dict), set[str](), None
    if calling:
        request.tool_choice, members = read_choice(calling)
        inner, known = r.extra_fields(calling, members), {"functionCallingConfig"}
        if inner is None and len(config) == 1:
            return
    kept = _fields(config, known, functionCallingConfig=inner)
    if kept:
        r.keep(request, "toolConfig", kept)


def _fields(value: Object, known: r.Known, **nested: ir.Extra | None) -> Object | None:
    """Return the members of an object without an IR field, with those of `nested` objects, or None if there are
    none."""
    kept = r.extra_fields(value, known, nested=nested)
    return None if kept is None else kept.fields


# --- how the response is generated ------------------------------------------------------------------------------------


def _generation_config(request: ir.Request, payload: Object) -> None:
    """Read the configuration, whose members are settings of the groups; other members are kept."""
    config = r.required(payload, "generationConfig", dict)
    kept: Object = {}
    known = NONE if FORMATS.isdisjoint(config) else _format(request, config)
    try:
        for key, value in config.items():
            if value is not None and key not in known:
                _configure(request, config, key, kept)
    except Refusal:
        r.each(
            [key for key in config if config[key] is not None and key not in known],
            lambda key: _configure(request, config, key, kept),
        )
        raise
    if kept:
        r.keep(request, "generationConfig", kept)


NONE = frozenset[str]()
FORMATS = frozenset(values.FORMAT_PATHS)


def _configure(request: ir.Request, config: Object, key: str, kept: Object) -> None:
    """Read a member of the configuration, and add to `kept` what no setting has."""
    read = CONFIGURATION.get(key)
    left = None if read is None else read(request, config)
    if read is None or config[key] == {}:
        kept[key] = config[key]
    elif left:
        kept[key] = left


def _format(request: ir.Request, config: Object) -> set[str]:
    """Read the format of the output, for which there are several members; return the names of those that were read."""
    mime = r.optional(config, "responseMimeType", str)
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
    """Return the format of a schema, which the provider enforces."""
    schema = r.required(holder, key, dict)
    read = json_schema if key == "responseSchema" else any_schema
    return ir.SchemaFormat(read(schema), None, None, True, src)


def _enum(config: Object, key: str) -> ir.EnumFormat | None:
    """Return the format of an enum, the only schema for output of this type, or None if it is none."""
    schema = json_schema(r.required(config, key, dict))
    words = schema.get("enum")
    known = isinstance(words, list) and words and all(isinstance(word, str) for word in words)
    return ir.EnumFormat(schema, config) if known and schema.get("type", "string") == "string" else None


def _response_format(request: ir.Request, config: Object) -> set[str]:
    """Read the newer member for the format, an array of which the text's is read; return the members that were read."""
    listed = r.required(config, "responseFormat", list)
    one = r.an_object(listed, 0) if len(listed) == 1 else {}
    text = r.optional(one, "text", dict)
    if text is None or r.extra_fields(one, {"text"}) or r.extra_fields(text, {"mimeType", "schema"}):
        return set()
    given = r.optional(text, "mimeType", str)
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
    value = r.required(config, "thinkingConfig", dict)
    thinking = THINKING(request, config)
    shown, budget = r.optional(value, "includeThoughts", bool), r.optional(value, "thinkingBudget", int)
    level = wire.LEVEL.get(r.optional(value, "thinkingLevel", str) or "")
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
    elif shown:  # whose length the model decides
        thinking.mode = ir.ThinkingMode.ADAPTIVE
    return _fields(value, known)


BUDGETS = {wire.NO_BUDGET: ir.ThinkingMode.DISABLED, wire.ADAPTIVE_BUDGET: ir.ThinkingMode.ADAPTIVE}


def _speech(request: ir.Request, config: Object) -> Object | None:
    """Read the voices of one speaker or of several, and the language; return what is kept, as speech without a
    voice."""
    value = r.required(config, "speechConfig", dict)
    if (speakers := _speakers(value)) is not None:
        language = r.optional(value, "languageCode", str)
        OUTPUT(request, config).audio = ir.Speech(None, None, language, value, speakers=speakers)
        return _fields(value, {"multiSpeakerVoiceConfig", "languageCode"})
    voice = r.optional(value, "voiceConfig", dict)
    named = None if voice is None else r.optional(voice, "prebuiltVoiceConfig", dict)
    name = None if named is None else r.optional(named, "voiceName", str)
    if voice is None or named is None or name is None:
        return _fields(value, set())
    OUTPUT(request, config).audio = ir.Speech(name, None, r.optional(value, "languageCode", str), value)
    inner = r.extra_fields(named, {"voiceName"})
    around = r.extra_fields(voice, {"prebuiltVoiceConfig"}, nested={"prebuiltVoiceConfig": inner})
    return _fields(value, {"voiceConfig", "languageCode"}, voiceConfig=around)


def _speakers(value: Object) -> dict[str, str] | None:
    """Return the voices of several speakers by their names; None if there are none, or if one has other members."""
    several = value.get("multiSpeakerVoiceConfig")
    listed = several.get("speakerVoiceConfigs") if isinstance(several, dict) and len(several) == 1 else None
    if value.get("voiceConfig") is not None or not isinstance(listed, list) or not listed:
        return None
    voices = {}
    for one in listed:
        match one:
            case {
                "speaker": str(speaker),
                "voiceConfig": {"prebuiltVoiceConfig": {"voiceName": str(voice), **more}, **other},
                **others,
            } if speaker not in voices and not (more or other or others):
                voices[speaker] = voice
            case _:
                return None
    return voices


def _picture(request: ir.Request, config: Object) -> Object | None:
    """Read the settings of images; return those that are kept."""
    value = r.required(config, "imageConfig", dict)
    ratio, size = r.optional(value, "aspectRatio", str), r.optional(value, "imageSize", str)
    if ratio is not None or size is not None:
        OUTPUT(request, config).picture = ir.Picture(ratio, size, value)
    return _fields(value, {"aspectRatio", "imageSize"})


def _modalities(request: ir.Request, config: Object) -> Object | None:
    """Read the modalities, and return them if they are kept: text alone is the default, and no other protocol has
    videos."""
    words = r.strings(config, "responseModalities") or []
    if not {"AUDIO", "IMAGE"}.intersection(words) or not {"TEXT", "AUDIO", "IMAGE"}.issuperset(words):
        return words  # type: ignore[return-value]
    OUTPUT(request, config).modalities = [one.lower() for one in words]
    return None


CONFIGURATION: dict[str, Callable[[ir.Request, Object], Object | None]] = {
    **settings(SAMPLING, wire.SAMPLING),
    "maxOutputTokens": setting(None, "max_tokens", "maxOutputTokens", int),
    "thinkingConfig": _thinking,
    "speechConfig": _speech,
    "imageConfig": _picture,
    "responseModalities": _modalities,
}
"""Readers of members, which return what is to be kept of them."""

READERS: dict[str, Read] = {
    "model": _model,
    "contents": _contents,
    "systemInstruction": _system,
    "tools": setting(None, "tools", "tools", lambda payload, key: read_tools(r.required(payload, key, list))),
    "toolConfig": _tool_config,
    "generationConfig": _generation_config,
    "labels": setting(SERVICE, "metadata", "labels", dict),
    "serviceTier": word(SERVICE, "tier", "serviceTier", google.TIER),
    "store": setting(SERVICE, "store", "store", bool),
}
