"""Gemini's Interactions: responses, streams and errors."""

from __future__ import annotations

from functools import partial

from ...samples.gemini_interactions import building as interactions
from ..generate_content import GEMINI
from .symptom import CHAT, INTERACTIONS, RESPONSES, Answer, Failure, Http, Symptom

row = partial(Symptom, src=INTERACTIONS)
LOST = {"code": "api_error", "message": "The ray is lost."}
CITED = {"type": "url_citation", "url": "https://x.org", "title": "X", "start_index": 0, "end_index": 5}
CITING = {"type": "text", "text": "Hello", "annotations": [CITED]}
SEARCHED = (
    {"type": "google_search_call", "id": "g1", "arguments": {"queries": ["q"]}},
    {"type": "google_search_result", "call_id": "g1", "result": [{"search_suggestions": "<b>q</b>"}]},
)
COUNTED = {
    "total_input_tokens": 100,
    "total_cached_tokens": 60,
    "total_output_tokens": 5,
    "total_thought_tokens": 20,
    "total_tool_use_tokens": 3,
    "total_tokens": 128,
}
ROWS = (
    row(
        thread="DEEIX-AI/DEEIX-Chat#607",
        seen="summaries of thoughts arrive as the answer",
        came=interactions.stream(interactions.thought_step("H", "m"), interactions.text_step("Hel", "lo")),
        expect=Answer("Hello", "stop", thinking="Hm"),
    ),
    row(
        thread="Lingtai-AI/lingtai-kernel#45",
        seen="a call comes whole with the start of its step, and no delta follows",
        came=interactions.stream(interactions.step(interactions.call("f", {"a": 1}, "c1")), status="requires_action"),
        expect=Answer("", "calls", calls=(("f", {"a": 1}),)),
    ),
    row(
        thread="mozilla-ai/any-llm#1383",
        seen="the last event has no steps: they are those of the events before it",
        came=interactions.stream(interactions.text_step("Hello"), interactions.step({"type": "model_output"})),
        expect=Answer("Hello", "stop"),
    ),
    row(
        thread="google/adk-js#364",
        seen="the reason of a failure is in a member that no type has",
        came=interactions.response(status="failed", error=LOST),
        expect=Failure("api_error", "The ray is lost."),
    ),
    row(
        thread="scriptit-fr/GenAIApp#102",
        seen="an answer that is not finished is taken for a whole one",
        came=interactions.response(interactions.model("Hel"), status="incomplete"),
        expect=Answer("Hel", "length"),
    ),
    row(
        thread="withceleste/celeste-python#289",
        seen="steps of a search are no text, and the sources of the text are lost",
        came=interactions.response(*SEARCHED, interactions.model(CITING)),
        expect=Answer("Hello", "stop", cited=("https://x.org",)),
        targets=(RESPONSES,),
    ),
    row(
        thread="grafana/agento11y#278",
        seen="tokens of tools and of thoughts are in neither count",
        came={**interactions.response(interactions.model("Hello")), "usage": COUNTED},
        expect=Answer("Hello", "stop", (103, 25, 60)),
        targets=(CHAT, RESPONSES),
    ),
    row(
        thread="LiveBench/LiveBench#476",
        seen="what is blocked is an error, and no ending",
        came=Http(400, {"error": {"code": "content_blocked", "message": "The request was blocked."}}),
        expect=Failure("invalid_request_error", "The request was blocked.", 400),
    ),
    row(
        thread="justrach/codegraff#741",
        seen="a thought has a signature and no words, and the arguments of a call come in pieces",
        came=interactions.stream(
            interactions.thought_step(signature="s1"),
            interactions.call_step("c1", "f", '{"a"', ":1}"),
            status="requires_action",
        ),
        expect=Answer("", "calls", calls=(("f", {"a": 1}),)),
        targets=(GEMINI, CHAT),
    ),
)
