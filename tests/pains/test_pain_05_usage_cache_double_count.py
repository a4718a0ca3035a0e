"""Pain 05: tokens read from the cache are counted twice, or not at all."""

from __future__ import annotations

from typing import Any

from .support import ENVELOPE, GENERATED, Json, anthropic, chat, losses, notes, text, to_anthropic, to_chat


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


def test_cached_tokens_leave_the_prompt_on_the_way_to_anthropic() -> None:
    usage, told = from_chat(
        prompt_tokens=100, completion_tokens=20, total_tokens=120, prompt_tokens_details={"cached_tokens": 75}
    )
    assert usage == {"input_tokens": 25, "cache_read_input_tokens": 75, "output_tokens": 20}
    assert told == ENVELOPE


def test_cached_and_written_tokens_join_the_prompt_on_the_way_to_chat() -> None:
    usage, told = from_anthropic(
        input_tokens=25, cache_read_input_tokens=75, cache_creation_input_tokens=10, output_tokens=20
    )
    assert usage == {
        "prompt_tokens": 110,
        "completion_tokens": 20,
        "total_tokens": 130,
        "prompt_tokens_details": {"cached_tokens": 75, "cache_write_tokens": 10},
    }
    assert told == GENERATED


def test_written_tokens_by_lifetime_are_counted_once() -> None:
    usage, told = from_anthropic(
        input_tokens=1,
        cache_creation_input_tokens=50,
        cache_creation={"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 30},
        output_tokens=2,
    )
    assert usage["prompt_tokens"] == 51
    assert usage["total_tokens"] == 53
    assert told == [
        ("USE-4", "/usage/cache_creation/ephemeral_5m_input_tokens"),
        ("USE-4", "/usage/cache_creation/ephemeral_1h_input_tokens"),
        *GENERATED,
    ]


def test_more_cached_than_prompted_is_clamped_and_told() -> None:
    usage, told = from_chat(
        prompt_tokens=100, completion_tokens=1, total_tokens=101, prompt_tokens_details={"cached_tokens": 120}
    )
    assert usage == {"input_tokens": 0, "cache_read_input_tokens": 120, "output_tokens": 1}
    assert ("USE-2", "/usage/prompt_tokens") in told


def test_thinking_is_part_of_the_output_in_both_protocols() -> None:
    usage, _ = from_chat(
        prompt_tokens=1, completion_tokens=50, total_tokens=51, completion_tokens_details={"reasoning_tokens": 30}
    )
    assert usage == {"input_tokens": 1, "output_tokens": 50, "output_tokens_details": {"thinking_tokens": 30}}
    usage, _ = from_anthropic(input_tokens=1, output_tokens=50, output_tokens_details={"thinking_tokens": 30})
    assert usage == {
        "prompt_tokens": 1,
        "completion_tokens": 50,
        "total_tokens": 51,
        "completion_tokens_details": {"reasoning_tokens": 30},
    }


def test_reported_zero_is_zero_and_unreported_is_absent() -> None:
    usage, _ = from_chat(
        prompt_tokens=3, completion_tokens=0, total_tokens=3, prompt_tokens_details={"cached_tokens": 0}
    )
    assert usage == {"input_tokens": 3, "cache_read_input_tokens": 0, "output_tokens": 0}
    usage, _ = from_anthropic(input_tokens=3, output_tokens=0)
    assert usage == {"prompt_tokens": 3, "completion_tokens": 0, "total_tokens": 3}
