"""Rich Chat Completions payloads by hand (see samples)."""

from __future__ import annotations

from typing import Any

Object = dict[str, Any]

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


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
