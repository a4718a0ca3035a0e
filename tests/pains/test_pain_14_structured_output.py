"""Pain 14: the schema of the output is dropped on the way, and the answer comes back as prose."""

from __future__ import annotations

from typing import Any

from .support import anthropic_request, chat_request, losses, notes, to_anthropic, to_chat, user

CLOSED = {
    "type": "object",
    "properties": {"n": {"type": "integer", "minimum": 0}},
    "required": ["n"],
    "additionalProperties": False,
}
OPEN = {"type": "object", "properties": {"n": {"type": "integer"}}}


def chat_format(**schema: Any) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": schema}


def test_a_schema_goes_to_anthropic() -> None:
    wanted = chat_format(name="count", description="How many.", schema=CLOSED, strict=True)
    made = to_anthropic(chat_request(user("Count."), response_format=wanted))
    assert made.output["output_config"] == {"format": {"type": "json_schema", "schema": CLOSED}}
    assert "response_format" not in made.output
    assert sorted(losses(made)) == [
        ("OUT-4", "/response_format/json_schema/description"),
        ("OUT-4", "/response_format/json_schema/name"),
    ]
    assert notes(made) == [("SMP-6", "/response_format/json_schema/strict")]


def test_a_schema_goes_to_chat_with_a_minted_name() -> None:
    """Anthropic always enforces its schema, so chat is asked to do so too."""
    made = to_chat(
        anthropic_request(user("Count."), output_config={"format": {"type": "json_schema", "schema": CLOSED}})
    )
    assert made.output["response_format"] == chat_format(name="response", schema=CLOSED, strict=True)
    assert (losses(made), notes(made)) == ([], [("OUT-2", "/output_config/format")])


def test_an_open_schema_cannot_be_enforced_by_chat() -> None:
    made = to_chat(anthropic_request(user("Count."), output_config={"format": {"type": "json_schema", "schema": OPEN}}))
    assert made.output["response_format"] == chat_format(name="response", schema=OPEN)
    assert losses(made) == [("SCH-1", "/output_config/format/schema")]


def test_the_older_place_of_the_schema_is_read_as_well() -> None:
    made = to_chat(anthropic_request(user("Count."), output_format={"type": "json_schema", "schema": CLOSED}))
    assert made.output["response_format"] == chat_format(name="response", schema=CLOSED, strict=True)


def test_effort_and_format_share_a_place_without_harm() -> None:
    wanted = chat_format(name="count", schema=CLOSED)
    made = to_anthropic(chat_request(user("Count."), response_format=wanted, reasoning_effort="low"))
    assert made.output["output_config"] == {"effort": "low", "format": {"type": "json_schema", "schema": CLOSED}}


def test_json_without_a_schema_is_a_named_loss() -> None:
    made = to_anthropic(chat_request(user("Count."), response_format={"type": "json_object"}))
    assert "output_config" not in made.output
    assert losses(made) == [("OUT-3", "/response_format")]


def test_plain_text_is_what_happens_anyway() -> None:
    made = to_anthropic(chat_request(user("Count."), response_format={"type": "text"}))
    assert (losses(made), notes(made)) == ([], [("SMP-6", "/response_format")])
