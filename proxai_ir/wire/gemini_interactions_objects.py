"""The dense objects of Gemini Interactions: content, citations, steps, tools (official types: `google.genai`).

Media and their source are one object on the wire, so readers and writers set `source` by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import ir
from ..ir.node import ByObject, finds
from ..ir.parts import BASH, PYTHON
from . import DEFERRED, filled, google, unless
from .objects import (
    FUNCTION,
    NO_RULE,
    TaggedUnion,
    WireObject,
    boolean,
    by_hand,
    mapping,
    required,
    string,
    strings,
    vendor,
    word,
)

NAME = "gemini_interactions"
LANGUAGE = {"python": PYTHON, "bash": BASH}
RESOLUTION = {one: one for one in google.RESOLUTIONS}
SEARCH_TOOL, CODE_TOOL = "google_search", "code_execution"


def _object(name: str, cls: type, members: dict[str, Any], **fixed: Any) -> WireObject:
    return WireObject(f"{NAME} {name}", cls, members, fixed)


def _union(name: str, default: str | None = None, /, **alternatives: WireObject | None) -> TaggedUnion:
    return TaggedUnion(f"{NAME} {name}", "type", alternatives, default)


@finds("ENV-1", "TUL-22")
def suggestions(value: Any) -> str:
    """Return the rule of a search's result: markup that repeats its queries, or else details of pages."""
    known = isinstance(value, list) and all(isinstance(one, dict) and not one.keys() - {SUGGESTIONS} for one in value)
    return "ENV-1" if known else "TUL-22"


@finds("RSN-4")
def seal(value: Any) -> str:
    """Return the rule of a signature that only this protocol has; an empty one means nothing."""
    return "RSN-4" if value else NO_RULE


def _call_id(value: Any, call: Mapping[str, Any]) -> str:
    return NO_RULE if value == call.get("id") else "UNK-1"


CALL_ID = finds("UNK-1")(ByObject(_call_id))
"""The rule of the id of a call under the name that results have for it, as proxies write it next to its own."""
SUGGESTIONS, SIGNATURE = "search_suggestions", "signature"

# --- content ----------------------------------------------------------------------------------------------------------

_MEDIA = {**dict.fromkeys(("data", "uri", "mime_type"), by_hand("str", "source")), "processing": vendor("VID-2")}
_SAMPLED = dict.fromkeys(("channels", "rate", "sample_rate"), vendor("VID-2"))
_DETAIL = {"resolution": vendor("IMG-3")}

_SPAN = {f"{end}_index": by_hand("int", end, rule="CIT-4") for end in ("start", "end")}  # in bytes
CITATIONS = _union(
    "citations",
    url_citation=_object(
        "citation", ir.UrlCitation, {"url": required(string("url")), "title": string("title"), **_SPAN}
    ),
    place_citation=_object(
        "place",
        ir.UrlCitation,
        {
            "url": required(string("url")),
            "name": string("title"),
            **_SPAN,
            "place_id": vendor("CIT-4"),
            "review_snippets": vendor(filled("CIT-2")),
        },
    ),
    file_citation=_object(
        "file",
        ir.UrlCitation,
        {
            "document_uri": required(string("url")),
            "file_name": string("title"),
            **_SPAN,
            "source": vendor("CIT-2"),
            "custom_metadata": vendor(filled("CIT-4")),
            **dict.fromkeys(("media_id", "page_number"), vendor("CIT-4")),
        },
    ),
)
ADDRESS = {
    "url_citation": ("url", "title"),
    "place_citation": ("url", "name"),
    "file_citation": ("document_uri", "file_name"),
}
"""The members with the address and the title of what is cited, by the types of citations."""
CONTENT = _union(
    "content",
    "text",  # in the streams of agents, pieces of text have no type
    text=_object("text", ir.Text, {"text": required(string("text")), "annotations": by_hand("list", "citations")}),
    image=_object("image", ir.Image, {**_MEDIA, "resolution": word("detail", RESOLUTION, rule="IMG-3")}, source=None),
    audio=_object("audio", ir.Audio, {**_MEDIA, **_SAMPLED}, source=None),
    video=_object("video", ir.Video, {**_MEDIA, **_DETAIL, "name": vendor("DOC-1")}, source=None),
    document=_object("document", ir.Document, {**_MEDIA, **_DETAIL}, source=None),
)

# --- steps ------------------------------------------------------------------------------------------------------------

_ID, _OF = {"id": required(string("id"))}, {"call_id": required(string("call_id"))}
_SIGNED = {SIGNATURE: vendor(seal)}
STEPS = _union(
    "steps",
    function_call=_object(
        "call",
        ir.FunctionCall,
        {
            **_ID,
            "name": required(string("name")),
            "arguments": required(mapping("arguments")),
            SIGNATURE: by_hand("str", "seal", rule=NO_RULE),  # servers send it, and the official types lack it
            "call_id": vendor(CALL_ID),
        },
    ),
    function_result=_object(
        "result",
        ir.ToolResult,
        {
            **_OF,
            "name": string("name"),
            "result": required(by_hand("", "parts")),
            "is_error": boolean("is_error"),
            **_SIGNED,
        },
    ),
    google_search_call=_object(
        "search",
        ir.WebSearchCall,
        {
            **_ID,
            "arguments": required({"queries": strings("queries")}),
            "search_type": vendor(unless("web_search", "TUL-9")),
            **_SIGNED,
        },
    ),
    google_search_result=_object(
        "found",
        ir.WebSearchResult,
        {**_OF, "result": by_hand("list", "hits", rule=suggestions), "is_error": vendor("TUL-22"), **_SIGNED},
        hits=[],
    ),
    code_execution_call=_object(
        "code",
        ir.CodeCall,
        {
            **_ID,
            "arguments": required({"code": string("code"), "language": word("language", LANGUAGE)}),
            **_SIGNED,
        },
    ),
    code_execution_result=_object(
        "output",
        ir.CodeResult,
        {
            **_OF,
            "result": required(by_hand("", "stdout")),
            "is_error": by_hand("bool", "exit_code"),
            **_SIGNED,
        },
        language=PYTHON,
    ),
    mcp_server_tool_call=_object(
        "server call",
        ir.McpCall,
        {
            **_ID,
            "name": required(string("name")),
            "server_name": required(string("server")),
            "arguments": required(mapping("arguments")),
            **_SIGNED,
        },
    ),
    mcp_server_tool_result=_object(
        "server result",
        ir.McpResult,
        {
            **_OF,
            **dict.fromkeys(("name", "server_name"), vendor("ENV-1")),  # those of the call
            "result": required(by_hand("", "text", rule="TUL-23")),
            "is_error": boolean("is_error"),
            **_SIGNED,
        },
    ),
)

GIVEN = _union("given", **CONTENT.alternatives, function_result=STEPS["function_result"])
"""Content of the user, among which clients give results as well (AI SDK)."""

# --- tools ------------------------------------------------------------------------------------------------------------

TOOLS = _union(
    "tools",
    function=_object(
        "function",
        ir.FunctionTool,
        {
            **FUNCTION,
            "short_description": vendor("TUL-28"),
            "defer_loading": vendor(DEFERRED),
        },
    ),
    google_search=_object(
        "search tool",
        ir.WebSearchTool,
        {"search_types": strings("searches")},
        kind=SEARCH_TOOL,
    ),
    code_execution=_object("code tool", ir.CodeTool, {}, kind=CODE_TOOL),
    mcp_server=_object(
        "server",
        ir.McpServer,
        {
            "name": required(string("name")),
            "url": required(string("url")),
            "headers": by_hand("dict", "authorization", "http_headers"),
            "allowed_tools": by_hand("list", "allowed_tools", rule="TUL-23"),
        },
    ),
)
DECLARED = (CITATIONS, CONTENT, STEPS, TOOLS)
