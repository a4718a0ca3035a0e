"""The JSON form of the IR: there and back equal, and what comes back can be raised like what was lowered."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import ir
from proxai_ir.ir.error import Error, ErrorCategory
from proxai_ir.ir.json_form import dumps, loads
from proxai_ir.ir.node import Seal
from proxai_ir.ir.response import Response, StopReason, Terminal, Usage
from proxai_ir.ir.stream.events import (
    Completed,
    Ended,
    Event,
    PartClosed,
    PartGrew,
    PartOpened,
    Started,
    Stream,
    UsageReported,
)
from proxai_ir.testing.specimens import SPECIMENS

from .cases import each
from .samples import Sample, samples
from .samples.anthropic_messages import building as anthropic


@each("sample", samples("request", "response", "error"), ids=str)
def test_there_and_back(sample: Sample) -> None:
    node = proxai_ir.lower(sample.make(), sample.protocol, kind=sample.kind)
    back = loads(dumps(node))
    assert back == node
    assert dumps(back) == dumps(node)
    canonical = proxai_ir.raise_to(back, sample.protocol)
    again = proxai_ir.lower(canonical, sample.protocol, kind=sample.kind)
    assert type(again) is type(node)
    assert proxai_ir.raise_to(loads(dumps(again)), sample.protocol) == canonical


@each("sample", samples("request", "response", "error"), ids=str)
def test_with_its_source_a_tree_gives_back_the_payload_itself(sample: Sample) -> None:
    node = proxai_ir.lower(sample.make(), sample.protocol, kind=sample.kind)
    back = loads(dumps(node, source=True))
    assert (back, back.src) == (node, sample.make())
    assert proxai_ir.raise_to(back, sample.protocol) == sample.make()


@pytest.mark.parametrize(
    ("category", "status", "expected"),
    [
        ("solar_flare", 429, ErrorCategory.RATE_LIMIT),
        ("solar_flare", None, ErrorCategory.UNKNOWN),
        (418, None, ErrorCategory.INVALID_REQUEST),
    ],
)
def test_a_category_of_a_later_version(category: Any, status: int | None, expected: ErrorCategory) -> None:
    """It is what the status means; the error is not refused."""
    written = json.loads(dumps(Error(None, ErrorCategory.SERVER, "No.", status=status)))
    node = loads(json.dumps({**written, "category": category}))
    assert isinstance(node, Error)
    assert (node.category, node.message) == (expected, "No.")


@each("cls", SPECIMENS, ids=[cls.__name__ for cls in SPECIMENS])
def test_every_class(cls: type) -> None:
    root, _ = SPECIMENS[cls]()
    assert loads(dumps(root)) == root


def test_what_it_looks_like() -> None:
    turn = ir.Turn(ir.Role.ASSISTANT, [ir.Text("Hi"), ir.Reasoning(None, Seal("p", "redacted", "eA=="))])
    expected = {
        "is": "Request",
        "protocol": None,
        "model": "m",
        "turns": [
            {
                "role": "assistant",
                "parts": [
                    {"is": "Text", "text": "Hi"},
                    {"is": "Reasoning", "text": None, "seal": {"provider": "p", "kind": "redacted", "data": "eA=="}},
                ],
            }
        ],
    }
    assert json.loads(dumps(ir.Request(None, "m", [turn]))) == expected


def test_references_into_the_source_are_left_out() -> None:
    node = proxai_ir.lower({"model": "m", "messages": [{"role": "user", "content": "Hi"}]}, "openai_chat_completions")
    assert node.src is not None
    assert b'"src"' not in dumps(node)
    assert loads(dumps(node)).src is None


def test_bytes_and_text_are_read_alike() -> None:
    data = dumps(ir.Request(None, "m"))
    assert loads(data.decode()) == loads(data) == ir.Request(None, "m")


@pytest.mark.parametrize("arguments", ['{"a": 1}', {"a": 1}, "", {}, '{"is": "Text"}', {"is": "Text"}])
def test_arguments_keep_their_form(arguments: Any) -> None:
    call = ir.FunctionCall("c", "f", arguments)
    back = loads(dumps(ir.Request(None, "m", [ir.Turn(ir.Role.ASSISTANT, [call])])))
    assert isinstance(back, ir.Request) and back.turns is not None
    assert back.turns[0].parts == [call]


@pytest.mark.parametrize("value", [object(), float("nan"), float("-inf"), 10**400])
def test_what_json_lacks_is_a_type_error(value: Any) -> None:
    with pytest.raises(TypeError):
        dumps(ir.Request(None, "m", service=ir.Service(metadata={"a": value})))
    with pytest.raises(TypeError):
        dumps(ir.Request(None, "m", sampling=ir.Sampling(temperature=value)))
    call = ir.FunctionCall("c", "f", {"a": [value]})
    with pytest.raises(TypeError):
        dumps(ir.Request(None, "m", [ir.Turn(ir.Role.ASSISTANT, [call])]))


# --- streams (each law on them stands in laws/streams.py) -------------------------------------------------------------


def test_what_a_stream_looks_like() -> None:
    events = anthropic.stream(anthropic.text_block("Hi"))
    started = {
        "protocol": "anthropic_messages",
        "id": "msg_1",
        "model": "claude",
        "candidates": [],
        "usage": {"input": 9, "output": 1},
    }
    assert json.loads(dumps(proxai_ir.lower(events, "anthropic_messages", kind="stream"))) == {
        "is": "Stream",
        "protocol": "anthropic_messages",
        "steps": [
            [{"is": "Started", "response": started}],
            [{"is": "PartOpened", "index": 0, "part": {"is": "Text", "text": ""}}],
            [{"is": "PartGrew", "index": 0, "text": "Hi"}],
            [{"is": "PartClosed", "index": 0}],
            [
                {"is": "Ended", "terminal": {"reason": "end", "raw": "end_turn"}},
                {"is": "UsageReported", "usage": {"output": 7}},
            ],
            [{"is": "Completed"}],
        ],
    }


def test_a_stream_by_hand_is_raised_like_one_that_was_read() -> None:
    steps: list[list[Event]] = [
        [Started(Response(None, "m1", "m", []))],
        [PartOpened(0, ir.Text("")), PartGrew(0, "Hi"), PartClosed(0)],
        [Ended(Terminal(StopReason.END, "end_turn"))],
        [UsageReported(Usage(9, output=7)), Completed()],
    ]
    made = proxai_ir.raise_to(loads(dumps(Stream(None, steps))), "anthropic_messages")
    assert made == [
        anthropic.message_start({"input_tokens": 0, "output_tokens": 0}, id="m1", model="m"),
        *anthropic.numbered(0, anthropic.text_block("Hi")),
        anthropic.message_delta("end_turn", {"input_tokens": 9, "output_tokens": 7}),
        anthropic.MESSAGE_STOP,
    ]
