"""Parts and turns as messages of Anthropic Messages: canonical output, from a legal tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.envelope import seal_text
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.wire import anthropic_messages as wire
from proxai_ir.wire import anthropic_messages_objects as objects
from proxai_ir.wire import anthropic_messages_values as values

from .._lib.objects import ObjectWriter, UnionWriter
from .._lib.writing import Object, arguments, raw, with_extra

CACHE = ObjectWriter(objects.CACHE)


def finish(block: Object, part: Any) -> Object:
    """A block with its cache breakpoint and its unmapped members."""
    if part.cache is not None:
        block["cache_control"] = CACHE.write(part.cache)
    return with_extra(block, part)


def _text(part: ir.Text) -> Object:
    block: Object = {"type": "text", "text": part.text}
    if part.citations:
        block["citations"] = [citation(one) for one in part.citations]
    if part.cache is not None or part.extra is not None:
        finish(block, part)
        if block["type"] == "compaction":  # a summary of earlier turns
            block["content"] = block.pop("text")
    return block


def citation(one: ir.Citation) -> Object:
    """One of a page that the provider found is sealed; others are of search results in the request."""
    if isinstance(one, ir.SourceCitation):
        return one.raw
    kind: Any = one.unit if isinstance(one, ir.DocumentCitation) else one.seal is None
    return CITATIONS[kind].write(one)


CITATIONS = {
    made.fixed.get("unit", kind == wire.RESULT_CITATION): ObjectWriter(made)
    for kind, made in objects.CITATIONS.alternatives.items()
    if made
}

# --- media ------------------------------------------------------------------------------------------------------------


def _chunks(source: ir.Chunks) -> Object:
    return with_extra({"type": "content", "content": content(source.parts)}, source)


def _texts(part: ir.SearchResult) -> list[Object]:
    return [BUILD[type(text)](text) for text in part.parts]


# --- tools and reasoning ----------------------------------------------------------------------------------------------


def call(part: ir.FunctionCall) -> Object:
    given = part.arguments
    if type(given) is not dict:
        given = arguments(given, (part, "arguments"))
    block: Object = {"type": "tool_use", "id": part.id, "name": part.name, "input": given}
    return block if part.cache is None and part.extra is None else finish(block, part)


def _result(part: ir.ToolResult) -> Object:
    block: Object = {"type": "tool_result", "tool_use_id": part.call_id}
    if part.parts:
        block["content"] = content(part.parts)
    if part.is_error is not None:
        block["is_error"] = part.is_error
    return block if part.cache is None and part.extra is None else finish(block, part)


def _reasoning(part: ir.Reasoning) -> Object:
    """Thinking with its signature, or sealed as a whole (RSN-4)."""
    seal = part.seal
    data = "" if seal is None else seal_text(seal, wire.PROVIDER)
    block: Object
    if part.text is None and (seal is None or seal.kind != "signature"):
        block = {"type": "redacted_thinking", "data": data}
    else:
        block = {"type": "thinking", "thinking": part.text or "", "signature": data}
    return with_extra(block, part)


def _refusal(part: ir.Refusal) -> Object:
    """Text, or the call by which an older model declined (REF-10)."""
    older = older_call(part)
    if older is None:
        return with_extra({"type": "text", "text": part.text}, part)
    wording = next((key for key, value in older["input"].items() if isinstance(value, str)), None)
    return older if wording is None else {**older, "input": {**older["input"], wording: part.text}}


def older_call(part: ir.Refusal) -> Object | None:
    return None if part.extra is None else (part.extra.fields or {}).get("tool_use")


def _spoken(part: ir.Audio) -> Object:
    return {"type": "text", "text": part.transcript}


def _web_search(part: ir.WebSearchCall) -> Object:
    """A search is for one query here, and another tool opens pages."""
    name, given = wire.WEB_SEARCH, {"query": part.queries[0]} if part.queries else {}
    if part.page is not None:
        name, given = wire.WEB_FETCH, {"url": part.page}
    return finish({"type": wire.SERVER_CALL, "id": part.id, "name": name, "input": given}, part)


def _web_result(part: ir.WebSearchResult) -> Object:
    content: Any = [HIT.write(hit) for hit in part.hits]
    kind = wire.WEB_RESULT if part.page is None else wire.FETCH_RESULT
    if part.page is not None:
        text = {"type": "text", "media_type": wire.PLAIN, "data": ""}
        content = {"type": wire.FETCHED, "url": part.page, "content": {"type": "document", "source": text}}
    if part.error is not None:
        content = {"type": f"{kind}_error", "error_code": part.error}
    return finish({"type": kind, "tool_use_id": part.call_id, "content": content}, part)


HIT = ObjectWriter(objects.WEB_HIT)


def mcp_call(part: ir.McpCall) -> Object:
    given = part.arguments
    if type(given) is not dict:
        given = arguments(given, (part, "arguments"))
    block: Object = {
        "type": wire.MCP_CALL,
        "id": part.id,
        "name": part.name,
        "server_name": part.server,
        "input": given,
    }
    return finish(block, part)


def _mcp_result(part: ir.McpResult) -> Object:
    block: Object = {
        "type": wire.MCP_RESULT,
        "tool_use_id": part.call_id,
        "content": part.text or "",
        "is_error": bool(part.is_error),
    }
    finish(block, part)
    texts = ir.texts_of(block["content"])
    if texts is not None and "".join(texts) != part.text:  # which has been edited
        block["content"] = part.text or ""
    return block


def _code_call(part: ir.CodeCall) -> Object:
    name, member = wire.RUN_OF[part.language]
    return finish({"type": wire.SERVER_CALL, "id": part.id, "name": name, "input": {member: part.code}}, part)


def _code_result(part: ir.CodeResult) -> Object:
    name, _ = wire.RUN_OF[part.language]
    content: Object = {"type": f"{name}{wire.CODE_ERROR}", "error_code": part.error}
    if part.error is None:
        content = {
            "type": f"{name}_result",
            "stdout": part.stdout,
            "stderr": part.stderr or "",
            "return_code": part.exit_code,
            "content": [],
        }
    return finish({"type": f"{name}{wire.CODE_RESULT}", "tool_use_id": part.call_id, "content": content}, part)


def _vendor_part(part: ir.VendorPart) -> Object:
    return summary_block(part.raw["text"]) if part.kind == ir.SUMMARY else raw(part)


def summary_block(text: str | None) -> Object:
    """The block that is all of a response to `compaction`."""
    return {"type": wire.COMPACTION, "content": text}


BUILD: dict[type, Callable[[Any], Object]] = {
    ir.Text: _text,
    ir.Image: ObjectWriter(objects.IMAGE),
    ir.Document: ObjectWriter(objects.DOCUMENT, {"source": UnionWriter(objects.SOURCES, {ir.Chunks: _chunks})}),
    ir.SearchResult: ObjectWriter(objects.SEARCH_RESULT, {"content": _texts}),
    ir.FunctionCall: call,
    ir.ToolResult: _result,
    ir.Reasoning: _reasoning,
    ir.Refusal: _refusal,
    ir.Audio: _spoken,
    ir.HostedCall: raw,
    ir.HostedResult: raw,
    ir.WebSearchCall: _web_search,
    ir.WebSearchResult: _web_result,
    ir.McpCall: mcp_call,
    ir.McpResult: _mcp_result,
    ir.CodeCall: _code_call,
    ir.CodeResult: _code_result,
    ir.VendorPart: _vendor_part,
    ir.UnknownPart: raw,
}


def content(parts: list[Any]) -> str | list[Object]:
    """A string where one plain text is all there is, else an array of blocks."""
    if len(parts) == 1:
        only = parts[0]
        if type(only) is ir.Text and only.cache is None and only.extra is None and not only.citations:
            return only.text
    blocks: list[Object] = []
    for part in parts:
        if type(part) is ir.Text and part.extra is None and part.cache is None and part.citations is None:
            blocks.append({"type": "text", "text": part.text})
        else:
            blocks.append(BUILD[type(part)](part))
    return blocks


ROLES = {Role.USER: "user", Role.ASSISTANT: "assistant", Role.SYSTEM: "system", Role.DEVELOPER: "system"}


def message(turn: Turn) -> Object:
    built: Object = {"role": ROLES[turn.role], "content": content(turn.parts)}
    if turn.settings is not None:
        thinking = turn.settings.thinking
        if thinking is not None and thinking.effort is not None:
            built["output_config"] = {"effort": thinking.effort.value}
        if turn.settings.passing:
            built["clear_at"] = values.NEXT_MESSAGE
    return built if turn.extra is None else with_extra(built, turn)
