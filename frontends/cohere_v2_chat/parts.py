"""Reads the content of turns and the tools of Cohere's chat. Requests and responses share these readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proxai_ir import ir
from proxai_ir.wire import cohere_v2_chat as wire

from .._lib import reading as r
from .._lib.objects import ObjectReader, UnionReader
from .._lib.reading import Json, Object

# --- tools ------------------------------------------------------------------------------------------------------------
# Tools of /v2/chat, the choice among them, and their calls.


_CALL = ObjectReader(wire.CALL, {"function/arguments": lambda function, key: str(function[key])})
TOOLS = UnionReader(wire.TOOLS, other=lambda tool: ir.UnknownTool(str(tool["type"]), tool, tool))


def call(found: Object) -> ir.FunctionCall | ir.UnknownPart:
    """Return a call, which may have no arguments; one of another type is unknown content."""
    kind = r.optional(found, "type", str) or "function"
    if kind != "function":
        return ir.UnknownPart(kind, found, found)
    made: ir.FunctionCall = _CALL.read(found)
    made.arguments = made.arguments or ""
    return made


def read_choice(request: ir.Request, payload: Object) -> None:
    mode = r.pick(wire.CHOICES, payload, "tool_choice")
    if mode is None:
        r.keep(request, "tool_choice", payload["tool_choice"])
    else:
        request.tool_choice = ir.Choice(mode, src=(payload, "tool_choice"))


# --- parts ------------------------------------------------------------------------------------------------------------
# Messages of /v2/chat as turns: content, documents, calls, and the citations that a message has apart.


def _image_source(holder: Object, key: str) -> ir.Source:
    """Return the data of a data URI, or another address as it is."""
    url: str = holder[key]
    head, found, data = url.partition(";base64,")
    if found and head.startswith("data:"):
        return ir.Inline(data, head.removeprefix("data:") or None, src=(holder, key))
    return ir.Url(url, src=(holder, key))


def _data(document: Object, key: str) -> ir.Source:
    """Return a document's text, if it has nothing else but a title, or all its known members as JSON."""
    data = document[key]
    if isinstance(data, str):
        return ir.PlainText(data, wire.PLAIN, src=(document, key))
    data = r.required(document, key, dict)
    if isinstance(data.get("text"), str) and data.keys() <= {"text", "title"}:
        return ir.PlainText(data["text"], wire.PLAIN, src=data)
    return ir.PlainText(r.json_text(document, key), wire.JSON, src=(document, key))


_DOCUMENT = ObjectReader(wire.DOCUMENT, {"data": _data})
_BLOCK = ObjectReader(wire.CONTENT["document"], {"document/data": _data})


def document(found: Object) -> ir.Document:
    return _titled(_DOCUMENT.read(found), found)


def _titled(made: ir.Document, found: Object) -> ir.Document:
    """Return the document with the title in its data, if these are only a text."""
    data = found["data"]
    if isinstance(made.source, ir.PlainText) and made.source.src is data:
        made.title = r.optional(data, "title", str)
    return made


def _of_result(block: Object) -> ir.Part:
    """Return a document of a tool's result, or the text or JSON that is the result.

    The guides send every result in documents, with ids for citations; one stays a document where it has a title or an
    address, which a text would not keep. The block is kept around an empty value of the same form as the data.
    """
    made = _titled(_BLOCK.read(block), block["document"])
    data = block["document"]["data"]
    if made.title is not None or (isinstance(data, dict) and isinstance(data.get("url"), str)):
        return made
    assert isinstance(made.source, ir.PlainText)
    form = "" if isinstance(data, str) else {} if made.source.mime == wire.JSON else {"text": ""}
    found = ir.Text(made.source.text, src=block, extra=made.extra)
    inner = ((found.extra and found.extra.fields) or {}).get("document")
    r.keep(found, "document", {**(inner or {}), "data": form})
    r.keep(found, "type", "document")
    return found


_IMAGE = ObjectReader(wire.CONTENT["image_url"], {"image_url/url": _image_source})
READ = UnionReader(wire.CONTENT, {"image_url": _IMAGE, "document": _of_result}).readers
SYSTEM = {"text": READ["text"]}
USER = {**SYSTEM, "image_url": READ["image_url"]}
ASSISTANT = {**SYSTEM, "thinking": READ["thinking"]}
RESULT = {**SYSTEM, "document": READ["document"]}
ANYWHERE = READ.keys()


def content(holder: Object, table: Any) -> list[ir.Part]:
    """Return the parts of a string, which is one text, or of a list of parts that `table` allows."""
    given = holder.get("content")
    if isinstance(given, str):
        return [ir.Text(given, src=(holder, "content"))]
    listed = r.required(holder, "content", list)
    return r.each(range(len(listed)), lambda index: _part(listed, index, table))


def _part(listed: list[Json], index: int, table: Any) -> ir.Part:
    found = r.an_object(listed, index)
    kind = r.tag(found)
    if kind in table:
        return table[kind](found)  # type: ignore[no-any-return]
    if kind in ANYWHERE:
        raise r.wrong(found, "type", "one of the types that are allowed here: " + ", ".join(sorted(table)), "SHP-5")
    return ir.UnknownPart(kind, found, found)


# --- messages ---------------------------------------------------------------------------------------------------------

CONTENT = {ir.Role.SYSTEM: SYSTEM, ir.Role.USER: USER}


def message(found: Object) -> ir.Turn:
    role = r.known_word(found, "role", wire.ROLES)
    if role is ir.Role.ASSISTANT:
        return assistant(found)
    if role is ir.Role.TOOL:
        answered = r.required(found, "tool_call_id", str)
        result = ir.ToolResult(answered, content(found, RESULT), src=found)
        return ir.Turn(role, [result], src=found, extra=r.extra_fields(found, {"role", "tool_call_id", "content"}))
    return ir.Turn(role, content(found, CONTENT[role]), src=found, extra=r.extra_fields(found, {"role", "content"}))


def assistant(found: Object) -> ir.Turn:
    """Return the assistant's turn: the content, the plan as a text, and the calls."""
    listed = content(found, ASSISTANT) if found.get("content") is not None else []
    plan = r.optional(found, "tool_plan", str)
    planned = [ir.Text(plan, src=(found, "tool_plan"))] if plan else []
    calls = r.each_object(r.optional(found, "tool_calls", list) or [], call)
    turn = ir.Turn(ir.Role.ASSISTANT, [*listed, *planned, *calls], src=found)
    known = {"role", "content", "tool_plan", "tool_calls", "citations"}
    turn.extra = r.extra_fields(found, known)
    cited = r.optional(found, "citations", list)
    if cited:
        unplaced = [one for one in r.each_object(cited, lambda one: _place(one, listed, planned)) if one is not None]
        if unplaced:
            turn.extra = ir.Extra({**((turn.extra and turn.extra.fields) or {}), "citations": unplaced})
    return turn


# --- citations --------------------------------------------------------------------------------------------------------


def _place(one: Object, listed: Sequence[ir.Part], planned: Sequence[ir.Text]) -> Object | None:
    """Attach a citation to its text; one of thoughts, or of nothing, stands on the first text in its own form.

    Returns the citation if there is no text.
    """
    text = _cited(one, listed, planned)
    found = citations(one) if text is not None else [own_citation(one)]
    text = text or next((part for part in (*listed, *planned) if isinstance(part, ir.Text)), None)
    if text is None:
        return one
    text.citations = [*(text.citations or ()), *found]
    return None


def _cited(one: Object, listed: Sequence[ir.Part], planned: Sequence[ir.Text]) -> ir.Text | None:
    kind, index = r.optional(one, "type", str), r.optional(one, "content_index", int)
    if kind == wire.PLAN_CITED:
        return planned[0] if planned else None
    if kind not in (None, wire.TEXT_CITED):
        return None
    if index is not None:
        found = listed[index] if 0 <= index < len(listed) else None
        return found if isinstance(found, ir.Text) else None
    return next((part for part in (*listed, *planned) if isinstance(part, ir.Text)), None)


def citations(one: Object) -> list[ir.Citation]:
    """Return a citation for each page if all that is cited are pages, else the citation in this protocol's form."""
    start, end = r.optional(one, "start", int), r.optional(one, "end", int)
    sources = r.optional(one, "sources", list) or []
    pages: list[Any] = [source.get("document") for source in sources if isinstance(source, dict)]
    if not pages or len(pages) != len(sources) or not all(map(_is_page, pages)):
        return [own_citation(one)]
    rest = {key: value for key, value in one.items() if key not in ("start", "end") and value is not None}
    return [
        ir.UrlCitation(
            page["url"], page.get("title"), None, start, end, None, one, ir.Extra({**rest, "sources": [source]})
        )
        for page, source in zip(pages, sources, strict=True)
    ]


def own_citation(one: Object) -> ir.SourceCitation:
    return ir.SourceCitation(r.optional(one, "type", str) or wire.TEXT_CITED, one, one)


def _is_page(found: Any) -> bool:
    return (
        isinstance(found, dict)
        and isinstance(found.get("url"), str)
        and found["url"].startswith(("https://", "http://"))
        and isinstance(found.get("title"), (str, type(None)))
    )
