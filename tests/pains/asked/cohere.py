"""Requests to Cohere's chat, which refuses members that it does not know and texts that are empty."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..support import anthropic, chat
from .row import ABSENT, ANTHROPIC, CHAT, COHERE, Asked, Refused

Json = Any
HI = chat.user("Hi")
F, G = chat.tool("f"), chat.tool("g")
CALLED = chat.assistant("", tool_calls=[chat.call("f")])


def to_cohere(*messages: Json, gets: Json, settings: Json = None, **more: Any) -> Asked:
    """A request of a client of Chat Completions."""
    sent = {**chat.request(*messages), **(settings or {}), "model": "command-a-03-2025"}
    return Asked(src=CHAT, sent=sent, gets={COHERE: gets}, **more)


from_messages = partial(Asked, src=ANTHROPIC)
ROWS: tuple[Asked, ...] = (
    from_messages(
        thread="langchain-ai/langchain-cohere#160",
        seen="the word any is no choice of Cohere's, and the request is refused",
        sent=anthropic.request(
            HI, tools=[{"name": "f", "input_schema": {"type": "object"}}], tool_choice={"type": "any"}
        ),
        gets={COHERE: {"/tool_choice": "REQUIRED"}},
    ),
    to_cohere(
        HI,
        settings={"tools": [F], "tool_choice": "auto"},
        thread="Toloka/tolokaforge#738",
        seen="the word auto is refused: Cohere has none for its default",
        gets={"/tool_choice": ABSENT, "/tools/#": 1},
        rules=("SMP-6",),
    ),
    to_cohere(
        HI,
        settings={"tools": [F, G], "tool_choice": {"type": "function", "function": {"name": "f"}}},
        thread="maximhq/bifrost#55",
        seen="a choice of one tool is sent as the word FUNCTION, which Cohere does not have",
        gets={"/tool_choice": "REQUIRED", "/tools/#": 1, "/tools/0/function/name": "f"},
        losses=("TUL-12",),
    ),
    to_cohere(
        HI,
        CALLED,
        chat.result("5"),
        settings={"tools": [F]},
        thread="langchain-ai/langchain-cohere#15",
        seen="an answer of calls alone has an empty text: all elements in history must have a message",
        gets={"/messages/1/content": ABSENT, "/messages/1/tool_calls/#": 1, "/messages/2/content": "5"},
        rules=("PLC-10",),
    ),
    to_cohere(
        HI,
        CALLED,
        chat.result("5"),
        chat.assistant("It is 5."),
        chat.user("Twice?"),
        thread="microsoft/autogen#3270",
        seen="a later request without tools is refused for the calls in its history",
        gets={"/messages/#": 5, "/messages/2/tool_call_id": "call_1", "/messages/4/content": "Twice?"},
    ),
    to_cohere(
        HI,
        CALLED,
        chat.result("5"),
        chat.user("Now explain."),
        settings={"tools": [F]},
        thread="cohere-ai/cohere-python#525",
        seen="a user's words directly after a result are refused, or left out",
        gets={"/messages/#": 4, "/messages/3": chat.user("Now explain.")},
    ),
    to_cohere(
        chat.user(""),
        thread="yym68686/uni-api#6",
        seen="a message must be at least 1 token long",
        gets=Refused("PLC-11", "/messages/0"),
        rules=("PLC-11",),
    ),
    to_cohere(
        HI,
        settings={"top_p": 0.5, "stop": ["x"], "n": 1, "max_completion_tokens": 7},
        thread="BerriAI/litellm#9832",
        seen="settings go under OpenAI's names",
        gets={"/p": 0.5, "/stop_sequences": ["x"], "/max_tokens": 7, "/top_p": ABSENT, "/stop": ABSENT, "/n": ABSENT},
    ),
)
