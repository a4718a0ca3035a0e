"""OpenAI Responses into the IR (official types: the `openai` package, `types/responses`)."""

from typing import Any

from proxai_ir.binding.registry import Frontend
from proxai_ir.ir import parts as ir_parts
from proxai_ir.ir import request as ir_request
from proxai_ir.ir import tools as ir_tools
from proxai_ir.wire import openai_responses as wire

from .error import lower_error
from .memory import MEMORY
from .request import lower_request
from .response import lower_response
from .slips import REPEATED, SLIPS
from .stream import Reader

DISCRIMINATORS = {
    "request": ({"input"}, {"prompt"}, {"instructions"}),
    "response": ({"output"}, {"output", "error"}, {"output", "prompt"}, {"output", "instructions"}),
    "error": ({"error"}, {"code", "message"}),
}

SOURCE_ONLY: dict[str | type, tuple[Any, ...]] = {
    "user": (ir_parts.Audio, ir_parts.UnknownPart, ir_parts.VendorPart),
    "assistant": (
        ir_parts.ClientResult,
        ir_parts.CodeCall,
        ir_parts.CodeResult,
        ir_parts.HostedCall,
        ir_parts.HostedResult,
        ir_parts.Reference,
        ir_parts.UnknownPart,
        ir_parts.VendorPart,
    ),
    "audio source": (ir_parts.Inline,),
    "citations": (ir_parts.SourceCitation,),
    "tools": (ir_tools.ClientTool, ir_tools.HostedTool, ir_tools.ToolGroup, ir_tools.UnknownTool),
    ir_request.Request: ("summary",),
    ir_tools.HostedTool: ("kind", "raw"),
    ir_parts.ClientCall: ("name",),
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
    stores=True,
    source_only=SOURCE_ONLY,
    slips=SLIPS,
    repeated=REPEATED,
)
