"""Bedrock Converse and ConverseStream into the IR (official types: botocore's model of `bedrock-runtime`)."""

from typing import Any

from proxai_ir.binding.registry import Frontend
from proxai_ir.ir import error as ir_error
from proxai_ir.ir import parts as ir_parts
from proxai_ir.ir import request as ir_request
from proxai_ir.ir import tools as ir_tools
from proxai_ir.wire import bedrock_converse as wire

from .error import lower_error
from .request import lower_request
from .response import lower_response
from .stream import Reader

DISCRIMINATORS = {
    "request": ({"messages"}, {"promptVariables"}),
    "response": ({"output", "stopReason"}, {"output", "usage"}),
    "error": ({"message"}, {"Message"}),
}
SOURCE_ONLY: dict[str | type, tuple[Any, ...]] = {
    "user": (ir_parts.UnknownPart, ir_parts.VendorPart),
    "assistant": (ir_parts.HostedCall, ir_parts.HostedResult),
    "tools": (ir_tools.HostedTool, ir_tools.UnknownTool),
    "citations": (ir_parts.SourceCitation,),
    ir_tools.HostedTool: ("kind", "name", "raw"),
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
    source_only=SOURCE_ONLY,
)
