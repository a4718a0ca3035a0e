"""Converse requests."""

from __future__ import annotations

import json

from ..sample import Json, Payloads
from ..shared import DEPTH_SCHEMA, PDF, PNG, WEATHER_SCHEMA
from .building import assistant, request, text, thought, tool, tool_result, tool_use, user

POINT: Json = {"cachePoint": {"type": "default"}}
LASTING: Json = {"cachePoint": {"type": "default", "ttl": "1h"}}
IMAGE: Json = {"image": {"format": "png", "source": {"bytes": PNG}}}
DOCUMENT: Json = {"document": {"format": "pdf", "name": "Tide tables", "source": {"bytes": PDF}}}
REDACTED = "RXJvQkNrWUlCUmdDS2tBPQ=="  # the base64 of what Anthropic's own API has there

AGENT: Json = request(
    user(text("Can a ship of 12 m draught enter Delfzijl or Emden?")),
    assistant(
        thought("I need both depths.", "EpkCCkYIBRgC"),
        {"reasoningContent": {"redactedContent": REDACTED}},
        text("I look both up."),
        tool_use("depth", {"harbour": "Delfzijl", "unit": "m"}, "tooluse_01"),
        tool_use("depth", {"harbour": "Emden", "unit": "m"}, "tooluse_02"),
    ),
    user(
        tool_result(text("9.1"), text("at low water"), call_id="tooluse_01", status="success"),
        tool_result(text("no such harbour"), call_id="tooluse_02", status="error"),
        text("Hurry."),
        POINT,
    ),
    system=[text("You pilot ships."), LASTING, text("Answer in metres.")],
    inferenceConfig={"maxTokens": 2048, "stopSequences": ["OVER"]},
    toolConfig={
        "tools": [
            {
                "toolSpec": {
                    "name": "depth",
                    "description": "Depth of a harbour.",
                    "inputSchema": {"json": DEPTH_SCHEMA},
                    "strict": True,
                }
            },
            tool("alarm", description="Sounds the horn."),
            POINT,
        ],
        "toolChoice": {"auto": {}},
    },
    additionalModelRequestFields={"thinking": {"type": "enabled", "budget_tokens": 1024}},
    requestMetadata={"team": "pilots"},
)

MEDIA: Json = request(
    user(
        IMAGE,
        {**DOCUMENT, "document": {**DOCUMENT["document"], "context": "Of last year.", "citations": {"enabled": True}}},
        {
            "document": {
                "format": "txt",
                "name": "Note",
                "source": {"text": "High water at noon."},
                "citations": {"enabled": True},
            }
        },
        text("When is high water?"),
    ),
    inferenceConfig={"maxTokens": 300, "temperature": 0.2, "topP": 0.9},
)

REPORT: Json = request(
    user(text("When is high water?")),
    outputConfig={
        "textFormat": {
            "type": "json_schema",
            "structure": {"jsonSchema": {"schema": json.dumps(WEATHER_SCHEMA), "name": "tide"}},
        }
    },
)

EVERYTHING: Json = request(
    user(
        text("Look."),
        IMAGE,
        POINT,
        {"document": {"name": "Chunks", "source": {"content": [text("One."), text("Two.")]}}},
        {
            "searchResult": {
                "source": "https://example.com/a",
                "title": "Rain",
                "content": [text("It rains.")],
                "citations": {"enabled": True},
            }
        },
    ),
    assistant(
        thought("Hm.", "c2ln"),
        text("I look."),
        {
            "citationsContent": {
                "content": [text("At noon.")],
                "citations": [
                    {
                        "title": "Chunks",
                        "sourceContent": [text("One.")],
                        "location": {"documentChar": {"documentIndex": 0, "start": 0, "end": 4}},
                    }
                ],
            }
        },
        tool_use("weather", {"city": "Rome"}, "tooluse_1"),
    ),
    user(tool_result(text("Rain."), IMAGE, call_id="tooluse_1", status="error"), LASTING, text("And now?")),
    system=[text("Be brief."), POINT],
    inferenceConfig={"maxTokens": 100, "temperature": 0.5, "topP": 0.9, "stopSequences": ["END"]},
    toolConfig={
        "tools": [
            {
                "toolSpec": {
                    "name": "weather",
                    "description": "The weather.",
                    "inputSchema": {"json": WEATHER_SCHEMA},
                    "strict": True,
                }
            },
            POINT,
        ],
        "toolChoice": {"tool": {"name": "weather"}},
    },
    additionalModelRequestFields={
        "thinking": {"type": "adaptive", "display": "summarized"},
        "output_config": {"effort": "high"},
        "top_k": 20,
        "anthropic_beta": ["context-1m-2025-08-07"],
    },
    additionalModelResponseFieldPaths=["/stop_sequence"],
    requestMetadata={"team": "a"},
    performanceConfig={"latency": "optimized"},
    serviceTier={"type": "priority"},
    outputConfig={
        "textFormat": {
            "type": "json_schema",
            "structure": {
                "jsonSchema": {"schema": json.dumps(WEATHER_SCHEMA), "name": "report", "description": "The weather."}
            },
        }
    },
    guardrailConfig={"guardrailIdentifier": "g1", "guardrailVersion": "DRAFT", "trace": "enabled"},
)

OWN: Json = request(
    user(
        POINT,
        text("Look."),
        {"guardContent": {"text": {"text": "Is it safe?", "qualifiers": ["query"]}}},
        {"guardContent": {"image": {"format": "jpeg", "source": {"bytes": "/9j/4AAQ"}}}},
        {"toolAddition": {"tool": {"type": "toolSpec", "name": "depth"}}},
    ),
    assistant(
        tool_use("nova_code_interpreter", {"snippet": "1"}, "srv_1", type="server_tool_use"),
        tool_result({"json": {"stdOut": "1"}}, call_id="srv_1", type="nova_code_interpreter_result"),
        {
            "citationsContent": {
                "content": [text("So it is.")],
                "citations": [
                    {"location": {"searchResultLocation": {"searchResultIndex": 0, "start": 0, "end": 1}}},
                    {
                        "title": "T",
                        "source": "s",
                        "location": {"web": {"url": "https://e.com/", "domain": "e.com"}},
                    },
                ],
            }
        },
        tool_use("depth", {}, "tooluse_2", type="tool_use"),
    ),
    user(tool_result({"json": {"depth": 9}}, call_id="tooluse_2"), {"text": "Go on.", "beam": 3}),
    system=[text("Be safe."), {"guardContent": {"text": {"text": "Never lie."}}}],
    toolConfig={
        "tools": [
            {"systemTool": {"name": "nova_code_interpreter"}},
            tool("depth", hue="blue"),
            {"teleport": {"to": 1}},
        ],
        "toolChoice": {"guess": {}},
    },
    additionalModelRequestFields={
        "reasoningConfig": {"type": "enabled", "maxReasoningEffort": "low", "hue": 1},
        "inferenceConfig": {"topK": 5, "hue": 2},
        "reasoning_config": {"type": "odd"},
        "seed": 4,
    },
    performanceConfig={"latency": "warp"},
    serviceTier={"type": "bronze"},
    new_field=[1],
)

OWN_EFFORTS: Json = request(
    user(text("Hm?")),
    additionalModelRequestFields={"reasoning_effort": "high"},
    outputConfig={"effort": "high"},
)

EXAMPLES: Payloads = {"agent": AGENT, "media": MEDIA, "report": REPORT}
DENSE: Payloads = {
    "everything": EVERYTHING,
    "own": OWN,
    "own efforts": OWN_EFFORTS,
    "own odd effort": request(user(text("Hm?")), outputConfig={"effort": "boundless"}),
}
