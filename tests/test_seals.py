"""Seals on parts other than reasoning, which some providers sign: kept in the IR, named where a target has no slot."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir.binding.registry import backend
from proxai_ir.ir import parts
from proxai_ir.ir.node import Seal
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.stream import events
from proxai_ir.ir.stream.aggregate import fold, unfold
from proxai_ir.ir.stream.events import Stream
from proxai_ir.ir.terminal import StopReason, Terminal
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.json import ir_form as ir_json
from proxai_ir.reporting.report import Report
from proxai_ir.streaming.pipeline import StreamPipeline

from .samples import PROTOCOLS

SEAL = Seal("other", "signature", "c2VhbGVk")


def response(*content: Any) -> Response:
    candidate = Candidate([Turn(Role.ASSISTANT, list(content))], Terminal(StopReason.TOOL_CALLS, "w"))
    return Response(None, "r1", "m", [candidate])


def sealed() -> list[Any]:
    return [parts.Text("Hi", seal=SEAL), parts.FunctionCall("c1", "sky", "{}", seal=SEAL)]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("options", [{}, {"carry_seals": True}], ids=["", "carried"])
def test_a_target_without_a_slot_drops_the_seal_and_nothing_else(protocol: str, options: dict[str, Any]) -> None:
    """Where seals are carried, that of a call has a slot (RSN-24), and that of a text has none."""
    signed = sealed()[:1] if options else sealed()
    bare = [parts.Text("Hi"), parts.FunctionCall("c1", "sky", "{}")][: len(signed)]
    made = proxai_ir.raise_to(response(*signed), protocol, **options)
    assert made == proxai_ir.raise_to(response(*bare), protocol, **options)


def test_the_seal_is_in_the_json_form_and_in_streams() -> None:
    whole = response(*sealed())
    assert ir_json.loads(ir_json.dumps(whole)) == whole
    assert fold(unfold(whole)) == whole
    stream = Stream(None, [list(unfold(whole))])
    assert ir_json.loads(ir_json.dumps(stream)) == stream


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_seal_that_a_stream_adds_to_a_text_is_named(protocol: str) -> None:
    target = backend(protocol)
    assert target.stream is not None
    report = Report({}, {})
    pipeline = StreamPipeline(target.target, target.constraints, report, target.stream(target.server), target.server)
    started = Response(None, "r1", "m", [])
    ended = Terminal(StopReason.END, "w")
    for event in (
        events.Started(started),
        events.PartOpened(0, parts.Text("Hi")),
        events.PartSealed(0, SEAL),
        events.PartClosed(0),
        events.Ended(ended),
        events.Completed(),
    ):
        pipeline.feed(event)
    assert [record[0] for record in report.records if record[0][:3] == "RSN"] == ["RSN-4"]
    assert SEAL.data not in repr(pipeline.take())
