"""Objects of Anthropic Messages that depend on nothing else of its vocabulary: places, and places in documents."""

from __future__ import annotations

from ..ir.parts import CitationUnit, DocumentCitation
from ..ir.tools import Location
from .objects import TaggedUnion, WireObject, constant, integer, required, string

NAME = "anthropic_messages"

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


def _document_citation(unit: CitationUnit, start: str, end: str) -> WireObject:
    return WireObject(
        f"{NAME} citation by {unit.value}",
        DocumentCitation,
        {
            "cited_text": string("cited_text"),
            "document_index": required(integer("document")),
            "document_title": string("title"),
            start: required(integer("start")),
            end: required(integer("end")),
            "file_id": string("file"),
        },
        {"unit": unit},
    )


DOCUMENT_CITATIONS = TaggedUnion(
    f"{NAME} document citations",
    "type",
    {
        "char_location": _document_citation(CitationUnit.CHAR, "start_char_index", "end_char_index"),
        "page_location": _document_citation(CitationUnit.PAGE, "start_page_number", "end_page_number"),
        "content_block_location": _document_citation(CitationUnit.BLOCK, "start_block_index", "end_block_index"),
    },
)
