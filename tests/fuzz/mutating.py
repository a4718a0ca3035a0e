"""Sound payloads made unsound: values from elsewhere, from other payloads or from nowhere; events out of order."""

from __future__ import annotations

import base64
import gzip
import json
import marshal
import math
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from attrs import frozen

from proxai_ir.api import Kind
from proxai_ir.testing.pointers import Path as Place
from proxai_ir.testing.pointers import at, nested, places

from ..samples import PROTOCOLS, SAMPLES

KINDS = ("request", "response", "error", "stream")
SMALL = 400  # places of a payload, at most: what is large is only more of the same


@frozen
class Source:
    """A sound payload, and what it is."""

    protocol: str
    kind: Kind
    payload: Any


def envelope(inner: bytes) -> str:
    """An envelope of a seal with any content, as anybody can make it."""
    body = base64.urlsafe_b64encode(inner)
    return f"proxai_ir.seal.1.{body.decode()}.{zlib.crc32(body):08x}"


NASTY: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2**53,
    2**70,
    10**5000,
    1.0,
    1.5,
    1e308,
    math.nan,
    math.inf,
    "",
    " ",
    "\n\n",
    "x",
    "x" * 5000,
    "\ud800",
    "\u2028\u0000👋🏽",
    "null",
    "{}",
    "[]",
    "{",
    '{"a":' * 1100,
    "[" * 900 + "]" * 900,
    '{"input":"x"}',
    "data:image/png;base64,aGk=",
    "https://example.com/x.png",
    envelope(b'["anthropic","signature",null,"c2lnbmVk"]'),
    envelope(b'["openai","encrypted","rs_1","c2VhbGVk"]'),
    envelope(b'["anthropic","closed",null,"c2lnbmVk"]'),
    envelope(b"[" * 1500),
    "proxai_ir.seal.2.k1.W10=.AAAA",
    [],
    {},
    [None],
    [{}],
    [[]],
    [[{}]],
    {"type": "x"},
    {"type": []},
    {"type": "text", "text": "x"},
    {"": ""},
    nested(200),
    [nested(3, [])] * 3,
)
"""Values that stand nowhere, or in few places."""

DEPTHS = (400, 980, 1500, 3000)


def copied(value: Any) -> Any:
    """A copy in which nothing is shared; of deep values too."""
    return marshal.loads(marshal.dumps(value, 2))


def recorded(folder: Path) -> Iterator[Source]:
    """Recordings: compressed lines of JSON with the members `protocol`, `kind` and `payload`."""
    for file in sorted(folder.rglob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                if record["protocol"] in PROTOCOLS and record["kind"] in KINDS:
                    yield Source(record["protocol"], record["kind"], record["payload"])


def sources(folder: Path | None) -> list[Source]:
    """The samples by hand, and the recordings of a folder if there is one; small ones only."""
    by_hand = [Source(sample.protocol, sample.kind, sample.make()) for sample in SAMPLES]
    found = by_hand * 5 if folder is not None and folder.is_dir() else by_hand  # of each kind a fair share
    if folder is not None and folder.is_dir():
        found += recorded(folder)
    return [source for source in found if sum(1 for _ in places(source.payload)) <= SMALL]


class Mutator:
    """Mutates payloads with values that other payloads have under the same key."""

    def __init__(self, given: Iterable[Source]) -> None:
        self._sources: dict[bool, list[Source]] = {True: [], False: []}
        pool: dict[Any, dict[str, Any]] = {}
        for source in given:
            self._sources[source.kind == "stream"].append(source)
            for place in places(source.payload):
                if place and isinstance(place[-1], str):
                    value = at(source.payload, place)
                    pool.setdefault(place[-1], {}).setdefault(repr(value)[:200], value)
        self._pool: Mapping[str, list[Any]] = {key: [*values.values()] for key, values in pool.items()}
        self._keys = sorted(self._pool)
        self._events = {
            protocol: [event for one in self._sources[True] if one.protocol == protocol for event in one.payload]
            for protocol in PROTOCOLS
        }

    def payload(self, rng: Random) -> Source:
        """A request, a response or an error body, in rare cases called what it is not."""
        source = rng.choice(self._sources[False])
        payload = copied(source.payload)
        for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5, 8))):
            payload = self._mutated(payload, rng)
        if rng.random() < 0.03:
            payload = self._deepened(payload, rng)
        kind = rng.choice(KINDS[:3]) if rng.random() < 0.02 else source.kind
        return Source(rng.choice(PROTOCOLS) if rng.random() < 0.02 else source.protocol, kind, payload)  # type: ignore[arg-type]

    def stream(self, rng: Random) -> Source:
        source = rng.choice(self._sources[True])
        events = copied(source.payload)
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            self._reorder(events, source.protocol, rng)
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            if events:
                position = rng.randrange(len(events))
                events[position] = self._mutated(events[position], rng)
        if events and rng.random() < 0.03:
            events[-1] = self._deepened(events[-1], rng)
        return Source(source.protocol, "stream", events)

    def changed(self, payload: Any, protocol: str, rng: Random, *, stream: bool = False) -> Any:
        """Another payload with a few changes, for a fuzzer that keeps those that lead somewhere new."""
        made = copied(payload)
        for _ in range(rng.choice((1, 1, 2, 3))):
            if stream and isinstance(made, list) and rng.random() < 0.5:
                self._reorder(made, protocol, rng)
            else:
                made = self._mutated(made, rng)
        return made

    def value(self, key: Any, rng: Random) -> Any:
        """What some payload has under this key, or what stands nowhere."""
        return self._value(key, rng)

    # --- one change ---------------------------------------------------------------------------------------------------

    def _mutated(self, payload: Any, rng: Random) -> Any:
        places_in = [*places(payload)]
        place: Place = rng.choice(places_in)
        if not place:
            return copied(rng.choice(NASTY)) if rng.random() < 0.05 else payload
        holder, key = at(payload, place[:-1]), place[-1]
        change = rng.random()
        if change < 0.40:
            holder[key] = self._value(key, rng)
        elif change < 0.55:
            del holder[key]
        elif change < 0.70:
            self._add(holder, rng)
        elif change < 0.80:
            other = rng.choice(places_in)
            holder[key] = copied(at(payload, other))
        elif change < 0.88:
            value = holder[key]
            holder[key] = rng.choice(([value], {"type": value}, {str(key): value}, {"text": value, "type": "text"}))
        elif isinstance(holder, list):
            rng.choice((rng.shuffle, list.reverse, lambda one: one.extend(copied(one))))(holder)
        else:
            other_key = rng.choice([*holder])
            holder[key], holder[other_key] = holder[other_key], holder[key]
        return payload

    def _deepened(self, payload: Any, rng: Random) -> Any:
        """With something very deep somewhere: the last of all changes, since it cannot be walked any more."""
        key = rng.choice(("a", "content", "type", "input", "properties"))
        deep = nested(rng.choice(DEPTHS), rng.choice((1, [], "x")), key)
        place: Place = rng.choice([*places(payload)])
        if not place:
            return deep
        at(payload, place[:-1])[place[-1]] = deep
        return payload

    def _value(self, key: Any, rng: Random) -> Any:
        known = self._pool.get(key)
        chosen = rng.random()
        if known and chosen < 0.5:
            return copied(rng.choice(known))
        if chosen < 0.85:
            return copied(rng.choice(NASTY))
        return copied(rng.choice(self._pool[rng.choice(self._keys)]))

    def _add(self, holder: Any, rng: Random) -> None:
        key = rng.choice(self._keys) if rng.random() < 0.9 else rng.choice(("", "a/b~c", "\ud800", "zz" * 300))
        if isinstance(holder, dict):
            holder[key] = self._value(key, rng)
        else:
            holder.insert(rng.randrange(len(holder) + 1), self._value(key, rng))

    def _reorder(self, events: list[Any], protocol: str, rng: Random) -> None:
        if not events:
            return
        one, two = rng.randrange(len(events)), rng.randrange(len(events))
        change = rng.randrange(7)
        if change == 0:
            del events[one]
        elif change == 1:
            events.insert(two, copied(events[one]))
        elif change == 2:
            events[one], events[two] = events[two], events[one]
        elif change == 3:
            del events[max(one, 1) :]
        elif change == 4:
            events.insert(one, copied(rng.choice(self._events[protocol])))
        elif change == 5:
            events[one:one] = copied(rng.choice(self._sources[True]).payload[:3])
        else:
            events.append(copied(events[one]))
