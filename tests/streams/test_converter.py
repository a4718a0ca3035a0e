"""Streams as a caller meets them: events as they come, the functions around the converter, several choices."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

import proxai_ir
from proxai_ir import (
    InvalidPayload,
    StreamConverter,
    StreamError,
    Unrepresentable,
    aconvert_stream,
    convert_stream,
)
from proxai_ir.testing.streams import fed

from ..samples import READINGS
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
    assert [converter.feed(event) for event in GREETING] == [[start], [opened, first], [second], [stop], [], ending]
    assert converter.close() == []


def test_a_finished_item_is_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from proxai_ir.backends.openai_responses.stream import Item

    built: list[str] = []
    plain = Item.built

    def counted(item: Item) -> Json:
        built.append(item.id)
        return plain(item)

    monkeypatch.setattr(Item, "built", counted)
    made = list(convert_stream(HELLO, ANTHROPIC, RESPONSES))
    done = [event["item"] for event in made if event["type"] == "response.output_item.done"]
    assert built == [item["id"] for item in done]
    assert made[-1]["response"]["output"] == done


def test_all_that_events_go_through_has_one_form() -> None:
    """Each is a `Stage`: called by `run`, and by nothing else."""
    for src, dst in ((ANTHROPIC, RESPONSES), (CHAT, CHAT)):
        pipeline = StreamConverter(src, dst, keep_response=True)._pipeline
        for stage in (*pipeline.stages, *pipeline.relaying):
            assert callable(stage.run)
    assert len(pipeline.stages) > 5


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


@pytest.mark.parametrize("payload", [{}, 5, None])
def test_a_stream_that_is_no_list(payload: Any) -> None:
    with pytest.raises(InvalidPayload) as caught:
        proxai_ir.convert(payload, ANTHROPIC, CHAT, kind="stream")
    assert (caught.value.rule, caught.value.path) == ("SHP-1", "")


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


@pytest.mark.parametrize("dst", [RESPONSES, ANTHROPIC])
def test_one_choice_that_is_not_the_first(dst: str) -> None:
    end = chat.chunk({}, "stop")
    end["choices"][0]["index"] = 1
    assert fed([choice(1, "Hi"), end, chat.DONE], CHAT, dst).error is None
    assert fed([choice(1, "Hi"), choice(0, "Ho")], CHAT, dst).rule() == "CHO-1"


def test_several_choices_stay_in_their_own_protocol() -> None:
    ends = [chat.chunk({}, "stop"), chat.chunk({}, "length")]
    ends[1]["choices"][0]["index"] = 1
    events = [choice(0, "Hi"), choice(1, "Ho"), choice(0, "!"), *ends, chat.usage_chunk(), chat.DONE]
    assert fed(events, CHAT, CHAT).out == events
    assert fed(events[:4], CHAT, CHAT).rule() == "STR-2"
