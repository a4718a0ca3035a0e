"""Gemini's generateContent into the IR (official types: `google.genai.types` and the REST API's own description)."""

from typing import Any

from proxai_ir.binding.registry import Frontend
from proxai_ir.ir import error as ir_error
from proxai_ir.ir import parts as ir_parts
from proxai_ir.ir import request as ir_request
from proxai_ir.ir import response as ir_response
from proxai_ir.ir import tools as ir_tools
from proxai_ir.wire import gemini_generate_content as wire

from .error import lower_error
from .request import lower_request
from .response import lower_response
from .slips import REPEATED, SLIPS
from .stream import Reader

DISCRIMINATORS = {
    "request": ({"contents"},),
    "response": ({"candidates"}, {"promptFeedback"}, {"usageMetadata", "modelVersion"}),
    "error": ({"error"},),
}

SOURCE_ONLY: dict[str | type, tuple[Any, ...]] = {
    "user": (ir_parts.UnknownPart,),
    "assistant": (
        ir_parts.Audio,
        ir_parts.HostedCall,
        ir_parts.HostedResult,
        ir_parts.WebSearchCall,
        ir_parts.WebSearchResult,
    ),
    "audio source": (ir_parts.Inline,),
    "tools": (ir_tools.ClientTool, ir_tools.HostedTool, ir_tools.UnknownTool),
    ir_request.SchemaFormat: ("strict",),
    ir_tools.HostedTool: ("kind", "raw"),
    ir_parts.ToolResult: ("name",),
    ir_parts.UrlCitation: ("cited_text",),
    ir_parts.Audio: ("source",),
    ir_parts.WebSearchCall: ("id", "page"),
    ir_parts.WebSearchResult: ("call_id", "error", "page"),
    ir_response.Response: ("created",),
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
    error_arrays=True,
    client_only=("automaticFunctionCallingHistory", "parsed", "sdkHttpResponse"),
    source_only=SOURCE_ONLY,
    slips=SLIPS,
    repeated=REPEATED,
)
