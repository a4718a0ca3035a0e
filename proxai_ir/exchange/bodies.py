"""What the body of a provider's response is, where it is not what was asked for: some servers stream unasked, or not at
all, and some send errors with the status of success.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from ..diagnostics import Refusal, TranslationError
from ..json_bytes import parsed
from ..profile import Profile
from ..registry import frontend

SSE = "text/event-stream"
SSE_LINES = (b"data:", b"event:", b": ", b"id:", b"retry:")
"""How the first line of server-sent events begins."""


def media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def is_stream(headers: Mapping[str, str], data: bytes) -> bool:
    """Whether a whole body is server-sent events; providers that do not state the type are known by the first line."""
    return media_type(headers) == SSE or data[:64].lstrip().startswith(SSE_LINES)


def is_json(headers: Mapping[str, str]) -> bool:
    """Whether what comes in place of a stream is one JSON value."""
    kind = media_type(headers)
    return kind == "application/json" or kind.endswith("+json")


def is_error(data: bytes, provider: str | Profile) -> bool:
    try:
        return frontend(provider).detect(parsed(data)) == "error"
    except (Refusal, TranslationError):
        return False


def with_delay(headers: Mapping[str, str], error: Any, provider: str | Profile) -> Mapping[str, str]:
    """The headers with the time to wait before the next attempt, for providers that have it in the body of an error."""
    if "retry-after" in headers or not isinstance(error, dict):
        return headers
    delay = frontend(provider).error(error, None).retry_after
    return headers if delay is None else {**headers, "retry-after": f"{ceil(delay)}"}
