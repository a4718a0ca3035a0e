"""Bedrock's Converse: responses and streams."""

from __future__ import annotations

from functools import partial

from ...samples.bedrock_converse import building as converse
from ..generate_content import GEMINI
from .symptom import BEDROCK, CHAT, RESPONSES, Answer, Failure, Symptom

row = partial(Symptom, src=BEDROCK)
CACHED = {
    "inputTokens": 4,
    "outputTokens": 7,
    "totalTokens": 1111,
    "cacheReadInputTokens": 1000,
    "cacheWriteInputTokens": 100,
}
ONE_NAME = (CHAT, RESPONSES, GEMINI)
"""Where input counts what was cached, and a full context is a limit."""
ROWS = (
    row(
        thread="NousResearch/hermes-agent#36260",
        seen="thinking is read one level too high, and never found",
        came=converse.response(converse.thought("Hm", "s1"), converse.text("Hello")),
        expect=Answer("Hello", "stop", thinking="Hm"),
        losses=("RSN-4",),
    ),
    row(
        thread="kagent-dev/kagent#1872",
        seen="thinking in a stream is dropped, and the call stands without it",
        came=converse.stream(
            converse.thinking_block("H", "m"), converse.call_block("t1", "f", '{"a":1}'), stop="tool_use"
        ),
        expect=Answer("", "calls", thinking="Hm", calls=(("f", {"a": 1}),)),
    ),
    row(
        thread="earendil-works/pi#8315",
        seen="GPT's encrypted thinking in a stream is no text, and the call after it is lost with it",
        came=converse.stream(
            converse.block(converse.delta(reasoningContent={"redactedContent": "c2VjcmV0"})),
            converse.call_block("t1", "f", '{"a":', "1}"),
            stop="tool_use",
        ),
        expect=Answer("", "calls", calls=(("f", {"a": 1}),)),
        losses=("RSN-4",),
    ),
    row(
        thread="langchain-ai/langchain-aws#219",
        seen="a guardrail stops a stream: an empty answer that says nothing",
        came=converse.stream(stop="guardrail_intervened"),
        expect=Answer("", "filter"),
        losses=("STS-3",),
    ),
    row(
        thread="Noveum/ai-gateway#27",
        seen="a guardrail's own words are taken for the model's, ended by stop",
        came=converse.stream(converse.text_block("Blocked."), stop="guardrail_intervened", trace={"guardrail": {}}),
        expect=Answer("Blocked.", "filter"),
        losses=("STS-3",),
    ),
    row(
        thread="janeapp/riffer#419",
        seen="a call that the model got wrong is an ending of an unknown kind",
        came=converse.response(stop="malformed_tool_use"),
        expect=Failure("api_error", "The generation failed: malformed_tool_use."),
        losses=("ERR-2",),
    ),
    row(
        thread="earendil-works/pi#1868",
        seen="a full context is an ending that crashes the agent",
        came=converse.response(converse.text("Hel"), stop="model_context_window_exceeded"),
        expect=Answer("Hel", "length"),
        losses=("STS-3",),
        targets=ONE_NAME,
    ),
    row(
        thread="maximhq/bifrost#5811",
        seen="what was read from the cache, and written to it, is missing in the counts",
        came=converse.stream(converse.text_block("Hello"), usage=CACHED),
        expect=Answer("Hello", "stop", (1104, 7, 1000)),
        targets=ONE_NAME,
    ),
    row(
        thread="livekit/agents-js#1998",
        seen="an exception in mid-stream has no status: -1",
        came=[converse.START, {"validationException": {"message": "bad"}}],
        expect=Failure("invalid_request_error", "bad"),
    ),
)
