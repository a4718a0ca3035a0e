"""Chat Completions requests."""

from __future__ import annotations

from ..sample import Json, Payloads
from ..shared import DEPTH_SCHEMA, PDF, PNG, WEATHER_SCHEMA

AGENT: Json = {
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

MEDIA: Json = {
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

STRUCTURED: Json = {
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

LEGACY: Json = {
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

# What other protocols can express as well, though not all of it without loss.
EVERYTHING: Json = {
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
                "parameters": WEATHER_SCHEMA,
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
        "json_schema": {"name": "answer", "description": "An answer.", "schema": WEATHER_SCHEMA, "strict": True},
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

# What only Chat Completions can express: audio, custom tools, legacy functions, limits that contradict each other.
OWN: Json = {
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
    "tools": [{"type": "custom", "custom": {"name": "shell", "description": "A shell.", "format": {"type": "text"}}}],
    "tool_choice": {
        "type": "allowed_tools",
        "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": "old"}}]},
    },
    "functions": [{"name": "old", "description": "Older.", "parameters": WEATHER_SCHEMA}],
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

EXAMPLES: Payloads = {"agent": AGENT, "media": MEDIA, "structured output": STRUCTURED, "legacy functions": LEGACY}

DENSE: Payloads = {"everything": EVERYTHING, "own": OWN}
