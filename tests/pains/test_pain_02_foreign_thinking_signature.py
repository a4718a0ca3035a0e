"""Pain 02: a signature of thinking is replayed to somebody who did not make it, or comes back altered."""

from __future__ import annotations

import json

from .support import ANTHROPIC, again, anthropic, assistant, chat, losses, text, to_anthropic, to_chat, user

SIGNATURE = "EqQBCkYIBxgCKkBz+/8="
THINKING = {"type": "thinking", "thinking": "Two and\ttwo — so 4.\n", "signature": SIGNATURE}
SIGNED = anthropic.request(user("2+2?"), assistant([THINKING, text("Four.")]), user("Sure?"))


def test_the_text_goes_to_chat_and_the_signature_stays_behind() -> None:
    made = to_chat(SIGNED)
    assert made.output["messages"][1] == {
        "role": "assistant",
        "content": "Four.",
        "reasoning_content": "Two and\ttwo — so 4.\n",
    }
    assert losses(made) == [("RSN-4", "/messages/1/content/0/signature")]
    assert SIGNATURE not in json.dumps(made.output)


def test_redacted_thinking_is_nothing_to_chat() -> None:
    made = to_chat(
        anthropic.request(user("?"), assistant([{"type": "redacted_thinking", "data": "Zm9v"}, text("!")]), user("?"))
    )
    assert made.output["messages"][1] == {"role": "assistant", "content": "!"}
    assert losses(made) == [("RSN-4", "/messages/1/content/0")]


def test_from_its_own_protocol_text_and_signature_come_back_to_the_byte() -> None:
    assert again(SIGNED, ANTHROPIC) == SIGNED


def test_reasoning_of_another_vendor_is_not_replayed_to_anthropic() -> None:
    made = to_anthropic(chat.request(user("2+2?"), assistant("Four.", reasoning_content="So 4."), user("Sure?")))
    assert made.output["messages"][1] == {"role": "assistant", "content": "Four."}
    assert losses(made) == [("RSN-5", "/messages/1/reasoning_content")]


def test_a_signature_that_chat_never_had_does_not_become_one() -> None:
    """A router's own member beside the message is unknown, whatever it holds."""
    foreign = assistant("Four.", thinking_blocks=[THINKING])
    made = to_anthropic(chat.request(user("2+2?"), foreign, user("Sure?")))
    assert made.output["messages"][1] == {"role": "assistant", "content": "Four."}
    assert losses(made) == [("UNK-1", "/messages/1/thinking_blocks")]


def test_an_answer_of_another_vendor_is_thinking_without_a_signature() -> None:
    made = to_anthropic(chat.response(content="Four.", reasoning_content="So 4."), "response")
    assert made.output["content"] == [{"type": "thinking", "thinking": "So 4.", "signature": ""}, text("Four.")]
    assert losses(made) == []
