"""Bytes: what stands around the events, and bodies that are no stream or should be none."""

from __future__ import annotations

from typing import Any

import orjson

from ..support import anthropic, chat
from .symptom import ANTHROPIC, CHAT, Answer, Failure, Http, Sse, Symptom

Json = Any
HELLO = Answer("Hello", "stop")


def written(events: list[Json], names: bool = False, before: bytes = b"data: ", end: bytes = b"\n\n") -> bytes:
    out = b""
    for event in events:
        name = b"event: " + event["type"].encode() + b"\n" if names and event != chat.DONE else b""
        out += name + before + (event.encode() if event == chat.DONE else orjson.dumps(event)) + end
    return out


CHUNKS = chat.stream({"content": "Hel"}, {"content": "lo"})
MESSAGE = anthropic.stream(anthropic.text_block("Hel", "lo"))
RESPONSE = chat.response(content="Hello")
LINES = "a\u2028b\u2029c\u0085d\u000be"
PROGRESS = {"tool": "web_search", "label": "x", "toolCallId": "call_1", "status": "running"}
PROCESSING = b": OPENROUTER PROCESSING\n\n"
ROWS = (
    Symptom(
        thread="Soju06/codex-lb#1010",
        seen="U+2028 and U+2029 within a text end the line",
        src=CHAT,
        came=Sse(written(chat.stream({"content": LINES[:4]}))),
        expect=Answer(LINES[:4], "stop"),
    ),
    Symptom(
        thread="modelscope/evalscope#1642",
        seen="so do U+0085 and the vertical tab",
        src=CHAT,
        came=Sse(written(chat.stream({"content": LINES}))),
        expect=Answer(LINES, "stop"),
    ),
    Symptom(
        thread="elizaOS/eliza#30904",
        seen="an emoji in two escapes arrives as two halves",
        src=CHAT,
        came=Sse(written(chat.stream({"content": "EMOJI!"})).replace(b"EMOJI", rb"\ud83d\ude00")),
        expect=Answer("\U0001f600!", "stop"),
    ),
    Symptom(
        thread="openai/openai-go#227",
        seen="comments keep the connection open before and between chunks",
        src=CHAT,
        came=Sse(PROCESSING * 2 + written(CHUNKS[:2]) + PROCESSING + written(CHUNKS[2:])),
        expect=HELLO,
    ),
    Symptom(
        thread="anthropics/anthropic-sdk-typescript#292",
        seen="an event whose data are empty is no JSON",
        src=ANTHROPIC,
        came=Sse(
            written(MESSAGE[:2], names=True)
            + b"event: content_block_delta\ndata: \n\n"
            + written(MESSAGE[2:], names=True)
        ),
        expect=HELLO,
    ),
    Symptom(
        thread="earendil-works/pi#1983",
        seen="no event: lines, so that all events are dropped",
        src=ANTHROPIC,
        came=Sse(written(MESSAGE)),
        expect=HELLO,
    ),
    Symptom(
        thread="caozhiyuan/copilot-api#209",
        seen="event: done with [DONE] behind message_stop",
        src=ANTHROPIC,
        came=Sse(written(MESSAGE, names=True) + b"event: done\ndata: [DONE]\n\n"),
        expect=HELLO,
    ),
    Symptom(
        thread="diegosouzapw/OmniRoute#13129",
        seen="a stream was asked for, and the answer is plain JSON",
        src=CHAT,
        came=Sse(orjson.dumps(RESPONSE), "application/json"),
        expect=HELLO,
    ),
    Symptom(
        thread="BYK/loreai#605",
        seen="no stream was asked for, and the answer is one",
        src=CHAT,
        came=Http(200, written(CHUNKS), media_type="text/event-stream"),
        expect=HELLO,
    ),
    Symptom(
        thread="OpenRouterTeam/typescript-sdk#101",
        seen="lines of spaces keep the connection open before the body of a response",
        src=CHAT,
        came=Http(200, b"\n         \n" * 3 + orjson.dumps(RESPONSE)),
        expect=HELLO,
    ),
    Symptom(
        thread="Aider-AI/aider#3550",
        seen="an error is answered by status 200",
        src=CHAT,
        came=Http(200, {"error": {"message": "Rate limited", "code": 429}, "user_id": "u"}),
        expect=Failure("rate_limit_error", "Rate limited", 429),
    ),
    Symptom(
        thread="BerriAI/litellm#21755",
        seen="status 200, an error and a choice without content",
        src=CHAT,
        came=Http(200, {**chat.response(content=None), "error": {"message": "Rate limited", "code": 429}}),
        expect=Failure("rate_limit_error", "Rate limited", 429),
    ),
    Symptom(
        thread="Wei-Shaw/sub2api#2826",
        seen="no stream was asked for, and the answer is one under the name of JSON",
        src=CHAT,
        came=Http(200, written(CHUNKS)),
        expect=HELLO,
    ),
    Symptom(
        thread="openclaw/openclaw#97454",
        seen="a stream was asked for, and comes under the name of JSON",
        src=CHAT,
        came=Sse(written(CHUNKS), "application/json"),
        expect=HELLO,
    ),
    Symptom(
        thread="lucasjinreal/Crane#121",
        seen="the data of an event are the words of an error instead of JSON",
        src=CHAT,
        came=Sse(written(CHUNKS[:2]) + b"data: error: out of memory\n\n"),
        expect=Failure("api_error", "error: out of memory"),
    ),
    Symptom(
        thread="huggingface/tau#692",
        seen="Copilot ends a stream of messages with [chat.DONE] instead of message_stop",
        src=ANTHROPIC,
        came=Sse(written([*MESSAGE[:-1], chat.DONE], names=True)),
        expect=Answer("Hello", "stop"),
    ),
    Symptom(
        thread="anomalyco/opencode#38106",
        seen="an event with a name of the server's own stands among the chunks",
        src=CHAT,
        came=Sse(written(CHUNKS[:2]) + b"event: hermes.tool.progress\n" + written([PROGRESS]) + written(CHUNKS[2:])),
        expect=Answer("Hello", "stop"),
        losses=("UNK-1",),
    ),
)
