"""Makes payloads of Gemini Interactions: requests, responses, error bodies, and streams step by step."""

from __future__ import annotations

from typing import Any

from ..sample import Events, Json
from ..shared import NO_PARAMETERS, text

__all__ = ["text"]

Step = list[Json]
"""The events of one step, which have no index yet."""


def request(*steps: Json, **settings: Any) -> Json:
    return {"model": "gemini-3-flash-preview", "input": list(steps), **settings}


def user(*content: Any) -> Json:
    return {"type": "user_input", "content": [text(one) if isinstance(one, str) else one for one in content]}


def model(*content: Any) -> Json:
    return {"type": "model_output", "content": [text(one) if isinstance(one, str) else one for one in content]}


def thought(*summary: str, signature: str | None = None) -> Json:
    made: Json = {"type": "thought"}
    if summary:
        made["summary"] = [text(one) for one in summary]
    return made if signature is None else {**made, "signature": signature}


def call(name: str, arguments: Json | None = None, call_id: str = "call_1") -> Json:
    return {"type": "function_call", "id": call_id, "name": name, "arguments": arguments or {}}


def result(given: Any, call_id: str = "call_1", **members: Any) -> Json:
    return {"type": "function_result", "call_id": call_id, "result": given, **members}


def tool(name: str, **members: Any) -> Json:
    return {"type": "function", "name": name, "parameters": NO_PARAMETERS, **members}


def response(*steps: Json, status: str = "completed", **members: Any) -> Json:
    usage = {"total_input_tokens": 7, "total_output_tokens": 5, "total_tokens": 12}
    return {
        "id": "v1_1",
        "status": status,
        "object": "interaction",
        "model": "gemini-3-flash-preview",
        "created": "2026-06-09T12:01:25Z",
        "steps": list(steps),
        "usage": usage,
        **members,
    }


def error(code: str | None, message: str = "No.") -> Json:
    return {"error": {"message": message} if code is None else {"code": code, "message": message}}


# --- streams ----------------------------------------------------------------------------------------------------------


def created(**members: Any) -> Json:
    interaction = {"id": "v1_1", "status": "in_progress", "object": "interaction", "model": "gemini-3-flash-preview"}
    return {"event_type": "interaction.created", "interaction": {**interaction, **members}}


UPDATE: Json = {"event_type": "interaction.status_update", "interaction_id": "v1_1", "status": "in_progress"}


def completed(status: str = "completed", **members: Any) -> Json:
    usage = {"total_input_tokens": 7, "total_output_tokens": 5, "total_tokens": 12}
    interaction = {**created()["interaction"], "status": status, "usage": usage}
    return {"event_type": "interaction.completed", "interaction": {**interaction, **members}}


def step(start: Json, *deltas: Json) -> Step:
    return [
        {"event_type": "step.start", "step": start},
        *({"event_type": "step.delta", "delta": delta} for delta in deltas),
        {"event_type": "step.stop"},
    ]


def text_step(*pieces: str) -> Step:
    return step({"type": "model_output"}, *(text(piece) for piece in pieces))


def thought_step(*pieces: str, signature: str | None = None) -> Step:
    deltas: list[Json] = [{"type": "thought_summary", "content": text(piece)} for piece in pieces]
    if signature is not None:
        deltas.append({"type": "thought_signature", "signature": signature})
    return step({"type": "thought"}, *deltas)


def call_step(call_id: str, name: str, *fragments: str) -> Step:
    start = call(name, call_id=call_id)
    return step(start, *({"type": "arguments_delta", "arguments": fragment} for fragment in fragments))


def numbered(index: int, events: Step) -> Step:
    return [{"event_type": event["event_type"], "index": index, **event} for event in events]


def stream(*steps: Step, status: str = "completed", **members: Any) -> Events:
    """A whole stream of steps, one after the other."""
    inner = [event for index, events in enumerate(steps) for event in numbered(index, events)]
    return [created(), UPDATE, *inner, completed(status, **members), "[DONE]"]
