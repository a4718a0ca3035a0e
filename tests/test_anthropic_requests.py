"""What servers of Anthropic Messages accept in requests, and what becomes of the rest (CAP-3)."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir

CHAT, RESPONSES, MESSAGES = "openai_chat_completions", "openai_responses", "anthropic_messages"
USER = {"role": "user", "content": "Hi"}


def converted(payload: dict[str, Any], src: str = CHAT, **options: Any) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The request for Anthropic Messages, without its model and limit, and what is reported, by rule and path."""
    done = proxai_ir.compile({"model": "m", **payload}, src, MESSAGES, max_tokens=9, **options)
    assert done.output.pop("model") == "m"
    assert done.output.pop("max_tokens") == 9
    return done.output, sorted((one.code, one.path) for one in done.diagnostics if one.code != "SMP-1")


# --- sampling ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "sent", "found"),
    [
        ({"temperature": 1}, {"temperature": 1}, []),
        ({"top_p": 1.0}, {"top_p": 1.0}, []),
        ({"temperature": 1, "top_p": 1}, {"temperature": 1}, [("SMP-6", "/top_p")]),
        ({"temperature": 1, "top_p": 0.5}, {"top_p": 0.5}, [("SMP-6", "/temperature")]),
        ({"temperature": 0, "top_p": 1}, {"temperature": 0}, [("SMP-6", "/top_p")]),
        ({"temperature": 0, "top_p": 0.5}, {"temperature": 0}, [("SMP-8", "/top_p")]),
        ({"temperature": 2, "top_p": 0.5}, {"top_p": 0.5}, [("SMP-2", "/temperature")]),
        ({"temperature": 0, "top_p": 0.5, "top_k": 3}, {"temperature": 0, "top_k": 3}, [("SMP-8", "/top_p")]),
    ],
)
def test_temperature_and_top_p(given: dict[str, Any], sent: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert converted({"messages": [USER], **given}) == ({"messages": [USER], **sent}, found)


def test_a_server_that_accepts_temperature_and_top_p() -> None:
    both = {"temperature": 1, "top_p": 0.5}
    assert converted({"messages": [USER], **both}, temperature_with_top_p=True) == ({"messages": [USER], **both}, [])


def test_defaults_are_no_loss_where_there_is_no_sampling() -> None:
    assert converted({"messages": [USER], "temperature": 1.0, "top_p": 1}, version="2026-10-21") == (
        {"messages": [USER]},
        [("SMP-6", "/temperature"), ("SMP-6", "/top_p")],
    )


# --- threads ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_only_a_thread_that_continues_refers_to_something(dst: str) -> None:
    request = {"model": "m", "max_tokens": 64, "messages": [USER]}
    (found,) = proxai_ir.check({**request, "thread": {"type": "create"}}, MESSAGES, dst)
    assert (found.code, found.path) == ("SVC-2", "/thread")
    for thread in ({"type": "continue", "previous_message_id": "msg_1"}, {"type": "new"}, "create"):
        with pytest.raises(proxai_ir.Unrepresentable) as refused:
            proxai_ir.convert({**request, "thread": thread}, MESSAGES, dst)
        assert [one.code for one in refused.value.diagnostics] == ["R2A-3"]
