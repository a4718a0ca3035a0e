"""Rich payloads by hand: together they show every kind of message, part, tool and setting of both built-in protocols.

They are for breaking and copying, so each call makes a new one. All of them are sound in their own protocol.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

CHAT = "openai_chat_completions"
ANTHROPIC = "anthropic_messages"
PROTOCOLS = (ANTHROPIC, CHAT)

Object = dict[str, Any]

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def other(protocol: str) -> str:
    return CHAT if protocol == ANTHROPIC else ANTHROPIC


# --- Chat Completions -------------------------------------------------------------------------------------------------


def chat_request() -> Object:
    """What Anthropic Messages can say too, though not all of it without loss."""
    return {
        "model": "gpt-5",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "developer", "content": [{"type": "text", "text": "Use metric units."}], "name": "dev"},
            {
                "role": "user",
                "name": "ann",
                "content": [
                    {"type": "text", "text": "Look:", "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "30m"}},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk=", "detail": "low"}},
                    {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
                    {"type": "file", "file": {"file_data": "data:application/pdf;base64,aGk=", "filename": "a.pdf"}},
                    {"type": "text", "text": "Well?", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
                ],
            },
            {
                "role": "assistant",
                "reasoning_content": "Hm.",
                "content": "I will look.",
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "weather", "arguments": '{"city": "Rome"}'},
                    },
                    {"id": "call_2", "type": "function", "function": {"name": "weather", "arguments": ""}},
                ],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": "Sunny"},
            {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "Rainy"}]},
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "Sunny."}, {"type": "refusal", "refusal": "No more."}],
            },
            {"role": "assistant", "content": None, "refusal": "I must not."},
            {"role": "user", "content": "Thanks"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "weather",
                    "description": "The weather.",
                    "parameters": dict(SCHEMA),
                    "strict": True,
                },
                "cache_control": {"type": "ephemeral"},
            },
            {"type": "function", "function": {"name": "clock"}},
        ],
        "tool_choice": {"type": "function", "function": {"name": "weather"}},
        "parallel_tool_calls": False,
        "web_search_options": {
            "search_context_size": "low",
            "user_location": {"type": "approximate", "approximate": {"city": "Rome", "country": "IT"}},
        },
        "max_completion_tokens": 100,
        "temperature": 0.5,
        "top_p": 0.9,
        "stop": ["END", "STOP"],
        "seed": 7,
        "frequency_penalty": 0.1,
        "presence_penalty": 0.2,
        "logit_bias": {"50256": -100},
        "n": 1,
        "logprobs": True,
        "top_logprobs": 2,
        "reasoning_effort": "high",
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "description": "An answer.", "schema": dict(SCHEMA), "strict": True},
        },
        "verbosity": "low",
        "modalities": ["text"],
        "prompt_cache_key": "k",
        "prompt_cache_options": {"mode": "implicit", "ttl": "30m"},
        "prompt_cache_retention": "24h",
        "service_tier": "auto",
        "safety_identifier": "u1",
        "user": "u2",
        "metadata": {"team": "a"},
        "store": True,
        "stream": True,
        "stream_options": {"include_usage": True, "include_obfuscation": False},
        "new_field": {"deep": [1, "two"]},
    }


def chat_request_of_its_own() -> Object:
    """What only Chat Completions can say: audio, custom tools, legacy functions, limits that contradict each other."""
    return {
        "model": "gpt-5-audio",
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}},
                    {"type": "file", "file": {"file_id": "file-1"}},
                    {"type": "video_url", "video_url": {"url": "https://example.com/a.mp4"}},
                    {"type": "document_url", "document_url": "https://example.com/a.pdf"},
                    {"type": "hologram", "beam": 3},
                ],
            },
            {
                "role": "assistant",
                "audio": {"id": "audio_1"},
                "content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}],
                "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "shell", "input": "ls"}}],
            },
            {"role": "tool", "tool_call_id": "c", "content": "a b"},
            {"role": "assistant", "content": None, "function_call": {"name": "old", "arguments": "{}"}},
            {"role": "function", "name": "old", "content": "done"},
        ],
        "tools": [
            {"type": "custom", "custom": {"name": "shell", "description": "A shell.", "format": {"type": "text"}}}
        ],
        "tool_choice": {
            "type": "allowed_tools",
            "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": "old"}}]},
        },
        "functions": [{"name": "old", "description": "Older.", "parameters": dict(SCHEMA)}],
        "function_call": {"name": "old"},
        "max_tokens": 5,
        "max_completion_tokens": 9,
        "modalities": ["text", "audio"],
        "audio": {"voice": "alloy", "format": "wav"},
        "prediction": {"type": "content", "content": "x"},
        "n": 2,
        "stop": "END",
        "response_format": {"type": "json_object"},
        "reasoning_effort": "none",
        "service_tier": "fast",
        "moderation": {"level": "low"},
    }


def chat_response() -> Object:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "gpt-5",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "See here.",
                    "refusal": None,
                    "reasoning_content": "Hm.",
                    "annotations": [
                        {
                            "type": "url_citation",
                            "url_citation": {
                                "url": "https://example.com",
                                "title": "T",
                                "start_index": 4,
                                "end_index": 8,
                            },
                        }
                    ],
                    "audio": {"id": "audio_1", "data": "aGk=", "transcript": "See here.", "expires_at": 1700000100},
                    "tool_calls": [
                        {
                            "id": "call_1",
                            "type": "function",
                            "function": {"name": "weather", "arguments": '{"city":"Rome"}'},
                        }
                    ],
                },
                "logprobs": {"content": [{"token": "See", "logprob": -0.1, "bytes": [83], "top_logprobs": []}]},
                "finish_reason": "tool_calls",
            }
        ],
        "usage": {
            "prompt_tokens": 10,
            "completion_tokens": 5,
            "total_tokens": 15,
            "prompt_tokens_details": {"cached_tokens": 4, "audio_tokens": 1, "text_tokens": 9},
            "completion_tokens_details": {"reasoning_tokens": 2, "accepted_prediction_tokens": 0},
        },
        "service_tier": "default",
        "system_fingerprint": "fp_1",
        "new_field": [1],
    }


def chat_error() -> Object:
    return {
        "error": {
            "message": "Slow down.",
            "type": "requests",
            "param": "messages",
            "code": "rate_limit_exceeded",
            "hint": "later",
        }
    }


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
)
"""Protocol, kind, and what makes the payload."""
