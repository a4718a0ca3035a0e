"""Writers and HTTP facts that Google's two protocols share."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.envelope import TAG, seal_text
from proxai_ir.protocol.http import Http, Listing, Model
from proxai_ir.wire import google

from .._lib.writing import Object, with_extra

# --- writing ----------------------------------------------------------------------------------------------------------


def signature(seal: ir.Seal) -> str:
    """Return a seal as base64; an envelope is encoded once more (RSN-9)."""
    text = seal_text(seal, google.PROVIDER)
    return b64encode(text.encode()).decode() if text.startswith(TAG) else text


def headers_of(server: ir.McpServer) -> Object | None:
    """Return the headers of requests to an MCP server, with its token, or None if there are none."""
    if server.authorization is None:
        return server.http_headers
    return {**(server.http_headers or {}), "Authorization": f"Bearer {server.authorization}"}


def raise_usage(usage: ir.Usage, declared: google.Tokens, own: bool) -> Object:
    """Return token counts that include one another (USE-1); those of hosted tools' results are counted apart.

    A total that usage of the `own` protocol does not state stays unknown.
    """
    details = usage.details or {}
    tool_use = details.get(google.TOOL_USE)
    prompt = None if usage.input is None else usage.all_input - (tool_use or 0)
    total = usage.total
    if total is None and not own and usage.input is not None and usage.output is not None:
        total = usage.all_input + usage.all_output
    counts = (prompt, usage.cache_read, tool_use, usage.output, usage.reasoning, total)
    built: Object = {key: count for key, count in zip(declared.counts, counts, strict=True) if count is not None}
    for member, entries in declared.entries.items() if details else ():
        listed = [
            {"modality": word, declared.count: details[entry]} for entry, word in entries.items() if entry in details
        ]
        if listed:
            built[member] = listed
    return with_extra(built, usage)


# --- http -------------------------------------------------------------------------------------------------------------
# API reference: "Error codes", "models.list".

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
    statuses={ir.ErrorCategory.OVERLOADED: 503, ir.ErrorCategory.BILLING: 429},
    listing=LISTING,
    telemetry="gcp.gemini",
)
"""The facts of HTTP but for the paths of requests."""
