"""Pain 27: thinking, text and calls change places, and anthropic refuses what comes back."""

from __future__ import annotations

from .support import (
    ANTHROPIC,
    Json,
    again,
    anthropic,
    assistant,
    chat,
    losses,
    message,
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


def test_from_its_own_protocol_every_block_keeps_its_place() -> None:
    assert again(in_order(*MIXED), ANTHROPIC) == in_order(*MIXED)
    answer = anthropic.response(*MIXED, stop="tool_use")
    assert again(answer, ANTHROPIC, "response")["content"] == MIXED


def test_chat_says_each_sort_apart_and_the_interleaving_is_a_named_loss() -> None:
    made = to_chat(in_order(*MIXED))
    assert made.output["messages"][1] == {
        "role": "assistant",
        "content": [text("A"), text("B")],
        "reasoning_content": "One.Two.",
        "tool_calls": [chat.call("look", "{}", "a"), chat.call("look", "{}", "b")],
    }
    assert sorted(losses(made)) == [
        ("PLC-4", "/messages/1/content/3"),
        ("PLC-4", "/messages/1/content/4"),
        ("RSN-4", "/messages/1/content/0/signature"),
        ("RSN-4", "/messages/1/content/3/signature"),
    ]


def test_text_behind_a_call_is_kept_and_its_place_is_a_named_loss() -> None:
    made = to_chat(in_order(text("A"), anthropic.tool_use("look"), text("B")))
    assert made.output["messages"][1] == assistant([text("A"), text("B")], tool_calls=[chat.call("look")])
    assert losses(made) == [("PLC-4", "/messages/1/content/2")]
    answer = to_chat(anthropic.response(anthropic.tool_use("look"), text("B"), stop="tool_use"), "response")
    assert (message(answer)["content"], message(answer)["tool_calls"]) == ("B", [chat.call("look")])
    assert losses(answer) == [("PLC-4", "/content/1")]


def test_the_order_that_chat_can_say_costs_nothing() -> None:
    made = to_chat(in_order(text("A"), text("B"), anthropic.tool_use("look")))
    assert losses(made) == []


def test_from_chat_text_comes_before_calls() -> None:
    turn = assistant("A", tool_calls=[chat.call("look")])
    made = to_anthropic(chat.request(user("Go."), turn, chat.result("ok"), tools=[chat.tool("look")]))
    assert made.output["messages"][1] == assistant([text("A"), anthropic.tool_use("look")])
    answer = {"reasoning_content": "One.", "content": "A", "tool_calls": [chat.call("look")]}
    from_answer = to_anthropic(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1700000000,
            "model": "gpt",
            "choices": [{"index": 0, "message": {"role": "assistant", **answer}, "finish_reason": "tool_calls"}],
        },
        "response",
    )
    sorts = [block["type"] for block in from_answer.output["content"]]
    assert sorts == ["thinking", "text", "tool_use"]


def test_parts_of_the_user_keep_their_order_both_ways() -> None:
    picture = {"type": "image", "source": {"type": "url", "url": "https://a.example/p.png"}}
    chat_picture = {"type": "image_url", "image_url": {"url": "https://a.example/p.png"}}
    there = to_chat(anthropic.request(user([text("Before."), picture, text("After.")])))
    assert there.output["messages"] == [user([text("Before."), chat_picture, text("After.")])]
    assert to_anthropic(there.output).output["messages"] == [user([text("Before."), picture, text("After.")])]
