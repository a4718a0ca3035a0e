"""Payloads in the structures that documents and recordings show and the other samples lack; texts and values are ours.

Each names where the structure is from: a page of ai.google.dev, a test of googleapis/python-genai, or a recording of
0xPlaygrounds/rig (crates/rig-cassette/fixtures/cassettes/gemini/interactions_api); all were read on 2026-11-28.
"""

from __future__ import annotations

from typing import Any

from ..sample import Json, Payloads, Streams
from ..shared import WEATHER_SCHEMA
from .building import (
    UPDATE,
    call,
    call_step,
    created,
    error,
    model,
    numbered,
    request,
    response,
    result,
    step,
    stream,
    text_step,
    thought,
    thought_step,
    user,
)

SEAL, SEAL_2 = "EqsBCqgB", "CtQBAQ=="
TOOL: Json = {"type": "function", "name": "weather", "description": "The weather.", "parameters": WEATHER_SCHEMA}


def _counted(words: int) -> list[Json]:
    return [{"modality": "text", "tokens": words}]


def _usage(into: int, out: int, thinking: int, run: int = 0) -> Json:
    """As the API counts."""
    return {
        "total_input_tokens": into,
        "total_output_tokens": out,
        "total_thought_tokens": thinking,
        "total_cached_tokens": 0,
        "total_tool_use_tokens": run,
        "total_tokens": into + out + thinking + run,
        "input_tokens_by_modality": _counted(into),
        **({"tool_use_tokens_by_modality": _counted(run)} if run else {}),
    }


MEASURED: Json = {
    "prompt_tokens_details": _counted(21),
    "candidates_tokens_details": _counted(14),
    "thoughts_tokens_details": _counted(9),
}
CODE: Json = {"code": "print(6 * 7)", "language": "python"}
SEARCHES: Json = {"queries": ["ferries of Emden"]}
FERRIES: Json = {
    "type": "url_citation",
    "url": "https://grounding.example/redirect/A",
    "title": "ferries.example",
    "start_index": 0,
    "end_index": 18,
}

REQUESTS: Payloads = {
    # tool_result_roundtrip.yaml, replayed without state: an object is a result
    "documented result": request(
        user("6 times 7?"),
        thought(signature=SEAL),
        call("times", {"a": 6, "b": 7}, "call_21"),
        result({"product": 42.0}, "call_21", name="times"),
        tools=[TOOL],
        store=True,
        stream=False,
        generation_config={"tool_choice": "any"},
    ),
    # ai.google.dev/api/interactions-api: steps of searches and code in the input
    "documented steps": request(
        user("Which ferries are there?"),
        thought("I search.", signature=SEAL),
        {"type": "google_search_call", "id": "s1", "arguments": SEARCHES, "signature": SEAL_2},
        {
            "type": "google_search_result",
            "call_id": "s1",
            "result": [{"search_suggestions": "<div></div>"}],
            "is_error": False,
            "signature": SEAL_2,
        },
        {"type": "code_execution_call", "id": "c1", "arguments": CODE, "signature": SEAL_2},
        {"type": "code_execution_result", "call_id": "c1", "result": "42\n", "is_error": False},
        model({"type": "text", "text": "There are a dozen.", "annotations": [FERRIES]}),
        user("How often?"),
        tools=[{"type": "google_search"}, {"type": "code_execution"}],
    ),
    # ai.google.dev/gemini-api/docs/speech-generation: spoken output
    "documented speech": {
        "model": "gemini-3.1-flash-tts-preview",
        "input": "Say cheerfully: the ferry is here.",
        "response_format": {"type": "audio", "sample_rate": 24000},
        "generation_config": {"speech_config": [{"voice": "Kore", "language": "en-us"}]},
    },
}

RESPONSES: Payloads = {
    # code_execution_usage.yaml: not stored, so without an id
    "own documented code": {
        key: value
        for key, value in response(
            thought(signature=SEAL),
            {"type": "code_execution_call", "id": "call_49", "arguments": CODE, "signature": SEAL},
            {"type": "code_execution_result", "call_id": "call_49", "result": "42\n", "is_error": False},
            thought(signature=SEAL_2),
            model("It is **42**."),
            updated="2026-06-09T12:01:25Z",
            service_tier="standard",
            usage={
                **_usage(135, 17, 18, 52),
                "model_invocation_token_counts": [
                    MEASURED,
                    {**MEASURED, "tool_use_prompt_tokens_details": _counted(5)},
                ],
                "non_grounding_model_invocation_token_counts": [MEASURED],
                "raw_prompt_token": 152,
            },
        ).items()
        if key != "id"
    },
    # grounded_search.yaml: kinds of searches, marks of errors
    "documented search": response(
        {
            "type": "google_search_call",
            "id": "call_10",
            "search_type": "web_search",
            "arguments": SEARCHES,
            "signature": SEAL,
        },
        {
            "type": "google_search_result",
            "call_id": "call_10",
            "is_error": False,
            "result": [{"search_suggestions": "<style></style>"}],
            "signature": SEAL_2,
        },
        thought(signature=SEAL),
        model({"type": "text", "text": "There are a dozen.", "annotations": [FERRIES]}),
        service_tier="standard",
        usage=_usage(10, 20, 5, 60),
    ),
    # ai.google.dev/gemini-api/docs/api-errors: why an interaction failed, by a word of the list and by another
    "own documented failure": response(
        status="failed", errors=[{"code": "malformed_function_call", "message": "That is no call."}]
    ),
    "own unlisted failure": response(status="failed", errors=[{"code": "ray_lost", "message": "The ray is lost."}]),
}

ERRORS: Payloads = {
    # ai.google.dev/gemini-api/docs/api-errors
    "documented key": error("authentication", "The key is not valid."),
    "documented quota": error("quota_exceeded", "The quota of today is used up."),
    "documented block": error("prohibited_content", "The prompt was blocked."),
}


def _hosted(name: str, opened: Json, given: Json) -> list[Json]:
    return step({"type": name, "signature": "", **opened}, {"type": name, **given})


def _unstored(event: Any) -> Any:
    """The same of an interaction that is not stored, whose events name neither it nor, at first, how it is."""
    if not isinstance(event, dict):
        return event
    left = {key: value for key, value in event.items() if key != "interaction_id"}
    if "interaction" in event:
        dropped = {"id"} if event["event_type"] == "interaction.completed" else {"id", "status"}
        left["interaction"] = {key: value for key, value in event["interaction"].items() if key not in dropped}
    return left


FINAL: Json = {"created": "1970-01-01T00:00:00Z", "updated": "1970-01-01T00:00:00Z", "service_tier": "standard"}
STREAMS: Streams = {
    # code_execution_usage_streamed.yaml: not stored
    "own documented code": [
        _unstored(event)
        for event in stream(
            thought_step(signature=SEAL),
            _hosted("code_execution_call", {"id": "call_61"}, {"arguments": CODE, "signature": SEAL}),
            _hosted("code_execution_result", {"call_id": "call_61"}, {"is_error": False, "result": "42\n"}),
            thought_step(signature=SEAL_2),
            text_step("It is ", "42."),
            usage={**_usage(21, 40, 43, 58), "model_invocation_token_counts": [MEASURED], "raw_prompt_token": 152},
            **FINAL,
        )
    ],
    # ai.google.dev/gemini-api/docs/streaming: a search whose result is not shown, then a call
    "own documented search": stream(
        _hosted("google_search_call", {"id": "s1"}, {"signature": SEAL, "arguments": SEARCHES}),
        _hosted("google_search_result", {"call_id": "s1"}, {"signature": SEAL_2, "is_error": False}),
        thought_step(signature=SEAL),
        call_step("call_1", "weather", '{"city":"Emden"}'),
        status="requires_action",
        usage=_usage(138, 20, 141),
        **FINAL,
    ),
    # the same page: usage so far where a step stops
    "own documented counts": [
        created(),
        UPDATE,
        *(
            {**event, "usage": _usage(35, 3, 0), "step_usage": _usage(31, 3, 0)}
            if event["event_type"] == "step.stop"
            else event
            for event in numbered(0, text_step("High water."))
        ),
        *stream(usage=_usage(35, 3, 0))[-2:],
    ],
    # python-genai tests/interactions/test_automatic_continuation.py: events with little in them
    "documented little": [
        {"event_type": "interaction.created", "interaction": {"id": "v1_1", "status": "in_progress"}},
        *numbered(0, text_step("High ")),
        {
            "event_type": "interaction.completed",
            "interaction": {
                "id": "v1_1",
                "status": "requires_continuation",
                "usage": {"total_output_tokens": 2, "total_thought_tokens": 0, "total_tokens": 2},
            },
        },
    ],
    # ai.google.dev/api/interactions-api: ids of events, and an error that is the first one
    "own documented ids": [
        {**event, "event_id": f"evt_{number}"} if isinstance(event, dict) else event
        for number, event in enumerate(stream(text_step("High water."), **FINAL))
    ],
}
