"""Owns the ways to one conversion: what is made of an unsound payload may not depend on who asks for it.

Rule 1: `convert`, an Exchange and a row of a file give the same bytes and findings, or refuse alike. Rule 2: an
Exchange gives the same stream wherever its bytes are cut. Rule 3: it replies to any error with one of the client's.
Rule 4: a stream adds up to what the whole response converts to.
What the gateway adds to an Exchange is HTTP: `tests/serve/test_ways.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from random import Random
from typing import Any

import orjson

import proxai_ir
from proxai_ir import Conversion, Diagnostic, Seals, TranslationError
from proxai_ir.bulk.job import Job
from proxai_ir.bulk.rows import RowConverter
from proxai_ir.exchange import Exchange, InMemory
from proxai_ir.exchange.provider import Learned, http_of
from proxai_ir.ir import FunctionCall
from proxai_ir.ir.stream.aggregate import fold
from proxai_ir.ir.stream.events import Restated
from proxai_ir.testing.streams import folds_agree, lowered

from ..properties.servers import Server
from ..samples import PROTOCOLS, READINGS
from .mutating import Source

OF_CALLS = ("model", "stream", "response_id", "created")
"""Options that an Exchange takes from what it exchanges."""
OF_REQUESTS = ("emulate", "repair", "instructions", "deferred_tools")
PATHS = {"bedrock_converse": "/model/m/converse", "gemini_generate_content": "/v1beta/models/m:generateContent"}
"""By protocol: where requests are sent to, if the path names the model."""
ESTIMATED = "CAP-12"
"""A finding of an Exchange alone, which estimates how long a request is."""
REFUSAL = b'{"error": {"message": "temperature is not supported by this model", "type": "invalid_request_error"}}'
PIECES = (1, 7, 100, 3000)


def agree(source: Source, rng: Random, servers: Mapping[str, Server]) -> None:
    """Assert that all ways to one of the servers give the same for a payload, if bytes can hold it."""
    server = servers[rng.choice([one for one in PROTOCOLS if one != source.protocol])]
    options: dict[str, Any] = {name: one for name, one in server.options.items() if name not in OF_CALLS}
    options.setdefault("seals", Seals())
    if source.kind == "stream":
        cut_anywhere(source, server, options, rng)
        adds_up(source)
        return
    try:
        data = orjson.dumps(source.payload)
    except (TypeError, ValueError):
        return
    of_file(source, data, server, options)
    {"request": of_request, "response": of_response, "error": of_error}[source.kind](source, data, server, options)


def outcome(
    data: bytes, source: Source, server: Server, options: Mapping[str, Any]
) -> Conversion | tuple[Diagnostic, ...]:
    """Return what `compile` makes of a payload, or the findings of its refusal."""
    try:
        return proxai_ir.compile(data, source.protocol, server.profile, kind=source.kind, **options)
    except TranslationError as error:
        return error.diagnostics


def of_file(source: Source, data: bytes, server: Server, options: Mapping[str, Any]) -> None:
    job = Job(source.protocol, server.profile, source.kind, options=dict(options), profile="protocol")
    row, single = RowConverter(job).convert(data), outcome(data, source, server, options)
    if isinstance(row, Conversion) and isinstance(single, Conversion):
        assert row.output == single.output, "a row of a file has another output"
        assert row.diagnostics == single.diagnostics, "a row of a file has other findings"
    else:
        assert row == single, "a row of a file is refused, or refused otherwise"


def of_request(source: Source, data: bytes, server: Server, options: dict[str, Any]) -> None:
    path = PATHS.get(source.protocol, "")
    given = {**options, "deferred_tools": "visible"}
    if path:
        given |= {"model": "m", "stream": False}
    single = outcome(data, source, server, given)
    remembers = Exchange(
        source.protocol, server.profile, memory=InMemory(), own_state=True, context=100, learned=Learned(), **options
    )
    with suppress(TranslationError):
        remembers.request(data, path=path)
        remembers.retry(400, {}, REFUSAL)
    exchange = Exchange(source.protocol, server.profile, profile="protocol", **options)
    try:
        sent = exchange.request(data, path=path)
    except TranslationError as error:
        if isinstance(single, Conversion):
            assert error.rule == "SHP-7", "an Exchange refuses what converts"
        return
    if isinstance(single, Conversion):
        assert sent.body == single.output, "an Exchange sends another request"
        found = [one for one in sent.diagnostics if one.rule != ESTIMATED]
        assert found == [*single.diagnostics], "an Exchange has other findings about the request"
    else:
        assert len(http_of(source.protocol).siblings or ()) > 0, "an Exchange sends what does not convert"


def of_response(source: Source, data: bytes, server: Server, options: dict[str, Any]) -> None:
    exchange = client_of(source, server, options)
    reply = exchange.response(200, {}, data)
    single = outcome(data, source, server, exchange.for_response({}))
    if isinstance(single, Conversion):
        assert reply.body == single.output, "an Exchange replies with another response"
        if reply.status == 200:  # else the status says a part of what is found of an error
            assert [*reply.diagnostics] == [*single.diagnostics], "an Exchange has other findings about the response"
    else:
        assert reply.status != 200, "an Exchange replies with what does not convert"


def of_error(source: Source, data: bytes, server: Server, options: dict[str, Any]) -> None:
    for status in (400, 429, 500):
        reply = client_of(source, server, options).response(status, {}, data)
        assert reply.status >= 400, "an error is no error any more"
        assert isinstance(orjson.loads(reply.body), dict), "an error's body is no object"


def cut_anywhere(source: Source, server: Server, options: dict[str, Any], rng: Random) -> None:
    framing = http_of(source.protocol).framing
    try:
        data = b"".join(framing.encode(event, source.protocol) for event in source.payload)
    except (AttributeError, RecursionError, TypeError, ValueError, TranslationError):  # no bytes can hold it
        return
    whole, pieces = (client_of(source, server, options).stream(200, {}) for _ in range(2))
    expected = whole.feed(data) + whole.end()
    made, at = b"", 0
    while at < len(data):
        size = rng.choice(PIECES)
        made += pieces.feed(data[at : at + size])
        at += size
    made += pieces.end()
    assert made == expected, "a stream depends on where its bytes are cut"
    assert pieces.diagnostics == whole.diagnostics, "findings about a stream depend on where its bytes are cut"


def adds_up(source: Source) -> None:
    """Assert that a converted stream is the converted response, where the events tell of one and contradict nothing."""
    try:
        stream = lowered(source.payload, source.protocol)
        events = [event for step in (*stream.steps, stream.ending) for event in step]
        response = fold(events)
    except (TranslationError, ValueError):
        return
    parts = [part for one in response.candidates for turn in one.turns for part in turn.parts]
    if len(response.candidates) != 1 or any(type(part) is FunctionCall and part.id is None for part in parts):
        return  # the summaries are of one answer, and compare ids
    if response.candidates != fold([event for event in events if type(event) is not Restated]).candidates:
        return
    for dst in PROTOCOLS:
        if dst != source.protocol:
            with suppress(TranslationError):  # for what only a whole response makes, such as very deep arguments
                folds_agree(source.payload, source.protocol, dst, READINGS)


def client_of(source: Source, server: Server, options: dict[str, Any]) -> Exchange:
    """Return an exchange whose provider speaks the protocol of the payload."""
    given = {name: one for name, one in options.items() if name not in OF_REQUESTS}
    return Exchange(server.profile, source.protocol, profile="protocol", **given)
