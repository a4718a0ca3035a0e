"""Providers that respond by a script, in their own protocol, whole or as a stream.

text      It is 42.
call      a call of the tool `add` with {"a": 40, "b": 2}
json      {"city": "Oslo"}
thought   thinking, then the text
refusal   the model declines; Gemini has no such thing, and its filter stops the response
failure   an overloaded server, before anything was sent
broken    the text, cut off in the middle
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import proxai_ir

from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Events, Json

CHAT, RESPONSES, ANTHROPIC = "openai_chat_completions", "openai_responses", "anthropic_messages"
GEMINI = "gemini_generate_content"

TEXT = "It is 42."
CITY = '{"city": "Oslo"}'
NO = "I cannot help with that."
THOUGHT = "Forty and two."
SUM = {"a": 40, "b": 2}
MODEL = "provider-model"


class Reply(NamedTuple):
    status: int
    type: str
    chunks: list[bytes]


def reply(protocol: str, kind: str, streamed: bool) -> Reply:
    if kind == "failure":
        status, body = FAILURES[protocol]
        return Reply(status, "application/json", [json.dumps(body).encode()])
    build = BUILDERS[protocol]
    if not streamed:
        return Reply(
            200, "application/json", [json.dumps({**build(kind, False), MODEL_NAME[protocol]: MODEL}).encode()]
        )
    events = build("text" if kind == "broken" else kind, True)
    if kind == "broken":
        events = events[: CUTS[protocol]]
    data = b"".join(proxai_ir.sse.encode(event, protocol) for event in events)
    return Reply(200, "text/event-stream", [data[at : at + 64] for at in range(0, len(data), 64)])


def _anthropic(kind: str, streamed: bool) -> Any:
    texts = {"text": TEXT, "json": CITY, "refusal": NO, "thought": TEXT, "broken": TEXT}
    stop = {"call": "tool_use", "refusal": "refusal"}.get(kind, "end_turn")
    if streamed:
        blocks = [anthropic.text_block(texts[kind][:3], texts[kind][3:])] if kind in texts else []
        if kind == "call":
            blocks = [anthropic.call_block("toolu_1", "add", '{"a": 40,', ' "b": 2}')]
        if kind == "thought":
            blocks = [anthropic.thinking_block(THOUGHT, signature="c2ln"), *blocks]
        return anthropic.stream(*blocks, stop=stop)
    content: list[Json] = (
        [anthropic.text(texts[kind])] if kind in texts else [anthropic.tool_use("add", SUM, "toolu_1")]
    )
    if kind == "thought":
        content = [{"type": "thinking", "thinking": THOUGHT, "signature": "c2ln"}, *content]
    return anthropic.response(*content, stop=stop)


def _chat(kind: str, streamed: bool) -> Any:
    finish = "tool_calls" if kind == "call" else "stop"
    called = chat.call("add", json.dumps(SUM), "call_1")
    message: Json = {"content": TEXT}
    if kind == "call":
        message = {"tool_calls": [called]}
    elif kind == "refusal":
        message = {"content": None, "refusal": NO}
    elif kind == "json":
        message = {"content": CITY}
    elif kind == "thought":
        message = {"content": TEXT, "reasoning_content": THOUGHT}
    if not streamed:
        return chat.response(finish, **message)
    if kind == "call":
        first, second = '{"a": 40,', ' "b": 2}'
        return chat.stream(
            chat.calls(chat.fragment(0, first, "call_1", "add")), chat.calls(chat.fragment(0, second)), finish=finish
        )
    deltas = [{name: piece} for name in ("reasoning_content", "content", "refusal") if message.get(name)
              for piece in (message[name][:3], message[name][3:])]  # fmt: skip
    return chat.stream(*deltas, finish=finish)


def _responses(kind: str, streamed: bool) -> Any:
    note: Json = {"annotations": [], "logprobs": []}
    part: Json = {"type": "output_text", "text": CITY if kind == "json" else TEXT, **note}
    if kind == "refusal":
        part = {"type": "refusal", "refusal": NO}
    item: Json = {"id": "msg_1", "status": "completed", **responses.message(part)}
    items = [item]
    if kind == "call":
        items = [responses.call("add", json.dumps(SUM), "call_1", id="fc_1", status="completed")]
    if kind == "thought":
        summary = [{"type": "summary_text", "text": THOUGHT}]
        items = [{"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "c2VhbA=="}, item]
    usage = {
        "input_tokens": 9,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 16,
    }
    settings: Json = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": usage}
    whole = responses.response(*items, **settings)
    return responses.stream(whole) if streamed else whole


def _gemini(kind: str, streamed: bool) -> Any:
    words = {"text": TEXT, "json": CITY, "refusal": NO, "thought": TEXT, "broken": TEXT}.get(kind, "")
    parts: list[Json] = [{"text": words[:3]}, {"text": words[3:]}] if streamed else [{"text": words}]
    if kind == "call":
        parts = [{"functionCall": {"name": "add", "args": SUM}, "thoughtSignature": "c2ln"}]
    if kind == "thought":
        parts = [{"text": THOUGHT, "thought": True}, *parts]
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 7, "totalTokenCount": 16}
    finish: Json = {"finishReason": "SAFETY" if kind == "refusal" else "STOP"}
    about: Json = {"responseId": "r1", "modelVersion": MODEL}

    def chunk(given: list[Json], **more: Json) -> Json:
        return {"candidates": [{"index": 0, "content": {"role": "model", "parts": given}, **more}], **about}

    whole = {**chunk(parts, **finish), "usageMetadata": usage}
    if not streamed:
        return whole
    return [*(chunk([part]) for part in parts[:-1]), {**chunk(parts[-1:], **finish), "usageMetadata": usage}]


BUILDERS = {CHAT: _chat, RESPONSES: _responses, ANTHROPIC: _anthropic, GEMINI: _gemini}
MODEL_NAME = {CHAT: "model", RESPONSES: "model", ANTHROPIC: "model", GEMINI: "modelVersion"}
CUTS = {CHAT: 2, RESPONSES: 5, ANTHROPIC: 3, GEMINI: 1}
"""Of a stream that breaks off, how many events come."""
FAILURES: dict[str, tuple[int, Json]] = {
    CHAT: (503, chat.error("server_error", "Come back later.")),
    RESPONSES: (503, chat.error("server_error", "Come back later.")),
    ANTHROPIC: (529, anthropic.error("overloaded_error", "Come back later.")),
    GEMINI: (503, {"error": {"code": 503, "message": "Come back later.", "status": "UNAVAILABLE"}}),
}


def events_of(chunks: list[bytes]) -> Events:
    return list(proxai_ir.sse.decode(chunks))
