"""Streams that fail: the same error ever after, the client gets one error event, nothing given out before is lost."""

from __future__ import annotations

import pytest

import proxai_ir
from proxai_ir import StreamConverter, StreamError, TranslationError, Unrepresentable
from proxai_ir.testing.streams import fed

from ..samples import PROTOCOLS, READINGS, others
from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Events

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"
HELLO = anthropic.stream(anthropic.text_block("Hel", "lo"))
GREETING = chat.stream({"content": "Hel"}, {"content": "lo"})
LATER = {"code": "server_error", "message": "Later."}
SECOND_CHOICE = {**chat.chunk({"content": "Ho"}), "choices": [{"index": 1, "delta": {"content": "Ho"}}]}

BROKEN: dict[str, tuple[str, str, Events]] = {
    "an illegal event": (ANTHROPIC, CHAT, [*HELLO[:3], HELLO[0]]),
    "a malformed event": (ANTHROPIC, CHAT, [*HELLO[:3], 5]),
    "what the target cannot represent": (CHAT, ANTHROPIC, [*GREETING[:2], SECOND_CHOICE]),
    "broken arguments": (
        CHAT,
        ANTHROPIC,
        chat.stream(chat.calls(chat.fragment(0, "{", "call_1", "sky")), finish="tool_calls", usage=False),
    ),
    "the same protocol": (CHAT, CHAT, [*GREETING[:4], 5]),
}


def broken(name: str) -> tuple[StreamConverter, TranslationError]:
    src, dst, events = BROKEN[name]
    converter = StreamConverter(src, dst)
    for event in events[:-1]:
        converter.feed(event)
    with pytest.raises(TranslationError) as caught:
        converter.feed(events[-1])
    return converter, caught.value


@pytest.mark.parametrize("name", BROKEN)
def test_a_stream_that_failed_stays_failed(name: str) -> None:
    """Whatever comes then: it is the same error again, and no ending is made up."""
    converter, error = broken(name)
    for event in [*(HELLO if BROKEN[name][0] == ANTHROPIC else GREETING), chat.DONE]:
        with pytest.raises(type(error)) as caught:
            converter.feed(event)
        assert (caught.value.rule, caught.value.path) == (error.rule, error.path)
    with pytest.raises(type(error)):
        converter.close()


@pytest.mark.parametrize("name", BROKEN)
def test_the_client_gets_one_error_event(name: str) -> None:
    converter, _ = broken(name)
    reading = READINGS[BROKEN[name][1]]
    ending = converter.close(error_event=True)
    *before, last = reading.outcomes(ending)
    assert last == "error"
    assert not {"error", "end"}.intersection(before)
    assert converter.close(error_event=True) == []


def test_what_the_failing_event_held_before_the_error_is_not_lost() -> None:
    """Text and, in the same chunk, a second choice."""
    event = chat.chunk({"content": "Hi"})
    event["choices"] += SECOND_CHOICE["choices"]
    converter = StreamConverter(CHAT, ANTHROPIC)
    with pytest.raises(Unrepresentable):
        converter.feed(event)
    ending = converter.close(error_event=True)
    assert [made["type"] for made in ending] == ["message_start", "content_block_start", "content_block_delta", "error"]


def test_the_error_shows_whether_the_stream_was_cut_off() -> None:
    cut = StreamConverter(ANTHROPIC, CHAT)
    cut.feed(HELLO[0])
    (ending,) = cut.close(error_event=True)
    assert ending == chat.error("server_error", "The stream was cut off before the response was complete.")
    converter, _ = broken("an illegal event")
    (ending,) = converter.close(error_event=True)
    assert "cut off" not in ending["error"]["message"]
    assert "Unexpected event at this point of the stream" in ending["error"]["message"]
    assert "STR-9" in ending["error"]["message"]


def test_a_stream_that_was_cut_off_is_known_to_the_caller_too() -> None:
    converter = StreamConverter(ANTHROPIC, CHAT)
    converter.feed(HELLO[0])
    assert converter.error is None
    for _ in range(2):
        converter.close(error_event=True)
    assert converter.error is not None
    assert converter.error.rule == "STR-2"
    assert [one.code for one in converter.diagnostics if one.severity == "error"] == ["STR-2"]


def test_after_the_end_of_the_target_nothing_is_added() -> None:
    """An illegal event after message_stop: the client has its whole response already."""
    converter = StreamConverter(ANTHROPIC, CHAT)
    for event in HELLO:
        converter.feed(event)
    with pytest.raises(StreamError):
        converter.feed(HELLO[2])
    assert converter.close(error_event=True) == []


def test_an_error_of_the_source_is_an_end() -> None:
    converter = StreamConverter(ANTHROPIC, CHAT)
    converter.feed(HELLO[0])
    (made,) = converter.feed(anthropic.error("overloaded_error", "Overloaded"))
    assert made["error"]["message"] == "Overloaded"
    assert converter.close() == []
    with pytest.raises(StreamError) as caught:
        converter.feed(HELLO[1])
    assert (caught.value.rule, caught.value.path) == ("STR-9", "/2")


def test_a_check_reports_what_was_found_before_a_refusal_too() -> None:
    events = [chat.chunk({"role": "assistant", "content": "Hi"}) | {"x-extra": 1}]
    found = proxai_ir.check(events, CHAT, ANTHROPIC, kind="stream")
    assert [(one.code, one.path) for one in found][-2:] == [("UNK-6", "/0/x-extra"), ("STR-2", "/0")]


def test_a_failed_stream_of_responses_ends_with_the_response_that_failed() -> None:
    """STR-2: many clients read only that. It holds what there was of the response."""
    begun = [
        chat.chunk({"role": "assistant", "content": "Hi"}),
        chat.chunk(chat.calls(chat.fragment(0, '{"da', "call_1", "sky"))),
    ]
    done = fed([*begun, chat.error("server_error", "Broken.")], CHAT, RESPONSES)
    error, failed = done.out[-2:]
    assert (error["type"], error["code"], error["message"]) == ("error", "server_error", "Broken.")
    assert (failed["type"], failed["sequence_number"]) == ("response.failed", error["sequence_number"] + 1)
    response = failed["response"]
    assert (response["status"], response["id"]) == ("failed", done.out[0]["response"]["id"])
    assert response["error"] == {"code": "server_error", "message": "Broken."}
    assert [item["type"] for item in response["output"]] == ["message", "function_call"]
    assert response["output"][0]["content"] == [responses.output_text("Hi")]
    assert (response["output"][1]["arguments"], response["output"][1]["status"]) == ('{"da', "incomplete")
    assert "usage" not in response
    again = fed(done.out, RESPONSES, ANTHROPIC)
    assert (again.error, again.found("loss")) == (None, [])
    assert [made for made in again.out if made["type"] == "error"] == [anthropic.error("api_error", "Broken.")]


def test_a_failed_stream_of_responses_has_the_usage_that_is_known() -> None:
    events = [*anthropic.stream(anthropic.text_block("Hi"))[:3]]
    done = fed([*events, anthropic.error("overloaded_error", "Later.")], ANTHROPIC, RESPONSES)
    response = done.out[-1]["response"]
    assert (response["usage"]["input_tokens"], response["usage"]["output_tokens"]) == (9, 1)
    assert response["output"][0]["content"][0]["text"] == "Hi"


def test_a_stream_of_responses_that_was_cut_off_has_failed() -> None:
    converter = StreamConverter(ANTHROPIC, RESPONSES)
    for event in HELLO[:3]:
        converter.feed(event)
    error, failed = converter.close(error_event=True)
    assert (error["type"], failed["type"]) == ("error", "response.failed")
    assert failed["response"]["error"]["message"] == error["message"]


def test_a_relayed_stream_is_not_refused_for_its_order() -> None:
    """Another response within it is in the stream that the client gets, as the server sent it."""
    other = [chat.chunk({"role": "assistant", "content": one}, id="chatcmpl-2") for one in "!?"]
    events = [*GREETING[:4], *other, *GREETING[4:]]
    done = fed(events, CHAT, CHAT)
    assert (done.error, done.out) == (None, events)
    assert done.found() == [("STR-18", "/4/id")]
    cut = fed([HELLO[0], HELLO[0], *HELLO[1:-1]], ANTHROPIC, ANTHROPIC)
    assert (cut.rule(), cut.found()) == ("STR-2", [("STR-18", "/1")])


def test_a_relayed_stream_that_was_cut_off_ends_as_its_clients_expect() -> None:
    events = responses.stream(responses.response(responses.message(responses.output_text("Hi there"))))
    converter = StreamConverter(RESPONSES, RESPONSES)
    for event in events[:4]:
        assert converter.feed(event) == [event]
    error, failed = converter.close(error_event=True)
    assert (error["type"], failed["type"]) == ("error", "response.failed")
    assert failed["response"]["id"] == events[0]["response"]["id"]


@pytest.mark.parametrize(
    "failure",
    [
        [{"error": {"message": "Later.", "code": "server_error"}}],
        [
            {"type": "response.failed", "response": responses.response(status="failed", error=LATER)},
            {"type": "error", "sequence_number": 3, "param": None, **LATER},
        ],
    ],
    ids=["without a type", "the error after the response"],
)
def test_errors_of_responses_in_other_forms_are_one_error(failure: Events) -> None:
    done = fed([responses.created(), *failure], RESPONSES, ANTHROPIC)
    assert (done.error, done.out[-1]) == (None, anthropic.error("api_error", "Later."))
    assert len(done.out) == 2
    assert fed([responses.created(), *failure], RESPONSES, RESPONSES).error is None


def test_a_stop_after_an_error_is_no_second_end() -> None:
    events = [HELLO[0], anthropic.error("overloaded_error", "Later."), anthropic.MESSAGE_STOP]
    done = fed(events, ANTHROPIC, CHAT)
    assert (done.error, len(done.out)) == (None, 2)
    again = proxai_ir.raise_to(proxai_ir.lower(events, ANTHROPIC, kind="stream"), ANTHROPIC)
    assert again[1:] == events[1:]


def test_an_error_before_anything_else() -> None:
    done = fed([chat.error("server_error"), chat.DONE], CHAT, ANTHROPIC)
    assert done.error is None
    assert done.out == [anthropic.error("api_error")]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("failure", [{"type": "error", "error": {"status": 500}}, {"type": "error", "error": "No."}])
def test_an_error_of_unknown_shape(protocol: str, failure: dict[str, object]) -> None:
    for dst in others(protocol):
        done = fed([failure], protocol, dst)
        assert done.error is None
        assert READINGS[dst].outcomes(done.out)[-1] == "error"


@pytest.mark.parametrize("target", ["openai_chat_completions", "openai_responses"])
def test_a_stream_that_is_ended_after_its_error_loses_nothing_by_that(target: str) -> None:
    """Some servers send the event that ends every stream, whatever came before."""
    start, *_ = anthropic.stream(anthropic.text_block("Hi"))
    failed = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    made = proxai_ir.compile([start, failed, {"type": "message_stop"}], "anthropic_messages", target, kind="stream")
    assert [one for one in made.diagnostics if one.path.startswith("/2")] == []
