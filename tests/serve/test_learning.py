"""A setting that the upstream refuses is given up, for later requests too: through the gateway, without sockets."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')
pytest.importorskip("httpx", reason='the gateway needs the extra "serve"')

from ..clients.provider import ANTHROPIC, CHAT, RESPONSES
from .test_endpoints import Kept, ask, post
from .upstreams import REFUSES, Upstream

TEMPERATURE = f"{REFUSES}temperature"


def temperatures(upstream: Upstream) -> list[Any]:
    return [one.body.get("temperature") for one in upstream.seen]


@pytest.mark.parametrize("streamed", [False, True])
def test_the_client_gets_its_response_and_the_next_request_is_without_it(monkeypatch: Any, streamed: bool) -> None:
    upstream, storage = Upstream(CHAT, TEMPERATURE, "text", "text"), Kept()
    request = post(ANTHROPIC, temperature=0.5, **({"stream": True} if streamed else {}))
    found = ask(monkeypatch, [upstream], request, request, storage=storage)
    assert [one.status_code for one in found] == [200, 200]
    assert temperatures(upstream) == [0.5, None, None]
    losses = [{one["rule"] for one in record.diagnostics if one["severity"] == "loss"} for record in storage.records]
    assert losses == [{"SMP-3"}, {"SMP-3"}]


def test_a_second_refusal_is_the_clients(monkeypatch: Any) -> None:
    upstream = Upstream(CHAT, TEMPERATURE, f"{REFUSES}top_p")
    (found,) = ask(monkeypatch, [upstream], post(ANTHROPIC, temperature=0.5))
    assert (found.status_code, len(upstream.seen)) == (400, 2)
    assert "'top_p' is not supported" in found.text


def test_it_can_be_switched_off(monkeypatch: Any) -> None:
    upstream = Upstream(CHAT, TEMPERATURE)
    (found,) = ask(monkeypatch, [upstream], post(RESPONSES, temperature=0.5), settings={"learn": False})
    assert (found.status_code, temperatures(upstream)) == (400, [0.5])
