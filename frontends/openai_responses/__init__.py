"""OpenAI Responses into the IR (official types: the `openai` package, `types/responses`)."""

from typing import Any

from proxai_ir import ir
from proxai_ir.protocol.registry import Frontend
from proxai_ir.wire import openai_responses as wire

from .memory import MEMORY
from .request import lower_request
from .response import REPEATED, SLIPS, lower_error, lower_response
from .stream import Reader

DISCRIMINATORS = {
    "request": ({"input"}, {"prompt"}, {"instructions"}),
    "response": ({"output"}, {"output", "error"}, {"output", "prompt"}, {"output", "instructions"}),
    "error": ({"error"}, {"code", "message"}),
}

SOURCE_ONLY: dict[str | type, tuple[Any, ...]] = {
    "user": (ir.Audio, ir.UnknownPart, ir.VendorPart),
    "assistant": (
        ir.ClientResult,
        ir.CodeCall,
        ir.CodeResult,
        ir.HostedCall,
        ir.HostedResult,
        ir.Reference,
        ir.UnknownPart,
        ir.VendorPart,
    ),
    "audio source": (ir.Inline,),
    "citations": (ir.SourceCitation,),
    "tools": (ir.ClientTool, ir.HostedTool, ir.ToolGroup, ir.UnknownTool),
    ir.Request: ("summary",),
    ir.HostedTool: ("kind", "raw"),
    ir.ClientCall: ("name",),
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
