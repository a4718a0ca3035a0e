"""Chat Completions in HTTP: path, headers and statuses."""

from __future__ import annotations

from typing import Any

from proxai_ir.backends._openai.http import BASE_URL, KEY_ENV, LIMITS, LISTING, OWN, PROVIDER, REQUEST_ID, STATUSES
from proxai_ir.binding.http import Http, Stored


def expects(request: dict[str, Any]) -> dict[str, Any]:
    """A stream has its usage chunk if the request asked for one."""
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
)
