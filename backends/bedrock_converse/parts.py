"""Parts and turns as messages of Converse: canonical output, from a legal tree."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from typing import Any

from proxai_ir.ir import parts as ir
from proxai_ir.ir.envelope import seal_text
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.wire import bedrock_converse as wire
from proxai_ir.wire import bedrock_converse_objects as objects

from .._lib.objects import ObjectWriter
from .._lib.writing import Object, arguments, put, with_extra

# --- text and citations -----------------------------------------------------------------------------------------------


def _text(part: ir.Text) -> Object:
    if part.extra is not None and "guardContent" in (part.extra.fields or {}):
        return GUARDED_TEXT.write(part)
    if not part.citations:
        return with_extra({"text": part.text}, part)
    cited: Object = {"content": [{"text": part.text}], "citations": [citation(one) for one in part.citations]}
    return with_extra({"citationsContent": cited}, part)


GUARDED_TEXT = ObjectWriter(objects.GUARDED_TEXT)


def citation(one: ir.Citation) -> Object:
    if isinstance(one, ir.SourceCitation):
        return one.raw
    return CITED[one.unit if isinstance(one, ir.DocumentCitation) else None].write(one)


def _cited_text(one: Any) -> list[Object] | None:
    return None if one.cited_text is None else [{"text": one.cited_text}]


CITED = {
    made.fixed.get("unit"): ObjectWriter(made, {"sourceContent": _cited_text}) for made in objects.CITATIONS.values()
}

# --- media ------------------------------------------------------------------------------------------------------------


def _medium(kind: str) -> Callable[[Any], Object]:
    def form(part: Any) -> str | None:
        mime = getattr(part.source, "mime", None)
        return wire.FORMATS[kind].get(mime or "", "txt" if isinstance(part.source, TEXTS) else None)

    def source(part: Any) -> Any:
        return with_extra({"source": SOURCES[type(part.source)](part.source)}, part.source)["source"]

    return ObjectWriter(objects.MEDIA[kind], {f"{kind}/format": form, f"{kind}/source": source})


TEXTS = (ir.PlainText, ir.Chunks)


SOURCES: dict[type, Callable[[Any], Object]] = {
    ir.Inline: lambda source: {"bytes": source.data},
    ir.Url: lambda source: {"s3Location": {"uri": source.url}},
    ir.PlainText: lambda source: {"text": source.text},
    ir.Chunks: lambda source: {"content": content(source.parts)},
}

# --- tools and reasoning ----------------------------------------------------------------------------------------------

CALL = ObjectWriter(objects.CALL, {"toolUse/input": lambda part: arguments(part.arguments, (part, "arguments"))})
RESULT = ObjectWriter(objects.RESULT, {"toolResult/content": lambda part: content(part.parts)})


def redacted(seal: Any) -> str:
    """Base64 of what only the maker reads; what came as bytes is that already."""
    if seal.provider == wire.AMAZON:
        return str(seal.data)
    return b64encode(seal_text(seal, wire.CLAUDE).encode("utf-8", "replace")).decode()


def _reasoning(part: ir.Reasoning) -> Object:
    """Thinking with its signature, or sealed as a whole (RSN-4)."""
    seal = part.seal
    inner: Object
    if part.text is None and seal is not None and seal.kind != "signature":
        inner = {"redactedContent": redacted(seal)}
    else:
        signature = None if seal is None else seal_text(seal, wire.CLAUDE)
        inner = {"reasoningText": put({"text": part.text or ""}, signature=signature)}
    return with_extra({"reasoningContent": inner}, part)


def _raw(part: Any) -> Object:
    raw: Object = part.raw
    return raw


BUILD: dict[type, Callable[[Any], Object]] = {
    ir.Text: _text,
    ir.Image: _medium("image"),
    ir.Audio: _medium("audio"),
    ir.Video: _medium("video"),
    ir.Document: _medium("document"),
    ir.SearchResult: ObjectWriter(objects.SEARCH_RESULT, {"searchResult/content": lambda part: content(part.parts)}),
    ir.FunctionCall: CALL,
    ir.ToolResult: RESULT,
    ir.Reasoning: _reasoning,
    ir.HostedCall: _raw,
    ir.HostedResult: _raw,
    ir.VendorPart: _raw,
    ir.UnknownPart: _raw,
}
CACHE = ObjectWriter(objects.CACHE)


def cache_point(part: Any) -> list[Object]:
    """The block behind what may be cached."""
    cache = getattr(part, "cache", None)
    return [] if cache is None else [{"cachePoint": CACHE.write(cache)}]


def content(parts: Sequence[Any]) -> list[Object]:
    """The blocks of parts; a cache point stands behind what it marks."""
    blocks: list[Object] = []
    for part in parts:
        blocks += [BUILD[type(part)](part), *cache_point(part)]
    return blocks


ROLES = {Role.USER: "user", Role.ASSISTANT: "assistant", Role.SYSTEM: "system", Role.DEVELOPER: "system"}


def message(turn: Turn) -> Object:
    return with_extra({"role": ROLES[turn.role], "content": content(turn.parts)}, turn)
