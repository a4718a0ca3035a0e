"""Which protocol a refused payload is probably of: a hint for a caller who named the wrong one.

Rule: named is only a protocol that reads all of the payload, without unknown members, and no second one does.
"""

from __future__ import annotations

from typing import Any

from ..reporting.diagnostics import Record, Refusal, TranslationError
from .registry import Frontend, frontend, protocols
from .routes import route


def resembled(payload: Any, kind: str | None, given: Frontend) -> str:
    """The name of that protocol, "" where there is none."""
    if not isinstance(payload, dict) or kind not in (None, "request", "response"):
        return ""
    fitting = [name for name in protocols() if name != given.protocol and _reads(payload, kind, frontend(name), given)]
    return fitting[0] if len(fitting) == 1 else ""


def _reads(payload: Any, kind: str | None, front: Frontend, given: Frontend) -> bool:
    """Whether a frontend takes the payload, and finds no member in it that it does not know."""
    try:
        kind = kind or front.detect(payload)
        if kind not in ("request", "response"):
            return False
        node = front.request(payload) if kind == "request" else front.response(payload)
    except Refusal:
        return False
    return not any(rule.startswith("UNK-") for rule, *_ in _found(node, front, given))


def _found(node: Any, front: Frontend, given: Frontend) -> list[Record]:
    """What converting the tree to the protocol that the caller named would report."""
    try:
        way = route(front.protocol, given.protocol)
        return way.write(node, {**way.back.defaults, "strict": True})[1].records
    except TranslationError:
        return []
    except Refusal as refusal:
        return refusal.records
