"""Which kind of payload this is: request, response or error, by the members that it has.

Rule: never guess. A payload that fits no kind, or more than one, is refused and the caller passes `kind` (SHP-8).
"""

from __future__ import annotations

from typing import Any

from .diagnostics import Refusal
from .registry import Frontend


def detect_kind(payload: Any, front: Frontend) -> str:
    """The kind whose discriminators are all present. Raises Refusal (SHP-8) where that is not exactly one."""
    matches: list[tuple[str, set[str]]] = []
    if isinstance(payload, dict):
        for kind, alternatives in front.discriminators.items():
            for members in alternatives:
                for member in members:
                    if payload.get(member) is None:
                        break
                else:
                    matches.append((kind, members))
    if matches and matches[0][0] == matches[-1][0]:  # matches are grouped by kind
        return matches[0][0]
    kinds = list(dict.fromkeys(kind for kind, members in matches if not any(members < other for _, other in matches)))
    if len(kinds) == 1:
        return kinds[0]
    detail = (
        f"its members fit more than one kind: {', '.join(kinds)}"
        if kinds
        else f"its members fit no kind of {front.protocol}"
    )
    raise Refusal("SHP-8", None, detail)
