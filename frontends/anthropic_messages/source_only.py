"""What Anthropic Messages has and its own target table does not carry, as that judges other protocols' values."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir import error, parts, request, tools

SOURCE_ONLY: dict[str | type, tuple[Any, ...]] = {
    "instructions": (parts.VendorPart,),
    "user": (parts.UnknownPart, parts.VendorPart),
    "assistant": (
        parts.HostedCall,
        parts.HostedResult,
        parts.UnknownPart,
        parts.VendorPart,
        parts.WebSearchCall,
        parts.WebSearchResult,
    ),
    "tool result": (parts.VendorPart,),
    "image source": (parts.FileRef,),
    "document source": (parts.FileRef,),
    "citations": (parts.SourceCitation, parts.UrlCitation),
    "tools": (tools.ClientTool, tools.HostedTool, tools.McpToolset, tools.UnknownTool),
    request.SchemaFormat: ("strict",),
    error.Error: ("verbatim",),
}
