"""Responses requests."""

from __future__ import annotations

from ..sample import Json, Payloads
from ..shared import PDF, PNG, WEATHER_SCHEMA
from .items import CALL, DEPTH, MESSAGE, REASONING

AGENT: Json = {
    "model": "gpt-5.2",
    "instructions": "You pilot ships.",
    "input": [
        {"role": "developer", "content": "Answer in metres."},
        {"role": "user", "content": "Can a ship of 8 m draught enter Emden?"},
        REASONING,
        MESSAGE,
        CALL,
        {"type": "function_call_output", "call_id": "call_1", "output": "8.5"},
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "And here?", "prompt_cache_breakpoint": {"mode": "explicit"}},
                {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}", "detail": "low"},
            ],
        },
    ],
    "tools": [DEPTH],
    "tool_choice": {"type": "function", "name": "depth"},
    "parallel_tool_calls": False,
    "max_output_tokens": 2048,
    "temperature": 0.3,
    "reasoning": {"effort": "high", "summary": "detailed"},
    "text": {"verbosity": "low"},
    "include": ["reasoning.encrypted_content"],
    "metadata": {"ship": "Anna"},
    "service_tier": "flex",
    "safety_identifier": "u-7",
    "store": False,
    "stream": True,
}

STRUCTURED: Json = {
    "model": "gpt-5.2",
    "input": [
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "Fill in the form."},
                {"type": "input_file", "filename": "form.pdf", "file_data": f"data:application/pdf;base64,{PDF}"},
            ],
        }
    ],
    "max_output_tokens": 512,
    "text": {
        "format": {
            "type": "json_schema",
            "name": "form",
            "schema": {"type": "object", "properties": {"ship": {"type": "string"}}, "required": ["ship"]},
            "strict": False,
        }
    },
    "tools": [
        {"type": "web_search", "search_context_size": "low", "filters": {"allowed_domains": ["example.com"]}},
        {"type": "code_interpreter", "container": {"type": "auto"}},
    ],
}

STATE: Json = {
    "model": "gpt-5.2",
    "previous_response_id": "resp_0",
    "input": [{"type": "item_reference", "id": "rs_0"}, {"role": "user", "content": "And?"}],
}

# What other protocols can express as well, though not all of it without loss.
EVERYTHING: Json = {
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
            "parameters": WEATHER_SCHEMA,
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
            "schema": WEATHER_SCHEMA,
            "strict": True,
        },
        "verbosity": "low",
    },
    "truncation": "auto",
    "background": False,
    "prompt_cache_key": "k",
    "prompt_cache_options": {"mode": "implicit", "ttl": "30m", "prewarm": False},
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

# What only Responses can express: stored files, custom and hosted tools, items that the provider has to read.
OWN: Json = {
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

EXAMPLES: Payloads = {"agent": AGENT, "structured output": STRUCTURED, "state": STATE}

DENSE: Payloads = {"everything": EVERYTHING, "own": OWN}
