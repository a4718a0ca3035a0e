"""State that servers of Anthropic Messages keep and requests refer to: threads (the `anthropic` package, `types/beta`).

A request with `thread` has its response kept; a later one continues it by that response's id, and sends only the
messages that are new.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proxai_ir.protocol.http import References

Json = dict[str, Any]


def previous(request: Json) -> str | None:
    thread = request.get("thread")
    found = thread.get("previous_message_id") if isinstance(thread, dict) else None
    return found if isinstance(found, str) else None


def keeps(request: Json) -> bool:
    return isinstance(request.get("thread"), dict)


def items(request: Json) -> list[Any]:
    found = request.get("messages")
    return found if isinstance(found, list) else []


def output(response: Json) -> list[Any]:
    return [{"role": "assistant", "content": response.get("content")}]


def whole(request: Json, items: Sequence[Any]) -> Json:
    return {**{name: one for name, one in request.items() if name != "thread"}, "messages": list(items)}


def missing(_sort: str, name: str) -> tuple[int, Json]:
    """Return the answer on which the official client sends the whole conversation again."""
    error = {
        "type": "not_found_error",
        "message": f"No thread that continues from message '{name}' is kept here.",
        "details": {"error_code": "thread_not_found"},
    }
    return 404, {"type": "error", "error": error}


def none(_: Any) -> None:
    """Return None: conversations and single messages have no ids here."""


MEMORY = References(
    previous=previous,
    conversation=none,
    keeps=keeps,
    items=items,
    output=output,
    reference=none,
    whole=whole,
    missing=missing,
)
