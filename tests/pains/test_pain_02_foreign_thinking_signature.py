"""Pain 02: a signature of thinking is replayed to a provider that did not issue it, or comes back altered."""

from __future__ import annotations

import json

from .support import anthropic, assistant, chat, losses, notes, text, to_anthropic, to_chat, user

SIGNATURE = "EqQBCkYIBxgCKkBz+/8="
THINKING = {"type": "thinking", "thinking": "Two and\ttwo — so 4.\n", "signature": SIGNATURE}
SIGNED = anthropic.request(user("2+2?"), assistant([THINKING, text("Four.")]), user("Sure?"))


def test_the_text_goes_to_chat_without_the_signature() -> None:
    made = to_chat(SIGNED)
    assert made.output["messages"][1] == {
        "role": "assistant",
        "content": "Four.",
        "reasoning_content": "Two and\ttwo — so 4.\n",
    }
    assert losses(made) == []
    assert ("RSN-26", "/messages/1/content/0/signature") in notes(made)
    assert SIGNATURE not in json.dumps(made.output)


def test_signed_thinking_of_a_gateway_is_thinking() -> None:
    """LiteLLM has the blocks of Anthropic Messages in a member of their own."""
    foreign = assistant("Four.", thinking_blocks=[THINKING])
    made = to_anthropic(chat.request(user("2+2?"), foreign, user("Sure?")))
    assert made.output["messages"][1]["content"] == [THINKING, {"type": "text", "text": "Four."}]
    assert losses(made) == []
