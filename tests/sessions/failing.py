"""The failures of a provider of a generated session before it answers: statuses and bodies in its own protocol."""

from __future__ import annotations

import json
from typing import Any

from ..clients.provider import ERRORS
from ..samples.sample import Json
from .clients import BEDROCK, CHAT, COHERE, MESSAGES, OLLAMA, RESPONSES

LONG = "Input is too long for requested model."
BODIES: dict[str, dict[str, tuple[int, Json]]] = {
    BEDROCK: {
        "limited": (429, {"message": "Too many requests."}),
        "failure": (503, {"message": "Come back later."}),
        "overflow": (400, {"message": LONG}),
    },
    COHERE: {
        "limited": (429, {"id": "e1", "message": "Too many requests."}),
        "failure": (503, {"message": "Come back later."}),
        "overflow": (400, {"message": "too many tokens: total number of tokens"}),
    },
    OLLAMA: {
        "limited": (429, {"error": "Too many requests."}),
        "failure": (503, {"error": "Come back later."}),
        "overflow": (400, {"error": "the input length exceeds the context length"}),
    },
}
"""Of protocols that `tests.clients.provider` has no errors of."""
REFUSES: dict[str, tuple[tuple[str, str], ...]] = {
    CHAT: (
        ("temperature", "Unsupported parameter: 'temperature' is not supported with this model."),
        ("reasoning_effort", "Unrecognized request argument supplied: reasoning_effort"),
        ("stop", "Argument not supported on this model: stop"),
    ),
    RESPONSES: (("temperature", "Unsupported parameter: 'temperature' is not supported with this model."),),
    MESSAGES: (
        ("output_config/effort", "output_config.effort: Extra inputs are not permitted"),
        ("top_k", "`top_k` is deprecated for this model."),
    ),
}
"""By protocol: members that a model may refuse, each with what its server says."""


def failure(kind: str, protocol: str, payload: Json) -> tuple[int | None, bytes, str]:
    """Return status and body of a failure, and the member that is refused; no status where a request gives no cause for
    it."""
    if kind == "cut off":
        return None, b"", ""
    if kind != "setting":
        status, body = BODIES[protocol][kind] if protocol in BODIES else ERRORS[kind][protocol]
        return status, json.dumps(body).encode(), ""
    for member, said in REFUSES.get(protocol, ()):
        at: Any = payload
        for name in member.split("/"):
            at = at.get(name) if isinstance(at, dict) else None
        if at not in (None, "none"):  # without which some models take no tools
            error = {"type": "invalid_request_error", "message": said}
            return 400, json.dumps({"type": "error", "error": error}).encode(), member
    return None, b"", ""
