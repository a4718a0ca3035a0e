"""The parts of a stream whose events have whole parts or pieces of text, and nothing for where parts begin and end."""

from __future__ import annotations

from proxai_ir.ir.parts import CustomCall, FunctionCall, Part, Reasoning, Text
from proxai_ir.ir.stream import events


class PartSequence:
    """Numbers, opens and closes the parts of one candidate in the order in which they come.

    Text and reasoning go on with the open part of their class; everything else is a part of its own. `calls`: how many
    of them were calls, whose arguments are JSON text, as in all streams of the IR.
    """

    def __init__(self) -> None:
        self.calls = 0
        self._count = -1
        self._open: type | None = None  # the class of the part with the last index

    def add(self, part: Part) -> list[events.Event]:
        if isinstance(part, (Text, Reasoning)):
            if type(part) is self._open:
                return [events.PartGrew(self._count, part.text)] if part.text else []
            opened = self._opened(part)
            self._open = type(part)
            return opened
        self.calls += isinstance(part, (FunctionCall, CustomCall))
        return [*self._opened(part), events.PartClosed(self._count)]

    def close(self) -> list[events.Event]:
        """The end of the part that is open, if one is."""
        closed, self._open = self._open, None
        return [] if closed is None else [events.PartClosed(self._count)]

    def _opened(self, part: Part) -> list[events.Event]:
        closed = self.close()
        self._count += 1
        return [*closed, events.PartOpened(self._count, part)]
