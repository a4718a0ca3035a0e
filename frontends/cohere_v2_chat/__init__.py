"""Cohere's POST /v2/chat into the IR (official types: the `cohere` package, `types` and `v2`)."""

from typing import Any

from proxai_ir import ir
from proxai_ir.protocol.registry import Frontend
from proxai_ir.wire import cohere_v2_chat as wire

from .request import lower_request
from .response import REPEATED, SLIPS, lower_error, lower_response
from .stream import Reader

DISCRIMINATORS = {
    "request": ({"messages"},),
    "response": ({"message", "finish_reason"},),
    "error": ({"message"}, {"error"}),
}

SOURCE_ONLY: dict[str | type, tuple[Any, ...]] = {
    **dict.fromkeys(("instructions", "user", "assistant", "tool result"), (ir.UnknownPart,)),
    "citations": (ir.SourceCitation,),
    "tools": (ir.UnknownTool,),
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
    source_only=SOURCE_ONLY,
    slips=SLIPS,
    repeated=REPEATED,
)
