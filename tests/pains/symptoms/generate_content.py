"""Gemini's generateContent."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...samples.gemini_generate_content import building as gemini
from .symptom import ANTHROPIC, CHAT, GEMINI, RESPONSES, Answer, Failure, Symptom

Json = Any
row = partial(Symptom, src=GEMINI)
chunk, call, USAGE = gemini.chunk, gemini.call, gemini.USAGE
SENT = (7, 5, 0)
HELLO = Answer("Hello", "stop", SENT)
EMPTY: Json = {"role": "model"}


def ended(content: Json = None, finish: str = "STOP", usage: Json = USAGE, **members: Any) -> Json:
    """A response or chunk whose candidate has this content, or none."""
    candidate = {"finishReason": finish, "index": 0, **({} if content is None else {"content": content}), **members}
    return {"candidates": [candidate], "usageMetadata": usage, **gemini.HEAD}


def used(usage: Json) -> Json:
    return gemini.response("Hello", usage=usage)


ROWS = (
    row(
        thread="Portkey-AI/gateway#1705",
        seen="content without parts beside SAFETY crashes the stream",
        came=[chunk("Hel"), ended(EMPTY, "SAFETY")],
        expect=Answer("Hel", "filter", SENT),
        losses=("STS-3",),
    ),
    row(
        thread="pydantic/pydantic-ai#2631",
        seen="content without parts beside STOP, behind a call",
        came=[chunk(call("todo", {"by": "id"}, None)), ended(EMPTY)],
        expect=Answer("", "calls", SENT, calls=(("todo", {"by": "id"}),)),
    ),
    row(
        thread="symfony/ai#1610",
        seen="a last chunk whose candidate has no content",
        came=[chunk("Hello"), ended()],
        expect=HELLO,
    ),
    row(
        thread="neuron-core/neuron-ai#447",
        seen="a whole response without parts, ended by RECITATION",
        came=ended(finish="RECITATION"),
        expect=Answer("", "filter", SENT),
        losses=("STS-3",),
    ),
    row(
        thread="google/generative-ai-docs#235",
        seen="no content beside MAX_TOKENS",
        came=ended(finish="MAX_TOKENS", usage={"promptTokenCount": 7, "totalTokenCount": 7}, safetyRatings=[]),
        expect=Answer("", "length", (7, 0, 0)),
    ),
    row(
        thread="deepset-ai/haystack-core-integrations#3823",
        seen="the finish reason comes in another chunk than the call",
        came=[chunk(call("sky", {"city": "Oslo"}, None)), chunk("", finish="STOP", usage=USAGE)],
        expect=Answer("", "calls", SENT, calls=(("sky", {"city": "Oslo"}),)),
    ),
    row(
        thread="BerriAI/litellm#11558",
        seen="two calls in one chunk get one index in chat",
        came=[chunk(call("sky", {"a": 1}, None), call("sea", {"a": 2}, None)), chunk("", finish="STOP", usage=USAGE)],
        expect=Answer("", "calls", SENT, calls=(("sky", {"a": 1}), ("sea", {"a": 2}))),
    ),
    row(
        thread="NousResearch/hermes-agent#11863",
        seen="two calls of one tool in two chunks are taken for one",
        came=[
            chunk(call("read", {"a": 1}, None)),
            chunk(call("read", {"a": 2}, None)),
            chunk("", finish="STOP", usage=USAGE),
        ],
        expect=Answer("", "calls", SENT, calls=(("read", {"a": 1}), ("read", {"a": 2}))),
    ),
    row(
        thread="google/adk-python#3592",
        seen="an integer of the arguments comes as 1e16",
        came=gemini.response(call("add", {"a": 1e16, "b": 123456789}, None)),
        expect=Answer("", "calls", SENT, calls=(("add", {"a": 1e16, "b": 123456789}),)),
    ),
    row(
        thread="mozilla-ai/any-llm#1291",
        seen="thoughts are left out of the output's tokens",
        came=used(
            {"promptTokenCount": 20, "candidatesTokenCount": 151, "thoughtsTokenCount": 382, "totalTokenCount": 553}
        ),
        expect=Answer("Hello", "stop", (20, 533, 0)),
    ),
    row(
        thread="simonw/llm-gemini#75",
        seen="thoughts only: no candidatesTokenCount",
        came=ended(EMPTY, "MAX_TOKENS", {"promptTokenCount": 7, "thoughtsTokenCount": 64, "totalTokenCount": 71}),
        expect=Answer("", "length", (7, 64, 0)),
    ),
    row(
        thread="SEMOSS/Semoss#2063",
        seen="each chunk has the usage so far: the last is counted alone, or all are added",
        came=[
            chunk("Hel", usage={"promptTokenCount": 7, "candidatesTokenCount": 2, "totalTokenCount": 9}),
            chunk("lo", finish="STOP", usage=USAGE),
        ],
        expect=HELLO,
    ),
    row(
        thread="justlovemaki/AIClient2API#157",
        seen="a signature stands on the text, and the text is lost",
        came=gemini.response({"text": "Hello", "thoughtSignature": gemini.SIGNATURE}),
        expect=HELLO,
        losses=("RSN-4",),
        targets=(ANTHROPIC, RESPONSES),
    ),
    row(
        thread="rabuckley/GeminiDotnet#22",
        seen="promptFeedback without safetyRatings",
        came={**gemini.response("Hello"), "promptFeedback": {}},
        expect=HELLO,
    ),
    row(
        thread="googleapis/python-genai#1162",
        seen="an error object in the middle of a stream is no JSON to the client",
        came=[chunk("Hel"), gemini.error("UNAVAILABLE", "The model is overloaded.", 503)],
        expect=Failure("overloaded_error", "The model is overloaded."),
    ),
    row(
        thread="musistudio/claude-code-router#1216",
        seen="the finish reason of the first chunk counts: none",
        came=[chunk("Hel"), chunk("lo"), chunk("", finish="MAX_TOKENS", usage=USAGE)],
        expect=Answer("Hello", "length", SENT),
        targets=(CHAT, ANTHROPIC),
    ),
)
