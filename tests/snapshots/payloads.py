"""The payloads: each a believable body of one protocol, with as many features as one conversation may have."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import items

CHAT = "openai_chat_completions"
ANTHROPIC = "anthropic_messages"
RESPONSES = "openai_responses"


class Sample(NamedTuple):
    protocol: str
    kind: str
    payload: dict[str, Any]


PNG = "iVBORw0KGgoAAAANSUhEUg=="
PDF = "JVBERi0xLjcKJeLjz9M="

DEPTH_SCHEMA = {
    "type": "object",
    "properties": {"harbour": {"type": "string"}, "unit": {"enum": ["m", "ft"]}},
    "required": ["harbour", "unit"],
    "additionalProperties": False,
}

ANTHROPIC_AGENT = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 2048,
    "system": [
        {"type": "text", "text": "You pilot ships.", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
        {"type": "text", "text": "Answer in metres."},
    ],
    "messages": [
        {"role": "user", "content": "Can a ship of 12 m draught enter Delfzijl or Emden?"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "I need both depths.", "signature": "EpkCCkYIBRgC"},
                {"type": "redacted_thinking", "data": "EroBCkYIBRgCKkA="},
                {"type": "text", "text": "I look both up."},
                {"type": "tool_use", "id": "toolu_01", "name": "depth", "input": {"harbour": "Delfzijl", "unit": "m"}},
                {"type": "tool_use", "id": "toolu_02", "name": "depth", "input": {"harbour": "Emden", "unit": "m"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_01",
                    "content": [{"type": "text", "text": "9.1"}, {"type": "text", "text": "at low water"}],
                },
                {"type": "tool_result", "tool_use_id": "toolu_02", "content": "no such harbour", "is_error": True},
                {"type": "text", "text": "Hurry."},
            ],
        },
    ],
    "tools": [
        {"name": "depth", "description": "Depth of a harbour.", "input_schema": DEPTH_SCHEMA, "strict": True},
        {
            "type": "custom",
            "name": "alarm",
            "description": "Sounds the horn.",
            "input_schema": {"type": "object", "properties": {}},
            "cache_control": {"type": "ephemeral"},
        },
    ],
    "tool_choice": {"type": "auto", "disable_parallel_tool_use": False},
    "thinking": {"type": "enabled", "budget_tokens": 1024},
    "stop_sequences": ["OVER"],
    "metadata": {"user_id": "captain-7"},
    "stream": True,
}

ANTHROPIC_MEDIA = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 300,
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
                {"type": "image", "source": {"type": "url", "url": "https://a.example/chart.webp"}},
                {
                    "type": "document",
                    "source": {"type": "base64", "media_type": "application/pdf", "data": PDF},
                    "title": "Tide tables",
                    "context": "Of last year.",
                    "citations": {"enabled": True},
                },
                {
                    "type": "document",
                    "source": {"type": "text", "media_type": "text/plain", "data": "High water: 06:12"},
                },
                {"type": "text", "text": "Which table fits the chart?", "cache_control": {"type": "ephemeral"}},
            ],
        }
    ],
}

ANTHROPIC_HOSTED = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 300,
    "messages": [
        {"role": "user", "content": "When is high water in Emden?"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I search."},
                {
                    "type": "server_tool_use",
                    "id": "srvtoolu_01",
                    "name": "web_search",
                    "input": {"query": "high water Emden"},
                },
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "srvtoolu_01",
                    "content": [
                        {
                            "type": "web_search_result",
                            "url": "https://tides.example/emden",
                            "title": "Emden",
                            "encrypted_content": "EoACCioIAxgC",
                            "page_age": "2 days",
                        }
                    ],
                },
                {"type": "text", "text": "At 06:12."},
            ],
        },
        {"role": "user", "content": "And low water?"},
    ],
    "tools": [
        {
            "type": "web_search_20250305",
            "name": "web_search",
            "max_uses": 2,
            "user_location": {"type": "approximate", "city": "Emden", "country": "DE"},
        },
        {"type": "code_execution_20250825", "name": "code_execution"},
    ],
}

ANTHROPIC_REFUSAL = {
    "id": "msg_refused",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5",
    "content": [{"type": "text", "text": "I will not help to sink it."}],
    "stop_reason": "refusal",
    "stop_sequence": None,
    "stop_details": {"type": "refusal", "category": "violence", "explanation": "Asks for sabotage."},
    "usage": {"input_tokens": 14, "output_tokens": 9},
}

ANTHROPIC_ANSWER = {
    "id": "msg_searched",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5",
    "content": [
        {"type": "thinking", "thinking": "The page says it.", "signature": "EpkCCkYIBRgD"},
        {"type": "text", "text": "In Emden "},
        {
            "type": "text",
            "text": "at 06:12",
            "citations": [
                {
                    "type": "web_search_result_location",
                    "url": "https://tides.example/emden",
                    "title": "Emden",
                    "cited_text": "HW 06:12",
                    "encrypted_index": "Eo8BCioIAxgC",
                }
            ],
        },
        {"type": "text", "text": "; for Delfzijl I look."},
        {"type": "tool_use", "id": "toolu_03", "name": "depth", "input": {"harbour": "Delfzijl", "unit": "m"}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {
        "input_tokens": 20,
        "cache_read_input_tokens": 900,
        "cache_creation_input_tokens": 80,
        "cache_creation": {"ephemeral_5m_input_tokens": 80, "ephemeral_1h_input_tokens": 0},
        "output_tokens": 45,
        "output_tokens_details": {"thinking_tokens": 12},
        "service_tier": "standard",
    },
}

ANTHROPIC_ERROR = {
    "type": "error",
    "error": {"type": "overloaded_error", "message": "Too many ships."},
    "request_id": "req_011",
}

CHAT_AGENT = {
    "model": "gpt-5",
    "max_completion_tokens": 2048,
    "messages": [
        {"role": "system", "content": "You pilot ships."},
        {"role": "developer", "content": "Answer in metres."},
        {"role": "user", "content": "Can a ship of 12 m draught enter Emden?", "name": "captain"},
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "I need the depth.",
            "tool_calls": [
                {
                    "id": "call.1",
                    "type": "function",
                    "function": {"name": "depth", "arguments": '{"harbour": "Emden", "unit": "m"}'},
                },
                {"id": "call.2", "type": "function", "function": {"name": "alarm", "arguments": ""}},
            ],
        },
        {"role": "tool", "tool_call_id": "call.1", "content": "10.4"},
        {
            "role": "tool",
            "tool_call_id": "call.2",
            "content": [{"type": "text", "text": "tooted"}, {"type": "text", "text": "twice"}],
        },
        {"role": "assistant", "content": "It cannot."},
        {"role": "user", "content": "And 9 m?"},
        {"role": "system", "content": "From now on in feet."},
    ],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "depth",
                "description": "Depth of a harbour.",
                "parameters": DEPTH_SCHEMA,
                "strict": True,
            },
        },
        {"type": "function", "function": {"name": "alarm", "description": "Sounds the horn."}},
    ],
    "tool_choice": "required",
    "parallel_tool_calls": False,
    "reasoning_effort": "high",
    "temperature": 0.2,
    "seed": 11,
    "stop": "OVER",
    "safety_identifier": "captain-7",
    "service_tier": "flex",
    "metadata": {"ship": "Ijsvogel"},
    "stream": True,
    "stream_options": {"include_usage": True},
}

CHAT_MEDIA = {
    "model": "gpt-5",
    "max_tokens": 300,
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "high"}},
                {"type": "image_url", "image_url": {"url": "https://a.example/chart.webp", "detail": "auto"}},
                {"type": "file", "file": {"file_data": f"data:application/pdf;base64,{PDF}", "filename": "tides.pdf"}},
                {
                    "type": "text",
                    "text": "Which table fits the chart?",
                    "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "30m"},
                },
            ],
        }
    ],
}

CHAT_STRUCTURED = {
    "model": "gpt-5",
    "messages": [{"role": "user", "content": "Depth of Emden?"}],
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "depth", "description": "A depth.", "schema": DEPTH_SCHEMA, "strict": True},
    },
    "reasoning_effort": "minimal",
    "verbosity": "low",
    "prompt_cache_key": "harbours",
    "web_search_options": {"search_context_size": "low"},
}

CHAT_LEGACY = {
    "model": "gpt-4-0613",
    "max_tokens": 100,
    "messages": [
        {"role": "user", "content": "Depth of Emden?"},
        {"role": "assistant", "content": None, "function_call": {"name": "depth", "arguments": '{"harbour": "Emden"}'}},
        {"role": "function", "name": "depth", "content": "10.4"},
    ],
    "functions": [{"name": "depth", "description": "Depth of a harbour.", "parameters": DEPTH_SCHEMA}],
    "function_call": {"name": "depth"},
    "n": 1,
    "user": "captain-7",
}

CHAT_ANSWER = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1760000000,
    "model": "gpt-5-2025-08-07",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "At 06:12. For Delfzijl I look.",
                "refusal": None,
                "annotations": [
                    {
                        "type": "url_citation",
                        "url_citation": {
                            "url": "https://tides.example/emden",
                            "title": "Emden",
                            "start_index": 3,
                            "end_index": 8,
                        },
                    }
                ],
                "tool_calls": [
                    {
                        "id": "call_3",
                        "type": "function",
                        "function": {"name": "depth", "arguments": '{"harbour":"Delfzijl","unit":"m"}'},
                    }
                ],
            },
            "logprobs": None,
            "finish_reason": "stop",
        }
    ],
    "usage": {
        "prompt_tokens": 1000,
        "completion_tokens": 45,
        "total_tokens": 1045,
        "prompt_tokens_details": {"cached_tokens": 900, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 12},
    },
    "service_tier": "default",
    "system_fingerprint": "fp_1",
}

CHAT_REFUSAL = {
    "id": "chatcmpl-2",
    "object": "chat.completion",
    "created": 1760000001,
    "model": "gpt-5-2025-08-07",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": None, "refusal": "I will not help to sink it."},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 14, "completion_tokens": 9, "total_tokens": 23},
}

CHAT_ALTERNATIVES = {
    "id": "chatcmpl-3",
    "object": "chat.completion",
    "created": 1760000002,
    "model": "gpt-5-2025-08-07",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"},
        {"index": 1, "message": {"role": "assistant", "content": "No."}, "finish_reason": "length"},
    ],
}

CHAT_ERROR = {
    "error": {
        "message": "You sail too fast.",
        "type": "tokens",
        "param": None,
        "code": "rate_limit_exceeded",
    }
}

SAMPLES = {
    "anthropic agent": Sample(ANTHROPIC, "request", ANTHROPIC_AGENT),
    "anthropic media": Sample(ANTHROPIC, "request", ANTHROPIC_MEDIA),
    "anthropic hosted tools": Sample(ANTHROPIC, "request", ANTHROPIC_HOSTED),
    "anthropic refusal": Sample(ANTHROPIC, "response", ANTHROPIC_REFUSAL),
    "anthropic answer": Sample(ANTHROPIC, "response", ANTHROPIC_ANSWER),
    "anthropic error": Sample(ANTHROPIC, "error", ANTHROPIC_ERROR),
    "chat agent": Sample(CHAT, "request", CHAT_AGENT),
    "chat media": Sample(CHAT, "request", CHAT_MEDIA),
    "chat structured output": Sample(CHAT, "request", CHAT_STRUCTURED),
    "chat legacy functions": Sample(CHAT, "request", CHAT_LEGACY),
    "chat answer": Sample(CHAT, "response", CHAT_ANSWER),
    "chat refusal": Sample(CHAT, "response", CHAT_REFUSAL),
    "chat alternatives": Sample(CHAT, "response", CHAT_ALTERNATIVES),
    "chat error": Sample(CHAT, "error", CHAT_ERROR),
    "responses agent": Sample(RESPONSES, "request", items.AGENT),
    "responses structured output": Sample(RESPONSES, "request", items.STRUCTURED),
    "responses state": Sample(RESPONSES, "request", items.STATE),
    "responses answer": Sample(RESPONSES, "response", items.ANSWER),
    "responses incomplete": Sample(RESPONSES, "response", items.INCOMPLETE),
    "responses refusal": Sample(RESPONSES, "response", items.DECLINED),
    "responses failed": Sample(RESPONSES, "response", items.FAILED),
}
