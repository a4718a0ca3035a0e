"""Chat Completions out of the IR: what the backend registers, and what of the protocol stands in HTTP."""

from __future__ import annotations

from typing import Any

from proxai_ir.protocol.http import Http, Stored
from proxai_ir.protocol.registry import Backend
from proxai_ir.wire import openai_chat_completions as wire

from .._openai.writing import BASE_URL, KEY_ENV, LIMITS, LISTING, OWN, PROVIDER, REQUEST_ID, STATUSES, raise_error
from .stream import Writer
from .target import CONSTRAINTS, TARGET
from .write import raise_request, raise_response


def expects(request: dict[str, Any]) -> dict[str, Any]:
    """Return whether the client's stream has a usage chunk, which the request asks for."""
    asked = request.get("stream_options")
    return {"include_usage": bool(isinstance(asked, dict) and asked.get("include_usage"))}


HTTP = Http(
    base_url=BASE_URL,
    key_env=KEY_ENV,
    path="/v1/chat/completions",
    own=OWN,
    request_id=REQUEST_ID,
    limits=LIMITS,
    statuses=STATUSES,
    expects=expects,
    listing=LISTING,
    telemetry=PROVIDER,
    stored=Stored({"file_id": ".+"}, frozenset({"arguments", "metadata", "parameters", "schema"})),
    siblings=(("stream_options", "include_usage"),),  # Cursor
)


BACKEND = Backend(
    wire.NAME,
    TARGET,
    CONSTRAINTS,
    raise_request,
    raise_response,
    raise_error,
    stream=Writer,
    http=HTTP,
    batch="proxai_ir.backends._openai.batch:FORMAT",
    batches=("proxai_ir.backends._lib.cloud_lines:BEDROCK",),
)
