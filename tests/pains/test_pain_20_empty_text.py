"""Pain 20: an empty text, or one of white space, is passed on to a target that refuses it."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir

from ..samples.gemini_generate_content import building as gemini
from .support import (
    ANTHROPIC,
    CHAT,
    READINGS,
    RESPONSES,
    Json,
    anthropic,
    assistant,
    chat,
    losses,
    notes,
    refusals,
    responses,
    text,
    to_anthropic,
    to_chat,
    user,
)

GEMINI = "gemini_generate_content"


def test_a_call_needs_no_empty_text_with_it() -> None:
    turn = assistant("", tool_calls=[chat.call("look")])
    made = to_anthropic(chat.request(user("Look."), turn, chat.result("one"), tools=[chat.tool("look")]))
    assert made.output["messages"][1] == assistant([anthropic.tool_use("look")])
    assert (losses(made), notes(made)) == ([], [("PLC-10", "/messages/1/content")])
    response = to_anthropic(chat.response("tool_calls", content="", tool_calls=[chat.call("look")]), "response")
    assert response.output["content"] == [anthropic.tool_use("look")]


def test_an_empty_result_is_a_result() -> None:
    turn = assistant(None, tool_calls=[chat.call("look")])
    made = to_anthropic(chat.request(user("Look."), turn, chat.result(""), tools=[chat.tool("look")]))
    assert made.output["messages"][2] == user([{"type": "tool_result", "tool_use_id": "call_1"}])
    back = to_chat(made.output)
    assert back.output["messages"][2] == chat.result("")


def test_an_empty_response_is_refused_unless_an_option_allows_it() -> None:
    response = chat.response(content="")
    assert refusals(response, CHAT, "response") == [("CHO-3", "/choices/0")]
    assert to_anthropic(response, "response", allow_empty=True).output["content"] == []


def test_white_space_around_text_is_kept() -> None:
    made = to_anthropic(chat.request(user("  indented\n")))
    assert made.output["messages"] == [user("  indented\n")]


def test_an_empty_refusal_is_no_text() -> None:
    refused = assistant([text("I cannot."), {"type": "refusal", "refusal": ""}])
    made = to_anthropic(chat.request(user("Do."), refused, user("Why?")))
    assert made.output["messages"][1] == assistant("I cannot.")
    assert ("PLC-10", "/messages/1/content/1") in notes(made)
    blank = assistant([text("I cannot."), {"type": "refusal", "refusal": " \n"}])
    made = to_anthropic(chat.request(user("Do."), blank, user("Why?")))
    assert made.output["messages"][1] == assistant("I cannot.")
    assert ("PLC-9", "/messages/1/content/1") in losses(made)


PIECES = ("Alpha.", "\n\n", "Beta.")


SOURCES: dict[str, tuple[Json, Any]] = {
    ANTHROPIC: (anthropic.response(*map(text, PIECES)), anthropic.stream(*map(anthropic.text_block, PIECES))),
    CHAT: (chat.response(content="".join(PIECES)), chat.stream(*({"content": piece} for piece in PIECES))),
    RESPONSES: (
        responses.response(responses.message(*map(responses.output_text, PIECES))),
        responses.stream(
            responses.response(responses.message(*map(responses.output_text, PIECES))),
            lambda piece: [piece],
        ),
    ),
    GEMINI: (gemini.response(*PIECES), gemini.stream(*map(gemini.chunk, PIECES))),
}
"""A response whose middle is only white space, and the same streamed."""


@pytest.mark.parametrize("dst", SOURCES)
@pytest.mark.parametrize("src", SOURCES)
def test_white_space_is_text_in_responses(src: str, dst: str) -> None:
    whole, events = SOURCES[src]
    for payload, kind in ((whole, "response"), (events, "stream")):
        made = proxai_ir.compile(payload, src, dst, kind=kind)  # type: ignore[call-overload]
        output = made.output if kind == "response" else READINGS[dst].whole(made.output)
        assert READINGS[dst].summary(output)["text"] == "Alpha.\n\nBeta."
        assert "PLC-9" not in [one.code for one in made.diagnostics]


@pytest.mark.parametrize("dst", SOURCES)
@pytest.mark.parametrize(
    ("src", "whole", "events"),
    [
        (ANTHROPIC, anthropic.response(text("\n")), anthropic.stream(anthropic.text_block("\n"))),
        (CHAT, chat.response(content="\n"), chat.stream({"content": "\n"})),
        (GEMINI, gemini.response("\n"), gemini.stream(gemini.chunk("\n"))),
    ],
)
def test_a_response_of_only_white_space_is_not_empty(src: str, whole: Json, events: Any, dst: str) -> None:
    """CHO-3 is about responses without content."""
    made = proxai_ir.convert(whole, src, dst, kind="response")
    streamed = READINGS[dst].whole(proxai_ir.convert(events, src, dst, kind="stream"))
    assert [READINGS[dst].summary(one)["text"] for one in (made, streamed)] == ["\n", "\n"]


def test_white_space_is_sent_as_it_comes() -> None:
    """Nothing is held back until other text follows."""
    converter = proxai_ir.StreamConverter(CHAT, ANTHROPIC)
    out = [made for event in chat.stream({"content": "\n"})[:2] for made in converter.feed(event)]
    assert out[-1]["delta"] == {"type": "text_delta", "text": "\n"}


def test_in_a_history_white_space_is_still_dropped() -> None:
    """PLC-9: servers of these protocols refuse it in requests."""
    made = to_anthropic(chat.request(user("Do."), assistant(" \n"), user("Why?")))
    assert made.output["messages"] == [user("Do."), user("Why?")]
    assert losses(made) == [("PLC-9", "/messages/1/content")]


BEDROCK = "bedrock_converse"
BETWEEN = [
    {"type": "thinking", "thinking": "Look.", "signature": "c2lnMQ=="},
    {"type": "text", "text": ""},
    {"type": "redacted_thinking", "data": "c2lnMg=="},
    {"type": "text", "text": ""},
    {"type": "thinking", "thinking": "Outside.", "signature": "c2lnMw=="},
    anthropic.tool_use("look"),
]


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("provider", [ANTHROPIC, BEDROCK])
@pytest.mark.parametrize("client", [ANTHROPIC, BEDROCK])
def test_an_empty_text_between_thinking_comes_back_to_its_place(client: str, provider: str, streamed: bool) -> None:
    """vercel/ai#14071: without it the server takes the thinking for modified, in every further request (PLC-26)."""
    asked = anthropic.request(user("Look."), tools=[anthropic.tool("look")])
    response = anthropic.response(*BETWEEN, stop="tool_use")
    if streamed:
        events: Any = anthropic.stream(*map(_events, BETWEEN), stop="tool_use")
        sent = list(proxai_ir.convert_stream(proxai_ir.convert_stream(events, ANTHROPIC, provider), provider, client))
        converter = proxai_ir.StreamConverter(client, ANTHROPIC, keep_response=True)
        for event in sent:
            converter.feed(event)
        converter.close()
        got: Any = converter.response
    else:
        made = proxai_ir.convert(proxai_ir.convert(response, ANTHROPIC, provider, kind="response"), provider, client)
        got = proxai_ir.convert(made, client, ANTHROPIC, kind="response", model="m")
    assert got["content"] == BETWEEN
    turns = [*asked["messages"], assistant(got["content"]), user([anthropic.tool_result("one")])]
    mine = proxai_ir.convert({**asked, "messages": turns}, ANTHROPIC, client, kind="request")
    for_provider = proxai_ir.convert(mine, client, provider, kind="request", model="m")
    back = proxai_ir.convert(for_provider, provider, ANTHROPIC, kind="request", model="m")
    assert back["messages"][1] == assistant(BETWEEN)


def _events(block: Json) -> Any:
    if block["type"] == "thinking":
        return anthropic.thinking_block(block["thinking"], signature=block["signature"])
    if block["type"] == "tool_use":
        return anthropic.call_block(block["id"], block["name"], "{}")
    return anthropic.block(block)
