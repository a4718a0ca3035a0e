"""generateContent out of the IR: what the backend registers, and what of the protocol stands in HTTP."""

from __future__ import annotations

import re
from typing import Any

from attrs import evolve

from proxai_ir.protocol.http import Counting, Stored
from proxai_ir.protocol.registry import Backend
from proxai_ir.wire import gemini_generate_content as wire

from .._google import writing as google
from .._google.writing import METHODS, VERSIONS
from .stream import Writer
from .target import CONSTRAINTS, TARGET
from .write import raise_error, raise_request, raise_response, route

PATH = re.compile(rf"/(?:{'|'.join(VERSIONS)})/(?:.*/)?(?:models|tunedModels)/(?P<model>[^/:]+):(?P<method>\w+)")
ALT = re.compile(r"(?:^|&)(?:\$|%24)?alt=sse(?:&|$)")


def asked(path: str) -> dict[str, Any] | None:
    """Return the model that a path names, and whether its response is a stream.

    Streams are arrays, unless the query asks for server-sent events.
    """
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


BACKEND = Backend(
    wire.NAME,
    TARGET,
    CONSTRAINTS,
    raise_request,
    raise_response,
    raise_error,
    stream=Writer,
    http=HTTP,
    batch="proxai_ir.backends.gemini_generate_content.batch:FORMAT",
    route=route,
)
