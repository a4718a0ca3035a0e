"""Bedrock Converse requests."""

from __future__ import annotations

import json

from ..sample import Json, Payloads
from ..shared import DEPTH_SCHEMA, PDF, PNG, WEATHER_SCHEMA
from .building import POINT, call, result, said, text, thought

REDACTED: Json = {"reasoningContent": {"redactedContent": "RXJvQkNrWUlCUmdDS2tBPQ=="}}  # base64 of Claude's own text
CITED: Json = {
    "citationsContent": {
        "content": [{"text": "High water is at 06:12."}],
        "citations": [
            {
                "title": "Tides",
                "sourceContent": [{"text": "HW 06:12"}],
                "location": {"documentChar": {"documentIndex": 0, "start": 3, "end": 11}},
            }
        ],
    }
}


def schema_output(schema: Json, **members: str) -> Json:
    return {"type": "json_schema", "structure": {"jsonSchema": {"schema": json.dumps(schema), **members}}}


def tool(name: str, schema: Json, **members: object) -> Json:
    return {"toolSpec": {"name": name, "inputSchema": {"json": schema}, **members}}


AGENT: Json = {
    "system": [text("You pilot ships."), {"cachePoint": {"type": "default", "ttl": "1h"}}, text("Answer in metres.")],
    "messages": [
        said("user", "Can a ship of 12 m draught enter Delfzijl or Emden?"),
        said(
            "assistant",
            thought("I need both depths.", "EpkCCkYIBRgC"),
            REDACTED,
            "I look both up.",
            call("tooluse_01", "depth", {"harbour": "Delfzijl", "unit": "m"}),
            call("tooluse_02", "depth", {"harbour": "Emden", "unit": "m"}),
        ),
        said(
            "user",
            result("tooluse_01", "9.1", "at low water"),
            result("tooluse_02", "no such harbour", status="error"),
            "Hurry.",
            POINT,
        ),
    ],
    "toolConfig": {
        "tools": [
            tool("depth", DEPTH_SCHEMA, description="Depth of a harbour."),
            tool("alarm", {"type": "object", "properties": {}}, description="Sounds the horn."),
            POINT,
        ],
        "toolChoice": {"auto": {}},
    },
    "inferenceConfig": {"maxTokens": 2048, "stopSequences": ["OVER"]},
    "additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}},
    "requestMetadata": {"ship": "captain-7"},
}
MEDIA: Json = {
    "messages": [
        said(
            "user",
            {"image": {"format": "png", "source": {"bytes": PNG}}},
            {
                "document": {
                    "format": "pdf",
                    "name": "Tide tables",
                    "source": {"bytes": PDF},
                    "context": "Of last year.",
                    "citations": {"enabled": True},
                }
            },
            {"document": {"format": "txt", "name": "Today", "source": {"text": "High water: 06:12"}}},
            "Which table fits the chart?",
            POINT,
        )
    ]
}
EVERYTHING: Json = {
    "system": [text("Be brief."), {"cachePoint": {"type": "default", "ttl": "1h"}}],
    "messages": [
        said(
            "user",
            "Look:",
            {"image": {"format": "png", "source": {"bytes": "aGk="}}},
            {
                "document": {
                    "format": "pdf",
                    "name": "Doc",
                    "source": {"bytes": "aGk="},
                    "context": "Ctx",
                    "citations": {"enabled": True},
                }
            },
            {"document": {"format": "txt", "name": "Plain", "source": {"text": "plain"}}},
            {"document": {"format": "txt", "name": "Chunks", "source": {"content": [text("chunk")]}}},
            {"searchResult": {"source": "s", "title": "t", "content": [text("hit")], "citations": {"enabled": True}}},
            {"guardContent": {"text": {"text": "guarded", "qualifiers": ["query"]}}},
            {"guardContent": {"image": {"format": "png", "source": {"bytes": "aGk="}}}},
        ),
        said(
            "assistant",
            thought("Hm.", "c2ln"),
            REDACTED,
            CITED,
            {
                "toolUse": {
                    "toolUseId": "run_1",
                    "name": "nova_code_interpreter",
                    "type": "server_tool_use",
                    "input": {"snippet": "1+1"},
                }
            },
            {"toolResult": {"toolUseId": "run_1", "type": "nova_result", "content": [{"json": {"stdOut": "2"}}]}},
            call("tooluse_1", "weather", {"city": "Rome"}),
        ),
        said(
            "user",
            result(
                "tooluse_1",
                "Sunny",
                {"json": {"degrees": 21}},
                {"image": {"format": "png", "source": {"bytes": "aGk="}}},
            ),
            {"cachePoint": {"type": "default", "ttl": "5m"}},
            "Well?",
        ),
        said("assistant", "Sunny."),
        said("user", "Thanks"),
    ],
    "toolConfig": {
        "tools": [
            tool("weather", WEATHER_SCHEMA, description="The weather.", strict=True),
            POINT,
            {"systemTool": {"name": "nova_grounding"}},
        ],
        "toolChoice": {"tool": {"name": "weather"}},
    },
    "inferenceConfig": {"maxTokens": 4096, "temperature": 0.5, "topP": 0.9, "stopSequences": ["END"]},
    "additionalModelRequestFields": {
        "thinking": {"type": "enabled", "budget_tokens": 2048, "display": "summarized"},
        "top_k": 5,
        "anthropic_beta": ["b"],
        "repetition_penalty": 1.1,
    },
    "outputConfig": {
        "effort": "high",
        "textFormat": schema_output(WEATHER_SCHEMA, name="weather", description="Of a city."),
    },
    "performanceConfig": {"latency": "optimized"},
    "serviceTier": {"type": "priority"},
    "requestMetadata": {"team": "tides"},
    "guardrailConfig": {"guardrailIdentifier": "g1", "guardrailVersion": "1", "trace": "enabled"},
    "additionalModelResponseFieldPaths": ["/stop_sequence"],
    "projectIdentifier": "default",
    "new_field": {"deep": [1, "two"]},
}
NOVA: Json = {
    "messages": [said("user", "Hi")],
    "additionalModelRequestFields": {
        "inferenceConfig": {"topK": 20},
        "reasoningConfig": {"type": "enabled", "maxReasoningEffort": "medium"},
    },
}
OWN: Json = {
    "messages": [
        said(
            "user",
            {
                "video": {
                    "format": "three_gp",
                    "source": {"s3Location": {"uri": "s3://b/v.3gp", "bucketOwner": "1" * 12}},
                }
            },
            {"audio": {"format": "mp3", "source": {"bytes": "aGk="}}},
            {"image": {"format": "gif", "source": {"s3Location": {"uri": "s3://b/a.gif"}}}},
            {"toolAddition": {"tool": {"type": "function", "name": "t"}}},
            {"hologram": {"beam": 3}},
        ),
        said("assistant", "Seen."),
    ],
    "modelId": "us.amazon.nova-pro-v1:0",
    "toolConfig": {"tools": [{"teleport": {"name": "t"}}], "toolChoice": {"whatever": {}}},
    "additionalModelRequestFields": {"output_config": {"effort": "boundless"}, "reasoning_config": "high"},
    "promptVariables": {"city": {"text": "Rome"}},
}

EXAMPLES: Payloads = {"agent": AGENT, "media": MEDIA}

DENSE: Payloads = {"everything": EVERYTHING, "nova": NOVA, "own": OWN}
