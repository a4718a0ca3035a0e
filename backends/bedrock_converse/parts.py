"""Parts and turns as blocks and messages of Converse: canonical output, from a legal tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.node import Cache
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.wire import bedrock_converse as wire

from .._lib.objects import ObjectWriter
from .._lib.writing import Object, arguments_of, raw, with_extra
from .conditions import accepted_call_id

CACHE = ObjectWriter(wire.CACHE)

# --- text and citations -----------------------------------------------------------------------------------------------

TEXT, GUARDED_TEXT = ObjectWriter(wire.TEXT), ObjectWriter(wire.GUARDED_TEXT)


def _text(part: ir.Text) -> Object:
    return (CITED if part.citations else GUARDED_TEXT if _is_guarded(part) else TEXT).write(part)


def _is_guarded(part: Any) -> bool:
    return part.extra is not None and "guardContent" in (part.extra.fields or {})


def citation(one: ir.Citation) -> Object:
    if isinstance(one, ir.SourceCitation):
        return one.raw
    return CITATIONS[getattr(one, "unit", None)].write(one)


def _passage(one: Any) -> list[Object] | None:
    return None if one.cited_text is None else [{"text": one.cited_text}]


CITATIONS = {
    declared.fixed.get("unit"): ObjectWriter(declared, {"sourceContent": _passage})
    for declared in wire.CITATIONS.values()
}
"""By unit; that of a page has none."""
CITED = ObjectWriter(
    wire.CITED,
    {
        "citationsContent/content": lambda part: [{"text": part.text}],
        "citationsContent/citations": lambda part: [citation(one) for one in part.citations],
    },
)

# --- media ------------------------------------------------------------------------------------------------------------


def _format(kind: str) -> Callable[[Any], str | None]:
    """Text of a type that there is no format for, as JSON, is plain text."""

    def write(part: Any) -> str | None:
        mime = getattr(part.source, "mime", None)
        if mime is None:
            return None
        main, _, sub = mime.partition("/")
        return wire.FORMAT_OF[kind].get(mime, "txt" if isinstance(part.source, ir.PlainText) and main != kind else sub)

    return write


def _source(part: Any) -> Object:
    source = part.source
    if isinstance(source, ir.Inline):
        made: Object = {"bytes": source.data}
    elif isinstance(source, ir.Url):
        made = {"s3Location": {"uri": source.url}}
    elif isinstance(source, ir.PlainText):
        made = {"text": source.text}
    else:
        made = {"content": content(source.parts)}
    found: Object = with_extra({"source": made}, source)["source"]
    return found


def _media(declared: Any, kind: str, at: str) -> ObjectWriter:
    return ObjectWriter(declared, {f"{at}/format": _format(kind), f"{at}/source": _source})


IMAGE, GUARDED_IMAGE = _media(wire.IMAGE, "image", "image"), _media(wire.GUARDED_IMAGE, "image", "guardContent/image")

# --- tools and reasoning ----------------------------------------------------------------------------------------------

CALL = ObjectWriter(wire.CALL, {"toolUse/input": arguments_of})


def _reasoning(part: ir.Reasoning) -> Object:
    """What is sealed as a whole is a blob; a signature stands next to its text."""
    whole = part.text is None and part.seal is not None and part.seal.kind != wire.SIGNATURE
    return REASONING["redactedContent" if whole else "reasoningText"].write(part)


REASONING = {
    "reasoningText": ObjectWriter(
        wire.REASONING["reasoningText"],
        {"reasoningContent/reasoningText/signature": lambda part: None if part.seal is None else part.seal.data},
    ),
    "redactedContent": ObjectWriter(
        wire.REASONING["redactedContent"],
        {"reasoningContent/redactedContent": lambda part: wire.blob_of(part.seal)},
    ),
}
BUILD: dict[type, Callable[[Any], Object]] = {
    ir.Text: _text,
    ir.Image: lambda part: (GUARDED_IMAGE if _is_guarded(part) else IMAGE).write(part),
    ir.Audio: _media(wire.AUDIO, "audio", "audio"),
    ir.Video: _media(wire.VIDEO, "video", "video"),
    ir.Document: _media(wire.DOCUMENT, "document", "document"),
    ir.SearchResult: ObjectWriter(wire.SEARCH_RESULT, {"searchResult/content": lambda part: content(part.parts)}),
    ir.FunctionCall: CALL,
    ir.ToolResult: ObjectWriter(wire.RESULT, {"toolResult/content": lambda part: content(part.parts)}),
    ir.Reasoning: _reasoning,
    ir.Refusal: lambda part: {"text": part.text},
    **dict.fromkeys((ir.HostedCall, ir.HostedResult, ir.VendorPart, ir.UnknownPart), raw),
}


def content(parts: list[Any], response_id: str | None = None) -> list[Object]:
    """The blocks, each followed by its cache point; calls of a response without ids get one (TUL-17)."""
    blocks: list[Object] = []
    for part in parts:
        block = BUILD[type(part)](part)
        if isinstance(part, ir.FunctionCall) and part.id is None:
            block["toolUse"]["toolUseId"] = generated_id(response_id, len(blocks))
        blocks += with_cache(block, part)
    return blocks


def generated_id(response_id: str | None, index: int) -> str:
    return accepted_call_id(f"tooluse_{response_id or ''}_{index}")


def with_cache(block: Object, node: Any) -> list[Object]:
    cache: Cache | None = getattr(node, "cache", None)
    return [block] if cache is None else [block, CACHE.write(cache)]


ROLES = {Role.USER: "user", Role.ASSISTANT: "assistant", Role.SYSTEM: "system", Role.DEVELOPER: "system"}


def message(turn: Turn, response_id: str | None = None) -> Object:
    return with_extra({"role": ROLES[turn.role], "content": content(turn.parts, response_id)}, turn)
