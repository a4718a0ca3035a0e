"""What relays of Anthropic Messages send to clouds, held against judges that were written apart from the table: none of
it is refused, and all that the judges know is in what a client asks for (CAP-8)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxai_ir import TranslationError

from ..samples.anthropic_messages.requests import DENSE, EXAMPLES
from ..servers.models.judge import Check
from .judge import JUDGES, refusals
from .test_features import AWS, AZURE, CODING, EVERY, VERTEX, listed, request

Json = Any
SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}
ALL: Json = {
    **CODING,
    **{name: {"x": 1} for name in ("billing_policy", "diagnostics", "thread", "user_profile_id", "workspace_id")},
    "output_format": {"type": "json_schema", "schema": SCHEMA},
    "stream": True,
    "anthropic_version": "2027-01-01",
    "cache_control": {"type": "ephemeral"},
    "container": "c_1",
    "fallbacks": [{"model": "m"}],
    "inference_geo": "us",
    "mcp_servers": [{"type": "url", "name": "s", "url": "https://x"}],
    "output_config": {"effort": "low", "task_budget": {"x": 1}, "format": {"type": "json_schema", "schema": SCHEMA}},
    "thinking": {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}},
    "tools": [
        *CODING["tools"],
        {"type": "web_search_20260318", "name": "web_search_2"},
        {"type": "code_execution_20250825", "name": "code_execution"},
    ],
}
BODIES: Json = {"coding agent": CODING, "all": ALL, **EXAMPLES, **DENSE}
CLOUDS = {"bedrock": AWS, "vertex": VERTEX, "azure": AZURE}
MODELS = {
    "bedrock": (
        "us.anthropic.claude-opus-4-1-20250805-v1:0",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "global.anthropic.claude-haiku-4-5-20251001-v1:0",
        "us.anthropic.claude-opus-4-6-v1",
        "eu.anthropic.claude-sonnet-4-6",
        "us.anthropic.claude-opus-4-8",
        "anthropic.claude-sonnet-5",
        "us.anthropic.claude-opus-5-5",
        "us.anthropic.claude-fable-5-1",
    ),
    "vertex": (
        "claude-opus-4-1@20250805",
        "claude-sonnet-4-5@20250929",
        "claude-opus-4-6@default",
        "claude-sonnet-5",
        "claude-opus-5-5",
        "claude-fable-5-1",
    ),
    "azure": ("claude-sonnet-4-5", "claude-opus-4-8", "claude-opus-5-5", "ours"),
}
PAIRS = [(cloud, model) for cloud, names in MODELS.items() for model in names]


@pytest.mark.parametrize("what", BODIES)
@pytest.mark.parametrize(("cloud", "model"), PAIRS)
def test_nothing_is_sent_that_a_cloud_refuses(cloud: str, model: str, what: str) -> None:
    for names in ("", ",".join(EVERY)):
        try:
            sent = request(BODIES[what], names, CLOUDS[cloud], model=model)
        except TranslationError:
            continue  # named, and not sent
        asked = {"model": model, "betas": listed(sent), "body": json.loads(sent.body)}
        assert [(pointer, one.message) for pointer, one in refusals(cloud, asked)] == []


@pytest.mark.parametrize(("cloud", "check"), [(cloud, one) for cloud, checks in JUDGES.items() for one in checks])
def test_each_of_it_is_in_what_a_client_asks_for(cloud: str, check: Check) -> None:
    found = [
        check.refuses({"model": model, "betas": names, "body": ALL}) for model in MODELS[cloud] for names in ([], EVERY)
    ]
    assert any(found)
    assert check.source
