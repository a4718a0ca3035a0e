"""Providers that respond by a script, in their own protocol, whole or as a stream.

text      It is 42.
call      a call of the tool `add` with {"a": 40, "b": 2}
calls     two calls at once, the second with {"a": 1, "b": 1}
planned   thinking with a signature of its own, and the call; Gemini signs the call
json      {"city": "Oslo"}
thought   thinking, then the text
refusal   the model declines; Gemini has no such thing, and its filter stops the response
failure   an overloaded server, before anything was sent
denied    a key that is not known
unknown   a model that is not known
limited   too many requests, and when to try again
overflow  a prompt that is longer than the model takes
broken    the text, cut off in the middle
midway    the text, and an error of the server in the middle of it
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import proxai_ir

from ..samples.anthropic_messages import building as anthropic
from ..samples.gemini_interactions import building as interactions
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Events, Json

CHAT, RESPONSES, ANTHROPIC = "openai_chat_completions", "openai_responses", "anthropic_messages"
GEMINI = "gemini_generate_content"
INTERACTIONS = "gemini_interactions"

TEXT = "It is 42."
CITY = '{"city": "Oslo"}'
NO = "I cannot help with that."
THOUGHT = "Forty and two."
SUM, MORE = {"a": 40, "b": 2}, {"a": 1, "b": 1}
MODEL = "provider-model"


JSON_TYPE, SSE_TYPE = "application/json", "text/event-stream"


class Reply(NamedTuple):
    status: int
    type: str
    chunks: list[bytes]
    headers: Mapping[str, str] = {}


def reply(protocol: str, kind: str, streamed: bool, number: int = 1) -> Reply:
    """`number`: which response of this provider it is, so that its ids and signatures are its own."""
    if kind == "instead":  # of the stream that its type promises
        return Reply(200, SSE_TYPE, [json.dumps({"error": {"message": LATER}}).encode()])
    if kind == "named":
        return Reply(
            200, SSE_TYPE, [b"event: error\ndata: " + json.dumps({"code": 7, "message": LATER}).encode() + b"\n\n"]
        )
    if kind in ERRORS:
        status, body = ERRORS[kind][protocol]
        return Reply(status, JSON_TYPE, [json.dumps(body).encode()], {"retry-after": "7"} if status == 429 else {})
    build = BUILDERS[protocol]
    if not streamed:
        whole = {**build(kind, False), MODEL_NAME[protocol]: MODEL}
        return Reply(200, JSON_TYPE, [numbered(json.dumps(whole).encode(), protocol, number)])
    cut = kind in ("broken", "midway")
    events = build("text" if cut else kind, True)
    if cut:
        events = events[: CUTS[protocol]]
    if kind == "midway":
        events = [*events, MIDWAY[protocol]]
    data = numbered(b"".join(proxai_ir.sse.encode(event, protocol) for event in events), protocol, number)
    return Reply(200, SSE_TYPE, [data[at : at + 64] for at in range(0, len(data), 64)])


def numbered(data: bytes, protocol: str, number: int) -> bytes:
    if number > 1:
        for name in (IDS[protocol], *CALL_IDS, signature(1)):
            data = data.replace(f'"{name}"'.encode(), f'"{name[:-1]}{number}"'.encode())
    return data


def signature(number: int) -> str:
    """Of a provider's response: base64, as all of them have it."""
    return f"c2lnbmF0dXJlIDA{number}"


def _anthropic(kind: str, streamed: bool) -> Any:
    texts = {"text": TEXT, "json": CITY, "refusal": NO, "thought": TEXT, "broken": TEXT}
    calls = {"call": [SUM], "calls": [SUM, MORE], "planned": [SUM]}.get(kind, [])
    stop = "tool_use" if calls else "refusal" if kind == "refusal" else "end_turn"
    thinks = kind in ("thought", "planned")
    if streamed:
        blocks = [anthropic.text_block(texts[kind][:3], texts[kind][3:])] if kind in texts else []
        for at, arguments in enumerate(calls):
            first, second = json.dumps(arguments).split(", ")
            blocks.append(anthropic.call_block(f"toolu_{'ab'[at]}1", "add", f"{first},", f" {second}"))
        if thinks:
            blocks = [anthropic.thinking_block(THOUGHT, signature=signature(1)), *blocks]
        return anthropic.stream(*blocks, stop=stop)
    content: list[Json] = [anthropic.text(texts[kind])] if kind in texts else []
    content += [anthropic.tool_use("add", arguments, f"toolu_{'ab'[at]}1") for at, arguments in enumerate(calls)]
    if thinks:
        content = [{"type": "thinking", "thinking": THOUGHT, "signature": signature(1)}, *content]
    return anthropic.response(*content, stop=stop)


def _chat(kind: str, streamed: bool) -> Any:
    calls = {"call": [SUM], "calls": [SUM, MORE], "planned": [SUM]}.get(kind, [])
    finish = "tool_calls" if calls else "stop"
    message: Json = {"content": TEXT}
    if calls:
        called = [chat.call("add", json.dumps(one), f"call_{'ab'[at]}1") for at, one in enumerate(calls)]
        message = {"tool_calls": called}
    elif kind == "refusal":
        message = {"content": None, "refusal": NO}
    elif kind == "json":
        message = {"content": CITY}
    if kind in ("thought", "planned"):
        message["reasoning_content"] = THOUGHT
    if not streamed:
        return chat.response(finish, **message)
    deltas = [{name: piece} for name in ("reasoning_content", "content", "refusal") if message.get(name)
              for piece in (message[name][:3], message[name][3:])]  # fmt: skip
    for at, arguments in enumerate(calls):
        first, second = json.dumps(arguments).split(", ")
        deltas.append(chat.calls(chat.fragment(at, f"{first},", f"call_{'ab'[at]}1", "add")))
        deltas.append(chat.calls(chat.fragment(at, f" {second}")))
    return chat.stream(*deltas, finish=finish)


def _responses(kind: str, streamed: bool) -> Any:
    note: Json = {"annotations": [], "logprobs": []}
    part: Json = {"type": "output_text", "text": CITY if kind == "json" else TEXT, **note}
    if kind == "refusal":
        part = {"type": "refusal", "refusal": NO}
    item: Json = {"id": "msg_1", "status": "completed", **responses.message(part)}
    items = [item]
    calls = {"call": [SUM], "calls": [SUM, MORE], "planned": [SUM]}.get(kind, [])
    if calls:
        items = [
            responses.call("add", json.dumps(one), f"call_{'ab'[at]}1", id=f"fc_{'ab'[at]}1", status="completed")
            for at, one in enumerate(calls)
        ]
    if kind in ("thought", "planned"):
        summary = [{"type": "summary_text", "text": THOUGHT}]
        items = [{"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": signature(1)}, *items]
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
    calls = {"call": [SUM], "calls": [SUM, MORE], "planned": [SUM]}.get(kind, [])
    if calls:
        parts = [{"functionCall": {"name": "add", "args": one}} for one in calls]
        parts[0]["thoughtSignature"] = signature(1)
    if kind in ("thought", "planned"):
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


def _interactions(kind: str, streamed: bool) -> Any:
    texts = {"text": TEXT, "json": CITY, "refusal": NO, "thought": TEXT, "broken": TEXT}
    calls = {"call": [SUM], "calls": [SUM, MORE], "planned": [SUM]}.get(kind, [])
    status = "requires_action" if calls else "completed"
    thinks = kind in ("thought", "planned")
    if streamed:
        steps = [interactions.text_step(texts[kind][:3], texts[kind][3:])] if kind in texts else []
        for at, arguments in enumerate(calls):
            first, second = json.dumps(arguments).split(", ")
            steps.append(interactions.call_step(f"call_{'ab'[at]}1", "add", f"{first},", f" {second}"))
        if thinks:
            steps = [interactions.thought_step(THOUGHT, signature=signature(1)), *steps]
        return interactions.stream(*steps, status=status)
    made = [interactions.model(texts[kind])] if kind in texts else []
    made += [interactions.call("add", arguments, f"call_{'ab'[at]}1") for at, arguments in enumerate(calls)]
    if thinks:
        made = [interactions.thought(THOUGHT, signature=signature(1)), *made]
    return interactions.response(*made, status=status)


BUILDERS = {
    CHAT: _chat,
    RESPONSES: _responses,
    ANTHROPIC: _anthropic,
    GEMINI: _gemini,
    INTERACTIONS: _interactions,
}
MODEL_NAME = {CHAT: "model", RESPONSES: "model", ANTHROPIC: "model", GEMINI: "modelVersion", INTERACTIONS: "model"}
CUTS = {CHAT: 2, RESPONSES: 5, ANTHROPIC: 3, GEMINI: 1, INTERACTIONS: 4}
"""Of a stream that breaks off, how many events come."""
IDS = {CHAT: "chatcmpl-1", RESPONSES: "resp_1", ANTHROPIC: "msg_1", GEMINI: "r1", INTERACTIONS: "v1_1"}
CALL_IDS = (*(f"{name}_{letter}1" for name in ("toolu", "call", "fc") for letter in "ab"), "rs_1")
"""What `numbered` makes another response's own; ids of items of OpenAI's are never those of responses."""


def _google(code: int, message: str, status: str) -> Json:
    return {"error": {"code": code, "message": message, "status": status}}


LATER, NO_KEY, NO_MODEL, SLOWER = "Come back later.", "No such key.", "No such model.", "Slow down."
LONG = "prompt is too long: 250000 tokens > 200000 maximum"
_OPENAI: dict[str, tuple[int, Json]] = {
    "failure": (503, chat.error("server_error", LATER)),
    "denied": (401, chat.error("invalid_request_error", NO_KEY, code="invalid_api_key")),
    "unknown": (404, chat.error("invalid_request_error", NO_MODEL, code="model_not_found")),
    "limited": (429, chat.error("requests", SLOWER, code="rate_limit_exceeded")),
    "overflow": (400, chat.error("invalid_request_error", LONG, "messages", "context_length_exceeded")),
}
_ANTHROPIC: dict[str, tuple[int, Json]] = {
    "failure": (529, anthropic.error("overloaded_error", LATER)),
    "denied": (401, anthropic.error("authentication_error", NO_KEY)),
    "unknown": (404, anthropic.error("not_found_error", NO_MODEL)),
    "limited": (429, anthropic.error("rate_limit_error", SLOWER)),
    "overflow": (400, anthropic.error("invalid_request_error", LONG)),
}
_GOOGLE: dict[str, tuple[int, Json]] = {
    "failure": (503, _google(503, LATER, "UNAVAILABLE")),
    "denied": (401, _google(401, NO_KEY, "UNAUTHENTICATED")),
    "unknown": (404, _google(404, NO_MODEL, "NOT_FOUND")),
    "limited": (429, _google(429, SLOWER, "RESOURCE_EXHAUSTED")),
    "overflow": (400, _google(400, LONG, "INVALID_ARGUMENT")),
}
_INTERACTIONS: dict[str, tuple[int, Json]] = {
    "failure": (503, interactions.error("unavailable", LATER)),
    "denied": (401, interactions.error("unauthenticated", NO_KEY)),
    "unknown": (404, interactions.error("not_found", NO_MODEL)),
    "limited": (429, interactions.error("resource_exhausted", SLOWER)),
    "overflow": (400, interactions.error("invalid_request", LONG)),
}
ERRORS = {
    kind: {
        CHAT: _OPENAI[kind],
        RESPONSES: _OPENAI[kind],
        ANTHROPIC: _ANTHROPIC[kind],
        GEMINI: _GOOGLE[kind],
        INTERACTIONS: _INTERACTIONS[kind],
    }
    for kind in _OPENAI
}
MIDWAY: dict[str, Json] = {
    CHAT: chat.error("server_error", LATER),
    RESPONSES: {"type": "error", "code": "server_error", "message": LATER, "param": None, "sequence_number": 9},
    ANTHROPIC: anthropic.error("overloaded_error", LATER),
    GEMINI: _google(503, LATER, "UNAVAILABLE"),
    INTERACTIONS: {"event_type": "error", **interactions.error("unavailable", LATER)},
}
FAILURES = ERRORS["failure"]


def events_of(chunks: list[bytes]) -> Events:
    return list(proxai_ir.sse.decode(chunks))
