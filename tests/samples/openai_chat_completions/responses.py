"""Chat Completions responses and error bodies."""

from __future__ import annotations

from ..sample import Json, Payloads

CITED: Json = {
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

REFUSAL: Json = {
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

ALTERNATIVES: Json = {
    "id": "chatcmpl-3",
    "object": "chat.completion",
    "created": 1760000002,
    "model": "gpt-5-2025-08-07",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"},
        {"index": 1, "message": {"role": "assistant", "content": "No."}, "finish_reason": "length"},
    ],
}

EVERYTHING: Json = {
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

RATE_LIMIT: Json = {
    "error": {
        "message": "You sail too fast.",
        "type": "tokens",
        "param": None,
        "code": "rate_limit_exceeded",
    }
}

DENSE_ERROR: Json = {
    "error": {
        "message": "Slow down.",
        "type": "requests",
        "param": "messages",
        "code": "rate_limit_exceeded",
        "hint": "later",
    }
}

DRAWN: Json = {
    "id": "chatcmpl_drawn",
    "object": "chat.completion",
    "created": 1700000000,
    "model": "gemini-3-flash-image",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "Here it is.",
                "images": [
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}, "index": 0},
                    {"type": "image_url", "image_url": {"url": "https://example.com/lighthouse.png"}},
                ],
            },
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 8, "completion_tokens": 300, "total_tokens": 308},
}

EXAMPLES: Payloads = {"cited text and call": CITED, "refusal": REFUSAL, "alternatives": ALTERNATIVES}

DENSE: Payloads = {"everything": EVERYTHING, "images": DRAWN}

ERRORS: Payloads = {"rate limit": RATE_LIMIT}

DENSE_ERRORS: Payloads = {"everything": DENSE_ERROR}
