"""Gemini Interactions into the IR (official types: `google.genai`, package `_gaos/types/interactions`)."""

from typing import Any

from proxai_ir.binding.registry import Frontend
from proxai_ir.wire import gemini_interactions as wire

from .error import lower_error
from .memory import MEMORY
from .request import lower_request
from .response import lower_response
from .stream import Reader

DISCRIMINATORS = {
    "request": ({"input"}, {"agent"}, {"previous_interaction_id"}, {"continuation_token"}),
    "response": (
        {"status"},
        *({"status", name} for name in ("input", "agent", "previous_interaction_id", "continuation_token")),
    ),
    "error": ({"error"},),
}
SOURCE_ONLY: dict[str | type, tuple[Any, ...]] = {}
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
    error_arrays=True,
    client_only=("output_text", "output_image", "output_audio", "output_video", "continuation_ids"),
    source_only=SOURCE_ONLY,
)
