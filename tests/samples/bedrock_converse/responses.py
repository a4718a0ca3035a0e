"""Bedrock Converse responses and error bodies."""

from __future__ import annotations

from ..sample import Json, Payloads
from .building import call, response, thought

CALLED: Json = response(
    thought("The depth is asked for.", "EpkCCkYIBRgD"),
    "For Delfzijl I look.",
    call("tooluse_03", "depth", {"harbour": "Delfzijl", "unit": "m"}),
    stop="tool_use",
    usage={
        "inputTokens": 20,
        "outputTokens": 45,
        "totalTokens": 1045,
        "cacheReadInputTokens": 900,
        "cacheWriteInputTokens": 80,
        "cacheDetails": [{"ttl": "5m", "inputTokens": 80}],
    },
)
STOPPED: Json = response("I will not help to sink it.", stop="guardrail_intervened")
EVERYTHING: Json = response(
    thought("Hm.", "c2ln"),
    {"reasoningContent": {"redactedContent": "eHg="}},
    {
        "citationsContent": {
            "content": [{"text": "See here."}],
            "citations": [
                {
                    "title": "T",
                    "sourceContent": [{"text": "here"}],
                    "location": {"web": {"url": "https://example.com", "domain": "example.com"}},
                },
                {"title": "D", "location": {"documentPage": {"documentIndex": 0, "start": 1, "end": 2}}},
                {"source": "s", "location": {"searchResultLocation": {"searchResultIndex": 0, "start": 0, "end": 1}}},
            ],
        }
    },
    call("tooluse_1", "weather", {"city": "Rome"}),
    stop="tool_use",
    usage={
        "inputTokens": 6,
        "outputTokens": 5,
        "totalTokens": 18,
        "cacheReadInputTokens": 4,
        "cacheWriteInputTokens": 3,
        "cacheReadInputTokenCount": 4,
        "cacheWriteInputTokenCount": 3,
        "cacheDetails": [{"ttl": "5m", "inputTokens": 1}, {"ttl": "1h", "inputTokens": 2}],
        "serverToolUsage": {"searches": 1},
    },
    additionalModelResponseFields={"stop_sequence": "END", "other": 1},
    trace={"guardrail": {"actionReason": "No action."}, "promptRouter": {"invokedModelId": "arn"}},
    performanceConfig={"latency": "optimized"},
    serviceTier={"type": "flex"},
    new_field=[1],
)
EMPTY: Json = response(stop="model_context_window_exceeded")
MALFORMED: Json = response("Half", stop="malformed_tool_use", performanceConfig={"latency": "warp"})

EXAMPLES: Payloads = {"call": CALLED, "guardrail": STOPPED}
DENSE: Payloads = {"everything": EVERYTHING, "empty": EMPTY, "malformed": MALFORMED}
ERRORS: Payloads = {"validation": {"message": "Too many ships."}}
DENSE_ERRORS: Payloads = {
    "everything": {"message": "The model failed.", "originalStatusCode": 500, "resourceName": "m", "x": 1},
    "of another service": {"__type": "com.amazon.coral.service#ThrottlingException", "Message": "Slow down."},
}
