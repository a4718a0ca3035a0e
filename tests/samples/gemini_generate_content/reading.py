"""Reads sound payloads of Gemini's generateContent (see sample.Reading), in the canonical spelling."""

from __future__ import annotations

import json
from typing import Any

from ..sample import Conversation, Events, Json
from ..shared import counted


def _input(usage: Json) -> int:
    prompt, cached = usage.get("promptTokenCount") or 0, usage.get("cachedContentTokenCount") or 0
    return max(prompt - cached, 0) + cached


SIDES = (
    (_input, ("promptTokenCount", "cachedContentTokenCount")),
    (
        lambda usage: (usage.get("candidatesTokenCount") or 0) + (usage.get("thoughtsTokenCount") or 0),
        ("candidatesTokenCount", "thoughtsTokenCount"),
    ),
)

# --- whole payloads ---------------------------------------------------------------------------------------------------


def texts(content: Json) -> list[str]:
    return [part["text"] for part in content.get("parts") or [] if "text" in part and not part.get("thought")]


def conversation(request: Json) -> Conversation:
    found = Conversation(request.get("model"))
    found.add_texts("system", texts(request.get("systemInstruction") or {}))
    waiting: list[tuple[str, str]] = []  # of calls without results: the name and what the call is known by
    for content in request["contents"]:
        role = {"user": "user", "model": "assistant", None: "user"}[content.get("role")]
        found.add_texts(role, texts(content))
        for part in content.get("parts") or []:
            if "functionCall" in part:
                call = part["functionCall"]
                waiting.append((call["name"], call.get("id") or str(len(found.calls))))
                found.calls.append((waiting[-1][1], call["name"], call.get("args") or {}))
            elif "functionResponse" in part:
                answered = part["functionResponse"]
                known = [one for one in waiting if one[1] == answered.get("id") or one[0] == answered["name"]]
                found.results.append((answered.get("id") or known[0][1], output(answered.get("response") or {})))
                waiting.remove(known[0])
    return found


def output(response: Json) -> list[str]:
    """The text of a function's response: what is under a documented key, or all of it."""
    if not response:
        return []
    for key in ("output", "error"):
        if set(response) == {key} and isinstance(response[key], str):
            return [response[key]] if response[key] else []
    only = next((response[key] for key in ("output", "error") if set(response) == {key}), response)
    return [json.dumps(only, ensure_ascii=False, separators=(",", ":"))]


def summary(response: Json) -> Json:
    usage = response.get("usageMetadata") or {}
    feedback = response.get("promptFeedback") or {}
    candidates = response.get("candidates") or [{"finishReason": feedback.get("blockReason") and "SAFETY"}]
    counts = [usage.get(name) for name in ("promptTokenCount", "candidatesTokenCount", "cachedContentTokenCount")]
    if len(candidates) == 1:
        return {**_candidate(candidates[0]), "usage": counts}
    return {"candidates": [_candidate(one) for one in candidates], "usage": counts}


def _candidate(candidate: Json) -> Json:
    parts = (candidate.get("content") or {}).get("parts") or []
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    written = "".join(part["text"] for part in parts if "text" in part and not part.get("thought"))
    return {
        "text": written,
        "thinking": "".join(part["text"] for part in parts if part.get("thought") and "text" in part),
        "signatures": [part["thoughtSignature"] for part in parts if part.get("thoughtSignature")],
        "calls": [(call.get("id"), call["name"], call.get("args") or {}) for call in calls],
        "others": [sorted(part) for part in parts if not part.keys() & {"text", "functionCall"}],
        "ending": (candidate.get("finishReason"), candidate.get("finishMessage")),
    }


def message(error: Json) -> str:
    text: str = error["error"]["message"]
    return text


# --- streams ----------------------------------------------------------------------------------------------------------

TEXT_ONLY = {"text", "thought", "thoughtSignature"}


def whole(events: Events) -> Json:
    """Of each member and count the last, and all parts; a text goes on with the next of its kind until it is signed."""
    found: Json = {}
    candidates: dict[int, Json] = {}
    for event in events:
        for candidate in event.get("candidates") or []:
            into = candidates.setdefault(candidate.get("index") or 0, {"content": {"role": "model", "parts": []}})
            into |= {key: value for key, value in candidate.items() if key != "content"}
            for part in (candidate.get("content") or {}).get("parts") or []:
                _add(into["content"]["parts"], part)
        usage = {**found.get("usageMetadata", {}), **(event.get("usageMetadata") or {})}
        found |= {key: value for key, value in event.items() if key != "candidates"}
        if usage:
            found["usageMetadata"] = usage
    first = events[0].get("usageMetadata") if events and isinstance(events[0], dict) else None
    if first:  # which clients have had at the start
        found["usageMetadata"] = counted(first, found["usageMetadata"], *SIDES)
    if candidates:
        found["candidates"] = [candidates[index] for index in sorted(candidates)]
    return found


def _add(parts: list[Json], part: Json) -> None:
    last = parts[-1] if parts else {}
    texts = part.keys() <= TEXT_ONLY and last.keys() <= TEXT_ONLY and "text" in part and "text" in last
    if texts and part.get("thought") == last.get("thought") and "thoughtSignature" not in last:
        parts[-1] = {**last, **part, "text": last["text"] + part["text"]}
    elif part != {"text": ""}:
        parts.append(dict(part))


def is_error(event: Any) -> bool:
    error = event.get("error") if isinstance(event, dict) else None
    return isinstance(error, dict) and isinstance(error.get("message"), str)


def is_end(event: Any) -> bool:
    if not isinstance(event, dict):
        return False
    ended = [one.get("finishReason") for one in event.get("candidates") or []]
    return any(ended) or bool((event.get("promptFeedback") or {}).get("blockReason"))


def outcomes(events: Events) -> list[str]:
    return ["error" if is_error(event) else "end" if is_end(event) else "" for event in events]


def is_complete(events: Events) -> bool:
    return any(is_end(event) or is_error(event) for event in events)
