"""The options of a StreamConverter, and strict mode."""

from __future__ import annotations

from typing import Any

import pytest

from proxai_ir import Severity, StreamConverter, StreamError, UnknownProtocol, Unrepresentable, convert_stream
from proxai_ir.testing.streams import fed

from ..samples import PROTOCOLS, READINGS
from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from .test_converter import ANTHROPIC, CHAT, GREETING, HELLO, MADE


@pytest.mark.parametrize(("src", "dst"), [("nope", CHAT), (CHAT, "nope"), ("", CHAT), (CHAT, "../x")])
def test_an_unknown_protocol(src: str, dst: str) -> None:
    for make in (StreamConverter, lambda *route: next(convert_stream([], *route))):
        with pytest.raises(UnknownProtocol) as caught:
            make(src, dst)
        assert CHAT in str(caught.value) and ANTHROPIC in str(caught.value)


@pytest.mark.parametrize("dst", PROTOCOLS)
def test_an_unknown_option_names_the_known_ones(dst: str) -> None:
    with pytest.raises(TypeError, match=r"'colour'.*buffer_limit.*model.*strict"):
        StreamConverter(CHAT, dst, colour="red")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="usage"):
        StreamConverter(CHAT, dst, colour="red")  # type: ignore[call-arg]


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
        StreamConverter(CHAT, ANTHROPIC, usage="last")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="'usage' is a boolean, True"):
        StreamConverter(CHAT, ANTHROPIC, usage=True)  # type: ignore[arg-type]


def test_the_option_model() -> None:
    nameless = [{key: value for key, value in event.items() if key != "model"} for event in GREETING[:-1]]
    assert fed(nameless, CHAT, ANTHROPIC, model="mine").out[0]["message"]["model"] == "mine"
    done = fed(nameless, CHAT, ANTHROPIC)
    assert done.out[0]["message"]["model"] == ""
    assert [(one.code, one.path) for one in done.diagnostics if one.code == "ENV-6"] == [("ENV-6", "")]


def test_the_option_allow_empty() -> None:
    done = fed(chat.stream(), CHAT, ANTHROPIC, allow_empty=True)
    assert "CHO-5" in [one.code for one in done.diagnostics]
    assert [event["type"] for event in done.out] == ["message_start", "message_delta", "message_stop"]
    done = fed(chat.stream(), CHAT, ANTHROPIC)
    assert done.rule() == "CHO-3"
    assert isinstance(done.error, Unrepresentable)


def test_the_option_buffer_limit() -> None:
    begun = chat.calls(chat.fragment(0, "{", "call_1", "sky"), chat.fragment(1, "{", "call_2", "now"))
    events = [chat.chunk(begun), *(chat.chunk(chat.calls(chat.fragment(1, " " * 6))) for _ in range(3))]
    assert fed(events, CHAT, ANTHROPIC, buffer_limit=30, close=False).error is None
    assert fed(events, CHAT, ANTHROPIC, buffer_limit=None, close=False).error is None
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
