"""Requests of Gemini's generateContent by hand that put each rule of the other servers to the test, by a name."""

from __future__ import annotations

from typing import Any

Json = Any

GEMINI = "gemini_generate_content"
PNG = "iVBORw0KGgo="
READ = {
    "name": "read.file",
    "description": "Read a file.",
    "parametersJsonSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
}
CITY = {
    "name": "look_up",
    "parameters": {
        "type": "OBJECT",
        "properties": {
            "city": {"type": "STRING", "nullable": True},
            "count": {"type": "INTEGER", "format": "int32", "minimum": 1},
            "unit": {"type": "STRING", "format": "enum", "enum": ["C", "F"]},
        },
        "required": ["city"],
    },
}


def user(*parts: Json) -> Json:
    return {"role": "user", "parts": [*parts]}


def model(*parts: Json) -> Json:
    return {"role": "model", "parts": [*parts]}


def call(name: str, signature: str | None = None, **args: Json) -> Json:
    part = {"functionCall": {"name": name, "args": args}}
    return part if signature is None else part | {"thoughtSignature": signature}


def response(name: str, **of: Json) -> Json:
    return {"functionResponse": {"name": name, "response": of}}


OF_GEMINI: dict[str, tuple[str, Json]] = {
    "parallel calls without ids": (
        GEMINI,
        {
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "contents": [
                user({"text": "Read both."}),
                model(
                    {"text": "Two files.", "thought": True},
                    call("read.file", "c2ln", path="a"),
                    call("read.file", path="b"),
                ),
                user(response("read.file", output="x"), response("read.file", error="no such file")),
                model({"text": "Done."}),
                user({"text": "Again."}),
            ],
            "tools": [{"functionDeclarations": [READ]}],
            "toolConfig": {"functionCallingConfig": {"mode": "VALIDATED"}},
            "generationConfig": {"maxOutputTokens": 4096, "thinkingConfig": {"thinkingBudget": 1024}},
        },
    ),
    "a result of numbers, and an empty one": (
        GEMINI,
        {
            "contents": [
                user({"text": "Weather?"}),
                model(call("look_up", city="Bern"), call("look_up", city="Chur")),
                user(response("look_up", degrees=21, wind={"speed": 3}), response("look_up")),
            ],
            "tools": [{"functionDeclarations": [CITY, READ]}],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["look_up", "read.file"]}},
        },
    ),
    "an image, and structured output": (
        GEMINI,
        {
            "contents": [user({"inlineData": {"mimeType": "image/png", "data": PNG}}, {"text": "What is it?"})],
            "generationConfig": {
                "temperature": 0.4,
                "stopSequences": ["END"],
                "responseMimeType": "application/json",
                "responseSchema": {
                    "type": "OBJECT",
                    "properties": {"label": {"type": "STRING"}, "score": {"type": "NUMBER", "nullable": True}},
                    "required": ["label"],
                    "propertyOrdering": ["label", "score"],
                },
            },
        },
    ),
    "google search": (
        GEMINI,
        {
            "contents": [user({"text": "News?"})],
            "tools": [{"googleSearch": {}}],
            "generationConfig": {"thinkingConfig": {"thinkingLevel": "LOW", "includeThoughts": True}},
        },
    ),
    "a seed, and spoken output": (
        GEMINI,
        {
            "contents": [user({"text": "Hi"})],
            "generationConfig": {
                "seed": 7,
                "responseModalities": ["AUDIO"],
                "speechConfig": {"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": "Kore"}}},
            },
        },
    ),
    "audio": (
        GEMINI,
        {"contents": [user({"inlineData": {"mimeType": "audio/wav", "data": "UklGRg=="}}, {"text": "Who speaks?"})]},
    ),
    "two turns of the user's": (GEMINI, {"contents": [user({"text": "Hi"}), user({"text": "there"})]}),
}
