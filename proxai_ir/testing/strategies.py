"""Strategies for Hypothesis: payloads made from samples, with odd values.

Rule: no other module of `testing` needs Hypothesis, so that a project's own snapshots do not need it either.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from .pointers import places, removed, replaced

Strategy = st.SearchStrategy[Any]

ODD: Strategy = st.sampled_from(
    [None, True, 0, -1, 1.5, "x", "", "\ud800", [], {}, [[]], [{}], {"type": "text"}, {"type": []}, math.nan, 2**70]
)


@st.composite
def mutated(draw: st.DrawFn, payloads: Strategy) -> Any:
    """Draw payloads with an odd value, or none, at one or two random places."""
    payload = draw(payloads)
    for _ in range(draw(st.integers(1, 2))):
        paths = [path for path in places(payload) if path]
        if not paths:
            break
        path = paths[draw(st.integers(0, len(paths) - 1))]
        payload = removed(payload, path) if draw(st.booleans()) else replaced(payload, path, draw(ODD))
    return payload


def varied(samples: Sequence[Any]) -> Strategy:
    """Draw payloads like the samples: one of them, one with members of another, or either with odd values."""
    sound = st.one_of(drawn(samples), recombined(samples))
    return st.one_of(sound, mutated(sound))


def drawn(samples: Sequence[Any]) -> Strategy:
    """Draw copies of the samples."""
    return st.sampled_from(range(len(samples))).map(lambda index: deepcopy(samples[index]))


@st.composite
def recombined(draw: st.DrawFn, samples: Sequence[Any]) -> Any:
    """Draw samples with some members, or some events, of another sample, which may be unsound."""
    one, two = draw(drawn(samples)), draw(drawn(samples))
    if isinstance(one, dict) and isinstance(two, dict):
        taken = draw(st.sets(st.sampled_from(sorted(two)))) if two else set()
        return {**one, **{key: two[key] for key in taken}}
    if isinstance(one, list) and isinstance(two, list):
        return one[: draw(st.integers(0, len(one)))] + two[draw(st.integers(0, len(two))) :]
    return one
