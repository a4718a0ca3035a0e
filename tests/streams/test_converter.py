"""Streams as a caller meets them: options, strict mode, errors, diagnostics, the functions around the converter."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

import proxai_ir
from proxai_ir import (
    InvalidPayload,
    Severity,
    StreamConverter,
    StreamError,
    Unrepresentable,
    aconvert_stream,
    convert_stream,
)
from proxai_ir.testing.streams import fed

from ..samples import PROTOCOLS, READINGS
from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.sample import Events, Json

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"


HELLO = anthropic.stream(anthropic.text_block("Hel", "lo"))
GREETING = chat.stream({"content": "Hel"}, {"content": "lo"})
HEAD = {"id": "msg_1", "object": "chat.completion.chunk", "created": 0, "model": "claude"}
MADE: Events = [
    {**HEAD, "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]},
    {**HEAD, "choices": [{"index": 0, "delta": {"content": "Hel"}, "finish_reason": None}]},
    {**HEAD, "choices": [{"index": 0, "delta": {"content": "lo"}, "finish_reason": None}]},
    {**HEAD, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    {**HEAD, "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 7, "total_tokens": 16}},
    chat.DONE,
]

# --- events as they come ----------------------------------------------------------------------------------------------


def test_each_event_is_converted_at_once() -> None:
    converter = StreamConverter(ANTHROPIC, CHAT)
    assert [converter.feed(event) for event in HELLO] == [
        [MADE[0]],
        [],
        [MADE[1]],
        [MADE[2]],
        [],
        [MADE[3]],
        MADE[4:],
    ]
    assert converter.close() == []


def test_each_chunk_is_converted_at_once() -> None:
    converter = StreamConverter(CHAT, ANTHROPIC)
    start, opened, first, second, stop = (
        anthropic.message_start({"input_tokens": 0, "output_tokens": 0}, id="chatcmpl-1", model="gpt"),
        *anthropic.numbered(0, anthropic.text_block("Hel", "lo")),
    )
    ending = [anthropic.message_delta("end_turn", {"input_tokens": 9, "output_tokens": 7}), anthropic.MESSAGE_STOP]
    assert [converter.feed(event) for event in GREETING] == [[start], [opened, first], [second], [stop], ending, []]
    assert converter.close() == []


def test_lists_are_new_each_time() -> None:
    converter = StreamConverter(ANTHROPIC, CHAT)
    out = [converter.feed(event) for event in HELLO]
    for made in out:
        made.append("mine")
    assert "mine" not in converter.close()
    assert next(made[:-1] for made in out if len(made) > 1) == [MADE[0]]


@pytest.mark.parametrize("close", [0, 1, 2])
def test_closing_twice_gives_nothing(close: int) -> None:
    converter = StreamConverter(CHAT, ANTHROPIC)
    for event in GREETING[:-2]:
        converter.feed(event)
    assert converter.close()[-1] == anthropic.MESSAGE_STOP
    for _ in range(close):
        assert converter.close() == []
        assert converter.close(error_event=True) == []


def test_two_converters_share_nothing() -> None:
    one, two = StreamConverter(ANTHROPIC, CHAT), StreamConverter(ANTHROPIC, CHAT)
    pairs = [(one.feed(event), two.feed(event)) for event in HELLO]
    assert [made for made, _ in pairs] == [made for _, made in pairs]


# --- the functions around it ------------------------------------------------------------------------------------------


def test_convert_stream() -> None:
    assert list(convert_stream(iter(HELLO), ANTHROPIC, CHAT)) == MADE


def test_convert_stream_takes_no_more_than_it_needs() -> None:
    taken: Events = []

    def source() -> Iterator[Any]:
        for event in HELLO:
            taken.append(event)
            yield event

    made = convert_stream(source(), ANTHROPIC, CHAT)
    assert taken == []
    assert next(made) == MADE[0]
    assert len(taken) == 1
    assert next(made) == MADE[1]
    assert len(taken) == 3


def test_convert_stream_hands_out_what_it_can_before_an_error() -> None:
    out: Events = []
    with pytest.raises(StreamError) as caught:
        for event in convert_stream(HELLO[:3], ANTHROPIC, CHAT):
            out.append(event)
    assert (caught.value.rule, caught.value.path) == ("STR-2", "/2")
    assert out == MADE[:2]


def test_convert_stream_closes() -> None:
    """Without [DONE], for which the end of the iterator is enough."""
    made = list(convert_stream(GREETING[:-2], CHAT, ANTHROPIC))
    assert made[-2:] == [
        anthropic.message_delta("end_turn", {"input_tokens": 0, "output_tokens": 0}),
        anthropic.MESSAGE_STOP,
    ]


async def source_of(events: Events, log: Events | None = None) -> AsyncIterator[Any]:
    for event in events:
        await asyncio.sleep(0)
        if log is not None:
            log.append(event)
        yield event


def test_aconvert_stream() -> None:
    async def run() -> Events:
        return [event async for event in aconvert_stream(source_of(HELLO), ANTHROPIC, CHAT)]

    assert asyncio.run(run()) == MADE


def test_aconvert_stream_takes_no_more_than_it_needs() -> None:
    async def run() -> None:
        taken: Events = []
        made = aconvert_stream(source_of(HELLO, taken), ANTHROPIC, CHAT)
        assert taken == []
        assert await anext(made) == MADE[0]
        assert len(taken) == 1

    asyncio.run(run())


def test_aconvert_stream_hands_out_what_it_can_before_an_error() -> None:
    out: Events = []

    async def run() -> None:
        async for event in aconvert_stream(source_of(HELLO[:3]), ANTHROPIC, CHAT):
            out.append(event)

    with pytest.raises(StreamError) as caught:
        asyncio.run(run())
    assert (caught.value.rule, out) == ("STR-2", MADE[:2])


def test_aconvert_stream_takes_options() -> None:
    async def run() -> Events:
        return [event async for event in aconvert_stream(source_of(HELLO), ANTHROPIC, CHAT, include_usage=False)]

    assert asyncio.run(run()) == [*MADE[:4], chat.DONE]


def test_a_list_is_a_stream() -> None:
    assert proxai_ir.convert(HELLO, ANTHROPIC, CHAT) == MADE
    done = proxai_ir.compile(HELLO, ANTHROPIC, CHAT, kind="stream")
    assert (done.output, done.kind) == (MADE, "stream")
    assert [(one.code, one.path) for one in done.diagnostics] == [("ENV-2", "")]
    assert proxai_ir.check(HELLO, ANTHROPIC, CHAT) == done.diagnostics
    assert [one.code for one in proxai_ir.check(HELLO[:-1], ANTHROPIC, CHAT)] == ["STR-2"]


@pytest.mark.parametrize("payload", [{}, 5, None, "x"])
def test_a_stream_that_is_no_list(payload: Any) -> None:
    with pytest.raises(InvalidPayload) as caught:
        proxai_ir.convert(payload, ANTHROPIC, CHAT, kind="stream")
    assert (caught.value.rule, caught.value.path) == ("SHP-1", "")


# --- options ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("src", "dst"), [("nope", CHAT), (CHAT, "nope"), ("", CHAT), (CHAT, "../x")])
def test_an_unknown_protocol(src: str, dst: str) -> None:
    for make in (StreamConverter, lambda *route: next(convert_stream([], *route))):
        with pytest.raises(InvalidPayload) as caught:
            make(src, dst)
        assert caught.value.rule == "SHP-9"
        assert CHAT in str(caught.value) and ANTHROPIC in str(caught.value)


@pytest.mark.parametrize("dst", PROTOCOLS)
def test_an_unknown_option_names_the_known_ones(dst: str) -> None:
    with pytest.raises(TypeError, match=r"'colour'.*buffer_limit.*model.*strict"):
        StreamConverter(CHAT, dst, colour="red")
    with pytest.raises(TypeError, match="usage"):
        StreamConverter(CHAT, dst, colour="red")


def test_an_option_of_the_other_direction_is_unknown() -> None:
    with pytest.raises(TypeError, match="usage"):
        StreamConverter(ANTHROPIC, CHAT, usage="running")
    with pytest.raises(TypeError, match="input_tokens"):
        StreamConverter(ANTHROPIC, CHAT, input_tokens=5)


def test_the_option_include_usage() -> None:
    assert fed(HELLO, ANTHROPIC, CHAT, include_usage=False).out == [*MADE[:4], chat.DONE]


USAGE_AT_THE_END = {"usage_chunk": (0, 0), "finish_chunk": (9, 8), "running": (9, 8)}
RUNNING_USAGE = {"usage_chunk": (0, 0), "finish_chunk": (0, 0), "running": (9, 7)}


@pytest.mark.parametrize("which", ["usage_chunk", "finish_chunk", "running"])
def test_the_option_usage(which: str) -> None:
    def usage(received: int) -> Any:
        return {"prompt_tokens": 9, "completion_tokens": received}

    *begun, end, _, done = GREETING
    begun = [{**event, "usage": usage(7)} for event in begun]
    finished = [*begun, {**end, "usage": usage(8)}]
    for events, (sent, received) in ((finished, USAGE_AT_THE_END[which]), ([*begun, end], RUNNING_USAGE[which])):
        made = fed([*events, done], CHAT, ANTHROPIC, usage=which)
        assert made.out[-2] == anthropic.message_delta("end_turn", {"input_tokens": sent, "output_tokens": received})
        assert [(one.code, one.path) for one in made.diagnostics if one.code == "STR-4"] == [("STR-4", "/0/usage")]
    made = fed([*finished, chat.usage_chunk(1, 2), done], CHAT, ANTHROPIC, usage=which)
    assert made.out[-2]["usage"] == {"input_tokens": 1, "output_tokens": 2}


def test_findings_about_usage_of_chunks_with_choices_point_at_it() -> None:
    events = [
        {**event, "usage": {"prompt_tokens": 9, "completion_tokens": n, "total_tokens": 9 + n}}
        for n, event in enumerate(GREETING[:-2])
    ]
    for which in ("finish_chunk", "running"):
        made = fed([*events, chat.DONE], CHAT, ANTHROPIC, usage=which)
        assert [one.path for one in made.diagnostics if one.code == "USE-3"] == [
            f"/{len(events) - 1}/usage/total_tokens"
        ]


def test_the_option_usage_is_one_of_three_words() -> None:
    with pytest.raises(
        TypeError, match="'usage' is a string, 'last'; expected one of finish_chunk, usage_chunk, running"
    ):
        StreamConverter(CHAT, ANTHROPIC, usage="last")
    with pytest.raises(TypeError, match="'usage' is a boolean, True"):
        StreamConverter(CHAT, ANTHROPIC, usage=True)


def test_the_option_model() -> None:
    nameless = [{key: value for key, value in event.items() if key != "model"} for event in GREETING[:-1]]
    assert fed(nameless, CHAT, ANTHROPIC, model="mine").out[0]["message"]["model"] == "mine"
    done = fed(nameless, CHAT, ANTHROPIC)
    assert done.rule() == "ENV-6"


def test_the_option_allow_empty() -> None:
    done = fed(chat.stream(), CHAT, ANTHROPIC, allow_empty=True)
    assert [event["type"] for event in done.out] == ["message_start", "message_delta", "message_stop"]
    done = fed(chat.stream(), CHAT, ANTHROPIC)
    assert done.rule() == "CHO-3"
    assert isinstance(done.error, Unrepresentable)


def test_the_option_buffer_limit() -> None:
    begun = chat.calls(chat.fragment(0, "{", "call_1", "sky"), chat.fragment(1, "{", "call_2", "now"))
    events = [chat.chunk(begun), *(chat.chunk(chat.calls(chat.fragment(1, " " * 6))) for _ in range(3))]
    assert fed(events, CHAT, ANTHROPIC, buffer_limit=30, close=False).error is None
    done = fed(events, CHAT, ANTHROPIC, buffer_limit=10, close=False)
    assert isinstance(done.error, StreamError)
    assert (done.rule(), done.error.path) == ("STR-15", "/2")


def test_what_a_call_begins_with_waits_too() -> None:
    begun = chat.calls(chat.fragment(0, "{", "call_1", "sky"), chat.fragment(1, "{" + " " * 20, "call_2", "now"))
    done = fed([chat.chunk(begun)], CHAT, ANTHROPIC, buffer_limit=10, close=False)
    assert (done.rule(), done.error and done.error.path) == ("STR-15", "/0")


# --- strict mode ------------------------------------------------------------------------------------------------------


def test_strict_mode_ends_at_the_first_loss() -> None:
    events = anthropic.stream(anthropic.thinking_block("Hm.", signature="EqQB"), anthropic.text_block("Hi"))
    converter = StreamConverter(ANTHROPIC, CHAT, strict=True)
    out = [made for event in events[:3] for made in converter.feed(event)]
    assert [made["choices"][0]["delta"] for made in out] == [
        {"role": "assistant", "content": ""},
        {"reasoning_content": "Hm."},
    ]
    with pytest.raises(Unrepresentable) as caught:
        converter.feed(events[3])
    assert (caught.value.rule, caught.value.path) == ("RSN-4", "/3/delta/signature")
    assert {one.severity for one in caught.value.diagnostics} == {Severity.ERROR}
    (ending,) = converter.close(error_event=True)
    assert READINGS[CHAT].outcomes([ending]) == ["error"]


def test_strict_mode_ends_at_what_is_found_in_the_end() -> None:
    events = anthropic.stream(anthropic.text_block("I must not."), stop="refusal")
    done = fed(events, ANTHROPIC, CHAT, strict=True)
    assert (done.rule(), done.error and done.error.path) == ("REF-6", "/1/content_block")
    assert READINGS[CHAT].outcomes(done.converter.close(error_event=True))[-1] == "error"
    assert chat.DONE not in done.out


def test_strict_mode_lets_infos_pass() -> None:
    done = fed(HELLO, ANTHROPIC, CHAT, strict=True)
    assert (done.error, done.out) == (None, MADE)
    assert {one.severity for one in done.diagnostics} == {Severity.INFO}


# --- several choices --------------------------------------------------------------------------------------------------


def choice(index: int, words: str) -> Json:
    event = chat.chunk({"content": words})
    event["choices"][0]["index"] = index
    return event


def test_several_choices_are_neither_merged_nor_cut() -> None:
    done = fed([choice(0, "Hi"), choice(1, "Ho"), chat.DONE], CHAT, ANTHROPIC)
    assert isinstance(done.error, Unrepresentable)
    assert done.rule() == "CHO-1"
    assert done.error.path.startswith("/1")
    assert [made["type"] for made in done.out] == ["message_start", "content_block_start", "content_block_delta"]
    (ending,) = done.converter.close(error_event=True)
    assert READINGS[ANTHROPIC].outcomes([ending]) == ["error"]


def test_several_choices_in_one_chunk() -> None:
    both = choice(0, "Hi")
    both["choices"] += choice(1, "Ho")["choices"]
    done = fed([both, chat.DONE], CHAT, ANTHROPIC)
    assert (done.rule(), done.error and done.error.path.startswith("/0")) == ("CHO-1", True)


def test_one_choice_that_is_not_the_first() -> None:
    assert fed([choice(1, "Hi")], CHAT, ANTHROPIC).rule() == "CHO-1"


def test_several_choices_stay_in_their_own_protocol() -> None:
    ends = [chat.chunk({}, "stop"), chat.chunk({}, "length")]
    ends[1]["choices"][0]["index"] = 1
    events = [choice(0, "Hi"), choice(1, "Ho"), choice(0, "!"), *ends, chat.usage_chunk(), chat.DONE]
    assert fed(events, CHAT, CHAT).out == events
    assert fed(events[:4], CHAT, CHAT).rule() == "STR-2"


# --- diagnostics ------------------------------------------------------------------------------------------------------


def test_diagnostics_are_there_as_soon_as_they_are_known() -> None:
    events = anthropic.stream(anthropic.thinking_block("Hm.", signature="EqQB"), anthropic.text_block("Hi"))
    converter = StreamConverter(ANTHROPIC, CHAT)
    counts = []
    for event in events:
        converter.feed(event)
        counts.append(len(converter.diagnostics))
    assert counts == [0, 0, 0, 1, 1, 1, 1, 1, 1, 2]
    found = [(one.code, one.severity.value, one.path) for one in converter.diagnostics]
    assert found == [("RSN-4", "loss", "/3/delta/signature"), ("ENV-2", "info", "")]


def test_pointers_lead_to_the_event_in_question() -> None:
    """Also where what it costs is known much later."""
    events = anthropic.stream(
        anthropic.text_block("It says: "),
        anthropic.call_block("toolu_1", "sky", "{}", caller={"type": "direct"}),
        anthropic.text_block("Rain."),
        anthropic.block({"type": "redacted_thinking", "data": "eA=="}),
        anthropic.call_block("srv_1", "web_search", "{}", kind="server_tool_use"),
        anthropic.thinking_block("Hm."),
        stop="max_tokens",
    )
    events[0]["message"]["container"] = {"id": "ctr_1"}
    events[0]["x-extra"] = 1
    done = fed(events, ANTHROPIC, CHAT)
    assert done.error is None
    starts = [number for number, event in enumerate(events) if event["type"] == "content_block_start"]
    assert sorted(done.found()) == sorted(
        [
            ("HST-1", "/0/message/container"),
            ("UNK-6", "/0/x-extra"),
            ("TUL-18", f"/{starts[1]}/content_block/caller"),
            ("PLC-4", f"/{starts[2]}/content_block"),
            ("PLC-8", f"/{starts[2]}/content_block"),
            ("RSN-4", f"/{starts[3]}/content_block"),
            ("TUL-6", f"/{starts[4]}/content_block"),
            ("PLC-4", f"/{starts[5]}/content_block"),
            ("ENV-2", ""),
        ]
    )


def test_pointers_of_what_is_found_when_the_stream_is_closed() -> None:
    """No [DONE] comes and no usage: the last event is still the one with the finish reason."""
    call = chat.calls(chat.fragment(0, "{}", "call_1", "sky"))
    done = fed(chat.stream(call, finish="stop", usage=False, done=False), CHAT, ANTHROPIC)
    assert done.error is None
    assert sorted(done.found()) == [
        ("ENV-1", "/0/created"),
        ("ENV-7", "/0/choices/0/delta/content"),
        ("STS-12", "/2/choices/0/finish_reason"),
        ("USE-5", ""),
    ]


@pytest.mark.parametrize("done", [True, False])
def test_an_empty_response_is_refused_where_it_ends(done: bool) -> None:
    events = chat.stream(usage=False, done=done)
    refused = fed(events, CHAT, ANTHROPIC)
    assert refused.error is not None
    assert (refused.error.rule, refused.error.path) == ("CHO-3", "/1/choices/0")
    ending = refused.converter.close(error_event=True)
    assert READINGS[ANTHROPIC].outcomes(ending) == ["error"]


def test_a_signature_that_had_to_wait_is_named_where_it_stands() -> None:
    start, grown, sealed, stop = anthropic.numbered(1, anthropic.thinking_block("Hm.", signature="EqQB"))
    opened, word, closed = anthropic.numbered(0, anthropic.text_block("Hi"))
    events = [anthropic.message_start(), opened, word, start, grown, sealed, closed, stop, anthropic.message_delta()]
    done = fed([*events, anthropic.MESSAGE_STOP], ANTHROPIC, CHAT)
    assert done.found("loss") == [("RSN-4", "/5/delta/signature"), ("PLC-4", "/3/content_block")]


def test_thinking_that_is_not_shown_is_named_once() -> None:
    """It is sealed as a whole: the block, and with it the signature, does not travel."""
    done = fed(
        anthropic.stream(anthropic.thinking_block(signature="EqQB"), anthropic.text_block("Hi")), ANTHROPIC, CHAT
    )
    assert done.error is None
    assert done.found("loss") == [("RSN-4", "/1/content_block")]
