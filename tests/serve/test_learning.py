"""A setting that the upstream refuses is given up, for later requests too: through the gateway, without sockets."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')
pytest.importorskip("httpx", reason='the gateway needs the extra "serve"')

from proxai_ir.exchange import InMemory, Unavailable
from proxai_ir.exchange.provider import LIFETIME, Learned
from proxai_ir.storage import Storage
from proxai_ir.storage.memory import note_refused, refused

from ..clients.provider import ANTHROPIC, CHAT, RESPONSES
from .pages import Page, check_accessible
from .test_endpoints import Kept, ask, post
from .upstreams import REFUSES, Upstream
from .visiting import browser_of

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


def known(memory: Any, now: float | None = None) -> list[tuple[str, dict[str, Any]]]:
    return [(one.model, one.settings) for one in refused(memory, now)]


def test_what_was_learned_is_kept_for_people_to_read(monkeypatch: Any) -> None:
    upstream, storage = Upstream(CHAT, TEMPERATURE, "text"), Kept()
    ask(monkeypatch, [upstream], post(ANTHROPIC, temperature=0.5), storage=storage)
    (one,) = refused(storage.memory)
    assert (one.server, one.protocol, one.model, one.settings) == ("", CHAT, "big", {"sampling": False})
    assert LIFETIME - 60 < one.until - time.time() <= LIFETIME
    assert refused(storage.memory, one.until + 1) == []


def test_processes_that_share_a_memory_add_to_it() -> None:
    memory = InMemory()
    for model, settings in (("a", {"seed": False}), ("b", {"sampling": False}), ("a", {"effort": False})):
        by = Learned()
        by.add(("", CHAT, model), settings)
        note_refused(memory, by)
    assert sorted(known(memory)) == [("a", {"effort": False}), ("b", {"sampling": False})]


def test_a_memory_that_is_away_costs_the_client_nothing(monkeypatch: Any) -> None:
    class Away(InMemory):
        def get(self, key: str) -> Any:
            raise Unavailable

    upstream, storage = Upstream(CHAT, TEMPERATURE, "text"), Kept()
    storage.memory = Away()
    (found,) = ask(monkeypatch, [upstream], post(ANTHROPIC, temperature=0.5), storage=storage)
    assert found.status_code == 200


def test_the_page_shows_it(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path / "kept.db"))
    try:
        assert "No model has refused a setting" in browser_of(storage).get("/ui/learned").text
        by = Learned()
        by.add(("azure", CHAT, "<b>big</b>"), {"sampling": False, "highest_effort": "high"})
        note_refused(storage.memory, by)
        got = browser_of(storage).get("/ui/learned")
        assert "&lt;b&gt;big&lt;/b&gt;" in got.text
        assert "highest_effort=high sampling=False" in got.text
        check_accessible(Page(got.text))
    finally:
        storage.close()
