"""Converse responses and error bodies."""

from __future__ import annotations

from ..sample import Json, Payloads
from .building import response, text, thought, tool_use

CITED: Json = response(
    thought("The page says it.", "EpkCCkYIBRgD"),
    text("In Emden "),
    {
        "citationsContent": {
            "content": [text("at 06:12")],
            "citations": [
                {
                    "title": "Emden",
                    "sourceContent": [text("HW 06:12")],
                    "location": {"documentPage": {"documentIndex": 0, "start": 3, "end": 4}},
                }
            ],
        }
    },
    text("; for Delfzijl I look."),
    tool_use("depth", {"harbour": "Delfzijl", "unit": "m"}, "tooluse_03"),
    stop="tool_use",
    usage={
        "inputTokens": 20,
        "outputTokens": 57,
        "totalTokens": 1057,
        "cacheReadInputTokens": 900,
        "cacheWriteInputTokens": 80,
        "cacheDetails": [{"ttl": "5m", "inputTokens": 80}],
    },
)

FILTERED: Json = response(
    text("I cannot talk about this."),
    stop="guardrail_intervened",
    trace={"guardrail": {"actionReason": "Guardrail blocked."}},
)

EVERYTHING: Json = response(
    thought("Hm.", "c2ln"),
    text("See here."),
    tool_use("weather", {"city": "Rome"}, "tooluse_1"),
    stop="tool_use",
    usage={
        "inputTokens": 6,
        "outputTokens": 5,
        "totalTokens": 18,
        "cacheReadInputTokens": 4,
        "cacheWriteInputTokens": 3,
        "cacheDetails": [{"ttl": "1h", "inputTokens": 2}, {"ttl": "5m", "inputTokens": 1}],
        "serverToolUsage": {},
    },
    performanceConfig={"latency": "standard"},
    serviceTier={"type": "default"},
    additionalModelResponseFields={"id": "msg_1", "stop_sequence": None},
    new_field=[1],
)

STOPPED: Json = response(text("Ready. "), stop="stop_sequence", additionalModelResponseFields={"stop_sequence": "OVER"})

OWN: Json = response(
    {"reasoningContent": {"redactedContent": "/w=="}},
    tool_use("nova_code_interpreter", {"snippet": "1"}, "srv_1", type="server_tool_use"),
    {"image": {"format": "png", "source": {"bytes": "iVBO"}}},
    {"hologram": {"beam": 3}},
    text("Done."),
    usage={"inputTokens": 6, "outputTokens": 5, "totalTokens": 11, "cacheReadInputTokenCount": 0},
    additionalModelResponseFields="test",
    serviceTier={"type": "bronze"},
)
OWN["output"]["hue"] = 1

EXAMPLES: Payloads = {"cited text and call": CITED, "filtered": FILTERED}
DENSE: Payloads = {"everything": EVERYTHING, "stopped": STOPPED, "own": OWN}
ERRORS: Payloads = {"throttled": {"message": "Too many ships."}}
DENSE_ERRORS: Payloads = {
    "everything": {"__type": "ThrottlingException", "message": "Slow down.", "resourceName": "m", "x": 1},
    "front door": {"Message": "Authorization header is missing"},
}
