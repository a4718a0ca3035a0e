"""Responses of Gemini's generateContent, and error bodies."""

from __future__ import annotations

from ..sample import Json, Payloads
from .building import SIGNATURE, call, error, text, thought

CITED: Json = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [
                    thought("The page says it."),
                    text("In Emden um 06:12 früh; for Delfzijl I look.", thoughtSignature=SIGNATURE),
                    call("depth", {"harbour": "Delfzijl", "unit": "m"}, None, thoughtSignature=SIGNATURE),
                ],
            },
            "finishReason": "STOP",
            "index": 0,
            "groundingMetadata": {
                "webSearchQueries": ["Hochwasser Emden"],
                "searchEntryPoint": {"renderedContent": "<p>Emden</p>"},
                "groundingChunks": [{"web": {"uri": "https://tides.example/emden", "title": "Emden"}}],
                "groundingSupports": [
                    {
                        "segment": {"partIndex": 1, "startIndex": 9, "endIndex": 24, "text": "um 06:12 früh;"},
                        "groundingChunkIndices": [0],
                    }
                ],
            },
        }
    ],
    "usageMetadata": {
        "promptTokenCount": 1000,
        "cachedContentTokenCount": 900,
        "candidatesTokenCount": 33,
        "thoughtsTokenCount": 12,
        "totalTokenCount": 1045,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 1000}],
        "serviceTier": "standard",
    },
    "modelVersion": "gemini-3-flash",
    "responseId": "resp_searched",
}

BLOCKED: Json = {
    "promptFeedback": {"blockReason": "PROHIBITED_CONTENT", "blockReasonMessage": "Asks for sabotage."},
    "usageMetadata": {"promptTokenCount": 14, "totalTokenCount": 14},
    "modelVersion": "gemini-3-flash",
    "responseId": "resp_blocked",
}

EVERYTHING: Json = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [
                    thought("Hm."),
                    text("See here."),
                    call("weather", {"city": "Rome"}, "call_1", thoughtSignature=SIGNATURE),
                ],
            },
            "finishReason": "STOP",
            "finishMessage": "Model generated function call(s).",
            "index": 0,
            "avgLogprobs": -0.25,
            "safetyRatings": [{"category": "HARM_CATEGORY_HARASSMENT", "probability": "NEGLIGIBLE"}],
            "groundingMetadata": {
                "webSearchQueries": ["here"],
                "groundingChunks": [{"web": {"uri": "https://example.com", "title": "T"}}],
                "groundingSupports": [
                    {"segment": {"startIndex": 4, "endIndex": 8, "text": "here"}, "groundingChunkIndices": [0]}
                ],
            },
        }
    ],
    "usageMetadata": {
        "promptTokenCount": 10,
        "cachedContentTokenCount": 4,
        "toolUsePromptTokenCount": 3,
        "candidatesTokenCount": 3,
        "thoughtsTokenCount": 2,
        "totalTokenCount": 18,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 6}, {"modality": "IMAGE", "tokenCount": 4}],
        "trafficType": "ON_DEMAND",
        "serviceTier": "flex",
    },
    "modelVersion": "gemini-3-flash",
    "responseId": "resp_1",
    "createTime": "2026-03-21T18:11:55.919086Z",
    "new_field": [1],
}

DENSE_BLOCKED: Json = {
    "promptFeedback": {
        "blockReason": "SAFETY",
        "blockReasonMessage": "Policy.",
        "safetyRatings": [{"category": "HARM_CATEGORY_HARASSMENT", "probability": "HIGH", "blocked": True}],
    },
    "usageMetadata": {"promptTokenCount": 6, "totalTokenCount": 6},
    "modelVersion": "gemini-3-flash",
    "responseId": "resp_2",
}

DRAWN: Json = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [text("Here it is."), {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}],
            },
            "finishReason": "STOP",
            "groundingMetadata": {
                "groundingChunks": [{"web": {"uri": "https://example.com/lighthouse", "title": "T"}}],
                "groundingSupports": [{"segment": {"text": "It blinks."}, "groundingChunkIndices": [0]}],
            },
            "urlContextMetadata": {
                "urlMetadata": [
                    {
                        "retrievedUrl": "https://example.com/lighthouse",
                        "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS",
                    }
                ]
            },
        }
    ],
    "usageMetadata": {"promptTokenCount": 8, "candidatesTokenCount": 300, "totalTokenCount": 308},
    "modelVersion": "gemini-3-flash-image",
    "responseId": "resp_drawn",
}

OVERLOADED: Json = error("UNAVAILABLE", "Too many ships.", 503)

DENSE_ERROR: Json = error(
    "RESOURCE_EXHAUSTED",
    "Slow down.",
    429,
    details=[
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7.5s"},
        {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "RATE_LIMIT_EXCEEDED", "domain": "x"},
    ],
)

EXAMPLES: Payloads = {"cited text and call": CITED, "blocked prompt": BLOCKED}

DENSE: Payloads = {"everything": EVERYTHING, "own blocked prompt": DENSE_BLOCKED, "image": DRAWN}

ERRORS: Payloads = {"overloaded": OVERLOADED}

DENSE_ERRORS: Payloads = {"everything": DENSE_ERROR}
