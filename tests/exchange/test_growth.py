"""A long stream through an exchange: each event costs the same, and what is held is the response, once."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from proxai_ir import sse

from ..clients.provider import ANTHROPIC, CHAT
from ..samples.openai_chat_completions import building as chat
from ..work import operations
from .support import ALL, asked


def long_stream(count: int) -> list[bytes]:
    deltas = [{"content": "word "}] * count
    return [sse.encode(event, CHAT) for event in chat.stream(*deltas)]


def running(client: str, chunks: list[bytes], **headers: str) -> Callable[[], Any]:
    def run() -> None:
        stream = asked(client, CHAT, streamed=True).stream(200, headers)
        for chunk in chunks:
            stream.feed(chunk)
        stream.end()
        assert stream.error is None

    return run


@pytest.mark.parametrize("client", ALL)
def test_operations_grow_with_the_events(client: str) -> None:
    small, large = (operations(running(client, long_stream(count))) for count in (200, 2_000))
    assert large <= 10.5 * small


@pytest.mark.parametrize("client", ALL)
def test_bytes_that_come_one_by_one_cost_no_more_than_linear(client: str) -> None:
    small, large = (
        operations(running(client, [bytes([byte]) for chunk in long_stream(count) for byte in chunk]))
        for count in (10, 100)
    )
    assert large <= 10.5 * small


def test_memory_is_that_of_the_response() -> None:
    """Nothing else of a stream is held: 8,000 words are 40 KB of text, in pieces."""
    chunks = long_stream(8_000)
    stream = asked(ANTHROPIC, CHAT, streamed=True).stream(200, {})
    for chunk in chunks[:100]:
        stream.feed(chunk)
    tracemalloc.start()
    for chunk in chunks[100:-1]:
        stream.feed(chunk)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < 8_000 * 150  # a short text and its place in a list; an event is several times that
    stream.feed(chunks[-1])
    stream.end()
    assert stream.response["content"][0]["text"] == "word " * 8_000


def test_a_whole_body_in_place_of_a_stream_is_linear() -> None:
    def whole(count: int) -> list[bytes]:
        data = b'{"choices": [], "zz": "' + b"x" * count + b'"}'
        return [data[at : at + 10] for at in range(0, len(data), 10)]

    def run(count: int) -> Callable[[], Any]:
        def feed() -> None:
            stream = asked(ANTHROPIC, CHAT, streamed=True).stream(200, {"content-type": "application/json"})
            for chunk in whole(count):
                stream.feed(chunk)
            stream.end()

        return feed

    assert operations(run(100_000)) <= 10.5 * operations(run(10_000))
