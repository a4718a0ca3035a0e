"""Reads the content of turns and the tools of Interactions. Requests and responses share these readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.media_types import shown_kind
from proxai_ir.ir.parts import PYTHON
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import gemini_interactions as wire
from proxai_ir.wire import gemini_interactions_objects as objects
from proxai_ir.wire import google

from .._google.reading import decoded, signature, stored_or_fetched, token_in
from .._lib import reading as r
from .._lib.objects import ObjectReader, UnionReader
from .._lib.reading import Json, Object

# --- parts ------------------------------------------------------------------------------------------------------------
# Content and steps of Interactions as parts and turns: one turn for each step. Requests and responses share them.
#
# What a step has in addition to its parts is kept with the part that it is, or with the turn if it has several. A step
# of the model that follows another one has `continues`.


WEB = ("https://", "http://")


def _cited_as(kind: str) -> Callable[[Object], ir.Citation]:
    """Return a reader of citations of pages, or of places and files that have an address in the web; those without
    one are kept in this protocol's form."""
    read = ObjectReader(objects.CITATIONS[kind], dict.fromkeys(("start_index", "end_index"), dict.get))
    key, _ = objects.ADDRESS[kind]

    def citation(note: Object) -> ir.Citation:
        address = note.get(key)
        if not isinstance(address, str) or (kind != PAGE and not address.startswith(WEB)):
            return ir.SourceCitation(kind, note, note)
        made: ir.Citation = read.read(note)
        if kind != PAGE:
            r.keep(made, "type", kind)
        return made

    return citation


PAGE = "url_citation"
CITATIONS = UnionReader(
    objects.CITATIONS,
    {kind: _cited_as(kind) for kind in objects.ADDRESS},
    lambda note: ir.SourceCitation(note["type"], note, note),
)


def placed(citation: ir.Citation, offsets: google.Offsets) -> ir.Citation:
    """Return a citation with its span in characters of its text; an offset outside the text is kept as it is."""
    if isinstance(citation, ir.UrlCitation):
        for name in ("start", "end"):
            value = getattr(citation, name)
            if value is not None:
                character = offsets.character(value)
                setattr(citation, name, character)
                if character is None:
                    r.keep(citation, f"{name}_index", value)
    return citation


def _cited(content: Object, key: str) -> list[ir.Citation] | None:
    offsets = google.Offsets([r.required(content, "text", str)])
    return [placed(one, offsets) for one in CITATIONS.each(content[key])] or None


# --- media ------------------------------------------------------------------------------------------------------------


def _source(content: Object) -> ir.Source:
    """Return data, a file that Google stores, or a URL that it fetches (SHP-4)."""
    data, uri, mime = (r.optional(content, key, str) for key in ("data", "uri", "mime_type"))
    if (data is None) is (uri is None):
        raise Refusal("SHP-4", content, "expected exactly one of `data` and `uri`")
    if data is not None:
        return ir.Inline(data, mime, content)
    assert uri is not None
    return stored_or_fetched(uri, content, mime)


def _media(kind: str) -> Callable[[Object], Any]:
    plain = ObjectReader(objects.CONTENT[kind])

    def read(content: Object) -> Any:
        made = plain.read(content)
        made.source = _source(content)
        return made

    return read


def _document(content: Object) -> ir.Part:
    """Return a document; if its data are text, that is its content."""
    made: ir.Document = DOCUMENT(content)
    mime = content.get("mime_type")
    if isinstance(made.source, ir.Inline) and isinstance(mime, str) and shown_kind(mime) == "text":
        text = decoded(made.source.data)
        made.source = made.source if text is None else ir.PlainText(text, mime, content)
    return made


DOCUMENT = _media("document")
MEDIA: dict[str, Callable[[Object], ir.Part]] = {
    "image": _media("image"),
    "audio": _media("audio"),
    "video": _media("video"),
    "document": _document,
}
CONTENT = UnionReader(
    objects.CONTENT,
    {"text": ObjectReader(objects.CONTENT["text"], {"annotations": _cited}), **MEDIA},
    other=lambda content: ir.UnknownPart(content["type"], content, content),
)

# --- thoughts ---------------------------------------------------------------------------------------------------------


def thought(step: Object) -> ir.Turn:
    """Return the texts of a summary, and the signature after them, which belongs to what comes next (RSN-28).

    A signature of another provider seals the text before it. Pictures in a summary are kept for this protocol.
    """
    summary = r.optional(step, "summary", list) or []
    listed = r.each(range(len(summary)), lambda index: r.an_object(summary, index))
    found: list[ir.Part] = [
        ir.Reasoning(r.required(one, "text", str), None, one, r.kept(one, {"type", "text"}), True)
        for one in listed
        if one.get("type") == "text"
    ]
    turn = ir.Turn(ir.ASSISTANT, found, None, step, r.kept(step, {"type", "summary", "signature"}))
    turn.parts += sealed(signature(step, "signature"), step, found[-1] if found else None)
    if any(one.get("type") != "text" for one in listed):
        r.keep(turn, "summary", summary)
    return turn


def sealed(seal: ir.Seal | None, src: Any, last: Any) -> list[ir.Part]:
    """Return a signature as a part of its own; one of another provider becomes the seal of the `last` part."""
    if last is not None and seal is not None and seal.provider != google.PROVIDER:
        last.seal = seal
        return []
    return [ir.Reasoning(None, seal, src)] if seal is not None or last is None else []


# --- calls and results ------------------------------------------------------------------------------------------------


def _returned(step: Object, key: str) -> list[ir.Part]:
    """Return a result: a text, content, or an object as JSON text."""
    value = step[key]
    if isinstance(value, str):
        return [ir.Text(value, src=(step, key))]
    if isinstance(value, list):
        return RETURNED.each(value)
    if isinstance(value, dict):
        return [ir.Text(r.json_text(step, key), src=(step, key))]
    raise r.wrong(step, key, "a string, an array of content, or an object")


def _named(content: Object) -> ir.Part:
    """Return a function that a tool of the client's found, by its name; other content is unknown."""
    kind = r.tag(content)
    if kind == wire.FUNCTION and isinstance(content.get("name"), str):
        return ir.VendorPart(ir.FOUND_TOOL, content, content)
    return ir.UnknownPart(kind, content, content)


RETURNED = UnionReader(objects.CONTENT, CONTENT.readers, _named)


def _with_found(turn: ir.Turn) -> ir.Turn:
    """Return a turn with the definitions of the functions that its results found, which the model has from there."""
    results = [part for part in turn.parts if isinstance(part, ir.ToolResult)]
    found = [one for result in results for one in result.parts if isinstance(one, ir.VendorPart)]
    turn.parts += [ir.ToolChange(None, None, _function(one.raw), src=one.src) for one in found]
    return turn


def _written(step: Object, key: str) -> str | None:
    """Return the output of a tool that the provider ran, or None if it is more than one text."""
    value = step[key]
    if not isinstance(value, (str, list, dict)):
        raise r.wrong(step, key, "a string, an array of content, or an object")
    if isinstance(value, str):
        return value
    texts = ir.texts_of(value) if ir.only_texts(value) else None
    if texts is None or len(texts) != 1:
        return None
    return texts[0]


def _function_call(step: Object) -> ir.Part:
    """Return a call; its signature is its seal, and is also kept in its own place for this protocol (RSN-90)."""
    made: ir.FunctionCall = CALL.read(step)
    given = step.get(objects.SIGNATURE)
    if given is not None:
        made.seal = signature(step, objects.SIGNATURE)
        r.keep(made, objects.SIGNATURE, given)
    return made


def _search(step: Object) -> ir.Part:
    made: ir.WebSearchCall = SEARCH.read(step)
    made.queries = made.queries or []
    return made


def _code(step: Object) -> ir.Part:
    made: ir.CodeCall = CODE.read(step)
    made.code, made.language = made.code or "", made.language or PYTHON
    return made


def _output(step: Object) -> ir.Part:
    made: ir.CodeResult = OUTPUT.read(step)
    return _hosted_result(step) if made.stdout is None else made


def _server_result(step: Object) -> ir.Part:
    """Return the result of a server's tool; content that is no text is kept for this protocol."""
    made: ir.McpResult = SERVER_RESULT.read(step)
    if made.text is None:
        r.keep(made, "result", step["result"])
        texts = ir.texts_of(step["result"])
        made.text = "".join(texts) if texts is not None else r.json_text(step, "result")
    return made


def _pages_found(step: Object) -> ir.Part:
    """Return the pages that a search found, if the server names them; other results are kept for this protocol."""
    made: ir.WebSearchResult = FOUND.read(step)
    listed = r.optional(step, "result", list) or []
    pages = [one for one in listed if isinstance(one, dict) and isinstance(one.get("url"), str)]
    made.hits = [ir.WebHit(one["url"], r.optional(one, "title", str), src=one) for one in pages]
    if [{"url": hit.url, "title": hit.title} for hit in made.hits] != listed and listed:
        r.keep(made, "result", listed)
    return made


def _hosted_call(step: Object) -> ir.Part:
    kind = r.tag(step).removesuffix("_call")
    return ir.HostedCall(google.KIND_OF.get(kind, kind), r.required(step, "id", str), step, step)


def _hosted_result(step: Object) -> ir.Part:
    kind = r.tag(step).removesuffix("_result")
    return ir.HostedResult(google.KIND_OF.get(kind, kind), r.required(step, "call_id", str), step, step)


CALL = ObjectReader(objects.STEPS["function_call"])
SEARCH, CODE = ObjectReader(objects.STEPS["google_search_call"]), ObjectReader(objects.STEPS["code_execution_call"])
OUTPUT = ObjectReader(
    objects.STEPS["code_execution_result"], {"result": _written, "is_error": lambda step, key: int(bool(step[key]))}
)
SERVER_RESULT = ObjectReader(objects.STEPS["mcp_server_tool_result"], {"result": _written})
FOUND = ObjectReader(objects.STEPS["google_search_result"])
RESULT = ObjectReader(objects.STEPS["function_result"], {"result": _returned})
GIVEN = UnionReader(objects.GIVEN, {**CONTENT.readers, wire.RESULT: RESULT}, CONTENT.other)
STEPS: dict[str, Callable[[Object], Any]] = {
    wire.CALL: _function_call,
    "google_search_call": _search,
    "google_search_result": _pages_found,
    "code_execution_call": _code,
    "code_execution_result": _output,
    "mcp_server_tool_call": ObjectReader(objects.STEPS["mcp_server_tool_call"]),
    "mcp_server_tool_result": _server_result,
    **dict.fromkeys(wire.HOSTED_CALLS, _hosted_call),
    **dict.fromkeys(wire.HOSTED_RESULTS, _hosted_result),
}
"""Steps of the model's turn that are one part."""

# --- turns ------------------------------------------------------------------------------------------------------------


def _content_of(role: Any, readers: UnionReader) -> Callable[[Object], ir.Turn]:
    def read(step: Object) -> ir.Turn:
        content = r.optional(step, "content", list)
        return ir.Turn(role, readers.each(content) if content else [], None, step, r.kept(step, {"type", "content"}))

    return read


def _alone(read: Callable[[Object], Any]) -> Callable[[Object], ir.Turn]:
    return lambda step: ir.Turn(ir.ASSISTANT, [read(step)], None, step)


def _unknown_step(step: Object) -> ir.Turn:
    return ir.Turn(ir.ASSISTANT, [ir.UnknownPart(r.tag(step), step, step)], None, step)


Readers = Mapping[str, Callable[[Object], ir.Turn]]
MADE: Readers = {
    wire.MODEL: _content_of(ir.ASSISTANT, CONTENT),
    wire.THOUGHT: thought,
    **{kind: _alone(read) for kind, read in STEPS.items()},
}
INPUT: Readers = {
    **MADE,
    wire.USER: lambda step: _with_found(_content_of(ir.USER, GIVEN)(step)),
    wire.RESULT: lambda step: _with_found(ir.Turn(ir.TOOL, [RESULT.read(step)], None, step)),
}
RESPONSE: Readers = {
    **MADE,
    wire.USER: _alone(lambda step: ir.VendorPart(r.tag(step), step, step)),  # input that is repeated
    wire.RESULT: _alone(_hosted_result),
}


def read_step(step: Object, readers: Readers) -> ir.Turn:
    return readers.get(r.tag(step), _unknown_step)(step)


def read_steps(listed: list[Json], readers: Readers) -> list[ir.Turn]:
    """Return a turn for each step; a step of the model that follows another one continues it."""
    turns: list[ir.Turn] = r.each(range(len(listed)), lambda index: read_step(r.an_object(listed, index), readers))
    for before, turn in pairwise(turns):
        if before.role is turn.role is ir.ASSISTANT:
            turn.continues = True
    return turns


def read_input(payload: Object) -> list[ir.Turn]:
    """Return the turns of the input: a text, one content of the user or several, or steps."""
    given, place = payload["input"], (payload, "input")
    if isinstance(given, str):
        return [ir.Turn(ir.USER, [ir.Text(given, src=place)], None, place)]
    if isinstance(given, dict):
        return [ir.Turn(ir.USER, [CONTENT.read(given)], None, place)]
    if not isinstance(given, list):
        raise r.wrong(*place, "a string, content, or an array of content or of steps")
    if given and all(isinstance(one, dict) and one.get("type") in wire.CONTENT for one in given):
        return [ir.Turn(ir.USER, CONTENT.each(given), None, place)]
    return read_steps(given, INPUT)


# --- tools ------------------------------------------------------------------------------------------------------------
# Tools of Interactions: definitions, and the choice among them (TUL-6, TUL-7).


def _function(tool: Object) -> ir.Tool:
    made: ir.FunctionTool = FUNCTION.read(tool)
    if made.parameters:
        made.parameters = r.json_schema(made.parameters)
    return made


def _allowed(tool: Object, key: str) -> list[str] | None:
    """Return the names of a server's tools that are allowed, or None if more than names is stated."""
    names: list[str] = []
    for one in tool[key]:
        if not isinstance(one, dict) or one.keys() - {"mode", "tools"} or one.get("mode") not in (None, "auto"):
            return None
        names += r.strings(one, "tools") or []
    return names or None


def _server(tool: Object) -> ir.Tool:
    """Return an MCP server; choices among its tools that are more than names are kept for this protocol.

    The types allow one without a name or an address, which no other protocol can call.
    """
    if tool.get("name") is None or tool.get("url") is None:
        return ir.HostedTool(wire.MCP_SERVER if tool.get("url") else wire.NO_ADDRESS, None, tool, tool)
    made: ir.McpServer = SERVER.read(tool)
    made.http_headers = token_in(r.optional(tool, "headers", dict))[1]
    if made.allowed_tools is None and tool.get("allowed_tools"):
        r.keep(made, "allowed_tools", tool["allowed_tools"])
    return made


def _other(tool: Object) -> ir.Tool:
    kind = r.tag(tool)
    if kind == wire.CLIENT_TOOL:
        return ir.ClientTool(google.KIND_OF[kind], tool, None, None, tool)
    if kind in wire.HOSTED_TOOLS:
        return ir.HostedTool(wire.HOSTED_TOOLS[kind], None, tool, tool)
    return ir.UnknownTool(kind, tool, tool)


FUNCTION = ObjectReader(objects.TOOLS["function"])
SERVER = ObjectReader(
    objects.TOOLS["mcp_server"], {"headers": lambda tool, key: token_in(tool[key])[0], "allowed_tools": _allowed}
)
TOOLS = UnionReader(objects.TOOLS, {"function": _function, "mcp_server": _server}, _other)


def read_choice(config: Object, key: str) -> ir.ToolChoice | None:
    """Return the choice, a word or some of the tools, or None if its word is unknown."""
    given = config[key]
    if isinstance(given, str):
        return ir.Choice(google.MODE[given], (config, key)) if given in google.MODE else None
    if not isinstance(given, dict):
        raise r.wrong(config, key, "a string or an object")
    allowed = r.optional(given, "allowed_tools", dict)
    if allowed is None:
        return None
    mode, names = google.MODE.get(r.optional(allowed, "mode", str) or "auto"), r.strings(allowed, "tools") or []
    if mode is None:
        return None
    extra = r.extra_fields(
        given, {"allowed_tools"}, nested={"allowed_tools": r.extra_fields(allowed, {"mode", "tools"})}
    )
    if not names or mode is ir.ChoiceMode.NONE:
        left = r.extra_fields(allowed, {"mode"})
        return ir.Choice(mode, given, r.extra_fields(given, {"allowed_tools"}, nested={"allowed_tools": left}))
    if mode is ir.ChoiceMode.REQUIRED and len(names) == 1:
        return ir.NamedChoice(names[0], given, extra)
    return ir.AllowedChoice(mode, [("function", name) for name in names], given, extra)
