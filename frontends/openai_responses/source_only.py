"""What OpenAI Responses has and its own target table does not carry, as that judges other protocols' values."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir import parts, tools

SOURCE_ONLY: dict[str | type, tuple[Any, ...]] = {
    "user": (parts.Audio, parts.UnknownPart, parts.VendorPart),
    "assistant": (
        parts.ClientResult,
        parts.CodeCall,
        parts.CodeResult,
        parts.HostedCall,
        parts.HostedResult,
        parts.Reference,
        parts.UnknownPart,
        parts.VendorPart,
    ),
    "audio source": (parts.Inline,),
    "citations": (parts.SourceCitation,),
    "tools": (tools.ClientTool, tools.HostedTool, tools.ToolGroup, tools.UnknownTool),
    tools.HostedTool: ("kind", "raw"),
    parts.ClientCall: ("name",),
}
