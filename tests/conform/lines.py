"""The loop of implementations of the vectors: a line of JSON in, a line out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import orjson

Answer = Callable[[dict[str, Any]], dict[str, Any]]


def serve(answer: Answer) -> None:
    """Answer each line. What a library prints meanwhile goes to standard error, as it would be no answer."""
    out, sys.stdout = sys.stdout.buffer, sys.stderr
    for line in sys.stdin.buffer:
        asked = orjson.loads(line)
        made = {"id": asked["id"], **answer(asked)}
        try:
            data = orjson.dumps(made, default=as_json)
        except TypeError as error:
            data = orjson.dumps({"id": asked["id"], "refused": f"its output is no JSON: {error}"})
        out.write(data + b"\n")
        out.flush()


def as_json(value: Any) -> Any:
    """Return an object of an SDK as its own dump has it."""
    for name, given in (("model_dump", {"exclude_none": True}), ("dict", {})):
        if hasattr(value, name):
            return getattr(value, name)(**given)
    raise TypeError(f"{type(value).__name__} is no JSON")
