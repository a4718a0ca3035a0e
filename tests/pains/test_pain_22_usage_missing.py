"""Pain 22: an answer says 0 tokens, or nothing, and the client's display of the context breaks."""

from __future__ import annotations

from .support import (
    MINTED,
    Json,
    anthropic_answer,
    anthropic_request,
    chat_answer,
    chat_request,
    losses,
    notes,
    text,
    to_anthropic,
    to_chat,
    user,
)


def without_usage(answer: Json) -> Json:
    return {key: value for key, value in answer.items() if key != "usage"}


def test_anthropic_insists_on_usage_and_what_stands_for_none_is_told() -> None:
    made = to_anthropic(without_usage(chat_answer(content="Hi.")), "response")
    assert made.output["usage"] == {"input_tokens": 0, "output_tokens": 0}
    assert sorted(notes(made)) == [("ENV-1", "/created"), ("USE-5", "")]


def test_half_reported_usage_keeps_the_half() -> None:
    made = to_anthropic(chat_answer(content="Hi.", usage={"prompt_tokens": 7}), "response")
    assert made.output["usage"] == {"input_tokens": 7, "output_tokens": 0}
    assert ("USE-5", "/usage") in notes(made)


def test_chat_does_without_and_nothing_is_invented() -> None:
    made = to_chat(without_usage(anthropic_answer(text("Hi."))), "response")
    assert "usage" not in made.output
    assert (losses(made), notes(made)) == ([], MINTED)


def test_usage_is_whole_on_both_sides() -> None:
    made = to_chat(anthropic_answer(text("Hi."), usage={"input_tokens": 7, "output_tokens": 5}), "response")
    assert made.output["usage"] == {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
    made = to_anthropic(chat_answer(content="Hi."), "response")
    assert made.output["usage"] == {"input_tokens": 7, "output_tokens": 5}


def test_a_stream_of_anthropic_tells_its_usage_so_chat_is_asked_to() -> None:
    made = to_chat(anthropic_request(user("Hi."), stream=True))
    assert made.output["stream"] is True
    assert made.output["stream_options"] == {"include_usage": True}


def test_asking_for_usage_means_nothing_to_anthropic() -> None:
    made = to_anthropic(chat_request(user("Hi."), stream=True, stream_options={"include_usage": True}))
    assert made.output["stream"] is True
    assert "stream_options" not in made.output
    assert (losses(made), notes(made)) == ([], [("STR-13", "/stream_options/include_usage")])
