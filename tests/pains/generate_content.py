"""Payloads of Gemini's generateContent for the pain tests, and their conversions by direction."""

from __future__ import annotations

from typing import Any

import proxai_ir
from proxai_ir import Conversion
from proxai_ir.api import Kind

from ..sides import sides

Json = Any

GEMINI = "gemini_generate_content"


def to_gemini(payload: Json, src: str, kind: Kind = "request", **options: Any) -> Conversion:
    server, known = sides(GEMINI, options)
    return proxai_ir.compile(payload, src, server, kind=kind, **known)


def from_gemini(payload: Json, dst: str, kind: Kind = "request", **options: Any) -> Conversion:
    named: dict[str, Any] = {"model": "m"} if kind == "request" else {}
    server, known = sides(dst, options)
    return proxai_ir.compile(payload, GEMINI, server, kind=kind, **named, **known)


# --- requests ---------------------------------------------------------------------------------------------------------


def user(*parts: Json) -> Json:
    return {"role": "user", "parts": [*parts]}


def model(*parts: Json) -> Json:
    return {"role": "model", "parts": [*parts]}


def text(words: str, **more: Json) -> Json:
    return {"text": words, **more}


def call(name: str, args: Json = None, signature: str | None = None, **more: Json) -> Json:
    made: Json = {"functionCall": {"name": name, **({} if args is None else {"args": args}), **more}}
    return made if signature is None else {**made, "thoughtSignature": signature}


def result(name: str, response: Json, **more: Json) -> Json:
    return {"functionResponse": {"name": name, "response": response, **more}}


def inline(data: str = "iVBORw0KGgo=", mime: str = "image/png") -> Json:
    return {"inlineData": {"mimeType": mime, "data": data}}


def function(name: str, schema: Json = None, **more: Json) -> Json:
    parameters = {} if schema is None else {"parametersJsonSchema": schema}
    return {"name": name, **parameters, **more}


def functions(*declarations: Json) -> Json:
    return [{"functionDeclarations": [*declarations]}]


def request(*contents: Json, **more: Json) -> Json:
    return {"contents": [*contents], **more}


# --- responses --------------------------------------------------------------------------------------------------------


def response(*parts: Json, finish: str | None = "STOP", **more: Json) -> Json:
    candidate: Json = {"index": 0, "content": model(*parts)}
    return {
        "candidates": [candidate if finish is None else {**candidate, "finishReason": finish}],
        "responseId": "r1",
        "modelVersion": "gemini-3-flash",
        **more,
    }


USAGE: Json = {"promptTokenCount": 9, "candidatesTokenCount": 7, "totalTokenCount": 16}


def stream(*pieces: list[Json], finish: str = "STOP") -> list[Json]:
    """Chunks with these parts; the last one ends the response."""
    chunks = [response(*parts, finish=None) for parts in pieces[:-1]]
    return [*chunks, response(*pieces[-1], finish=finish, usageMetadata=USAGE)]
