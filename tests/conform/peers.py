"""Other converters as implementations of the vectors: `python -m tests.conform.peers litellm` (or llm-rosetta, lingua).

They are called as the benchmarks call them, and get what the vector has. What they raise is a refusal, which is to
their credit; warnings of Python are findings without a place, since they have none. Lingua is no Python package: its
stub says so of every vector, and a program that talks to it would take the stub's place.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

from ..benchmarks import peers
from .lines import serve

CONVERTERS = {"litellm": peers.litellm, "llm-rosetta": peers.rosetta, "lingua": dict}


def named(output: Any, asked: dict[str, Any]) -> Any:
    """A request with the model that the vector has: LiteLLM's are converted for one that it knows the settings of."""
    if asked["kind"] == "request" and isinstance(output, dict) and "model" in output and "model" in asked["source"]:
        return {**output, "model": asked["source"]["model"]}
    return output


def answering(name: str) -> Any:
    converters = CONVERTERS[name]()

    def answer(asked: dict[str, Any]) -> dict[str, Any]:
        convert = converters.get((asked["kind"], asked["from"], asked["to"]))
        if convert is None or asked["options"]:
            return {"unsupported": "no such conversion" if convert is None else "no such options"}
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                source = asked["source"]
                if asked["kind"] == "stream":
                    output: Any = list(convert([event for event in source if event != "[DONE]"]))
                else:
                    output = named(convert(source), asked)
            except Exception as error:
                return {"refused": f"{type(error).__name__}: {error}"[:300]}
        return {"output": output, "findings": [{"severity": "loss", "message": str(one.message)} for one in said]}

    return answer


if __name__ == "__main__":
    serve(answering(sys.argv[1]))
