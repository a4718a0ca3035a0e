"""Names without a version (CAP-5): what is known of some versions is not known of them, and neither refuses nor drops
anything."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange, profiles
from proxai_ir.profiles import models, vendors
from proxai_ir.profiles.facts import CHAT, CONVERSE, GEMINI, INTERACTIONS, MESSAGES, RESPONSES
from proxai_ir.protocol.registry import backend

from ..cases import each
from ..samples import PROTOCOLS

SERVERS = ("", "azure", "bedrock", "vertex", "openrouter", "groq", "cerebras", "mistral")
OWN_WORDS = ("{}", "{}-prod", "{}-team-a", "acme/{}-latest", "{}-latest", "my/{}")
NAMES = tuple(words.format(family) for family in vendors.FAMILIES if family for words in OWN_WORDS)


@each("name", [one for one in NAMES if not models.named(one).newest])
def test_no_row_about_some_versions_is_about_it(name: str) -> None:
    if models.named(name).version is not None:
        pytest.skip("the family's name is a version")
    for protocol in PROTOCOLS:
        for server in SERVERS:
            assert all(row.since == row.until == () for row in models.rows_of(protocol, name, server))


OF_ALL_VERSIONS: dict[str, str] = {
    "google_signatures": "OpenAI's servers know no member of Google's, whatever the model",
    "most_tools": "the list of tools is as long for every GPT and every Gemini",
    "thinking_off": "every Fable and Mythos thinks",
    "thinking_budgets": "every Fable and Mythos is newer than budgets",
    "sampling": "every Fable and Mythos is newer than sampling",
    "strict_tools": "Bedrock has none of any Fable and Mythos",
    "structured_output": "Bedrock has none of any Fable and Mythos",
    "system_in_place": "the clouds of Microsoft and Google have no Claude that takes them: they are moved, not dropped",
    "store": "Vertex AI stores nothing",
    "file_search": "Vertex AI has none",
    "mcp_servers": "Vertex AI has none",
    "mixed_tools": "Vertex AI does not mix tools",
}
ALWAYS_NEW = ("claude-fable", "claude-mythos")
VERSIONED = ("gpt", "chatgpt", "claude", "claude-opus", "claude-sonnet", "claude-haiku", *ALWAYS_NEW, "gemini")
"""The families of which vendors name each model by its version, so that a name without one is somebody's own."""


def stricter(protocol: str, name: str, server: str) -> set[str]:
    """What a name is stated to have less of than the protocol's servers are taken to have."""
    declared = backend(protocol).target.settings
    given = profiles.for_model(protocol, name, server).given
    return {one for one, value in given.items() if value != declared[one].default and value is not True}


@each("family", VERSIONED)
def test_it_has_less_than_the_protocol_only_where_all_versions_have(family: str) -> None:
    for protocol in PROTOCOLS:
        for server in SERVERS:
            of_server = stricter(protocol, "nobody-knows-it", server)
            less = (
                stricter(protocol, f"{family}-prod", server)
                - of_server
                - ({"family"} if protocol == CONVERSE else set())
            )
            if protocol == CHAT and server in ("openrouter", "groq", "cerebras", "mistral"):
                continue  # what these servers take is known, whatever the model
            assert less <= set(OF_ALL_VERSIONS), (protocol, server, less)


@pytest.mark.parametrize("name", ["gpt-prod", "gpt", "gpt-latest", "gpt-j-6b", "gpt-neo", "openai/gpt", "GPT_Prod"])
@pytest.mark.parametrize("src", [MESSAGES, RESPONSES, GEMINI, INTERACTIONS, CHAT])
def test_deployments_of_ones_own_get_tools(name: str, src: str) -> None:
    given: dict[str, Any] = {
        "model": "m",
        "messages": [{"role": "user", "content": "Time?"}],
        "tools": [
            {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}
        ],
        "max_completion_tokens": 9,
        "temperature": 0.2,
        "stop": ["."],
    }
    asked = given if src == CHAT else proxai_ir.convert(given, CHAT, src, kind="request")
    path = "/v1beta/models/m:generateContent" if src == GEMINI else ""
    cloud = {"name": "azure_deployments", "resource": "r", "api_version": "2025-04-01-preview"}
    body = json.loads(Exchange(src, CHAT, model=name, cloud=cloud, key="k").request(asked, path=path).body)
    assert [one["function"]["name"] for one in body["tools"]] == ["now"]
    assert body["temperature"] == 0.2
    if src not in (RESPONSES, INTERACTIONS):  # which have no stop sequences
        assert body["stop"] in (".", ["."])


def test_a_claude_of_ones_own_keeps_its_temperature() -> None:
    asked = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "temperature": 0.2}
    made = proxai_ir.compile(asked, CHAT, profiles.for_model(MESSAGES, "claude-prod"), kind="request")
    assert made.output["temperature"] == 0.2


@pytest.mark.parametrize(
    ("name", "newest"),
    [
        ("gemini-flash-latest", True),
        ("gemini-pro-latest", True),
        ("~anthropic/claude-opus-latest", True),
        ("~openai/gpt-latest", True),
        ("claude-opus-latest", False),
        ("gpt-latest", False),
        ("gemini-prod", False),
        ("claude-3-7-sonnet-latest", False),
    ],
)
def test_the_newest_is_meant_where_that_is_documented(name: str, newest: bool) -> None:
    assert models.named(name).newest is newest
