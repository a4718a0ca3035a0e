"""What Gemini's generateContent has and its own target table does not carry, as that judges other protocols' values."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir import error, parts, request, response, tools

SOURCE_ONLY: dict[str | type, tuple[Any, ...]] = {
    "user": (parts.UnknownPart,),
    "assistant": (parts.HostedCall, parts.HostedResult, parts.WebSearchCall, parts.WebSearchResult),
    "tools": (tools.HostedTool, tools.UnknownTool),
    request.SchemaFormat: ("strict",),
    request.Speech: ("format",),
    tools.HostedTool: ("kind", "raw"),
    parts.ToolResult: ("name",),
    parts.UrlCitation: ("cited_text",),
    parts.WebSearchCall: ("id",),
    parts.WebSearchResult: ("call_id",),
    response.Response: ("created",),
    error.Error: ("verbatim",),
}
