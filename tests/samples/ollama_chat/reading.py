"""Reads sound payloads of Ollama's `/api/chat` (see sample.Reading), by its documentation."""

from __future__ import annotations

from typing import Any

from ..sample import Conversation, Events, Json

# --- whole payloads ---------------------------------------------------------------------------------------------------


def conversation(request: Json) -> Conversation:
    found = Conversation(request.get("model"))
    waiting: list[tuple[str, str]] = []  # of calls without results: the name and what the call is known by
    for at, message in enumerate(request["messages"]):
        role = message["role"]
        assert role in ("system", "user", "assistant", "tool")
        if role == "tool":
            name, identity = message.get("tool_name") or message.get("name"), message.get("tool_call_id")
            known = [one for one in waiting if one[1] == identity or (identity is None and name in (None, one[0]))]
            text = message.get("content") or ""
            found.results.append((known[0][1] if known else str(identity), [text] if text else []))
            waiting = [one for one in waiting if one not in known[:1]]
            continue
        found.add_texts(role, [message.get("content") or ""])
        before = bool(message.get("thinking")) + bool(message.get("content")) + len(message.get("images") or [])
        for number, call in enumerate(message.get("tool_calls") or [], before):
            function = call["function"]
            assert isinstance(function["arguments"], dict)
            waiting.append((function["name"], call.get("id") or f"call_{at}_{number}"))  # which all are given
            found.calls.append((waiting[-1][1], function["name"], function["arguments"]))
    return found


def summary(response: Json) -> Json:
    message = response["message"]
    calls = [call["function"] for call in message.get("tool_calls") or []]
    assert message["role"] == "assistant"
    return {
        "text": message.get("content") or "",
        "thinking": message.get("thinking") or "",
        "calls": [(call["name"], call["arguments"]) for call in calls],
        "ending": (response["done"], response.get("done_reason")),
        "usage": [response.get(name) for name in ("prompt_eval_count", "prompt_eval_cached_count", "eval_count")],
    }


def message(error: Json) -> str:
    text: str = error["error"]
    return text


# --- streams ----------------------------------------------------------------------------------------------------------


def whole(events: Events) -> Json:
    """The last line, with the texts, calls and scores of all of them, and the beginning's time."""
    found: Json = {}
    message: Json = {"role": "assistant", "content": ""}
    scores: list[Any] = []
    for event in events:
        added = event.get("message") or {}
        for name, empty in (("content", ""), ("thinking", ""), ("tool_calls", [])):
            if added.get(name):
                message[name] = message.get(name, empty) + added[name]
        message |= {name: value for name, value in added.items() if name not in message and value}
        scores += event.get("logprobs") or []
        known = {"created_at": found["created_at"]} if "created_at" in found else {}
        found |= {name: value for name, value in event.items() if name not in ("message", "logprobs")} | known
    found["message"] = message
    if scores:
        found["logprobs"] = scores
    return found


def is_error(event: Any) -> bool:
    return isinstance(event, dict) and isinstance(event.get("error"), str)


def is_end(event: Any) -> bool:
    return isinstance(event, dict) and event.get("done") is True


def outcomes(events: Events) -> list[str]:
    return ["error" if is_error(event) else "end" if is_end(event) else "" for event in events]


def is_complete(events: Events) -> bool:
    return any(is_end(event) or is_error(event) for event in events)
