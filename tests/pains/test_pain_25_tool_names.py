"""Pain 25: a tool name is too long, or of letters that the target refuses. None is changed in secret: TUL-8."""

from __future__ import annotations

import pytest

from .support import ANTHROPIC, CHAT, anthropic, assistant, chat, losses, refusals, to_anthropic, to_chat, user

LONG = "mcp__a_server_with_a_long_name__" + "x" * 48  # 80 letters: anthropic takes 128, chat 64


def test_a_name_that_fits_is_not_touched() -> None:
    name = "mcp__git-hub__search_issues"
    assert to_chat(anthropic.request(user("?"), tools=[anthropic.tool(name)])).output["tools"] == [chat.tool(name)]
    assert to_anthropic(chat.request(user("?"), tools=[chat.tool(name)])).output["tools"] == [anthropic.tool(name)]


def test_too_long_for_chat() -> None:
    assert refusals(anthropic.request(user("?"), tools=[anthropic.tool(LONG)]), ANTHROPIC) == [
        ("TUL-8", "/tools/0/name")
    ]


def test_too_long_for_chat_in_the_history() -> None:
    replayed = anthropic.request(user("?"), assistant([anthropic.tool_use(LONG)]), user([anthropic.tool_result("one")]))
    assert refusals(replayed, ANTHROPIC) == [("TUL-8", "/messages/1/content/0/name")]


def test_a_long_name_of_chat_is_no_trouble_to_anthropic() -> None:
    made = to_anthropic(chat.request(user("?"), tools=[chat.tool(LONG)]))
    assert made.output["tools"] == [anthropic.tool(LONG)]
    assert losses(made) == []


@pytest.mark.parametrize("name", ["fs.read", "fs/read", "lese_ü", "two words", "", "x" * 129])
def test_odd_names_are_refused_by_anthropic(name: str) -> None:
    assert refusals(chat.request(user("?"), tools=[chat.tool(name)]), CHAT) == [("TUL-8", "/tools/0/function/name")]


@pytest.mark.parametrize("name", ["fs.read", "two words", "x" * 201])
def test_odd_names_are_refused_by_anthropic_in_the_history_too(name: str) -> None:
    """The definition may be gone from the request while its calls are still in the history."""
    replayed = chat.request(user("?"), assistant(tool_calls=[chat.call(name)]), chat.result("one"))
    assert refusals(replayed, CHAT) == [("TUL-8", "/messages/1/tool_calls/0/function/name")]
