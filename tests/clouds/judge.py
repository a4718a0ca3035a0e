"""What clouds refuse of requests of Anthropic Messages, as threads, documents and clients who asked them say (read
2026-11-29): written apart from `proxai_ir.profiles.features`, and held against what relays send.

A request is judged as {"model": its name, "betas": the list, wherever it stands, "body": the body}.
"""

from __future__ import annotations

import re

from tests.servers.models.judge import Check, Json, Refuses, Test, either, where

SKILL = "https://github.com/anthropics/skills: claude-api/shared/platform-availability.md"
PYDANTIC = "pydantic-ai 2.68, `models/anthropic`: verified live"
ISSUES = "https://github.com/anthropics/claude-code/issues/"
EXTRA = "{}: Extra inputs are not permitted"


def members(names: str, source: str) -> tuple[Check, ...]:
    return tuple(Check(where(f"body/{name}"), EXTRA.format(name.replace("/", ".")), source) for name in names.split())


def begins(*words: str) -> Test:
    return lambda value: isinstance(value, str) and value.startswith(words)


def betas(names: str, message: str, source: str) -> tuple[Check, ...]:
    return tuple(Check(where("betas/*", begins(name)), message, source) for name in names.split())


def tools(names: str, source: str) -> tuple[Check, ...]:
    message = "tool type {} is not supported for this model"
    return tuple(
        Check(where("body/tools/*/type", begins(name)), message.format(name), source) for name in names.split()
    )


def without(refuses: Refuses, *names: str) -> Refuses:
    """Members that are refused unless one of these betas is listed."""
    return lambda asked: None if any(one.startswith(names) for one in asked["betas"]) else refuses(asked)


def of_models(pattern: str, refuses: Refuses) -> Refuses:
    return lambda asked: refuses(asked) if re.search(pattern, asked["model"]) else None


NOWHERE = members("billing_policy diagnostics fallbacks inference_geo speed thread user_profile_id workspace_id", SKILL)
"""What only the vendor's own servers have."""
SCOPE = Check(
    either(*(where(f"body/{at}/cache_control/scope") for at in ("system/*", "messages/*/content/*", "tools/*"))),
    EXTRA.format("system.0.cache_control.ephemeral.scope"),
    f"{ISSUES}21625",
)
NEEDED = (
    Check(
        without(where("body/context_management"), "context-management", "compact"),
        EXTRA.format("context_management"),
        f"{ISSUES}21612",
    ),
    Check(
        without(where("body/tools/*/defer_loading", lambda value: value is True), "tool-search-tool", "advanced-tool"),
        EXTRA.format("tools.0.custom.defer_loading"),
        f"{ISSUES}82549",
    ),
)
LATER = r"-4-[678]|[a-z]-5"
"""Models that think between calls without a beta, and refuse it on clouds."""

FLAG = "The model returned the following errors: invalid beta flag"
HEADER = "Unexpected value(s) … for the `anthropic-beta` header."
INVOKE = (
    Check(where("body/model"), EXTRA.format("model"), "AWS, InvokeModel: the model is in the path"),
    Check(where("body/stream"), EXTRA.format("stream"), "AWS, InvokeModel: the stream has a path of its own"),
    Check(
        where("body/anthropic_version", lambda value: value != "bedrock-2023-05-31"),
        "Invalid API version",
        "https://github.com/anthropics/anthropic-sdk-python/issues/2031",
    ),
    *NOWHERE,
    *members("container mcp_servers metadata service_tier output_format", f"{ISSUES}49370; coder, `aibridge`"),
    SCOPE,
    *NEEDED,
    *betas(
        "oauth prompt-caching-scope fast-mode redact-thinking",
        FLAG,
        "https://github.com/router-for-me/CLIProxyAPI/issues/4750, flag by flag",
    ),
    *betas("claude-code advanced-tool-use web-fetch mcp-client files-api skills", FLAG, "litellm 1.110, its table"),
    Check(of_models(LATER, where("betas/*", begins("interleaved"))), FLAG, "the vendor's page of extended thinking"),
    *tools("web_search web_fetch code_execution", f"{PYDANTIC}; https://github.com/pydantic/pydantic-ai/issues/11513"),
    Check(
        where("body/thinking/block_binding/prefix_mismatch_behavior"),
        EXTRA.format("thinking.adaptive.block_binding.prefix_mismatch_behavior"),
        "https://github.com/vercel/ai/issues/20729",
    ),
    Check(
        of_models("sonnet-4-6", where("betas/*", begins("thinking-binding"))),
        FLAG,
        "https://github.com/vercel/ai/issues/20729: such models reject the beta itself",
    ),
    Check(
        of_models("4-5|4-6", where("body/cache_control")),
        EXTRA.format("cache_control"),
        f"{SKILL}; {PYDANTIC}, on 2026-10-16",
    ),
)
VERTEX = (
    Check(where("body/model"), EXTRA.format("model"), "Google, rawPredict: the model is in the path"),
    *NOWHERE,
    *members("container mcp_servers service_tier", SKILL),
    SCOPE,
    *NEEDED,
    *betas("prompt-caching-scope", HEADER, f"{ISSUES}21625"),
    *betas("structured-outputs", HEADER, "https://github.com/vercel/ai/issues/10981"),
    *betas("effort", HEADER, f"{ISSUES}34802"),
    *betas("oauth fast-mode redact-thinking advanced-tool-use mcp-client", HEADER, "litellm 1.110, its table"),
    Check(of_models(LATER, where("betas/*", begins("interleaved"))), HEADER, "the vendor's page of extended thinking"),
    *tools("web_search_20260209 web_search_20260318 web_fetch code_execution", f"{PYDANTIC}, in November 2026"),
    Check(
        of_models("opus-4-1", where("body/output_config/format")),
        EXTRA.format("output_config.format"),
        "Google, structured outputs: models since 4.5",
    ),
)
FOUNDRY = (
    *NOWHERE,
    *members("output_config/task_budget", SKILL),
    *betas("fast-mode", HEADER, SKILL),
    *betas("thinking-binding", HEADER, f"{PYDANTIC}: no published support"),
)
JUDGES = {"bedrock": INVOKE, "vertex": VERTEX, "azure": FOUNDRY}


def refusals(cloud: str, asked: Json) -> list[tuple[str, Check]]:
    """List the parts of a request that a cloud refuses, each with the check that says so."""
    found = [(one.refuses(asked), one) for one in JUDGES[cloud]]
    return [(pointer, one) for pointer, one in found if pointer is not None]
