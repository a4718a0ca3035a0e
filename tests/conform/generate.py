"""The vectors that the examples of the specification make: a file a rule family, a line a vector.

An example is a vector if any implementation can have it: of one of the four kinds, between two protocols of which each
is known by its name, with JSON on both sides. Where it stands within its rule is its number.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import orjson

from proxai_ir import TranslationError
from proxai_ir.matrix.specification import FOLDER, Example, spec
from proxai_ir.testing.conform import arrives, ending_of, leaves

VECTORS = FOLDER / "vectors"
KINDS = ("request", "response", "error", "stream")


def written() -> dict[str, bytes]:
    """Return the files, by name."""
    files: dict[str, list[bytes]] = {}
    for one in made():
        line = orjson.dumps(one, option=orjson.OPT_APPEND_NEWLINE)
        files.setdefault(f"{one['rule'].partition('-')[0]}.jsonl", []).append(line)
    return {name: b"".join(lines) for name, lines in sorted(files.items())}


def made() -> list[dict[str, Any]]:
    found, numbers = [], Counter[str]()
    for example in (one for section in spec() for one in section.examples):
        if not example.section:
            continue
        numbers[example.section] += 1
        vector = of(example, f"{example.section}.{numbers[example.section]}")
        found += [vector] if vector is not None else []
    return found


def of(example: Example, number: str) -> dict[str, Any] | None:
    """Return a vector, or None where an example is about something that only this library has."""
    try:
        source = orjson.loads(example.given)  # which is JSON to the letter
    except (ValueError, TypeError):
        return None
    if example.kind not in KINDS:
        return None
    refused = any(one.severity == "error" for one in example.findings)
    expected = None if refused else example.output
    lost = [{"rule": one.rule, "pointer": one.pointer} for one in example.findings if one.severity == "loss"]
    named = [one.pointer for one in example.findings]
    return {
        "id": number,
        "rule": example.section,
        "kind": example.kind,
        "from": example.src,
        "to": example.dst,
        "options": example.stated,
        "source": source,
        "expected": expected,
        "carried": [] if refused else carried(source, expected, named),
        "lost": [] if refused else lost,
        "ending": None if refused else ending(example, expected),
    }


def ending(example: Example, expected: Any) -> str | None:
    try:
        return ending_of(example.kind, example.dst, expected)
    except TranslationError:  # of a failure, and of a stream that has not ended
        return None


def carried(source: Any, expected: Any, named: list[str]) -> list[str]:
    """Return pointers to the values of the source that the expected output has, and that no finding is about."""
    about = [f"{pointer}/" for pointer in named if pointer]
    return [
        pointer
        for pointer, value in leaves(source)
        if arrives(value, expected) and not any(f"{pointer}/".startswith(one) for one in about)
    ]
