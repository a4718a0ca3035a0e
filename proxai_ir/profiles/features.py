"""The betas and members of a vendor's API that its clouds take, by cloud and model (CAP-8).

A row of BETAS has for each beta the cloud's own name of it, one of WORDS what is sent in place of a value, by its path,
and one of NAMES the cloud's own name of a member, by its path.
A beta that no row has is not taken, and with it the members of the body that need it; a cloud without any row takes
everything, as the vendor does. Rule: data and their lookup alone.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ..reporting.catalogue import TableError
from .clouds import CLOUDS as PLACES
from .clouds import Cloud
from .facts import CONVERSE, MESSAGES, Fact, Name, about, fact
from .models import MOST, named

LOOKED = "2026-11-29"
LITELLM = "litellm 1.110, `anthropic_beta_headers_config.json`"
AWS = "https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html"
SKILL = "https://github.com/anthropics/skills/blob/main/skills/claude-api/shared/platform-availability.md"
PYDANTIC = "pydantic-ai 2.68, requests to both APIs of Bedrock and to Vertex AI"
INTERLEAVED = "https://platform.claude.com/docs/en/build-with-claude/extended-thinking: on clouds others refuse it"

BEDROCK, MANTLE, VERTEX, AZURE = "bedrock", "bedrock_mantle", "vertex", "azure"
CLOUDS = f"{BEDROCK} {MANTLE} {VERTEX} {AZURE}"
"""The clouds of `profiles.clouds` that serve Anthropic Messages by a table; openrouter is asked for everything."""
WHOLE = {"openrouter": "it sends the vendor what it is asked for, or another vendor what that takes"}
"""Clouds that serve Anthropic Messages and need no table, each with the reason."""
BINDING = "https://github.com/vercel/ai/issues/20729"
BOUND = "thinking-binding-controls-2026-08-01"
THINKING = "interleaved-thinking-2025-05-14"
SEARCH = "tool-search-tool-2025-10-19"
COMPUTERS = "computer-use-2025-01-24 computer-use-2025-11-24"


def row(families: str, *protocols: str, **said: Any) -> Fact:
    """Return a row about betas or words of a protocol."""
    return fact(families, *protocols, reason="betas and words are those of one protocol", **said)


def same(names: str) -> dict[str, str]:
    """Return betas that have the vendor's own name there."""
    return {name: name for name in names.split()}


def searched() -> dict[str, str]:
    """Return tool search, whose beta the vendor has with others under one name."""
    return {SEARCH: SEARCH, "advanced-tool-use-2025-11-20": SEARCH}


def sent(path: str, word: str, others: str) -> dict[str, Any]:
    """Return the word that is sent in place of others at a path."""
    return {path: dict.fromkeys(others.split(), word)}


BETAS = (
    # --- Amazon Bedrock, InvokeModel ----------------------------------------------------------------------------------
    row(
        "", MESSAGES, server=BEDROCK, looked=LOOKED, source=f"{AWS}; {LITELLM}",
        **same(f"computer-use-2024-10-22 {COMPUTERS} context-1m-2025-08-07 context-management-2025-06-27"),
        **same("tool-examples-2025-10-29"), **searched(),
    ),
    row(
        "", MESSAGES, server=BEDROCK, looked=LOOKED, source=LITELLM,
        **same("compact-2026-01-12 dangerous-tool-use-2026-09-03"),
        **same("mid-conversation-tool-changes-2026-07-01 thinking-display-updates-2026-08-18"),
    ),
    # --- Amazon Bedrock, its Messages API -----------------------------------------------------------------------------
    row(
        "", MESSAGES, server=MANTLE, looked=LOOKED, source=LITELLM,
        **same(f"claude-code-20250219 compact-2026-01-12 {COMPUTERS} context-1m-2025-08-07"),
        **same("context-management-2025-06-27 dangerous-tool-use-2026-09-03 fine-grained-tool-streaming-2025-05-14"),
        **same("per-turn-control-2026-07-01 structured-outputs-2025-11-13 thinking-binding-controls-2026-08-01"),
        **same("thinking-display-updates-2026-08-18 tool-examples-2025-10-29 web-search-2025-03-05"), **searched(),
    ),
    # --- Vertex AI ----------------------------------------------------------------------------------------------------
    row(
        "", MESSAGES, server=VERTEX, looked=LOOKED, source=LITELLM,
        **same(f"compact-2026-01-12 compact-2026-09-04 {COMPUTERS} context-1m-2025-08-07"),
        **same("context-management-2025-06-27 dangerous-tool-use-2026-09-03 per-turn-control-2026-07-01"),
        **same("thinking-binding-controls-2026-08-01 thinking-display-updates-2026-08-18 web-search-2025-03-05"),
        **searched(),
    ),
    # --- Microsoft Foundry --------------------------------------------------------------------------------------------
    row(
        "", MESSAGES, server=AZURE, looked=LOOKED, source=f"{LITELLM}; {SKILL}",
        **same(f"advanced-tool-use-2025-11-20 code-execution-2025-08-25 compact-2026-01-12 {COMPUTERS}"),
        **same("context-1m-2025-08-07 context-management-2025-06-27 dangerous-tool-use-2026-09-03 effort-2025-11-24"),
        **same("files-api-2025-04-14 mcp-client-2025-04-04 mcp-client-2025-11-20 per-turn-control-2026-07-01"),
        **same("prompt-caching-scope-2026-01-05 skills-2025-10-02 structured-outputs-2025-11-13"),
        **same(f"thinking-display-updates-2026-08-18 web-fetch-2025-09-10 web-search-2025-03-05 {THINKING}"),
    ),
    # --- Converse, in `additionalModelRequestFields` ------------------------------------------------------------------
    row(
        "", CONVERSE, looked=LOOKED, source=LITELLM,
        **same(f"{COMPUTERS} context-1m-2025-08-07 thinking-display-updates-2026-08-18"),
    ),
    # --- by model -----------------------------------------------------------------------------------------------------
    row(
        "claude-opus", MESSAGES, CONVERSE, server="bedrock bedrock_mantle own", since="4.5", until="4.5",
        looked=LOOKED, source=f"{AWS}; later models have efforts without it", **same("effort-2025-11-24"),
    ),
    row(
        "claude-opus claude-sonnet", MESSAGES, CONVERSE, server="bedrock bedrock_mantle vertex own", since="4",
        until="4.5", looked=LOOKED, source=INTERLEAVED, **same(THINKING),
    ),
    row(
        "claude-opus", MESSAGES, CONVERSE, server="bedrock own", since="4.7", looked=LOOKED,
        source=f"{BINDING}: Opus 4.7 takes it, Sonnet 4.6 does not", **same(BOUND),
    ),
    row(
        "claude-sonnet claude-haiku claude-fable claude-mythos", MESSAGES, CONVERSE, server="bedrock own", since="5",
        looked=LOOKED, source=f"{BINDING}; {LITELLM}", **same(BOUND),
    ),
    row(
        "claude-sonnet", MESSAGES, server="bedrock bedrock_mantle", since="3.7", until="3.7", looked=LOOKED, source=AWS,
        **same("output-128k-2025-02-19 token-efficient-tools-2025-02-19"),
    ),
    row(
        "claude-fable", MESSAGES, server="bedrock bedrock_mantle vertex", since="5.1", looked=LOOKED, source=PYDANTIC,
        **same("mid-conversation-output-config-2026-07-01"),
    ),
    row(
        "claude-opus", MESSAGES, server="bedrock bedrock_mantle vertex", since="5.5", looked=LOOKED, source=PYDANTIC,
        **same("mid-conversation-output-config-2026-07-01"),
    ),
)  # fmt: skip
WORDS = (
    # "Vertex: basic `web_search_20250305` only (no `_20260209` dynamic filtering)"
    row(
        "", MESSAGES, server=VERTEX, looked=LOOKED, source=f"{SKILL}; {PYDANTIC}",
        **sent("tools/*/type", "web_search_20250305", "web_search_20260209 web_search_20260318"),
    ),
)  # fmt: skip
NAMES = (
    # "thinking.adaptive.block_binding.prefix_mismatch_behavior: Extra inputs are not permitted"
    row(
        "", MESSAGES, server=BEDROCK, looked=LOOKED,
        source=f"{BINDING}; https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-thinking-block-binding.html",
        **{"thinking/block_binding/prefix_mismatch_behavior": "mismatch_behavior"},
    ),
)  # fmt: skip


def check(rows: Sequence[Fact], places: Iterable[Cloud], whole: Container[str]) -> None:
    """Refuse a cloud that serves the vendor's protocol without a table. Raises TableError."""
    told = {server for one in rows for server in one.servers}
    for place in places:
        if MESSAGES in place.paths and place.name not in told and place.name not in whole:
            raise TableError(f"the cloud {place.name} serves {MESSAGES}, and no row says which betas it takes")


check(BETAS, PLACES, WHOLE)


class Taken(NamedTuple):
    """Betas and words that a cloud takes for one model: its names of betas by the vendor's, words by their path, and
    its names of members by the path of the vendor's."""

    betas: Mapping[str, str]
    words: Mapping[str, Mapping[str, str]]
    names: Mapping[str, str]


NOTHING = Taken({}, {}, {})
"""What servers take that have no betas at all."""


@lru_cache(MOST)
def taken(protocol: str, cloud: str, model: Any) -> Taken | None:
    """Return what a cloud, or the servers of a protocol that is no vendor's own, take; None: everything."""
    if not any(row.about(EVERY, protocol, cloud) for row in BETAS):
        return None
    name = named(model) if isinstance(model, str) else EVERY
    return Taken(*(_settings(about(rows, name, protocol, cloud)) for rows in (BETAS, WORDS, NAMES)))


EVERY = Name("", None, (), "")
"""The name of a model that nothing is known of."""


def _settings(rows: tuple[Fact, ...]) -> dict[str, Any]:
    return {name: one for row in rows for name, one in row.settings.items()}
