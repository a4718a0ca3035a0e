"""generateContent in HTTP: model and method stand in the path.

API reference: "generateContent", "Error codes", "models.list", "countTokens".
"""

from __future__ import annotations

import re
from typing import Any

from proxai_ir.binding.http import Counting, Http, Listing, Model, Stored
from proxai_ir.ir.error import ErrorCategory

VERSIONS = ("v1beta", "v1", "v1alpha", "v1beta1")
PATH = re.compile(rf"/(?:{'|'.join(VERSIONS)})/(?:.*/)?(?:models|tunedModels)/(?P<model>[^/:]+):(?P<method>\w+)")
ALT = re.compile(r"(?:^|&)(?:\$|%24)?alt=sse(?:&|$)")
METHODS = {"generateContent": False, "streamGenerateContent": True}


def asked(path: str) -> dict[str, Any] | None:
    """Streams are arrays, unless the query asks for server-sent events."""
    path, _, query = path.partition("?")
    found = PATH.fullmatch(path)
    if found is None or found["method"] not in METHODS:
        return None
    stream = METHODS[found["method"]]
    return {"model": found["model"], "stream": stream, "array": stream and ALT.search(query) is None}


COUNT = ":countTokens"


def _counted(path: str) -> str | None:
    return path.removesuffix(COUNT) + ":generateContent" if path.endswith(COUNT) else None


def _body(body: dict[str, Any], path: str) -> dict[str, Any]:
    model = path.partition("/models/")[2].partition(":")[0]
    return {"generateContentRequest": {"model": f"models/{model}", **body}}


def _source(body: dict[str, Any]) -> dict[str, Any]:
    wrapped = body.get("generateContentRequest")
    return {name: wrapped[name] for name in wrapped if name != "model"} if isinstance(wrapped, dict) else body


def _model(model: Model) -> dict[str, Any]:
    return {"name": f"models/{model.name}", "displayName": model.shown, "supportedGenerationMethods": [*METHODS]}


def _read(listed: Any) -> list[Model]:
    names = [(one, one["name"].removeprefix("models/")) for one in listed["models"]]
    return [Model(name, one.get("displayName") or name) for one, name in names]


HTTP = Http(
    base_url="https://generativelanguage.googleapis.com",
    key_env=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    asked=asked,
    key="x-goog-api-key",
    scheme="",
    key_query="key",
    own=("x-goog-user-project", "x-goog-upload-"),
    statuses={ErrorCategory.OVERLOADED: 503, ErrorCategory.BILLING: 429},
    keep_alive=b"\n",
    models=(("modelVersion",),),
    marked="x-goog-api-key",
    under=("/v1beta",),
    listing=Listing(
        ask="/v1beta/models?pageSize=1000",
        read=_read,
        paths=tuple(f"/{version}/models" for version in VERSIONS),
        one=_model,
        all=lambda models: {"models": [*map(_model, models)]},
    ),
    counting=Counting(
        path=lambda path: path.rpartition(":")[0] + COUNT,
        counted=_counted,
        body=_body,
        source=_source,
        number="totalTokens",
    ),
    telemetry="gcp.gemini",
    stored=Stored(
        {"cachedContent": ".+", "cached_content": ".+", "fileUri": ".*files/.+", "file_uri": ".*files/.+"},
        frozenset({"args", "labels", "parameters", "parametersJsonSchema", "response", "responseJsonSchema"}),
    ),
)
