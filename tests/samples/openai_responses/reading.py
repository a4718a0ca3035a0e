"""Reads sound Responses payloads (see sample.Reading)."""

from __future__ import annotations

from typing import Any

from ..sample import Conversation, Events, Json, arguments

TEXTS = ("text", "input_text", "output_text")
ENDS = ("response.completed", "response.incomplete", "response.failed")

# --- whole payloads ---------------------------------------------------------------------------------------------------


def texts(content: Any) -> list[str]:
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or ()
    return [part["text"] for part in parts if part["type"] in TEXTS]


def conversation(request: Json) -> Conversation:
    found = Conversation(request.get("model"))
    found.add_texts("system", texts(request.get("instructions")))
    items = request["input"]
    for item in [{"role": "user", "content": items}] if isinstance(items, str) else items:
        kind = item.get("type", "message")
        if kind == "message":
            found.add_texts(item["role"], texts(item["content"]))
        elif kind in ("function_call", "custom_tool_call"):
            found.calls.append(_call(item))
        elif kind in ("function_call_output", "custom_tool_call_output"):
            found.results.append((item["call_id"], [text for text in texts(item["output"]) if text]))
    return found


def _call(item: Json) -> tuple[str, str, Any]:
    """A function with JSON text for arguments, or a custom tool with any text for input."""
    return item["call_id"], item["name"], item["input"] if "input" in item else arguments(item["arguments"])


def summary(response: Json) -> Json:
    output, usage = response["output"], response.get("usage") or {}
    assert response["object"] == "response"
    parts = [part for item in output if item["type"] == "message" for part in item["content"]]
    summaries = [part for item in output if item["type"] == "reasoning" for part in item["summary"]]
    written = "".join(part["text"] for part in parts if part["type"] == "output_text")
    refusal = "".join(part["refusal"] for part in parts if part["type"] == "refusal")
    return {
        "text": written,
        "thinking": "".join(part["text"] for part in summaries),
        "refusal": refusal,
        "calls": [_call(item) for item in output if item["type"] in ("function_call", "custom_tool_call")],
        "citations": [note for part in parts for note in part.get("annotations") or ()],
        "searches": [(item["id"], item["action"]) for item in output if item["type"] == "web_search_call"],
        "ending": (response["status"], response.get("incomplete_details")),
        "usage": (usage.get("input_tokens"), usage.get("output_tokens"), usage.get("input_tokens_details")),
    }


def message(error: Json) -> str:
    text: str = error["error"]["message"]
    return text


# --- streams ----------------------------------------------------------------------------------------------------------


def whole(events: Events) -> Json:
    """The terminal event has all of it."""
    response: Json = next(event["response"] for event in reversed(events) if event["type"] in ENDS)
    return response


def is_error(event: Any) -> bool:
    return isinstance(event, dict) and event.get("type") == "error" and isinstance(event.get("message"), str)


def is_end(event: Any) -> bool:
    return isinstance(event, dict) and event.get("type") in ENDS


def has_failed(event: Any) -> bool:
    """Whether it is the response that an error ended, which repeats it."""
    return isinstance(event, dict) and event.get("type") == "response.failed" and bool(event["response"].get("error"))


def outcomes(events: Events) -> list[str]:
    return ["error" if is_error(event) or has_failed(event) else "end" if is_end(event) else "" for event in events]


def is_complete(events: Events) -> bool:
    return any(isinstance(event, dict) and event.get("type") in (*ENDS, "error") for event in events)
