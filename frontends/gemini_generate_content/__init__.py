"""Gemini's generateContent into the IR (official types: `google.genai.types` and the REST API's own description)."""

from typing import Any

from proxai_ir import ir
from proxai_ir.protocol.registry import Frontend
from proxai_ir.wire import gemini_generate_content as wire

from .request import lower_request
from .response import REPEATED, SLIPS, lower_error, lower_response
from .stream import Reader

DISCRIMINATORS = {
    "request": ({"contents"},),
    "response": ({"candidates"}, {"promptFeedback"}, {"usageMetadata", "modelVersion"}),
    "error": ({"error"},),
}

SOURCE_ONLY: dict[str | type, tuple[Any, ...]] = {
    "user": (ir.UnknownPart,),
    "assistant": (ir.Audio, ir.HostedCall, ir.HostedResult, ir.WebSearchCall, ir.WebSearchResult),
    "audio source": (ir.Inline,),
    "tools": (ir.ClientTool, ir.HostedTool, ir.UnknownTool),
    ir.SchemaFormat: ("strict",),
    ir.HostedTool: ("kind", "raw"),
    ir.ToolResult: ("name",),
    ir.UrlCitation: ("cited_text",),
    ir.Audio: ("source",),
    ir.WebSearchCall: ("id", "page"),
    ir.WebSearchResult: ("call_id", "error", "page"),
    ir.Response: ("created",),
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
    error_arrays=True,
    client_only=("automaticFunctionCallingHistory", "parsed", "sdkHttpResponse"),
    source_only=SOURCE_ONLY,
    slips=SLIPS,
    repeated=REPEATED,
)
