"""Codex with nothing but its base URL: it opens a WebSocket, warms it up, and sends of later turns what is new."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("sqlalchemy", reason='the gateway needs the extra "serve"')
pytest.importorskip("websockets", reason='the gateway needs the extra "serve"')

from ..clients.provider import RESPONSES
from ..serve.support import configured
from ..serve.support import serving as serving_clients
from ..serve.test_endpoints import Kept
from ..serve.upstreams import KEY
from . import server
from .provider import TEXT
from .test_agents import PROVIDERS, run, went_well

pytestmark = pytest.mark.slow

ITS_OWN = "internal_chat_message_metadata_passthrough"
"""What Codex sends to its vendor alone, and so to a base URL that is set in its vendor's place."""


@pytest.mark.parametrize("protocol", PROVIDERS)
def test_codex(packages: Path, protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "KEY", KEY)
    storage = Kept()
    settings = {"profile": server.PROFILES[protocol]} if protocol in server.PROFILES else {}
    with server.serving(protocol) as provider:
        config = configured(monkeypatch, (protocol, provider.url), settings=settings, log={"payloads": True})
        with serving_clients(config, storage) as (url, _):
            command = [str(packages / "node_modules/.bin/codex"), "exec", "--skip-git-repo-check", "--json"]
            command += ["-c", f'openai_base_url="{url}/v1"', "--dangerously-bypass-approvals-and-sandbox"]
            lines = run([*command, "Count the apples."], tmp_path, CODEX_API_KEY="none").splitlines()
    done = [event["item"] for event in map(json.loads, lines) if event["type"] == "item.completed"]
    assert [item["text"] for item in done if item["type"] == "agent_message"][-1:] == [TEXT]
    assert [line for line in lines if "Reconnecting" in line] == []
    warm, *turns = [one for one in storage.records if one.path == "/v1/responses"]
    assert (warm.upstream, warm.status) == ("", 200)
    assert [(one.upstream, one.status, one.error) for one in turns] == [("u0", 200, None)] * len(provider.asked)
    assert all(json.loads(one.request or b"")["previous_response_id"] for one in turns)
    provider.found = [one for one in provider.found if not one.endswith(ITS_OWN)]
    went_well(provider, RESPONSES)
