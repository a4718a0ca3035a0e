"""OpenAI Responses into the IR (official types: the `openai` package, `types/responses`)."""

from proxai_ir.binding.registry import Frontend
from proxai_ir.wire import openai_responses as wire

from .error import lower_error
from .memory import MEMORY
from .request import lower_request
from .response import lower_response
from .source_only import SOURCE_ONLY
from .stream import Reader

DISCRIMINATORS = {
    "request": ({"input"}, {"prompt"}),
    "response": ({"output"}, {"output", "error"}, {"output", "prompt"}),
    "error": ({"error"}, {"code", "message"}),
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
)
