"""This library as an implementation of the vectors, for `python -m proxai_ir.testing.conform`."""

from __future__ import annotations

from typing import Any

import proxai_ir
from proxai_ir import TranslationError
from proxai_ir.profiles import for_model

from .lines import serve


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    options = {**asked["options"]}
    model = options.pop("for_model", None)
    dst = asked["to"] if model is None else for_model(asked["to"], model)
    try:
        done = proxai_ir.compile(asked["source"], asked["from"], dst, kind=asked["kind"], **options)
    except TranslationError as error:
        return {"refused": str(error)}
    found = [{"severity": one.severity, "rule": one.code, "pointer": one.path} for one in done.diagnostics]
    return {"output": done.output, "findings": found}


if __name__ == "__main__":
    serve(answer)
