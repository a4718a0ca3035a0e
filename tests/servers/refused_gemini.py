"""For every check of the models of Gemini's servers a request that it refuses: what differs from a plain one."""

from __future__ import annotations

from typing import Any

Json = Any

PLAIN: Json = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}
SIGNED = {"thoughtSignature": "c2ln"}


def contents(*turns: list[Json]) -> Json:
    roles = ("user", "model") * 5
    return {"contents": [{"role": role, "parts": parts} for role, parts in zip(roles, turns, strict=False)]}


def part(**of: Json) -> Json:
    return contents([of])


def call(name: Json = "f", args: Json = None, **more: Json) -> Json:
    return {"functionCall": {"name": name, "args": args or {}, **more}} | SIGNED


def response(name: str = "f", of: Json = None, **more: Json) -> Json:
    return {"functionResponse": {"name": name, "response": {} if of is None else of, **more}}


def functions(*of: Json) -> Json:
    return {"tools": [{"functionDeclarations": [*of]}]}


def parameters(**of: Json) -> Json:
    return functions({"name": "f", "parameters": {"type": "OBJECT", **of}})


def config(**of: Json) -> Json:
    return {"generationConfig": of}


def thinking(**of: Json) -> Json:
    return config(thinkingConfig=of)


TEXT = {"text": "Hi"}
F = {"name": "f"}
SCHEMA = {"type": "object"}

OF_ALL: dict[str, Json] = {
    "unknown_name": {"messages": []},
    "data": part(text="a", inlineData={"mimeType": "image/png", "data": "AAAA"}),
    "schema": parameters(properties={"a": {"type": "array"}}),
    "no_contents": {"contents": []},
    "role": {"contents": [{"role": "assistant", "parts": [TEXT]}]},
    "empty_parts": contents([]),
    "unpaired": contents([TEXT], [call(), call()], [response()]),
    "call_first": {"contents": [{"role": "model", "parts": [call()]}]},
    "function_data": contents([TEXT], [call()], [response(of="text")]),
    "tool_name": functions({"name": "a b"}),
    "repeated_tool": functions(F, F),
    "empty_tool": functions(),
    "choice": {"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}},
    "both_schemas": functions(F | {"parameters": SCHEMA, "parametersJsonSchema": SCHEMA}),
    "parameters": functions(F | {"parametersJsonSchema": {"type": "string"}}),
    "response_type": config(responseJsonSchema=SCHEMA),
    "thinking": thinking(thinkingBudget=1024, thinkingLevel="LOW"),
    "out_of_range": config(stopSequences=["a", "b", "c", "d", "e", "f"]),
    "penalties": config(presencePenalty=0.5),
    "mime_type": part(inlineData={"mimeType": "image/gif", "data": "AAAA"}),
    "file_uri": part(fileData={"mimeType": "application/pdf", "fileUri": "file-abc"}),
    "base64_data": contents([TEXT], [TEXT | {"thoughtSignature": "not base64!"}], [TEXT]),
    "corrupted": contents([TEXT], [TEXT | {"thoughtSignature": "YS5iLmM="}], [TEXT]),
}
OF_NEWEST = {
    "function_role": {"contents": [{"role": "function", "parts": [TEXT]}]},
    "prefill": contents([TEXT], [TEXT]),
    "call_id": contents([TEXT], [call(id="c")], [response()]),
    "signature": contents([TEXT], [{"functionCall": F}], [response()]),
    "thinking_level": thinking(thinkingLevel="XHIGH"),
}
SEARCH_AND_FUNCTION = {"tools": [{"googleSearch": {}, "functionDeclarations": [F]}]}

OF_GEMINI: dict[str, tuple[Json, dict[str, Json]]] = {
    "gemini_api": (PLAIN, OF_ALL | OF_NEWEST | {"built_in_tools": SEARCH_AND_FUNCTION}),
    "gemini_2_5": (
        PLAIN,
        OF_ALL
        | {
            "thinking_level": thinking(thinkingLevel="LOW"),
            "thinking_budget": thinking(thinkingBudget=65536),
            "built_in_tools": SEARCH_AND_FUNCTION,
            "json_with_tools": functions(F) | config(responseMimeType="application/json"),
            "response_parts": contents(
                [TEXT], [call()], [response(parts=[{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}])]
            ),
        },
    ),
    "vertex_ai": (
        PLAIN,
        OF_ALL
        | OF_NEWEST
        | {
            "empty_text": part(text=""),
            "any_of": parameters(anyOf=[SCHEMA]),
            "labels": {"labels": {"User ID": "Ann Lee"}},
        },
    ),
}
