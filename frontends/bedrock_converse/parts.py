"""Content blocks of Converse as parts; which of them may stand where is in the tables at the end.

A block is an object with one member, which says what it is. A cache point is a block of its own, and marks the part
before it (CAC-1).
"""

from __future__ import annotations

import json
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Callable, Mapping
from typing import Any

from proxai_ir.ir import parts as ir
from proxai_ir.ir.envelope import read_seal
from proxai_ir.ir.node import Extra, Seal
from proxai_ir.wire import bedrock_converse as wire
from proxai_ir.wire import bedrock_converse_objects as objects

from .._lib.objects import ObjectReader
from .._lib.reading import Object, an_object, each, extra_fields, missing, optional, required, wrong

Reader = Callable[[Object], ir.Part]

# --- text and citations -----------------------------------------------------------------------------------------------


def read_text(block: Object) -> ir.Part:
    text = block["text"]
    if type(text) is not str:
        text = required(block, "text", str)
    return ir.Text(text, None, None, block, None if len(block) == 1 else extra_fields(block, {"text"}))


def read_json(block: Object) -> ir.Part:
    """A result of a tool that is JSON: its text, as other protocols have it."""
    return ir.Text(json_text(block, "json"), None, None, block, extra_fields(block, {"json"}))


def json_text(holder: Object, key: str) -> str:
    try:
        return json.dumps(holder[key], ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        raise wrong(holder, key, "a JSON value", "SHP-7") from None


def read_cited(block: Object) -> ir.Part:
    inner = required(block, "citationsContent", dict)
    text = _joined(inner, "content")
    cited = optional(inner, "citations", list) or []
    citations = each(range(len(cited)), lambda index: citation(an_object(cited, index)))
    extra = extra_fields(inner, {"content", "citations"})
    return ir.Text(
        text, citations or None, None, block,
        extra_fields(block, {"citationsContent"}, nested={"citationsContent": extra}),
    )  # fmt: skip


def _joined(holder: Object, key: str) -> str:
    """The text of a list of objects that have a piece of it each."""
    listed = optional(holder, key, list) or []
    pieces = [an_object(listed, index) for index in range(len(listed))]
    for piece in pieces:
        if unknown := piece.keys() - {"text"}:
            raise wrong(piece, min(unknown), "nothing but `text`", "SHP-5")
    return "".join([required(piece, "text", str) for piece in pieces])


def citation(cited: Object) -> ir.Citation:
    """What the request holds or the web; a place without a form of its own stays as it is."""
    location = optional(cited, "location", dict) or {}
    kind = next(iter(location), "source")
    read = CITED.get(kind)
    return ir.SourceCitation(kind, cited, cited) if read is None or len(location) > 1 else read(cited)


def _cited_text(cited: Object, key: str) -> str | None:
    return _joined(cited, key) or None


CITED = {kind: ObjectReader(one, {"sourceContent": _cited_text}) for kind, one in objects.CITATIONS.items()}

# --- media ------------------------------------------------------------------------------------------------------------


def mime_of(kind: str, medium: Object) -> str | None:
    """The media type of a format; some clients write the type itself."""
    name = optional(medium, "format", str)
    if name is None:
        return None
    return wire.MIMES[kind].get(name) or (name if "/" in name else f"{MAIN_TYPE.get(kind, kind)}/{name}")


MAIN_TYPE = {"document": "application"}


def _source_of(kind: str) -> Callable[[Object, str], ir.Source]:
    def read(medium: Object, key: str) -> ir.Source:
        source = required(medium, key, dict)
        known = [name for name in SOURCES if source.get(name) is not None]
        if len(known) != 1:
            raise wrong(medium, key, f"an object with one of {', '.join(SOURCES)}", "SHP-4")
        made = SOURCES[known[0]](source, mime_of(kind, medium), medium)
        inner = made.extra or extra_fields(source, {known[0]})
        made.extra = None if inner is None or not inner.fields else Extra({"source": inner.fields})
        return made

    return read


def _bytes(source: Object, mime: str | None, medium: Object) -> ir.Source:
    return ir.Inline(data_of(source), mime, medium)


def data_of(source: Object) -> str:
    """Bytes are base64; what JavaScript makes JSON of by itself is an object with a number for each of them."""
    given = source.get("bytes")
    if isinstance(given, dict):
        numbers = given.get("data") if given.get("type") == "Buffer" else [*given.values()]
        try:
            return b64encode(bytes(numbers or ())).decode()
        except (TypeError, ValueError):
            raise wrong(source, "bytes", "a string of base64") from None
    return required(source, "bytes", str)


def _stored(source: Object, mime: str | None, medium: Object) -> ir.Source:
    inner = required(source, "s3Location", dict)
    extra = extra_fields(source, {"s3Location"}, nested={"s3Location": extra_fields(inner, {"uri"})})
    return ir.Url(required(inner, "uri", str), medium, extra, mime=mime)


def _plain(source: Object, mime: str | None, medium: Object) -> ir.Source:
    return ir.PlainText(required(source, "text", str), mime or wire.PLAIN, medium)


def _chunks(source: Object, mime: str | None, medium: Object) -> ir.Source:
    return ir.Chunks(blocks(source, "content", ONLY_TEXT), medium)


SOURCES: dict[str, Callable[[Object, str | None, Object], ir.Source]] = {
    "bytes": _bytes,
    "s3Location": _stored,
    "text": _plain,
    "content": _chunks,
}


def _medium(kind: str) -> ObjectReader:
    return ObjectReader(objects.MEDIA[kind], {f"{kind}/source": _source_of(kind)})


DOCUMENT = _medium("document")


def read_document(block: Object) -> ir.Part:
    """A document of parts has no media type, though it may state a format."""
    document = DOCUMENT(block)
    form = block["document"].get("format")
    if type(document.source) is ir.Chunks and form is not None:
        kept = {} if document.extra is None else dict(document.extra.fields or {})
        document.extra = Extra({**kept, "document": {**kept.get("document", {}), "format": form}})
    return document  # type: ignore[no-any-return]


def _guarded(block: Object) -> ir.Part:
    """What a guardrail is to look at; without one it is content like any other."""
    inner = required(block, "guardContent", dict)
    return GUARDED_IMAGE(block) if "image" in inner else GUARDED_TEXT(block)  # type: ignore[no-any-return]


GUARDED_TEXT = ObjectReader(objects.GUARDED_TEXT)
GUARDED_IMAGE = ObjectReader(objects.GUARDED_IMAGE, {"guardContent/image/source": _source_of("image")})


def _texts(inner: Object, key: str) -> list[ir.Part]:
    return blocks(inner, key, ONLY_TEXT)


read_search_result = ObjectReader(objects.SEARCH_RESULT, {"searchResult/content": _texts})

# --- tools ------------------------------------------------------------------------------------------------------------


def _arguments(inner: Object, key: str) -> Object | str:
    """The input of a call; what is no object keeps the form of text, which the rules judge as any other (TUL-1)."""
    given = inner[key]
    return given if isinstance(given, dict) else json_text(inner, key)


CALL = ObjectReader(objects.CALL, {"toolUse/input": _arguments})


def read_call(block: Object) -> ir.Part:
    """A call that the client runs, or one that the provider runs itself (TUL-6)."""
    inner = required(block, "toolUse", dict)
    if inner.get("type") in (None, "tool_use"):
        return CALL(block)  # type: ignore[no-any-return]
    required(inner, "type", str)
    return ir.HostedCall(required(inner, "name", str), required(inner, "toolUseId", str), block, block)


def _result_parts(inner: Object, key: str) -> list[ir.Part]:
    return blocks(inner, key, RESULT_PARTS)


read_result = ObjectReader(objects.RESULT, {"toolResult/content": _result_parts})


def read_hosted_result(block: Object) -> ir.Part:
    inner = required(block, "toolResult", dict)
    return ir.HostedResult(
        optional(inner, "type", str) or "toolResult", required(inner, "toolUseId", str), block, block
    )


def _vendor(block: Object) -> ir.Part:
    return ir.VendorPart(next(name for name in VENDOR if name in block), block, block)


# --- reasoning --------------------------------------------------------------------------------------------------------


def read_reasoning(block: Object) -> ir.Part:
    """Thinking with its signature, or sealed as a whole (RSN-4)."""
    inner = required(block, "reasoningContent", dict)
    seal: Seal | None
    if inner.get("redactedContent") is not None:
        text, seal = None, redacted(inner)
        nested = extra_fields(inner, {"redactedContent"})
    else:
        given = required(inner, "reasoningText", dict)
        text, signature = required(given, "text", str), optional(given, "signature", str)
        seal = read_seal(signature, wire.CLAUDE, "signature") if signature else None
        nested = extra_fields(
            inner, {"reasoningText"}, nested={"reasoningText": extra_fields(given, {"text", "signature"})}
        )
    return ir.Reasoning(
        text, seal, block, extra_fields(block, {"reasoningContent"}, nested={"reasoningContent": nested})
    )


def redacted(inner: Object) -> Seal:
    """Reasoning that nobody but its maker reads, base64 of bytes: Claude's are the text of its own protocol."""
    given = required(inner, "redactedContent", str)
    try:
        data = a2b_base64(given, strict_mode=True)
        return read_seal(data.decode("ascii"), wire.CLAUDE, "redacted")
    except UnicodeDecodeError:
        return Seal(wire.AMAZON, "redacted", given)
    except ValueError:
        raise wrong(inner, "redactedContent", "a string of base64", "SHP-3") from None


# --- what may stand where ---------------------------------------------------------------------------------------------

ONLY_TEXT: dict[str, Reader] = {"text": read_text}
SYSTEM: dict[str, Reader] = {**ONLY_TEXT, "guardContent": _guarded}
RESULT_PARTS: dict[str, Reader] = {
    **ONLY_TEXT,
    "json": read_json,
    **{kind: _medium(kind) for kind in ("image", "video")},
    "document": read_document,
    "searchResult": read_search_result,
}
VENDOR = ("toolAddition", "toolRemoval")
_ANYWHERE: dict[str, Reader] = {
    **SYSTEM,
    "citationsContent": read_cited,
    "image": RESULT_PARTS["image"],
    "audio": _medium("audio"),
    "video": RESULT_PARTS["video"],
    **dict.fromkeys(VENDOR, _vendor),
}
USER: dict[str, Reader] = {
    **_ANYWHERE,
    "document": read_document,
    "searchResult": read_search_result,
    "toolResult": read_result,
}
ASSISTANT: dict[str, Reader] = {
    **_ANYWHERE,
    "reasoningContent": read_reasoning,
    "toolUse": read_call,
    "toolResult": read_hosted_result,
}
CACHE_POINT = "cachePoint"
EVERYWHERE = {*USER, *ASSISTANT, *RESULT_PARTS, CACHE_POINT}
CACHE = ObjectReader(objects.CACHE)


def blocks(holder: Object, key: str, table: Mapping[str, Reader]) -> list[ir.Part]:
    """The parts of an array of the blocks of `table`."""
    listed = required(holder, key, list)
    found: list[ir.Part] = []

    def add(index: int) -> None:
        one = an_object(listed, index)
        if CACHE_POINT in one and table not in (ONLY_TEXT, RESULT_PARTS):
            mark(found, one)
        else:
            found.append(block(one, table))

    each(range(len(listed)), add)
    return found


def read_cache(point: Object) -> Any:
    if len(point) > 1:
        raise wrong(point, next(name for name in point if name != CACHE_POINT), "nothing but a cache point", "SHP-4")
    return CACHE(required(point, CACHE_POINT, dict))


def mark(found: list[ir.Part], point: Object) -> None:
    """The last part that can have a cache breakpoint has one."""
    cache = read_cache(point)
    listed: list[Any] = found
    for part in reversed(listed):
        if hasattr(part, "cache"):
            if part.cache is not None:
                break
            part.cache = cache
            return
    raise wrong(point, CACHE_POINT, "content before it that can be cached, and has no cache point yet", "SHP-5")


def block(one: Object, table: Mapping[str, Reader]) -> ir.Part:
    known = [name for name in one if name in EVERYWHERE and one[name] is not None]
    if len(known) == 1:
        read = table.get(known[0])
        if read is None:
            raise wrong(one, known[0], f"one of the blocks that are allowed here: {', '.join(table)}", "SHP-5")
        return read(one)
    if known:
        raise wrong(one, known[1], f"one member; it is a block of {known[0]!r}", "SHP-4")
    kind = next((name for name in one if one[name] is not None), None)
    if kind is None:
        raise missing(one, "text")
    return ir.UnknownPart(kind, one, one)
