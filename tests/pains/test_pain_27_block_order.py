"""Pain 27: thinking, text and calls change places, and anthropic refuses what comes back."""

from __future__ import annotations

from .support import (
    Json,
    anthropic,
    assistant,
    chat,
    losses,
    text,
    to_anthropic,
    to_chat,
    user,
)


def thinking(words: str) -> Json:
    return {"type": "thinking", "thinking": words, "signature": "c2ln"}


def in_order(*blocks: Json) -> Json:
    results = [anthropic.tool_result("ok", block["id"]) for block in blocks if block["type"] == "tool_use"]
    return anthropic.request(
        user("Go."), assistant(list(blocks)), user(results or "And?"), tools=[anthropic.tool("look")]
    )


MIXED = [
    thinking("One."),
    text("A"),
    anthropic.tool_use("look", {}, "a"),
    thinking("Two."),
    text("B"),
    anthropic.tool_use("look", {}, "b"),
]


def test_chat_separates_the_kinds_and_reports_the_lost_interleaving() -> None:
    made = to_chat(in_order(*MIXED))
    assert made.output["messages"][1] == {
        "role": "assistant",
        "content": [text("A"), text("B")],
        "reasoning_content": "One.\n\nTwo.",
        "tool_calls": [chat.call("look", "{}", "a"), chat.call("look", "{}", "b")],
    }
    assert sorted(losses(made)) == [
        ("PLC-4", "/messages/1/content/3"),
        ("PLC-4", "/messages/1/content/4"),
    ]


def test_parts_of_the_user_keep_their_order_both_ways() -> None:
    picture = {"type": "image", "source": {"type": "url", "url": "https://a.example/p.png"}}
    chat_picture = {"type": "image_url", "image_url": {"url": "https://a.example/p.png"}}
    there = to_chat(anthropic.request(user([text("Before."), picture, text("After.")])))
    assert there.output["messages"] == [user([text("Before."), chat_picture, text("After.")])]
    assert to_anthropic(there.output).output["messages"] == [user([text("Before."), picture, text("After.")])]
