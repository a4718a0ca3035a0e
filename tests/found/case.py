"""The class of cases, and the payloads that they are made of."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from ..pains.asked.row import ABSENT, Refused

__all__ = ["ABSENT", "Refused"]

Json = Any
A, B, C = "anthropic_messages", "bedrock_converse", "openai_chat_completions"
G, H, I = "gemini_generate_content", "cohere_v2_chat", "gemini_interactions"  # noqa: E741 - as the review names them
O, R = "ollama_chat", "openai_responses"  # noqa: E741
CLAUDE, SONNET_4_5 = "us.anthropic.claude-opus-4-6-v1", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
NOVA_2, LLAMA = "us.amazon.nova-2-lite-v1:0", "us.meta.llama3-3-70b-instruct-v1:0"

# --- payloads ---------------------------------------------------------------------------------------------------------

HI = {"role": "user", "content": "Hi"}
NOTHING: Json = {"type": "object", "properties": {}}
FUNCTION = {"type": "function", "function": {"name": "f", "parameters": NOTHING}}
TOOL = {"name": "f", "input_schema": NOTHING}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def chat(*messages: Json, **more: Json) -> Json:
    return {"model": "m", "messages": [*(messages or (HI,))], **more}


def claude(*messages: Json, **more: Json) -> Json:
    return {"model": "m", "max_tokens": 64, "messages": [*(messages or (HI,))], **more}


def system(*blocks: Json, **more: Json) -> Json:
    return {"role": "system", "content": [*blocks], **more}


def answer(message: Json, reason: str = "stop", **more: Json) -> Json:
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": None, **message}}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], **more}


def step(*steps: Json, **more: Json) -> Json:
    return {
        "model": "m",
        "input": [{"type": "user_input", "content": [{"type": "text", "text": "Hi"}]}, *steps],
        **more,
    }


def converse(*content: Json, stop: str = "end_turn") -> Json:
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    message = {"role": "assistant", "content": [*content]}
    return {"output": {"message": message}, "stopReason": stop, "usage": usage}


def ollama(reason: str = "stop", **message: Json) -> Json:
    return {
        "model": "m",
        "message": {"role": "assistant", "content": "", **message},
        "done": True,
        "done_reason": reason,
    }


def cohere(reason: str = "COMPLETE", **more: Json) -> Json:
    message = {"role": "assistant", "content": [{"type": "text", "text": "Hi"}]}
    return {"id": "x", "finish_reason": reason, "message": message, **more}


def added(name: str) -> Json:
    definition = {"name": name, "input_schema": NOTHING}
    return {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": definition}}


def recording(mime: str) -> Json:
    return {"model": "m", "input": [{"type": "audio", "mime_type": mime, "data": "AAAA"}]}


ANSWERED = (HI, {"role": "assistant", "tool_calls": [CALL]})
PAGE = {"type": "url_citation", "url": "https://example.com", "title": "T", "start_index": 0, "end_index": 1}
ALLOWED = {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [FUNCTION]}}
FOUND = {"type": "function", "name": "g", "description": "d", "parameters": NOTHING}
THOUGHT = {"type": "thinking", "thinking": "Hm", "signature": "c2ln"}
COMPACTED = {"type": "context_compaction", "encrypted_content": "gAAA"}
NOTE = {"internal_chat_message_metadata_passthrough": {"a": 1}}
MCP = {"type": "mcp", "server_label": "s", "server_url": "https://example.com", "require_approval": "never"}
CONTROL = {"role": "control", "content": "thinking"}

# --- cases ------------------------------------------------------------------------------------------------------------


@frozen(kw_only=True)
class Case:
    """A conversion that the finding `of` is about: a payload from one protocol to another, or to a `model` of it,
    and the values at pointers of the output, or its refusal. `rules`: some rules that are reported; `losses`: all
    losses."""

    of: str
    src: str
    dst: str
    sent: Json
    gets: dict[str, Json] | Refused
    rules: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    model: str = ""
    kind: Any = "request"

    def __str__(self) -> str:
        return f"{self.of}: {self.src} to {self.model or self.dst}"
