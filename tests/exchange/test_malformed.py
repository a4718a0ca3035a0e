"""No bytes of a client or a provider make an exchange raise anything but what it documents."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from proxai_ir import Exchange, InMemory, TranslationError, sse

from ..cases import each
from ..clients.provider import INTERACTIONS, RESPONSES
from .errors import STATUSES, body
from .support import ALL, PAIRS, asked, bytes_of, path_of, request_of

KINDS = ("text", "call", "thought", "json", "broken", "failure")
VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    1e308,
    1 << 70,
    "",
    "x",
    "\x00",
    "é\U0001f600",
    [],
    {},
    [None],
    {"type": "x"},
]
ROUNDS = 12


def mutated(data: bytes, rng: Random) -> bytes:
    """Bytes changed at a few places: flipped, cut out, doubled."""
    made = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(made) + 1)
        end = at + rng.randint(0, 30)
        change = rng.randrange(5)
        if change == 0:
            made[at:end] = bytes(rng.randrange(256) for _ in range(end - at))
        elif change == 1:
            del made[at:end]
        elif change == 2:
            made[at:at] = made[at:end]
        elif change == 3:
            made[at:end] = rng.choice([b"\n\n", b"data:", b"\r", b"null", b"{", b'"', b"[DONE]", b"\xef\xbb\xbf"])
        else:
            del made[at:]
    return bytes(made)


def changed(value: Any, rng: Random) -> Any:
    """A payload with another value at one place."""
    if isinstance(value, (dict, list)) and value and rng.random() < 0.9:
        made = value.copy()
        key = rng.choice([*made]) if isinstance(made, dict) else rng.randrange(len(made))
        if isinstance(made, dict) and rng.random() < 0.1:
            del made[key]
        else:
            made[key] = changed(made[key], rng)
        return made
    return rng.choice(VALUES)


def spoilt(data: bytes, rng: Random) -> bytes:
    """A body or a stream that is wrong in its bytes, or in its values."""
    if rng.random() < 0.5:
        return mutated(data, rng)
    try:
        return json.dumps(changed(json.loads(data), rng)).encode()
    except ValueError:
        found = list(sse.decode([data]))
    at = rng.randrange(len(found))
    found[at] = changed(found[at], rng)
    if rng.random() < 0.3:
        rng.shuffle(found)
    return b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in found)


@pytest.mark.parametrize(("client", "provider"), PAIRS)
def test_any_bytes_of_a_provider(client: str, provider: str) -> None:
    rng = Random(f"{client} {provider}")
    memory = InMemory()
    for _ in range(ROUNDS):
        for kind in KINDS:
            for as_stream in (False, True):
                data = spoilt(bytes_of(provider, kind, streamed=as_stream), rng)
                headers = {"content-type": rng.choice(["", "application/json", "text/event-stream", "text/html", ";;"])}
                made = asked(client, provider, memory=memory).response(rng.choice([200, *STATUSES]), headers, data)
                assert 200 <= made.status < 600
                if made.body != data:
                    assert isinstance(json.loads(made.body), dict)
                stream = asked(client, provider, streamed=True, memory=memory).stream(200, headers)
                half = rng.randrange(len(data) + 1)
                out = stream.feed(data[:half]) + stream.ping() + stream.feed(data[half:]) + stream.end()
                assert stream.error is not None or stream.failure is not None or stream.response is not None or out
                assert stream.diagnostics is not None
                for event in sse.decode([out]):
                    assert event is not None or client == provider


@pytest.mark.parametrize(("client", "provider"), PAIRS)
def test_any_bytes_of_a_client(client: str, provider: str) -> None:
    rng = Random(f"{client} {provider}")
    memory = InMemory()
    history = {"previous_response_id": "r", "conversation": {"id": "c"}} if client == RESPONSES else {}
    thread = {"thread": {"type": "continue", "previous_message_id": "m"}, "system": "x", "tools": []}
    for number in range(ROUNDS * 10):
        more: Any = history if number % 3 == 0 else thread if number % 3 == 1 else {}
        exchange = Exchange(client, provider, model="m", memory=memory)
        path = mutated(path_of(client).encode(), rng).decode(errors="replace") if number % 4 == 0 else path_of(client)
        try:
            sent = exchange.request(spoilt(request_of(client, **more), rng), path=path)
        except TranslationError as error:
            assert exchange.refusal(error).status in (400, 404)
            continue
        assert isinstance(json.loads(sent.body), dict)
        assert exchange.response(200, {}, bytes_of(provider, "text", streamed=False)).status in (200, 502)


@pytest.mark.parametrize("value", [{}, {"name": "m"}, [], ["m"], 5, True, None], ids=repr)
@pytest.mark.parametrize(("client", "provider"), PAIRS)
def test_models_of_any_type(client: str, provider: str, value: Any) -> None:
    """The client's model decides what a server takes, where the Exchange has none of its own."""
    payload = {**json.loads(request_of(client)), "model": value}
    try:
        sent = Exchange(client, provider).request(payload, path=path_of(client))
    except TranslationError as error:
        assert error.diagnostics[0].path in ("/model", "")
    else:
        assert isinstance(json.loads(sent.body), dict)


@pytest.mark.parametrize("value", [{}, [], 5, None], ids=repr)
@pytest.mark.parametrize("client", [RESPONSES, INTERACTIONS])
def test_items_of_any_type(client: str, value: Any) -> None:
    """A memory looks at items before they are read."""
    payload = {"model": "m", "input": [{"type": value}]}
    with pytest.raises(TranslationError) as caught:
        Exchange(client, "anthropic_messages", memory=InMemory()).request(payload)
    assert caught.value.path.startswith("/input/0")


@each("depth", [100, 250, 500, 1_000, 100_000])
@each(("client", "provider"), PAIRS)
def test_payloads_that_are_too_deep(client: str, provider: str, depth: int) -> None:
    nested = (b'{"a":' * depth) + b"1" + (b"}" * depth)
    whole = bytes_of(provider, "call", streamed=False)[:-1] + b', "zz": ' + nested + b"}"
    assert asked(client, provider, memory=InMemory()).response(200, {}, whole).status in (200, 502)
    failed = body(provider, 400)[:-1] + b', "zz": ' + nested + b"}"
    assert asked(client, provider).response(400, {}, failed).status == 400
    stream = asked(client, provider, streamed=True).stream(200, {})
    out = stream.feed(bytes_of(provider, "text", streamed=True).replace(b"}\n\n", b', "zz": ' + nested + b"}\n\n"))
    assert out + stream.end()


@pytest.mark.parametrize("client", ALL)
def test_headers_of_any_kind(client: str) -> None:
    names: tuple[str, ...] = ("retry-after", "x-request-id", "x-ratelimit-reset-tokens", "content-type")
    headers: dict[str, str] = {}
    headers.update(dict.fromkeys(names, "\x00" * 9))
    exchange = asked(client, RESPONSES)
    assert exchange.response(200, headers, bytes_of(RESPONSES, "text", streamed=False)).status == 200
    assert exchange.stream(200, headers).status == 200
