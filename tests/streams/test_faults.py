"""Streams with an event that may not stand where it does: their own protocol gets them unchanged, no other does.

STR-18 against STR-9 and STR-5, over streams that are whole but for the fault.
"""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import StreamError, TranslationError
from proxai_ir.ir import json_form as ir_json
from proxai_ir.ir.stream.aggregate import fold
from proxai_ir.ir.stream.events import Stream, Unread
from proxai_ir.testing.payloads import canonical
from proxai_ir.testing.streams import fed, lowered

from ..cases import each
from ..samples import others
from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Events, Json

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"
Fault = tuple[Events, int]

# --- Chat Completions -------------------------------------------------------------------------------------------------

ROLE, WORD, ENDED = chat.chunk({"role": "assistant"}), chat.chunk({"content": "Hi"}), chat.chunk({}, "stop")
USAGE = chat.usage_chunk()
CALL = chat.chunk(chat.calls(chat.fragment(0, "{}", "call_1", "sky")))
CUT_CALL = chat.chunk(chat.calls(chat.fragment(0, '{"a":', "call_1", "sky")))
OTHER_CALL = chat.chunk(chat.calls({"index": 0, "function": {"name": "now", "arguments": "1}"}}))
ORPHAN = chat.chunk(chat.calls(chat.fragment(0, "{}")))
SCORES: Json = {"content": [{"token": "!", "logprob": -1.0, "bytes": None, "top_logprobs": []}], "refusal": None}
SCORED = chat.chunk({})
SCORED["choices"][0]["logprobs"] = SCORES

IN_CHAT: dict[str, Fault] = {
    "a second response": ([ROLE, WORD, chat.chunk({"role": "assistant"}, id="chatcmpl-2"), ENDED, chat.DONE], 2),
    "more of a call that has not begun": ([ROLE, ORPHAN, ENDED, chat.DONE], 1),
    "more of a legacy call that has not begun": (
        [ROLE, chat.chunk({"function_call": {"arguments": "{}"}}), ENDED, chat.DONE],
        1,
    ),
    "more of a call that is over": ([ROLE, CALL, WORD, ORPHAN, ENDED, chat.DONE], 3),
    "another name of a call": ([ROLE, CUT_CALL, OTHER_CALL, chat.chunk({}, "tool_calls"), chat.DONE], 2),
    "another role": ([chat.chunk({"role": "user", "content": "Hi"}), WORD, ENDED, chat.DONE], 0),
    "another role at the end": ([ROLE, WORD, chat.chunk({"role": "user"}, "stop")], 2),
    "usage after the end": ([ROLE, WORD, ENDED, chat.DONE, USAGE], 4),
    "log probabilities after the finish reason": ([ROLE, WORD, ENDED, SCORED, chat.DONE], 3),
    "content after the end": ([ROLE, WORD, ENDED, chat.DONE, WORD], 4),
}

# --- Anthropic Messages -----------------------------------------------------------------------------------------------

START, OPENED, DELTA, CLOSED, ENDING, STOP = anthropic.stream(anthropic.text_block("Hi"))
MORE = anthropic.numbered(1, anthropic.text_block("!"))
UNFIT = {**DELTA, "delta": {"type": "input_json_delta", "partial_json": "{}"}}
SEARCH = anthropic.numbered(0, anthropic.call_block("s", "web_search", '{"query":"moon"}', kind="server_tool_use"))
SEARCH[0]["content_block"]["input"] = {"query": "tide"}

IN_MESSAGES: dict[str, Fault] = {
    "a second start": ([START, START, OPENED, DELTA, CLOSED, ENDING, STOP], 1),
    "a second start within a block": ([START, OPENED, START, DELTA, CLOSED, ENDING, STOP], 2),
    "no start": ([OPENED, DELTA, CLOSED, ENDING, STOP], 0),
    "a block that starts twice": ([START, OPENED, OPENED, DELTA, CLOSED, ENDING, STOP], 2),
    "a block that starts again": ([START, OPENED, DELTA, CLOSED, OPENED, DELTA, CLOSED, ENDING, STOP], 4),
    "a delta without a block": ([START, DELTA, ENDING, STOP], 1),
    "a delta after its block": ([START, OPENED, CLOSED, DELTA, ENDING, STOP], 3),
    "a delta of another type": ([START, OPENED, UNFIT, DELTA, CLOSED, ENDING, STOP], 2),
    "a stop without a block": ([START, CLOSED, OPENED, DELTA, CLOSED, ENDING, STOP], 1),
    "a block that stops twice": ([START, OPENED, DELTA, CLOSED, CLOSED, ENDING, STOP], 4),
    "a call that does not stop": ([START, SEARCH[0], ENDING, STOP], 2),
    "a search with two queries": ([START, *SEARCH, ENDING, STOP], 3),
    "a second stop reason": ([START, OPENED, DELTA, CLOSED, ENDING, ENDING, STOP], 5),
    "a block after the stop reason": ([START, OPENED, DELTA, CLOSED, ENDING, *MORE, STOP], 5),
    "a block after the end": ([START, OPENED, DELTA, CLOSED, ENDING, STOP, *MORE], 6),
    "a block after an error": ([START, anthropic.error("overloaded_error"), *MORE], 2),
}

# --- Responses --------------------------------------------------------------------------------------------------------

WHOLE = responses.message(responses.output_text("Hi"), id="msg_1", status="completed")
TALK = responses.stream(responses.response(WHOLE))
CREATED, IN_PROGRESS, ADDED, PART, *TEXT, PART_DONE, ITEM_DONE, COMPLETED = TALK


def without(*gone: Json) -> Events:
    return [event for event in TALK if event not in gone]


def twice(event: Json) -> Fault:
    """A stream in which an event is repeated at once."""
    position = TALK.index(event)
    return [*TALK[: position + 1], event, *TALK[position + 1 :]], position + 1


IN_RESPONSES: dict[str, Fault] = {
    "a second start": twice(CREATED),
    "no start": (without(CREATED, IN_PROGRESS), 1),
    "an item that is added twice": twice(ADDED),
    "a part that is added twice": twice(PART),
    "a part that is done twice": twice(PART_DONE),
    "an item that is done twice": twice(ITEM_DONE),
    "a delta for another item": ([*TALK[:4], {**TEXT[0], "output_index": 7}, *TALK[4:]], 4),
    "another text at the end of a part": (
        [{**event, "text": "Ha"} if event["type"] == "response.output_text.done" else event for event in TALK],
        TALK.index(PART_DONE) - 1,
    ),
    "a delta after the end": ([*TALK, TEXT[0]], len(TALK)),
    "a second end": twice(COMPLETED),
}

FAULTS = [
    pytest.param(protocol, *fault, id=f"{protocol}: {name}")
    for protocol, faults in ((CHAT, IN_CHAT), (ANTHROPIC, IN_MESSAGES), (RESPONSES, IN_RESPONSES))
    for name, fault in faults.items()
]
each_fault = each(("protocol", "events", "position"), FAULTS)


@each_fault
def test_its_own_protocol_gets_it_unchanged(protocol: str, events: Events, position: int) -> None:
    """One finding, at the event; strict mode does not mind."""
    for options in ({}, {"strict": True}):
        done = fed(events, protocol, protocol, **options)
        assert (done.error, done.out) == (None, events)
        ((rule, place),) = done.found()
        assert (rule, done.diagnostics[0].severity) == ("STR-18", "info")
        assert place.split("/")[1] == str(position)
    assert proxai_ir.convert(events, protocol, protocol, kind="stream") == events


@each_fault
def test_it_comes_back_from_the_ir(protocol: str, events: Events, position: int) -> None:
    stream = lowered(events, protocol)
    unread = [any(type(one) is Unread for one in step) for step in stream.steps]
    assert unread == [number >= position for number in range(len(events))]
    again = ir_json.loads(ir_json.dumps(stream, source=True))
    assert again == stream
    for tree in (stream, again):
        assert canonical(proxai_ir.raise_to(tree, protocol)) == canonical(events)
    with pytest.raises(ValueError, match="out of its place"):
        fold([one for step in stream.steps for one in step])


@each_fault
def test_no_other_protocol_gets_it(protocol: str, events: Events, position: int) -> None:
    stream = lowered(events, protocol)
    for dst in others(protocol):
        with pytest.raises(TranslationError) as caught:
            proxai_ir.convert(events, protocol, dst, kind="stream")
        assert caught.value.rule in ("STR-9", "STR-5")
        assert caught.value.path.split("/")[1] == str(position)
        with pytest.raises(StreamError) as raised:
            proxai_ir.raise_to(stream, dst)
        assert raised.value.rule == "STR-9"


@pytest.mark.parametrize(
    ("protocol", "events"),
    [
        (CHAT, chat.stream({"function_call": {"name": "sky", "arguments": "{"}}, {"function_call": {"arguments": ""}})),
        (CHAT, chat.stream({"audio": {"id": "a", "data": "aGk="}}, {"audio": {"id": "a", "data": "aGk="}})),
        (ANTHROPIC, [START, {"type": "message_delta", "delta": {}}, OPENED, DELTA, CLOSED, ENDING, STOP]),
        (ANTHROPIC, [START, {**DELTA, "type": "message_delta"}, OPENED, DELTA, CLOSED, ENDING, STOP]),
    ],
    ids=["an empty legacy call", "an id of audio again", "an empty ending", "members of another event"],
)
def test_odd_events_that_are_read_come_back_too(protocol: str, events: Events) -> None:
    stream = lowered(events, protocol)
    assert not any(type(one) is Unread for step in stream.steps for one in step)
    assert canonical(proxai_ir.raise_to(stream, protocol)) == canonical(events)


def test_an_event_that_was_not_read_is_refused_for_the_reason_that_it_has() -> None:
    """In a stream that was put together by hand: no payload has its events."""
    stream = Stream(CHAT, [[Unread(WORD, "a word before all")], *lowered([ROLE, WORD, ENDED, chat.DONE], CHAT).steps])
    with pytest.raises(StreamError, match="a word before all"):
        proxai_ir.raise_to(stream, CHAT)


def test_a_response_that_ends_with_a_fault_was_not_cut_off() -> None:
    """The end that is refused elsewhere is the end for its own clients; without it the stream was cut off (STR-2)."""
    call = responses.added(responses.call("sky", "", id="fc_1", status="in_progress"))
    events = responses.in_sequence([CREATED, call, responses.ended()])
    assert fed(events, RESPONSES, RESPONSES).error is None
    for faulty in (events, [CREATED, *TALK]):
        cut: Any = fed(faulty[:-1], RESPONSES, RESPONSES).error
        assert cut.rule == "STR-2"
