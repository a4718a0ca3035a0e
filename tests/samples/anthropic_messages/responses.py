"""Anthropic Messages responses and error bodies."""

from __future__ import annotations

from ..sample import Json, Payloads

CITED: Json = {
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

REFUSAL: Json = {
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

EVERYTHING: Json = {
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

DENSE_REFUSAL: Json = {
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

OVERLOADED: Json = {
    "type": "error",
    "error": {"type": "overloaded_error", "message": "Too many ships."},
    "request_id": "req_011",
}

DENSE_ERROR: Json = {
    "type": "error",
    "error": {"type": "rate_limit_error", "message": "Slow down.", "details": {"x": 1}},
    "request_id": "req_1",
}

EXAMPLES: Payloads = {"cited text and call": CITED, "refusal": REFUSAL}

DENSE: Payloads = {"everything": EVERYTHING, "refusal with details": DENSE_REFUSAL}

ERRORS: Payloads = {"overloaded": OVERLOADED}

DENSE_ERRORS: Payloads = {"everything": DENSE_ERROR}
