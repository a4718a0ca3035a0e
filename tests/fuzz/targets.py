"""What the guided fuzzer runs: for each target a law on one case, how a case is changed, and the cases to begin with.

A case is one line of JSON, so that its changes keep the structure: a payload with its protocol, three values to merge,
an object and its declaration, bytes of a stream and where they are cut. Bytes that are no case are passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from random import Random
from typing import Any

import attrs
import orjson
from attrs import frozen

import proxai_ir
from proxai_ir import StreamError, TranslationError
from proxai_ir.framing import AWS_EVENT_STREAM, JSON_ARRAY, NDJSON, SSE, Framing, decoded
from proxai_ir.json.merge import equal, merged
from proxai_ir.protocol.registry import backend
from proxai_ir.testing.payloads import assert_reported
from proxai_ir.testing.pointers import at, places
from proxai_ir.testing.streams import converts_or_is_refused, is_legal

from ..properties.test_wire_objects import DECLARED, interpreted, outcome, reader, sources
from ..samples import PROTOCOLS, READINGS, SAMPLES
from .checking import OF_STREAMS, OPTIONS, converted, readable
from .mutating import Mutator, Source
from .mutating import sources as sound

Case = Any
MOST_BYTES = 20_000
"""Of a case: what is larger is only more of the same, and slower."""


@frozen
class Target:
    """One thing to run on many cases.

    law     raises what is wrong: anything but a refusal of the library's own
    change  a case made another; the generator of random numbers is all that decides
    seeds   the cases to begin with, sound ones
    """

    law: Callable[[Case], None]
    change: Callable[[Case, Random], Case]
    seeds: Callable[[], Iterable[Case]]

    def run(self, data: bytes) -> None:
        try:
            case = json.loads(data)  # not orjson, which refuses numbers and characters that a caller may have
        except (ValueError, RecursionError):
            return
        try:
            self.law(case)
        except AlienError:
            return

    def mutated(self, data: bytes, most: int, seed: int) -> bytes:
        rng = Random(seed)
        try:
            case = self.change(json.loads(data), rng)
        except (ValueError, RecursionError, AlienError):
            case = rng.choice(_seeds(self))
        try:
            made = dumped(case)
        except (ValueError, RecursionError):  # a number of thousands of digits, something very deep
            return data[:most]
        return made if len(made) <= min(most, MOST_BYTES) else data[:most]


class AlienError(Exception):
    """The JSON is no case of the target."""


def dumped(case: Case) -> bytes:
    return json.dumps(case).encode()


@cache
def _seeds(target: Target) -> list[Case]:
    return [*target.seeds()]


@cache
def _mutator() -> Mutator:
    return Mutator(sound(None))


def member(case: Case, name: str, kind: type) -> Any:
    if not isinstance(case, dict) or name not in case or not isinstance(case[name], kind):
        raise AlienError(name)
    return case[name]


# --- payloads and streams ---------------------------------------------------------------------------------------------


def of(source: Source, options: int = 0) -> Case:
    return {"protocol": source.protocol, "kind": source.kind, "options": options, "payload": source.payload}


def samples_of(*kinds: str) -> Iterator[Case]:
    return (of(Source(one.protocol, one.kind, one.make())) for one in SAMPLES if one.kind in kinds)


def source_of(case: Case) -> Source:
    protocol, kind = member(case, "protocol", str), member(case, "kind", str)
    if protocol not in PROTOCOLS or kind not in ("request", "response", "error", "stream"):
        raise AlienError(protocol)
    return Source(protocol, kind, member(case, "payload", object))


def of_options(case: Case, options: tuple[Any, ...]) -> Any:
    return options[member(case, "options", int) % len(options)]


def read(case: Case) -> None:
    """A reader gives a tree, which its own protocol's writer takes, or a refusal with a rule."""
    source = source_of(case)
    if isinstance(source.payload, str):
        return
    try:
        proxai_ir.raise_to(proxai_ir.lower(source.payload, source.protocol, kind=source.kind), source.protocol)
    except TranslationError as error:
        assert error.rule


def convert(case: Case) -> None:
    """It converts to all protocols or is refused, at places that exist; without a finding nothing is read otherwise."""
    source, options = source_of(case), of_options(case, OPTIONS)
    if isinstance(source.payload, str) or source.kind == "stream":
        return
    before = plain(source.payload)
    for dst in PROTOCOLS:
        done = converted(source, dst, options)
        if before is not None:
            assert_reported(done.diagnostics, source.payload)
    if before is not None:
        assert plain(source.payload) == before, "the payload was changed"


def plain(value: Any) -> bytes | None:
    """A payload as JSON; None where it is none, or too deep."""
    try:
        return orjson.dumps(value)
    except (TypeError, ValueError):
        return None


def stream(case: Case) -> None:
    """A stream ends legally or fails at an event that exists, and a client can read what was written."""
    source, options = source_of(case), of_options(case, OF_STREAMS)
    if not isinstance(source.payload, list):
        return
    for dst in PROTOCOLS:
        if dst != source.protocol:
            done = converts_or_is_refused(source.payload, source.protocol, dst, READINGS, **options)
            if done.error is None and readable(done.out):
                is_legal(done.out, dst)


def another_payload(case: Case, rng: Random) -> Case:
    source = source_of(case)
    payload = _mutator().changed(source.payload, source.protocol, rng, stream=source.kind == "stream")
    options = rng.randrange(20) if rng.random() < 0.1 else member(case, "options", int)
    return of(Source(source.protocol, source.kind, payload), options)


# --- framings ---------------------------------------------------------------------------------------------------------

FRAMINGS: dict[str, Framing] = {"sse": SSE, "ndjson": NDJSON, "array": JSON_ARRAY, "aws": AWS_EVENT_STREAM}


NO_EVENT = re.compile(rb"[ \t\r]*(?:data:)?[ \t\r]*|:.*", re.DOTALL)
END_MARK = re.compile(rb"[ \t\r]*(?:data:)?[ \t\r]*\[DONE\][ \t\r]*")
"""Lines of NDJSON that are blank or comments, and the mark at the end: servers append those of server-sent events."""


def framing(case: Case) -> None:
    """The same events and the same end, however the bytes are cut; as separate readers of plain framings have them."""
    name, data = member(case, "framing", str), member(case, "bytes", str).encode("latin-1", "replace")
    if name not in FRAMINGS:
        raise AlienError(name)
    whole = read_bytes(FRAMINGS[name], [data])
    rng, start, cut = Random(member(case, "cuts", int)), 0, []
    while start < len(data):
        size = rng.choice((1, 1, 2, 3, 7, 40, 400))
        cut.append(data[start : start + size])
        start += size
    assert read_bytes(FRAMINGS[name], cut) == whole, "events depend on where the bytes are cut"
    if name == "ndjson" and whole[1] is None:
        lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        read = [line for line in lines if not NO_EVENT.fullmatch(line)]
        assert whole[0] == [repr("[DONE]" if END_MARK.fullmatch(line) else orjson.loads(line)) for line in read]


def read_bytes(one: Framing, chunks: list[bytes]) -> tuple[list[str], str | None]:
    found: list[str] = []
    try:
        found.extend(repr(event) for event in decoded(one.decoder(), chunks))
    except StreamError as error:
        assert error.rule
        return found, error.rule
    return found, None


def framed() -> Iterator[Case]:
    for number, one in enumerate(SAMPLES):
        if one.kind == "stream":
            for name, form in FRAMINGS.items():
                begin, between, end = form.around
                events = [{"event": event} for event in one.make()] if form.binary else one.make()
                data = begin + between.join(form.encode(event, one.protocol) for event in events) + end
                yield {"framing": name, "cuts": number, "bytes": data.decode("latin-1")}


BYTES = ("\n", "\r\n", "\r", "data:", "event: x\n", ":", "\xef\xbb\xbf", *'{}[],"\\ \x00\xff')
"""What means something in a framing."""


def other_bytes(case: Case, rng: Random) -> Case:
    text, cuts = member(case, "bytes", str), member(case, "cuts", int)
    for _ in range(rng.choice((1, 1, 2, 4))):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice((0, 0, 1, 1, 4, 30)))
        new = rng.choice((rng.choice(BYTES), chr(rng.randrange(256)), text[end : end + rng.choice((1, 4, 50))], ""))
        text = text[:start] + new + text[end:]
    cuts = rng.randrange(1000) if rng.random() < 0.3 else cuts
    return {"framing": member(case, "framing", str), "cuts": cuts, "bytes": text}


# --- the merge, and objects that are declared once --------------------------------------------------------------------


def merge(case: Case) -> None:
    """No edit changes nothing; one of the source itself is the result; nothing is changed in place."""
    source, was, now = (member(case, name, object) for name in ("source", "was", "now"))
    before = json.dumps([source, was, now])
    assert equal(merged(source, was, was), source)
    assert equal(merged(was, was, now), now)
    merged(source, was, now)
    assert json.dumps([source, was, now]) == before, "a value was changed"


def edits() -> Iterator[Case]:
    for one in SAMPLES:
        if one.kind in ("request", "response"):
            yield {"source": one.make(), "was": one.make(), "now": one.make()}


def another_edit(case: Case, rng: Random) -> Case:
    made = {name: member(case, name, object) for name in ("source", "was", "now")}
    name = rng.choice([*made])
    made[name] = _mutator().changed(made[name], PROTOCOLS[0], rng)
    if rng.random() < 0.1:
        made["was"] = made["source"]
    return made


def comparable(found: Any) -> Any:
    """The same with words for numbers, as NaN is not itself."""
    if attrs.has(type(found)):
        return type(found).__name__, {one.name: comparable(getattr(found, one.name)) for one in compared(type(found))}
    if isinstance(found, dict):
        return {name: comparable(value) for name, value in found.items()}
    if isinstance(found, (list, tuple)):
        return [comparable(value) for value in found]
    return repr(found) if isinstance(found, float) else found


def compared(cls: type) -> list[attrs.Attribute[Any]]:
    return [one for one in attrs.fields(cls) if one.eq]


def declared_object(case: Case) -> None:
    """The generated reader of an object and the interpreter of its declaration give the same node, or refuse alike."""
    name, holder = member(case, "object", str), member(case, "holder", dict)
    if name not in DECLARED or ENVELOPES in json.dumps(holder):  # which the interpreter does not open
        raise AlienError(name)
    got = outcome(_reader(name).read, holder)
    expected = outcome(lambda given: interpreted(DECLARED[name], given), holder)
    assert comparable(got) == comparable(expected), f"{got!r}, not {expected!r}"[:2000]
    if attrs.has(type(got)):
        assert sources(got) == sources(expected)


ENVELOPES = "proxai_ir.seal."


@cache
def _reader(name: str) -> Any:
    return reader(DECLARED[name])


def holders() -> Iterator[Case]:
    """Each declaration on the objects of the samples that have most of its members."""
    objects = [
        value
        for payload in (one.make() for one in SAMPLES)
        for place in places(payload)
        if isinstance(value := at(payload, place), dict) and len(value) < 20
    ]
    for name, one in DECLARED.items():
        best = sorted(objects, key=lambda value: -len(one.members.keys() & value.keys()))[:3]
        yield from ({"object": name, "holder": value} for value in [*best, {}])


def another_object(case: Case, rng: Random) -> Case:
    name, holder = member(case, "object", str), member(case, "holder", dict)
    if name in DECLARED and rng.random() < 0.3:
        key = rng.choice([*DECLARED[name].members, "unknown"])
        holder = {**holder, key: _mutator().value(key, rng)}
    else:
        changed = _mutator().changed(holder, PROTOCOLS[0], rng)
        holder = changed if isinstance(changed, dict) else holder
    return {"object": name, "holder": holder}


KINDS = ("request", "response", "error", "stream")
TARGETS = {
    "read": Target(read, another_payload, lambda: samples_of(*KINDS)),
    "convert": Target(convert, another_payload, lambda: samples_of(*KINDS[:3])),
    "stream": Target(stream, another_payload, lambda: samples_of("stream")),
    "framing": Target(framing, other_bytes, framed),
    "merge": Target(merge, another_edit, edits),
    "object": Target(declared_object, another_object, holders),
}
backend(PROTOCOLS[0])  # tables are read once, before what is counted
