"""Which kind of payload this is: request, response or error, by the members that it has.

Rule: never guess. A payload that fits no kind, or more than one, is refused and the caller passes `kind` (SHP-8).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..json.codegen import compiled
from ..reporting.diagnostics import Refusal

Discriminators = Mapping[str, Sequence[set[str]]]
Detector = Callable[[Any], str]


def detector(protocol: str, discriminators: Discriminators) -> Detector:
    """A function that gives the kind of a payload. It raises Refusal (SHP-8) where none or more than one fits."""
    lines = ["def detect(payload):", "    if payload.__class__ is dict:", "        get = payload.get"]
    tests = {kind: _test(alternatives) for kind, alternatives in discriminators.items()}
    for kind, test in tests.items():
        others = " or ".join(other for name, other in tests.items() if name != kind)
        lines += [f"        if {test} and not ({others or False}):", f"            return {kind!r}"]
    lines.append("    return most_specific(payload)")

    def most_specific(payload: Any) -> str:
        return _most_specific(payload, protocol, discriminators)

    found: Detector = compiled(f"detector of {protocol}", lines, {"most_specific": most_specific})
    return found


def _test(alternatives: Sequence[set[str]]) -> str:
    present = [" and ".join(f"get({name!r}) is not None" for name in sorted(members)) for members in alternatives]
    return f"({' or '.join(f'({one})' for one in present)})"


def _most_specific(payload: Any, protocol: str, discriminators: Discriminators) -> str:
    """The kind whose members include those of every other kind that fits."""
    fitting: list[tuple[str, set[str]]] = []
    if isinstance(payload, dict):
        for kind, alternatives in discriminators.items():
            fitting += [(kind, one) for one in alternatives if all(payload.get(name) is not None for name in one)]
    kinds = list(dict.fromkeys(kind for kind, members in fitting if not any(members < other for _, other in fitting)))
    if len(kinds) == 1:
        return kinds[0]
    if kinds:
        raise Refusal("SHP-8", None, f"its members fit more than one kind: {', '.join(kinds)}")
    raise Refusal("SHP-8", None, f"its members fit no kind of {protocol}")
