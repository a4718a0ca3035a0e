"""Pain 09: a server wants its reasoning back with the tool call that it led to, and the converter dropped it."""

from __future__ import annotations

import pytest

from .support import CHAT, again, anthropic, assistant, chat, losses, to_anthropic, to_chat, user


def test_reasoning_stays_with_the_call_on_the_way_to_chat() -> None:
    thinking = {"type": "thinking", "thinking": "I must look.", "signature": "c2ln"}
    made = to_chat(
        anthropic.request(
            user("Look."),
            assistant([thinking, anthropic.tool_use("look")]),
            user([anthropic.tool_result("one")]),
            tools=[anthropic.tool("look")],
        )
    )
    assert made.output["messages"][1] == {
        "role": "assistant",
        "content": None,
        "reasoning_content": "I must look.",
        "tool_calls": [chat.call("look")],
    }


@pytest.mark.parametrize("member", ["reasoning_content", "reasoning"])
def test_it_is_replayed_under_the_name_that_the_server_uses(member: str) -> None:
    turn = assistant(None, tool_calls=[chat.call("look")], **{member: "I must look."})
    payload = chat.request(user("Look."), turn, chat.result("one"), tools=[chat.tool("look")])
    assert again(payload, CHAT) == payload


@pytest.mark.parametrize("member", ["reasoning_content", "reasoning"])
def test_anthropic_gets_the_call_and_a_word_about_the_reasoning(member: str) -> None:
    turn = assistant(None, tool_calls=[chat.call("look")], **{member: "I must look."})
    made = to_anthropic(chat.request(user("Look."), turn, chat.result("one"), tools=[chat.tool("look")]))
    assert made.output["messages"][1] == assistant([anthropic.tool_use("look")])
    assert losses(made) == [("RSN-5", f"/messages/1/{member}")]
