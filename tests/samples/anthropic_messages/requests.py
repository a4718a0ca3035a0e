"""Anthropic Messages requests."""

from __future__ import annotations

from ..sample import Json, Payloads
from ..shared import DEPTH_SCHEMA, PDF, PNG, WEATHER_SCHEMA
from .building import CITED, CITED_RESULT

UNSEALED: Json = {  # of another provider's search
    "type": "web_search_result",
    "url": "https://example.com/tides",
    "title": "",
    "encrypted_content": "",
}

AGENT: Json = {
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

MEDIA: Json = {
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

HOSTED: Json = {
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

# What other protocols can express as well, though not all of it without loss.
EVERYTHING: Json = {
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
                    "citations": [CITED, CITED_RESULT],
                },
                {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "x"}},
                {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [UNSEALED]},
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
        {"name": "weather", "description": "The weather.", "input_schema": WEATHER_SCHEMA, "strict": True},
        {"type": "web_search_20250305", "name": "web_search", "max_uses": 2, "allowed_domains": ["example.com"]},
        {"type": "bash_20250124", "name": "bash"},
    ],
    "tool_choice": {"type": "tool", "name": "weather", "disable_parallel_tool_use": True},
    "temperature": 0.5,
    "top_p": 0.9,
    "top_k": 5,
    "stop_sequences": ["END"],
    "thinking": {"type": "enabled", "budget_tokens": 2048, "display": "summarized"},
    "output_config": {"effort": "high", "format": {"type": "json_schema", "schema": WEATHER_SCHEMA}},
    "cache_control": {"type": "ephemeral", "ttl": "5m"},
    "metadata": {"user_id": "u1"},
    "service_tier": "auto",
    "speed": "fast",
    "stream": True,
    "container": "ctr_1",
    "new_field": {"deep": [1, "two"]},
}

# What only Anthropic Messages can express: stored files, vendor blocks, a paused turn at the end.
OWN: Json = {
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
    "output_format": {"type": "json_schema", "schema": WEATHER_SCHEMA},
    "mcp_servers": [{"type": "url", "url": "https://example.com", "name": "s"}],
}

EXAMPLES: Payloads = {"agent": AGENT, "media": MEDIA, "hosted tools": HOSTED}

DENSE: Payloads = {"everything": EVERYTHING, "own": OWN}
