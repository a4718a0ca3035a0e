"""What OpenAI's protocols share in HTTP.

API reference: "Debugging requests", "Rate limits", "Error codes", "List models".
"""

from __future__ import annotations

from typing import Any

from proxai_ir.binding.http import Listing, Model
from proxai_ir.ir.error import ErrorCategory

REQUEST_ID = "x-request-id"
LIMITS = "x-ratelimit-{fact}-{what}"
STATUSES = {ErrorCategory.OVERLOADED: 503, ErrorCategory.BILLING: 429}
PROVIDER = "openai"
OWN = ("openai-beta", "openai-organization", "openai-project", "chatgpt-account-id")
BASE_URL, KEY_ENV = "https://api.openai.com", ("OPENAI_API_KEY",)


def _model(model: Model) -> dict[str, Any]:
    return {"id": model.name, "object": "model", "created": model.created, "owned_by": model.owner}


LISTING = Listing(
    ask="/v1/models",
    paths=("/v1/models",),
    one=_model,
    all=lambda models: {"object": "list", "data": [*map(_model, models)]},
)
