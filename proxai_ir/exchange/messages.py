"""What an Exchange hands to the proxy: the request to send upstream, and the reply to the client."""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

from ..ir.usage import PARTITION, Usage
from ..reporting.diagnostics import Diagnostic

JSON_TYPE = {"content-type": "application/json"}
SSE_TYPE = {"content-type": "text/event-stream", "cache-control": "no-cache"}


@frozen(kw_only=True)
class Upstream:
    """A request to the provider. `path` follows the base URL, `stream` says whether a stream is asked for.

    `headers` have lower-case names; the content type, the version of the API, betas, and the key where one was given.
    """

    path: str
    headers: dict[str, str]
    body: bytes
    stream: bool
    diagnostics: tuple[Diagnostic, ...] = ()


@frozen(kw_only=True)
class Reply:
    """A whole response to the client. `usage`: token counts by kind (USE-1), where the provider stated them."""

    status: int
    headers: dict[str, str]
    body: bytes
    diagnostics: tuple[Diagnostic, ...] = ()
    usage: dict[str, Any] | None = field(default=None)


def counts(usage: Usage | None) -> dict[str, Any] | None:
    """Token counts by the names of `Usage`; what was not reported is left out."""
    if usage is None:
        return None
    return {name: count for name in PARTITION if (count := getattr(usage, name)) is not None}
