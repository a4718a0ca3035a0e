"""generateContent in HTTP: model and method stand in the path (API reference: "generateContent", "Error codes")."""

from __future__ import annotations

import re
from typing import Any

from proxai_ir.binding.http import Http
from proxai_ir.ir.error import ErrorCategory

PATH = re.compile(r"/(?:v1|v1beta|v1beta1|v1alpha)/(?:.*/)?(?:models|tunedModels)/(?P<model>[^/:]+):(?P<method>\w+)")
METHODS = {"generateContent": False, "streamGenerateContent": True}


def asked(path: str) -> dict[str, Any] | None:
    found = PATH.fullmatch(path.partition("?")[0])
    if found is None or found["method"] not in METHODS:
        return None
    return {"model": found["model"], "stream": METHODS[found["method"]]}


HTTP = Http(
    asked=asked,
    key="x-goog-api-key",
    scheme="",
    statuses={ErrorCategory.OVERLOADED: 503, ErrorCategory.BILLING: 429},
    keep_alive=b"\n",
    models=(("modelVersion",),),
)
