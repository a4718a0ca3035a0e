"""Pain 29: one protocol has levels of thinking, another a budget in tokens, and a converter invents a number."""

from __future__ import annotations

from typing import Any

import pytest

from .support import (
    ANTHROPIC,
    CHAT,
    Found,
    Json,
    anthropic,
    chat,
    from_responses,
    losses,
    notes,
    responses,
    to_anthropic,
    to_chat,
    user,
)


@pytest.mark.parametrize("effort", ["low", "medium", "high", "xhigh", "max"])
def test_a_level_is_the_same_level_and_no_budget(effort: str) -> None:
    made = to_anthropic(chat.request(user("?"), reasoning_effort=effort))
    assert made.output["output_config"] == {"effort": effort}
    assert made.output["thinking"] == {"type": "adaptive"}
    assert (losses(made), notes(made)) == ([], [("RSN-14", "/reasoning_effort")])
    back = to_chat(anthropic.request(user("?"), output_config={"effort": effort}))
    assert back.output["reasoning_effort"] == effort
    assert losses(back) == []


@pytest.mark.parametrize(
    ("budget", "effort"),
    [
        (1024, "low"),
        (2047, "low"),
        (2048, "medium"),
        (8191, "medium"),
        (8192, "high"),
        (32767, "high"),
        (32768, "xhigh"),
        (100000, "xhigh"),
    ],
)
def test_a_budget_is_the_nearest_level_and_always_reported(budget: int, effort: str) -> None:
    payload = anthropic.request(user("?"), thinking={"type": "enabled", "budget_tokens": budget})
    made = to_chat({**payload, "max_tokens": budget + 1})
    assert made.output["reasoning_effort"] == effort
    assert losses(made) == [("RSN-3", "/thinking/budget_tokens")]
    assert notes(made) == [("SMP-6", "/thinking/type")]


@pytest.mark.parametrize(
    ("thinking", "expected"),
    [
        ({"type": "enabled", "budget_tokens": 1024}, [("RSN-3", "/thinking/budget_tokens")]),
        ({"type": "adaptive"}, []),
        ({"type": "adaptive", "display": "summarized"}, []),
        ({"type": "adaptive", "display": "omitted"}, [("RSN-2", "/thinking/display")]),
    ],
)
def test_a_level_next_to_a_budget_wins(thinking: dict[str, Any], expected: Found) -> None:
    made = to_chat(anthropic.request(user("?"), thinking=thinking, output_config={"effort": "high"}))
    assert made.output["reasoning_effort"] == "high"
    assert losses(made) == expected


def test_thinking_without_an_amount_sets_no_effort() -> None:
    made = to_chat(anthropic.request(user("?"), thinking={"type": "adaptive"}))
    assert "reasoning_effort" not in made.output
    assert (losses(made), notes(made)) == ([], [("SMP-6", "/thinking/type")])


@pytest.mark.parametrize("effort", ["none", "minimal"])
def test_what_is_not_thought_is_not_shown(effort: str) -> None:
    made = from_responses(responses.request(user("?"), reasoning={"effort": effort, "summary": "auto"}), ANTHROPIC)
    assert made.output["thinking"] == {"type": "disabled"}
    assert ("SMP-6", "/reasoning/summary") in notes(made)


def test_a_summary_that_is_lost_is_one_finding() -> None:
    """It also means that there is thinking, which is the target's default."""
    made = from_responses(responses.request(user("?"), reasoning={"summary": "concise"}), CHAT)
    found = [(one.severity, one.code) for one in made.diagnostics if one.path == "/reasoning/summary"]
    assert found == [("loss", "RSN-2")]


@pytest.mark.parametrize("choice", ["required", {"type": "function", "name": "f"}])
def test_adaptive_thinking_goes_with_a_forced_call(choice: str | Json) -> None:
    """Anthropic refuses a forced call beside a thinking budget only."""
    tool = {"type": "function", "name": "f", "strict": False, "parameters": {"type": "object", "properties": {}}}
    asked = {"reasoning": {"effort": "medium", "summary": "auto"}, "tools": [tool]}
    made = from_responses(responses.request(user("?"), tool_choice=choice, **asked), ANTHROPIC)
    assert made.output["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert made.output["output_config"] == {"effort": "medium"}
    assert losses(made) == []
    free = from_responses(responses.request(user("?"), tool_choice="auto", **asked), ANTHROPIC)
    assert free.output["thinking"] == {"type": "adaptive", "display": "summarized"}


def test_the_least_effort_disables_thinking_where_a_call_is_forced_too() -> None:
    tool = {"type": "function", "name": "f", "strict": False, "parameters": {"type": "object", "properties": {}}}
    asked = {"reasoning": {"effort": "minimal", "summary": "auto"}, "tools": [tool], "tool_choice": "required"}
    made = from_responses(responses.request(user("?"), **asked), ANTHROPIC)
    assert made.output["thinking"] == {"type": "disabled"}
    assert "output_config" not in made.output
    assert losses(made) == [("RSN-7", "/reasoning/effort")]
