"""OpenAI Chat Completions into the IR (official types: the `openai` package, `types/chat`), dialects among it."""

from typing import Any

from proxai_ir.binding.registry import Frontend
from proxai_ir.binding.server import option
from proxai_ir.ir import error as ir_error
from proxai_ir.ir import parts as ir_parts
from proxai_ir.ir import request as ir_request
from proxai_ir.ir import terminal as ir_terminal
from proxai_ir.ir import tools as ir_tools
from proxai_ir.wire import openai_chat_completions as wire

from .error import lower_error
from .request import lower_request
from .response import lower_response
from .slips import REPEATED, SLIPS
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
    "instructions": (ir_parts.Image,),
    "user": (ir_parts.UnknownPart, ir_parts.Video),
    "audio source": (ir_parts.FileRef,),
    "video source": (ir_parts.Url,),
    ir_request.Thinking: ("budget", "display"),
    ir_tools.FunctionTool: ("cache",),
    ir_terminal.Terminal: ("stop_sequence",),
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
    SETTINGS,
    error_arrays=True,
    source_only=SOURCE_ONLY,
    slips=SLIPS,
    repeated=REPEATED,
)
