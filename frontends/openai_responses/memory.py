"""State that servers of Responses keep and requests refer to (API reference: "Conversation state").

Responses are kept unless `store` is false. A request continues one by `previous_response_id`, or a conversation; an
item of an earlier response may be named by its id alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proxai_ir.protocol.http import References

Json = dict[str, Any]


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def conversation(request: Json) -> str | None:
    found = request.get("conversation")
    return _text(found.get("id") if isinstance(found, dict) else found)


def items(request: Json) -> list[Any]:
    given = request.get("input")
    return [{"type": "message", "role": "user", "content": given}] if isinstance(given, str) else _list(given)


def reference(item: Any) -> str | None:
    """Return the id of an item that is only a reference; its type may be left out."""
    is_one = isinstance(item, dict) and item.get("type") in ("item_reference", None) and item.keys() <= {"type", "id"}
    return _text(item.get("id")) if is_one else None


def whole(request: Json, items: Sequence[Any]) -> Json:
    """Return the request with the whole conversation in place of references. `store` goes only if it is false: what is
    to be stored, whoever keeps the conversation stores."""
    left_out = REFERENCES if request.get("store") is False else {*REFERENCES, "store"}
    return {**{name: one for name, one in request.items() if name not in left_out}, "input": list(items)}


REFERENCES = {"previous_response_id", "conversation"}


def missing(sort: str, name: str) -> tuple[int, Json]:
    """Return the answer for state that is not there; the official clients read its code."""
    status, what, param, code = MISSING[sort]
    message = f"{what} with id '{name}' not found."
    return status, {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


MISSING = {
    "response": (400, "Previous response", "previous_response_id", "previous_response_not_found"),
    "conversation": (404, "Conversation", "conversation", None),
    "item": (404, "Item", "input", None),
}
MEMORY = References(
    previous=lambda request: _text(request.get("previous_response_id")),
    conversation=conversation,
    keeps=lambda request: request.get("store") is not False,
    items=items,
    output=lambda response: _list(response.get("output")),
    reference=reference,
    whole=whole,
    missing=missing,
)
