"""Rich payloads by hand: together they show every kind of message, part, tool and setting of the built-in protocols.

They are for breaking and copying, so each call makes a new one. All of them are sound in their own protocol.
"""

from __future__ import annotations

from collections.abc import Callable

from .chat_samples import SCHEMA, Object, chat_error, chat_request, chat_request_of_its_own, chat_response
from .items_samples import (
    items_error,
    items_failure,
    items_refusal,
    items_request,
    items_request_of_its_own,
    items_response,
    items_response_of_its_own,
)

__all__ = [
    "ANTHROPIC",
    "CHAT",
    "PROTOCOLS",
    "RESPONSES",
    "SAMPLES",
    "Object",
    "anthropic_response",
    "chat_request",
    "other",
    "others",
]

CHAT = "openai_chat_completions"
ANTHROPIC = "anthropic_messages"
RESPONSES = "openai_responses"
PROTOCOLS = (ANTHROPIC, CHAT, RESPONSES)


def other(protocol: str) -> str:
    """One of the others, for tests that need a pair."""
    return CHAT if protocol == ANTHROPIC else ANTHROPIC


def others(protocol: str) -> tuple[str, ...]:
    return tuple(one for one in PROTOCOLS if one != protocol)


# --- Anthropic Messages -----------------------------------------------------------------------------------------------


def anthropic_request() -> Object:
    """What Chat Completions can say too, though not all of it without loss."""
    return {
        "model": "claude-opus-5",
        "max_tokens": 100,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Look:"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
                    {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
                    {
                        "type": "document",
                        "title": "Doc",
                        "context": "Ctx",
                        "citations": {"enabled": True},
                        "source": {"type": "base64", "media_type": "application/pdf", "data": "aGk="},
                    },
                    {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "plain"}},
                    {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "chunk"}]}},
                    {
                        "type": "search_result",
                        "source": "s",
                        "title": "t",
                        "content": [{"type": "text", "text": "hit"}],
                    },
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
                    {"type": "redacted_thinking", "data": "eA=="},
                    {
                        "type": "text",
                        "text": "I will look.",
                        "citations": [{"type": "char_location", "cited_text": "x"}],
                    },
                    {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "x"}},
                    {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []},
                    {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Rome"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "toolu_1",
                        "is_error": True,
                        "content": [
                            {"type": "text", "text": "Sunny"},
                            {"type": "image", "source": {"type": "url", "url": "https://example.com/b.png"}},
                        ],
                        "cache_control": {"type": "ephemeral"},
                    },
                    {"type": "text", "text": "Well?"},
                ],
            },
            {"role": "system", "content": "Be kind."},
            {"role": "assistant", "content": "Sunny."},
            {"role": "user", "content": "Thanks"},
        ],
        "tools": [
            {"name": "weather", "description": "The weather.", "input_schema": dict(SCHEMA), "strict": True},
            {"type": "web_search_20250305", "name": "web_search", "max_uses": 2, "allowed_domains": ["example.com"]},
            {"type": "bash_20250124", "name": "bash"},
        ],
        "tool_choice": {"type": "tool", "name": "weather", "disable_parallel_tool_use": True},
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 5,
        "stop_sequences": ["END"],
        "thinking": {"type": "enabled", "budget_tokens": 2048, "display": "summarized"},
        "output_config": {"effort": "high", "format": {"type": "json_schema", "schema": dict(SCHEMA)}},
        "cache_control": {"type": "ephemeral", "ttl": "5m"},
        "metadata": {"user_id": "u1"},
        "service_tier": "auto",
        "speed": "fast",
        "stream": True,
        "container": "ctr_1",
        "new_field": {"deep": [1, "two"]},
    }


def anthropic_request_of_its_own() -> Object:
    """What only Anthropic Messages can say: stored files, vendor blocks, a paused turn in the end."""
    return {
        "model": "claude-opus-5",
        "max_tokens": 100,
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
                    {"type": "document", "source": {"type": "file", "file_id": "file_2"}},
                    {"type": "document", "source": {"type": "url", "url": "https://example.com/a.pdf"}},
                    {"type": "container_upload", "file_id": "file_3"},
                    {"type": "hologram", "beam": 3},
                ],
            },
            {
                "role": "assistant",
                "content": [{"type": "mcp_tool_use", "id": "m", "name": "n", "server_name": "s", "input": {}}],
            },
        ],
        "tools": [
            {"type": "custom", "name": "t", "input_schema": {"type": "object"}, "defer_loading": True},
            {"type": "teleport_20300101", "name": "teleport"},
        ],
        "tool_choice": {"type": "none"},
        "thinking": {"type": "adaptive"},
        "output_format": {"type": "json_schema", "schema": dict(SCHEMA)},
        "mcp_servers": [{"type": "url", "url": "https://example.com", "name": "s"}],
    }


def anthropic_response() -> Object:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
            {
                "type": "text",
                "text": "See here.",
                "citations": [
                    {
                        "type": "web_search_result_location",
                        "url": "https://example.com",
                        "title": "T",
                        "cited_text": "here",
                        "encrypted_index": "eA==",
                    }
                ],
            },
            {
                "type": "tool_use",
                "id": "toolu_1",
                "name": "weather",
                "input": {"city": "Rome"},
                "caller": {"type": "direct"},
            },
        ],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 6,
            "output_tokens": 5,
            "cache_read_input_tokens": 4,
            "cache_creation_input_tokens": 3,
            "cache_creation": {"ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 2},
            "output_tokens_details": {"thinking_tokens": 2},
            "server_tool_use": {"web_search_requests": 1},
            "service_tier": "standard",
        },
        "container": {"id": "ctr_1", "expires_at": "2030-01-01T00:00:00Z"},
        "new_field": [1],
    }


def anthropic_refusal() -> Object:
    return {
        "id": "msg_2",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5",
        "content": [{"type": "text", "text": "I must not."}],
        "stop_reason": "refusal",
        "stop_sequence": None,
        "stop_details": {"type": "refusal", "category": "cyber", "explanation": "Policy."},
        "usage": {"input_tokens": 6, "output_tokens": 5},
    }


def anthropic_error() -> Object:
    return {
        "type": "error",
        "error": {"type": "rate_limit_error", "message": "Slow down.", "details": {"x": 1}},
        "request_id": "req_1",
    }


SAMPLES: tuple[tuple[str, str, Callable[[], Object]], ...] = (
    (CHAT, "request", chat_request),
    (CHAT, "request", chat_request_of_its_own),
    (CHAT, "response", chat_response),
    (CHAT, "error", chat_error),
    (ANTHROPIC, "request", anthropic_request),
    (ANTHROPIC, "request", anthropic_request_of_its_own),
    (ANTHROPIC, "response", anthropic_response),
    (ANTHROPIC, "response", anthropic_refusal),
    (ANTHROPIC, "error", anthropic_error),
    (RESPONSES, "request", items_request),
    (RESPONSES, "request", items_request_of_its_own),
    (RESPONSES, "response", items_response),
    (RESPONSES, "response", items_response_of_its_own),
    (RESPONSES, "response", items_refusal),
    (RESPONSES, "error", items_error),
    (RESPONSES, "error", items_failure),
)
"""Protocol, kind, and what makes the payload."""
