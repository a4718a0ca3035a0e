"""What OpenAI's protocols share in HTTP (API reference: "Debugging requests", "Rate limits", "Error codes")."""

from __future__ import annotations

from ...ir.error import ErrorCategory

REQUEST_ID = "x-request-id"
LIMITS = "x-ratelimit-{fact}-{what}"
STATUSES = {ErrorCategory.OVERLOADED: 503, ErrorCategory.BILLING: 429}
