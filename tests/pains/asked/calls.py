"""Calls of the history whose arguments are not what they should be, and turns around calls."""

from __future__ import annotations

from functools import partial
from typing import Any

from proxai_ir import profiles

from ..support import anthropic, chat, text
from .results import HI, ran
from .row import ABSENT, ANTHROPIC, CHAT, GEMINI, RESPONSES, Asked

Json = Any
from_chat, from_messages = partial(Asked, src=CHAT), partial(Asked, src=ANTHROPIC)

ROWS: tuple[Asked, ...] = (
    from_messages(
        thread="bigduu/Bamboo-agent#351",
        seen="a call without arguments is stored with an empty text as its input, and the session is dead",
        sent=anthropic.request(
            HI,
            anthropic.assistant([{**anthropic.tool_use("f"), "input": ""}]),
            anthropic.user([anthropic.tool_result("ok")]),
        ),
        gets={
            CHAT: {"/messages/1/tool_calls/0/function/arguments": "{}", "/messages/2": chat.result("ok")},
            RESPONSES: {"/input/1/arguments": "{}"},
            GEMINI: {"/contents/1/parts/0/functionCall/args": {}},
        },
    ),
    from_messages(
        thread="prism-php/prism#659",
        seen="a failed call is stored with an array as its input: should be a valid dictionary",
        sent=anthropic.request(
            HI,
            anthropic.assistant([{**anthropic.tool_use("f"), "input": []}]),
            anthropic.user([anthropic.tool_result("gone"), text("?")]),
        ),
        gets={CHAT: {"/messages/#": 2, "/messages/1": chat.user("?")}, GEMINI: {"/contents/#": 2}},
        hides=("gone",),
        losses=("TUL-30",),
    ),
    from_messages(
        thread="lijunzh/koda#501",
        seen="the input of a stored call is null",
        sent=anthropic.request(
            HI,
            anthropic.assistant([{**anthropic.tool_use("f"), "input": None}]),
            anthropic.user([anthropic.tool_result("ok")]),
        ),
        gets={CHAT: {"/messages/1/tool_calls/0": chat.call("f")}, GEMINI: {"/contents/1/parts/#": 1}},
    ),
    from_chat(
        thread="CopilotKit/CopilotKit#3300",
        seen="the arguments of a stored call are an empty JSON string, and every turn fails",
        sent=chat.request(HI, chat.assistant(tool_calls=[chat.call("f", '""')]), chat.result("gone"), chat.user("?")),
        gets={ANTHROPIC: {"/messages/#": 2}, GEMINI: {"/contents/#": 2}},
        hides=("gone",),
        losses=("TUL-30",),
    ),
    from_chat(
        thread="MoonshotAI/kimi-cli#1764",
        seen="a call without parameters is stored without arguments",
        sent=chat.request(
            HI,
            chat.assistant(tool_calls=[{"id": "call_1", "type": "function", "function": {"name": "f"}}]),
            chat.result("ok"),
        ),
        gets={
            ANTHROPIC: {"/messages/1/content/0/input": {}},
            RESPONSES: {"/input/1/arguments": "{}"},
            GEMINI: {"/contents/1/parts/0/functionCall/args": {}},
        },
    ),
    from_chat(
        thread="sigoden/aichat#1217",
        seen="empty arguments are no JSON",
        sent=chat.request(HI, chat.assistant(tool_calls=[chat.call("f", "")]), chat.result("ok")),
        gets={ANTHROPIC: {"/messages/1/content/0/input": {}}, RESPONSES: {"/input/1/arguments": "{}"}},
    ),
    from_chat(
        thread="langchain-ai/langchainjs#5385",
        seen="a call whose message has no text breaks the history",
        sent=chat.request(HI, {"role": "assistant", "tool_calls": [chat.call("f")]}, chat.result("ok")),
        gets={ANTHROPIC: {"/messages/1/content": [anthropic.tool_use("f")]}, GEMINI: {"/contents/1/parts/#": 1}},
    ),
    from_messages(
        thread="avante-corp/avante.nvim#2695",
        seen="Mistral: Unexpected role 'user' after role 'tool'",
        sent=ran("ok", text("go on")),
        gets={CHAT: {"/messages/2/role": "tool", "/messages/3/role": "assistant", "/messages/4/content": "go on"}},
        rules=("PLC-70",),
        server=profiles.MISTRAL,
    ),
    from_chat(
        thread="nguyenphutrong/quotio#366",
        seen="a summary is asked for without tools, but the history has calls",
        sent=chat.request(HI, chat.assistant(tool_calls=[chat.call("f")]), chat.result("ok"), chat.user("Summarize.")),
        gets={ANTHROPIC: {"/tools": ABSENT, "/messages/1/content": [anthropic.tool_use("f")]}},
    ),
)
