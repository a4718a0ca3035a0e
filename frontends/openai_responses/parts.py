"""Content parts and items of Responses, as turns: one turn for each item (R2A-1). Requests and answers share them.

What an item says of itself, its id, status and phase, is kept with its turn for this protocol. An item that goes on
with the assistant's item before it says so by `continues`: other targets make one turn of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from proxai_ir.diagnostics import Refusal
from proxai_ir.ir import parts as ir
from proxai_ir.ir.envelope import read_seal
from proxai_ir.ir.node import Extra
from proxai_ir.ir.turns import ASSISTANT, TOOL, Role, Turn
from proxai_ir.vendors.openai import vocabulary as openai
from proxai_ir.vendors.openai.reading import MARKER, marker, media, stored
from proxai_ir.wire import openai_responses as wire

from .._lib.reading import (
    Json,
    Object,
    an_object,
    constant,
    each,
    extra_fields,
    kept,
    missing,
    note_form,
    optional,
    reader,
    required,
    tag,
    tagged,
    wrong,
)
from .tools import hosted_call, hosted_result, mcp_call, vendor_item, web_search

Read = Callable[[Object], Any]

# --- parts ------------------------------------------------------------------------------------------------------------


def _input_text(part: Object) -> ir.Part:
    text = part.get("text")
    if type(text) is not str:
        text = required(part, "text", str)
    if len(part) == 2:
        return ir.Text(text, None, None, part)
    cache, unknown = marker(part)
    return ir.Text(text, None, cache, part, extra_fields(part, {"type", "text", MARKER}, nested={MARKER: unknown}))


OUTPUT_KEYS = frozenset({"type", "text", "annotations"})
SCORED_KEYS = OUTPUT_KEYS | {"logprobs"}  # of a text whose scores are the answer's
read_text = reader(text=str, annotations=list)


def _output_text(part: Object) -> ir.Part:
    text, notes = read_text(part)
    if text is None:
        raise missing(part, "text")
    citations = notes and each(range(len(notes)), lambda index: citation(an_object(notes, index)))
    return ir.Text(text, citations, None, part, kept(part, OUTPUT_KEYS))


CITED = frozenset({"type", "url", "title", "start_index", "end_index"})


def citation(note: Object) -> ir.Citation:
    kind = tag(note)
    if kind != "url_citation":
        return ir.SourceCitation(kind, note, note)
    return ir.UrlCitation(
        required(note, "url", str),
        optional(note, "title", str),
        None,
        optional(note, "start_index", int),
        optional(note, "end_index", int),
        None,
        note,
        extra_fields(note, CITED),
    )


def _refusal(part: Object) -> ir.Part:
    return ir.Refusal(required(part, "refusal", str), part, extra_fields(part, {"type", "refusal"}))


def one_of(part: Object, *keys: str) -> tuple[str, str]:
    """The one of these members that is there, with its value (SHP-4)."""
    there = [(key, value) for key in keys if (value := optional(part, key, str)) is not None]
    if len(there) != 1:
        names = ", ".join(f"`{key}`" for key in keys)
        raise Refusal("SHP-4", part, f"expected exactly one of {names}")
    return there[0]


IMAGE_KEYS = frozenset({"type", "image_url", "file_id", "detail", MARKER})


def _image(part: Object) -> ir.Part:
    key, value = one_of(part, "image_url", "file_id")
    cache, unknown = marker(part)
    source = media(value, part) if key == "image_url" else stored(value, part)
    return ir.Image(
        source, optional(part, "detail", str), cache, part, extra_fields(part, IMAGE_KEYS, nested={MARKER: unknown})
    )


FILE_KEYS = frozenset({"type", "file_data", "file_url", "file_id", "filename", MARKER})


def _file(part: Object) -> ir.Part:
    key, value = one_of(part, "file_data", "file_url", "file_id")
    cache, unknown = marker(part)
    source: ir.Source = stored(value, part) if key == "file_id" else ir.Url(value, part)
    if key == "file_data":
        given = media(value, part)
        source = given if isinstance(given, ir.Inline) else ir.Inline(value, None, part)
    extra = extra_fields(part, FILE_KEYS, nested={MARKER: unknown})
    return ir.Document(source, optional(part, "filename", str), None, None, cache, part, extra)


def _audio(part: Object) -> ir.Part:
    audio = required(part, "input_audio", dict)
    source = ir.Inline(required(audio, "data", str), "audio/" + required(audio, "format", str), audio)
    inner = extra_fields(audio, {"data", "format"})
    return ir.Audio(
        source, None, None, None, None, part, extra_fields(part, {"type", "input_audio"}, nested={"input_audio": inner})
    )


def _spelled(read: Read, word: str) -> Read:
    """Text of a type that is not the usual one of its place."""

    def spelled(part: Object) -> Any:
        found = read(part)
        note_form(found, word)
        return found

    return spelled


SAID = {"refusal": _refusal, "input_image": _image, "input_file": _file, "input_audio": _audio}
GIVEN: dict[str, Read] = {"input_text": _input_text, **SAID}
WRITTEN: dict[str, Read] = {"output_text": _output_text, "input_text": _spelled(_input_text, "input_text"), **SAID}


def read_parts(holder: Object, key: str, readers: dict[str, Read]) -> list[ir.Part]:
    """A string, or a list of parts."""
    content = holder.get(key)
    if type(content) is str:
        return [ir.Text(content, None, None, (holder, key))]
    if content is None:
        raise missing(holder, key)
    if not isinstance(content, list):
        raise wrong(holder, key, "a string or an array of parts")
    parts = tagged(content, "type", readers)
    return parts if parts is not None else each(range(len(content)), lambda index: _part(content, index, readers))


def _part(content: list[Json], index: int, readers: dict[str, Read]) -> ir.Part:
    part = an_object(content, index)
    kind = tag(part)
    read = readers.get(kind)
    return ir.UnknownPart(kind, part, part) if read is None else read(part)


# --- messages ---------------------------------------------------------------------------------------------------------

MESSAGE_KEYS = frozenset({"type", "role", "content"})
ROLES = {role.value: role for role in (Role.USER, Role.ASSISTANT, Role.SYSTEM, Role.DEVELOPER)}


def message(item: Object) -> Turn:
    word = item.get("role")
    if type(word) is not str:
        word = required(item, "role", str)
    role = ROLES.get(word)
    if role is None:
        raise wrong(item, "role", "one of " + ", ".join(ROLES), "SHP-3")
    parts = read_parts(item, "content", WRITTEN if role is ASSISTANT else GIVEN)
    words = SPELLINGS[item.get("type") is None, type(item["content"]) is str]
    turn = Turn(
        role, parts, None, item, extra_fields(item, MESSAGE_KEYS, *words) if words else kept(item, MESSAGE_KEYS)
    )
    if len(parts) > 1 and role is ASSISTANT:
        _by_turn(parts)
    return turn


SPELLINGS = {(False, False): (), (True, False): ("easy",), (False, True): ("string",), (True, True): ("easy", "string")}


def answered(item: Object) -> Turn:
    """A message of an answer."""
    if item.get("role") != "assistant":
        constant(item, "role", "assistant")
    return message(item)


def _by_turn(parts: Iterable[ir.Part]) -> None:
    """Citations count the text of their part; from here on, that of the turn."""
    offset = 0
    for part in parts:
        if type(part) is ir.Text:
            for one in part.citations or ():
                moved(one, offset)
            offset += len(part.text)


def moved(one: ir.Citation, offset: int) -> ir.Citation:
    """The same citation, of a text that stands behind so much other text of its turn (CIT-1)."""
    if offset and isinstance(one, ir.UrlCitation):
        one.start = None if one.start is None else one.start + offset
        one.end = None if one.end is None else one.end + offset
    return one


def has_span(note: Json) -> bool:
    return isinstance(note, dict) and type(note.get("start_index")) is int and type(note.get("end_index")) is int


# --- what an assistant does besides talking ---------------------------------------------------------------------------

CALL_KEYS = frozenset({"type", "call_id", "name", "arguments"})
CUSTOM_CALL_KEYS = frozenset({"type", "call_id", "name", "input"})


def function_call(item: Object) -> Turn:
    identity, name, text = item.get("call_id"), item.get("name"), item.get("arguments")
    if type(identity) is not str or type(name) is not str or type(text) is not str:
        identity, name, text = (required(item, key, str) for key in ("call_id", "name", "arguments"))
    call = ir.FunctionCall(identity, name, text, None, item)
    return Turn(ASSISTANT, [call], None, item, kept(item, CALL_KEYS))


def custom_call(item: Object) -> Turn:
    call = ir.CustomCall(
        required(item, "call_id", str), required(item, "name", str), required(item, "input", str), item
    )
    return Turn(ASSISTANT, [call], None, item, kept(item, CUSTOM_CALL_KEYS))


THOUGHT_KEYS = frozenset({"type", "summary", "content", "encrypted_content"})


def reasoning(item: Object) -> Turn:
    """Summaries first, then texts, the seal over them with the last; nothing at all: its maker keeps it (RSN-4)."""
    listed = optional(item, "summary", list)
    told = optional(item, "content", list)
    sealed = optional(item, "encrypted_content", str)
    parts: list[ir.Reasoning] = [
        *each(range(len(listed or ())), lambda index: _thought(listed, index, "summary_text")),
        *each(range(len(told or ())), lambda index: _thought(told, index, "reasoning_text")),
    ]
    if not parts:
        parts = [ir.Reasoning(None, None, item)]
    parts[-1].src = item  # what is said of the last is said of the item, as a part or as a whole
    if sealed is not None:
        seal = parts[-1].seal = read_seal(sealed, openai.PROVIDER, wire.ENCRYPTED)
        if seal.provider == openai.PROVIDER:
            seal.id = optional(item, "id", str)
    words = (*(("no summary",) if listed is None else ()), *(("content",) if told == [] else ()))
    return Turn(Role.ASSISTANT, [*parts], None, item, extra_fields(item, THOUGHT_KEYS, *words))


def _thought(listed: Any, index: int, kind: str) -> ir.Reasoning:
    part = an_object(listed, index)
    constant(part, "type", kind)
    summary = True if kind == "summary_text" else None
    return ir.Reasoning(required(part, "text", str), None, part, extra_fields(part, {"type", "text"}), summary)


# --- what the client gives back ---------------------------------------------------------------------------------------

RESULT_KEYS = frozenset({"type", "call_id", "output"})
STRING = ("string",)


def result(item: Object) -> Turn:
    """What a tool of the client's gave back (TUL-3)."""
    call_id = item.get("call_id")
    if type(call_id) is not str:
        call_id = optional(item, "call_id", str)
    found = ir.ToolResult(call_id or "", read_parts(item, "output", GIVEN), None, None, item)
    words: tuple[str, ...] = STRING if type(item["output"]) is str else ()
    if item["type"] == "custom_tool_call_output":
        words = (*words, "custom")
    if call_id is None:  # it answers no call that anybody else could find (TUL-3)
        words = (*words, "no call")
    if words is STRING and len(item) == 3:
        return Turn(TOOL, [found], None, item, Extra(None, STRING))
    return Turn(TOOL, [found], None, item, extra_fields(item, RESULT_KEYS, *words))


def reference(item: Object) -> Turn:
    """An item that only the provider holds (R2A-3)."""
    kept = extra_fields(item, {"type", "id"}, *(("untyped",) if item.get("type") is None else ()))
    return Turn(Role.ASSISTANT, [ir.Reference(required(item, "id", str), item)], None, item, kept)


def unknown(item: Object) -> Turn:
    """An item of a type that nobody knows, spoken by whom it says."""
    role = ROLES.get(str(item.get("role")), Role.ASSISTANT)
    return Turn(role, [ir.UnknownPart(tag(item), item, item)], None, item, Extra(None, ("item",)))


def untyped(item: Object) -> Turn:
    """An item that leaves out its type: a message, or an id alone."""
    return reference(item) if "role" not in item and "id" in item else message(item)


Readers = Mapping[str | None, Callable[[Object], Turn]]
ITEMS: dict[str | None, Callable[[Object], Turn]] = {
    None: message,
    "message": message,
    "function_call": function_call,
    "custom_tool_call": custom_call,
    "reasoning": reasoning,
    wire.WEB_SEARCH: web_search,
    wire.MCP_CALL: mcp_call,
    **dict.fromkeys(wire.HOSTED_CALLS, hosted_call),
    **dict.fromkeys(wire.HOSTED_RESULTS, hosted_result),
    **dict.fromkeys(wire.VENDOR_ITEMS, vendor_item),
}
INPUT: Readers = ITEMS | {
    None: untyped,
    "function_call_output": result,
    "custom_tool_call_output": result,
    "item_reference": reference,
}
OUTPUT: Readers = ITEMS | {
    None: answered,
    "message": answered,
    "function_call_output": hosted_result,
    "custom_tool_call_output": hosted_result,
}


def read_items(items: list[Json], readers: Readers) -> list[Turn]:
    """A turn for each item; those of the assistant's that follow one another continue one another."""
    turns: list[Turn] = []
    try:
        for item in items:
            turns.append(readers[item.get("type")](item))  # noqa: PERF401 - as in `tagged`
    except (KeyError, TypeError, AttributeError, Refusal):
        turns = each(range(len(items)), lambda index: _item(items, index, readers))
    before = None
    for turn in turns:
        if turn.role is before is ASSISTANT:
            turn.continues = True
        before = turn.role
    return turns


def _item(items: list[Json], index: int, readers: Readers) -> Turn:
    item = an_object(items, index)
    return readers.get(None if item.get("type") is None else tag(item), unknown)(item)


# --- what streams ask of parts ----------------------------------------------------------------------------------------


def kind_of(part: ir.Part) -> str:
    """The wire's own name for what a part is; "" for what has no wording."""
    if isinstance(part, ir.Reasoning):
        if part.text is None:
            return ""
        return "summary_text" if part.summary else "reasoning_text"
    return KINDS.get(type(part), "")


RESULT = "result"  # which no event tells piece by piece; what is told of it is held against the end
KINDS: dict[type, str] = {
    ir.Text: "output_text",
    ir.Refusal: "refusal",
    ir.FunctionCall: "function_call",
    ir.CustomCall: "custom_tool_call",
    ir.McpCall: wire.MCP_CALL,
    ir.McpResult: RESULT,
    ir.WebSearchResult: RESULT,
}


def wording(part: Any) -> str:
    """What a part says, however it does; its stream is held against it."""
    if isinstance(part, (ir.FunctionCall, ir.McpCall)):
        return str(part.arguments)
    if isinstance(part, ir.McpResult):
        return str(part.text)
    if isinstance(part, ir.WebSearchResult):
        return " ".join(hit.url for hit in part.hits)
    return str(part.input if isinstance(part, ir.CustomCall) else part.text)
