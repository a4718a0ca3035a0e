"""What Google's protocols share in HTTP (API reference: "Error codes", "models.list")."""

from __future__ import annotations

from typing import Any

from proxai_ir.binding.http import Http, Listing, Model
from proxai_ir.ir.error import ErrorCategory

VERSIONS = ("v1beta", "v1", "v1alpha", "v1beta1")
METHODS = {"generateContent": False, "streamGenerateContent": True}
"""The methods of models, and whether their responses are streams."""


def _model(model: Model) -> dict[str, Any]:
    return {"name": f"models/{model.name}", "displayName": model.shown, "supportedGenerationMethods": [*METHODS]}


def _read(listed: Any) -> list[Model]:
    names = [(one, one["name"].removeprefix("models/")) for one in listed["models"]]
    return [Model(name, one.get("displayName") or name) for one, name in names]


LISTING = Listing(
    ask="/v1beta/models?pageSize=1000",
    read=_read,
    paths=tuple(f"/{version}/models" for version in VERSIONS),
    one=_model,
    all=lambda models: {"models": [*map(_model, models)]},
)
HTTP = Http(
    base_url="https://generativelanguage.googleapis.com",
    key_env=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    key="x-goog-api-key",
    scheme="",
    key_query="key",
    own=("x-goog-user-project", "x-goog-upload-"),
    statuses={ErrorCategory.OVERLOADED: 503, ErrorCategory.BILLING: 429},
    listing=LISTING,
    telemetry="gcp.gemini",
)
"""All of it but the paths of requests."""
