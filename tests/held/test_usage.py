"""The usage of recorded streams is the usage of what they are converted to (STR-4, USE-1)."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import TranslationError

from ..samples.sample import Events, Json
from .shared import ANTHROPIC, BEDROCK, CHAT, COHERE, GEMINI, INTERACTIONS, OLLAMA, RESPONSES, Tools, pairs

SPENT = {CHAT: 0.45, RESPONSES: 0.35, GEMINI: 0.6}
SPENT_OF_OTHERS = 0.8
"""The share of recordings that report usage, at least."""
METRICS = {
    "cache_read_input_tokens": "cacheReadInputTokenCount",
    "cache_creation_input_tokens": "cacheWriteInputTokenCount",
}
"""The members of Anthropic's usage that AWS has in a stream's last event alone (STR-29)."""


def of_chat(events: Events) -> tuple[int, int] | None:
    """Input and output tokens: of the chunk without choices, else of the last chunk with or after the end."""
    ended, found = False, None
    for event in events:
        if not isinstance(event, dict):
            continue
        choices = event.get("choices") or ()
        ended = ended or any(choice.get("finish_reason") for choice in choices)
        inside = [event.get("x_groq") or {}, *choices]
        usage = event.get("usage") or next((one["usage"] for one in inside if one.get("usage")), None)
        if usage and (ended or not choices):
            found = usage["prompt_tokens"], usage["completion_tokens"]
    return found


def of_anthropic(events: Events) -> tuple[int, int] | None:
    known: Json = {}
    for event in events:
        if isinstance(event, dict):
            usage = event.get("usage") or event.get("message", {}).get("usage") or {}
            metrics = event.get("amazon-bedrock-invocationMetrics") or {}
            counted = {ours: metrics.get(theirs) for ours, theirs in METRICS.items()}
            known |= {key: value for key, value in (*usage.items(), *counted.items()) if value is not None}
    caches = [known.get(key) or 0 for key in ("cache_read_input_tokens", "cache_creation_input_tokens")]
    return (known.get("input_tokens", 0) + sum(caches), known["output_tokens"]) if "output_tokens" in known else None


def of_responses(events: Events) -> tuple[int, int] | None:
    ends = [event["response"] for event in events if isinstance(event, dict) and "response" in event]
    usage: Json = (ends[-1].get("usage") if ends else None) or {}
    return (usage["input_tokens"], usage["output_tokens"]) if usage else None


def of_gemini(events: Events) -> tuple[int, int] | None:
    """The last of each count, which may be in an earlier chunk only (USE-9); what tools added is apart."""
    found = [event["usageMetadata"] for event in events if isinstance(event, dict) and event.get("usageMetadata")]
    last: Json = {key: value for usage in found for key, value in usage.items()}
    spent = [
        sum(last.get(name) or 0 for name in names)
        for names in (
            ("promptTokenCount", "toolUsePromptTokenCount"),
            ("candidatesTokenCount", "thoughtsTokenCount"),
        )
    ]
    return (spent[0], spent[1]) if found else None


def of_bedrock(events: Events) -> tuple[int, int] | None:
    found = [event["metadata"]["usage"] for event in events if "metadata" in event]
    given = ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
    return (sum(found[-1].get(name) or 0 for name in given), found[-1]["outputTokens"]) if found else None


def of_cohere(events: Events) -> tuple[int, int] | None:
    """Of all tokens, not of those alone that are billed."""
    ends = [event["delta"] for event in events if isinstance(event, dict) and event["type"] == "message-end"]
    tokens = (ends[-1].get("usage") or {}).get("tokens") if ends else None
    return (int(tokens["input_tokens"]), int(tokens["output_tokens"])) if tokens else None


def of_ollama(events: Events) -> tuple[int, int] | None:
    """Counts of zero are left out."""
    last = events[-1]
    counts = last.get("prompt_eval_count"), last.get("eval_count")
    return None if counts == (None, None) else (counts[0] or 0, counts[1] or 0)


def of_interactions(events: Events) -> tuple[int, int] | None:
    ends = [event["interaction"].get("usage") for event in events if isinstance(event, dict) and "interaction" in event]
    usage: Json = (ends[-1] if ends else None) or {}
    read = ("total_input_tokens", "total_tool_use_tokens")
    written = ("total_output_tokens", "total_thought_tokens")
    counts = [sum(usage.get(name) or 0 for name in names) for names in (read, written)]
    return (counts[0], counts[1]) if usage else None


USAGE: dict[str, Any] = {
    CHAT: of_chat,
    ANTHROPIC: of_anthropic,
    RESPONSES: of_responses,
    GEMINI: of_gemini,
    BEDROCK: of_bedrock,
    COHERE: of_cohere,
    OLLAMA: of_ollama,
    INTERACTIONS: of_interactions,
}


@pytest.mark.parametrize(("src", "dst"), pairs(USAGE))
def test_usage_is_that_of_the_source(tools: Tools, src: str, dst: str) -> None:
    count = 0
    for name, events in tools.streams(src).items():
        spent = USAGE[src](events)
        try:
            made: Any = proxai_ir.convert(events, src, dst, kind="stream")
        except TranslationError:
            continue
        if spent is not None and not any("error" in event for event in events if isinstance(event, dict)):
            count += 1
            assert USAGE[dst](made) == spent, name
    assert count >= SPENT.get(src, SPENT_OF_OTHERS) * len(tools.streams(src))
