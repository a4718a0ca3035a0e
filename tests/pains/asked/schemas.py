"""Schemas of tools and of the output."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..support import anthropic, chat, responses
from .row import ABSENT, ANTHROPIC, CHAT, GEMINI, RESPONSES, Asked

Json = Any
from_chat, from_messages = partial(Asked, src=CHAT), partial(Asked, src=ANTHROPIC)
HI = chat.user("Hi")
GEMINI_TOOL = "/tools/0/functionDeclarations/0/parametersJsonSchema"
OUT = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
NOTES = {"type": "object", "properties": {"notes": {"type": "string"}}, "required": ["notes"]}


def having(**properties: Json) -> Json:
    return {"type": "object", "properties": properties}


def taking(schema: Json, **members: Any) -> Json:
    """A request whose only tool has these parameters."""
    return chat.request(HI, tools=[chat.tool("f", parameters=schema, **members)])


ROWS: tuple[Asked, ...] = (
    from_chat(
        thread="makenotion/notion-mcp-server#341",
        seen="input_schema does not support anyOf at the top level, and the server's tools are lost",
        sent=taking({"anyOf": [having(x={"type": "string"}), having(y={"type": "string"})]}),
        gets={
            ANTHROPIC: {
                "/tools/0/input_schema/anyOf": ABSENT,
                "/tools/0/input_schema/properties": {"x": {"type": "string"}, "y": {"type": "string"}},
            }
        },
        losses=("SCH-9",),
    ),
    from_chat(
        thread="router-for-me/CLIProxyAPI#4545",
        seen="null among an enum's values becomes an empty word, which Gemini refuses",
        sent=taking(having(s={"type": ["string", "null"], "enum": ["a", None]})),
        gets={GEMINI: {f"{GEMINI_TOOL}/properties/s": {"type": ["string", "null"], "enum": ["a", None]}}},
    ),
    from_chat(
        thread="NousResearch/hermes-agent#15082",
        seen="an enum of integers is no enum of words",
        sent=taking(having(n={"type": "integer", "enum": [60, 1440]})),
        gets={GEMINI: {f"{GEMINI_TOOL}/properties/n": {"type": "integer", "enum": [60, 1440]}}},
    ),
    from_chat(
        thread="databricks/unity-gateway#491",
        seen="stream_options reaches generationConfig, and $schema the old field of schemas",
        sent={
            **taking({"$schema": "http://json-schema.org/draft-07/schema#", **having(v={"type": "number"})}),
            "stream": True,
            "stream_options": {"include_usage": True},
        },
        gets={
            GEMINI: {
                "/tools/0/functionDeclarations/0/parameters": ABSENT,
                f"{GEMINI_TOOL}/properties/v": {"type": "number"},
                "/generationConfig/stream_options": ABSENT,
            }
        },
        hides=("stream_options",),
        rules=("STR-13",),
    ),
    from_messages(
        thread="badrisnarayanan/antigravity-claude-proxy#82",
        seen="several types: Proto field is not repeating, cannot start list",
        sent=anthropic.request(
            HI,
            tools=[
                anthropic.tool("f", input_schema=having(x={"type": ["string", "array"], "items": {"type": "string"}}))
            ],
        ),
        gets={
            GEMINI: {
                "/tools/0/functionDeclarations/0/parameters": ABSENT,
                f"{GEMINI_TOOL}/properties/x/type": ["string", "array"],
            }
        },
    ),
    from_messages(
        thread="taylorwilsdon/google_workspace_mcp#1099",
        seen="one constant word is no field that Gemini knows",
        sent=anthropic.request(
            HI, tools=[anthropic.tool("f", input_schema=having(z={"type": "string", "const": "insert_text"}))]
        ),
        gets={GEMINI: {f"{GEMINI_TOOL}/properties/z": {"type": "string", "enum": ["insert_text"]}}},
    ),
    from_chat(
        thread="archestra-ai/archestra#5407",
        seen="the constant true becomes an enum, which takes words only",
        sent=taking(having(ok={"type": "boolean", "const": True})),
        gets={GEMINI: {f"{GEMINI_TOOL}/properties/ok/const": ABSENT, f"{GEMINI_TOOL}/properties/ok/type": "boolean"}},
        losses=("SCH-7",),
    ),
    from_chat(
        thread="envoyproxy/ai-gateway#2232",
        seen="strict is dropped, and arguments come malformed",
        sent=taking(OUT, strict=True),
        gets={ANTHROPIC: {"/tools/0/strict": True}, RESPONSES: {"/tools/0/strict": True}},
    ),
    from_chat(
        thread="mozilla-ai/any-llm#1143",
        seen="additionalProperties of a strict output schema is no field of responseSchema",
        sent=chat.request(
            HI, response_format={"type": "json_schema", "json_schema": {"name": "out", "strict": True, "schema": OUT}}
        ),
        gets={
            GEMINI: {
                "/generationConfig/responseSchema": ABSENT,
                "/generationConfig/responseJsonSchema/additionalProperties": False,
                "/generationConfig/responseMimeType": "application/json",
            },
            ANTHROPIC: {"/output_config/format/schema/additionalProperties": False},
            RESPONSES: {"/text/format/strict": True, "/text/format/name": "out", "/text/format/schema": OUT},
        },
    ),
    Asked(
        thread="ag2ai/ag2#2348",
        seen="objects with any names of one shape are refused in the output",
        src=RESPONSES,
        sent=responses.request(
            HI,
            text={
                "format": {
                    "type": "json_schema",
                    "name": "o",
                    "schema": having(extra={"type": "object", "additionalProperties": NOTES}),
                }
            },
        ),
        gets={GEMINI: {"/generationConfig/responseJsonSchema/properties/extra/additionalProperties": NOTES}},
    ),
    from_chat(
        thread="mlflow/mlflow#23932",
        seen="json_object is dropped towards Gemini and Claude",
        sent=chat.request(HI, response_format={"type": "json_object"}),
        gets={
            GEMINI: {"/generationConfig/responseMimeType": "application/json"},
            ANTHROPIC: {"/system": "Respond with a JSON object only, without any text around it."},
            RESPONSES: {"/text/format": {"type": "json_object"}},
        },
        losses=("OUT-11",),
    ),
)
