"""Checks of the table of Interactions: what no single field of a request shows.

Rule: a check acts where it reports.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from proxai_ir import ir
from proxai_ir.binding.server import Server
from proxai_ir.ir.parts import FunctionCall, Reasoning, Text
from proxai_ir.ir.turns import ASSISTANT, DEVELOPER, SYSTEM, Turn
from proxai_ir.reporting.report import Report
from proxai_ir.rules.defaults import UNSTORED
from proxai_ir.wire import gemini_interactions as wire

from .conditions import is_placeholder


def one_instruction(root: ir.Request, report: Report, server: Server) -> None:
    """The texts of the instructions that a conversation begins with are one string (PLC-8)."""
    leading = [*takewhile(lambda turn: turn.role in (SYSTEM, DEVELOPER), root.turns or ())]
    texts = [part for turn in leading for part in turn.parts if isinstance(part, Text)]
    if len(texts) > 1:
        for part in texts[1:]:
            report.at("PLC-8", part)
        leading[0].parts = [Text(wire.LINE.join(part.text for part in texts), src=texts[0].src)]
        root.turns = [leading[0], *(root.turns or ())[len(leading) :]]


def unstored(root: ir.Request, report: Report, server: Server) -> None:
    """Servers without `store` store no responses (CAP-4)."""
    if server.store:
        UNSTORED.run(root, report, server)


# --- signatures -------------------------------------------------------------------------------------------------------


def signed(root: ir.Request, report: Report, server: Server) -> None:
    """Each thought has its signature (RSN-5, RSN-90); calls that have none are named (RSN-40)."""
    answer: list[Turn] = []
    for turn in (*(root.turns or ()), None):
        if turn is not None and turn.role is ASSISTANT:
            answer.append(turn)
        elif answer:
            _Response(report).sign(answer)
            answer = []


class _Response:
    """The thoughts and calls of one response, in order.

    waiting  texts of reasoning without a signature so far, the last ones of which a signature is the next
    dropped  parts that are not sent, by id
    signed   whether a signature came before, which is all that a call needs
    called   whether a call came before: further ones of a response have no signature
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._waiting: list[tuple[Turn, Reasoning]] = []
        self._dropped: set[int] = set()
        self._signed = self._called = self._interrupted = False

    def sign(self, turns: list[Turn]) -> None:
        for turn in turns:
            for part in turn.parts:
                if type(part) is Reasoning:
                    self._reasoning(turn, part)
                else:
                    self._other(part)
        self._leave_out()
        for turn in turns if self._dropped else ():
            turn.parts = [part for part in turn.parts if id(part) not in self._dropped]
            self._report.facts.emptied = self._report.facts.emptied or not turn.parts

    def _reasoning(self, turn: Turn, part: Reasoning) -> None:
        if self._without_placeholder(part) and not part.text:
            self._dropped.add(id(part))
            return
        if part.text and self._interrupted:
            self._leave_out()
        if part.seal is None:
            self._interrupted = False
            self._waiting.append((turn, part))
            return
        self._signed = True
        if self._waiting and not part.text and (self._interrupted or self._waiting[-1][0] is not turn):
            self._report.at("RSN-90", part)
            self._waiting[-1][1].seal = part.seal
            self._dropped.add(id(part))
        self._waiting = []

    def _other(self, part: Any) -> None:
        stood_in = self._without_placeholder(part)
        seal = getattr(part, "seal", None)
        if seal is not None:
            self._signed = True
            if self._waiting:
                self._waiting[-1][1].seal, part.seal = seal, None
                self._waiting = []
        self._interrupted = True
        if type(part) is FunctionCall:
            self._leave_out()
            if not (self._signed or self._called or stood_in):
                self._report.at("RSN-40", part)
            self._called = True

    def _without_placeholder(self, part: Any) -> bool:
        if getattr(part, "seal", None) is None or not is_placeholder(part):
            return False
        self._report.at("RSN-40", part, "seal")
        part.seal = None
        return True

    def _leave_out(self) -> None:
        """Reasoning that got no signature."""
        for _, part in self._waiting:
            self._report.at("RSN-5", part)
            self._dropped.add(id(part))
        self._waiting = []
