"""What must hold of any payload and of any stream, however unsound."""

from __future__ import annotations

import json
import marshal
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from random import Random
from typing import Any

import orjson

import proxai_ir
from proxai_ir import Conversion, Diagnostic, Profile, StreamConverter, TranslationError
from proxai_ir.ir import json_form as ir_json
from proxai_ir.testing.payloads import assert_reported
from proxai_ir.testing.streams import Fed, converts_or_is_refused, is_legal

from ..properties.servers import Server, drawn
from ..samples import PROTOCOLS, READINGS
from . import ways
from .mutating import Source

KEYS = {"k1": b"sixteen bytes or more"}
OPTIONS: tuple[Mapping[str, Any], ...] = (
    {},
    {},
    {},
    {"strict": True},
    {"emulate": ("custom_tools",)},
    {"emulate": "auto"},
    {"seals": proxai_ir.Seals()},
    {"seals": proxai_ir.Seals(KEYS, audience="a", expires=9, now=1)},
    {"state": {"custom_tools": ["f", "weather", "get_weather", "sky"]}},
    {"model": "m", "response_id": "r", "status": 429},
)
OF_STREAMS: tuple[Mapping[str, Any], ...] = (*OPTIONS, {"buffer_limit": 40})
OF_SERVERS = 0.3
"""How many of the conversions are to a server with settings at random, and with options at random."""
OF_WAYS = 0.1
"""How many of the payloads and streams are converted in all ways."""
Servers = Mapping[str, Server]
"""A server of each protocol, by the protocol's name."""
Outcome = Conversion | TranslationError | Fed | Any
"""What came of one call: a conversion, a refusal, a stream's events, or plain JSON."""


@lru_cache(2)
def servers_of(seed: str) -> Servers:
    """Return servers with settings at random, the same for the same seed."""
    return {protocol: drawn(Random(f"{seed} {protocol}"), protocol) for protocol in PROTOCOLS}


def payload(source: Source, rng: Random, servers: Servers) -> list[Outcome]:
    """It converts or is refused, at places that exist; it is not changed; the IR takes it too."""
    outcomes: list[Outcome] = []
    if isinstance(source.payload, str):  # a caller's text, not a payload: a TypeError that says so
        return outcomes
    before, options = frozen(source.payload), rng.choice(OPTIONS)
    for protocol in PROTOCOLS:
        dst: str | Profile = protocol
        if rng.random() < OF_SERVERS:
            server = servers[protocol]
            dst, options = server.profile, server.given(source.protocol, source.kind)
        done = converted(source, dst, options)
        outcomes.append(done)
        if before is not None:  # else it is no JSON, or too deep to look places up in
            assert_reported(done.diagnostics, source.payload)
        if rng.random() < 0.05:
            found = proxai_ir.check(source.payload, source.protocol, dst, kind=source.kind, **options)
            assert found == done.diagnostics or too_deep(found, done.diagnostics), "check and compile differ"
    try:
        node = proxai_ir.lower(source.payload, source.protocol, kind=source.kind)
        outcomes.append(proxai_ir.raise_to(node, source.protocol))
        if rng.random() < 0.05:
            kept_in_json(node)
    except TranslationError as error:
        assert error.rule
    if rng.random() < 0.05:
        in_bytes(source, options)
    if rng.random() < OF_WAYS:
        ways.agree(source, rng, servers)
    assert frozen(source.payload) == before, "the payload was changed"
    return outcomes


def too_deep(*findings: Sequence[Diagnostic]) -> bool:
    """Whether one of two calls had too little of the call stack left, of which they do not need the same."""
    return any("left of the call stack" in str(one) for found in findings for one in found)


def converted(source: Source, dst: str | Profile, options: Mapping[str, Any]) -> Conversion | TranslationError:
    try:
        return proxai_ir.compile(source.payload, source.protocol, dst, kind=source.kind, **options)
    except TranslationError as error:
        return error


def kept_in_json(node: Any) -> None:
    try:
        data = ir_json.dumps(node)
    except TypeError:  # what JSON cannot hold
        return
    try:
        back = ir_json.loads(data)
    except orjson.JSONDecodeError:  # deeper than orjson reads
        return
    assert ir_json.dumps(back) == data, "the IR's JSON form does not hold all of it"


def in_bytes(source: Source, options: Mapping[str, Any]) -> None:
    """Bytes give what parsed JSON gives."""
    try:
        data = orjson.dumps(source.payload)
        parsed = orjson.loads(data)
    except (TypeError, ValueError):
        return
    if isinstance(parsed, str):
        return
    for dst in PROTOCOLS:
        of_bytes = converted(Source(source.protocol, source.kind, data), dst, options)
        of_parsed = converted(Source(source.protocol, source.kind, parsed), dst, options)
        if isinstance(of_parsed, TranslationError):
            assert type(of_bytes) is type(of_parsed), "bytes are taken, parsed JSON is refused"
            assert of_bytes.diagnostics == of_parsed.diagnostics, "bytes and parsed JSON are refused differently"
        elif isinstance(of_bytes, Conversion):
            assert of_bytes.diagnostics == of_parsed.diagnostics, "bytes and parsed JSON are reported differently"
        else:
            assert of_bytes.rule == "SHP-7", "parsed JSON is taken, bytes are refused"


def stream(source: Source, rng: Random, servers: Servers) -> list[Outcome]:
    """It ends legally or fails, at events that exist, with the target's own error event; no event is changed."""
    outcomes: list[Outcome] = []
    before, options = frozen(source.payload), rng.choice(OF_STREAMS)
    events = source.payload if isinstance(source.payload, list) else [source.payload]
    for dst in PROTOCOLS:
        if before is None or dst == source.protocol:  # too deep to look at, or not written by the library
            outcomes.append(fed_until_it_fails(events, source.protocol, dst, options))
            continue
        done = converts_or_is_refused(events, source.protocol, dst, READINGS, **options)
        outcomes.append(done)
        if done.error is None and readable(done.out):
            is_legal(done.out, dst)
        if rng.random() < OF_SERVERS:
            server = servers[dst]
            given = server.given(source.protocol, "stream")
            outcomes.append(fed_until_it_fails(events, source.protocol, server.profile, given))
    if before is not None and rng.random() < OF_WAYS:
        ways.agree(source, rng, servers)
    try:
        proxai_ir.raise_to(proxai_ir.lower(events, source.protocol, kind="stream"), source.protocol)
    except TranslationError as error:
        assert error.rule
    assert frozen(source.payload) == before, "an event was changed"
    return outcomes


def fed_until_it_fails(events: list[Any], src: str, dst: str | Profile, options: Mapping[str, Any]) -> Fed:
    done = Fed(StreamConverter(src, dst, **options))
    try:
        for event in events:
            done.out += done.converter.feed(event)
        done.out += done.converter.close()
    except TranslationError as error:
        assert error.rule
        done.error = error
        done.out += done.converter.close(error_event=True)
    assert done.diagnostics is not None
    return done


def digest(outcomes: Sequence[Outcome]) -> str | None:
    """Return a hash of what came of a case; None if something in it is too deep to be compared."""
    held = frozen([*map(plain, outcomes)])
    findings = (one.diagnostics for one in outcomes if isinstance(one, Conversion | TranslationError | Fed))
    return None if held is None or too_deep(*findings) else blake2b(held, digest_size=8).hexdigest()


def plain(outcome: Outcome) -> Any:
    """Return an outcome as lists, dicts and scalars."""
    if isinstance(outcome, Conversion):
        return [outcome.output, *map(str, outcome.diagnostics)]
    if isinstance(outcome, TranslationError):
        return [type(outcome).__name__, *map(str, outcome.diagnostics)]
    if isinstance(outcome, Fed):
        return [outcome.out, plain(outcome.error), *map(str, outcome.diagnostics)]
    return outcome


def readable(events: list[Any]) -> bool:
    """Whether a client could read the events at all: what may hold anything may hold what JSON does not."""
    try:
        json.dumps(events, allow_nan=False).encode()
        return True
    except (TypeError, ValueError, RecursionError):
        return False


def frozen(value: Any) -> bytes | None:
    """All of a payload, to compare; None where it is too deep to be written."""
    try:
        return marshal.dumps(value, 2)
    except ValueError:
        return None
