"""OpenAI Responses of other servers: Copilot, ChatGPT's own backend, llama.cpp, Llama Stack and proxies."""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import Any

from ..support import responses
from .symptom import CHAT, RESPONSES, Answer, Failure, Symptom

Json = Any
row = partial(Symptom, src=RESPONSES)
USAGE = {"input_tokens": 9, "output_tokens": 7, "total_tokens": 16}
SENT = (9, 7, 0)
TEXT = responses.message(responses.output_text("Hello"), id="msg_1", status="completed")
FIRST = responses.call("read", '{"path":"a"}', "call_a", id="fc_a", status="completed")
SECOND = responses.call("read", '{"path":"b"}', "call_b", id="fc_b", status="completed")
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm"}]}
CALLS = (("read", {"path": "a"}), ("read", {"path": "b"}))
HELLO = Answer("Hello", "stop", SENT)
CREATED = responses.created()


def streamed(*items: Json, usage: Json = USAGE, **members: Any) -> list[Json]:
    return responses.stream(responses.response(*items, usage=usage, **members))


def without(events: list[Json], *types: str) -> list[Json]:
    return [event for event in events if event["type"] not in types]


def renamed(events: list[Json]) -> list[Json]:
    """Each event with an id of its own."""
    events = deepcopy(events)
    for number, event in enumerate(events):
        if "item_id" in event:
            event["item_id"] = f"x{number}"
        if "item" in event:
            event["item"]["id"] = f"y{number}"
    return events


def begun(item: Json, index: int) -> Json:
    return responses.added({**item, "arguments": "", "status": "in_progress"}, index)


def in_one_place(events: list[Json]) -> list[Json]:
    """Every item at the first place of the output."""
    events = deepcopy(events)
    for event in events:
        if "output_index" in event:
            event["output_index"] = 0
    return events


def grown(item: Json, index: int, delta: str) -> Json:
    where = {"item_id": item["id"], "output_index": index}
    return {"type": "response.function_call_arguments.delta", **where, "delta": delta}


def failed(code: str, message: str = "No.", **members: Any) -> Json:
    response = responses.response(status="failed", error={"code": code, "message": message}, **members)
    return {"type": "response.failed", "response": response}


NOTE = {"type": "url_citation", "url": "http://x", "title": "X", "start_index": 0, "end_index": 5}
ARGUMENTS = "response.function_call_arguments"
SEARCH = {"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "x"}}
BUSY = "Our servers are currently overloaded. Please try again later."


def completed(**members: Any) -> list[Json]:
    """A stream whose last event has other members in its response."""
    *events, last = streamed(TEXT)
    response = {**last["response"], **members}
    return [*events, {**last, "response": {key: value for key, value in response.items() if value != "absent"}}]


STREAMS = (
    row(
        thread="BerriAI/litellm#30071",
        seen="each event of one item has another item_id",
        came=renamed(streamed(THOUGHT, TEXT, FIRST)),
        expect=Answer("Hello", "calls", SENT, thinking="Hm", calls=CALLS[:1]),
        rules=("STR-17",),
    ),
    row(
        thread="lidge-jun/opencodex#4652",
        seen="arguments come in the done event only",
        came=without(streamed(FIRST), f"{ARGUMENTS}.delta"),
        expect=Answer("", "calls", SENT, calls=CALLS[:1]),
    ),
    row(
        thread="BerriAI/litellm#21331",
        seen="parallel calls all get index 0 in chat",
        came=streamed(FIRST, SECOND),
        expect=Answer("", "calls", SENT, calls=CALLS),
        targets=(CHAT,),
    ),
    row(
        thread="can1357/oh-my-pi#1882",
        seen="the deltas of two calls alternate",
        came=[
            CREATED,
            begun(FIRST, 0),
            begun(SECOND, 1),
            grown(FIRST, 0, '{"path":'),
            grown(SECOND, 1, '{"path":'),
            grown(FIRST, 0, '"a"}'),
            grown(SECOND, 1, '"b"}'),
            responses.done(FIRST),
            responses.done(SECOND, 1),
            responses.ended(FIRST, SECOND, usage=USAGE),
        ],
        expect=Answer("", "calls", SENT, calls=CALLS),
    ),
    row(
        thread="ogx-ai/ogx#5309",
        seen="no response.output_text.done",
        came=without(streamed(TEXT), "response.output_text.done"),
        expect=HELLO,
    ),
    row(
        thread="vllm-project/vllm#24788",
        seen="reasoning comes in a content part that is announced as output_text",
        came=[
            {**event, "part": {"type": "output_text", "text": "", "annotations": []}}
            if event["type"] == "response.content_part.added" and event["item_id"] == "rs_1"
            else event
            for event in streamed(
                {**THOUGHT, "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]}, TEXT
            )
        ],
        expect=Answer("Hello", "stop", SENT, thinking="Hm."),
        losses=("PLC-4",),
    ),
    row(
        thread="openai/openai-java#561",
        seen="a web search begins without its query",
        came=[
            CREATED,
            responses.added({**SEARCH, "status": "in_progress", "action": {"type": "search"}}),
            responses.done(SEARCH),
            responses.ended(
                SEARCH, status="incomplete", usage=USAGE, incomplete_details={"reason": "max_output_tokens"}
            ),
        ],
        expect=Answer("", "length", SENT),
        losses=("TUL-6",),
    ),
    row(
        thread="microsoft/agent-framework#5029",
        seen="url_citation of response.output_text.annotation.added is dropped",
        came=streamed(responses.message(responses.output_text("Hello", NOTE), id="msg_1", status="completed")),
        expect=HELLO,
        losses=("CIT-1",),
    ),
    row(
        thread="jeremychone/rust-genai#236",
        seen="response.completed has no output",
        came=completed(output="absent"),
        expect=Answer("Hello", "stop", SENT),
    ),
    row(
        thread="openai/openai-python#3321",
        seen="ChatGPT's own backend writes output: null into response.completed",
        came=completed(output=None),
        expect=Answer("Hello", "stop", SENT),
    ),
)
USES = (
    row(
        thread="NVIDIA-NeMo/Gym#3317",
        seen="counters of usage are null",
        came=streamed(
            TEXT,
            usage={
                **USAGE,
                "input_tokens_details": {"cached_tokens": None},
                "output_tokens_details": {"reasoning_tokens": None},
            },
        ),
        expect=HELLO,
    ),
    row(
        thread="envoyproxy/ai-gateway#2184",
        seen="the usage of an incomplete response counts as 0",
        came=streamed(TEXT, status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
        expect=Answer("Hello", "length", SENT),
    ),
)
FAILURES = (
    row(
        thread="Soju06/codex-lb#1313",
        seen="server_is_overloaded in a stream of 200 is not tried again",
        came=[CREATED, failed("server_is_overloaded", BUSY)],
        expect=Failure("overloaded_error", BUSY),
    ),
    row(
        thread="tontinton/maki#897",
        seen="the same in an error event whose type is service_unavailable_error",
        came=[
            CREATED,
            {
                "type": "error",
                "error": {
                    "type": "service_unavailable_error",
                    "message": BUSY,
                    "param": None,
                    "code": "server_is_overloaded",
                },
                "sequence_number": 2,
            },
        ],
        expect=Failure("overloaded_error", BUSY),
    ),
    row(
        thread="PostHog/posthog-js#4366",
        seen="a response that failed with usage is an empty success",
        came=[CREATED, failed("server_error", usage=USAGE)],
        expect=Failure("api_error", "No."),
        rules=("USE-4",),
    ),
    row(
        thread="zyycn/codex-proxy-rs#152",
        seen="slow_down is an overload, too",
        came=[CREATED, failed("slow_down", "Slow down.")],
        expect=Failure("overloaded_error", "Slow down."),
    ),
)
UNREPEATED = [{**one, "response": {**one["response"], "output": []}} for one in streamed(TEXT)[-1:]]
LOOSE = (
    row(
        thread="Oaklight/llm-rosetta#56",
        seen="neither content_part.done nor output_item.done, and nothing in response.completed",
        came=[
            *without(streamed(TEXT), "response.content_part.done", "response.output_item.done")[:-1],
            *UNREPEATED,
        ],
        expect=Answer("Hello", "stop", SENT),
    ),
    row(
        thread="can1357/oh-my-pi#4692",
        seen="the last event is response.done",
        came=[*streamed(TEXT)[:-1], {**streamed(TEXT)[-1], "type": "response.done"}],
        expect=Answer("Hello", "stop", SENT),
    ),
    row(
        thread="BerriAI/litellm#36375",
        seen="several items have one output_index; their ids tell them apart",
        came=in_one_place(streamed(TEXT, FIRST)),
        expect=Answer("Hello", "calls", SENT, calls=CALLS[:1]),
    ),
    row(
        thread="can1357/oh-my-pi#1971",
        seen="llama.cpp's final arguments name neither item nor place",
        came=[
            CREATED,
            begun(FIRST, 0),
            begun(SECOND, 1),
            *(
                {"type": "response.function_call_arguments.done", "arguments": one["arguments"]}
                for one in (FIRST, SECOND)
            ),
            *streamed(FIRST, SECOND)[-1:],
        ],
        expect=Answer("", "calls", SENT, calls=CALLS),
    ),
)
ROWS = (*STREAMS, *USES, *FAILURES, *LOOSE)
