"""Interactions in HTTP: paths, headers and statuses (API reference: "Interactions API"; the official client)."""

from __future__ import annotations

from typing import Any

from proxai_ir.binding.http import Http, Kept, Listing, Model, Stored
from proxai_ir.ir.error import ErrorCategory

VERSIONS = ("v1beta", "v1", "v1alpha", "v1beta1")
PATH, *ALIASES = (f"/{version}/interactions" for version in VERSIONS)


def _model(model: Model) -> dict[str, Any]:
    return {"name": f"models/{model.name}", "displayName": model.shown}


def _read(listed: Any) -> list[Model]:
    names = [(one, one["name"].removeprefix("models/")) for one in listed["models"]]
    return [Model(name, one.get("displayName") or name) for one, name in names]


HTTP = Http(
    base_url="https://generativelanguage.googleapis.com",
    key_env=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    path=PATH,
    aliases=tuple(ALIASES),
    key="x-goog-api-key",
    scheme="",
    key_query="key",
    own=("x-goog-user-project", "x-goog-upload-"),
    statuses={ErrorCategory.OVERLOADED: 503, ErrorCategory.BILLING: 429},
    models=(("model",), ("interaction", "model")),
    under=(PATH, *ALIASES),
    listing=Listing(  # clients ask for it as those of its vendor's other protocol do
        ask="/v1beta/models?pageSize=1000",
        read=_read,
        paths=(),
        one=_model,
        all=lambda models: {"models": [*map(_model, models)]},
    ),
    kept=Kept(responses=PATH, deleted=lambda _: {}),
    telemetry="gcp.gemini",
    stored=Stored(
        {
            "cached_content": ".+",
            "environment": ".+",
            "file_search_store_names": ".+",
            "uri": ".*files/.+",
        },
        frozenset({"arguments", "labels", "parameters", "schema", "result"}),
    ),
)
