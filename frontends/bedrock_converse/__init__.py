"""AWS Bedrock's Converse into the IR (official types: botocore's model `bedrock-runtime`)."""

from typing import Any

from proxai_ir import ir
from proxai_ir.protocol.registry import Frontend
from proxai_ir.wire import bedrock_converse as wire

from .request import lower_request
from .response import REPEATED, SLIPS, lower_error, lower_response
from .stream import Reader

DISCRIMINATORS = {
    "request": ({"messages"}, {"promptVariables"}),
    "response": ({"output", "stopReason"},),
    "error": ({"message"}, {"Message"}, {wire.BODY_TYPE}, {"message", wire.BODY_TYPE}, {wire.OUTPUT, "Version"}),
}

SOURCE_ONLY: dict[str | type, tuple[Any, ...]] = {
    "instructions": (ir.VendorPart,),
    "user": (ir.VendorPart,),
    "assistant": (ir.HostedCall, ir.HostedResult, ir.Image, ir.UnknownPart),
    "citations": (ir.SourceCitation, ir.UrlCitation),
    "tools": (ir.HostedTool, ir.UnknownTool),
    ir.UrlCitation: ("title", "url"),
    ir.SchemaFormat: ("strict",),
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
    client_only=("ResponseMetadata",),
    source_only=SOURCE_ONLY,
    slips=SLIPS,
    repeated=REPEATED,
)
