"""Payloads in the structures that documents and recordings show and the other samples lack; texts and values are ours.

Each names where the structure is from: a file of cohere-ai/cohere-developer-experience or of cohere-ai/cohere-python, a
page of docs.cohere.com, or a recording of 0xPlaygrounds/rig (crates/rig-cassette/fixtures/cassettes/cohere); all were
read on 2026-11-28.
"""

from __future__ import annotations

from typing import Any

from ..sample import Json, Payloads, Streams
from ..shared import WEATHER_SCHEMA
from .building import call, cites, event, plan, request, response, result, text, thinking, tool, usage, user

CLOSED, TIED = {"text": "Lock Two is closed.", "ledger": "locks"}, {"text": "The ferry is tied up on Mondays."}
DOCUMENTS: list[Json] = [{"id": "lock-2", "data": CLOSED}, {"id": "ferry-9", "data": TIED}]
LOCK: Json = {"type": "document", "id": "lock-2", "document": {"id": "lock-2", **CLOSED}}
FERRY: Json = {"type": "document", "id": "ferry-9", "document": {"id": "ferry-9", **TIED}}


def _called(call_id: str, at: str, **output: Any) -> Json:
    return {"type": "tool", "id": f"{call_id}:{at}", "tool_output": output}


CALLS: Json = {
    "role": "assistant",
    "tool_plan": "I will ask for both towns.",
    "tool_calls": [
        call("weather_1q7x", "weather", '{"city":"Oslo"}'),
        call("weather_8fzk", "weather", '{"city":"Rome"}'),
    ],
}
TOOL = tool("weather", description="The weather of a town.", parameters=WEATHER_SCHEMA)


def _document(**members: Any) -> list[Json]:
    return [{"type": "document", "document": members}]


REQUESTS: Payloads = {
    # fern/pages/v2/text-generation/migrating-v1-to-v2.mdx: a document may be a text, with an id or alone
    "own documented documents": request(
        user("Which lock?"), documents=[{"id": "7", "data": "Lock One is open."}, *DOCUMENTS, "The tide is low."]
    ),
    # cohere/native/a_conversation_switching_routes_replays.yaml: earlier citations, with the place of their block
    "documented history": request(
        user([text("Which lock is closed?")]),
        {
            "role": "assistant",
            "content": [text("Lock Two is closed.")],
            "citations": [cites(0, 8, "Lock Two", LOCK, content_index=0, type="TEXT_CONTENT")],
        },
        user([text("And when is the ferry tied up?")]),
        documents=DOCUMENTS,
        max_tokens=64,
    ),
    # cohere/agent/max_tokens_sets_max_tokens_finish_reason.yaml; the console's requests have nulls
    "documented emptiness": request(
        user([text("Hello.")]), documents=[], max_tokens=4, p=0, frequency_penalty=None, presence_penalty=None
    ),
    # fern/pages/v2/tool-use/tool-use-streaming.mdx, and docs.cohere.com/docs/tool-use-citations of the ids
    "documented results": request(
        user("Where is it warmer?"),
        CALLS,
        result(_document(data={"oslo": "4 degrees"}, id="1"), "weather_1q7x"),
        result(_document(data={"rome": {"now": "22 degrees"}}, id="2"), "weather_8fzk"),
        tools=[TOOL],
        citation_options={"mode": "FAST"},
    ),
    "own documented results": request(
        user("Where is it warmer?"),
        CALLS,
        result(_document(data='{"oslo": "4 degrees"}'), "weather_1q7x"),
        result(_document(data='{"rome": "22 degrees"}'), "weather_8fzk"),
        tools=[TOOL],
    ),
    # snippets/snippets/curl/chat-v2-post/tools.sh: parameters that are no schema
    "own documented tool": request(
        user("The ledger of Monday?"),
        tools=[tool("ledger", parameters={"day": {"description": "A day.", "type": "str", "required": True}})],
    ),
    # fern/pages/v2/text-generation/structured-outputs.mdx has `schema`, and safety-modes.mdx has NONE
    "own documented schema": request(
        user("Oslo, as JSON."),
        response_format={"type": "json_object", "schema": WEATHER_SCHEMA},
        safety_mode="NONE",
    ),
}

FRACTIONS: Json = {
    "billed_units": {"input_tokens": 31.0, "output_tokens": 9.0, "search_units": None, "classifications": None},
    "tokens": {"input_tokens": 640.0, "output_tokens": 52.0},
}
RESPONSES: Payloads = {
    # cohere/native/a_streamed_tool_plan_and_call_replay_natively.yaml; multi-step-tool-use.mdx of several sources
    "documented citations": response(
        text("It is 22 degrees in Rome, and 4 in Oslo."),
        message={
            "citations": [
                cites(6, 16, "22 degrees", _called("weather_8fzk", "0", content="22 degrees"), type="TEXT_CONTENT"),
                cites(
                    30,
                    31,
                    "4",
                    _called("weather_1q7x", "0", text="4 degrees", url="https://weather.example/oslo"),
                    _called("weather_1q7x", "1", text="It froze."),
                ),
            ]
        },
        usage=usage(1500, 15, cached_tokens=704),
    ),
    # fern/pages/v2/tool-use/tool-use-streaming.mdx: a response to a client of the whole
    "documented fractions": response(finish="TOOL_CALL", message=CALLS, usage=FRACTIONS),
    # fern/pages/v2/text-generation/chat-api.mdx: the usage where the beta had it
    "own documented meta": {
        "id": "gen_2",
        "message": {"role": "assistant", "content": [text("Low Water")]},
        "finish_reason": "COMPLETE",
        "meta": {
            "api_version": {"version": "2", "is_experimental": True},
            "warnings": ["This may change."],
            "billed_units": {"input_tokens": 3, "output_tokens": 2},
            "tokens": {"input_tokens": 201, "output_tokens": 2},
        },
    },
}

EMPTY: Json = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
START: Json = {"type": "message-start", "id": "gen_3", "delta": {"message": EMPTY}}
DONE = "[DONE]"


def _end(finish: str, used: Json) -> Json:
    return {"type": "message-end", "delta": {"finish_reason": finish, "usage": used}}


def _piece(words: str, **members: Any) -> Json:
    return {**event("content-delta", 0, content={"text": words}), **members}


def _cited(index: int, citation: Json) -> list[Json]:
    return [event("citation-start", index, citations=citation), event("citation-end", index)]


STREAMS: Streams = {
    # cohere/native/documents_ground_a_streamed_answer_with_citations.yaml: within the text, and the end of the events
    "documented citations": [
        START,
        event("content-start", 0, content={"type": "text", "text": ""}),
        *(_piece(words) for words in ("Lock", " Two")),
        *_cited(0, cites(0, 8, "Lock Two", LOCK, type="TEXT_CONTENT")),
        *(_piece(words) for words in (" is closed;", " the ferry rests on Mondays", ".")),
        *_cited(1, cites(24, 46, "ferry rests on Mondays", FERRY, type="TEXT_CONTENT")),
        event("content-end", 0),
        _end("COMPLETE", usage(1600, 22, cached_tokens=704)),
        DONE,
    ],
    # cohere/native/a_streamed_tool_plan_and_call_replay_natively.yaml: arguments in pieces of a character
    "documented call": [
        START,
        *plan("I", " will", " ask."),
        event("tool-call-start", 0, tool_calls=call("weather_1q7x", "weather", "")),
        *(
            event("tool-call-delta", 0, tool_calls={"function": {"arguments": piece}})
            for piece in ('{"', "city", '":', ' "', "O", "slo", '"', "}")
        ),
        event("tool-call-end", 0),
        _end("TOOL_CALL", usage(900, 30, cached_tokens=0)),
        DONE,
    ],
    # cohere/streaming_grammar/reasoning_then_tool_call.yaml: no plan; both count from 0
    "documented thought": [
        START,
        event("content-start", 0, content=thinking("")),
        event("content-delta", 0, content={"thinking": "Hm"}),
        event("content-end", 0),
        event("tool-call-start", 0, tool_calls=call("weather_1q7x", "weather", "")),
        event("tool-call-delta", 0, tool_calls={"function": {"arguments": '{"city": "Oslo"}'}}),
        event("tool-call-end", 0),
        _end("TOOL_CALL", usage(900, 30)),
        DONE,
    ],
    # fern/pages/v2/tool-use/tool-use-streaming.mdx: citations behind the text, nulls, an output that is JSON in a text
    "documented nulls": [
        {**START, "id": None},
        event("content-start", 0, content={"type": "text", "text": ""}),
        *(_piece(words, logprobs=None) for words in ("It is", " 22 degrees", ".")),
        *_cited(
            0,
            cites(6, 16, "22 degrees", _called("weather_8fzk", "0", now='{"rome":"22"}'), type="TEXT_CONTENT"),
        ),
        event("content-end", 0),
        _end("COMPLETE", FRACTIONS),
    ],
}

ERRORS: Payloads = {
    # docs.cohere.com/errors: no id
    "documented length": {"message": "too many tokens: the prompt cannot have more than 4081 - received 4292."},
}
