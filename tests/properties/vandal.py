"""The vandal: takes a sound payload and puts a value of the wrong type, or nothing at all, at a random place or two."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from .pointing import places, removed, replaced
from .words import Strategy

WRONG: Strategy = st.sampled_from(
    [None, True, 0, -1, 1.5, "x", "", "\ud800", [], {}, [[]], [{}], {"type": "text"}, {"type": []}, float("nan"), 2**70]
)


@st.composite
def vandalised(draw: st.DrawFn, payloads: Strategy) -> Any:
    payload = draw(payloads)
    for _ in range(draw(st.integers(1, 2))):
        places_ = [place for place in places(payload) if place]
        if not places_:
            break
        place = places_[draw(st.integers(0, len(places_) - 1))]
        payload = removed(payload, place) if draw(st.booleans()) else replaced(payload, place, draw(WRONG))
    return payload
