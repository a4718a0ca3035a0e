"""A refusal's wording counts once (REF-1), whatever the source puts it into.

Rule: for whole responses; a stream has sent a text by the time that a refusal repeats it (STR-11).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ir.parts import Part, Refusal, Text
from ..ir.response import Candidate, Response
from ..reporting.report import Report
from ..rules.constraints import Constraints


def leave_out_repetitions(root: Response, _: Constraints, report: Report, __: Mapping[str, Any]) -> None:
    """A text that is the whole wording of a refusal once more is that refusal (REF-11)."""
    for candidate in root.candidates:
        if candidate.refuses:
            _leave_out(candidate, report)


def _leave_out(candidate: Candidate, report: Report) -> None:
    wording = "".join(part.text for part in candidate.parts if type(part) is Refusal)
    for turn in candidate.turns if wording else ():
        parts: list[Part] = []
        for part in turn.parts:
            if type(part) is Text and part.text == wording and not part.citations:
                report.at("REF-11", part)
            else:
                parts.append(part)
        turn.parts = parts
