"""A request of Interactions into the IR, member by member, by the READERS tables."""

from __future__ import annotations

from typing import Any

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
    turns = read_input(payload)
    request.turns = (request.turns or []) + turns
    request.changes = any(type(part) is ir.ToolChange for turn in turns for part in turn.parts) or None


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
    """Read the voices of one speaker or of several, and the language; one speaker with a name is kept for this
    protocol."""
    given = config["speech_config"]
    listed = given if isinstance(given, list) else []
    one = listed[0] if len(listed) == 1 and isinstance(listed[0], dict) else {}
    if (speakers := _speakers(listed)) is not None:
        language = optional(listed[0], "language", str)
        OUTPUT(request, config).audio = ir.Speech(None, None, language, listed, speakers=speakers)
        return
    if not one or one.keys() - {"voice", "language"}:
        keep(request, "speech_config", given)
        return
    OUTPUT(request, config).audio = ir.Speech(optional(one, "voice", str), None, optional(one, "language", str), one)


def _speakers(listed: list[Any]) -> dict[str, str] | None:
    """Return the voices of several speakers of one language by their names, or None if they are not that."""
    voices: dict[str, str] = {}
    for one in listed:
        if not isinstance(one, dict) or one.get("language") != listed[0].get("language"):
            return None
        match {key: value for key, value in one.items() if key != "language"}:
            case {"speaker": str(speaker), "voice": str(voice), **more} if speaker not in voices and not more:
                voices[speaker] = voice
            case _:
                return None
    return voices if len(voices) > 1 else None


def _picture(request: ir.Request, config: Object) -> None:
    """Read the settings of images, which are kept as well: a format may have them, too."""
    value = required(config, "image_config", dict)
    _add_picture(OUTPUT(request, config), value)
    keep(request, "image_config", value)


def _add_picture(output: ir.Output, value: Object) -> None:
    """Add settings of images to those that are known."""
    ratio, size = optional(value, "aspect_ratio", str), optional(value, "image_size", str)
    if ratio is not None or size is not None:
        picture = output.picture = output.picture or ir.Picture(src=value)
        picture.aspect_ratio, picture.size = picture.aspect_ratio or ratio, picture.size or size


# --- what the response is made of -------------------------------------------------------------------------------------


SCHEMA_TYPES = frozenset("object array string number integer boolean null".split())


def _is_schema(given: Any, payload: Object) -> bool:
    """Return whether a format is a JSON schema itself, as before there were formats of other media."""
    if not isinstance(given, dict):
        return False
    kind, mime = given.get("type"), payload.get("response_mime_type")
    named = isinstance(kind, str)  # a schema may list several
    if named and kind in wire.CONTENT:
        return False
    return bool(mime == google.JSON or (mime is None and named and kind in SCHEMA_TYPES))


def _mime_type(request: ir.Request, payload: Object) -> None:
    """Read the media type of a response, which is deprecated: JSON, if no format says more; others are kept."""
    mime, given = payload["response_mime_type"], payload.get("response_format")
    if given is None and mime in (google.JSON, google.PLAIN):
        place = (payload, "response_mime_type")
        OUTPUT(request, payload).format = ir.JsonFormat(place) if mime == google.JSON else ir.PlainFormat(place)
    elif mime != google.JSON or not (_is_schema(given, payload) or _is_of_json(given)):
        keep(request, "response_mime_type", mime)


def _is_of_json(given: Any) -> bool:
    """Return whether a format is that of text that is JSON."""
    return is_of(given, "text") and (given.get("mime_type") == google.JSON or given.get("schema") is not None)


def _format(request: ir.Request, payload: Object) -> None:
    """Read the formats of text and of an image; all others are kept for this protocol, and so is a list of both."""
    given = payload["response_format"]
    if _is_schema(given, payload):
        OUTPUT(request, payload).format = ir.SchemaFormat(json_schema(given), None, None, True, given)
        return
    listed = given if isinstance(given, list) else [given]
    texts, images = ([one for one in listed if is_of(one, kind)] for kind in ("text", "image"))
    made = _text_format(texts[0]) if len(texts) == 1 else None
    if made is not None and len(listed) == 1:
        OUTPUT(request, payload).format = made
        return
    keep(request, "response_format", given)
    if len(images) == 1 and len(listed) == len(texts) + 1:
        _image_wished(OUTPUT(request, payload), images[0], texts, made)


def is_of(one: Any, kind: str) -> bool:
    return isinstance(one, dict) and one.get("type") == kind


def _image_wished(output: ir.Output, image: Object, texts: list[Object], made: ir.Format | None) -> None:
    """Read the format of an image that stands in a list with that of text, for responses of text and images."""
    output.format = None if isinstance(made, ir.PlainFormat) else made
    output.modalities = output.modalities or [*(["text"] if texts else ()), "image"]
    _add_picture(output, image)


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
    """Read the modalities; other media are kept for this protocol, and so are all where a format may imply others."""
    words = strings(payload, "response_modalities") or []
    known = set(wire.MODALITIES).issuperset(words)
    if known:
        OUTPUT(request, payload).modalities = words or None
    if not known or payload.get("response_format") is not None:
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
    "image_config": _picture,
}
READERS: dict[str, Read] = {
    "model": setting(None, "model", "model", str),
    "input": _input,
    "system_instruction": _system,
    "tools": setting(None, "tools", "tools", lambda payload, key: parts.TOOLS.each(required(payload, key, list))),
    "generation_config": within("generation_config", CONFIG),
    "response_format": _format,
    "response_mime_type": _mime_type,
    "response_modalities": _modalities,
    "labels": setting(SERVICE, "metadata", "labels", dict),
    "service_tier": word(SERVICE, "tier", "service_tier", google.TIER),
    "store": setting(SERVICE, "store", "store", bool),
    "stream": setting(STREAMING, "stream", "stream", bool),
}
