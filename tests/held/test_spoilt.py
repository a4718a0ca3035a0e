"""Recordings spoilt at random, by values that stand elsewhere in recordings or nowhere: every end is a clear one.

What generated payloads do not dream up is in the recordings: two members that only together are wrong, an item of a
request in a response. The order is fixed, so a failure names itself again.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

import proxai_ir
from proxai_ir import TranslationError
from proxai_ir.api import Kind
from proxai_ir.testing.pointers import at, places

from ..samples import PROTOCOLS
from .shared import RECORDED, Tools

KINDS = ("request", "response", "stream")
WRONG: tuple[Any, ...] = (None, "", 0, -1, 1.5, True, [], {}, "x", "{}", [None], [{}], {"type": "text"}, 2**70)
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {"strict": True},
    {"emulate": ("custom_tools",)},
    {"seals": proxai_ir.Seals()},
)
SMALL = 1_000  # places of a payload, at most: what is large is only more of the same
SOME = 30  # recordings whose values are put into others


class Spoiler:
    """Takes values from some of the recordings and puts them into others of one protocol and kind."""

    def __init__(self, tools: Tools, protocol: str, kind: Kind, seed: int) -> None:
        self.rng = random.Random(seed)
        self.payloads = [record.payload for record in tools.records(protocol, kind)]
        self.payloads = [payload for payload in self.payloads if len(list(places(payload))) <= SMALL]
        self.values: dict[str | int, list[Any]] = {}
        for payload in self.rng.sample(self.payloads, min(SOME, len(self.payloads))):
            for place in places(payload):
                if place:
                    self.values.setdefault(place[-1], []).append(at(payload, place))

    def spoilt(self) -> Any:
        payload = deepcopy(self.rng.choice(self.payloads))
        for _ in range(self.rng.randint(1, 3)):
            acts: list[Callable[[Any], None]] = [self._replace, self._replace, self._remove, self._add]
            self.rng.choice([self._reorder, *acts] if isinstance(payload, list) else acts)(payload)
        return payload

    def _somewhere(self, payload: Any) -> tuple[Any, Any]:
        """A holder, and the name or position of something in it."""
        place = self.rng.choice([place for place in places(payload) if place] or [()])
        return (at(payload, place[:-1]), place[-1]) if place else ({"": None}, "")

    def _value(self, key: Any) -> Any:
        known = self.values.get(key, WRONG)
        return deepcopy(self.rng.choice(known if self.rng.random() < 0.6 else WRONG))

    def _replace(self, payload: Any) -> None:
        holder, key = self._somewhere(payload)
        holder[key] = self._value(key)

    def _remove(self, payload: Any) -> None:
        holder, key = self._somewhere(payload)
        del holder[key]

    def _add(self, payload: Any) -> None:
        holder, _ = self._somewhere(payload)
        key = self.rng.choice(list(self.values))
        if isinstance(holder, dict):
            holder[str(key)] = self._value(key)
        else:
            holder.insert(self.rng.randrange(len(holder) + 1), self._value(key))

    def _reorder(self, events: list[Any]) -> None:
        """Tell an event of a stream again, or another one in its place."""
        if events:
            events.insert(self.rng.randrange(len(events)), deepcopy(self.rng.choice(events)))
            events.pop(self.rng.randrange(len(events)))


def ends_clearly(payload: Any, src: str, kind: Kind, options: dict[str, Any]) -> None:
    """Converted to every protocol, and through the IR to its own; no exception but TranslationError is caught."""
    for dst in PROTOCOLS:
        try:
            done = proxai_ir.compile(payload, src, dst, kind=kind, **options)
            assert all(one.code for one in done.diagnostics)
        except TranslationError as error:
            assert error.rule
            assert error.diagnostics
    try:
        proxai_ir.raise_to(proxai_ir.lower(payload, src, kind=kind), src)
    except TranslationError as error:
        assert error.rule


def sweep(tools: Tools, protocol: str, kind: Kind, seed: int, many: int) -> None:
    spoiler = Spoiler(tools, protocol, kind, seed)
    for _ in range(many):
        ends_clearly(spoiler.spoilt(), protocol, kind, spoiler.rng.choice(OPTIONS))


@pytest.mark.parametrize("protocol", RECORDED)
@pytest.mark.parametrize("kind", KINDS)
def test_a_spoilt_recording_ends_clearly(tools: Tools, protocol: str, kind: Kind) -> None:
    sweep(tools, protocol, kind, 1, 150)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", RECORDED)
@pytest.mark.parametrize("kind", KINDS)
def test_very_many_of_them(tools: Tools, protocol: str, kind: Kind) -> None:
    sweep(tools, protocol, kind, 2, 5_000)
