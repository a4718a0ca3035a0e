"""The payloads of OpenAI Responses among the samples: items of every kind that one conversation may have."""

from __future__ import annotations

from typing import Any

PNG = "iVBORw0KGgoAAAANSUhEUg=="
PDF = "JVBERi0xLjcKJeLjz9M="

DEPTH: dict[str, Any] = {
    "type": "function",
    "name": "depth",
    "description": "Depth of a harbour.",
    "parameters": {
        "type": "object",
        "properties": {"harbour": {"type": "string"}},
        "required": ["harbour"],
        "additionalProperties": False,
    },
    "strict": True,
}
SAID: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "I look it up.", "annotations": []}],
}
CALLED: dict[str, Any] = {
    "id": "fc_1",
    "type": "function_call",
    "call_id": "call_1",
    "name": "depth",
    "arguments": '{"harbour":"Emden"}',
    "status": "completed",
}
THOUGHT: dict[str, Any] = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [
        {"type": "summary_text", "text": "The pilot asks for a depth."},
        {"type": "summary_text", "text": "There is a tool for it."},
    ],
    "encrypted_content": "gAAAAABo",
}

AGENT = {
    "model": "gpt-5.2",
    "instructions": "You pilot ships.",
    "input": [
        {"role": "developer", "content": "Answer in metres."},
        {"role": "user", "content": "Can a ship of 8 m draught enter Emden?"},
        THOUGHT,
        SAID,
        CALLED,
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

STRUCTURED = {
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

STATE = {
    "model": "gpt-5.2",
    "previous_response_id": "resp_0",
    "input": [{"type": "item_reference", "id": "rs_0"}, {"role": "user", "content": "And?"}],
}

ANSWER = {
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
        THOUGHT,
        {
            **SAID,
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
        CALLED,
    ],
    "usage": {
        "input_tokens": 120,
        "input_tokens_details": {"cached_tokens": 100},
        "output_tokens": 40,
        "output_tokens_details": {"reasoning_tokens": 30},
        "total_tokens": 160,
    },
}

INCOMPLETE = {
    "id": "resp_2",
    "object": "response",
    "created_at": 1760000000,
    "status": "incomplete",
    "incomplete_details": {"reason": "max_output_tokens"},
    "model": "gpt-5.2",
    "output": [{**SAID, "status": "incomplete"}],
}

DECLINED = {
    "id": "resp_3",
    "object": "response",
    "created_at": 1760000000,
    "status": "completed",
    "model": "gpt-5.2",
    "output": [{**SAID, "content": [{"type": "refusal", "refusal": "I steer no ship into a storm."}]}],
}

FAILED = {
    "id": "resp_4",
    "object": "response",
    "created_at": 1760000000,
    "status": "failed",
    "error": {"code": "rate_limit_exceeded", "message": "You sail too fast."},
    "model": "gpt-5.2",
    "output": [],
}
