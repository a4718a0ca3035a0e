"""Pain 21: a refusal or a filtered response arrives as an empty one that ended normally."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir.testing.payloads import canonical

from ..samples.sample import Json
from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    anthropic,
    calls_of,
    chat,
    endings,
    from_responses,
    losses,
    message,
    responses,
    text,
    to_anthropic,
    to_chat,
    to_responses,
)


def refused(*content: dict[str, str], **details: str | None) -> dict[str, object]:
    return anthropic.response(
        *content, stop="refusal", stop_details={"type": "refusal", **details} if details else None
    )


def test_a_refusal_comes_back_as_it_was() -> None:
    there = to_chat(refused(text("I will not.")), "response")
    back = to_anthropic(there.output, "response")
    assert (back.output["content"], back.output["stop_reason"]) == ([text("I will not.")], "refusal")
    again = to_chat(back.output, "response")
    assert message(again) == message(there)


def test_a_filtered_response_differs_from_a_refusal_or_the_loss_is_reported() -> None:
    """Its text was no refusal: where anthropic cannot express that, it is a loss, as it comes back as one."""
    there = to_anthropic(chat.response("content_filter", content="And then he"), "response")
    back = to_chat(there.output, "response")
    unchanged = message(back)["content"] == "And then he" and message(back)["refusal"] is None
    assert unchanged or losses(there) or losses(back)


DECLINED = {"type": "refusal", "refusal": "I will not."}


@pytest.mark.parametrize("status", ["completed", "failed"])
def test_a_refusal_of_responses_is_one_of_both(status: str) -> None:
    response = responses.response(responses.message(DECLINED), status=status)
    in_chat = from_responses(response, CHAT, "response")
    assert message(in_chat) == {"role": "assistant", "content": None, "refusal": "I will not."}
    in_anthropic = from_responses(response, ANTHROPIC, "response")
    assert (in_anthropic.output["content"], in_anthropic.output["stop_reason"]) == ([text("I will not.")], "refusal")
    assert losses(in_chat) == losses(in_anthropic) == []


def test_a_filtered_response_is_incomplete_and_comes_back_as_filtered() -> None:
    there = to_responses(chat.response("content_filter", content="And then he"), CHAT, "response")
    assert there.output["status"] == "incomplete"
    assert there.output["incomplete_details"] == {"reason": "content_filter"}
    back = from_responses(there.output, CHAT, "response")
    assert back.output["choices"][0]["finish_reason"] == "content_filter"
    assert losses(there) == losses(back) == []


@pytest.mark.parametrize(
    ("finish", "status", "details"),
    [("stop", "completed", None), ("content_filter", "incomplete", {"reason": "content_filter"})],
)
def test_a_refusal_of_chat_keeps_its_status_there_and_back(finish: str, status: str, details: object) -> None:
    """REF-12: only Anthropic's stop reason makes a refused response one that failed."""
    there = to_responses(chat.response(finish, refusal="I will not."), CHAT, "response")
    assert (there.output["status"], there.output["incomplete_details"]) == (status, details)
    back = from_responses(there.output, CHAT, "response")
    assert message(back)["refusal"] == "I will not."
    assert back.output["choices"][0]["finish_reason"] == finish
    assert losses(there) == losses(back) == []


def test_a_refusal_in_a_chat_stream_completes_the_response() -> None:
    chunks = [chat.chunk({"role": "assistant", "refusal": "I will not."}), chat.chunk({}, "stop"), chat.DONE]
    events = proxai_ir.convert(chunks, CHAT, RESPONSES, kind="stream")
    assert events[-1]["type"] == "response.completed"
    assert events[-1]["response"]["status"] == "completed"


@pytest.mark.parametrize(("options", "status"), [({}, "failed"), ({"refusal_status": "completed"}, "completed")])
def test_the_status_of_anthropics_refusals_is_an_option(options: dict[str, Any], status: str) -> None:
    whole = to_responses(refused(text("I will not.")), ANTHROPIC, "response", **options)
    assert whole.output["status"] == status
    events = anthropic.stream(anthropic.text_block("I will not."), stop="refusal")
    made = proxai_ir.convert(events, ANTHROPIC, RESPONSES, kind="stream", **options)
    assert (made[-1]["type"], made[-1]["response"]["status"]) == (f"response.{status}", status)


def test_an_unknown_status_of_refusals_is_the_callers_mistake() -> None:
    with pytest.raises(TypeError, match="expected one of failed, completed"):
        to_responses(refused(text("No.")), ANTHROPIC, "response", refusal_status="done")


def test_a_response_that_is_incomplete_for_an_unknown_reason_was_cut_off() -> None:
    response = responses.response(
        responses.message({"type": "output_text", "text": "And th", "annotations": []}),
        status="incomplete",
        incomplete_details={"reason": "power_saving"},
    )
    in_chat, in_anthropic = (from_responses(response, dst, "response") for dst in (CHAT, ANTHROPIC))
    assert in_chat.output["choices"][0]["finish_reason"] == "length"
    assert in_anthropic.output["stop_reason"] == "max_tokens"
    assert losses(in_chat) == losses(in_anthropic) == [("FIN-7", "/incomplete_details/reason")]


def test_a_failed_response_is_an_error() -> None:
    broken = responses.response(status="failed", error={"code": "rate_limit_exceeded", "message": "Slow down."})
    for dst in (CHAT, ANTHROPIC):
        made = proxai_ir.compile(broken, RESPONSES, dst)  # recognised as a response without `kind`
        assert made.kind == "error"
        assert made.output["error"]["type"] == "rate_limit_error"
        assert made.output["error"]["message"] == "Slow down."


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
@pytest.mark.parametrize("error", [None, {"code": "server_error", "message": "Broken."}])
@pytest.mark.parametrize("part", [responses.output_text("Once upon"), DECLINED], ids=["text", "refusal"])
def test_a_response_that_failed_for_no_known_reason_is_reported(dst: str, error: object, part: dict[str, str]) -> None:
    """STS-14: whole and in a stream; with an error it is one, and with a refusal it needs no guess."""
    failed = responses.response(responses.message(part, id="msg_1", status="completed"), status="failed", error=error)
    explained = error is not None or part is DECLINED
    whole = proxai_ir.compile(failed, RESPONSES, dst)
    streamed = proxai_ir.compile(responses.stream(failed), RESPONSES, dst)
    for made, end in ((whole, ""), (streamed, f"/{len(responses.stream(failed)) - 1}/response")):
        found = [one.path for one in made.diagnostics if one.code == "STS-14"]
        assert found == ([] if explained else [f"{end}/status"])
    if not explained:
        assert endings(streamed.output)[0] == {CHAT: "stop", ANTHROPIC: "refusal"}[dst]


def test_a_refusal_that_was_cut_off_is_one_and_reported() -> None:
    refusal = responses.message({"type": "refusal", "refusal": "No, bec"}, status="incomplete")
    response = responses.response(refusal, status="incomplete", incomplete_details={"reason": "max_output_tokens"})
    made = from_responses(response, ANTHROPIC, "response")
    assert made.output["content"] == [text("No, bec")]
    assert made.output["stop_reason"] == "refusal"
    assert losses(made) == [("STS-3", "/incomplete_details/reason")]


def test_a_refusal_as_openai_sends_it_loses_nothing() -> None:
    made = to_anthropic(chat.response(refusal="I cannot.", annotations=[]), "response", strict=True)
    assert made.output["content"] == [text("I cannot.")]
    assert made.output["stop_reason"] == "refusal"


CAN_NOT = "I can't."
REPEATED = [
    [{"content": "I can"}, {"content": "'t."}, {"refusal": CAN_NOT}],
    [{"content": CAN_NOT}, {"refusal": "I can"}, {"refusal": "'t."}],
    [{"content": "I can", "refusal": "I can"}, {"content": "'t.", "refusal": "'t."}],
]
SEPARATE = [
    ([{"content": CAN_NOT}, {"refusal": "I will"}, {"refusal": " not."}], "I will not."),
    ([{"content": CAN_NOT}, {"refusal": "I can"}, {"refusal": " not."}], "I can not."),
    ([{"content": CAN_NOT}, {"refusal": "I can"}], "I can"),
    ([{"content": CAN_NOT}, {"refusal": CAN_NOT}, {"refusal": " Never."}], "I can't. Never."),
    ([{"content": "word " * 100}] * 3 + [{"refusal": "word " * 300}], "word " * 300),
]


@pytest.mark.parametrize("dst", [ANTHROPIC, RESPONSES])
@pytest.mark.parametrize("pieces", REPEATED)
def test_a_refusal_that_repeats_the_content_of_a_stream_is_emitted_once(pieces: list[Json], dst: str) -> None:
    """REF-1: the text has been sent, and the ending makes it a refusal where there is one for it (REF-6)."""
    made = proxai_ir.compile(chat.stream(*pieces), CHAT, dst, kind="stream")
    texts_at = [at for at, piece in enumerate(pieces, 1) if "content" in piece]
    apart = texts_at if "refusal" in pieces[0] else texts_at[:1]  # pieces of a refusal divide the text
    assert losses(made) == [("REF-6", f"/{at}/choices/0/delta/content") for at in apart]
    assert "REF-11" in [one.code for one in made.diagnostics]
    deltas = [event["delta"] for event in made.output if "delta" in event]
    texts = [delta if isinstance(delta, str) else delta.get("text", "") for delta in deltas]
    assert "".join(texts) == CAN_NOT
    if dst == ANTHROPIC:
        assert deltas[-1]["stop_reason"] == "refusal"
    else:
        assert made.output[-1]["response"]["status"] == "completed"


@pytest.mark.parametrize(("deltas", "refusal"), SEPARATE)
def test_a_refusal_that_differs_from_the_content_of_a_stream_is_one(deltas: list[Json], refusal: str) -> None:
    out = proxai_ir.convert(chat.stream(*deltas), CHAT, RESPONSES, kind="stream")
    (item,) = out[-1]["response"]["output"]
    content = "".join(delta.get("content", "") for delta in deltas)
    assert item["content"] == [responses.output_text(content), {"type": "refusal", "refusal": refusal}]
    assert "".join(one["delta"] for one in out if one["type"] == "response.refusal.delta") == refusal


def test_a_repeated_refusal_comes_back_in_its_own_protocol() -> None:
    for deltas in REPEATED:
        events = chat.stream(*deltas)
        again = proxai_ir.raise_to(proxai_ir.lower(events, CHAT, kind="stream"), CHAT)
        assert canonical(again) == canonical(events)


OLDER = anthropic.call_block("toolu_1", "refusal", '{"reason": "I can', "'t help.\"}")


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_an_older_refusal_in_a_stream_is_one_there_too(dst: str) -> None:
    """REF-10: the ending shows what the call is, so that it is held until then."""
    made = proxai_ir.compile(anthropic.stream(OLDER), ANTHROPIC, dst, kind="stream")
    assert losses(made) == [("REF-10", "/5/delta")]
    if dst == CHAT:
        deltas = [choice["delta"] for event in made.output[:-1] for choice in event["choices"]]
        assert "".join(delta.get("refusal", "") for delta in deltas) == "I can't help."
        assert endings(made.output)[0] == "stop"
    else:
        (item,) = made.output[-1]["response"]["output"]
        assert item["content"] == [{"type": "refusal", "refusal": "I can't help."}]


def test_a_call_of_that_name_which_waits_for_its_result_stays_a_call() -> None:
    events = proxai_ir.convert(anthropic.stream(OLDER, stop="tool_use"), ANTHROPIC, CHAT, kind="stream")
    assert [name for _, name, _ in calls_of(CHAT, events)] == ["refusal"]
    assert endings(events)[0] == "tool_calls"


def test_a_refusal_that_is_only_the_beginning_of_a_long_content_is_one() -> None:
    """Content is compared up to 1,000 characters; of a longer one a refusal is no repetition."""
    wording = "word " * 200
    assert len(wording) == 1000
    out = proxai_ir.convert(
        chat.stream({"content": wording}, {"content": "and more"}, {"refusal": wording}), CHAT, RESPONSES, kind="stream"
    )
    (item,) = out[-1]["response"]["output"]
    assert item["content"] == [
        responses.output_text(f"{wording}and more"),
        {"type": "refusal", "refusal": wording},
    ]


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_a_text_of_responses_that_repeats_the_refusal_is_the_refusal(dst: str) -> None:
    """REF-1: the wording is never emitted twice, from whatever source."""
    refusal = {"type": "refusal", "refusal": CAN_NOT}
    for content in ([responses.output_text(CAN_NOT), refusal], [refusal, responses.output_text(CAN_NOT)]):
        made = proxai_ir.compile(responses.response(responses.message(*content)), RESPONSES, dst, kind="response")
        at = content.index(responses.output_text(CAN_NOT))
        assert ("REF-11", f"/output/0/content/{at}") in [(one.code, one.path) for one in made.diagnostics]
        if dst == CHAT:
            message = made.output["choices"][0]["message"]
            assert (message["content"], message["refusal"]) == (None, CAN_NOT)
        else:
            assert [block["text"] for block in made.output["content"]] == [CAN_NOT]
            assert made.output["stop_reason"] == "refusal"
    other = responses.message(responses.output_text("I looked."), refusal)
    kept = proxai_ir.convert(responses.response(other), RESPONSES, CHAT, kind="response")["choices"][0]["message"]
    assert (kept["content"], kept["refusal"]) == ("I looked.", CAN_NOT)
