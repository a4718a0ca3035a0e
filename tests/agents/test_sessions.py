"""Whole sessions of the real agents through the gateway: ten requests with five commands, on four other protocols each.

Every request of the agent's turns begins with the whole of the one before, each command is called once, the server
refuses nothing, and Claude Code and Codex go on with a summary where the session was too long.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from ..servers.prefix_cache import PrefixCache
from .others import BEDROCK, COHERE, INTERACTIONS, OLLAMA
from .recording import AGENTS, CALL, NEXT, SCRIPT, SUMMARY, Scripted, run, turns
from .server import gateway, serving

for module in ("starlette", "uvicorn", "httpx"):
    pytest.importorskip(module, reason="the extra `serve` is not installed")

pytestmark = pytest.mark.slow

OTHERS = {
    "claude": (BEDROCK, INTERACTIONS, OLLAMA, RESPONSES),
    "codex": (ANTHROPIC, BEDROCK, INTERACTIONS, OLLAMA),
    "gemini": (ANTHROPIC, BEDROCK, COHERE, OLLAMA),
    "opencode": (BEDROCK, CHAT, GEMINI, OLLAMA),
}


@pytest.mark.parametrize(("agent", "protocol"), [(agent, one) for agent in AGENTS for one in OTHERS[agent]])
def test_a_session(packages: Path, tmp_path: Path, agent: str, protocol: str) -> None:
    with serving(protocol, Scripted) as server, gateway(protocol, server.url) as url:
        run(agent, url, packages / "node_modules/.bin", tmp_path)
    asked = [json.dumps(one.body) for one in turns(server.requests)]
    cache = PrefixCache(protocol)
    for number, one in enumerate(turns(server.requests)[: len(SCRIPT)]):
        cache.ask(one.body)
        assert number == 0 or cache.misses() == [], number
    for number, kind in enumerate(SCRIPT, 1):
        assert asked[len(SCRIPT) - 1].count(f"apples{number}") == (2 if kind is CALL else 0)  # the call, its result
    assert server.found == []
    if NEXT in AGENTS[agent].prompts:
        assert NEXT in asked[-1]
        assert SUMMARY in asked[-1]
        assert len(asked[-1]) < len(asked[len(SCRIPT)])
