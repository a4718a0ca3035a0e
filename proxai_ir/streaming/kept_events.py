"""The events of a stream that later findings may point at.

Rule 1: an event is looked at once, when it is kept: findings cost the same however many events there are, and callers
may clear an event afterwards. Rule 2: a finding whose place is in no event that is known is about the event at hand.
"""

from __future__ import annotations

from typing import Any

from ..json.pointer import Place, PointerIndex, resolved

Json = Any
HERE: list[Json] = []  # stands nowhere in an event, so that a finding about it points at the event at hand


class KeptEvents:
    """
    _position     of the event at hand, -1 before the first
    _provisional  the last event that only has provisional usage
    """

    def __init__(self) -> None:
        self._kept = PointerIndex({}, tree=False)
        self._provisional: PointerIndex | None = None
        self._at_hand: PointerIndex | None = None
        self._position = -1

    def keep(self, position: int, event: Json) -> None:
        self._kept.add(position, event)

    def keep_provisional(self, position: int, event: Json) -> None:
        """In place of the one that was kept before."""
        self._provisional = PointerIndex({}, tree=False)
        self._provisional.add(position, event)

    def at(self, position: int, event: Json) -> KeptEvents:
        """The same while an event is at hand; None: none is, at the end of the stream."""
        self._position = position
        self._at_hand = None if event is None else PointerIndex({position: event}, tree=False)
        return self

    def pointers(self, place: Place) -> list[str]:
        if place is None:
            return [""]
        place = resolved(place)
        for known in (self._at_hand, self._provisional, self._kept):
            if known is not None and place[0] in known:
                return known.pointers(place)
        return [f"/{self._position}" if self._position >= 0 else ""]
