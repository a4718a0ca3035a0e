"""Profiles by a model's name: how names are read, what rows they get, and that the rows fit each other."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Profile, profiles
from proxai_ir.profiles import models, vendors
from proxai_ir.profiles.facts import CHAT, CONVERSE, GEMINI, INTERACTIONS, MESSAGES, RESPONSES, Fact
from proxai_ir.profiles.models import for_model, tailored
from proxai_ir.profiles.named import server_at
from proxai_ir.protocol.registry import backend

from ..work import operations

# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "family", "version", "words", "server"),
    [
        ("claude-opus-4-5", "claude-opus", (4, 5), (), ""),
        ("claude-opus-4-5-20251101", "claude-opus", (4, 5), (), ""),
        ("claude-sonnet-4-0", "claude-sonnet", (4, 0), (), ""),
        ("claude-sonnet-4-20250514", "claude-sonnet", (4,), (), ""),
        ("claude-3-7-sonnet-latest", "claude-sonnet", (3, 7), (), ""),
        ("anthropic/claude-3.7-sonnet:thinking", "claude-sonnet", (3, 7), (), ""),
        ("anthropic/claude-opus-5.5", "claude-opus", (5, 5), (), ""),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet", (4, 5), (), "bedrock"),
        ("anthropic.claude-haiku-5-5", "claude-haiku", (5, 5), (), "bedrock"),
        ("claude-sonnet-4@20250514", "claude-sonnet", (4,), (), "vertex"),
        ("claude-mythos-preview", "claude-mythos", None, (), ""),
        ("models/gemini-3.1-pro-preview", "gemini", (3, 1), ("pro",), ""),
        ("publishers/google/models/gemini-2.5-flash", "gemini", (2, 5), ("flash",), "vertex"),
        ("gemini-flash-latest", "gemini", None, ("flash",), ""),
        ("google/gemini-2.0-flash-exp:free", "gemini", (2, 0), ("flash",), ""),
        ("gemma-4-31b-it", "gemma", (4,), ("31b", "it"), ""),
        ("gpt-5", "gpt", (5,), (), ""),
        ("GPT-5", "gpt", (5,), (), ""),
        ("gpt-4o-mini-2024-07-18", "gpt", (4,), ("o", "mini"), ""),
        ("gpt-4-0613", "gpt", (4,), (), ""),
        ("gpt-35-turbo", "gpt", (3, 5), ("turbo",), ""),
        ("gpt-5.4-mini-2026-03-17", "gpt", (5, 4), ("mini",), ""),
        ("gpt-5-chat-latest", "gpt", (5,), ("chat",), ""),
        ("gpt-5.1-codex-max", "gpt", (5, 1), ("codex", "max"), ""),
        ("ft:gpt-4o-2024-08-06:acme::abc", "gpt", (4,), ("o",), ""),
        ("openai/gpt-5.6-sol", "gpt", (5, 6), ("sol",), ""),
        ("global.openai.gpt-6-astra", "gpt", (6,), ("astra",), "bedrock"),
        ("gpt-oss:20b", "gpt-oss", None, (), ""),
        ("openai.gpt-oss-120b-1:0", "gpt-oss", None, ("120b", "1"), "bedrock"),
        ("us.deepseek.r1-v1:0", "deepseek", None, ("r1",), "bedrock"),
        ("deepseek.v3-v1:0", "deepseek", (3,), (), "bedrock"),
        ("nvidia.nemotron-nano-9b-v2", "nemotron", None, ("nano", "9b"), "bedrock"),
        ("chatgpt-4o-latest", "chatgpt", (4,), ("o",), ""),
        ("o3-mini-2025-01-31", "o3", None, ("mini",), ""),
        ("codex-mini-latest", "codex-mini", None, (), ""),
        ("my-deployment", "", None, (), ""),
        ("gptzero", "", None, (), ""),
        ("", "", None, (), ""),
        ("  ", "", None, (), ""),
        ("/", "", None, (), ""),
        (":", "", None, (), ""),
        ("a/b:c@d", "", None, (), "vertex"),
    ],
)
def test_a_name_is_read(name: str, family: str, version: Any, words: Any, server: str) -> None:
    found = models.named(name)
    assert (found.family, found.version, found.words) == (family, version, words)
    if family:
        assert found.server == server


# --- profiles ---------------------------------------------------------------------------------------------------------

OLD_CLAUDE = {"adaptive_thinking": False, "effort": False, "prefill": True}
BARE = {"structured_output": False, "strict_tools": False, "temperature_with_top_p": True}
CURRENT_CLAUDE = {"thinking_budgets": False, "sampling": False}
GEMINI_2_5 = {
    "effort": False, "dummy_signatures": False, "json_with_tools": False, "mixed_tools": False,
    "media_in_results": False, "media_resolution": False, "prefill": True,
}  # fmt: skip
VERTEX = {
    "display_names": True, "enterprise_search": True, "excluded_domains": True, "file_search": False, "labels": True,
    "logprobs": True, "mcp_servers": False, "mixed_tools": False, "store": False,
}  # fmt: skip
ON_VERTEX = {"fast_mode": False, "other_hosted_tools": False, "service_tiers": False, "system_in_place": False}
NEWER_GPT = {"thinking_off": True, "sampling_with_thinking": False}
OPENAIS = {"google_signatures": False, "most_tools": 128}
SINCE_5 = {"max_completion_tokens": True, **OPENAIS, "stop_sequences": False, "custom_tools": True, "audio": False}
USER_FIRST = {"family": "other", "assistant_first": False, "citations": False}
UNFORMATTED = {"structured_output": False, "strict_tools": False}
UNFORCED = {**UNFORMATTED, "tool_choice": False, "citations": False}
"""Of families on Bedrock, as it stands in the documents that their rows name."""
NOVA = {
    **UNFORMATTED,
    "family": "nova",
    "assistant_first": False,
    "citations": False,
    "long_caching": False,
    "schema_keywords": False,
    "result_media": "legible",
    "beside_results": "all",
}
MISTRAL = {
    **USER_FIRST,
    "beside_results": "nothing",
    "result_media": "documents",
    "named_choice": False,
    "call_ids": False,
}
GPT_6 = {
    **UNFORCED,
    "family": "responses",
    "sampling": False,
    "sampling_with_thinking": False,
    "stop_sequences": False,
    "least_effort": "low",
    "highest_effort": "xhigh",
    "thinking_off": False,
    "thinks_by_default": True,
    "audio": False,
}
UNTHINKING = {"thinking": False, "thinks_by_default": False}
UNSAMPLED = {"sampling": False, "logprobs": False}


@pytest.mark.parametrize(
    ("protocol", "model", "settings"),
    [
        (MESSAGES, "claude-3-5-sonnet-20241022", {**OLD_CLAUDE, **BARE, "thinking": False, "max_tokens": 8192}),
        (MESSAGES, "claude-sonnet-4-20250514", {**OLD_CLAUDE, **BARE}),
        (MESSAGES, "claude-haiku-4-5", OLD_CLAUDE),
        (MESSAGES, "claude-opus-4-5", {**OLD_CLAUDE, "effort": True, "highest_effort": "high"}),
        (MESSAGES, "claude-sonnet-4-6", {"xhigh_effort": False}),
        (MESSAGES, "claude-opus-4-7", CURRENT_CLAUDE),
        (MESSAGES, "claude-sonnet-5", CURRENT_CLAUDE),
        (MESSAGES, "claude-haiku-5-5", {**CURRENT_CLAUDE, "system_in_place": True}),
        (MESSAGES, "claude-fable-5", {**CURRENT_CLAUDE, "system_in_place": True, "thinking_off": False}),
        (
            MESSAGES,
            "claude-sonnet-5-5",
            {
                **CURRENT_CLAUDE,
                "system_in_place": True,
                "thinking_off": False,
                "least_thinking": "between_tools",
                "forced_choice": False,
            },
        ),
        (
            MESSAGES,
            "claude-sonnet-5-5@20260928",
            {
                **CURRENT_CLAUDE,
                "system_in_place": False,
                "thinking_off": False,
                "least_thinking": "between_tools",
                "forced_choice": False,
                "fast_mode": False,
                "other_hosted_tools": False,
                "service_tiers": False,
            },
        ),
        (GEMINI, "gemini-2.5-pro", GEMINI_2_5),
        (GEMINI, "gemini-2.5-flash", {**GEMINI_2_5, "thinking_off": True}),
        (
            GEMINI,
            "publishers/google/models/gemini-2.5-pro",
            {**GEMINI_2_5, **VERTEX},
        ),
        (GEMINI, "gemini-3-flash-preview", {"several_candidates": False, "prefill": True, "least_effort": "minimal"}),
        (GEMINI, "gemini-3.1-pro-preview", {"several_candidates": False, "prefill": True}),
        (GEMINI, "gemini-3.6-flash", {"several_candidates": False, "least_effort": "minimal"}),
        (GEMINI, "gemini-3.8-flash", {"several_candidates": False}),
        (GEMINI, "gemini-4-argon", {"several_candidates": False, "thinking_budgets": False}),
        (
            GEMINI,
            "gemini-4-neon",
            {"several_candidates": False, "thinking_budgets": False, "highest_effort": "xhigh"},
        ),
        (INTERACTIONS, "gemini-3-flash-preview", {"prefill": True, "least_effort": "minimal"}),
        (
            INTERACTIONS,
            "gemini-2.5-flash",
            {"prefill": True, "json_with_tools": False, "media_in_results": False, "thinking_off": False},
        ),
        (INTERACTIONS, "gemini-2.5-pro", {"prefill": True, "json_with_tools": False, "media_in_results": False}),
        (INTERACTIONS, "gemini-4-neon", {"highest_effort": "xhigh"}),
        (GEMINI, "gemma-4-31b-it", {"thinking_budgets": False, "least_effort": "minimal", "middle_efforts": False}),
        (CHAT, "gpt-4o", {**OPENAIS, "thinking": False}),
        (RESPONSES, "gpt-4.1-mini", {"thinking": False}),
        (CHAT, "gpt-4-turbo", {**OPENAIS, "thinking": False, "json_schema": False}),
        (CHAT, "gpt-audio-mini", {**OPENAIS, "thinking": False, "images": False}),
        (
            CHAT,
            "o4-mini",
            {
                **OPENAIS,
                **UNSAMPLED,
                "max_completion_tokens": True,
                "least_effort": "low",
                "highest_effort": "high",
                "penalties": False,
                "parallel_tools": False,
                "stop_sequences": False,
            },
        ),
        (
            CHAT,
            "gpt-5-mini",
            {**UNSAMPLED, **SINCE_5, "least_effort": "minimal", "highest_effort": "high", "penalties": False},
        ),
        (RESPONSES, "gpt-5-mini", {**UNSAMPLED, "least_effort": "minimal", "highest_effort": "high"}),
        (
            CHAT,
            "gpt-5.1",
            {**NEWER_GPT, **SINCE_5, "least_effort": "low", "highest_effort": "high", "thinks_by_default": False},
        ),
        (
            CHAT,
            "gpt-5.4",
            {
                **NEWER_GPT,
                **SINCE_5,
                "least_effort": "low",
                "highest_effort": "xhigh",
                "thinks_by_default": False,
                "effort_with_tools": False,
            },
        ),
        (
            CHAT,
            "gpt-5.6-luna",
            {
                **NEWER_GPT,
                **SINCE_5,
                "least_effort": "low",
                "highest_effort": "xhigh",
                "penalties": False,
                "cache_breakpoints": True,
                "tools_with_thinking": False,
            },
        ),
        (RESPONSES, "gpt-5.6-luna", {**NEWER_GPT, "least_effort": "low", "cache_breakpoints": True}),
        (
            RESPONSES,
            "gpt-6.2-sol",
            {
                **NEWER_GPT,
                **UNSAMPLED,
                "thinking_off": False,
                "least_effort": "low",
                "cache_breakpoints": True,
            },
        ),
        (
            RESPONSES,
            "gpt-5-pro-2025-10-06",
            {**UNSAMPLED, "least_effort": "high", "highest_effort": "high", "thinking_off": False},
        ),
        (
            RESPONSES,
            "gpt-5.5-pro",
            {**NEWER_GPT, "thinking_off": False, "least_effort": "medium", "highest_effort": "xhigh"},
        ),
        (
            CONVERSE,
            "us.amazon.nova-2-lite-v1:0",
            {**NOVA, "thinking": True, "unsigned_thinking": True, "video": True, "web_search": True},
        ),
        (CONVERSE, "amazon.nova-micro-v1:0", {**NOVA, "thinking": False, "images": False, "documents": False}),
        (
            CONVERSE,
            "openai.gpt-oss-120b-1:0",
            {
                **UNFORCED,
                "family": "openai",
                "least_effort": "low",
                "highest_effort": "high",
                "thinking_off": False,
                "thinks_by_default": True,
                "unsigned_thinking": True,
                "stop_sequences": False,
                "images": False,
                "schema_references": False,
            },
        ),
        (
            CONVERSE,
            "us.meta.llama4-maverick-17b-instruct-v1:0",
            {**USER_FIRST, **UNTHINKING, **UNFORCED, "stream_tools": False, "beside_results": "nothing"},
        ),
        (
            CONVERSE,
            "mistral.mistral-large-3-675b-instruct",
            {**MISTRAL, **UNTHINKING, "structured_output": True, "strict_tools": True, "images": True},
        ),
        (CONVERSE, "mistral.magistral-small-2509", {**MISTRAL, "unsigned_thinking": True}),
        (
            CONVERSE,
            "cohere.command-r-plus-v1:0",
            {**USER_FIRST, **UNTHINKING, **UNFORCED, "images": False},
        ),
        (CONVERSE, "ai21.jamba-1-5-large-v1:0", {**USER_FIRST, **UNFORCED, "images": False}),
        (
            CONVERSE,
            "us.writer.palmyra-x5-v1:0",
            {**USER_FIRST, **UNFORCED, "stream_tools": False, "beside_results": "nothing", "result_status": False},
        ),
        (
            CONVERSE,
            "qwen.qwen3-32b-v1:0",
            {
                "family": "qwen",
                "system_in_place": False,
                "citations": False,
                "tool_choice": False,
                "stop_sequences": False,
                "result_media": "none",
                "documents": False,
                "images": False,
                "least_effort": "low",
                "highest_effort": "high",
                "medium_effort": False,
                "thinking_off": True,
                "thinks_by_default": False,
                "unsigned_thinking": True,
            },
        ),
        (
            CONVERSE,
            "us.deepseek.r1-v1:0",
            {**UNFORCED, "family": "other", "images": False, "function_tools": False, "thinking": False},
        ),
        (CONVERSE, "openai.gpt-6-astra", GPT_6),
        (
            CONVERSE,
            "us.anthropic.claude-sonnet-4-6",
            {"xhigh_effort": False, "forced_with_thinking": False, "system_in_place": False},
        ),
        (
            CONVERSE,
            "us.anthropic.claude-opus-4-5-20251101-v1:0",
            {
                "adaptive_thinking": False,
                "effort": False,
                "highest_effort": "high",
                "prefill": True,
                "system_in_place": False,
            },
        ),
        (
            CONVERSE,
            "us.anthropic.claude-3-7-sonnet-20250219-v1:0",
            {**OLD_CLAUDE, **BARE, "parallel_tools": False, "system_in_place": False, "long_caching": False},
        ),
        (
            CONVERSE,
            "anthropic.claude-sonnet-5-5",
            {
                **CURRENT_CLAUDE,
                "forced_choice": False,
                "least_thinking": "between_tools",
                "lone_reasoning": False,
                "strict_tools": False,
                "structured_output": False,
                "system_in_place": True,
                "thinking_off": False,
            },
        ),
        (
            MESSAGES,
            "claude-opus-4-1@20250805",
            {**OLD_CLAUDE, **ON_VERTEX, "structured_output": False, "strict_tools": False},
        ),
        (MESSAGES, "claude-sonnet-4-5@20250929", {**OLD_CLAUDE, **ON_VERTEX}),
        (CONVERSE, "twelvelabs.pegasus-1-2-v1:0", {"family": "other", "citations": False}),
    ],
)
def test_what_a_model_takes(protocol: str, model: str, settings: dict[str, Any]) -> None:
    found = profiles.for_model(protocol, model)
    settings = {**(SIGNED if "claude" in model else {}), **settings}
    if protocol == GEMINI and "gemini" in model:
        settings["most_tools"] = 512
    assert found == Profile(protocol, **settings)
    has = backend(protocol).target.settings
    assert {name for row in found.why for name in row.settings if name in has} == settings.keys()


SIGNED = {"unsigned_thinking": False}
"""What every Claude takes."""


def test_the_rows_say_why() -> None:
    (row,) = [row for row in profiles.for_model(MESSAGES, "claude-sonnet-4-6").why if "xhigh_effort" in row.settings]
    assert row.settings == {"xhigh_effort": False}
    assert row.source == "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium."


def test_a_later_row_counts() -> None:
    why = profiles.for_model(MESSAGES, "claude-opus-4-5").why
    assert [row.settings["effort"] for row in why if "effort" in row.settings] == [False, True]


@pytest.mark.parametrize(
    ("protocol", "unseen", "newest"),
    [
        (MESSAGES, "claude-opus-7", "claude-opus-5-5"),
        (MESSAGES, "~anthropic/claude-opus-latest", "claude-opus-5-5"),
        (MESSAGES, "claude-fable-6-1-20270301", "claude-fable-5-2"),
        (GEMINI, "gemini-5.1-pro", "gemini-4-argon"),
        (GEMINI, "gemini-flash-latest", "gemini-4-carbon"),
        (RESPONSES, "gpt-7", "gpt-6.2-astra"),
        (CHAT, "gpt-7-luna", "gpt-6-luna"),
        (RESPONSES, "gpt-6.9-terra", "gpt-6.1-terra"),
    ],
)
def test_an_unseen_version_is_as_the_newest(protocol: str, unseen: str, newest: str) -> None:
    assert profiles.for_model(protocol, unseen) == profiles.for_model(protocol, newest)


@pytest.mark.parametrize("model", ["", "/", ":", "my-deployment", "ft::", "claud", "a" * 5000, "\ud800", "モデル"])
@pytest.mark.parametrize("protocol", [CHAT, RESPONSES, MESSAGES, GEMINI])
def test_of_an_unknown_family_nothing_is_known(protocol: str, model: str) -> None:
    found = profiles.for_model(protocol, model)
    assert found == Profile(protocol)
    assert found.why == ()


def test_a_server_may_be_stated() -> None:
    assert "web_search" not in profiles.for_model(MESSAGES, "claude-opus-5-5").given
    for server in ({"model": "anthropic.claude-opus-5-5"}, {"model": "claude-opus-5-5", "server": "bedrock"}):
        assert profiles.for_model(MESSAGES, **server).given["web_search"] is False
    assert "web_search" not in profiles.for_model(MESSAGES, "anthropic.claude-opus-5-5", "").given


def test_an_unknown_protocol_is_named() -> None:
    with pytest.raises(proxai_ir.UnknownProtocol):
        profiles.for_model("soap", "gpt-5")


@pytest.mark.parametrize(
    ("model", "protocol"),
    [
        ("gpt-4o", CHAT),
        ("gpt-5", CHAT),
        ("gpt-5.4", CHAT),
        ("gpt-5.6", RESPONSES),
        ("gpt-6.2-sol", RESPONSES),
        ("gpt-9", RESPONSES),
        ("gpt-5-pro", RESPONSES),
        ("gpt-5-codex", RESPONSES),
        ("o3", CHAT),
        ("o3-pro", RESPONSES),
        ("o4-mini-deep-research", RESPONSES),
        ("codex-mini-latest", RESPONSES),
        ("claude-haiku-4-5", MESSAGES),
        ("anthropic.claude-opus-5-5", MESSAGES),
        ("gemini-2.5-pro", GEMINI),
        ("gemma-4-31b-it", GEMINI),
        ("my-deployment", CHAT),
        ("", CHAT),
        ("amazon.nova-pro-v1:0", CONVERSE),
        ("us.amazon.nova-lite-v1:0", CONVERSE),
        ("meta.llama3-1-70b-instruct-v1:0", CONVERSE),
        ("mistral.mistral-large-2407-v1:0", CONVERSE),
        ("amazon.titan-text-express-v1", CONVERSE),
        ("ai21.jamba-1-5-large-v1:0", CONVERSE),
        ("cohere.command-r-plus-v1:0", CONVERSE),
        ("openai.gpt-oss-120b-1:0", CONVERSE),
        ("moonshotai.kimi-k2.5", CONVERSE),
        ("eu.twelvelabs.pegasus-1-2-v1:0", CONVERSE),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", MESSAGES),
        ("arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-pro-v1:0", CONVERSE),
        ("command-r-plus", "cohere_v2_chat"),
        ("llama3.1:8b", CHAT),
    ],
)
def test_the_protocol_that_takes_most(model: str, protocol: str) -> None:
    assert profiles.target(model) == profiles.for_model(protocol, model)


# --- rows -------------------------------------------------------------------------------------------------------------

ROWS = [pytest.param(row, id=f"{at}-{'-'.join(sorted(row.settings))}") for at, row in enumerate(vendors.FACTS)]


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_well_formed(row: Fact) -> None:
    assert row.settings
    for protocol in row.protocols or proxai_ir.protocols():
        has = backend(protocol).target.settings
        Profile(protocol, **{name: one for name, one in row.settings.items() if name in has})
    assert date.fromisoformat(row.looked) <= date.today()
    assert re.fullmatch(r"https://\S+|google-genai|\S+ .{4,}", row.source), row.source
    assert row.until == () or row.since[: len(row.until)] <= row.until


def test_each_row_is_about_a_name_that_its_family_has() -> None:
    for row in vendors.FACTS:
        assert row.families <= set(vendors.FAMILIES)
    assert list(vendors.FAMILIES) == sorted(vendors.FAMILIES, key=len, reverse=True)


@pytest.mark.parametrize("model", ["claude-sonnet-5-5", "nonsense", "", "a/b:c"])
def test_a_name_that_was_asked_about_before_costs_a_look_up(model: str) -> None:
    """Well below 5 microseconds: no function of ours is called, but for what a Profile is found by."""
    profile = Profile("anthropic_messages", prefill=True)
    for_model("anthropic_messages", model)
    tailored(profile, model)
    assert operations(lambda: for_model("anthropic_messages", model)) <= 4
    assert operations(lambda: tailored(profile, model)) <= 10


@pytest.mark.parametrize("model", ["", " ", "/", "a/", ":", "ft:", "@", ".", "-", "claude-", "gpt-4o\x00", "é" * 5000])
@pytest.mark.parametrize("protocol", proxai_ir.protocols())
def test_no_name_is_an_error(protocol: str, model: str) -> None:
    assert for_model(protocol, model).protocol == protocol
    assert profiles.target(model).protocol in proxai_ir.protocols()


@pytest.mark.parametrize(
    ("host", "server"),
    [
        ("api.groq.com", "groq"),
        ("api.cerebras.ai", "cerebras"),
        ("mine.openai.azure.com", "azure"),
        ("mine.cognitiveservices.azure.com", "azure"),
        ("us-central1-aiplatform.googleapis.com", "vertex"),
        ("api.openai.com", None),
        ("localhost", None),
    ],
)
def test_a_host_tells_whose_server_it_is(host: str, server: str | None) -> None:
    assert server_at(host) == server


def test_what_openai_lacks_in_chat_routers_have() -> None:
    """They send tools to another endpoint of OpenAI's."""
    own, routed = (profiles.for_model(CHAT, "gpt-5.6-luna", server).given for server in (None, "openrouter"))
    assert own["tools_with_thinking"] is False
    assert "tools_with_thinking" not in routed
