"""Requests whose response is no turn, at the gateway: Codex's compaction and the tool runner's, and warming a cache."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')

import httpx

from ..clients.provider import ANTHROPIC, CHAT, RESPONSES, TEXT
from .support import HEADERS, asked, events, path_of, sockets
from .upstreams import Upstream

Json = Any
HISTORY = [
    {"type": "message", "role": "user", "content": "hi"},
    {"type": "message", "role": "assistant", "content": "Hi."},
]


@pytest.fixture(scope="module")
def gateway() -> Iterator[tuple[str, Upstream]]:
    upstream = Upstream(CHAT)
    with pytest.MonkeyPatch.context() as monkeypatch, ExitStack() as stack:
        yield stack.enter_context(sockets(monkeypatch, upstream)), upstream


def post(url: str, client: str, streamed: bool = False, **more: Json) -> httpx.Response:
    body = asked(client, streamed, **more)
    return httpx.post(url + path_of(client), json=body, headers=HEADERS.get(client, {}))


@pytest.mark.parametrize("streamed", [False, True])
def test_codex_gets_one_item_and_goes_on_with_it(gateway: tuple[str, Upstream], streamed: bool) -> None:
    """It takes the items that are done, and wants exactly one of them to be a compaction (openai/codex)."""
    url, upstream = gateway
    upstream.begin()
    compacted = post(url, RESPONSES, streamed, store=False, input=[*HISTORY, {"type": "compaction_trigger"}])
    assert compacted.status_code == 200
    if streamed:
        found = events(compacted.content)
        done = [one["item"] for one in found if one["type"] == "response.output_item.done"]
        assert found[-1]["type"] == "response.completed"
        assert found[-1]["response"]["output"] == done
    else:
        done = compacted.json()["output"]
    (item,) = done
    assert item["type"] == "compaction"
    following = post(url, RESPONSES, streamed, store=False, input=[HISTORY[0], item])
    assert TEXT in following.text
    sent = upstream.seen[-1].body["messages"]
    assert sent[-1] == {"role": "user", "content": f"Summary of the conversation so far:\n\n{TEXT}"}
    assert not upstream.refused


@pytest.mark.parametrize("streamed", [False, True])
def test_a_tool_runner_gets_the_block(gateway: tuple[str, Upstream], streamed: bool) -> None:
    url, upstream = gateway
    upstream.begin()
    reply = post(url, ANTHROPIC, streamed, compaction={"type": "summarize", "instructions": "List the names."})
    assert reply.status_code == 200
    if streamed:
        found = {one["type"]: one for one in events(reply.content)}
        assert found["content_block_delta"]["delta"] == {"type": "compaction_delta", "content": TEXT}
        assert found["message_delta"]["delta"]["stop_reason"] == "compaction"
    else:
        made = reply.json()
        assert made["content"] == [{"type": "compaction", "content": TEXT}]
        assert made["stop_reason"] == "compaction"
    assert upstream.seen[-1].body["messages"][-1] == {"role": "user", "content": "List the names."}


def test_what_is_no_summary_is_an_error(gateway: tuple[str, Upstream]) -> None:
    url, upstream = gateway
    upstream.begin("call")
    reply = post(url, RESPONSES, store=False, input=[*HISTORY, {"type": "compaction_trigger"}])
    assert reply.status_code == 502
    assert "PLC-65" in reply.json()["error"]["message"]


def test_a_cache_that_cannot_be_warmed_costs_nothing(gateway: tuple[str, Upstream]) -> None:
    url, upstream = gateway
    upstream.begin()
    warming: Json = {ANTHROPIC: {"max_tokens": 0}, RESPONSES: {"prompt_cache_options": {"prewarm": True}}}
    for client, more in warming.items():
        reply = post(url, client, **more)
        assert reply.status_code == 400
        assert "CAC-8" in reply.json()["error"]["message"]
    assert upstream.seen == []


def test_a_count_is_of_the_conversation_as_it_is(gateway: tuple[str, Upstream]) -> None:
    url, upstream = gateway
    upstream.begin()
    body = asked(ANTHROPIC, compaction={"type": "summarize"})
    del body["max_tokens"]
    reply = httpx.post(f"{url}/v1/messages/count_tokens", json=body, headers=HEADERS[ANTHROPIC])
    assert (reply.status_code, reply.json()["input_tokens"] > 0) == (200, True)
