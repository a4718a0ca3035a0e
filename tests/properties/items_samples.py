"""Rich Responses payloads by hand (see samples)."""

from __future__ import annotations

from .chat_samples import SCHEMA, Object


def items_request() -> Object:
    """What the other two can say too, though not all of it without loss."""
    return {
        "model": "gpt-5",
        "instructions": "Be brief.",
        "input": [
            {"role": "developer", "content": [{"type": "input_text", "text": "Use metric units."}]},
            {
                "type": "message",
                "role": "user",
                "status": "completed",
                "content": [
                    {
                        "type": "input_text",
                        "text": "Look:",
                        "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "30m"},
                    },
                    {"type": "input_image", "image_url": "data:image/png;base64,aGk=", "detail": "low"},
                    {"type": "input_image", "image_url": "https://example.com/a.png", "detail": "auto"},
                    {"type": "input_file", "file_data": "data:application/pdf;base64,aGk=", "filename": "a.pdf"},
                ],
            },
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [{"type": "summary_text", "text": "Hm."}],
                "encrypted_content": "c2VhbA==",
                "status": "completed",
            },
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "phase": "commentary",
                "content": [
                    {
                        "type": "output_text",
                        "text": "I will look.",
                        "annotations": [
                            {
                                "type": "url_citation",
                                "url": "https://example.com",
                                "title": "T",
                                "start_index": 2,
                                "end_index": 6,
                            }
                        ],
                        "logprobs": [],
                    }
                ],
            },
            {
                "type": "function_call",
                "id": "fc_1",
                "call_id": "call_1",
                "name": "weather",
                "arguments": '{"city": "Rome"}',
                "status": "completed",
                "caller": {"type": "direct"},
            },
            {"type": "function_call", "call_id": "call_2", "name": "weather", "arguments": ""},
            {
                "type": "function_call_output",
                "call_id": "call_1",
                "output": "Sunny",
                "id": "fco_1",
                "status": "completed",
            },
            {
                "type": "function_call_output",
                "call_id": "call_2",
                "output": [
                    {"type": "input_text", "text": "Rainy"},
                    {"type": "input_image", "image_url": "https://example.com/b.png", "detail": "high"},
                ],
            },
            {
                "type": "message",
                "id": "msg_2",
                "role": "assistant",
                "status": "incomplete",
                "content": [
                    {"type": "output_text", "text": "Sunny.", "annotations": []},
                    {"type": "refusal", "refusal": "No more."},
                ],
            },
            {"role": "assistant", "content": "Or rainy.", "phase": "final_answer"},
            {"role": "user", "content": "Thanks"},
        ],
        "tools": [
            {
                "type": "function",
                "name": "weather",
                "description": "The weather.",
                "parameters": dict(SCHEMA),
                "strict": True,
                "defer_loading": False,
            },
            {"type": "function", "name": "clock"},
            {
                "type": "web_search",
                "search_context_size": "low",
                "user_location": {"type": "approximate", "city": "Rome", "country": "IT"},
                "filters": {"allowed_domains": ["example.com"]},
            },
        ],
        "tool_choice": {"type": "function", "name": "weather"},
        "parallel_tool_calls": False,
        "max_output_tokens": 100,
        "max_tool_calls": 3,
        "temperature": 0.5,
        "top_p": 0.9,
        "top_logprobs": 2,
        "include": ["message.output_text.logprobs", "reasoning.encrypted_content"],
        "reasoning": {"effort": "high", "summary": "concise", "context": "all_turns", "mode": "pro"},
        "text": {
            "format": {
                "type": "json_schema",
                "name": "answer",
                "description": "An answer.",
                "schema": dict(SCHEMA),
                "strict": True,
            },
            "verbosity": "low",
        },
        "truncation": "auto",
        "background": False,
        "prompt_cache_key": "k",
        "prompt_cache_options": {"mode": "implicit", "ttl": "30m", "prewarm": True},
        "prompt_cache_retention": "24h",
        "service_tier": "auto",
        "safety_identifier": "u1",
        "user": "u2",
        "metadata": {"team": "a"},
        "store": True,
        "stream": True,
        "stream_options": {"include_obfuscation": False},
        "new_field": {"deep": [1, "two"]},
    }


def items_request_of_its_own() -> Object:
    """What only Responses can say: stored files, custom and hosted tools, items that the provider has to read."""
    return {
        "model": "gpt-5",
        "input": [
            {
                "role": "user",
                "content": [
                    {"type": "input_image", "file_id": "file-1", "detail": "original"},
                    {"type": "input_file", "file_id": "file-2"},
                    {"type": "input_file", "file_url": "https://example.com/a.pdf", "detail": "high"},
                    {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}},
                    {"type": "hologram", "beam": 3},
                ],
            },
            {"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]},
            {
                "type": "web_search_call",
                "id": "ws_1",
                "status": "completed",
                "action": {"type": "search", "queries": ["x"]},
            },
            {"type": "mcp_approval_request", "id": "m_1", "server_label": "s", "name": "n", "arguments": "{}"},
            {"type": "mcp_approval_response", "approval_request_id": "m_1", "approve": True},
            {"type": "compaction", "id": "cmp_1", "encrypted_content": "eA=="},
            {
                "type": "custom_tool_call",
                "id": "ctc_1",
                "call_id": "c",
                "name": "shell",
                "input": "ls",
                "namespace": "os",
                "caller": {"type": "program", "caller_id": "p_1"},
            },
            {"type": "custom_tool_call_output", "call_id": "c", "output": "a b"},
            {"type": "hologram", "id": "h_1", "beam": 3},
            {"type": "item_reference", "id": "msg_9"},
            {"id": "msg_8"},
        ],
        "tools": [
            {
                "type": "custom",
                "name": "shell",
                "description": "A shell.",
                "format": {"type": "grammar", "syntax": "regex", "definition": "[a-z ]+"},
            },
            {"type": "code_interpreter", "container": {"type": "auto"}},
            {"type": "web_search_preview", "external_web_access": False},
            {"type": "teleport", "range": 3},
        ],
        "tool_choice": {
            "type": "allowed_tools",
            "mode": "auto",
            "tools": [{"type": "custom", "name": "shell"}, {"type": "mcp", "server_label": "s"}],
        },
        "reasoning": {"effort": "none", "generate_summary": "auto"},
        "text": {"format": {"type": "json_object"}},
        "service_tier": "ultrafast",
        "user": "u1",
        "background": True,
        "moderation": {"model": "omni-moderation-latest"},
        "context_management": [{"type": "compaction", "compact_threshold": 1000}],
    }


def items_response() -> Object:
    return {
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


def items_response_of_its_own() -> Object:
    """What only Responses can say: steps that the provider took, a custom tool, an end for a reason of its own."""
    return {
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


def items_refusal() -> Object:
    return {
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


def items_failure() -> Object:
    """An answer that is an error (STS-9)."""
    return {
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


def items_error() -> Object:
    return {
        "error": {
            "message": "Slow down.",
            "type": "requests",
            "param": "input",
            "code": "rate_limit_exceeded",
            "hint": "later",
        }
    }
