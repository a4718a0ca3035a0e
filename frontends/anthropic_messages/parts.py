"""Content blocks of Anthropic Messages as parts; which of them may stand where is in the tables at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from proxai_ir import ir
from proxai_ir.ir.envelope import read_seal
from proxai_ir.ir.tools import KINDS, CodeTool
from proxai_ir.wire import anthropic_messages as wire
from proxai_ir.wire import anthropic_messages_objects as objects
from proxai_ir.wire import anthropic_messages_values as values

from .._lib.objects import ObjectReader, UnionReader
from .._lib.reading import (
    Json,
    Object,
    an_object,
    each,
    extra_fields,
    json_text,
    kept,
    missing,
    optional,
    required,
    tag,
    tagged,
    wrong,
)
from .tools import (
    code_result,
    hosted_call,
    hosted_result,
    is_toolset,
    marker,
    mcp_call,
    mcp_result,
    read_tool,
    toolset,
    vendor_block,
    web_result,
)

Reader = Callable[[Object], ir.Part]


# --- text and citations -----------------------------------------------------------------------------------------------

TEXT_KEYS = frozenset({"type", "text", "cache_control", "citations"})


def read_text(block: Object) -> ir.Part:
    text = block.get("text")
    if type(text) is not str:
        required(block, "text", str)
    if len(block) == 2:
        return ir.Text(text, None, None, block)  # type: ignore[arg-type]
    cited = optional(block, "citations", list)
    citations = each(range(len(cited)), lambda index: citation(cited, index)) if cited else None
    return ir.Text(text, citations, marker(block), block, extra_fields(block, TEXT_KEYS))  # type: ignore[arg-type]


def compaction(block: Object) -> ir.Part:
    """A summary of earlier turns is text, as it is all that is left of that (CTX-2); a failed one has none."""
    summary = optional(block, "content", str)
    if not summary:
        return vendor_block(block)
    return ir.Text(summary, None, marker(block), block, extra_fields(block, {"content", "cache_control"}))


def citation(holder: Json, key: str | int) -> ir.Citation:
    """The citation that an array holds at an index, or an object under a name."""
    cited = an_object(holder, key)
    kind = tag(cited)
    read = CITATIONS.get(kind)
    if read is None or (kind == wire.RESULT_CITATION and not is_web(cited.get("source"))):
        return ir.SourceCitation(kind, cited, cited)
    return read(cited)  # type: ignore[no-any-return]


CITATIONS = UnionReader(objects.CITATIONS).readers


def is_web(source: Json) -> bool:
    """Whether the source of a search result is a web page: it may be any text."""
    return isinstance(source, str) and source.startswith(("https://", "http://"))


# --- media ------------------------------------------------------------------------------------------------------------


def _chunks(source: Object) -> ir.Source:
    return ir.Chunks(blocks(source, "content", CHUNKS), source, extra_fields(source, {"type", "content"}))


def _texts(block: Object, key: str) -> list[ir.Part]:
    return blocks(block, key, ONLY_TEXT)


read_image = ObjectReader(objects.IMAGE)
read_document = ObjectReader(objects.DOCUMENT, {"source": UnionReader(objects.SOURCES, {"content": _chunks})})
read_search_result = ObjectReader(objects.SEARCH_RESULT, {"content": _texts})

# --- tools ------------------------------------------------------------------------------------------------------------

CALL_KEYS = frozenset({"type", "id", "name", "input", "cache_control"})


def read_call(block: Object) -> ir.Part:
    identity, name, given = block.get("id"), block.get("name"), block.get("input")
    if type(identity) is not str or type(name) is not str or type(given) is not dict:
        identity, name, given = required(block, "id", str), required(block, "name", str), _given(block)
    result = ir.FunctionCall(identity, name, given, None, block)
    if len(block) != 4:
        result.cache = marker(block)
        result.extra = extra_fields(block, CALL_KEYS)
    return result


def _given(block: Object) -> Object | str:
    """The input of a call. What is no object keeps the form of text, which the rules judge as any other (TUL-1)."""
    given = block.get("input")
    if given is None and "input" in block:
        return ""
    if given == []:
        return "[]"
    return given if isinstance(given, str) else required(block, "input", dict)


RESULT_KEYS = frozenset({"type", "tool_use_id", "content", "is_error", "cache_control"})


def read_result(block: Object) -> ir.Part:
    content = block.get("content")
    if type(content) is dict:
        parts = [_in_place_of_blocks(block, content)]
    else:
        parts = [] if content is None else blocks(block, "content", RESULT_PARTS)
    call_id = block.get("tool_use_id")
    if type(call_id) is not str:
        call_id = required(block, "tool_use_id", str)
    result = ir.ToolResult(call_id, parts, None, None, block)
    if len(block) != 3 or content is None:
        result.is_error = optional(block, "is_error", bool)
        result.cache = marker(block)
        result.extra = extra_fields(block, RESULT_KEYS)
    return result


def _in_place_of_blocks(holder: Object, content: Object) -> ir.Part:
    """The one block of a result, or else what its tool returned, whose JSON is a text."""
    kind = content.get("type")
    if type(kind) is str and kind in RESULT_PARTS:
        return block(holder, "content", RESULT_PARTS)
    return ir.Text(json_text(holder, "content"), None, None, (holder, "content"))


# --- reasoning --------------------------------------------------------------------------------------------------------


THINKING_KEYS = frozenset({"type", "thinking", "signature"})


def read_thinking(block: Object) -> ir.Part:
    """Signed thinking, even without text (RSN-4); streams begin with an empty signature, which is none."""
    text, signature = block.get("thinking"), block.get("signature")
    if type(text) is not str or type(signature) is not str:
        text, signature = required(block, "thinking", str), optional(block, "signature", str)
    seal = read_seal(signature, wire.PROVIDER, "signature") if signature else None
    return ir.Reasoning(text, seal, block, extra_fields(block, THINKING_KEYS))


def read_redacted(block: Object) -> ir.Part:
    seal = read_seal(required(block, "data", str), wire.PROVIDER, "redacted")
    return ir.Reasoning(None, seal, block, extra_fields(block, {"type", "data"}))


# --- what may stand where ---------------------------------------------------------------------------------------------

ONLY_TEXT: dict[str, Reader] = {"text": read_text}
CHUNKS: dict[str, Reader] = {**ONLY_TEXT, "image": read_image}
MEDIA: dict[str, Reader] = {**CHUNKS, "document": read_document, "search_result": read_search_result}
RESULT_PARTS: dict[str, Reader] = {**MEDIA, **dict.fromkeys(wire.VENDOR_RESULT_PARTS, vendor_block)}
_ANYWHERE: dict[str, Reader] = {
    **ONLY_TEXT,
    wire.SERVER_CALL: hosted_call,
    wire.MCP_CALL: mcp_call,
    wire.MCP_RESULT: mcp_result,
    **dict.fromkeys(wire.HOSTED_RESULTS, hosted_result),
    wire.WEB_RESULT: web_result,
    **{f"{name}{wire.CODE_RESULT}": code_result for name in wire.CODE_RUNS},
    **dict.fromkeys(wire.VENDOR_BLOCKS, vendor_block),
}
USER: dict[str, Reader] = {
    **{kind: read for kind, read in _ANYWHERE.items() if kind not in values.TOOL_CHANGES},
    **MEDIA,
    "tool_result": read_result,
}
ASSISTANT: dict[str, Reader] = {
    **_ANYWHERE,
    "thinking": read_thinking,
    "redacted_thinking": read_redacted,
    "tool_use": read_call,
}
REPLAYED = {**ASSISTANT, "compaction": compaction}
"""The assistant's blocks in a request."""


def change(block: Object) -> ir.Part:
    """A tool that the model has from here on, or no more (TUL-72)."""
    tool, removed = required(block, "tool", dict), block.get("type") == values.TOOL_REMOVAL or None
    made = ir.ToolChange(None, None, None, removed, marker(block), block, extra_fields(block, CHANGE_KEYS))
    kind = tag(tool)
    if kind == values.DEFINITION and not removed:
        made.tool, known = read_tool(required(tool, "definition", dict)), {"type", "definition"}
        if is_toolset(made.tool):
            made.tool = toolset(made.tool)
    elif kind in values.TOOL_REFERENCES:
        known = {"type", *values.TOOL_REFERENCES[kind]}
        made.name, made.server = (required(tool, key, str) if key in known else None for key in ("name", "server_name"))
        if made.name == wire.CODE_NAME:
            made.name = KINDS[CodeTool]
    else:
        return vendor_block(block)
    made.extra = extra_fields(block, CHANGE_KEYS, nested={"tool": kept(tool, known)})
    return made


CHANGE_KEYS = frozenset({"type", "tool", "cache_control"})
CHANGES: dict[str, Reader] = dict.fromkeys(values.TOOL_CHANGES, change)
"""The blocks that change the tools, which few messages have: they are in no table that all messages are read by."""


def read_instructions(block: Object) -> ir.Part:
    """A block of the system prompt: text, or a line that a client writes for this vendor's accounts (PLC-60)."""
    text = block.get("text")
    if type(text) is str and text.startswith(values.BILLING) and "\n" not in text.strip():
        return ir.VendorPart(ir.BOOKKEEPING, block, block)
    return read_text(block)


TOP: dict[str, Reader] = {"text": read_instructions}
SYSTEM: dict[str, Reader] = {**ONLY_TEXT, **dict.fromkeys(wire.VENDOR_BLOCKS - values.TOOL_CHANGES, vendor_block)}
EVERYWHERE = USER.keys() | ASSISTANT.keys() | RESULT_PARTS.keys()


def blocks(holder: Object, key: str, table: Mapping[str, Reader]) -> list[ir.Part]:
    """A string, which is one text block, or an array of the blocks of `table`."""
    content = holder.get(key)
    if type(content) is str:
        return [ir.Text(content, None, None, (holder, key))]
    listed: list[Json] = content if type(content) is list else required(holder, key, list)
    parts = tagged(listed, "type", table)
    return _one_by_one(listed, table) if parts is None else parts


def _one_by_one(listed: list[Json], table: Mapping[str, Reader]) -> list[ir.Part]:
    return each(range(len(listed)), lambda index: block(listed, index, table))


def block(holder: Json, key: str | int, table: Mapping[str, Reader]) -> ir.Part:
    """The block that an array holds at an index, or an object under a name."""
    if isinstance(key, str) and holder.get(key) is None:
        raise missing(holder, key)
    found = holder[key]
    if type(found) is not dict:
        found = an_object(holder, key)
    kind = found.get("type")
    read = table.get(kind) if type(kind) is str else None
    if read is not None:
        return read(found)
    kind = tag(found)
    if kind in EVERYWHERE:
        raise wrong(found, "type", "one of the block types that are allowed here: " + ", ".join(table), "SHP-5")
    return ir.UnknownPart(kind, found, found)
