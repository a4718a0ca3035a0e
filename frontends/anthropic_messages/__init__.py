"""Anthropic Messages into the IR (official types: the `anthropic` package, `types` and `types/beta`)."""

from typing import Any

from proxai_ir.binding.registry import Frontend
from proxai_ir.ir import error as ir_error
from proxai_ir.ir import parts as ir_parts
from proxai_ir.ir import request as ir_request
from proxai_ir.ir import tools as ir_tools
from proxai_ir.wire import anthropic_messages as wire

from .error import lower_error
from .memory import MEMORY
from .request import lower_request
from .response import lower_response
from .slips import REPEATED, SLIPS
from .stream import Reader

DISCRIMINATORS = {
    "request": ({"messages"},),
    "response": ({"content", "stop_reason"}, {"content", "usage"}),
    "error": ({"error"},),
}

SOURCE_ONLY: dict[str | type, tuple[Any, ...]] = {
    "instructions": (ir_parts.ToolChange, ir_parts.VendorPart),
    "user": (ir_parts.ToolChange, ir_parts.UnknownPart, ir_parts.VendorPart),
    "assistant": (
        ir_parts.HostedCall,
        ir_parts.HostedResult,
        ir_parts.UnknownPart,
        ir_parts.VendorPart,
        ir_parts.WebSearchCall,
        ir_parts.WebSearchResult,
    ),
    "tool result": (ir_parts.VendorPart,),
    "image source": (ir_parts.FileRef,),
    "document source": (ir_parts.FileRef,),
    "citations": (ir_parts.SourceCitation, ir_parts.UrlCitation),
    "tools": (ir_tools.ClientTool, ir_tools.HostedTool, ir_tools.McpToolset, ir_tools.UnknownTool),
    ir_request.Request: ("summary",),
    ir_request.SchemaFormat: ("strict",),
    ir_error.Error: ("verbatim",),
}

FRONTEND = Frontend(
    wire.NAME,
    DISCRIMINATORS,
    lower_request,
    lower_response,
    lower_error,
    wire.VENDOR_FIELDS,
    wire.WIRE_PATHS,
    Reader,
    memory=MEMORY,
    source_only=SOURCE_ONLY,
    slips=SLIPS,
    repeated=REPEATED,
)
