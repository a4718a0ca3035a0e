"""Cohere's POST /v2/chat into the IR (official types: the `cohere` package, `types` and `v2`)."""

from typing import Any

from proxai_ir.binding.registry import Frontend
from proxai_ir.ir import error as ir_error
from proxai_ir.ir import parts as ir_parts
from proxai_ir.ir import request as ir_request
from proxai_ir.ir import tools as ir_tools
from proxai_ir.wire import cohere_v2_chat as wire

from .error import lower_error
from .request import lower_request
from .response import lower_response
from .slips import REPEATED, SLIPS
from .stream import Reader

DISCRIMINATORS = {
    "request": ({"messages"},),
    "response": ({"message", "finish_reason"},),
    "error": ({"message"}, {"error"}),
}

SOURCE_ONLY: dict[str | type, tuple[Any, ...]] = {
    **dict.fromkeys(("instructions", "user", "assistant", "tool result"), (ir_parts.UnknownPart,)),
    "citations": (ir_parts.SourceCitation,),
    "tools": (ir_tools.UnknownTool,),
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
    slips=SLIPS,
    repeated=REPEATED,
)
