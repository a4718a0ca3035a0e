"""The client of a generated session, in each protocol: its first request, its settings, and how it goes on.

What it sends after a response is what `tests.samples.continuing` has for the protocol's official clients.
"""

from __future__ import annotations

import json
from typing import Any

from ..samples.sample import Json
from .answers import NAMES, word

CHAT, RESPONSES, MESSAGES = "openai_chat_completions", "openai_responses", "anthropic_messages"
GEMINI, INTERACTIONS = "gemini_generate_content", "gemini_interactions"
BEDROCK, COHERE, OLLAMA = "bedrock_converse", "cohere_v2_chat", "ollama_chat"

SYSTEM, ASKED = f"Be {word('i', 0)}.", f"Tell {word('u', 0)}."
SCHEMA: Json = {
    "type": "object",
    "properties": {"note": {"type": "string"}},
    "required": ["note"],
    "additionalProperties": False,
}
DESCRIPTIONS = ("Write a note down.", "Look a note up.")
TOOLS: list[Json] = [{"name": name, "description": text} for name, text in zip(NAMES, DESCRIPTIONS, strict=True)]
FUNCTIONS: list[Json] = [{"type": "function", "function": {**one, "parameters": SCHEMA}} for one in TOOLS]
USER: Json = {"role": "user", "content": ASKED}
OF_SYSTEM: Json = {"role": "system", "content": SYSTEM}

FIRST: dict[str, Json] = {
    CHAT: {"model": "m", "tools": FUNCTIONS, "messages": [OF_SYSTEM, USER]},
    RESPONSES: {
        "model": "m",
        "instructions": SYSTEM,
        "tools": [{"type": "function", **one, "parameters": SCHEMA, "strict": True} for one in TOOLS],
        "input": [USER],
    },
    MESSAGES: {
        "model": "m",
        "max_tokens": 32000,
        "system": [{"type": "text", "text": SYSTEM}],
        "tools": [{**one, "input_schema": SCHEMA} for one in TOOLS],
        "messages": [USER],
    },
    GEMINI: {
        "systemInstruction": {"parts": [{"text": SYSTEM}]},
        "tools": [{"functionDeclarations": [{**one, "parametersJsonSchema": SCHEMA} for one in TOOLS]}],
        "contents": [{"role": "user", "parts": [{"text": ASKED}]}],
    },
    INTERACTIONS: {
        "model": "m",
        "system_instruction": SYSTEM,
        "tools": [{"type": "function", **one, "parameters": SCHEMA} for one in TOOLS],
        "input": [{"type": "user_input", "content": [{"type": "text", "text": ASKED}]}],
    },
    BEDROCK: {
        "system": [{"text": SYSTEM}],
        "toolConfig": {"tools": [{"toolSpec": {**one, "inputSchema": {"json": SCHEMA}}} for one in TOOLS]},
        "messages": [{"role": "user", "content": [{"text": ASKED}]}],
    },
    COHERE: {"model": "m", "tools": FUNCTIONS, "messages": [OF_SYSTEM, USER]},
    OLLAMA: {"model": "m", "tools": FUNCTIONS, "messages": [OF_SYSTEM, USER]},
}
SETTINGS: dict[str, list[Json]] = {
    CHAT: [
        {"reasoning_effort": "high"},
        {"temperature": 0.5, "top_p": 0.9},
        {"max_completion_tokens": 4000},
        {"stop": ["END"]},
        {"parallel_tool_calls": False},
        {"seed": 7, "frequency_penalty": 0.5},
        {"prompt_cache_key": "k", "verbosity": "low"},
        {"tool_choice": "auto", "metadata": {"a": "b"}},
    ],
    RESPONSES: [
        {"reasoning": {"effort": "high", "summary": "auto"}, "include": ["reasoning.encrypted_content"]},
        {"reasoning": {"effort": "minimal"}},
        {"temperature": 0.5},
        {"max_output_tokens": 4000, "truncation": "auto"},
        {"parallel_tool_calls": False},
        {"prompt_cache_key": "k", "text": {"verbosity": "low"}},
    ],
    MESSAGES: [
        {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}},
        {"thinking": {"type": "enabled", "budget_tokens": 4000}},
        {"stop_sequences": ["END"], "metadata": {"user_id": "u"}},
        {"cache_control": {"type": "ephemeral"}},
        {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}},
    ],
    GEMINI: [
        {"generationConfig": {"thinkingConfig": {"includeThoughts": True, "thinkingLevel": "HIGH"}}},
        {"generationConfig": {"temperature": 0.5, "topK": 40, "stopSequences": ["END"]}},
        {"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}},
        {"generationConfig": {"maxOutputTokens": 4000, "seed": 7}},
    ],
    INTERACTIONS: [
        {"generation_config": {"thinking_level": "high", "thinking_summaries": "auto"}},
        {"generation_config": {"temperature": 0.5, "max_output_tokens": 4000}},
        {"service_tier": "flex"},
    ],
    BEDROCK: [
        {"inferenceConfig": {"maxTokens": 4000, "stopSequences": ["END"]}},
        {"inferenceConfig": {"temperature": 0.5}},
        {"additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 2000}}},
        {"requestMetadata": {"a": "b"}},
    ],
    COHERE: [{"temperature": 0.5, "k": 10, "p": 0.9}, {"max_tokens": 4000}, {"thinking": {"type": "enabled"}}],
    OLLAMA: [{"options": {"temperature": 0.5, "top_k": 40, "num_ctx": 8192}}, {"think": True}, {"keep_alive": "5m"}],
}
"""What a session's client may set in all its requests."""
HISTORY = dict.fromkeys(FIRST, "messages") | {RESPONSES: "input", INTERACTIONS: "input", GEMINI: "contents"}
STATEFUL = (RESPONSES, MESSAGES, INTERACTIONS)
"""The protocols whose clients may name an earlier response in place of the history."""
PATHS = {
    CHAT: ("/v1/chat/completions",) * 2,
    RESPONSES: ("/v1/responses",) * 2,
    MESSAGES: ("/v1/messages",) * 2,
    GEMINI: ("/v1beta/models/m:generateContent", "/v1beta/models/m:streamGenerateContent?alt=sse"),
    INTERACTIONS: ("/v1beta/interactions",) * 2,
    BEDROCK: ("/model/m/converse", "/model/m/converse-stream"),
    COHERE: ("/v2/chat",) * 2,
    OLLAMA: ("/api/chat",) * 2,
}
"""Of requests for a whole response, and for a stream."""


def opening(client: str, settings: tuple[int, ...], stateful: bool) -> Json:
    """Return the first request, with some of the client's settings."""
    made = FIRST[client]
    for number in settings:
        for name, value in SETTINGS[client][number].items():
            known = made.get(name)
            made = {**made, name: {**known, **value} if isinstance(known, dict) else value}
    return {**made, "store": stateful} if client in (RESPONSES, INTERACTIONS) else made


def continuing(client: str, asked: Json, earlier: int, name: Any) -> Json:
    """Return a request that names the response before it, by its id, in place of that many items of the history."""
    member = HISTORY[client]
    new = {**asked, member: asked[member][earlier:]}
    if client == MESSAGES:
        return {**new, "thread": {} if name is None else {"previous_message_id": name}}
    if name is None:
        return new
    return {**new, "previous_response_id" if client == RESPONSES else "previous_interaction_id": name}


def summed_up(client: str, asked: Json, words: str) -> Json:
    """Return the request of a session that begins anew with a summary by the user."""
    member = HISTORY[client]
    first = json.loads(json.dumps(FIRST[client][member]).replace(ASKED, words))
    return {**asked, member: first}


def in_bytes(client: str, asked: Json, streamed: bool) -> bytes:
    """Return the body of a request, which says in most protocols whether a stream is wanted."""
    says: Json = {} if client in (GEMINI, BEDROCK) else {"stream": streamed}
    says |= {"stream_options": {"include_usage": True}} if client == CHAT and streamed else {}
    return json.dumps({**asked, **says}).encode()
