"""Requests of Gemini's generateContent."""

from __future__ import annotations

from ..sample import Json, Payloads
from ..shared import DEPTH_SCHEMA, PDF, PNG, WEATHER_SCHEMA
from .building import SIGNATURE, call, model, result, text, thought, user

AGENT: Json = {
    "systemInstruction": {"parts": [{"text": "You pilot ships."}, {"text": "Answer in metres."}]},
    "contents": [
        user("Can a ship of 12 m draught enter Delfzijl or Emden?"),
        model(
            thought("I need both depths."),
            text("I look both up."),
            call("depth", {"harbour": "Delfzijl", "unit": "m"}, "call_01", thoughtSignature=SIGNATURE),
            call("depth", {"harbour": "Emden", "unit": "m"}, "call_02"),
        ),
        user(
            result("depth", {"output": "9.1 at low water"}, "call_01"),
            result("depth", {"error": "no such harbour"}, "call_02"),
            text("Hurry."),
        ),
    ],
    "tools": [
        {
            "functionDeclarations": [
                {"name": "depth", "description": "Depth of a harbour.", "parametersJsonSchema": DEPTH_SCHEMA},
                {
                    "name": "alarm",
                    "description": "Sounds the horn.",
                    "parameters": {"type": "OBJECT", "properties": {"times": {"type": "INTEGER", "nullable": True}}},
                },
            ]
        }
    ],
    "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
    "generationConfig": {
        "maxOutputTokens": 2048,
        "temperature": 0.3,
        "stopSequences": ["OVER"],
        "thinkingConfig": {"thinkingBudget": 1024, "includeThoughts": True},
    },
}

MEDIA: Json = {
    "contents": [
        user(
            text("What do the chart and the notice say?"),
            {
                "inlineData": {"mimeType": "image/png", "data": PNG},
                "mediaResolution": {"level": "MEDIA_RESOLUTION_LOW"},
            },
            {"inlineData": {"mimeType": "application/pdf", "data": PDF, "displayName": "notice.pdf"}},
        )
    ],
    "generationConfig": {
        "responseMimeType": "application/json",
        "responseJsonSchema": DEPTH_SCHEMA,
    },
}

HOSTED: Json = {
    "contents": [
        user("When is high water, and how deep is it then?"),
        model(
            {"toolCall": {"id": "s1", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["high water Emden"]}}},
            {"toolResponse": {"id": "s1", "toolType": "GOOGLE_SEARCH_WEB", "response": {"search_suggestions": "<p>"}}},
            {"executableCode": {"id": "c1", "language": "PYTHON", "code": "print(9.1 + 3.2)"}},
            {"codeExecutionResult": {"id": "c1", "outcome": "OUTCOME_OK", "output": "12.3\n"}},
            text("At 06:12, and 12.3 m."),
        ),
        user("And tomorrow?"),
    ],
    "tools": [{"googleSearch": {}}, {"codeExecution": {}}, {"urlContext": {}}],
}

# What other protocols can express as well, though not all of it without loss.
EVERYTHING: Json = {
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "contents": [
        user(
            text("Look:"),
            {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
            {"fileData": {"mimeType": "image/png", "fileUri": "https://example.com/a.png"}},
            {"inlineData": {"mimeType": "application/pdf", "data": "aGk=", "displayName": "Doc"}},
        ),
        model(
            thought("Hm."),
            text("I will look.", thoughtSignature=SIGNATURE),
            call("weather", {"city": "Rome"}, "call_1", thoughtSignature=SIGNATURE),
        ),
        user(
            result("weather", {"error": "Sunny"}, "call_1", scheduling="SILENT", willContinue=True),
            text("Well?", partMetadata={"from": "page"}),
        ),
        model("Sunny."),
        user("Thanks"),
    ],
    "tools": [
        {
            "functionDeclarations": [
                {
                    "name": "weather",
                    "description": "The weather.",
                    "parametersJsonSchema": WEATHER_SCHEMA,
                    "behavior": "NON_BLOCKING",
                    "responseJsonSchema": {"type": "object"},
                }
            ]
        },
        {"googleSearch": {"excludeDomains": ["example.com"], "timeRangeFilter": {"startTime": "2026-01-01T00:00:00Z"}}},
        {"urlContext": {}},
    ],
    "toolConfig": {
        "functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["weather"]},
        "retrievalConfig": {"latLng": {"latitude": 1.5, "longitude": 2.5}},
    },
    "generationConfig": {
        "maxOutputTokens": 100,
        "temperature": 0.5,
        "topP": 0.9,
        "topK": 5,
        "stopSequences": ["END"],
        "seed": 7,
        "presencePenalty": 0.25,
        "frequencyPenalty": 0.75,
        "responseMimeType": "application/json",
        "responseJsonSchema": WEATHER_SCHEMA,
        "thinkingConfig": {"thinkingLevel": "HIGH", "includeThoughts": True},
        "mediaResolution": "MEDIA_RESOLUTION_LOW",
        "new_setting": 1,
    },
    "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_ONLY_HIGH"}],
    "labels": {"team": "pilots"},
    "serviceTier": "flex",
    "store": False,
    "new_field": {"deep": [1, "two"]},
}

# What only this protocol can express, and other spellings of it.
OWN: Json = {
    "model": "models/gemini-3-flash",
    "system_instruction": {"parts": {"text": "Be brief."}},
    "contents": [
        user(
            {"file_data": {"file_uri": "gs://bucket/a.mp4", "mime_type": "video/mp4"}, "video_metadata": {"fps": 0.5}},
            {"inlineData": {"mimeType": "image/png", "data": "_-8"}},
            {"hologram": {"beam": 3}},
        ),
        model(
            {"toolCall": {"id": "f", "toolType": "FILE_SEARCH"}},
            {"toolResponse": {"id": "f", "toolType": "FILE_SEARCH"}},
            call("weather", call_id=None),
            call("weather", call_id=None),
        ),
        {"role": "function", "parts": [result("weather", {"sky": "blue"}, None), result("weather", {}, None)]},
        {"parts": [{"text": "So?"}]},
    ],
    "tools": {
        "function_declarations": [
            {"name": "weather", "parameters": {"type": "object", "any_of": [{"type": "STRING"}]}}
        ],
        "fileSearch": {"file_search_store_names": ["stores/1"], "top_k": "3"},
        "teleport": {"to": 1},
    },
    "toolConfig": {"functionCallingConfig": {"mode": "validated"}},
    "generationConfig": {
        "topK": 40.0,
        "maxOutputTokens": "64",
        "responseMimeType": "text/x.enum",
        "responseSchema": {"type": "STRING", "enum": ["a", "b"]},
        "speechConfig": {"multiSpeakerVoiceConfig": {"speakerVoiceConfigs": []}},
        "thinkingConfig": {"thinkingLevel": "boundless"},
    },
}

EXAMPLES: Payloads = {"agent": AGENT, "media": MEDIA, "hosted tools": HOSTED}

DENSE: Payloads = {"everything": EVERYTHING, "own": OWN}
