"""Calls of a stream whose arguments are no object, which shows when they have been sent (TUL-1, TUL-29)."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir.response import Candidate
from proxai_ir.ir.terminal import CUT_OFF
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.rules.conditions import flaw_of_arguments


class BrokenCalls:
    """Those of one stream. Only its last call may be one, where the response was cut off."""

    def __init__(self) -> None:
        self._found: list[tuple[Any, Refusal]] = []

    def closed(self, call: Any, arguments: str) -> bool:
        """Whether the arguments are no object."""
        flaw = flaw_of_arguments(arguments)
        if flaw:
            self._found.append((call, Refusal("TUL-1", call.src, flaw)))
        return bool(flaw)

    def cut_off(self, call: Any) -> None:
        """A call that broke off before any arguments."""
        self._found.append((call, Refusal("TUL-1", call.src, "no arguments")))

    def go_on(self) -> None:
        """Before another part, where a broken call has not been sent. Raises Refusal."""
        for _, refusal in self._found:
            raise refusal

    def ended(self, candidate: Candidate, last: Any) -> None:
        """`last`: the last part. Raises Refusal."""
        for call, refusal in self._found:
            if candidate.terminal.reason not in CUT_OFF or call is not last:
                raise refusal

    def last(self, sent: str) -> tuple[Any, str] | None:
        """What `StreamWriter.broken_off` returns."""
        return (self._found[-1][0], sent) if self._found else None


SENT = "what there was of it has been sent"
