"""Anthropic Messages into the IR (official types: the `anthropic` package, `types` and `types/beta`)."""

from typing import Any

from proxai_ir import ir
from proxai_ir.protocol.registry import Frontend
from proxai_ir.wire import anthropic_messages as wire

from .memory import MEMORY
from .request import lower_request
from .response import REPEATED, SLIPS, lower_error, lower_response
from .stream import Reader

DISCRIMINATORS = {
    "request": ({"messages"},),
    "response": ({"content", "stop_reason"}, {"content", "usage"}),
    "error": ({"error"},),
}

SOURCE_ONLY: dict[str | type, tuple[Any, ...]] = {
    "instructions": (ir.ToolChange, ir.VendorPart),
    "user": (ir.ToolChange, ir.UnknownPart, ir.VendorPart),
    "assistant": (ir.HostedCall, ir.HostedResult, ir.UnknownPart, ir.VendorPart, ir.WebSearchCall, ir.WebSearchResult),
    "tool result": (ir.VendorPart,),
    "image source": (ir.FileRef,),
    "document source": (ir.FileRef,),
    "citations": (ir.SourceCitation, ir.UrlCitation),
    "tools": (ir.HostedTool, ir.McpToolset, ir.UnknownTool),
    ir.Request: ("summary",),
    ir.SchemaFormat: ("strict",),
    ir.Error: ("verbatim",),
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
