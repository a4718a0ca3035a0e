"""Objects of Anthropic Messages that depend on nothing else of its vocabulary: places, media, citations."""

from __future__ import annotations

from typing import Any

from .. import ir
from ..ir.node import Cache
from ..ir.parts import CitationUnit, DocumentCitation, UrlCitation
from ..ir.tools import Location
from .objects import (
    TaggedUnion,
    WireObject,
    boolean,
    by_hand,
    constant,
    integer,
    node,
    nullable,
    required,
    sealed,
    string,
    vendor,
    word,
)

NAME = "anthropic_messages"
PROVIDER = "anthropic"
PLAIN = "text/plain"  # the only type of a document that is text
TTL = {"5m": 300, "1h": 3600}  # seconds

LOCATION = WireObject(
    f"{NAME} location",
    Location,
    {
        "type": constant("approximate"),
        "city": string("city"),
        "region": string("region"),
        "country": string("country"),
        "timezone": string("timezone"),
    },
)
CACHE = WireObject(
    f"{NAME} cache_control",
    Cache,
    {"type": constant("ephemeral"), "ttl": word("ttl", TTL), "scope": vendor("CAC-5")},
)
MARKED = {"cache_control": node("cache", CACHE)}

# --- media ------------------------------------------------------------------------------------------------------------

DATA = WireObject(f"{NAME} data", ir.Inline, {"media_type": required(string("mime")), "data": required(string("data"))})
STORED = {
    "base64": DATA,
    "url": WireObject(f"{NAME} address", ir.Url, {"url": required(string("url"))}),
    "file": WireObject(f"{NAME} file", ir.FileRef, {"file_id": required(string("id"))}, {"provider": PROVIDER}),
}
TEXT = WireObject(
    f"{NAME} text source",
    ir.PlainText,
    {"media_type": required(constant(PLAIN)), "data": required(string("text"))},
    {"mime": PLAIN},
)
IMAGE_SOURCES = TaggedUnion(f"{NAME} image sources", "type", STORED)
SOURCES = TaggedUnion(f"{NAME} sources", "type", {**STORED, "text": TEXT, "content": None})
CITED = {"enabled": boolean("cite")}


def _block(kind: str, cls: type, members: dict[str, Any]) -> WireObject:
    return WireObject(f"{NAME} {kind}", cls, {"type": constant(kind), **members, **MARKED})


IMAGE = _block(
    "image", ir.Image, {"source": required(node("source", IMAGE_SOURCES)), "transformations": vendor("IMG-3")}
)
DOCUMENT = _block(
    "document",
    ir.Document,
    {
        "source": required(node("source", SOURCES)),
        "title": string("title"),
        "context": string("context"),
        "citations": CITED,
    },
)
SEARCH_RESULT = _block(
    "search_result",
    ir.SearchResult,
    {
        "source": required(string("source")),
        "title": required(string("title")),
        "content": required(by_hand("", "parts")),
        "citations": CITED,
    },
)

# --- citations, and what the provider found ---------------------------------------------------------------------------

WEB_HIT = WireObject(
    f"{NAME} web search result",
    ir.WebHit,
    {
        "type": constant("web_search_result"),
        "url": required(string("url")),
        "title": string("title"),
        "page_age": string("age"),
        "encrypted_content": sealed("seal", PROVIDER, "content"),
    },
)
WEB_CITATION = WireObject(
    f"{NAME} citation of a page",
    UrlCitation,
    {
        "url": required(string("url")),
        "title": nullable(string("title")),
        "cited_text": string("cited_text"),
        "encrypted_index": required(sealed("seal", PROVIDER, "index")),
    },
)
RESULT_CITATION = WireObject(
    f"{NAME} citation of a search result",
    UrlCitation,
    {
        "source": required(string("url")),
        "title": nullable(string("title")),
        "cited_text": string("cited_text"),
        **dict.fromkeys(("search_result_index", "start_block_index", "end_block_index"), vendor("CIT-4")),
    },
)


def _document_citation(unit: CitationUnit, start: str, end: str) -> WireObject:
    return WireObject(
        f"{NAME} citation by {unit.value}",
        DocumentCitation,
        {
            "cited_text": string("cited_text"),
            "document_index": required(integer("document")),
            "document_title": nullable(string("title")),
            start: required(integer("start")),
            end: required(integer("end")),
            "file_id": string("file"),
        },
        {"unit": unit},
    )


CITATIONS = TaggedUnion(
    f"{NAME} citations",
    "type",
    {
        "char_location": _document_citation(CitationUnit.CHAR, "start_char_index", "end_char_index"),
        "page_location": _document_citation(CitationUnit.PAGE, "start_page_number", "end_page_number"),
        "content_block_location": _document_citation(CitationUnit.BLOCK, "start_block_index", "end_block_index"),
        "web_search_result_location": WEB_CITATION,
        "search_result_location": RESULT_CITATION,
    },
)
