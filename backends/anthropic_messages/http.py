"""Anthropic Messages in HTTP: path, headers and statuses (API reference: "Versions", "Errors", "Rate limits")."""

from proxai_ir.binding.http import Http
from proxai_ir.ir.error import ErrorCategory

HTTP = Http(
    path="/v1/messages",
    key="x-api-key",
    scheme="",
    version="anthropic-version",
    betas="anthropic-beta",
    request_id="request-id",
    limits="anthropic-ratelimit-{what}-{fact}",
    resets="time",
    statuses={ErrorCategory.OVERLOADED: 529, ErrorCategory.BILLING: 402},
    keep_alive=b'event: ping\ndata: {"type": "ping"}\n\n',
    models=(("model",), ("message", "model")),
)
