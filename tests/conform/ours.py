"""This library as an implementation of the vectors, for `python -m proxai_ir.testing.conform`."""

from __future__ import annotations

from typing import Any

import proxai_ir
from proxai_ir import TranslationError
from tests.sides import sides

from .lines import serve


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    dst, options = sides(asked["to"], asked["options"])
    try:
        done = proxai_ir.compile(asked["source"], asked["from"], dst, kind=asked["kind"], **options)
    except TranslationError as error:
        return {"refused": str(error)}
    found = [{"severity": one.severity, "rule": one.code, "pointer": one.path} for one in done.diagnostics]
    return {"output": done.output, "findings": found}


if __name__ == "__main__":
    serve(answer)
