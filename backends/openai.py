"""The IR of an error as an OpenAI error body, the same in all its protocols (ERR-1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.ir.error import Error
from proxai_ir.vendors import openai

from .building import Object, give_back, put, spelled, whole


def raise_error(error: Error, home: bool, options: Mapping[str, Any]) -> Object:
    if home and error.verbatim:
        return whole(error)
    if spelled(error, "string", home):
        return give_back({"error": error.message}, error.own, home)
    if spelled(error, "bare", home):
        return give_back(put({"message": error.message}, param=error.param, code=error.code), error.own, home)
    if home:
        inner = put({"message": error.message}, type=error.type, param=error.param, code=error.code)
    else:
        kind = openai.ERROR_TYPE_OF[error.category]
        inner = {"message": error.message, "type": kind, "param": error.param, "code": error.code}
    return give_back({"error": inner}, error.own, home)
