"""Pain 31: what stands for the whole conversation before it vanishes, and the model answers out of nothing."""

from __future__ import annotations

import pytest

from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Json,
    again,
    anthropic,
    assistant,
    from_responses,
    losses,
    notes,
    refusals,
    responses,
    text,
    to_chat,
    to_responses,
    user,
)

SEALED: Json = {"type": "compaction", "id": "cmp_1", "encrypted_content": "eA=="}
SUMMARY: Json = {"type": "compaction", "content": "They talked of tides."}
TOLD = "Summary of the conversation so far:\n\nThey talked of tides."


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_what_only_the_provider_can_read_refuses_the_request(dst: str) -> None:
    given = responses.request(SEALED, user("Go on."))
    assert refusals(given, RESPONSES, dst=dst) == [("R2A-3", "/input/0")]
    assert again(given, RESPONSES) == given


def test_in_a_response_it_is_a_loss() -> None:
    made = from_responses(responses.response(SEALED, responses.message(responses.output_text("Hi"))), CHAT, "response")
    assert ("CTX-1", "/output/0") in losses(made)


def test_a_readable_summary_is_text_of_the_user() -> None:
    given = anthropic.request(user("Go on."), assistant([SUMMARY, text("Well.")]), user("And?"))
    made = to_chat(given)
    assert made.output["messages"] == [user(TOLD), assistant("Well."), user("And?")]
    assert notes(made) == [("PLC-63", "/messages/0"), ("CTX-2", "/messages/1/content/0/type")]
    assert losses(made) == []
    items = to_responses(given, ANTHROPIC).output["input"]
    assert [(item["role"], item["content"]) for item in items[:2]] == [("user", TOLD), ("assistant", "Well.")]


def test_what_belongs_to_it_comes_back_and_is_lost_elsewhere() -> None:
    sealed = {**SUMMARY, "encrypted_content": "eA==", "cache_control": {"type": "ephemeral"}}
    given = anthropic.request(user("Go on."), assistant([sealed]), user("And?"))
    assert again(given, ANTHROPIC) == given
    assert ("CTX-1", "/messages/1/content/0/encrypted_content") in losses(to_chat(given))


def test_a_failed_one_is_dropped() -> None:
    given = anthropic.request(user("Go on."), assistant([{**SUMMARY, "content": None}, text("Well.")]), user("And?"))
    assert losses(to_chat(given)) == [("CTX-1", "/messages/1/content/0")]
    assert again(given, ANTHROPIC) == given


def test_the_summary_of_a_response_is_not_shown_as_its_text() -> None:
    made = to_chat(anthropic.response(SUMMARY, text("Well.")), "response")
    assert made.output["choices"][0]["message"]["content"] == "Well."
