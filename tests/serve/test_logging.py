"""Lines of the log for each request, and payloads that are large enough for a thread of their own."""

from __future__ import annotations

import json
import logging

import pytest

pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')
pytest.importorskip("httpx", reason='the gateway needs the extra "serve"')

from ..clients.provider import ANTHROPIC, CHAT, TEXT
from .test_endpoints import ask, post
from .upstreams import KEY, Upstream

LINE = {
    *("id", "client", "who", "path", "model", "upstream", "sent_model", "status", "upstream_status", "streamed"),
    *("seconds", "first_byte", "usage", "finishes", "attempts", "losses", "failed"),
}


def test_a_line_for_each_request(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "proxai_ir.serve.requests"):
        ask(
            monkeypatch,
            [Upstream(CHAT, "text", "401")],
            post(ANTHROPIC, top_k=3),
            post(ANTHROPIC),
            log={"requests": True},
        )
    first, second = (json.loads(record.message) for record in caplog.records if record.name.endswith("requests"))
    assert (first["model"], first["sent_model"], first["status"], first["losses"]) == ("m", "big", 200, ["SMP-3"])
    assert first["usage"]["output"] > 0
    assert (first["client"], first["path"], first["upstream"], first["who"]) == (ANTHROPIC, "/v1/messages", "u0", "")
    assert (first["streamed"], first["failed"], first["attempts"]) == (False, False, [])
    assert first.keys() == second.keys() == LINE
    assert (first["finishes"], second["finishes"]) == ([{"reason": "stop", "raw": "stop"}], [])
    assert (second["status"], second["upstream_status"], second["failed"]) == (401, 401, True)
    assert KEY not in caplog.text
    assert "hi" not in first.values()


def test_no_line_where_the_configuration_has_none(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "proxai_ir"):
        ask(monkeypatch, [Upstream(CHAT)], post(ANTHROPIC))
    assert caplog.records == []


def test_large_payloads(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(CHAT)
    text = "x" * 400_000
    (found,) = ask(monkeypatch, [upstream], post(ANTHROPIC, messages=[{"role": "user", "content": text}]))
    assert TEXT in found.text
    assert upstream.seen[0].body["messages"][0]["content"] == text
