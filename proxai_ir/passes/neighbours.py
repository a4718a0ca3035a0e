"""Joins consecutive turns with the same role, for servers whose templates require the roles to alternate (PLC-5).

Rule: only the boundary between them is lost; where the joined turn cannot keep the order of its members, that is
reported as for every joined turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ir.request import Request
from ..ir.turns import ASSISTANT, USER, Turn
from ..reporting.report import Report
from ..rules.constraints import Constraints
from .joining import leave, members_of
from .placement import Interleaving


def alternates(constraints: Constraints) -> bool:
    return not constraints.role_neighbours


def join(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Join turns of the user, and of the assistant, that follow each other."""
    joined: list[Turn] = []
    interleaving: Interleaving | None = None  # of the last turn, where it was joined
    for turn in root.turns or ():
        before = joined[-1] if joined else None
        if before is None or turn.role is not before.role or turn.role not in (USER, ASSISTANT):
            joined.append(turn)
            interleaving = None
            continue
        leave(turn, report, name=before.name, members=members_of(before))
        if turn.role is ASSISTANT and not constraints.ordered:
            if interleaving is None:
                interleaving = Interleaving(report)
                interleaving.follow(before.parts)
            interleaving.follow(turn.parts)
        before.parts = [*before.parts, *turn.parts]
    root.turns = joined
