"""Seals on parts other than reasoning, which some providers sign: kept in the IR, named where a target has no slot."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

import proxai_ir
from proxai_ir import ir
from proxai_ir.ir import json_form as ir_json
from proxai_ir.ir.envelope import is_closed
from proxai_ir.ir.node import Seal
from proxai_ir.ir.request import Role, Turn
from proxai_ir.ir.response import Candidate, Response, StopReason, Terminal
from proxai_ir.ir.stream import events
from proxai_ir.ir.stream.aggregate import fold, unfold
from proxai_ir.ir.stream.events import Stream
from proxai_ir.ir.stream.grammar import Grammar
from proxai_ir.passes.pipeline import legalize
from proxai_ir.protocol.registry import backend
from proxai_ir.reporting.catalogue import TableError
from proxai_ir.reporting.report import Report
from proxai_ir.streaming.findings import Marks
from proxai_ir.streaming.pipeline import StreamPipeline
from proxai_ir.targets.conditions import sealed_by
from proxai_ir.targets.constraints import SealSlot, unguarded
from proxai_ir.targets.settings import Server
from proxai_ir.targets.verdicts import Verdict, loses, of, ok
from proxai_ir.testing.tables import SEALED

from .samples import PROTOCOLS

SEAL = Seal("other", "signature", "c2VhbGVk")


def response(*content: Any) -> Response:
    candidate = Candidate([Turn(Role.ASSISTANT, list(content))], Terminal(StopReason.TOOL_CALLS, "w"))
    return Response(None, "r1", "m", [candidate])


def sealed() -> list[Any]:
    return [ir.Text("Hi", seal=SEAL), ir.FunctionCall("c1", "sky", "{}", seal=SEAL)]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_target_without_a_slot_drops_the_seal_and_nothing_else(protocol: str) -> None:
    bare = response(ir.Text("Hi"), ir.FunctionCall("c1", "sky", "{}"))
    assert proxai_ir.raise_to(response(*sealed()), protocol) == proxai_ir.raise_to(bare, protocol)


def test_a_seal_that_is_carried_changes_nothing_else() -> None:
    """Where the target has a slot for reasoning alone, each stands before what it is of (RSN-24, RSN-30)."""
    made: Any = proxai_ir.raise_to(response(*sealed()), "anthropic_messages", seals=proxai_ir.Seals())
    types = [block["type"] for block in made["content"]]
    assert types == ["redacted_thinking", "text", "redacted_thinking", "tool_use"]
    assert made["content"][1::2] == [
        {"type": "text", "text": "Hi"},
        {"type": "tool_use", "id": "c1", "name": "sky", "input": {}},
    ]


def test_the_seal_is_in_the_json_form_and_in_streams() -> None:
    whole = response(*sealed())
    assert ir_json.loads(ir_json.dumps(whole)) == whole
    assert fold(unfold(whole)) == whole
    stream = Stream(None, [list(unfold(whole))])
    assert ir_json.loads(ir_json.dumps(stream)) == stream


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_seal_that_a_stream_adds_to_a_text_is_named(protocol: str) -> None:
    target, report = backend(protocol), Report()
    pipeline = StreamPipeline(None, target, target.defaults, Grammar(), report, Marks())
    started = Response(None, "r1", "m", [])
    ended = Terminal(StopReason.END, "w")
    for event in (
        events.Started(started),
        events.PartOpened(0, ir.Text("Hi")),
        events.PartSealed(0, SEAL),
        events.PartClosed(0),
        events.Ended(ended),
        events.Completed(),
    ):
        pipeline.run([event])
    assert [record[0] for record in report.records if record[0][:3] == "RSN"] == ["RSN-4"]
    assert SEAL.data not in repr(pipeline.writing.take())


# --- tables of other packages -----------------------------------------------------------------------------------------


NO_OTHERS = [of(cls, loses("RSN-4", "seal")) for cls in (*SEALED, ir.Reasoning, ir.WebHit, ir.UrlCitation)]


def _backend(*verdicts: Verdict) -> Any:
    """A backend that has these verdicts on the seals of calls."""
    chat = backend("openai_chat_completions")
    others = [
        of(about, *(attrs.evolve(one, subjects=tuple(name for name in one.subjects if name != "seal")) for one in row))
        for about, row in chat.target.rows
    ]
    return attrs.evolve(
        chat, target=attrs.evolve(chat.target, rows=[of(ir.FunctionCall, *verdicts), *NO_OTHERS, *others])
    )


def test_a_table_through_which_any_seal_passes_does_not_load() -> None:
    slot = SealSlot(("acme",), "signature")
    with pytest.raises(TableError, match=r"sends the seals of FunctionCall whoever made them.*sealed_by"):
        _backend(ok("seal"))
    with pytest.raises(TableError, match="FunctionCall"):
        _backend(loses("RSN-10", "seal", when=is_closed), ok("seal"))
    for verdicts in (sealed_by(slot), (loses("RSN-4", "seal"),)):
        assert unguarded(_backend(*verdicts).target) == []


def test_a_slot_declares_makers_for_reader_table_and_writer() -> None:
    slot = SealSlot(("acme",), "signature")
    seal = slot.read("x")
    assert (seal, slot.text(seal)) == (Seal("acme", "signature", "x"), "x")
    target = _backend(*sealed_by(slot)).target
    for made, word in ((seal, None), (Seal("other", "signature", "x"), "loses")):
        root = response(ir.FunctionCall("c1", "sky", "{}", seal=made))
        report = Report()
        legalize(root, target, report, Server({}))
        call: Any = root.candidates[0].parts[0]
        assert (call.seal is made) == (word is None)
        assert [rule for rule, *_ in report.records if rule.startswith("RSN")] == (["RSN-4"] if word else [])
