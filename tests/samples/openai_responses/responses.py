"""Responses responses and error bodies; a response that failed is an error (STS-9)."""

from __future__ import annotations

from ..sample import Json, Payloads
from .items import CALL, MESSAGE, REASONING

CITED: Json = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1760000000,
    "status": "completed",
    "model": "gpt-5.2",
    "output": [
        {
            "id": "ws_1",
            "type": "web_search_call",
            "status": "completed",
            "action": {"type": "search", "query": "depth of Emden"},
        },
        REASONING,
        {
            **MESSAGE,
            "content": [
                {
                    "type": "output_text",
                    "text": "It is 8.5 m deep.",
                    "annotations": [
                        {
                            "type": "url_citation",
                            "url": "https://example.com/emden",
                            "title": "Emden",
                            "start_index": 6,
                            "end_index": 11,
                        }
                    ],
                }
            ],
        },
        CALL,
    ],
    "usage": {
        "input_tokens": 120,
        "input_tokens_details": {"cached_tokens": 100},
        "output_tokens": 40,
        "output_tokens_details": {"reasoning_tokens": 30},
        "total_tokens": 160,
    },
}

INCOMPLETE: Json = {
    "id": "resp_2",
    "object": "response",
    "created_at": 1760000000,
    "status": "incomplete",
    "incomplete_details": {"reason": "max_output_tokens"},
    "model": "gpt-5.2",
    "output": [{**MESSAGE, "status": "incomplete"}],
}

REFUSAL: Json = {
    "id": "resp_3",
    "object": "response",
    "created_at": 1760000000,
    "status": "completed",
    "model": "gpt-5.2",
    "output": [{**MESSAGE, "content": [{"type": "refusal", "refusal": "I steer no ship into a storm."}]}],
}

FAILED: Json = {
    "id": "resp_4",
    "object": "response",
    "created_at": 1760000000,
    "status": "failed",
    "error": {"code": "rate_limit_exceeded", "message": "You sail too fast."},
    "model": "gpt-5.2",
    "output": [],
}

EVERYTHING: Json = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1700000000,
    "completed_at": 1700000001,
    "model": "gpt-5",
    "status": "completed",
    "error": None,
    "incomplete_details": None,
    "output": [
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "Hm."}],
            "encrypted_content": "c2VhbA==",
        },
        {"type": "web_search_call", "id": "w", "status": "completed", "action": {"type": "search", "query": "x"}},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "phase": "final_answer",
            "content": [
                {
                    "type": "output_text",
                    "text": "See here.",
                    "annotations": [
                        {
                            "type": "url_citation",
                            "url": "https://example.com",
                            "title": "T",
                            "start_index": 4,
                            "end_index": 8,
                        },
                        {"type": "file_citation", "file_id": "file-1", "filename": "a.pdf", "index": 3},
                    ],
                    "logprobs": [{"token": "See", "logprob": -0.1, "bytes": [83], "top_logprobs": []}],
                }
            ],
        },
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "weather",
            "arguments": '{"city":"Rome"}',
            "status": "completed",
        },
    ],
    "usage": {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 1},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 2},
        "total_tokens": 15,
    },
    "service_tier": "default",
    "metadata": {"team": "a"},
    "instructions": "Be brief.",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "text": {"format": {"type": "text"}, "verbosity": "medium"},
    "reasoning": {"effort": "high", "summary": None},
    "temperature": 1.0,
    "truncation": "disabled",
    "new_field": [1],
}

# What only Responses can express: steps that the provider took, a custom tool, a vendor's own stop reason.
OWN: Json = {
    "id": "resp_2",
    "object": "response",
    "created_at": 1700000000.5,
    "model": "gpt-5",
    "status": "incomplete",
    "incomplete_details": {"reason": "steered"},
    "output": [
        {"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]},
        {"type": "mcp_call", "id": "mcp_1", "server_label": "s", "name": "n", "arguments": "{}", "output": "r"},
        {"type": "shell_call_output", "id": "sco_1", "call_id": "call_0", "output": []},
        {"type": "compaction", "id": "cmp_1", "encrypted_content": "eA=="},
        {"type": "hologram", "id": "h_1", "beam": 3},
        {
            "type": "custom_tool_call",
            "id": "ctc_1",
            "call_id": "call_1",
            "name": "shell",
            "input": "ls",
            "caller": {"type": "program", "caller_id": "p_1"},
        },
    ],
    "usage": {"input_tokens": 1, "input_tokens_details": {"cached_tokens": 2}, "output_tokens": 3},
    "service_tier": "ultrafast",
}

DENSE_REFUSAL: Json = {
    "id": "resp_3",
    "object": "response",
    "created_at": 1700000000,
    "model": "gpt-5",
    "status": "completed",
    "output": [
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [
                {"type": "output_text", "text": "Well.", "annotations": []},
                {"type": "refusal", "refusal": "I must not."},
            ],
        }
    ],
    "usage": {"input_tokens": 6, "output_tokens": 5, "total_tokens": 11},
}

DENSE_ERROR: Json = {
    "error": {
        "message": "Slow down.",
        "type": "requests",
        "param": "input",
        "code": "rate_limit_exceeded",
        "hint": "later",
    }
}

DENSE_FAILURE: Json = {
    "id": "resp_4",
    "object": "response",
    "created_at": 1700000000,
    "model": "gpt-5",
    "status": "failed",
    "error": {"code": "server_error", "message": "Something broke."},
    "output": [],
    "tools": [],
    "metadata": {"team": "a"},
}

DRAWN: Json = {
    "id": "resp_5",
    "object": "response",
    "created_at": 1700000000,
    "model": "gpt-5",
    "status": "completed",
    "output": [
        {
            "id": "ig_1",
            "type": "image_generation_call",
            "status": "generating",
            "result": "UklGRg==",
            "action": "generate",
            "background": "opaque",
            "output_format": "webp",
            "quality": "high",
            "size": "1024x1024",
            "revised_prompt": "A lighthouse at dusk.",
        },
        MESSAGE,
    ],
    "usage": {"input_tokens": 8, "output_tokens": 300, "total_tokens": 308},
}

EXAMPLES: Payloads = {"cited text and call": CITED, "incomplete": INCOMPLETE, "refusal": REFUSAL, "failed": FAILED}

DENSE: Payloads = {"everything": EVERYTHING, "own": OWN, "text and refusal": DENSE_REFUSAL, "image": DRAWN}

DENSE_ERRORS: Payloads = {"everything": DENSE_ERROR, "failed response": DENSE_FAILURE}
