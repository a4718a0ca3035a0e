"""Makes payloads of Gemini's generateContent: requests, responses, error bodies, and streams chunk by chunk."""

from __future__ import annotations

from typing import Any

from ..sample import Events, Json
from ..shared import NO_PARAMETERS

SIGNATURE = "CiQBjz1rXw=="


def text(words: str, **members: Any) -> Json:
    return {"text": words, **members}


def thought(words: str, **members: Any) -> Json:
    return {"text": words, "thought": True, **members}


def call(name: str, arguments: Json | None = None, call_id: str | None = "call_1", **members: Any) -> Json:
    inner = {"name": name, "args": arguments or {}}
    return {"functionCall": inner if call_id is None else {"id": call_id, **inner}, **members}


def result(name: str, response: Json, call_id: str | None = "call_1", **members: Any) -> Json:
    inner = {"name": name, "response": response, **members}
    return {"functionResponse": inner if call_id is None else {"id": call_id, **inner}}


def content(role: str, *parts: Json | str) -> Json:
    return {"role": role, "parts": [text(part) if isinstance(part, str) else part for part in parts]}


def user(*parts: Json | str) -> Json:
    return content("user", *parts)


def model(*parts: Json | str) -> Json:
    return content("model", *parts)


def request(*contents: Json, **settings: Any) -> Json:
    return {"contents": list(contents), **settings}


def function(name: str, **members: Any) -> Json:
    return {"name": name, "parametersJsonSchema": NO_PARAMETERS, **members}


def tools(*functions: Json) -> list[Json]:
    return [{"functionDeclarations": list(functions)}]


def candidate(*parts: Json | str, finish: str | None = "STOP", index: int = 0, **members: Any) -> Json:
    built = {"content": model(*parts), "finishReason": finish, "index": index, **members}
    return {key: value for key, value in built.items() if value is not None}


USAGE: Json = {"promptTokenCount": 7, "candidatesTokenCount": 5, "totalTokenCount": 12}
HEAD: Json = {"modelVersion": "gemini-3-flash", "responseId": "r1"}


def response(*parts: Json | str, usage: Json | None = None, **members: Any) -> Json:
    return {"candidates": [candidate(*parts, **members)], "usageMetadata": usage or USAGE, **HEAD}


def error(status: str, message: str = "No.", code: int = 400, **members: Any) -> Json:
    return {"error": {"code": code, "message": message, "status": status, **members}}


# --- streams ----------------------------------------------------------------------------------------------------------


def chunk(*parts: Json | str, usage: Json | None = None, finish: str | None = None, **members: Any) -> Json:
    """One event: a response with what is new."""
    built: Json = {"candidates": [candidate(*parts, finish=finish, **members)]}
    return built | ({} if usage is None else {"usageMetadata": usage}) | HEAD


def stream(*chunks: Json, finish: str = "STOP", **members: Any) -> Events:
    """Chunks, and the last one, which has the ending and the usage."""
    return [*chunks, chunk("", usage=USAGE, finish=finish, **members)]
