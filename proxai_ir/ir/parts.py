"""What a turn is made of: text and its citations, media, tool calls and results, reasoning, refusals."""

from __future__ import annotations

from enum import Enum
from typing import Any

import attrs
from attrs import define, field

from .node import Cache, Extra, Seal, bookkeeping
from .tools import ToolChange as ToolChange

# --- calls ------------------------------------------------------------------------------------------------------------
# Calls that are no functions: of tools that the client runs in their vendor's form (TUL-34), runs of code (TUL-39).
#
# ClientTool and CodeTool define the tools. The results of MCP tools have MCP's own shape, which several protocols pass
# on
# unchanged.


@define
class ClientCall:
    """A call that the client must execute, of a ClientTool of this kind. `arguments` as a FunctionCall's.

    `raw`: the call in the form of its vendor. `name`: what the tool is called as a function; None: it has no such form.
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
    """What a ClientTool of this kind returned; `is_error` as a ToolResult's. `text` None: it is not text."""

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
    """What a run wrote and how it ended. `language`: of its call. `error`: the provider's word for why it did not run.

    `stdout` has all output where the source does not separate the two streams; `stderr` is None then.
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
    """Return the texts of text blocks; None where something else is among them."""
    if not isinstance(blocks, list):
        return None
    texts = [one for one in blocks if isinstance(one, dict) and one.get("type") == "text"]
    found = [one["text"] for one in texts if isinstance(one.get("text"), str)]
    return found if len(found) == len(blocks) else None


def only_texts(blocks: Any) -> bool:
    """Return whether blocks are texts without other members."""
    return texts_of(blocks) is not None and not any(
        value is not None for one in blocks for key, value in one.items() if key not in ("type", "text")
    )


def wording(error: Any) -> str | None:
    """Return the wording of an error: a string, a message, or the texts of the tool itself."""
    if not isinstance(error, dict):
        return error if isinstance(error, str) else None
    texts, message = texts_of(error.get("content")), error.get("message")
    if texts is not None:
        return "".join(texts)
    return message if isinstance(message, str) else None


def only_wording(error: Any, kind: str) -> bool:
    """Return whether an error holds no more than its wording; `kind` is the type of the error of a tool that failed."""
    if not isinstance(error, dict):
        return isinstance(error, str)
    return error.keys() == {"type", "content"} and error["type"] == kind and only_texts(error["content"])


# --- citations --------------------------------------------------------------------------------------------------------
# What a text rests on: pages of the web, and places in what the request holds.


@define
class UrlCitation:
    """A web page that a text rests on. `start` and `end` count characters of its text; None: all of it."""

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
    """A place in something that the request holds, in its vendor's own terms."""

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
    """A place in a document of the request: in characters, pages or blocks, from `start` to before `end`.

    `document`: which one of the request's documents, from 0; `file`: the id of its file. Pages count from 1.
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


# --- where media comes from -------------------------------------------------------------------------------------------


@define
class Inline:
    """Base64 data. `mime` is None where the source does not give it."""

    data: str
    mime: str | None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class Url:
    """Content to fetch. `mime` is its media type, where the source gives one."""

    url: str
    src: Any = bookkeeping()
    extra: Extra | None = None
    mime: str | None = field(default=None, kw_only=True)


@define
class FileRef:
    """A file that a provider stores (SRC-1). `provider` and `mime`, its media type, are None where they are unknown."""

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
    """A document given as a list of parts, which citations count by."""

    parts: list[Part]
    src: Any = bookkeeping()
    extra: Extra | None = None


Source = Inline | Url | FileRef | PlainText | Chunks

SEALED, ALL_SEALED = "sealed", "all sealed"  # those of a part, or a whole message, that its vendor alone reads (PLC-61)
COMPACT = "compact"  # the kind of a VendorPart that asks for a summary of the conversation, and no response (PLC-62)
SUMMARY = "summary"  # the kind of a VendorPart that is such a summary, its `text` and an `envelope` with it (PLC-64)
BOOKKEEPING = "bookkeeping"  # the kind of a VendorPart that is text of a client's for its vendor's accounts (PLC-60)
MARK = "cachePoint"  # the kind of a VendorPart, or an unknown tool: a cache breakpoint that follows nothing (CAC-4)

# --- parts ------------------------------------------------------------------------------------------------------------
# A provider may sign what its model made, for the next turn to send back: `seal`.


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
    """A file to read. `cite`: whether the response may cite it."""

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
    """A call that the client must execute. `arguments` keep the source's form: JSON text or the object (TUL-1)."""

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
    """A call that the provider executes itself: nothing for a client to run (TUL-6)."""

    kind: str
    id: str
    raw: dict[str, Any]
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class HostedResult:
    """What the provider's own tool gave back."""

    kind: str
    call_id: str
    raw: dict[str, Any]
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class WebSearchCall:
    """A search of the web by the provider (TUL-6), its query whole in streams; or the URL of a page that it opens."""

    id: str
    queries: list[str]
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    page: str | None = field(default=None, kw_only=True)


@define
class WebHit:
    """A page that a web search found. `age` is the provider's text for it; the seal holds the page's content, one
    without data stands in the place of none (TUL-66)."""

    url: str
    title: str | None = None
    age: str | None = None
    seal: Seal | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class WebSearchResult:
    """What a web search found; `error`: the provider's word for why it found nothing.

    `page`: the URL of the page, where one was opened (`WebSearchCall.page`); its content is not here.
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
    """A call of a tool on an MCP server, which the provider makes itself (TUL-6); `arguments` as a FunctionCall's."""

    id: str
    server: str
    name: str
    arguments: str | dict[str, Any]
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class McpResult:
    """What the tool of an MCP server gave back; `text` is None where the account of a failure has no wording."""

    call_id: str
    text: str | None
    is_error: bool | None = None
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class ToolResult:
    """What a client's tool gave. `call_id`: "" if no call is known, None if `name` is all there is (TUL-3, TUL-5).

    `failure`: the JSON text of an object whose member says that the tool failed, and is the text here (TUL-65)
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

    `summary`: the text is not the thinking itself but the provider's summary of it.
    """

    text: str | None
    seal: Seal | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    summary: bool | None = None


@define
class Refusal:
    """The model declines, in its own words (REF-1)."""

    text: str
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class Reference:
    """Content that only the provider holds, by its id there, or that only it can read, in `raw` (R2A-3)."""

    id: str
    src: Any = bookkeeping()
    extra: Extra | None = None
    raw: dict[str, Any] | None = field(default=None, kw_only=True)


@define
class VendorPart:
    """A part that the official types know and only one vendor has. `kind`: its type on the wire, or one of those."""

    kind: str
    raw: dict[str, Any]
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class UnknownPart:
    """A part of a type that no official type knows (UNK-2)."""

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

# Kinds that several places ask for together.
CALLS = (FunctionCall, CustomCall)  # those that the client runs
WORDING = (Text, Refusal)  # text for the user


def with_only(cls: type, src: Any, **fields: Any) -> Any:
    """Return a part of a class with nothing but some fields: what one event of a stream adds to it."""
    part: Any = object.__new__(cls)
    for attribute in attrs.fields(cls):
        setattr(part, attribute.name, fields.get(attribute.name))
    part.src = src
    return part


def one_text(parts: list[Part]) -> bool:
    """Return whether parts are one text with nothing besides, or none at all: what a string can hold."""
    only = parts[0] if len(parts) == 1 else None
    if type(only) is not Text:
        return not parts
    return not only.citations and only.cache is None and only.extra is None
