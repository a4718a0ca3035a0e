"""State that servers of Interactions keep and requests refer to: an interaction that a request continues, by its id.

Interactions are kept unless `store` is false (documentation of the Interactions API: "Stateful conversation").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proxai_ir.protocol.http import References
from proxai_ir.wire import gemini_interactions as wire

Json = dict[str, Any]


def previous(request: Json) -> str | None:
    found = request.get("previous_interaction_id")
    return found if isinstance(found, str) else None


def items(request: Json) -> list[Any]:
    """Return the input as steps."""
    given = request.get("input")
    if isinstance(given, str):
        return [{"type": wire.USER, "content": [{"type": "text", "text": given}]}]
    if isinstance(given, dict):
        return [{"type": wire.USER, "content": [given]}]
    listed = given if isinstance(given, list) else []
    if listed and all(isinstance(one, dict) and one.get("type") in wire.CONTENT for one in listed):
        return [{"type": wire.USER, "content": listed}]
    return listed


def output(response: Json) -> list[Any]:
    steps = response.get("steps")
    return steps if isinstance(steps, list) else []


def whole(request: Json, items: Sequence[Any]) -> Json:
    """Return the request with the whole conversation in place of references. `store` goes only if it is false: what is
    to be stored, whoever keeps the conversation stores."""
    left_out = {"previous_interaction_id", *(() if request.get("store") is False else ("store",))}
    return {**{name: one for name, one in request.items() if name not in left_out}, "input": list(items)}


def missing(_sort: str, name: str) -> tuple[int, Json]:
    return 404, {"error": {"code": "not_found", "message": f"Interaction with id '{name}' not found."}}


def none(_: Any) -> None:
    """Return None: conversations and single steps have no ids here."""


MEMORY = References(
    previous=previous,
    conversation=none,
    keeps=lambda request: request.get("store") is not False,
    items=items,
    output=output,
    reference=none,
    whole=whole,
    missing=missing,
)
