"""Agents' tool loops through `proxai-ir serve`, on an upstream that is as strict as its vendor's and the model.

Three rounds with thoughts and parallel calls, then the text; whole and streamed, without sockets.
"""

from __future__ import annotations

import json
from typing import Any

import anyio
import httpx
import pytest
from typer.testing import CliRunner

from proxai_ir.cli.app import app as command
from proxai_ir.serve import server
from proxai_ir.serve.app import app
from proxai_ir.serve.config import Config

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES, signature
from ..exchange.support import whole
from ..exchange.test_agent_sessions import AGENTS
from ..servers.models import refusals
from ..servers.models.sessions import NEXT
from .support import HEADERS, path_of
from .upstreams import KEY, Upstream

Json = Any

LOOPS = (
    ("opencode", GEMINI, "gemini-3.8-flash"),
    ("opencode", GEMINI, "gemini-3-pro"),
    ("Claude Code", RESPONSES, "gpt-5.6-sol"),
    ("Claude Code", RESPONSES, "gpt-5"),
    ("Codex", ANTHROPIC, "claude-sonnet-5-5"),
    ("Codex", ANTHROPIC, "claude-opus-5-5"),
    ("Gemini CLI", ANTHROPIC, "claude-sonnet-5-5"),
    ("Codex", GEMINI, "gemini-4-neon"),
    ("Claude Code", GEMINI, "gemini-3.8-flash"),
    ("Claude Code", CHAT, "gpt-5.4-mini"),
)
ROUNDS = ("planned", "calls", "planned")
UNJUDGED = {"gemini-3-pro"}
"""Models without a judge."""


def configured(monkeypatch: pytest.MonkeyPatch, provider: str, model: str) -> Config:
    """What the command serves."""
    found: list[Config] = []
    monkeypatch.setattr(server, "run", lambda config, *_: found.append(config))
    monkeypatch.setenv("VENDOR_KEY", KEY)
    line = ["serve", "--to", provider, "--base-url", "http://u.invalid", "--key-env", "VENDOR_KEY", "--model", model]
    result = CliRunner().invoke(command, [*line, "--no-storage"])
    assert result.exit_code == 0, result.output
    return found[0]


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(("name", "provider", "model"), LOOPS)
def test_a_tool_loop_of_an_agent(
    name: str, provider: str, model: str, streamed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, opening, _ = AGENTS[name]
    upstream = Upstream(provider, *ROUNDS, "text")
    served = app(configured(monkeypatch, provider, model), transport=lambda _: httpx.ASGITransport(upstream))
    path, stream = path_of(client, streamed), {"stream": True} if streamed and client != GEMINI else {}

    async def work() -> list[httpx.Response]:
        asked, found = {**opening, **stream}, []
        async with httpx.AsyncClient(transport=httpx.ASGITransport(served), base_url="http://127.0.0.1") as http:
            for number in range(len(ROUNDS) + 1):
                found.append(await http.post(path, json=asked, headers=HEADERS.get(client)))
                answer = whole(client, found[-1].content) if streamed else found[-1].json()
                asked = NEXT[client](asked, answer, "", f"Question {number}.", f"Result {number}.")
        return found

    found = anyio.run(work)
    assert [one.status_code for one in found] == [200] * 4, found[-1].text
    assert "It is 42." in json.dumps(whole(client, found[-1].content) if streamed else found[-1].json())
    assert upstream.refused == []
    if model not in UNJUDGED:
        assert [refusals(provider, model, one.body) for one in upstream.seen] == [[]] * 4
    last = json.dumps(upstream.seen[-1].body)
    assert all(f"Result {number}." in last for number in range(3))
    if provider != CHAT:
        assert all(signature(number) in last for number in (1, 3))
