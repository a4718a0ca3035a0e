"""Gemini's generateContent into the IR (official types: `google.genai.types` and the REST API's own description)."""

from proxai_ir.binding.registry import Frontend
from proxai_ir.wire import gemini_generate_content as wire

from .error import lower_error
from .request import lower_request
from .response import lower_response
from .source_only import SOURCE_ONLY
from .stream import Reader

DISCRIMINATORS = {
    "request": ({"contents"},),
    "response": ({"candidates"}, {"promptFeedback"}, {"usageMetadata", "modelVersion"}),
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
    error_arrays=True,
    source_only=SOURCE_ONLY,
)
