"""Gemini Interactions into the IR (official types: `google.genai`, package `_gaos/types/interactions`)."""

from typing import Any

from proxai_ir import ir
from proxai_ir.protocol.registry import Frontend
from proxai_ir.wire import gemini_interactions as wire

from .memory import MEMORY
from .request import lower_request
from .response import REPEATED, SLIPS, lower_error, lower_response
from .stream import Reader

DISCRIMINATORS = {
    "request": ({"input"}, {"agent"}, {"previous_interaction_id"}, {"continuation_token"}),
    "response": (
        {"status"},
        *({"status", name} for name in ("input", "agent", "previous_interaction_id", "continuation_token")),
    ),
    "error": ({"error"},),
}
OWN = wire.VENDOR_FIELDS["Request"].keys() - wire.SHARED | {"generation_config", "system_instruction", "labels"}
"""The members of a request that no other protocol has."""


def shows(kind: str, payload: Any) -> bool:
    """Return whether a payload is of this protocol: a request with only a model and an input may be of another one, as
    may an error without Google's words."""
    if kind == "request":
        given = payload.get("input")
        listed = given if isinstance(given, list) else [given]
        kinds = {one["type"] for one in listed if isinstance(one, dict) and isinstance(one.get("type"), str)}
        return not (OWN.isdisjoint(payload) and kinds.isdisjoint(wire.OWN_STEPS))
    error = payload.get("error")
    code = error.get("code") if isinstance(error, dict) and not error.keys() - {"code", "message"} else None
    return kind == "response" or (isinstance(code, str) and code in wire.OWN_ERRORS)


SOURCE_ONLY: dict[str | type, tuple[Any, ...]] = {
    "user": (ir.ToolChange, ir.UnknownPart),
    "tool": (ir.ToolChange,),
    "tool result": (ir.VendorPart,),
    "assistant": (ir.HostedCall, ir.HostedResult, ir.UnknownPart),
    "citations": (ir.SourceCitation,),
    "tools": (ir.ClientTool, ir.HostedTool, ir.UnknownTool),
    ir.SchemaFormat: ("strict",),
    ir.HostedTool: ("kind", "raw"),
    ir.Error: ("status",),
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
    error_arrays=True,
    client_only=("output_text", "output_image", "output_audio", "output_video", "continuation_ids"),
    source_only=SOURCE_ONLY,
    shows=shows,
    slips=SLIPS,
    repeated=REPEATED,
)
