"""Sessions whose vendor and protocol change, as data: forty lines, and what each protocol's client makes of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from tests.servers.models.judge import CHAT, GEMINI, MESSAGES, RESPONSES, Json
from tests.servers.models.session_answers import PNG

LETTERS = {"C": CHAT, "R": RESPONSES, "M": MESSAGES, "G": GEMINI}
TABLE = """
C  C:planned R                              M  M:planned R
M  C:mixed+shot R                           G  M:mixed+shot R:planned M:calls R
G  C:search+image R                         R  M:compacted+image R
R  C:calls M                                C  M:planned G
M  C:planned+note M                         M  M:mixed+note G
G  C:mixed+shot M:planned+shot C:calls M    R  M:search+file G:planned M:planned G
R  C:planned G                              C  G:planned C
C  C:mixed+file G:mixed G                   R  G:mixed+shot C
M  C:search+note G                          M  G:drawn+image C
R  R:planned C                              M  G:planned+note M
M  R:mixed+note C                           R  G:mixed+shot M:planned+note G:planned M
C  R:search+image C:calls R:planned C       C  M:calls C:calls G:search M
R  R:planned M                              G  G:code+image C
M  R:mixed+shot M:mixed R:planned+note M    M  G:planned R
M  R:compacted+image M:compacted+note G      G  G:mixed+shot R:mixed G:calls R
G  R:code+file M                            R  G:drawn+file R
R  R:search G                               R  R:planned C:planned M:planned G:planned R
G  R:mixed+shot R:drawn+image G             G  G:mixed M:mixed R:mixed C:mixed G
C  R:planned+note G:planned R:calls G       M  M:mixed+shot G:search+note R:code+image C:thought M:planned G
M  M:search+image C                         C  C:mixed M:planned+image G:mixed+note R:mixed+shot C:planned M
"""
"""Who asks, and in turn: who answers, with what, and what the client sends next beside its words or its results.

Answers: planned: thoughts and a call; calls: two; mixed: thoughts, words and two calls; search, code: done by the
provider; drawn: an image; compacted: a summary of the session so far. Of the client's: an image, a file, an image in a
tool's result (shot), an instruction in mid-conversation (note).
"""


class Step(NamedTuple):
    provider: str
    answer: str
    adds: str


class Session(NamedTuple):
    name: str
    client: str
    steps: tuple[Step, ...]
    """The last one has no answer: it is the request that is asked about."""


def _step(word: str) -> Step:
    provider, _, rest = word.partition(":")
    answer, _, adds = rest.partition("+")
    return Step(LETTERS[provider], answer, adds)


def _read(row: str) -> Session:
    client, *steps = row.split()
    return Session(row, LETTERS[client], tuple(map(_step, steps)))


SESSIONS = tuple(_read(" ".join(row.split())) for row in re.split(r"\n| {3,}", TABLE.strip()))

# --- what clients ask first -------------------------------------------------------------------------------------------

INSTRUCTION, QUESTION = "Use tools for sums.", "What is 40 and 2?"
ADD: Json = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
    "additionalProperties": False,
}
FUNCTION: Json = {"name": "add", "description": "Adds.", "parameters": ADD}
FIRST: dict[str, Json] = {
    CHAT: {
        "model": "m",
        "reasoning_effort": "high",
        "tools": [{"type": "function", "function": FUNCTION}],
        "messages": [{"role": "system", "content": INSTRUCTION}, {"role": "user", "content": QUESTION}],
    },
    RESPONSES: {
        "model": "m",
        "store": False,
        "reasoning": {"effort": "high", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "instructions": INSTRUCTION,
        "tools": [{"type": "function", "strict": True, **FUNCTION}],
        "input": [{"role": "user", "content": QUESTION}],
    },
    MESSAGES: {
        "model": "m",
        "max_tokens": 32000,
        "thinking": {"type": "adaptive"},
        "output_config": {"effort": "high"},
        "system": [{"type": "text", "text": INSTRUCTION, "cache_control": {"type": "ephemeral"}}],
        "tools": [{"name": "add", "description": "Adds.", "input_schema": ADD}],
        "messages": [{"role": "user", "content": QUESTION}],
    },
    GEMINI: {
        "generationConfig": {"thinkingConfig": {"includeThoughts": True, "thinkingLevel": "HIGH"}},
        "systemInstruction": {"parts": [{"text": INSTRUCTION}]},
        "tools": [
            {"functionDeclarations": [{"name": "add", "description": "Adds.", "parametersJsonSchema": ADD}]},
        ],
        "contents": [{"role": "user", "parts": [{"text": QUESTION}]}],
    },
}
SEARCHING: dict[str, Json] = {
    CHAT: {"web_search_options": {}},
    RESPONSES: {"type": "web_search"},
    MESSAGES: {"type": "web_search_20250305", "name": "web_search"},
    GEMINI: {"googleSearch": {}},
}


def first(session: Session) -> Json:
    """The first request of a session; its tools are the same throughout."""
    asked = FIRST[session.client]
    if all(step.answer != "search" for step in session.steps):
        return asked
    search = SEARCHING[session.client]
    if session.client == CHAT:
        return {**asked, **search}
    made = {**asked, "tools": [*asked["tools"], search]}
    if session.client == GEMINI:
        made["toolConfig"] = {"includeServerSideToolInvocations": True}
    return made


# --- what they ask next -----------------------------------------------------------------------------------------------

PDF = "JVBERi0xLjQKJSVFT0YK"
URL = f"data:image/png;base64,{PNG}"
NOTE = "Plan mode is on."


def chat(asked: Json, response: Json, adds: str, words: str, result: str) -> Json:
    message = response["choices"][0]["message"]
    results = [
        {"role": "tool", "tool_call_id": one["id"], "content": result} for one in message.get("tool_calls") or ()
    ]
    media: dict[str, Json] = {
        "image": {"type": "image_url", "image_url": {"url": URL}},
        "file": {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PDF}"}},
    }
    media["shot"] = media["image"]  # a tool's result has text alone
    content: Json = [{"type": "text", "text": words}, media[adds]] if adds in media else words
    said = [{"role": "user", "content": content}] if not results or adds in media else []
    note = [{"role": "system", "content": NOTE}] if adds == "note" else []
    return {**asked, "messages": [*asked["messages"], message, *results, *said, *note]}


def responses(asked: Json, response: Json, adds: str, words: str, result: str) -> Json:
    text = {"type": "input_text", "text": words}
    image = {"type": "input_image", "image_url": URL, "detail": "auto"}
    file = {"type": "input_file", "filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PDF}"}
    media: dict[str, Json] = {"image": image, "file": file}
    output: Json = [{"type": "input_text", "text": result}, image] if adds == "shot" else result
    results = [
        {"type": "function_call_output", "call_id": item["call_id"], "output": output}
        for item in response["output"]
        if item["type"] == "function_call"
    ]
    said = [{"role": "user", "content": [text, media[adds]] if adds in media else [text]}]
    note = [{"role": "developer", "content": NOTE}] if adds == "note" else []
    spoken = said if not results or adds in media else []
    return {**asked, "input": [*asked["input"], *response["output"], *results, *spoken, *note]}


def messages(asked: Json, response: Json, adds: str, words: str, result: str) -> Json:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    file = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PDF}}
    media: dict[str, Json] = {"image": image, "file": file}
    output: Json = [{"type": "text", "text": result}, image] if adds == "shot" else result
    results = [
        {"type": "tool_result", "tool_use_id": block["id"], "content": output}
        for block in response["content"]
        if block["type"] == "tool_use"
    ]
    said = [{"type": "text", "text": words}, *([media[adds]] if adds in media else [])]
    content = [*results, *(said if not results or adds in media else [])]
    answered = [{"role": "assistant", "content": response["content"]}, {"role": "user", "content": content}]
    note = [{"role": "system", "content": NOTE}] if adds == "note" else []
    return {**asked, "messages": [*asked["messages"], *answered, *note]}


def gemini(asked: Json, response: Json, adds: str, words: str, result: str) -> Json:
    content = response["candidates"][0]["content"]
    image = {"inlineData": {"mimeType": "image/png", "data": PNG}}
    media: dict[str, Json] = {"image": image, "file": {"inlineData": {"mimeType": "application/pdf", "data": PDF}}}
    results = []
    for part in content["parts"]:
        if "functionCall" in part:
            call = {key: value for key, value in part["functionCall"].items() if key in ("id", "name")}
            shot = {"parts": [image]} if adds == "shot" else {}
            results.append({"functionResponse": {**call, "response": {"output": result}, **shot}})
    said = [{"text": words}, *([media[adds]] if adds in media else [])]
    turns: list[Json] = [{"role": "user", "parts": results}] if results else []
    if not results or adds in media:
        turns.append({"role": "user", "parts": said})
    return {**asked, "contents": [*asked["contents"], content, *turns]}


NEXT: dict[str, Callable[[Json, Json, str, str, str], Json]] = {
    CHAT: chat,
    RESPONSES: responses,
    MESSAGES: messages,
    GEMINI: gemini,
}
"""The next request of a client: it sends the response back as it came, the results of its calls or words, and more."""
