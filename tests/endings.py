"""Responses that end in every way: what makes them, and how a client of each target sees the end."""

from __future__ import annotations

import json
from typing import Any

GEMINI, CHAT = "gemini_generate_content", "openai_chat_completions"
ANTHROPIC, RESPONSES = "anthropic_messages", "openai_responses"
TARGETS = (ANTHROPIC, CHAT, GEMINI, RESPONSES)
Json = Any

# --- what a client sees -----------------------------------------------------------------------------------------------

WORDS: dict[str, dict[str, Json]] = {
    "stop": {ANTHROPIC: "end_turn", CHAT: "stop", GEMINI: "STOP", RESPONSES: "completed"},
    "calls": {ANTHROPIC: "tool_use", CHAT: "tool_calls", GEMINI: "STOP", RESPONSES: "completed"},
    "length": {ANTHROPIC: "max_tokens", CHAT: "length", GEMINI: "MAX_TOKENS", RESPONSES: "max_output_tokens"},
    "filter": {ANTHROPIC: "refusal", CHAT: "content_filter", GEMINI: "SAFETY", RESPONSES: "content_filter"},
    "unknown": {ANTHROPIC: "end_turn", CHAT: "stop", GEMINI: "OTHER", RESPONSES: "completed"},
}
"""The word of each target for an ending; OpenAI Responses has the reason of what is incomplete next to its status."""


def ended(dst: str, out: Json) -> Json:
    """The word of a whole response."""
    if dst == ANTHROPIC:
        return out["stop_reason"]
    if dst == CHAT:
        return out["choices"][0]["finish_reason"]
    if dst == GEMINI:
        return out["candidates"][0]["finishReason"]
    return (out["incomplete_details"] or {}).get("reason", out["status"])


def called(dst: str, out: Json) -> list[Json]:
    """The arguments of the calls of a whole response."""
    if dst == ANTHROPIC:
        return [block["input"] for block in out["content"] if block["type"] == "tool_use"]
    if dst == CHAT:
        return [one["function"]["arguments"] for one in out["choices"][0]["message"].get("tool_calls", ())]
    if dst == GEMINI:
        parts = out["candidates"][0]["content"]["parts"]
        return [part["functionCall"]["args"] for part in parts if "functionCall" in part]
    return [item["arguments"] for item in out["output"] if item["type"] == "function_call"]


def ended_stream(dst: str, out: list[Json]) -> Json:
    """The word that a stream ended with; "error": with the target's error event."""
    last = out[-1]
    if dst == RESPONSES:
        if last["type"] == "response.failed":
            assert out[-2]["type"] == "error"
            return "error"
        return ended(dst, last["response"])
    if "error" in last:
        return "error"
    if dst == ANTHROPIC:
        return out[-2]["delta"]["stop_reason"]
    if dst == CHAT:
        return next(one["choices"][0]["finish_reason"] for one in reversed(out[:-1]) if one["choices"])
    return ended(dst, last)


def called_in_stream(dst: str, out: list[Json]) -> list[str]:
    """The text of the arguments of the calls of a stream, as a client puts it together."""
    found: dict[int, str] = {}
    for event in out:
        if dst == ANTHROPIC and event["type"] == "content_block_start" and event["content_block"]["type"] == "tool_use":
            found[event["index"]] = ""
        elif dst == ANTHROPIC and event.get("delta", {}).get("type") == "input_json_delta":
            found[event["index"]] += event["delta"]["partial_json"]
        elif dst == RESPONSES and event["type"] == "response.output_item.done" and "arguments" in event["item"]:
            found[event["output_index"]] = event["item"]["arguments"]
        elif dst == GEMINI:
            for part in event["candidates"][0]["content"].get("parts", ()) if "candidates" in event else ():
                if "functionCall" in part:
                    found[len(found)] = json.dumps(part["functionCall"]["args"])
        elif dst == CHAT and event != "[DONE]":
            for one in event["choices"][0]["delta"].get("tool_calls", ()) if event.get("choices") else ():
                found[one["index"]] = found.get(one["index"], "") + one["function"]["arguments"]
    return [*found.values()]


def failure(dst: str, out: Json) -> tuple[str, Json]:
    """The message of an error's body or event, and its code where the target has one."""
    error = out["response"]["error"] if "response" in out else out["error"]
    if dst == GEMINI:
        return error["message"], error["details"][0]["reason"]
    return error["message"], error.get("code")


def codes(diagnostics: Any) -> set[str]:
    return {one.code for one in diagnostics}


# --- responses with a call, of arguments and an ending ---------------------------------------------------------------

EMPTY, BROKEN, WHOLE = "", '{"a', '{"a":1}'
CHAT_WORDS = {"stop": "stop", "calls": "tool_calls", "length": "length", "filter": "content_filter", "none": None}
CLAUDE_WORDS = {"stop": "end_turn", "calls": "tool_use", "length": "max_tokens", "filter": "sensitive", "none": None}


def chat_whole(arguments: str, word: str | None) -> Json:
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": word}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def chat_stream(arguments: str, word: str | None) -> list[Json]:
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": ""}}
    deltas: list[Json] = [{"role": "assistant", "tool_calls": [call]}]
    if arguments:
        deltas.append({"tool_calls": [{"index": 0, "function": {"arguments": arguments}}]})
    chunks: list[Json] = [{**head, "choices": [{"index": 0, "delta": one, "finish_reason": None}]} for one in deltas]
    if word is not None:
        chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": word}]})
    return [*chunks, "[DONE]"]


DETAILS = {"length": {"reason": "max_output_tokens"}, "filter": {"reason": "content_filter"}}


def responses_whole(arguments: str, ending: str) -> Json:
    status = "incomplete" if ending in DETAILS else "completed"
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": arguments}
    response = {"id": "r1", "object": "response", "created_at": 1, "model": "m", "output": [{**item, "status": status}]}
    return {**response, "status": status, "incomplete_details": DETAILS.get(ending)}


def responses_stream(arguments: str, ending: str) -> list[Json]:
    whole = responses_whole(arguments, ending)
    (item,) = whole["output"]
    begun = {**item, "arguments": "", "status": "in_progress"}
    start = {**whole, "output": [], "status": "in_progress", "incomplete_details": None}
    grown: list[Json] = []
    if arguments:
        kind = "response.function_call_arguments.delta"
        grown.append({"type": kind, "item_id": "fc_1", "output_index": 0, "delta": arguments})
    return [
        {"type": "response.created", "response": start},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        *grown,
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": f"response.{whole['status']}", "response": whole},
    ]


def claude_whole(arguments: str, word: str | None) -> Json:
    block = {"type": "tool_use", "id": "call_1", "name": "f", "input": json.loads(arguments)}
    message = {"id": "m1", "type": "message", "role": "assistant", "model": "m", "content": [block]}
    return {**message, "stop_reason": word, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}


def claude_stream(arguments: str, word: str | None) -> list[Json]:
    start = {**claude_whole("{}", None), "content": []}
    del start["stop_reason"]
    block = {"type": "tool_use", "id": "call_1", "name": "f", "input": {}}
    delta = {"type": "input_json_delta", "partial_json": arguments}
    ending = {"stop_reason": word, "stop_sequence": None}
    return [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *([{"type": "content_block_delta", "index": 0, "delta": delta}] if arguments else []),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]


# Source -> what makes its whole response (of arguments that it can have) and its stream, of arguments and an ending.
SOURCES: dict[str, Any] = {
    CHAT: (
        lambda arguments, ending: chat_whole(arguments, CHAT_WORDS[ending]),
        lambda arguments, ending: chat_stream(arguments, CHAT_WORDS[ending]),
        ("stop", "calls", "length", "filter", "none"),
    ),
    RESPONSES: (responses_whole, responses_stream, ("stop", "length", "filter")),
    ANTHROPIC: (
        lambda arguments, ending: claude_whole(arguments, CLAUDE_WORDS[ending]) if arguments == WHOLE else None,
        lambda arguments, ending: claude_stream(arguments, CLAUDE_WORDS[ending]),
        ("stop", "calls", "length", "filter", "none"),
    ),
}
