"""What the pain tests share: small valid payloads to put the sore point into, and findings as bare pairs."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import Conversion, StreamError, Unrepresentable

from ..streams import wire

Json = dict[str, Any]
Found = list[tuple[str, str]]

CHAT = "openai_chat_completions"
ANTHROPIC = "anthropic_messages"
RESPONSES = "openai_responses"

ENVELOPE = [("ENV-1", "/created"), ("USE-3", "/usage/total_tokens")]
"""What the target cannot say of any `chat_answer`."""

MINTED = [("ENV-2", "")]
"""What the target needs besides any `anthropic_answer`."""


def chat_request(*messages: Json, **settings: Any) -> Json:
    return {"model": "gpt", "max_completion_tokens": 64, "messages": list(messages), **settings}


def anthropic_request(*messages: Json, **settings: Any) -> Json:
    return {"model": "claude", "max_tokens": 64, "messages": list(messages), **settings}


def chat_answer(finish: str | None = "stop", usage: Json | None = None, **message: Any) -> Json:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "gpt",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": None, **message}, "finish_reason": finish}
        ],
        "usage": usage or {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12},
    }


def anthropic_answer(*content: Json, stop: str | None = "end_turn", usage: Json | None = None, **members: Any) -> Json:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": list(content),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage or {"input_tokens": 7, "output_tokens": 5},
        **members,
    }


def responses_request(*items: Json, **settings: Any) -> Json:
    return {"model": "gpt", "max_output_tokens": 64, "input": list(items), **settings}


def responses_answer(*items: Json, status: str = "completed", **members: Any) -> Json:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1700000000,
        "model": "gpt",
        "output": list(items),
        "status": status,
        **members,
    }


def item(*content: Json, **members: Any) -> Json:
    """What the assistant says, as responses says it."""
    return {"type": "message", "role": "assistant", "content": list(content), **members}


def output_text(words: str, *annotations: Json) -> Json:
    return {"type": "output_text", "text": words, "annotations": list(annotations)}


def call_item(name: str, arguments: str = "{}", call_id: str = "call_1", **members: Any) -> Json:
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments, **members}


def output_item(output: Any, call_id: str = "call_1", **members: Any) -> Json:
    return {"type": "function_call_output", "call_id": call_id, "output": output, **members}


def user(content: Any) -> Json:
    return {"role": "user", "content": content}


def assistant(content: Any = None, **members: Any) -> Json:
    return {"role": "assistant", "content": content, **members}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def function(name: str, arguments: str = "{}", call_id: str = "call_1") -> Json:
    """A call, as chat says it."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def tool_use(name: str, given: Json | None = None, call_id: str = "call_1") -> Json:
    """The same call, as anthropic says it."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": given or {}}


def chat_result(content: Any, call_id: str = "call_1") -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def tool_result(content: Any, call_id: str = "call_1") -> Json:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


def chat_tool(name: str, **members: Any) -> Json:
    return {
        "type": "function",
        "function": {"name": name, "parameters": {"type": "object", "properties": {}}, **members},
    }


def anthropic_tool(name: str, **members: Any) -> Json:
    return {"name": name, "input_schema": {"type": "object", "properties": {}}, **members}


def to_anthropic(payload: Json, kind: str = "request", **options: Any) -> Conversion:
    return proxai_ir.compile(payload, CHAT, ANTHROPIC, kind=kind, **options)


def to_chat(payload: Json, kind: str = "request", **options: Any) -> Conversion:
    return proxai_ir.compile(payload, ANTHROPIC, CHAT, kind=kind, **options)


def from_responses(payload: Json, dst: str, kind: str = "request", **options: Any) -> Conversion:
    return proxai_ir.compile(payload, RESPONSES, dst, kind=kind, **options)


def to_responses(payload: Json, src: str, kind: str = "request", **options: Any) -> Conversion:
    return proxai_ir.compile(payload, src, RESPONSES, kind=kind, **options)


def again(payload: Any, protocol: str, kind: str = "request") -> Json:
    """The payload through the IR and back into its own protocol."""
    back: Json = proxai_ir.raise_to(proxai_ir.lower(payload, protocol, kind=kind), protocol)
    return back


def stream_to_anthropic(events: list[Any], **options: Any) -> Conversion:
    return proxai_ir.compile(events, CHAT, ANTHROPIC, kind="stream", **options)


def stream_to_chat(events: list[Any], **options: Any) -> Conversion:
    return proxai_ir.compile(events, ANTHROPIC, CHAT, kind="stream", **options)


def cut_off(events: list[Any], src: str, dst: str) -> list[Any]:
    """All that a client gets of a stream that ends too early."""
    converter = proxai_ir.StreamConverter(src, dst)
    out = [made for event in events for made in converter.feed(event)]
    with pytest.raises(StreamError) as caught:
        converter.close()
    assert caught.value.rule == "STR-2"
    return out + converter.close(error_event=True)


def endings(events: list[Any]) -> list[Any]:
    """How a stream of either protocol says that it ended: reasons, errors and last words, in order."""
    found: list[Any] = []
    for event in events:
        if event == wire.DONE or event.get("type") == "message_stop":
            found.append("the end")
        elif "error" in event:
            found.append("an error")
        elif event.get("type") == "message_delta":
            found.append(event["delta"]["stop_reason"])
        else:
            found += [choice["finish_reason"] for choice in event.get("choices", ()) if choice["finish_reason"]]
    return found


def losses(conversion: Conversion) -> Found:
    return [(found.code, found.path) for found in conversion.diagnostics if found.severity == "loss"]


def notes(conversion: Conversion) -> Found:
    return [(found.code, found.path) for found in conversion.diagnostics if found.severity == "info"]


def message(conversion: Conversion) -> Json:
    """The message of a chat answer."""
    found: Json = conversion.output["choices"][0]["message"]
    return found


def refusals(payload: Json, src: str, kind: str = "request", dst: str | None = None) -> Found:
    """The refusals of a payload that the other protocol cannot say."""
    with pytest.raises(Unrepresentable) as caught:
        proxai_ir.convert(payload, src, dst or (ANTHROPIC if src == CHAT else CHAT), kind=kind)
    assert (caught.value.rule, caught.value.path) == (
        caught.value.diagnostics[0].code,
        caught.value.diagnostics[0].path,
    )
    return [(found.code, found.path) for found in caught.value.diagnostics]
