"""Items and parts of types that are not known, in a stream: all that comes in them belongs to them (STR-27)."""

from __future__ import annotations

from typing import Any

from proxai_ir.wire import openai_responses as wire

from .._lib.reading import Object
from .parts import OUTPUT

ITEM_ADDED = "response.output_item.added"
PARTS_ADDED = ("response.content_part.added", "response.reasoning_summary_part.added")
KNOWN_PARTS = frozenset({None, *wire.FAMILY_OF_PART})
WHOLE = frozenset({ITEM_ADDED, "response.output_item.done"})
"""What has all of an item, and is read as any other."""


ADDRESS = frozenset("type sequence_number item_id output_index content_index summary_index".split())
"""Members of an event that say what it belongs to."""


class Unknown:
    """The places of such items and parts in one stream: the index of the output, with those of the part."""

    def __init__(self) -> None:
        self._items: set[Any] = set()
        self._parts: set[tuple[Any, ...]] = set()

    def holds(self, kind: str, event: Object) -> bool:
        """Whether an event of this type belongs to one of them; called with each event, so that new ones are noted."""
        if kind == ITEM_ADDED:
            if _kind(event.get("item")) not in OUTPUT:
                self._items.add(_place(event)[0])
        elif kind in PARTS_ADDED and _kind(event.get("part")) not in KNOWN_PARTS:
            self._parts.add(_place(event))
        if not self._items and not self._parts:
            return False
        place = _place(event)
        return kind not in WHOLE and place[0] is not None and (place[0] in self._items or place in self._parts)


def _kind(holder: Any) -> Any:
    """The type of an item or part; None, which is one, of what has no text as its type."""
    kind = holder.get("type") if isinstance(holder, dict) else None
    return kind if isinstance(kind, str) else None


def _place(event: Object) -> tuple[Any, ...]:
    found = (event.get(key) for key in ("output_index", "content_index", "summary_index"))
    return tuple(one if isinstance(one, int) else None for one in found)
