"""The dense objects of OpenAI Responses: parts, citations, tools, choices, formats, usage."""

from __future__ import annotations

from typing import Any

from .. import ir
from ..ir.node import Cache
from ..ir.response import PARTITION, Usage
from . import DEFERRED, ENVELOPE, filled, unless
from . import objects as wire
from .objects import TaggedUnion, WireObject, by_hand, constant, integer, node, required, string, total, vendor
from .openai import MARKER_TTL

NAME = "openai_responses"
BREAKPOINT = "prompt_cache_breakpoint"


def _object(name: str, cls: type, members: dict[str, Any], **fixed: Any) -> WireObject:
    return WireObject(f"{NAME} {name}", cls, members, fixed)


def _union(name: str, **alternatives: WireObject | None) -> TaggedUnion:
    return TaggedUnion(f"{NAME} {name}", "type", alternatives)


# --- parts ------------------------------------------------------------------------------------------------------------

CACHE = _object("breakpoint", Cache, {"mode": constant("explicit"), "ttl": wire.word("ttl", MARKER_TTL)})
_MARKED = {BREAKPOINT: node("cache", CACHE)}
_SCORED = {"logprobs": vendor(filled("SMP-7"))}
_TEXT = {"text": required(string("text"))}
CITATIONS = _union(
    "citations",
    url_citation=_object(
        "citation",
        ir.UrlCitation,
        {
            "url": required(string("url")),
            "title": string("title"),
            "start_index": by_hand("int", "start", rule=""),  # a negative one is kept
            "end_index": by_hand("int", "end", rule=""),
        },
    ),
)
AUDIO = _object("audio", ir.Inline, {"data": required(string("data")), "format": required(by_hand("str", "mime"))})
_MEDIA = {
    "refusal": _object(
        "refusal",
        ir.Refusal,
        {"refusal": required(string("text")), "annotations": vendor(filled("CIT-1")), **_SCORED},
    ),
    "input_image": _object(
        "image",
        ir.Image,
        {**dict.fromkeys(("image_url", "file_id"), by_hand("str", "source")), "detail": string("detail"), **_MARKED},
        source=None,
    ),
    "input_file": _object(
        "file",
        ir.Document,
        {
            "filename": string("title"),
            **dict.fromkeys(("file_id", "file_url", "file_data"), by_hand("str", "source")),
            "detail": vendor("DOC-1"),
            **_MARKED,
        },
        source=None,
    ),
    "input_audio": _object("speech", ir.Audio, {"input_audio": required(node("source", AUDIO))}),
}
INPUT = _union("input", input_text=_object("input_text", ir.Text, {**_TEXT, **_MARKED}), **_MEDIA)
"""The parts of messages and results; messages of the assistant have texts with citations, too."""
_ANNOTATED = {**_TEXT, "annotations": wire.nodes("citations", CITATIONS, default=[]), **_SCORED}
OUTPUT = _union("output", output_text=_object("output_text", ir.Text, _ANNOTATED), **INPUT.alternatives)
HIT = _object("source", ir.WebHit, {"type": constant("url"), "url": required(string("url"))})

# --- tools ------------------------------------------------------------------------------------------------------------

_CALLABLE = {
    "allowed_callers": vendor(unless(["direct"], "TUL-9")),
    "defer_loading": vendor(DEFERRED),
}
_NAMED = {"name": required(string("name"))}
_DESCRIBED = {**_NAMED, "description": string("description")}
_CALLED = {**_CALLABLE, "async": vendor(unless(False, "TUL-9"))}
_LOCATION = _object(
    "location",
    ir.Location,
    {"type": constant("approximate"), **{key: string(key) for key in ("city", "region", "country", "timezone")}},
)
INPUT_FORMATS = _union(
    "input formats",
    text=_object("free text", ir.FreeText, {}),
    grammar=_object(
        "grammar",
        ir.Grammar,
        {key: required(string(key)) for key in ("syntax", "definition")},
    ),
)
TOOLS = _union(
    "tools",
    function=_object(
        "function",
        ir.FunctionTool,
        {
            **_DESCRIBED,
            "parameters": wire.nullable(wire.mapping("parameters")),
            "strict": wire.boolean("strict"),
            **_CALLED,
            "output_schema": vendor("TUL-9"),
        },
    ),
    custom=_object("custom", ir.CustomTool, {**_DESCRIBED, "format": by_hand("dict", "format"), **_CALLED}),
    web_search=_object(
        "web search",
        ir.WebSearchTool,
        {
            "type": required(string("kind")),
            "search_context_size": string("context_size"),
            "filters": {"allowed_domains": wire.strings("allowed_domains")},
            "user_location": node("location", _LOCATION),
            "external_web_access": vendor(unless(True, "TUL-9")),
            "search_content_types": vendor("TUL-9"),
        },
    ),
    mcp=_object(
        "MCP server",
        ir.McpServer,
        {
            "server_label": required(string("name")),
            "server_url": required(string("url")),
            "authorization": string("authorization"),
            "allowed_tools": by_hand("", "allowed_tools"),
            "require_approval": constant("never"),  # else the calls are the provider's (TUL-23)
            **_CALLABLE,
            "headers": wire.mapping("http_headers"),
            "server_description": vendor("TUL-23"),
        },
    ),
)
_CHOSEN = {**_NAMED, "namespace": string("namespace")}
CHOICES = _union(
    "choices",
    function=_object("choice", ir.NamedChoice, _CHOSEN),
    custom=_object("custom choice", ir.CustomChoice, _CHOSEN),
    allowed_tools=None,
)

# --- formats and usage ------------------------------------------------------------------------------------------------

FORMATS = _union(
    "formats",
    text=_object("plain text", ir.PlainFormat, {}),
    json_object=_object("JSON", ir.JsonFormat, {}),
    json_schema=_object(
        "schema",
        ir.SchemaFormat,
        {
            "name": string("name"),
            "description": string("description"),
            "schema": required(wire.mapping("schema")),
            "strict": wire.boolean("strict"),
        },
    ),
)
USAGE = WireObject(
    f"{NAME} usage",
    Usage,
    {
        "input_tokens": total("input", "cache_read", "cache_write", default=0),
        "input_tokens_details": {
            "cached_tokens": integer("cache_read", default=0),
            "cache_write_tokens": integer("cache_write", default=0),
            "cache_write_tokens_details": vendor("USE-4"),
        },
        "output_tokens": total("output", "reasoning", default=0),
        "output_tokens_details": {"reasoning_tokens": integer("reasoning", default=0)},
        "total_tokens": integer("total", sum_of=PARTITION),
    },
    others=ENVELOPE,
)
DECLARED = (OUTPUT, HIT, TOOLS, INPUT_FORMATS, CHOICES, FORMATS, USAGE)
