"""Parts and turns as messages of Anthropic Messages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from proxai_ir.ir import parts as ir
from proxai_ir.ir.envelope import seal_text
from proxai_ir.ir.node import Cache
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.rules.conditions import checked, prefixed
from proxai_ir.wire import anthropic_messages as wire

from .._lib.writing import Object, arguments, give_back, put, spelled, text_of

CALL_ID = re.compile(wire.CALL_ID).fullmatch
ODD = re.compile(r"[^a-zA-Z0-9_-]")


def accepted_call_id(given: str) -> str:
    """A call id in this protocol's alphabet: others lose their odd characters and gain a checksum (TUL-13).

    Most are ASCII identifiers, which is found out faster than that the pattern matches.
    """
    if (given.isascii() and given.isidentifier()) or CALL_ID(given) is not None:
        return given
    return checked(ODD.sub("_", given), given)


def marker(cache: Cache, home: bool) -> Object:
    return give_back(put({"type": "ephemeral"}, ttl=wire.TTL_OF.get(cache.ttl)), cache.extra, home)


def finish(block: Object, part: Any, home: bool) -> Object:
    """A block with its cache marker and what was kept for it."""
    if part.cache is not None:
        block["cache_control"] = marker(part.cache, home)
    return block if part.extra is None else give_back(block, part.extra, home)


def _text(part: ir.Text, home: bool) -> Object:
    block: Object = {"type": "text", "text": part.text}
    if part.citations and home:
        block["citations"] = [citation(one, home) for one in part.citations]
    return block if part.cache is None and part.extra is None else finish(block, part, home)


def citation(one: ir.Citation, home: bool) -> Object:
    if isinstance(one, ir.SourceCitation):
        return one.raw
    index = None if one.seal is None else one.seal.data
    built: Object = {"type": wire.WEB_CITATION, "url": one.url, "title": one.title}
    put(built, cited_text=one.cited_text, encrypted_index=index)
    return give_back(built, one.extra, home)


# --- media ------------------------------------------------------------------------------------------------------------


def _source(source: ir.Source, home: bool) -> Object:
    built: Object
    if isinstance(source, ir.Inline):
        mime = source.mime if home else wire.MEDIA_TYPE.get(source.mime or "", source.mime)
        built = {"type": "base64", "media_type": mime, "data": source.data}
    elif isinstance(source, ir.Url):
        built = {"type": "url", "url": source.url}
    elif isinstance(source, ir.FileRef):
        built = {"type": "file", "file_id": source.id}
    elif isinstance(source, ir.PlainText):
        built = {"type": "text", "media_type": source.mime, "data": source.text}
    else:
        built = {"type": "content", "content": content(source.parts, home)}
    return give_back(built, source.extra, home)


def _image(part: ir.Image, home: bool) -> Object:
    return finish({"type": "image", "source": _source(part.source, home)}, part, home)


def is_text(document: ir.Document) -> bool:
    """Whether a document is text that came as data: this wire takes it as text, not as base64."""
    return isinstance(document.source, ir.Inline) and (document.source.mime or "").startswith("text/plain")


def _document(part: ir.Document, home: bool) -> Object:
    source = part.source
    if not home and isinstance(source, ir.Inline) and is_text(part):
        source = ir.PlainText(text_of(source.data, (source, "data")), "text/plain")
    block = put({"type": "document", "source": _source(source, home)}, title=part.title, context=part.context)
    if part.cite is not None:
        block["citations"] = {"enabled": part.cite}
    return finish(block, part, home)


def _search_result(part: ir.SearchResult, home: bool) -> Object:
    texts = [BUILD[type(text)](text, home) for text in part.parts]
    block: Object = {"type": "search_result", "source": part.source, "title": part.title, "content": texts}
    if part.cite is not None:
        block["citations"] = {"enabled": part.cite}
    return finish(block, part, home)


# --- tools and reasoning ----------------------------------------------------------------------------------------------


def call(part: ir.FunctionCall, home: bool, generated: str = "") -> Object:
    given = part.arguments
    if type(given) is not dict:
        given = arguments(given, (part, "arguments"))
    identity = generated if part.id is None else part.id
    block: Object = {"type": "tool_use", "id": identity, "name": part.name, "input": given}
    return block if part.cache is None and part.extra is None else finish(block, part, home)


def _result(part: ir.ToolResult, home: bool) -> Object:
    block: Object = {"type": "tool_result", "tool_use_id": part.call_id}
    if part.parts:
        block["content"] = content(part.parts, home)
    if part.is_error is not None:
        block["is_error"] = part.is_error
    return block if part.cache is None and part.extra is None else finish(block, part, home)


def _reasoning(part: ir.Reasoning, home: bool) -> Object:
    """Thinking under its signature, or sealed as a whole; at home whatever stood in the slot for seals (RSN-4)."""
    seal = part.seal if home or not unsigned(part) else None
    data = "" if seal is None else seal_text(seal, wire.PROVIDER)
    if part.text is None and (seal is None or seal.kind != "signature"):
        block: Object = {"type": "redacted_thinking", "data": data}
    else:
        block = {"type": "thinking", "thinking": part.text or ""}
        if seal is not None or not home or spelled(part, "unsigned", home):
            block["signature"] = data
    return give_back(block, part.extra, home)


def unsigned(part: ir.Reasoning) -> bool:
    """Whether reasoning lacks a seal that this protocol's provider can read."""
    return part.seal is None or part.seal.provider != wire.PROVIDER


def _refusal(part: ir.Refusal, home: bool) -> Object:
    if home and part.extra is not None and part.extra.fields and "tool_use" in part.extra.fields:
        older: Object = part.extra.fields["tool_use"]
        return older
    return give_back({"type": "text", "text": part.text}, part.extra, home)


def _spoken(part: ir.Audio, home: bool) -> Object:
    return {"type": "text", "text": part.transcript}


def _web_search(part: ir.WebSearchCall, home: bool) -> Object:
    """A search is for one query here; of several the first is told (TUL-22)."""
    identity = part.id if home else prefixed(part.id, wire.SERVER_ID)
    given = {"query": part.queries[0]} if part.queries else {}
    return finish({"type": wire.SERVER_CALL, "id": identity, "name": wire.WEB_SEARCH, "input": given}, part, home)


def _web_result(part: ir.WebSearchResult, home: bool) -> Object:
    content: Any = [_hit(hit, home) for hit in part.hits]
    if part.error is not None:
        content = {"type": wire.WEB_ERROR, "error_code": part.error}
    identity = part.call_id if home else prefixed(part.call_id, wire.SERVER_ID)
    return finish({"type": wire.WEB_RESULT, "tool_use_id": identity, "content": content}, part, home)


def _hit(hit: ir.WebHit, home: bool) -> Object:
    sealed = None if hit.seal is None else hit.seal.data
    built = put({"type": wire.WEB_HIT, "url": hit.url}, title=hit.title, page_age=hit.age, encrypted_content=sealed)
    return give_back(built, hit.extra, home)


def mcp_call(part: ir.McpCall, home: bool) -> Object:
    given = part.arguments
    if type(given) is not dict:
        given = arguments(given, (part, "arguments"))
    identity = part.id if home else prefixed(part.id, wire.MCP_ID)
    block: Object = {
        "type": wire.MCP_CALL,
        "id": identity,
        "name": part.name,
        "server_name": part.server,
        "input": given,
    }
    return finish(block, part, home)


def _mcp_result(part: ir.McpResult, home: bool) -> Object:
    identity = part.call_id if home else prefixed(part.call_id, wire.MCP_ID)
    block: Object = {"type": wire.MCP_RESULT, "tool_use_id": identity}
    if part.text is not None or not home:
        block["content"] = part.text or ""
        if home and not spelled(part, "string", home):
            block["content"] = [{"type": "text", "text": part.text}]
    if part.is_error is not None or not home:
        block["is_error"] = bool(part.is_error)
    return finish(block, part, home)


def _raw(part: Any, home: bool) -> Object:
    raw: Object = part.raw
    return raw


BUILD: dict[type, Callable[[Any, bool], Object]] = {
    ir.Text: _text,
    ir.Image: _image,
    ir.Document: _document,
    ir.SearchResult: _search_result,
    ir.FunctionCall: call,
    ir.ToolResult: _result,
    ir.Reasoning: _reasoning,
    ir.Refusal: _refusal,
    ir.Audio: _spoken,
    ir.HostedCall: _raw,
    ir.HostedResult: _raw,
    ir.WebSearchCall: _web_search,
    ir.WebSearchResult: _web_result,
    ir.McpCall: mcp_call,
    ir.McpResult: _mcp_result,
    ir.VendorPart: _raw,
    ir.UnknownPart: _raw,
}


def content(parts: list[Any], home: bool) -> str | list[Object]:
    """A string where one plain text is all there is, else an array of blocks."""
    if len(parts) == 1:
        only = parts[0]
        if type(only) is ir.Text and only.cache is None and (not home or (only.extra is None and not only.citations)):
            return only.text
    blocks: list[Object] = []
    for part in parts:
        if type(part) is ir.Text and part.extra is None and part.cache is None and part.citations is None:
            blocks.append({"type": "text", "text": part.text})
        else:
            blocks.append(BUILD[type(part)](part, home))
    return blocks


ROLES = {Role.USER: "user", Role.ASSISTANT: "assistant", Role.SYSTEM: "system", Role.DEVELOPER: "system"}


def message(turn: Turn, home: bool) -> Object:
    built: Object = {"role": ROLES[turn.role], "content": content(turn.parts, home)}
    if turn.extra is None:
        return built
    if spelled(turn, "no content", home):
        del built["content"]
    return give_back(built, turn.extra, home)
