"""generateContent in HTTP: model and method stand in the path.

API reference: "generateContent", "countTokens".
"""

from __future__ import annotations

import re
from typing import Any

from attrs import evolve

from proxai_ir.binding.http import Counting, Stored

from .._google import http as google
from .._google.http import METHODS, VERSIONS

PATH = re.compile(rf"/(?:{'|'.join(VERSIONS)})/(?:.*/)?(?:models|tunedModels)/(?P<model>[^/:]+):(?P<method>\w+)")
ALT = re.compile(r"(?:^|&)(?:\$|%24)?alt=sse(?:&|$)")


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


HTTP = evolve(
    google.HTTP,
    asked=asked,
    keep_alive=b"\n",
    models=(("modelVersion",),),
    marked="x-goog-api-key",
    under=("/v1beta",),
    counting=Counting(
        path=lambda path: path.rpartition(":")[0] + COUNT,
        counted=_counted,
        body=_body,
        source=_source,
        number="totalTokens",
    ),
    stored=Stored(
        {"cachedContent": ".+", "cached_content": ".+", "fileUri": ".*files/.+", "file_uri": ".*files/.+"},
        frozenset({"args", "labels", "parameters", "parametersJsonSchema", "response", "responseJsonSchema"}),
    ),
)
