"""Reads sound Chat Completions payloads (see sample.Reading)."""

from __future__ import annotations

from typing import Any

from ..sample import Conversation, Events, Json, arguments
from .building import DONE

# --- whole payloads ---------------------------------------------------------------------------------------------------


def texts(content: Any) -> list[str]:
    """A string, or the texts among the parts."""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or ()
    return [part["text"] for part in parts if part["type"] == "text"]


def conversation(request: Json) -> Conversation:
    found = Conversation(request.get("model"))
    for message in request["messages"]:
        if message["role"] == "tool":
            found.results.append((message["tool_call_id"], [text for text in texts(message["content"]) if text]))
            continue
        found.add_texts(message["role"], texts(message.get("content")))
        found.calls += map(_call, message.get("tool_calls") or ())
    return found


def _call(call: Json) -> tuple[str, str, Any]:
    """A function with JSON text for arguments, or a custom tool with any text for input."""
    inner = call[call["type"]]
    return call["id"], inner["name"], inner["input"] if "input" in inner else arguments(inner.get("arguments") or "")


def summary(response: Json) -> Json:
    (choice,) = response["choices"]
    message, usage = choice["message"], response.get("usage") or {}
    assert message["role"] == "assistant"
    return {
        "text": "".join(texts(message.get("content"))),
        "thinking": message.get("reasoning_content") or message.get("reasoning") or "",
        "refusal": message.get("refusal") or "",
        "calls": list(map(_call, message.get("tool_calls") or ())),
        "citations": message.get("annotations") or [],
        "ending": choice["finish_reason"],
        "usage": (usage.get("prompt_tokens"), usage.get("completion_tokens"), usage.get("prompt_tokens_details")),
    }


def message(error: Json) -> str:
    text: str = error["error"]["message"]
    return text


# --- streams ----------------------------------------------------------------------------------------------------------

MEMBERS = ("content", "refusal", "reasoning_content", "reasoning")


def whole(events: Events) -> Json:
    """Of one choice; the usage is that of the chunk without choices (STR-4)."""
    chunks = [event for event in events if event != DONE]
    message: Json = {"role": "assistant", "content": None}
    called: dict[int, Json] = {}
    finish = None
    usage: Json = {}
    scores: list[Json] = []
    for chunk in chunks:
        for choice in chunk["choices"]:
            delta = choice.get("delta") or {}
            _grow(message, delta)
            for piece in delta.get("tool_calls") or ():
                _join(called, piece)
            finish = choice.get("finish_reason") or finish
            scores += (choice.get("logprobs") or {}).get("content") or ()
        if not chunk["choices"] and chunk.get("usage"):
            usage = {"usage": chunk["usage"]}
    if called:
        message["tool_calls"] = [called[index] for index in sorted(called)]
    head = {key: value for key, value in chunks[0].items() if key in ("id", "created", "model", "service_tier")}
    scored = {"logprobs": {"content": scores, "refusal": None}} if scores else {}
    choices = [{"index": 0, "message": message, "finish_reason": finish, **scored}]
    return {**head, "object": "chat.completion", "choices": choices, **usage}


def _grow(message: Json, delta: Json) -> None:
    for key in MEMBERS:
        if delta.get(key):
            message[key] = (message.get(key) or "") + "".join(texts(delta[key]))
    if delta.get("annotations"):
        message["annotations"] = delta["annotations"]
    if delta.get("images"):
        message.setdefault("images", []).extend(delta["images"])
    if delta.get("audio"):
        message["audio"] = _spoken(message.get("audio") or {}, delta["audio"])
    if "function_call" in delta:
        message["function_call"] = _joined(message.get("function_call"), delta["function_call"])


def _spoken(before: Json, piece: Json) -> Json:
    """Data and transcript grow."""
    grown: Json = {key: before.get(key, "") + piece[key] for key in ("data", "transcript") if key in piece}
    return {**before, **piece, **grown}


def _join(called: dict[int, Json], piece: Json) -> None:
    """A piece of a function's or a custom tool's call into its call."""
    kind = "custom" if "custom" in piece else "function"
    known = called.setdefault(piece["index"], {"id": piece.get("id"), "type": kind, kind: None})
    known[kind] = _joined(known[kind], piece[kind])


def _joined(before: Json | None, piece: Json) -> Json:
    """The last member, input or arguments, grows; a function has arguments even where no piece does."""
    member = "input" if "input" in (before or piece) else "arguments"
    return {**(before or piece), member: (before or {}).get(member, "") + (piece.get(member) or "")}


def is_error(event: Any) -> bool:
    error = event.get("error") if isinstance(event, dict) else None
    return isinstance(error, dict) and isinstance(error.get("message"), str) and "choices" not in event


def outcomes(events: Events) -> list[str]:
    """No client waits for more than the usage chunk."""
    return ["error" if is_error(one) else "end" if one == DONE else "final" if _is_usage(one) else "" for one in events]


def _is_usage(event: Any) -> bool:
    return isinstance(event, dict) and event.get("choices") == [] and event.get("usage") is not None


def is_complete(events: Events) -> bool:
    """Every choice has its finish reason, or there was an error, or the usage and `[DONE]` follow (Snowflake)."""
    chunks = [event for event in events if isinstance(event, dict)]
    if any(chunk.get("error") for chunk in chunks):
        return True
    if DONE in events and any(_is_usage(chunk) for chunk in chunks):
        return True
    finishes: dict[int, Any] = {}
    for chunk in chunks:
        for choice in chunk.get("choices") or ():
            index = choice.get("index") or 0
            finishes[index] = finishes.get(index) or choice.get("finish_reason")
    return bool(finishes) and all(finishes.values())
