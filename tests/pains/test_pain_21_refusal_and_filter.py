"""Pain 21: a refusal or a filtered answer arrives as one that ended well and says nothing."""

from __future__ import annotations

import pytest

import proxai_ir

from .support import (
    ANTHROPIC,
    CHAT,
    GENERATED,
    RESPONSES,
    anthropic,
    assistant,
    chat,
    from_responses,
    losses,
    message,
    notes,
    responses,
    text,
    to_anthropic,
    to_chat,
    to_responses,
    user,
)


def refused(*content: dict[str, str], **details: str | None) -> dict[str, object]:
    return anthropic.response(
        *content, stop="refusal", stop_details={"type": "refusal", **details} if details else None
    )


def test_the_wording_of_anthropic_is_the_refusal_of_chat() -> None:
    made = to_chat(refused(text("I will not "), text("do that.")), "response")
    assert message(made) == {"role": "assistant", "content": None, "refusal": "I will not do that."}
    assert made.output["choices"][0]["finish_reason"] == "stop"
    assert (losses(made), notes(made)) == ([], [*GENERATED, ("PLC-8", "/content/1")])


def test_without_wording_the_explanation_is_the_refusal() -> None:
    made = to_chat(refused(explanation="It is against the rules.", category="cyber"), "response")
    assert message(made) == {"role": "assistant", "content": None, "refusal": "It is against the rules."}
    assert made.output["choices"][0]["finish_reason"] == "stop"
    assert losses(made) == [("REF-5", "/stop_details/category")]


def test_wording_and_explanation_are_not_both_said() -> None:
    made = to_chat(refused(text("No."), explanation="It is against the rules."), "response")
    assert message(made)["refusal"] == "No."
    assert losses(made) == [("REF-5", "/stop_details/explanation")]


def test_a_refusal_with_nothing_to_show_is_a_filtered_answer() -> None:
    made = to_chat(refused(), "response")
    assert message(made) == {"role": "assistant", "content": None, "refusal": None}
    assert made.output["choices"][0]["finish_reason"] == "content_filter"


@pytest.mark.parametrize("finish", ["stop", "content_filter"])
def test_a_refusal_of_chat_is_a_refusal_of_anthropic(finish: str) -> None:
    """An explicit refusal outranks the word for the ending."""
    made = to_anthropic(chat.response(finish, refusal="I will not."), "response")
    assert made.output["content"] == [text("I will not.")]
    assert made.output["stop_reason"] == "refusal"
    assert made.output["stop_details"] == {"type": "refusal", "category": None, "explanation": "I will not."}
    assert losses(made) == []


def test_text_and_refusal_travel_once_each_and_their_border_is_a_named_loss() -> None:
    made = to_anthropic(chat.response(content="First, ", refusal="no more."), "response")
    assert made.output["content"] == [text("First, "), text("no more.")]
    assert made.output["stop_reason"] == "refusal"
    assert losses(made) == [("REF-7", "/choices/0/message/refusal")]


def test_a_refusal_comes_back_as_it_was() -> None:
    there = to_chat(refused(text("I will not.")), "response")
    back = to_anthropic(there.output, "response")
    assert (back.output["content"], back.output["stop_reason"]) == ([text("I will not.")], "refusal")
    again = to_chat(back.output, "response")
    assert message(again) == message(there)


def test_a_filtered_answer_is_not_one_that_ended_well() -> None:
    made = to_anthropic(chat.response("content_filter", content="And then he"), "response")
    assert made.output["stop_reason"] == "refusal"
    assert made.output["content"] == [text("And then he")]


def test_a_filtered_answer_is_told_from_a_refusal_or_the_loss_is_named() -> None:
    """Its text was no refusal: where anthropic cannot say so, that is a loss, as it comes back as one."""
    there = to_anthropic(chat.response("content_filter", content="And then he"), "response")
    back = to_chat(there.output, "response")
    unchanged = message(back)["content"] == "And then he" and message(back)["refusal"] is None
    assert unchanged or losses(there) or losses(back)


def test_an_older_refusal_is_a_call_of_that_name() -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "refusal", "input": {"refusal": "I cannot."}}
    made = to_chat(anthropic.response(call), "response")
    assert message(made) == {"role": "assistant", "content": None, "refusal": "I cannot."}
    assert made.output["choices"][0]["finish_reason"] == "stop"


def test_a_refusal_in_the_history_is_replayed_as_the_text_it_was() -> None:
    turn = assistant(None, refusal="I will not.")
    made = to_anthropic(chat.request(user("Do it."), turn, user("Why?")))
    assert made.output["messages"][1] == assistant([text("I will not.")])
    assert losses(made) == [("REF-7", "/messages/1/refusal")]


DECLINED = {"type": "refusal", "refusal": "I will not."}


@pytest.mark.parametrize("status", ["completed", "failed"])
def test_a_refusal_of_responses_is_one_of_both(status: str) -> None:
    answer = responses.response(responses.message(DECLINED), status=status)
    in_chat = from_responses(answer, CHAT, "response")
    assert message(in_chat) == {"role": "assistant", "content": None, "refusal": "I will not."}
    in_anthropic = from_responses(answer, ANTHROPIC, "response")
    assert (in_anthropic.output["content"], in_anthropic.output["stop_reason"]) == ([text("I will not.")], "refusal")
    assert losses(in_chat) == losses(in_anthropic) == []


def test_a_refusal_of_both_is_a_failed_answer_of_responses() -> None:
    for made in (
        to_responses(refused(text("I will not.")), ANTHROPIC, "response"),
        to_responses(chat.response(refusal="I will not."), CHAT, "response"),
    ):
        assert made.output["status"] == "failed"
        assert made.output["output"][0]["content"] == [DECLINED]
        assert losses(made) == []


def test_text_and_refusal_are_told_apart_by_responses_and_chat() -> None:
    answer = responses.response(responses.message(responses.output_text("First, "), DECLINED))
    there = from_responses(answer, CHAT, "response")
    assert message(there) == {"role": "assistant", "content": "First, ", "refusal": "I will not."}
    back = to_responses(there.output, CHAT, "response")
    assert back.output["output"][0]["content"] == [responses.output_text("First, "), DECLINED]


def test_a_filtered_answer_is_incomplete_and_comes_back_as_filtered() -> None:
    there = to_responses(chat.response("content_filter", content="And then he"), CHAT, "response")
    assert there.output["status"] == "incomplete"
    assert there.output["incomplete_details"] == {"reason": "content_filter"}
    back = from_responses(there.output, CHAT, "response")
    assert back.output["choices"][0]["finish_reason"] == "content_filter"
    assert losses(there) == losses(back) == []


def test_a_failed_answer_is_an_error_and_not_one_that_ended_well() -> None:
    broken = responses.response(status="failed", error={"code": "rate_limit_exceeded", "message": "Slow down."})
    for dst in (CHAT, ANTHROPIC):
        made = proxai_ir.compile(broken, RESPONSES, dst)  # and no guess is needed to see that it is an answer
        assert made.kind == "error"
        assert made.output["error"]["type"] == "rate_limit_error"
        assert made.output["error"]["message"] == "Slow down."


def test_a_refusal_that_was_cut_off_is_told_as_text_by_name() -> None:
    refusal = responses.message({"type": "refusal", "refusal": "No, bec"}, status="incomplete")
    answer = responses.response(refusal, status="incomplete", incomplete_details={"reason": "max_output_tokens"})
    made = from_responses(answer, ANTHROPIC, "response")
    assert made.output["content"] == [text("No, bec")]
    assert made.output["stop_reason"] == "max_tokens"
    assert losses(made) == [("REF-7", "/output/0/content/0")]


def test_a_refusal_as_openai_sends_it_loses_nothing() -> None:
    made = to_anthropic(chat.response(refusal="I cannot.", annotations=[]), "response", strict=True)
    assert made.output["content"] == [text("I cannot.")]
    assert made.output["stop_reason"] == "refusal"
