"""Cohere's chat: responses, streams and errors."""

from __future__ import annotations

from functools import partial

from ...samples.cohere_v2_chat import building as cohere
from .symptom import COHERE, Answer, Failure, Http, Symptom

row = partial(Symptom, src=COHERE)
CALL = cohere.call("c1", "sky", '{"city":"Oslo"}')
OSLO = (("sky", {"city": "Oslo"}),)
HELLO = Answer("Hello", "stop")
EMPTY = "invalid request: message must be at least 1 token long or tool results must be specified."
ROWS = (
    row(
        thread="vercel/ai#8279",
        seen="thinking and text are two contents, and the first is taken for the text",
        came=cohere.stream(cohere.block(0, "thinking", "H", "m"), cohere.block(1, "text", "Hel", "lo")),
        expect=Answer("Hello", "stop", thinking="Hm"),
    ),
    row(
        thread="vercel/ai#3420",
        seen="only the first of several texts is read",
        came=cohere.response({"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}),
        expect=HELLO,
    ),
    row(
        thread="langchain-ai/langchain-cohere#38",
        seen="what the model says before its calls, its plan, is lost: an empty message",
        came=cohere.response(message={"tool_plan": "I look.", "tool_calls": [CALL]}, finish="TOOL_CALL"),
        expect=Answer("I look.", "calls", calls=OSLO),
    ),
    row(
        thread="deepset-ai/haystack-core-integrations#2266",
        seen="a plan and a call in a stream",
        came=cohere.stream(
            cohere.plan("I ", "look."), cohere.call_events(0, "c1", "sky", '{"city":', '"Oslo"}'), finish="TOOL_CALL"
        ),
        expect=Answer("I look.", "calls", calls=OSLO),
    ),
    row(
        thread="langchain-ai/langchain#16144",
        seen="a response without citations, documents and usage",
        came={
            "id": "g1",
            "finish_reason": "COMPLETE",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "Hello"}]},
        },
        expect=HELLO,
    ),
    row(
        thread="ENTERPILOT/GoModel#581",
        seen="a stream that fails ends as one that does not, but for its last word",
        came=[
            cohere.START,
            *cohere.block(0, "text", "Hel"),
            {"type": "message-end", "delta": {"finish_reason": "ERROR", "error": "out of memory"}},
        ],
        expect=Failure("api_error", "out of memory"),
        losses=("ERR-2",),
    ),
    row(
        thread="cohere-ai/cohere-developer-experience#189",
        seen="what is blocked has a status of its own, which looks like that of a bad key",
        came=Http(498, {"message": "The request is blocked."}),
        expect=Failure("invalid_request_error", "The request is blocked.", 498),
    ),
    row(
        thread="kwaroran/Risuai#504",
        seen="an error body is a message alone",
        came=Http(400, {"message": EMPTY}),
        expect=Failure("invalid_request_error", EMPTY, 400),
    ),
)
