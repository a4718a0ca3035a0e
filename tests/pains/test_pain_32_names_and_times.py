"""Pain 32: a client drops what a model signed that it did not ask for, and responses are of the year 1970."""

from __future__ import annotations

import pytest

import proxai_ir

from .support import ANTHROPIC, CHAT, RESPONSES, anthropic, chat, notes, responses, text, to_anthropic

WHOLE = {
    CHAT: chat.response(content="Hi"),
    ANTHROPIC: anthropic.response(text("Hi")),
    RESPONSES: responses.response(responses.message(responses.output_text("Hi"))),
}
PAIRS = [(src, dst) for src in WHOLE for dst in WHOLE if src != dst]


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_a_response_names_the_model_that_the_caller_names(src: str, dst: str) -> None:
    made = proxai_ir.compile(WHOLE[src], src, dst, kind="response", model="asked-for")
    assert made.output["model"] == "asked-for"
    assert ("ENV-12", "/model") in notes(made)


def test_so_does_a_stream() -> None:
    made = proxai_ir.convert(chat.stream({"content": "Hi"}), CHAT, ANTHROPIC, kind="stream", model="asked-for")
    assert made[0]["message"]["model"] == "asked-for"


def test_the_same_name_is_no_news() -> None:
    named = {**WHOLE[CHAT], "model": "asked-for"}
    assert "ENV-12" not in [code for code, _ in notes(to_anthropic(named, "response", model="asked-for"))]


@pytest.mark.parametrize(("dst", "member"), [(CHAT, "created"), (RESPONSES, "created_at")])
def test_the_caller_gives_the_time_that_the_source_lacks(dst: str, member: str) -> None:
    made = proxai_ir.convert(WHOLE[ANTHROPIC], ANTHROPIC, dst, kind="response", created=1760000000)
    assert made[member] == 1760000000
    events = proxai_ir.convert(anthropic.stream(anthropic.text_block("Hi")), ANTHROPIC, dst, created=1760000000)
    assert (events[0] if dst == CHAT else events[0]["response"])[member] == 1760000000


def test_a_time_of_the_source_stays() -> None:
    made = proxai_ir.convert({**WHOLE[CHAT], "created": 7}, CHAT, RESPONSES, kind="response", created=1760000000)
    assert made["created_at"] == 7
