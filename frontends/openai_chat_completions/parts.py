"""Reads content parts and tool calls of Chat Completions messages, in the forms of OpenAI and of compatible servers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from proxai_ir import ir
from proxai_ir.ir.envelope import read_seal
from proxai_ir.ir.media_types import recorded_type
from proxai_ir.ir.stream.events import MOST_REPEATED
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import openai
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
    tag,
    wrong,
)
from .._lib.spellings import nested
from .._openai import reading as openai_reading
from .._openai.reading import MARKER, file_data, media, stored
from .reasoning import plain_thinking, read_signature, read_summary, thinking_text

# --- content ----------------------------------------------------------------------------------------------------------
# The text of a content that grows on the fast path, as long as a refusal may repeat it (REF-11).


class Content:
    """The open text of a message's content.

    `follows` is whether more of the text matters; it does not once there is too much of it.
    """

    def __init__(self) -> None:
        self.follows = True
        self._text: list[str] = []
        self._size = 0

    def note(self, text: Any) -> str | None:
        """Note more of the text and return it, or None for what is no text or need not be noted any more."""
        if not self.follows or text.__class__ is not str:
            return None
        self._size += len(text)
        if self._size > MOST_REPEATED:
            self.follows = False
            self._text.clear()
            return None
        self._text.append(text)
        return text

    def take(self) -> str | None:
        """Return the text of the part that has ended, or None if it is not known."""
        text = "".join(self._text) if self.follows else None
        self._text.clear()
        return text


# --- sources ----------------------------------------------------------------------------------------------------------
# Perplexity's sources: `citations` and `search_results` of the envelope; the text refers to them as [1], [2].
#
# Rule (CIT-5): a reference is a citation with the reference's own span; a source without one is a citation of all text.

MEMBERS = ("citations", "search_results")
REFERENCE = re.compile(r"\[([0-9]{1,3})\]")
LONGEST = 5  # characters of a reference


class Source(NamedTuple):
    url: str
    title: str | None
    src: Any


def sources_of(holder: Object) -> list[Source]:
    """Return the sources in the order of their numbers, or none if the members have another form."""
    urls, results = holder.get("citations"), holder.get("search_results")
    known = [one for one in results if _is_result(one)] if isinstance(results, list) else []
    if isinstance(urls, list) and urls:
        if not all(isinstance(url, str) for url in urls):
            return []
        titles = {one["url"]: one.get("title") for one in known}
        return [Source(url, titles.get(url), (urls, index)) for index, url in enumerate(urls)]
    return [Source(one["url"], one.get("title"), one) for one in known] if known == results else []


def converted(holder: Object) -> set[str]:
    """Return the members that the citations express completely; results may also have a date and a snippet."""
    results = holder.get("search_results")
    whole = isinstance(results, list) and all(one.keys() <= {"url", "title"} for one in results)
    return {"citations", "search_results"} if whole else {"citations"}


def _is_result(one: Json) -> bool:
    return isinstance(one, dict) and isinstance(one.get("url"), str) and isinstance(one.get("title"), (str, type(None)))


class References:
    """The references of a text that comes piece by piece: begin, end and number of each."""

    def __init__(self) -> None:
        self.found: list[tuple[int, int, int]] = []
        self._length = 0
        self._rest = ""  # of the text so far, which may begin a reference

    def add(self, text: str) -> None:
        begin, text = self._length - len(self._rest), self._rest + text
        self.found += [(begin + one.start(), begin + one.end(), int(one[1])) for one in REFERENCE.finditer(text)]
        self._length = begin + len(text)
        last = text.rfind("[", max(0, len(text) - LONGEST + 1))
        self._rest = text[last:] if last >= 0 and "]" not in text[last:] else ""


class Sources(References):
    """The sources of a stream's text, as the last chunk lists them.

    cited    whether the citations were made
    """

    def __init__(self) -> None:
        super().__init__()
        self.listed: list[Source] = []
        self.cited = False
        self._follows = False

    def follow(self, text: str, *, begins: bool) -> None:
        """Look for references in more of the text, if its sources were known when it began."""
        if self._follows or (begins and self.listed):
            self._follows = True
            self.add(text)

    def citations(self) -> list[ir.UrlCitation]:
        self.cited = True
        return citations_of(self.listed, self.found)


def citations_of(sources: list[Source], references: Iterable[tuple[int, int, int]]) -> list[ir.UrlCitation]:
    """Return a citation for each reference, in order, then one for each source without a reference."""
    found: list[ir.UrlCitation] = []
    numbers = set()
    for begin, end, number in references:
        if 0 < number <= len(sources):
            numbers.add(number)
            found.append(_citation(sources[number - 1], begin, end))
    return found + [_citation(one, None, None) for n, one in enumerate(sources, 1) if n not in numbers]


def _citation(source: Source, begin: int | None, end: int | None) -> ir.UrlCitation:
    return ir.UrlCitation(source.url, source.title, None, begin, end, None, source.src)


# --- anthropic blocks -------------------------------------------------------------------------------------------------
# Anthropic's blocks, tools and tool choices in a Chat Completions payload, which Cursor sends to any server.
#
# They are read as in Anthropic Messages, in place; their members are reported like any others.

BLOCK_CALL_KEYS = frozenset({"type", "id", "name", "input"})
RESULT_KEYS = frozenset({"type", "tool_use_id", "content", "is_error"})


def read_block_call(block: Object) -> ir.Part:
    given = block.get("input")
    arguments = given if isinstance(given, str) else required(block, "input", dict)
    identity, name = required(block, "id", str), required(block, "name", str)
    return ir.FunctionCall(identity, name, arguments, None, block, extra_fields(block, BLOCK_CALL_KEYS))


def read_result(block: Object, parts: list[ir.Part]) -> ir.Part:
    """Return the result of a call, whose content has been read as `parts`."""
    result = ir.ToolResult(required(block, "tool_use_id", str), parts, optional(block, "is_error", bool), None, block)
    result.extra = extra_fields(block, RESULT_KEYS)
    return result


def read_block_thinking(block: Object) -> ir.Part:
    signature = optional(block, "signature", str)
    seal = read_seal(signature, wire.ANTHROPIC, "signature") if signature else None
    return ir.Reasoning(block["thinking"], seal, block, extra_fields(block, {"type", "thinking", "signature"}))


def read_redacted(block: Object) -> ir.Part:
    seal = read_seal(required(block, "data", str), wire.ANTHROPIC, "redacted")
    return ir.Reasoning(None, seal, block, extra_fields(block, {"type", "data"}))


def read_block_image(block: Object) -> ir.Part:
    source = required(block, "source", dict)
    found: ir.Source
    if source.get("type") == "base64":
        found, known = ir.Inline(required(source, "data", str), optional(source, "media_type", str), source), INLINE
    elif source.get("type") == "url":
        found, known = ir.Url(required(source, "url", str), source), LINKED
    else:
        return ir.UnknownPart("image", block, block)
    inner = extra_fields(source, known)
    return ir.Image(found, None, None, block, extra_fields(block, {"type", "source"}, nested={"source": inner}))


INLINE, LINKED = frozenset({"type", "data", "media_type"}), frozenset({"type", "url"})

# --- tools ------------------------------------------------------------------------------------------------------------

CHOICES = {"auto": ir.ChoiceMode.AUTO, "any": ir.ChoiceMode.REQUIRED, "none": ir.ChoiceMode.NONE}
PARALLEL = "disable_parallel_tool_use"


def read_choice(choice: Object, kind: Json) -> ir.ToolChoice | None:
    """Return the choice, or None if it is not in Anthropic's form."""
    if kind == "tool":
        return ir.NamedChoice(required(choice, "name", str), choice, _rest(choice, {"type", "name"}))
    mode = CHOICES.get(kind) if isinstance(kind, str) else None
    return None if mode is None else ir.Choice(mode, choice, _rest(choice, {"type"}))


def _rest(choice: Object, known: set[str]) -> Any:
    return extra_fields(choice, known | ({PARALLEL} if type(choice.get(PARALLEL)) is bool else set()))


# --- parts ------------------------------------------------------------------------------------------------------------
# Content parts and tool calls of Chat Completions messages. Requests and responses share them.


def cache_control(value: Json) -> ir.Cache | None:
    """Return a cache marker of routers to other vendors, or None if it has another form."""
    if not isinstance(value, dict) or value.get("type") != "ephemeral" or value.keys() - {"type", "ttl"}:
        return None
    if value.get("ttl") not in (None, *wire.CACHE_CONTROL_TTL):
        return None
    return ir.Cache(wire.CACHE_CONTROL_TTL.get(value.get("ttl") or ""), value)


def marked(read: Callable[[Object], Any]) -> Callable[[Object], ir.Part]:
    """Return a reader of a part with its cache marker: the official one, else a router's; unread members are kept."""

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


def mark_last(turn: ir.Turn, message: Object, within: list[Any]) -> None:
    """Set a marker of the whole message, which routers to other vendors accept, on its last part."""
    if "cache_control" not in message:
        return
    last = next((part for part in reversed(within) if hasattr(part, "cache")), None)
    cache = cache_control(message["cache_control"])
    if last is None or last.cache is not None or cache is None:  # a marker of the part's own counts
        return
    last.cache = cache
    if turn.extra is not None and turn.extra.fields is not None:
        fields = {key: value for key, value in turn.extra.fields.items() if key != "cache_control"}
        turn.extra = ir.Extra(fields) if fields else None


def _part(kind: str, by_hand: Mapping[str, ByHand] | None = None) -> ObjectReader:
    return ObjectReader(objects.CONTENT[kind], by_hand)


def address(holder: Object, key: str) -> ir.Source:
    return media(holder[key], holder)


def _recording(audio: Object, key: str) -> ir.Source:
    return ir.Inline(audio[key], f"audio/{audio['format']}", audio)


def _spoken(part: Object) -> ir.Part:
    """Return a recording; Mistral has its data alone, or an address, in place of the object with its format."""
    value = part.get("input_audio")
    if not isinstance(value, str):
        return RECORDED.read(part)  # type: ignore[no-any-return]
    source = media(value, part)
    if isinstance(source, ir.Url) and not value.startswith(ADDRESSES):
        source = ir.Inline(value, recorded_type(value), part)
    return ir.Audio(source, None, None, None, None, part, extra_fields(part, {"type", "input_audio"}))


RECORDED = _part("input_audio", {"input_audio/data": _recording})
read_marked_text = marked(_part("text"))
read_object_image = marked(_part("image_url", {"image_url/url": address}))


def read_text(part: Object) -> ir.Part:
    if len(part) == 2 and type(text := part.get("text")) is str:  # what most parts are
        return ir.Text(text, None, None, part)
    return read_marked_text(part)


def read_image(part: Object) -> ir.Part:
    """Return an image, or a document if the data are a PDF, which several gateways accept in its place."""
    image = part.get("image_url")
    if isinstance(image, str):  # Mistral
        made: Any = ir.Image(media(image, part), None, None, part, extra_fields(part, {"type", "image_url"}))
    else:
        made = read_object_image(part)
    source = made.source
    if type(source) is not ir.Inline or source.mime != PDF:
        return made  # type: ignore[no-any-return]
    document = ir.Document(source, cache=made.cache, src=made.src, extra=made.extra)
    if made.detail is not None:
        keep(document, "image_url", {"detail": made.detail})
    return document


PDF = "application/pdf"
ADDRESSES = ("https://", "http://", "gs://", "s3://")


def read_file(part: Object) -> ir.Part:
    if part.get("file") is None and "file_id" in part:  # Mistral
        part = nested(part, "file", "file", openai.PARTS["file"][1])
    file = required(part, "file", dict)
    if (file.get("file_data") is None) == (file.get("file_id") is None):
        raise Refusal("SHP-4", (part, "file"), "expected exactly one of `file_data` and `file_id`")
    document: ir.Document = FILE.read(part)
    if file.get("file_id") is not None:
        document.source = stored(file["file_id"], file)
    return document


def _file_source(file: Object, key: str) -> ir.Source:
    """Return the source of a data URL, of bare base64, or of an address, which OpenRouter accepts."""
    value = file[key]
    if value.startswith(ADDRESSES):
        return ir.Url(value, file)
    return file_data(value, file.get("filename") or file.get("name"), file)


FILE = _part("file", {"file/file_data": _file_source})


def _file_address(file: Object, key: str) -> ir.Source:
    """Return an address, or base64 data without a media type."""
    return address(file, key) if ":" in file[key] else ir.Inline(file[key], None, file)


def read_thinking(part: Object) -> ir.Part:
    """Return a thinking part of the content, as Mistral writes it."""
    if isinstance(part.get("thinking"), str):
        return read_block_thinking(part)
    pieces = required(part, "thinking", list)
    text = thinking_text(pieces)
    if text is None:
        return ir.UnknownPart("thinking", part, part)
    signature = optional(part, "signature", str)
    seal = read_seal(signature, wire.MISTRAL, "signature") if signature else None
    known = {"type", "signature"} | ({"thinking"} if plain_thinking(pieces) else set())
    return ir.Reasoning(text, seal, part, extra_fields(part, known))


SPELLED: dict[str, tuple[str, dict[str, str]]] = {
    **{other: (kind, names) for kind, (other, names) in openai.PARTS.items()},
    "output_text": ("text", {}),
    "input_file": ("file", {**openai.PARTS["file"][1], "file_url": "file_data"}),  # which may be an address
}


def _spelled(part: Object) -> ir.Part:
    """Return a part in the spelling of Responses, or an unknown one."""
    kind, names = SPELLED.get(part["type"], ("", {}))
    if not kind or (names and names.keys().isdisjoint(part)):
        return ir.UnknownPart(part["type"], part, part)
    return PARTS.read(nested(part, kind, kind, names))  # type: ignore[no-any-return]


PARTS = UnionReader(
    objects.CONTENT,
    {
        "text": read_text,
        "image_url": read_image,
        "input_audio": marked(_spoken),
        "file": marked(read_file),
        "video_url": _part("video_url", {"video_url/url": address}),  # OpenRouter
        "audio_url": _part("audio_url", {"audio_url/url": address}),  # vLLM
        "document_url": _part("document_url", {"document_url": address}),
        "file_url": _part("file_url", {"file_url/url": _file_address}),
        "thinking": read_thinking,
        "reasoning": read_summary,
        "reference": lambda part: ir.VendorPart(ir.CITED, part, part),
    },
    other=lambda part: BLOCKS.get(part["type"], _spelled)(part),
)
BLOCKS: Mapping[str, Callable[[Object], ir.Part]] = {
    "image": marked(read_block_image),
    "redacted_thinking": read_redacted,
    "tool_use": marked(read_block_call),
    "tool_result": marked(lambda block: read_result(block, content_parts(block))),
}
"""Anthropic's blocks, which may stand among other parts."""


def content_parts(message: Object) -> list[ir.Part]:
    """Return the parts of a message's `content`: a string, an array of parts, or nothing."""
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
        return each(range(len(calls)), lambda index: read_call(an_object(calls, index)))
    return found


def names_function(call: Object) -> bool:
    """Return whether a call is of a function, of the client or of the server itself."""
    return call.get("type") in FUNCTIONS


FUNCTIONS = (*FUNCTION, "builtin_function")
"""The same, and the type of calls of Kimi's own functions, which have all that calls of a function have."""


def call_keys(call: Object) -> frozenset[str]:
    """Return the members that are read of a call of a function; another type than that is kept (UNK-4)."""
    return CALL_KEYS if call.get("type") in FUNCTION else CALL_KEYS - {"type"}


def read_call(call: Object) -> ir.Part:
    function = call.get("function")
    if not isinstance(function, dict) or not names_function(call):
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
    known = call_keys(call)
    if not (known.issuperset(call) and FUNCTION_KEYS.issuperset(function)):
        nested = {"function": extra_fields(function, FUNCTION_KEYS)}
        result.extra = call_extra(result, call, known, nested=nested)
    return result


def _other_call(call: Object, function: Json) -> ir.Part:
    """Return a call of a custom tool or of a kind that is not known, or refuse what is wrong with a call."""
    kind = call.get("type")
    if kind in FUNCTION:
        raise missing(call, "function") if function is None else wrong(call, "function", "an object")
    if kind != "custom":
        return unknown_call(call)
    custom = required(call, "custom", dict)
    result = ir.CustomCall(
        required(call, "id", str), required(custom, "name", str), required(custom, "input", str), call
    )
    inner = extra_fields(custom, {"name", "input"})
    result.extra = call_extra(result, call, {"id", "type", "custom"}, nested={"custom": inner})
    return result


def unknown_call(call: Object) -> ir.UnknownPart:
    """Return a call of a kind that is not known, which its kept type tells from a part of the content."""
    kind = tag(call)
    return ir.UnknownPart(kind, call, call, ir.Extra({"type": kind}))


def unknown_result(message: Object) -> ir.Turn:
    """Return the message that answers a call of a kind that is not known: it belongs to the call, and to no other."""
    result = ir.UnknownPart("tool", message, message, ir.Extra({"role": "tool"}))
    return ir.Turn(ir.ASSISTANT, [result], None, message)


def call_extra(
    made: ir.FunctionCall | ir.CustomCall, call: Object, known: Known, nested: Mapping[str, ir.Extra | None]
) -> ir.Extra | None:
    """Return what a call keeps for its own protocol, and set its signature, if it has one."""
    signed = read_signature(call)
    if signed is None:
        return extra_fields(call, known, nested=nested)
    made.seal = signed.seal
    return extra_fields(call, {*known, *signed.members}, nested={**nested, **signed.members})


# --- images -----------------------------------------------------------------------------------------------------------
# The images that a model made: the member `images` of messages and deltas, which routers and gateways have.
#
# An image in the content of a message is another thing: it keeps its type, so that it is written there again.

MEMBER = "images"
GENERATED = ObjectReader(objects.GENERATED, {"image_url/url": address})


def read_images(message: Object, known: set[str]) -> list[ir.Image]:
    """Return the images of a message or delta; a list with anything else in it is kept as it is."""
    listed: Json = message.get(MEMBER)
    if not isinstance(listed, list) or not listed or not all(map(_is_image, listed)):
        return []
    known.add(MEMBER)
    return [GENERATED.read(one) for one in listed]


def streamed_images(delta: Object, known: set[str]) -> list[ir.Image]:
    """Return the images of a delta, without the index of each among the message's images."""
    found = read_images(delta, known)
    for image in found:
        if image.extra is not None and image.extra.fields is not None:
            image.extra.fields.pop("index", None)
            image.extra = image.extra if image.extra.fields else None
    return found


def _is_image(given: Json) -> bool:
    if not isinstance(given, dict) or given.get("type", "image_url") != "image_url":
        return False
    place = given.get("image_url")
    return isinstance(place, dict) and isinstance(place.get("url"), str)


def in_content(parts: list[ir.Part]) -> list[ir.Part]:
    """Return the parts of an assistant's content, with its images marked as such."""
    for part in parts:
        if type(part) is ir.Image:
            keep(part, "type", "image_url")
    return parts
