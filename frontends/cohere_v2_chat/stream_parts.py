"""The parts of a stream of /v2/chat (STR-8): content by its index, calls by theirs, the plan as a text of its own.

Rule: a part ends with its own event; the plan, which has none, with the next event of another kind.
"""

from __future__ import annotations

from proxai_ir.ir.parts import Part, Text
from proxai_ir.ir.stream import events
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import cohere_v2_chat as wire

from .._lib.reading import Object, optional
from .parts import ASSISTANT, citations

Found = list[events.Event]
Key = tuple[str, int]
PLAN: Key = ("plan", 0)
MEMBER: dict[type, str] = {type(read({"type": kind, kind: ""})): kind for kind, read in ASSISTANT.items()}
"""The member of a delta that has the text, by the class of the part."""


class Parts:
    """`open`: the key of the part that is open; `known`: the index of every part in the IR, and its beginning."""

    def __init__(self) -> None:
        self.open: Key | None = None
        self.known: dict[Key, tuple[int, Part]] = {}

    def begin(self, key: Key, part: Part, event: Object) -> Found:
        closed = self.close() if self.open == PLAN else []
        if key in self.known or self.open is not None:
            raise Refusal("STR-9", (event, "type"), "expected the end of the open part, and an index of its own")
        index = len(self.known)
        self.open, self.known[key] = key, (index, part)
        return [*closed, events.PartOpened(index, part)]

    def grown(self, key: Key, event: Object) -> tuple[int, Part]:
        """The open part, which must be this one."""
        if self.open != key:
            raise Refusal("STR-9", (event, "type"), "expected an event of the open part")
        return self.known[key]

    def plan(self, event: Object, text: str) -> Found:
        if self.open != PLAN:
            return self.begin(PLAN, Text(text, src=(event["delta"]["message"], "tool_plan")), event)
        return [events.PartGrew(self.known[PLAN][0], text)] if text else []

    def close(self) -> Found:
        """The end of the part that is open, if one is."""
        closed, self.open = self.open, None
        return [] if closed is None else [events.PartClosed(self.known[closed][0])]

    def cited(self, one: Object) -> Found | None:
        """A citation of a text that there is; None where there is none."""
        kind, index = optional(one, "type", str), optional(one, "content_index", int)
        if kind not in (None, wire.TEXT_CITED, wire.PLAN_CITED):
            return None
        wanted = PLAN if kind == wire.PLAN_CITED else ("content", index)
        for key, (number, part) in self.known.items():
            if isinstance(part, Text) and (key == wanted or (index is None and wanted != PLAN)):
                return [events.PartCited(number, cited) for cited in citations(one)]
        return None
