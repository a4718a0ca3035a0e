"""Token counts of one side only: of the other, what the target requires is zero, and what it does not is left out."""

from __future__ import annotations

import pytest

import proxai_ir

from .samples.bedrock_converse import building as bedrock
from .samples.gemini_interactions import building
from .samples.sample import Json

COUNTED: dict[str, tuple[str, str, str, int | None]] = {
    "openai_chat_completions": ("usage", "prompt_tokens", "completion_tokens", 0),
    "openai_responses": ("usage", "input_tokens", "output_tokens", 0),
    "anthropic_messages": ("usage", "input_tokens", "output_tokens", 0),
    "gemini_generate_content": ("usageMetadata", "promptTokenCount", "candidatesTokenCount", None),
    "gemini_interactions": ("usage", "total_input_tokens", "total_output_tokens", None),
    "bedrock_converse": ("usage", "inputTokens", "outputTokens", 0),
    "cohere_v2_chat": ("usage/tokens", "input_tokens", "output_tokens", 0),
    "ollama_chat": ("", "prompt_eval_count", "eval_count", None),
}
"""The path of the counts in a response, the members for input and output, and the value of one that is unknown."""


def counts(target: str, usage: Json) -> Json:
    response = building.response(building.model("Hi"), usage=usage)
    found: Json = proxai_ir.convert(response, "gemini_interactions", target, kind="response")
    for name in filter(None, COUNTED[target][0].split("/")):
        found = found[name]
    return found


@pytest.mark.parametrize("target", COUNTED)
def test_counts_of_one_side(target: str) -> None:
    _, input_tokens, output_tokens, unknown = COUNTED[target]
    asked, said = counts(target, {"total_input_tokens": 5}), counts(target, {"total_output_tokens": 7})
    assert (asked[input_tokens], asked.get(output_tokens)) == (5, unknown)
    assert (said.get(input_tokens), said[output_tokens]) == (unknown, 7)


def test_every_protocol_is_here() -> None:
    assert set(COUNTED) == set(proxai_ir.protocols())


def test_cache_writes_by_lifetime_that_come_after_the_start_are_named() -> None:
    """Anthropic's streams have them in their first event alone."""
    details = [{"ttl": "1h", "inputTokens": 5}]
    usage = {"inputTokens": 3, "outputTokens": 1, "cacheWriteInputTokens": 5, "totalTokens": 9, "cacheDetails": details}
    events = bedrock.stream(bedrock.text_block("Hi"), usage=usage)
    made = proxai_ir.compile(events, "bedrock_converse", "anthropic_messages", kind="stream")
    assert ("USE-4", "/4/metadata/usage/cacheDetails") in [(one.rule, one.path) for one in made.diagnostics]
