"""Anthropic Messages into the IR (official types: the `anthropic` package, `types` and `types/beta`)."""

from proxai_ir.binding.registry import Frontend
from proxai_ir.wire import anthropic_messages as wire

from .error import lower_error
from .memory import MEMORY
from .request import lower_request
from .response import lower_response
from .source_only import SOURCE_ONLY
from .stream import Reader

DISCRIMINATORS = {
    "request": ({"messages"},),
    "response": ({"content", "stop_reason"}, {"content", "usage"}),
    "error": ({"error"},),
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
    source_only=SOURCE_ONLY,
)
