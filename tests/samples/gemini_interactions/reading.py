"""Reads sound payloads of Gemini Interactions (see sample.Reading)."""

from __future__ import annotations

import json
from typing import Any

from ..sample import Conversation, Events, Json

# --- whole payloads ---------------------------------------------------------------------------------------------------

CONTENT = ("text", "image", "audio", "video", "document")
DONE = "[DONE]"


def steps(given: Any) -> list[Json]:
    """A text, one content or several are what the user says."""
    if isinstance(given, str):
        return [{"type": "user_input", "content": [{"type": "text", "text": given}]}]
    listed = [given] if isinstance(given, dict) else given or []
    if listed and all(one["type"] in CONTENT for one in listed):
        return [{"type": "user_input", "content": listed}]
    return list(listed)


def texts(content: Any) -> list[str]:
    return [one["text"] for one in content or () if one["type"] == "text"]


def conversation(request: Json) -> Conversation:
    found = Conversation(request.get("model"))
    if request.get("system_instruction") is not None:
        found.add_texts("system", [request["system_instruction"]])
    for step in steps(request.get("input")):
        if step["type"] == "user_input":
            found.add_texts("user", texts(step.get("content")))
        elif step["type"] == "model_output":
            found.add_texts("assistant", texts(step.get("content")))
        elif step["type"] == "function_call":
            found.calls.append((step["id"], step["name"], step["arguments"]))
        elif step["type"] == "function_result":
            given = step["result"]
            result = [given] if isinstance(given, str) else texts(given) if isinstance(given, list) else [given]
            result = [
                one if isinstance(one, str) else json.dumps(one, ensure_ascii=False, separators=(",", ":"))
                for one in result
            ]
            found.results.append((step["call_id"], [one for one in result if one]))
    return found


def summary(response: Json) -> Json:
    listed, usage = response.get("steps") or [], response.get("usage") or {}
    shown = [one for step in listed if step["type"] == "model_output" for one in step.get("content") or ()]
    thoughts = [step for step in listed if step["type"] == "thought"]
    return {
        "text": "".join(texts(shown)),
        "thinking": "".join(text for step in thoughts for text in texts(step.get("summary"))),
        "signatures": [step["signature"] for step in thoughts if step.get("signature")],
        "calls": [(step["id"], step["name"], step["arguments"]) for step in listed if step["type"] == "function_call"],
        "others": [step["type"] for step in listed if step["type"] not in ("model_output", "thought", "function_call")],
        "ending": response.get("status"),
        "usage": tuple(usage.get(f"total_{what}_tokens") for what in ("input", "output", "cached")),
    }


def message(error: Json) -> str:
    text: str = error["error"]["message"]
    return text


# --- streams ----------------------------------------------------------------------------------------------------------


def whole(events: Events) -> Json:
    interaction: Json = {}
    made: dict[int, Json] = {}
    inputs: dict[int, str] = {}
    for event in events:
        if not isinstance(event, dict):
            continue
        kind, index = event["event_type"], event.get("index", -1)
        if kind in ("interaction.created", "interaction.completed"):
            interaction |= event["interaction"]
        elif kind == "step.start":
            made[index] = dict(event["step"])
        elif kind == "step.delta":
            _grow(made[index], event["delta"], inputs, index)
    for index, text in inputs.items():
        made[index]["arguments"] = json.loads(text) if text.strip() else {}
    return {**interaction, "steps": list(made.values())}


def _grow(step: Json, delta: Json, inputs: dict[int, str], index: int) -> None:
    kind = delta["type"]
    if kind == "arguments_delta":
        inputs[index] = inputs.get(index, "") + (delta.get("arguments") or "")
    elif kind == "thought_summary":
        _say(step.setdefault("summary", []), delta["content"])
    elif kind == "thought_signature":
        step["signature"] = delta["signature"]
    elif kind == "text_annotation_delta":
        last = step["content"][-1]
        last["annotations"] = [*(last.get("annotations") or ()), *delta["annotations"]]
    elif kind in CONTENT:
        _say(step.setdefault("content", []), delta)
    else:
        step |= delta


def _say(content: list[Json], one: Json) -> None:
    if one["type"] == "text" and content and content[-1]["type"] == "text":
        content[-1]["text"] += one["text"]
    else:
        content.append(dict(one))


def is_error(event: Any) -> bool:
    error = event.get("error") if isinstance(event, dict) else None
    return isinstance(error, dict) and isinstance(error.get("message"), str) and event.get("event_type") == "error"


def is_end(event: Any) -> bool:
    return isinstance(event, dict) and event.get("event_type") == "interaction.completed"


def outcomes(events: Events) -> list[str]:
    """Some clients read on until `[DONE]`, which has no content."""
    return ["error" if is_error(one) else "end" if one == DONE else "final" if is_end(one) else "" for one in events]


def is_complete(events: Events) -> bool:
    kinds = ("interaction.completed", "error")
    return any(isinstance(event, dict) and event.get("event_type") in kinds for event in events)
