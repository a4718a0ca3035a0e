"""Content parts and tool calls of Chat Completions messages. Requests and responses share them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proxai_ir import ir
from proxai_ir.frontends._openai import reading as openai_reading
from proxai_ir.frontends._openai.reading import MARKER, file_data, media, stored
from proxai_ir.ir.node import Cache, Extra
from proxai_ir.ir.turns import Turn
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import openai_chat_completions as wire
from proxai_ir.wire import openai_chat_completions_objects as objects

from .._lib.objects import ByHand, ObjectReader, UnionReader
from .._lib.reading import (
    Json,
    Known,
    Object,
    an_object,
    each,
    extra_fields,
    keep,
    missing,
    optional,
    required,
    wrong,
)
from . import anthropic_blocks
from .dialects import plain_thinking, thinking_text
from .reasoning import read_signature, read_summary

# --- parts ------------------------------------------------------------------------------------------------------------


def cache_control(value: Json) -> Cache | None:
    """A cache marker of routers to other vendors; None for one that they do not have."""
    if not isinstance(value, dict) or value.get("type") != "ephemeral" or value.keys() - {"type", "ttl"}:
        return None
    if value.get("ttl") not in (None, *wire.CACHE_CONTROL_TTL):
        return None
    return Cache(wire.CACHE_CONTROL_TTL.get(value.get("ttl") or ""), value)


def marked(read: Callable[[Object], Any]) -> Callable[[Object], ir.Part]:
    """Reads a part with its cache marker. What is not read of the markers is kept; the official one counts first."""

    def read_marked(part: Object) -> ir.Part:
        made = read(part)
        if (MARKER in part or "cache_control" in part) and not isinstance(made, ir.UnknownPart):  # which has all of it
            made.cache, unknown = openai_reading.marker(part)
            if made.cache is None and (cache := cache_control(part.get("cache_control"))) is not None:
                made.cache = cache
                del made.extra.fields["cache_control"]
                made.extra = made.extra if made.extra.fields else None
            if unknown is not None:
                keep(made, MARKER, unknown.fields)
        return made  # type: ignore[no-any-return]

    return read_marked


def mark_last(turn: Turn, message: Object, within: list[Any]) -> None:
    """Routers to other vendors accept the marker at a whole message: the prompt is kept to the end of its last part."""
    if "cache_control" not in message:
        return
    last = next((part for part in reversed(within) if hasattr(part, "cache")), None)
    cache = cache_control(message["cache_control"])
    if last is None or last.cache is not None or cache is None:  # a marker of the part's own counts
        return
    last.cache = cache
    if turn.extra is not None and turn.extra.fields is not None:
        fields = {key: value for key, value in turn.extra.fields.items() if key != "cache_control"}
        turn.extra = Extra(fields) if fields else None


def _part(kind: str, by_hand: Mapping[str, ByHand] | None = None) -> ObjectReader:
    return ObjectReader(objects.CONTENT[kind], by_hand)


def address(holder: Object, key: str) -> ir.Source:
    return media(holder[key], holder)


def _recording(audio: Object, key: str) -> ir.Source:
    return ir.Inline(audio[key], f"audio/{audio['format']}", audio)


read_marked_text = marked(_part("text"))


def read_text(part: Object) -> ir.Part:
    if len(part) == 2 and type(text := part.get("text")) is str:  # what most parts are
        return ir.Text(text, None, None, part)
    return read_marked_text(part)


read_object_image = marked(_part("image_url", {"image_url/url": address}))


def read_image(part: Object) -> ir.Part:
    """An image, or a PDF that came in its place, as several gateways take it: what the data are decides."""
    image = part.get("image_url")
    if isinstance(image, str):  # Mistral
        made: Any = ir.Image(media(image, part), None, None, part, extra_fields(part, {"type", "image_url"}))
    else:
        made = read_object_image(part)
    source = made.source
    is_pdf = type(source) is ir.Inline and source.mime == PDF
    return _document(made) if is_pdf else made


PDF = "application/pdf"


def _document(image: ir.Image) -> ir.Document:
    made = ir.Document(image.source, cache=image.cache, src=image.src, extra=image.extra)
    if image.detail is not None:
        keep(made, "image_url", {"detail": image.detail})
    return made


def read_file(part: Object) -> ir.Part:
    file = required(part, "file", dict)
    if (file.get("file_data") is None) == (file.get("file_id") is None):
        raise Refusal("SHP-4", (part, "file"), "expected exactly one of `file_data` and `file_id`")
    document: ir.Document = FILE.read(part)
    if file.get("file_id") is not None:
        document.source = stored(file["file_id"], file)
    return document


ADDRESSES = ("https://", "http://")


def _file_source(file: Object, key: str) -> ir.Source:
    """A data URL, bare Base64, or an address, which OpenRouter accepts."""
    value = file[key]
    if value.startswith(ADDRESSES):
        return ir.Url(value, file)
    return file_data(value, file.get("filename") or file.get("name"), file)


FILE = _part("file", {"file/file_data": _file_source})


def _file_address(file: Object, key: str) -> ir.Source:
    """An address, or Base64 data without a media type."""
    return address(file, key) if ":" in file[key] else ir.Inline(file[key], None, file)


def read_thinking(part: Object) -> ir.Part:
    """Mistral's dialect: thinking among the content parts."""
    if isinstance(part.get("thinking"), str):
        return anthropic_blocks.read_thinking(part)
    pieces = required(part, "thinking", list)
    text = thinking_text(pieces)
    if text is None:
        return ir.UnknownPart("thinking", part, part)
    known = {"type", "thinking"} if plain_thinking(pieces) else {"type"}
    return ir.Reasoning(text, None, part, extra_fields(part, known))


PARTS = UnionReader(
    objects.CONTENT,
    {
        "text": read_text,
        "image_url": read_image,
        "input_audio": marked(_part("input_audio", {"input_audio/data": _recording})),
        "file": marked(read_file),
        "video_url": _part("video_url", {"video_url/url": address}),  # OpenRouter
        "audio_url": _part("audio_url", {"audio_url/url": address}),  # vLLM
        "document_url": _part("document_url", {"document_url": address}),
        "file_url": _part("file_url", {"file_url/url": _file_address}),
        "thinking": read_thinking,
        "reasoning": read_summary,
    },
    other=lambda part: BLOCKS.get(part["type"], _unknown)(part),
)


def _unknown(part: Object) -> ir.Part:
    return ir.UnknownPart(part["type"], part, part)


def _result(block: Object) -> ir.Part:
    return anthropic_blocks.read_result(block, content_parts(block))


BLOCKS: Mapping[str, Callable[[Object], ir.Part]] = {
    "image": marked(anthropic_blocks.read_image),
    "redacted_thinking": anthropic_blocks.read_redacted,
    "tool_use": marked(anthropic_blocks.read_call),
    "tool_result": marked(_result),
}
"""Blocks of Anthropic's among the parts, whatever they are next to."""


def content_parts(message: Object) -> list[ir.Part]:
    """A message's `content`: a string, an array of parts, or nothing."""
    content = message.get("content")
    if type(content) is str:
        return [ir.Text(content, None, None, (message, "content"))]
    if content is None:
        return []
    if not isinstance(content, list):
        raise wrong(message, "content", "a string or an array of parts")
    return PARTS.each(content)


# --- calls ------------------------------------------------------------------------------------------------------------

CALL_KEYS = frozenset({"id", "type", "function"})
FUNCTION_KEYS = frozenset({"name", "arguments"})
FUNCTION = ("function", None, "")
"""The types of a call of a function: some servers leave it out, or empty."""


def read_calls(calls: list[Json]) -> list[ir.Part]:
    found: list[ir.Part] = []
    try:
        for call in calls:
            found.append(read_call(call))  # noqa: PERF401 - as in `tagged`
    except (AttributeError, Refusal):  # no object, or a wrong one
        return _calls_by_one(calls)
    return found


def _calls_by_one(calls: list[Json]) -> list[ir.Part]:
    return each(range(len(calls)), lambda index: read_call(an_object(calls, index)))


def read_call(call: Object) -> ir.Part:
    function = call.get("function")
    if call.get("type") not in FUNCTION or not isinstance(function, dict):
        return _other_call(call, function)
    name, arguments, identity = function.get("name"), function.get("arguments"), call.get("id")
    if type(name) is not str:
        required(function, "name", str)
    if type(arguments) is not str and arguments is not None and not isinstance(arguments, dict):
        raise wrong(function, "arguments", "a string of JSON")
    if type(identity) is not str:
        optional(call, "id", str)
    given = "" if arguments is None else arguments  # an object: Text Generation Inference
    result = ir.FunctionCall(identity or None, name, given, None, call)  # type: ignore[arg-type]
    if not (CALL_KEYS.issuperset(call) and FUNCTION_KEYS.issuperset(function)):
        nested = {"function": extra_fields(function, FUNCTION_KEYS)}
        result.extra = call_extra(result, call, CALL_KEYS, nested=nested)
    return result


def _other_call(call: Object, function: Json) -> ir.CustomCall:
    """A call of a custom tool, or what is wrong with a call."""
    kind = call.get("type")
    if kind in FUNCTION:
        raise missing(call, "function") if function is None else wrong(call, "function", "an object")
    if kind != "custom":
        raise wrong(call, "type", "'function' or 'custom'", "SHP-3")
    custom = required(call, "custom", dict)
    result = ir.CustomCall(
        required(call, "id", str), required(custom, "name", str), required(custom, "input", str), call
    )
    inner = extra_fields(custom, {"name", "input"})
    result.extra = call_extra(result, call, {"id", "type", "custom"}, nested={"custom": inner})
    return result


def call_extra(
    made: ir.FunctionCall | ir.CustomCall, call: Object, known: Known, nested: Mapping[str, Extra | None]
) -> Extra | None:
    """What a call keeps for its own protocol; gives it its signature, if it has one."""
    signed = read_signature(call) if wire.EXTRA_CONTENT in call else None
    if signed is None:
        return extra_fields(call, known, nested=nested)
    made.seal = signed.seal
    nested = {**nested, wire.EXTRA_CONTENT: signed.rest}
    return extra_fields(call, {*known, wire.EXTRA_CONTENT}, nested=nested)
