"""Symptoms that show here, too: each with the reason, and with what must hold once it is mended."""

from __future__ import annotations

from functools import partial
from typing import Any

from .chat_calls import ARGUMENTS, OSLO, whole
from .chat_text import BASE, WHOLE
from .symptom import ANTHROPIC, CHAT, RESPONSES, Answer, Sse, Symptom
from .transport import written

Json = Any
from_chat = partial(Symptom, src=CHAT)
from_messages = partial(Symptom, src=ANTHROPIC)
from_responses = partial(Symptom, src=RESPONSES)

FINISH = "a word for no finish_reason ends the stream"
ARGUED = "arguments that have one reading are refused, and a turn that was paid for is lost (TUL-1)"
SHAPE = "clients read it, this library refuses the whole answer for its shape"
LOOSE = "events that clients put together by what is there are refused (STR-9, SHP-2)"
SEVERE = "content is lost as if it were bookkeeping, or bookkeeping is a loss"
WORDS = "the provider's own text or word for the error is not understood"

TOOL = {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "c1", "name": "sky"}}
GROWN = {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": ARGUMENTS}}
CLOSED = {"type": "content_block_stop", "index": 0}
PROGRESS = {"tool": "web_search", "label": "x", "toolCallId": "call_1", "status": "running"}


OPEN: tuple[tuple[str, Symptom], ...] = (
    (
        ARGUED,
        from_chat(
            thread="AIDotNet/OpenDeepWiki#392",
            seen="the arguments of a tool without parameters are the word null",
            came=whole("null"),
            expect=Answer("", "calls", WHOLE, calls=(("sky", {}),)),
            rules=("TUL-44",),
        ),
    ),
    (
        ARGUED,
        from_chat(
            thread="vllm-project/vllm#54964",
            seen="the arguments are JSON text of JSON text",
            came=whole('"{\\"city\\":\\"Oslo\\"}"'),
            expect=Answer("", "calls", WHOLE, calls=(("sky", OSLO),)),
        ),
    ),
    (
        SHAPE,
        from_chat(
            thread="anomalyco/opencode#38106",
            seen="an event with a name of the server's own stands among the chunks",
            came=Sse(written(BASE[:2]) + b"event: hermes.tool.progress\n" + written([PROGRESS]) + written(BASE[2:])),
            expect=Answer("Hello", "stop"),
            losses=("UNK-1",),
        ),
    ),
)
