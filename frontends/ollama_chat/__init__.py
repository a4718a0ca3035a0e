"""Ollama's `/api/chat` into the IR (official types: the `ollama` package; `api/types.go` of the server)."""

from typing import Any

from proxai_ir import ir
from proxai_ir.authoring import Frontend
from proxai_ir.wire import ollama_chat as wire

from .request import lower_request
from .response import REPEATED, SLIPS, lower_error, lower_response
from .stream import Reader

DISCRIMINATORS = {"request": ({"messages"},), "response": ({"message", "done"},), "error": ({"error"},)}

SOURCE_ONLY: dict[str | type, tuple[Any, ...]] = {
    "tools": (ir.UnknownTool,),
    "instructions": (ir.UnknownPart,),
    ir.Inline: ("mime",),  # which the data show
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
