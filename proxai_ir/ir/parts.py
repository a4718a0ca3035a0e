"""The parts of a turn: text and its citations, media, tool calls and results, reasoning, refusals."""

from __future__ import annotations

from enum import Enum
from typing import Any

import attrs
from attrs import field

from ..json.classes import define
from .node import Cache, Extra, Seal, bookkeeping
from .tools import ToolChange as ToolChange

# --- calls of client tools, and runs of code --------------------------------------------------------------------------


@define
class ClientCall:
    """A call of a ClientTool of this kind, which the client must execute. `arguments` as in FunctionCall.

    `raw`: the call in its vendor's form. `name`: the name of the tool as a function, None if it has no such form.
    """

    kind: str
    id: str
    arguments: str | dict[str, Any]
    src: Any = bookkeeping()
    extra: Extra | None = None
    raw: dict[str, Any] | None = field(default=None, kw_only=True)
    name: str | None = field(default=None, kw_only=True)


@define
class ClientResult:
    """The result of a ClientTool of this kind; `is_error` as in ToolResult. `text` is None if it is not text."""

    kind: str
    call_id: str
    text: str | None
    src: Any = bookkeeping()
    extra: Extra | None = None
    is_error: bool | None = field(default=None, kw_only=True)
    raw: dict[str, Any] | None = field(default=None, kw_only=True)


PYTHON, BASH = "python", "bash"


@define
class CodeCall:
    """A run of code; `language` is PYTHON or BASH. While it streams, its code comes as a whole."""

    id: str
    code: str
    language: str
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class CodeResult:
    """The output of a run of code and how it ended. `error`: the provider's word for why it did not run.

    If the source does not separate the two streams, `stdout` has all output and `stderr` is None.
    """

    call_id: str
    language: str
    stdout: str
    stderr: str | None = None
    exit_code: int | None = None
    error: str | None = None
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


def texts_of(blocks: Any) -> list[str] | None:
    """Return the texts of a list of text blocks, e.g. an MCP result, or None if it has other blocks."""
    if not isinstance(blocks, list):
        return None
    texts = [one for one in blocks if isinstance(one, dict) and one.get("type") == "text"]
    found = [one["text"] for one in texts if isinstance(one.get("text"), str)]
    return found if len(found) == len(blocks) else None


def only_texts(blocks: Any) -> bool:
    """Return whether all blocks are texts without other members."""
    return texts_of(blocks) is not None and not any(
        value is not None for one in blocks for key, value in one.items() if key not in ("type", "text")
    )


def wording(error: Any) -> str | None:
    """Return the wording of an error: a string, its message, or the texts that the tool itself returned."""
    if not isinstance(error, dict):
        return error if isinstance(error, str) else None
    texts, message = texts_of(error.get("content")), error.get("message")
    if texts is not None:
        return "".join(texts)
    return message if isinstance(message, str) else None


def only_wording(error: Any, kind: str) -> bool:
    """Return whether an error has nothing but its wording; `kind` is the type of an error that a tool returned."""
    if not isinstance(error, dict):
        return isinstance(error, str)
    return error.keys() == {"type", "content"} and error["type"] == kind and only_texts(error["content"])


# --- citations --------------------------------------------------------------------------------------------------------


@define
class UrlCitation:
    """A web page that a text cites. `start` and `end` count characters of the citing text; None: all of it."""

    url: str
    title: str | None
    cited_text: str | None = None
    start: int | None = None
    end: int | None = None
    seal: Seal | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class SourceCitation:
    """A passage of the request's content, in its vendor's own terms."""

    kind: str
    raw: dict[str, Any]
    src: Any = bookkeeping()
    extra: Extra | None = None


class CitationUnit(Enum):
    CHAR = "char"
    PAGE = "page"
    BLOCK = "block"


@define
class DocumentCitation:
    """A passage of a document in the request: characters, pages or blocks from `start` to before `end`.

    `document`: the index of the document among the request's; `file`: the id of its file. Pages count from 1.
    """

    unit: CitationUnit
    document: int
    start: int
    end: int
    title: str | None = None
    cited_text: str | None = None
    file: str | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


Citation = UrlCitation | SourceCitation | DocumentCitation


# --- sources of media -------------------------------------------------------------------------------------------------


@define
class Inline:
    """Base64 data. `mime` is None if the source does not state it."""

    data: str
    mime: str | None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class Url:
    """The address of content to fetch. `mime` is its media type, if the source states it."""

    url: str
    src: Any = bookkeeping()
    extra: Extra | None = None
    mime: str | None = field(default=None, kw_only=True)


@define
class FileRef:
    """A file that a provider stores (SRC-1). `provider` and `mime`, its media type, are None if they are unknown."""

    id: str
    src: Any = bookkeeping()
    extra: Extra | None = None
    provider: str | None = None
    mime: str | None = field(default=None, kw_only=True)


@define
class PlainText:
    """A document given as its text."""

    text: str
    mime: str
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class Chunks:
    """A document given as a list of parts, which are the blocks that citations count."""

    parts: list[Part]
    src: Any = bookkeeping()
    extra: Extra | None = None


Source = Inline | Url | FileRef | PlainText | Chunks

# Kinds of a VendorPart.
SEALED, ALL_SEALED = "sealed", "all sealed"  # a part, or a whole message, that its vendor alone can read (PLC-61)
COMPACT = "compact"  # asks for a summary of the conversation instead of a response (PLC-62)
SUMMARY = "summary"  # such a summary: its `text`, and an `envelope` with it (PLC-64)
BOOKKEEPING = "bookkeeping"  # a client's text for its vendor's accounts (PLC-60)
FOUND_TOOL = "tool_reference"  # a tool that a result found, by its name or its definition (TUL-42)
CITED = "reference"  # names sources of the text before it, by ids of its vendor's (CIT-1)
MARK = "cachePoint"  # a cache breakpoint that follows nothing (CAC-4); the kind of an unknown tool, too

# --- parts ------------------------------------------------------------------------------------------------------------
# `seal`: the provider may sign what its model made, and expects the signature back in the next request.


@define
class Text:
    text: str
    citations: list[Citation] | None = None
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    seal: Seal | None = field(default=None, kw_only=True)


@define
class Image:
    source: Source
    detail: str | None = None
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    seal: Seal | None = field(default=None, kw_only=True)


@define
class Audio:
    """Speech. In a response `id` names the recording for later turns, until `expires_at` (Unix seconds)."""

    source: Source
    transcript: str | None = None
    id: str | None = None
    expires_at: int | None = None
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    seal: Seal | None = field(default=None, kw_only=True)


@define
class Video:
    source: Source
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class Document:
    """A file for the model to read. `cite`: whether the response may cite it."""

    source: Source
    title: str | None = None
    context: str | None = None
    cite: bool | None = None
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class SearchResult:
    """A search hit that the client found and the model may cite."""

    source: str
    title: str
    parts: list[Part]
    cite: bool | None = None
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class FunctionCall:
    """A call that the client must execute. `arguments` have the source's form: JSON text or an object (TUL-1)."""

    id: str | None
    name: str
    arguments: str | dict[str, Any]
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    seal: Seal | None = field(default=None, kw_only=True)
    namespace: str | None = field(default=None, kw_only=True)


@define
class CustomCall:
    """A call of a custom tool: its input is free text, not JSON (TUL-2)."""

    id: str
    name: str
    input: str
    src: Any = bookkeeping()
    extra: Extra | None = None
    seal: Seal | None = field(default=None, kw_only=True)
    namespace: str | None = field(default=None, kw_only=True)


@define
class HostedCall:
    """A call that the provider executes itself, and no client has to (TUL-6)."""

    kind: str
    id: str
    raw: dict[str, Any]
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class HostedResult:
    """The result of one of the provider's own tools."""

    kind: str
    call_id: str
    raw: dict[str, Any]
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class WebSearchCall:
    """A web search that the provider executes (TUL-6), or the URL of a page that it opens. It has no deltas."""

    id: str
    queries: list[str]
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    page: str | None = field(default=None, kw_only=True)


@define
class WebHit:
    """A page that a web search found. `age` is the provider's text for it; the seal holds the page's content, without
    data if another provider found the page (TUL-66)."""

    url: str
    title: str | None = None
    age: str | None = None
    seal: Seal | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class WebSearchResult:
    """The result of a web search; `error`: the provider's word for why it found nothing.

    `page`: the URL of the page that was opened (`WebSearchCall.page`), whose content is not here.
    """

    call_id: str
    hits: list[WebHit]
    error: str | None = None
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    page: str | None = field(default=None, kw_only=True)


@define
class McpCall:
    """A call of a tool on an MCP server, which the provider makes itself (TUL-6); `arguments` as in FunctionCall."""

    id: str
    server: str
    name: str
    arguments: str | dict[str, Any]
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class McpResult:
    """The result of a tool on an MCP server; `text` is None for a failure without any wording."""

    call_id: str
    text: str | None
    is_error: bool | None = None
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class ToolResult:
    """The result of a client's tool. `call_id`: "" if no call is known, None if only `name` is (TUL-3, TUL-5).

    `failure`: the JSON text of an object that reports a failure, and whose member is the text here (TUL-65).
    """

    call_id: str | None
    parts: list[Part]
    is_error: bool | None = None
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    name: str | None = field(default=None, kw_only=True)
    failure: Any = bookkeeping()


@define
class Reasoning:
    """The model's thinking: its text, the provider's seal over it, or both. Without text it is encrypted or withheld.

    `summary`: the text is the provider's summary, and not the thinking itself.
    """

    text: str | None
    seal: Seal | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    summary: bool | None = None


@define
class Refusal:
    """The words in which the model declines (REF-1)."""

    text: str
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class Reference:
    """The id of content that only the provider stores, or in `raw` content that only it can read (R2A-3)."""

    id: str
    src: Any = bookkeeping()
    extra: Extra | None = None
    raw: dict[str, Any] | None = field(default=None, kw_only=True)


@define
class VendorPart:
    """A part that only one vendor has, of an official type. `kind`: its type on the wire, or one of those above."""

    kind: str
    raw: dict[str, Any]
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class UnknownPart:
    """A part of a type that the official types do not have (UNK-2)."""

    kind: str
    raw: dict[str, Any]
    src: Any = bookkeeping()
    extra: Extra | None = None


Part = (
    Text
    | Image
    | Audio
    | Video
    | Document
    | SearchResult
    | FunctionCall
    | CustomCall
    | ClientCall
    | ClientResult
    | HostedCall
    | HostedResult
    | WebSearchCall
    | WebSearchResult
    | McpCall
    | McpResult
    | CodeCall
    | CodeResult
    | ToolResult
    | Reasoning
    | Refusal
    | Reference
    | ToolChange
    | VendorPart
    | UnknownPart
)

CALLS = (FunctionCall, CustomCall)
"""Calls that the client runs, of tools that requests define."""
WORDING = (Text, Refusal)
"""Parts with text for the user."""


def with_only(cls: type, src: Any, **fields: Any) -> Any:
    """Return a part of a class with some fields and no others, as one event of a stream adds to it."""
    part: Any = object.__new__(cls)
    for attribute in attrs.fields(cls):
        setattr(part, attribute.name, fields.get(attribute.name))
    part.src = src
    return part


def one_text(parts: list[Part]) -> bool:
    """Return whether a string can hold the parts: one text with no other fields, or nothing."""
    only = parts[0] if len(parts) == 1 else None
    if type(only) is not Text:
        return not parts
    return not only.citations and only.cache is None and only.extra is None
