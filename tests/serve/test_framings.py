"""Protocols whose streams are no server-sent events, as sides of conversions of bytes, an Exchange and the gateway.

They are the protocol of fifth.py with lines of JSON, and with the frames of AWS, each of which names its event.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from importlib.metadata import EntryPoint
from typing import Any

import anyio
import httpx
import pytest
from attrs import evolve

import proxai_ir
from proxai_ir.bulk.job import Job
from proxai_ir.bulk.rows import RowConverter
from proxai_ir.conversion import directions
from proxai_ir.conversion.conversion import Conversion
from proxai_ir.framing import AWS_EVENT_STREAM, NDJSON, SSE, Framing
from proxai_ir.ir.stream import events as ir
from proxai_ir.ir.stream.interfaces import StreamWriter
from proxai_ir.protocol import registry
from proxai_ir.targets.settings import Server

from . import fifth
from .support import over_asgi
from .upstreams import KEY, Upstream

Json = Any
ANTHROPIC = "anthropic_messages"
HI = {"model": "a1", "max_tokens": 9, "stream": True, "messages": [{"role": "user", "content": "hi"}]}


class FramedReader(fifth.Reader):
    def feed(self, event: Json, /) -> list[ir.Event]:
        return super().feed(event.get("chunk", "[DONE]"))

    def text_delta(self, event: Json, part: int, /) -> str | None:
        return None


def framed(name: str) -> Callable[..., list[Json]]:
    """Return a method of a writer that puts what another one writes into frames."""

    def write(self: Any, *given: Any) -> list[Json]:
        return [{"done": {}} if one == "[DONE]" else {"chunk": one} for one in getattr(self._inner, name)(*given)]

    return write


class FramedWriter(StreamWriter):
    """What the writer of chat writes, as the events of frames: {"chunk": …}, at the end {"done": {}}."""

    def __init__(self, server: Server) -> None:
        assert fifth.CHAT.stream is not None
        self._inner = fifth.CHAT.stream(server)

    started, opened, grew, closed = map(framed, ("started", "opened", "grew", "closed"))
    ended, completed, failed = map(framed, ("ended", "completed", "failed"))


assert fifth.BACKEND.http is not None
LINES_FRONTEND = fifth.FRONTEND
LINES_BACKEND = evolve(fifth.BACKEND, http=evolve(fifth.BACKEND.http, framing=NDJSON))
FRAMES_FRONTEND = evolve(fifth.FRONTEND, stream=FramedReader)
FRAMES_BACKEND = evolve(fifth.BACKEND, stream=FramedWriter, http=evolve(fifth.BACKEND.http, framing=AWS_EVENT_STREAM))
FRAMED: list[Json] = [{"done": {}} if one == "[DONE]" else {"chunk": one} for one in fifth.CHUNKS]
SIDES: dict[str, tuple[Framing, list[Json]]] = {"LINES": (NDJSON, fifth.CHUNKS), "FRAMES": (AWS_EVENT_STREAM, FRAMED)}
each_framing = pytest.mark.parametrize("which", SIDES)


KNOWN = (registry._frontend, registry._backend, registry._table, directions.direction)
"""What remembers a protocol by its name, which several have here."""


@pytest.fixture(autouse=True)
def installed(which: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    entries = {
        side: {fifth.NAME: [EntryPoint(fifth.NAME, f"{__name__}:{which}_{side[:-1].upper()}", f"proxai_ir.{side}")]}
        for side in ("frontends", "backends")
    }
    monkeypatch.setattr("proxai_ir.protocol.registry._elsewhere", entries.__getitem__)
    for known in KNOWN:
        known.cache_clear()
    yield
    for known in KNOWN:
        known.cache_clear()


def written(framing: Framing, events: list[Json]) -> bytes:
    return b"".join(framing.encode(event, fifth.NAME) for event in events)


def text_of(which: str, data: bytes) -> str:
    """What the chunks of its stream say."""
    events = [*SIDES[which][0].decode([data])]
    assert events[-1] == SIDES[which][1][-1]
    chunks = [event.get("chunk", event) for event in events[:-1]]
    return "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"])


@each_framing
def test_bytes_of_a_stream_are_converted(which: str) -> None:
    framing, events = SIDES[which]
    made = proxai_ir.convert(written(framing, events), fifth.NAME, ANTHROPIC, kind="stream")
    deltas = [one["delta"]["text"] for one in SSE.decode([made]) if one["type"] == "content_block_delta"]
    assert deltas == ["Hel", "lo"]
    assert text_of(which, proxai_ir.convert(made, ANTHROPIC, fifth.NAME, kind="stream")) == "Hello"


@each_framing
def test_bytes_are_converted_as_they_come(which: str) -> None:
    """By the iterators too, whose items are events or bytes; what is whole is handed out at once."""
    framing, events = SIDES[which]
    data = written(framing, events)
    made = proxai_ir.convert_stream((data[at : at + 3] for at in range(0, len(data), 3)), fifth.NAME, ANTHROPIC)
    out = list(made)
    assert b"".join(out) == proxai_ir.convert(data, fifth.NAME, ANTHROPIC, kind="stream")
    assert [len([*SSE.decode([one])]) for one in out] == [1] * len(out)
    back = proxai_ir.convert_stream(iter(out), ANTHROPIC, fifth.NAME)
    assert text_of(which, b"".join(back)) == "Hello"
    half = proxai_ir.convert_stream(
        iter([data[: len(written(framing, events[:1]))], b"\x00{]\n" * 9]), fifth.NAME, ANTHROPIC
    )
    assert b"Hel" in b"".join(next(half) for _ in range(3))
    with pytest.raises(proxai_ir.TranslationError):
        list(half)

    async def chunks() -> AsyncIterator[bytes]:
        for at in range(0, len(data), 7):
            yield data[at : at + 7]

    async def collected() -> list[bytes]:
        return [one async for one in proxai_ir.aconvert_stream(chunks(), fifth.NAME, ANTHROPIC)]

    assert anyio.run(collected) == out


@each_framing
def test_rows_of_files(which: str) -> None:
    """A row is a stream's bytes, or an array of events, which stays one."""
    framing, events = SIDES[which]
    data = written(framing, events)
    done = RowConverter(Job(fifth.NAME, ANTHROPIC, "stream")).convert(data)
    assert isinstance(done, Conversion)
    assert done.output == proxai_ir.convert(data, fifth.NAME, ANTHROPIC, kind="stream")
    back = RowConverter(Job(ANTHROPIC, fifth.NAME, "stream")).convert(done.output)
    assert isinstance(back, Conversion)
    as_text = back.output if not framing.binary else written(framing, json.loads(back.output))
    assert text_of(which, as_text) == "Hello"
    refused = RowConverter(Job(fifth.NAME, ANTHROPIC, "stream")).convert(b"\x00{]\n" * 9)
    assert isinstance(refused, tuple)
    assert refused[0].rule in ("SHP-3", "SHP-6")


@each_framing
def test_it_is_the_provider_of_an_exchange(which: str) -> None:
    framing, events = SIDES[which]
    exchange = proxai_ir.Exchange(ANTHROPIC, fifth.NAME, key=KEY)
    exchange.request(HI)
    stream = exchange.stream(200, {"content-type": framing.content_type})
    data = written(framing, events)
    out = b"".join(stream.feed(data[at : at + 5]) for at in range(0, len(data), 5)) + stream.end()
    assert stream.error is None
    deltas = [one["delta"]["text"] for one in SSE.decode([out]) if one["type"] == "content_block_delta"]
    assert "".join(deltas) == "Hello"


@each_framing
def test_a_corrupt_stream_ends_with_an_error_for_the_client(which: str) -> None:
    framing, events = SIDES[which]
    exchange = proxai_ir.Exchange(ANTHROPIC, fifth.NAME, key=KEY)
    exchange.request(HI)
    stream = exchange.stream(200, {"content-type": framing.content_type})
    data = written(framing, events[:1])
    out = stream.feed(data) + stream.feed(b"\x00{]\n" * 9) + stream.end()
    *_, last = SSE.decode([out])
    assert last["type"] == "error"


def over_the_gateway(
    monkeypatch: pytest.MonkeyPatch, upstream: Any, path: str, body: Json, headers: Mapping[str, str]
) -> httpx.Response:
    async def work() -> httpx.Response:
        async with over_asgi(monkeypatch, upstream) as http:
            return await http.post(path, json=body, headers=dict(headers))

    return anyio.run(work)


@each_framing
def test_it_is_a_client_of_the_gateway(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body = {"messages": [{"role": "user", "content": "hi"}]}
    found = over_the_gateway(monkeypatch, Upstream(ANTHROPIC), "/acme/any/flow", body, {"acme-key": "any"})
    assert found.headers["content-type"] == SIDES[which][0].content_type
    assert text_of(which, found.content)


@each_framing
def test_it_is_an_upstream_of_the_gateway(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    framing, events = SIDES[which]
    provider = fifth.Provider(KEY, stream=(framing.content_type, written(framing, events)))
    headers = {"anthropic-version": "2023-06-01"}
    found = over_the_gateway(monkeypatch, provider, "/v1/messages", HI, headers)
    assert found.headers["content-type"].startswith("text/event-stream")
    deltas = [one["delta"]["text"] for one in SSE.decode([found.content]) if one["type"] == "content_block_delta"]
    assert "".join(deltas) == "Hello"
