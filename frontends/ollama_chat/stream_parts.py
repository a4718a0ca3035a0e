"""The message of a line of a stream: pieces of texts, and whole calls."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.ir.stream import events
from proxai_ir.ir.turns import ASSISTANT

from .._lib.part_sequence import PartSequence
from .._lib.reading import Object, json_text
from .parts import read_turn
from .response import name_calls


def read_parts(message: Object, first: Object, sequence: PartSequence) -> list[events.Event]:
    """`first`: the first line, by which calls without ids are named."""
    turn = read_turn(message, ASSISTANT)
    name_calls(turn.parts, first, sequence.calls)
    found: list[events.Event] = []
    for part in turn.parts:
        if isinstance(part, ir.FunctionCall):
            part.arguments = json_text(part.src["function"], "arguments")
        if not isinstance(part, ir.Text) or part.text:
            found += sequence.add(part)
    return [*found, *([events.UnmappedFields("Message", turn.extra, src=message)] if turn.extra else [])]
