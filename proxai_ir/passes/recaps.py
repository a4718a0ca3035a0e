"""Drops turns that a later summary replaces, as only its own provider leaves them out of the prompt (PLC-63).

Rule: runs before all other passes, so that dropped turns have no other findings. Instructions stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ir.request import Request
from ..reporting.report import Report
from ..rules.constraints import Constraints
from .instructions import INSTRUCTIONS


def leave_out_summarised(root: Request, _: Constraints, report: Report, __: Mapping[str, Any]) -> None:
    """Drop all turns before the last one that begins with a summary."""
    turns = root.turns or []
    last = max((index for index, turn in enumerate(turns) if turn.recap), default=0)
    kept = [turn for turn in turns[:last] if turn.role in INSTRUCTIONS]
    for turn in turns[:last]:
        if turn.role not in INSTRUCTIONS:
            report.at("PLC-63", turn)
    root.turns = [*kept, *turns[last:]]
