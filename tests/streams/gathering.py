"""Streams put together to whole answers by each wire's own rules, and what an answer says: none of it by the library.

For legal streams only.
"""

from __future__ import annotations

import json
from typing import Any

from ..properties.samples import RESPONSES
from .wire import ANTHROPIC, DONE, ENDS, Events, Object

# --- whole answers ----------------------------------------------------------------------------------------------------


def whole(protocol: str, events: Events) -> Object:
    """The answer that a stream says; a Responses stream tells it in its last event."""
    if protocol == RESPONSES:
        answer: Object = next(event["response"] for event in reversed(events) if event["type"] in ENDS)
        return answer
    return _message(events) if protocol == ANTHROPIC else _completion(events)


def _message(events: Events) -> Object:
    message: Object = {}
    blocks: dict[int, Object] = {}
    inputs: dict[int, str] = {}
    for event in events:
        kind, index = event["type"], event.get("index")
        if kind == "message_start":
            message = dict(event["message"])
        elif kind == "content_block_start":
            blocks[index] = dict(event["content_block"])
        elif kind == "content_block_delta":
            _grow(blocks[index], event["delta"], inputs, index)
        elif kind == "message_delta":
            message |= event["delta"]
            message["usage"] = {**(message.get("usage") or {}), **(event.get("usage") or {})}
    for index, given in inputs.items():
        blocks[index]["input"] = json.loads(given) if given.strip() else {}
    if not message.get("usage"):
        message.pop("usage", None)
    return {**message, "content": list(blocks.values())}


def _grow(block: Object, delta: Object, inputs: dict[int, str], index: int) -> None:
    kind = delta["type"]
    if kind == "text_delta":
        block["text"] += delta["text"]
    elif kind == "thinking_delta":
        block["thinking"] += delta["thinking"]
    elif kind == "signature_delta":
        block["signature"] = delta["signature"]
    elif kind == "input_json_delta":
        inputs[index] = inputs.get(index, "") + delta["partial_json"]
    elif kind == "citations_delta":
        block["citations"] = [*(block.get("citations") or ()), delta["citation"]]


TEXTS = ("content", "refusal", "reasoning_content", "reasoning")


def _completion(events: Events) -> Object:
    """Of one choice; the usage is that of the chunk without choices (STR-4)."""
    chunks = [event for event in events if event != DONE]
    message: Object = {"role": "assistant", "content": None}
    called: dict[int, Object] = {}
    finish = None
    usage: Object = {}
    for chunk in chunks:
        for choice in chunk["choices"]:
            delta = choice.get("delta") or {}
            for key in TEXTS:
                if delta.get(key):
                    message[key] = (message.get(key) or "") + delta[key]
            for piece in delta.get("tool_calls") or ():
                _join(called, piece)
            if delta.get("annotations"):
                message["annotations"] = delta["annotations"]
            finish = choice.get("finish_reason") or finish
        if not chunk["choices"] and chunk.get("usage"):
            usage = {"usage": chunk["usage"]}
    if called:
        message["tool_calls"] = [called[index] for index in sorted(called)]
    head = {key: value for key, value in chunks[0].items() if key in ("id", "created", "model", "service_tier")}
    choices = [{"index": 0, "message": message, "finish_reason": finish}]
    return {**head, "object": "chat.completion", "choices": choices, **usage}


def _join(called: dict[int, Object], piece: Object) -> None:
    function = piece.get("function") or {}
    if piece["index"] not in called:
        inner = {"name": function["name"], "arguments": ""}
        called[piece["index"]] = {"id": piece["id"], "type": "function", "function": inner}
    called[piece["index"]]["function"]["arguments"] += function.get("arguments") or ""


# --- what an answer says ----------------------------------------------------------------------------------------------


def said(protocol: str, answer: Object) -> Object:
    """What was written, thought, declined, called, cited and spent, and how it ended."""
    if protocol == RESPONSES:
        return _of_items(answer)
    return _of_message(answer) if protocol == ANTHROPIC else _of_completion(answer)


def _of_items(answer: Object) -> Object:
    output, usage = answer["output"], answer.get("usage") or {}
    told = [part for one in output if one["type"] == "message" for part in one["content"]]
    thoughts = [part for one in output if one["type"] == "reasoning" for part in one["summary"]]
    return {
        "text": worded("".join(part["text"] for part in told if part["type"] == "output_text")),
        "thinking": "".join(part["text"] for part in thoughts),
        "refusal": worded("".join(part["refusal"] for part in told if part["type"] == "refusal")),
        "calls": [
            (one["call_id"], one["name"], json.loads(one["arguments"]))
            for one in output
            if one["type"] == "function_call"
        ],
        "cited": [note for part in told for note in part.get("annotations") or ()],
        "searches": [(one["id"], one["action"]) for one in output if one["type"] == "web_search_call"],
        "ending": (answer["status"], answer.get("incomplete_details")),
        "spent": (usage.get("input_tokens"), usage.get("output_tokens"), usage.get("input_tokens_details")),
    }


def _of_message(message: Object) -> Object:
    content, usage = message["content"], message.get("usage") or {}
    texts = {kind: "".join(one[kind] for one in content if one["type"] == kind) for kind in ("text", "thinking")}
    return {
        "text": worded(texts["text"]),
        "thinking": texts["thinking"],
        "signatures": [one["signature"] for one in content if one.get("signature")],
        "calls": [(one["id"], one["name"], one["input"]) for one in content if one["type"] == "tool_use"],
        "others": [one["type"] for one in content if one["type"] not in ("text", "thinking", "tool_use")],
        "ending": (message["stop_reason"], message.get("stop_sequence"), told(message.get("stop_details"))),
        "spent": (usage.get("input_tokens"), usage.get("output_tokens"), usage.get("cache_read_input_tokens")),
    }


def _of_completion(answer: Object) -> Object:
    (choice,) = answer["choices"]
    message, usage = choice["message"], answer.get("usage") or {}
    return {
        "text": worded(joined(message.get("content"))),
        "thinking": message.get("reasoning_content") or message.get("reasoning") or "",
        "refusal": worded(message.get("refusal")),
        "calls": [
            (one["id"], one["function"]["name"], json.loads(one["function"]["arguments"]))
            for one in message.get("tool_calls") or ()
        ],
        "cited": message.get("annotations") or [],
        "ending": choice["finish_reason"],
        "spent": (usage.get("prompt_tokens"), usage.get("completion_tokens"), usage.get("prompt_tokens_details")),
    }


def told(value: Object | None) -> Object:
    """The members that are not null."""
    return {key: item for key, item in (value or {}).items() if item is not None}


def worded(text: str | None) -> str:
    """A text; one that is only blank says nothing."""
    return text if text and text.strip() else ""


def joined(content: Any) -> str:
    """A string, or parts of text."""
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part["type"] == "text")
    return content or ""


def argued(answer: Object) -> Object:
    """A chat answer in which calls without arguments have them written out, as those of a source need not."""
    for choice in answer["choices"]:
        for one in choice["message"].get("tool_calls") or ():
            one["function"]["arguments"] = one["function"]["arguments"] or "{}"
    return answer


def calls_of(events: Events) -> list[tuple[Any, Any, Any]]:
    """The calls of an Anthropic stream: id, name and arguments, from its events alone."""
    calls: list[tuple[Any, Any, Any]] = said(ANTHROPIC, whole(ANTHROPIC, events))["calls"]
    return calls
