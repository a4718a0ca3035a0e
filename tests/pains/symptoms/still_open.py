"""Symptoms that show here, too: each with the reason, and with what must hold once it is mended."""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import Any

from ..support import chat
from . import messages, responses_api
from .chat_calls import ARGUMENTS, OSLO, whole
from .chat_text import BASE, DONE, END, FIRST, HELLO, SECOND, SENT, START, USAGE, WHOLE
from .responses_api import CALLS, CREATED, TEXT, begun, streamed
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


def in_one_place(events: list[Json]) -> list[Json]:
    """Every item at the first place of the output."""
    events = deepcopy(events)
    for event in events:
        if "output_index" in event:
            event["output_index"] = 0
    return events


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
        LOOSE,
        from_chat(
            thread="InsForge/InsForge#2015",
            seen="several chunks without choices have the usage so far",
            came=[START, FIRST, SECOND, END, chat.usage_chunk(9, 3), USAGE, DONE],
            expect=HELLO,
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
    (
        LOOSE,
        from_messages(
            thread="huggingface/tau#692",
            seen="Copilot ends a stream of messages with [DONE] instead of message_stop",
            came=Sse(written([*messages.BASE[:-1], DONE], names=True)),
            expect=Answer("Hello", "stop"),
        ),
    ),
    (
        LOOSE,
        from_responses(
            thread="BerriAI/litellm#36375",
            seen="several items have one output_index; their ids tell them apart",
            came=in_one_place(streamed(TEXT, responses_api.FIRST)),
            expect=Answer("Hello", "calls", SENT, calls=CALLS[:1]),
        ),
    ),
    (
        LOOSE,
        from_responses(
            thread="can1357/oh-my-pi#1971",
            seen="llama.cpp's final arguments name neither item nor place",
            came=[
                CREATED,
                begun(responses_api.FIRST, 0),
                begun(responses_api.SECOND, 1),
                *(
                    {"type": "response.function_call_arguments.done", "arguments": one["arguments"]}
                    for one in (responses_api.FIRST, responses_api.SECOND)
                ),
                *streamed(responses_api.FIRST, responses_api.SECOND)[-1:],
            ],
            expect=Answer("", "calls", SENT, calls=CALLS),
        ),
    ),
)
