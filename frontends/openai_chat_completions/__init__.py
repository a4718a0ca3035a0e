"""OpenAI Chat Completions into the IR (official types: the `openai` package, `types/chat`), with its dialects."""

from typing import Any

from proxai_ir import ir
from proxai_ir.protocol.registry import Frontend
from proxai_ir.targets.settings import option
from proxai_ir.wire import openai_chat_completions as wire

from .request import lower_request
from .response import REPEATED, SLIPS, lower_error, lower_response
from .stream import Reader

DISCRIMINATORS = {
    "request": ({"messages"},),
    "response": ({"choices"}, {"choices", "error"}),  # a failed one may have both
    "error": ({"error"},),
}

SETTINGS = {
    "usage": option(
        "finish_chunk",
        'which usage counts if no usage chunk comes (STR-4): `"finish_chunk"`, that with or after the `finish_reason` '
        '(the default); `"running"`, the last of all; `"usage_chunk"`, none',
        of="streams",
        choices=("finish_chunk", "usage_chunk", "running"),
    )
}

SOURCE_ONLY: dict[str | type, tuple[Any, ...]] = {
    "instructions": (ir.Image,),
    "user": (ir.UnknownPart, ir.Video),
    "assistant": (ir.UnknownPart, ir.VendorPart),
    ir.VendorPart: ("kind", "raw"),
    "audio source": (ir.FileRef,),
    "citations": (ir.SourceCitation,),
    "tools": (ir.UnknownTool,),
    "video source": (ir.Url,),
    ir.Thinking: ("budget", "display"),
    ir.FunctionTool: ("cache",),
    ir.WebSearchTool: ("allowed_domains", "blocked_domains", "max_uses"),
    ir.Terminal: ("stop_sequence",),
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
    SETTINGS,
    error_arrays=True,
    source_only=SOURCE_ONLY,
    slips=SLIPS,
    repeated=REPEATED,
)
