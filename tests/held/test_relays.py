"""Recorded requests between a protocol and itself, for every server that is known: nothing is refused (CAP-1)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import proxai_ir
from proxai_ir import Profile, profiles
from proxai_ir.exchange.servers import named_profiles

from .shared import CHAT, RECORDED, RESPONSES, Tools

MODELS = (
    "gpt-5.6",
    "claude-sonnet-5-5",
    "gemini-4-neon",
    "mistral-large-latest",
    "deepseek-chat",
    "qwen3.8-max",
    "kimi-k3",
)
EVERY, LONG = 200, 6
"""One of so many recordings; in the long run of fewer."""
NARROW = {
    CHAT: (
        "system_in_place",
        "role_neighbours",
        "content_arrays",
        "empty_text",
        "call_ids",
        "any_role_order",
        "images",
    ),
    RESPONSES: ("system_in_place", "items_after_calls", "sampling"),
}


def servers(protocol: str) -> Iterator[Profile]:
    yield from (one for one in named_profiles().values() if one.protocol == protocol)
    yield from (profiles.for_model(protocol, model) for model in MODELS)
    yield Profile(protocol, **dict.fromkeys(NARROW.get(protocol, ()), False))  # type: ignore[arg-type]


def relayed(tools: Tools, protocol: str, every: int) -> None:
    for record in tools.records(protocol, "request")[::every]:
        for server in servers(protocol):
            made = proxai_ir.compile(record.payload, protocol, server, kind="request")
            if made.output is not record.payload:
                again = proxai_ir.compile(made.output, protocol, server, kind="request")
                assert again.output == made.output, (record.id, server)


@pytest.mark.parametrize("protocol", RECORDED)
def test_a_stated_server_refuses_no_relay_and_a_second_one_changes_nothing(tools: Tools, protocol: str) -> None:
    relayed(tools, protocol, EVERY)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", RECORDED)
def test_many_recordings(tools: Tools, protocol: str) -> None:
    relayed(tools, protocol, LONG)
