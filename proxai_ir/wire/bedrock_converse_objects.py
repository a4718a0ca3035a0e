"""Objects of Bedrock Converse that depend on nothing else of its vocabulary: cache points, media, tools, citations.

A content block is an object with one member, which says what it is, so that blocks are declared with that member.
"""

from __future__ import annotations

from typing import Any

from ..ir import parts
from ..ir.node import Cache
from ..ir.parts import CitationUnit, DocumentCitation, UrlCitation
from ..ir.tools import FunctionTool
from .objects import (
    WireObject,
    boolean,
    by_hand,
    constant,
    integer,
    mapping,
    required,
    string,
    vendor,
    word,
)

NAME = "bedrock_converse"
TTL = {"5m": 300, "1h": 3600}  # seconds

CACHE = WireObject(
    f"{NAME} cache point",
    Cache,
    {"type": required(constant("default")), "ttl": word("ttl", TTL)},
)

# --- media: the format stands beside the source -----------------------------------------------------------------------

_CITED = {"enabled": boolean("cite")}
_MEDIUM = {"format": required(by_hand("str")), "source": required(by_hand("dict", "source"))}

MEDIA = {
    "image": WireObject(
        f"{NAME} image", parts.Image, {"image": required({**_MEDIUM, "error": vendor({"message": "IMG-3"})})}
    ),
    "audio": WireObject(
        f"{NAME} audio", parts.Audio, {"audio": required({**_MEDIUM, "error": vendor({"message": "AUD-2"})})}
    ),
    "video": WireObject(f"{NAME} video", parts.Video, {"video": required(_MEDIUM)}),
    "document": WireObject(
        f"{NAME} document",
        parts.Document,
        {
            "document": required(
                {
                    "format": by_hand("str"),
                    "name": required(string("title")),
                    "source": required(by_hand("dict", "source")),
                    "context": string("context"),
                    "citations": _CITED,
                }
            )
        },
    ),
}
GUARDED_IMAGE = WireObject(
    f"{NAME} guarded image", parts.Image, {"guardContent": required({"image": required(_MEDIUM)})}
)
GUARDED_TEXT = WireObject(
    f"{NAME} guarded text",
    parts.Text,
    {"guardContent": required({"text": required({"text": required(string("text")), "qualifiers": vendor("MOD-1")})})},
)
SEARCH_RESULT = WireObject(
    f"{NAME} search result",
    parts.SearchResult,
    {
        "searchResult": required(
            {
                "source": required(string("source")),
                "title": required(string("title")),
                "content": required(by_hand("list", "parts")),
                "citations": _CITED,
            }
        )
    },
)

# --- tools ------------------------------------------------------------------------------------------------------------

TOOL = WireObject(
    f"{NAME} tool",
    FunctionTool,
    {
        "toolSpec": required(
            {
                "name": required(string("name")),
                "description": string("description"),
                "inputSchema": required({"json": required(mapping("parameters"))}),
                "strict": boolean("strict"),
            }
        )
    },
)
CALL = WireObject(
    f"{NAME} call",
    parts.FunctionCall,
    {
        "toolUse": required(
            {
                "toolUseId": required(string("id")),
                "name": required(string("name")),
                "input": required(by_hand("", "arguments")),
                "type": constant("tool_use", written=False),  # which some models state, and the service model has not
            }
        )
    },
)
RESULT = WireObject(
    f"{NAME} result",
    parts.ToolResult,
    {
        "toolResult": required(
            {
                "toolUseId": required(string("call_id")),
                "content": required(by_hand("list", "parts")),
                "status": word("is_error", {"success": False, "error": True}),
                "type": vendor("TUL-9"),
            }
        )
    },
)

# --- citations --------------------------------------------------------------------------------------------------------


def _citation(cls: type, location: dict[str, Any], fixed: dict[str, Any]) -> WireObject:
    members = {
        "location": required(location),
        "title": string("title"),
        "source": vendor("CIT-4"),
        "sourceContent": by_hand("list", "cited_text"),
    }
    return WireObject(f"{NAME} citation {next(iter(location))}", cls, members, fixed)


UNITS = {
    "documentChar": CitationUnit.CHAR,
    "documentPage": CitationUnit.PAGE,
    "documentChunk": CitationUnit.BLOCK,
}
_PLACE = {
    "documentIndex": required(integer("document")),
    "start": required(integer("start")),
    "end": required(integer("end")),
}
CITATIONS = {
    "web": _citation(UrlCitation, {"web": required({"url": required(string("url")), "domain": vendor("CIT-4")})}, {}),
    **{
        location: _citation(DocumentCitation, {location: required(_PLACE)}, {"unit": unit})
        for location, unit in UNITS.items()
    },
}
"""By the member of a citation's location; others are kept as they are."""
