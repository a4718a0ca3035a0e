"""Pain 05: tokens read from the cache are counted twice, or not at all."""

from __future__ import annotations

from typing import Any

from .support import GENERATED, Json, anthropic, chat, losses, notes, text, to_anthropic, to_chat


def from_chat(**usage: Any) -> tuple[Json, list[tuple[str, str]]]:
    made = to_anthropic(chat.response(content="Hi.", usage=usage), "response")
    assert losses(made) == []
    found: Json = made.output["usage"]
    return found, notes(made)


def from_anthropic(**usage: Any) -> tuple[Json, list[tuple[str, str]]]:
    made = to_chat(anthropic.response(text("Hi."), usage=usage), "response")
    assert losses(made) == []
    found: Json = made.output["usage"]
    return found, notes(made)


def test_written_tokens_by_lifetime_are_counted_once() -> None:
    usage, found = from_anthropic(
        input_tokens=1,
        cache_creation_input_tokens=50,
        cache_creation={"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 30},
        output_tokens=2,
    )
    assert usage["prompt_tokens"] == 51
    assert usage["total_tokens"] == 53
    assert found == [
        ("USE-4", "/usage/cache_creation/ephemeral_5m_input_tokens"),
        ("USE-4", "/usage/cache_creation/ephemeral_1h_input_tokens"),
        *GENERATED,
    ]


def test_reported_zero_is_zero_and_unreported_is_absent() -> None:
    usage, _ = from_chat(
        prompt_tokens=3, completion_tokens=0, total_tokens=3, prompt_tokens_details={"cached_tokens": 0}
    )
    assert usage == {"input_tokens": 3, "cache_read_input_tokens": 0, "output_tokens": 0}
    usage, _ = from_anthropic(input_tokens=3, output_tokens=0)
    assert usage == {"prompt_tokens": 3, "completion_tokens": 0, "total_tokens": 3}
