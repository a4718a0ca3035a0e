"""Anthropic Messages of other servers: llama.cpp, vLLM, Kimi, MiniMax, Copilot and proxies."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..support import anthropic, text
from .symptom import ANTHROPIC, Answer, Failure, Refused, Symptom

Json = Any
row = partial(Symptom, src=ANTHROPIC)
block, stream, numbered = anthropic.block, anthropic.stream, anthropic.numbered
message_start, message_delta, STOP = anthropic.message_start, anthropic.message_delta, anthropic.MESSAGE_STOP
TEXT = anthropic.text_block("Hel", "lo")
START, *CONTENT, DELTA, _ = BASE = stream(TEXT)
SENT = (9, 7, 0)
HELLO = Answer("Hello", "stop", SENT)


def thinking(*deltas: Json, **start: Any) -> list[Json]:
    return block({"type": "thinking", "thinking": "", "signature": "", **start}, *deltas)


def thought(words: str) -> Json:
    return {"type": "thinking_delta", "thinking": words}


SIGNED = {"type": "signature_delta", "signature": "sig"}
USAGE = (
    row(
        thread="Alishahryar1/free-claude-code#123",
        seen="no usage at all: clients read input_tokens of undefined",
        came=[message_start(), *CONTENT, message_delta("end_turn"), STOP],
        expect=Answer("Hello", "stop", (0, 0, 0)),
    ),
    row(
        thread="openkursar/hello-halo#95",
        seen="a whole response has no usage",
        came={key: value for key, value in anthropic.response(text("Hello")).items() if key != "usage"},
        expect=Answer("Hello", "stop", (0, 0, 0)),
    ),
    row(
        thread="earendil-works/pi#6567",
        seen="message_delta has no usage",
        came=[START, *CONTENT, message_delta("end_turn"), STOP],
        expect=Answer("Hello", "stop", (9, 1, 0)),
    ),
    row(
        thread="vercel/ai#10671",
        seen="message_start says 0 input tokens, message_delta the truth",
        came=[
            message_start({"input_tokens": 0, "output_tokens": 0}),
            *CONTENT,
            message_delta("end_turn", {"input_tokens": 9, "output_tokens": 7}),
            STOP,
        ],
        expect=HELLO,
    ),
    row(
        thread="Portkey-AI/gateway#1180",
        seen="message_start's usage is null, and input and cache come in message_delta",
        came=[
            {"type": "message_start", "message": {**START["message"], "usage": None}},
            *CONTENT,
            message_delta("end_turn", {"input_tokens": 9, "output_tokens": 7, "cache_read_input_tokens": 3}),
            STOP,
        ],
        expect=Answer("Hello", "stop", (12, 7, 3)),
    ),
)
BLOCKS = (
    row(
        thread="can1357/oh-my-pi#8319",
        seen="the first words of thinking stand in content_block_start, and its signature fails without them",
        came=stream(thinking(thought("m"), SIGNED, thinking="H"), TEXT),
        expect=Answer("Hello", "stop", SENT, thinking="Hm"),
        losses=("RSN-4",),
    ),
    row(
        thread="earendil-works/pi#7358",
        seen="the first words of a text stand in content_block_start",
        came=stream(block(text("Hel"), {"type": "text_delta", "text": "lo"})),
        expect=HELLO,
    ),
    row(
        thread="vercel/ai#12718",
        seen="compaction_delta has null for its content",
        came=stream(
            block({"type": "compaction", "content": None}, {"type": "compaction_delta", "content": None}), TEXT
        ),
        expect=HELLO,
        losses=("CTX-1",),
    ),
    row(
        thread="BerriAI/litellm#33315",
        seen="empty deltas between those with text",
        came=stream(thinking(thought(""), thought("Hm"), thought("")), anthropic.text_block("", "Hello", "")),
        expect=Answer("Hello", "stop", SENT, thinking="Hm"),
    ),
    row(
        thread="routatic/proxy#9",
        seen="the block stands in delta instead of content_block",
        came=[START, {"type": "content_block_start", "index": 0, "delta": text("")}, *CONTENT[1:], DELTA, STOP],
        expect=Refused("SHP-2", "/1"),
    ),
    row(
        thread="sgl-project/sglang#25876",
        seen="a text_delta in a block of thinking",
        came=stream(thinking(thought("Hm"), {"type": "text_delta", "text": "Hello"})),
        expect=Refused("STR-9", "/3/delta/type"),
    ),
    row(
        thread="vllm-project/vllm#34887",
        seen="the first fragments of a call's arguments are lost",
        came=stream(anthropic.call_block("c1", "sh", "code", '":', ' "', "uptime", '"}'), stop="tool_use"),
        expect=Refused("TUL-1", "/1/content_block"),
        targets=("gemini_generate_content",),
    ),
    row(
        thread="AstrBotDevs/AstrBot#5913",
        seen="MiniMax thinks until max_tokens: no text follows",
        came=anthropic.response({"type": "thinking", "thinking": "Hm", "signature": ""}, stop="max_tokens"),
        expect=Answer("", "length", (7, 5, 0), thinking="Hm"),
    ),
)
ENDINGS = (
    row(
        thread="earendil-works/pi#3708",
        seen="[DONE] behind message_stop",
        came=[*BASE, "[DONE]"],
        expect=HELLO,
    ),
    row(
        thread="tombii/better-ccflare#307",
        seen="pings for ever behind the stop_reason, and no message_stop",
        came=[*BASE[:-1], anthropic.PING, anthropic.PING],
        expect=Refused("STR-2", "/7"),
    ),
    row(
        thread="brightwave-inc/tidebreak#1122",
        seen="overloaded in the middle of a stream reads as a finished answer",
        came=[*BASE[:3], anthropic.error("overloaded_error", "Overloaded", request_id="req_1")],
        expect=Failure("overloaded_error", "Overloaded"),
    ),
    row(
        thread="NousResearch/hermes-agent#22466",
        seen="Kimi's content is null beside end_turn",
        came={**anthropic.response(), "content": None},
        expect=Answer("", "stop", (7, 5, 0)),
    ),
)
ARGUMENTS = '{"city":"Oslo"}'
OSLO = {"city": "Oslo"}
CALL = {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "c1", "name": "sky"}}
GROWN = {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": ARGUMENTS}}
CLOSED = {"type": "content_block_stop", "index": 0}
LOOSE = (
    row(
        thread="invergent-ai/surogate#113",
        seen="a block begins while another one is open",
        came=[
            START,
            *CONTENT[:-1],
            *numbered(1, anthropic.call_block("c1", "sky", ARGUMENTS)),
            message_delta("tool_use", {"output_tokens": 7}),
            STOP,
        ],
        expect=Answer("Hello", "calls", SENT, calls=(("sky", OSLO),)),
    ),
    row(
        thread="BerriAI/litellm#28069",
        seen="content_block_start of a text has no text",
        came=stream(block({"type": "text"}, {"type": "text_delta", "text": "Hello"})),
        expect=HELLO,
    ),
    row(
        thread="ggml-org/llama.cpp#22960",
        seen="content_block_start of a call has no input",
        came=[
            START,
            CALL,
            GROWN,
            CLOSED,
            message_delta("tool_use", {"output_tokens": 7}),
            STOP,
        ],
        expect=Answer("", "calls", SENT, calls=(("sky", OSLO),)),
    ),
)
ROWS = (*USAGE, *BLOCKS, *ENDINGS, *LOOSE)
