"""The rules that refuse or leave something out, for which clients and upstreams, by hand. Data alone.

A cell is by rule only where a row is about it and the gateway's log has the rule; any other lack is wrong.
"""

from __future__ import annotations

from typing import NamedTuple

from .frameworks import FRAMEWORKS
from .official import CLIENTS
from .upstreams import UPSTREAMS


class Ruling(NamedTuple):
    """A row. `what`: as of `provider.Lack`."""

    rule: str
    what: str
    clients: tuple[str, ...]
    upstreams: tuple[str, ...]
    why: str


EVERY = tuple(one.name for one in (*CLIENTS, *FRAMEWORKS))
OF_CHAT = ("openai-chat", "agents-chat", "pydantic-chat", "langchain-chat")
UNSIGNED = (*OF_CHAT, "cohere", "ollama")
"""The clients of protocols without signatures."""
CLAUDE = ("messages", "bedrock", "vertexc", "invoke")
SIGNING = tuple(one.name for one in UPSTREAMS if one.signs)
GOOGLES = ("gemini", "vertexg")

RULINGS = (
    Ruling("SRC-3", "all", EVERY, ("cohere",), "this model of Cohere's reads no images"),
    Ruling("RSN-37", "thinking", EVERY, ("azure",), "GPT-5.4 takes no effort beside tools in Chat Completions"),
    Ruling("RSN-12", "thinking", EVERY, ("cohere",), "Cohere has budgets, and no efforts"),
    Ruling("SMP-6", "thinking", ("ollama",), ("chat", "interactions", "cohere"), "these models think by default"),
    Ruling("RSN-18", "thinking", UNSIGNED, CLAUDE, "Claude does not think on after calls without their thoughts"),
    Ruling("RSN-4", "thought", ("cohere", "ollama"), SIGNING, "their protocols have no place for signatures"),
    Ruling("RSN-4", "thought", OF_CHAT, ("responses", *CLAUDE), "Chat Completions has a place for Google's alone"),
    Ruling(
        "RSN-22",
        "thought",
        ("agents-chat", "langchain-chat"),
        GOOGLES,
        "they send no `extra_content` back, unless the model's name has `gemini` in it",
    ),
    Ruling(
        "RSN-40",
        "thought",
        ("agents-chat", "pydantic-chat", "langchain-chat"),
        ("interactions",),
        "they send no `extra_content` back",
    ),
)
