"""What it costs to make one turn of two: it has the parts of both, but one name, and one set of settings and members.

Rule: passes that join turns, or give the parts of one to another, do it with these functions, so that nothing that a
turn has besides its parts vanishes unreported.
"""

from __future__ import annotations

from typing import Any

from ..ir.turns import Turn, TurnSettings
from ..reporting.report import Report


def on_the_same_terms(before: Turn, turn: Turn) -> bool:
    """Whether what two turns say lasts equally long, and neither has members of its own that the other has not."""
    return _passing(before) == _passing(turn) and members_of(before) == members_of(turn)


def join(before: Turn, turn: Turn, report: Report) -> None:
    """Add a turn on the same terms to the one before it; of what both set, the later counts (RSN-45)."""
    before.parts = [*before.parts, *turn.parts]
    if turn.settings is not None:
        before.settings = _latest(before.settings, turn.settings, report)
    leave(turn, report, name=before.name, members=members_of(before))


def leave(turn: Turn, report: Report, *, name: str | None = None, members: Any = None) -> None:
    """Report the name and the members of a turn whose parts go to another one, which may have the same."""
    if turn.name is not None and turn.name != name:
        report.at("USR-4", turn, "name")
    if turn.extra is not None and members_of(turn) != members:
        report.extra_fields(turn)


def members_of(turn: Turn) -> Any:
    """The members that only the turn's own protocol has."""
    return None if turn.extra is None else turn.extra.fields


def _passing(turn: Turn) -> bool:
    return turn.settings is not None and bool(turn.settings.passing)


def _latest(before: TurnSettings | None, after: TurnSettings, report: Report) -> TurnSettings:
    for name in ("thinking", "output") if before is not None else ():
        old, new = getattr(before, name), getattr(after, name)
        if new is None:
            setattr(after, name, old)
        elif old is not None and old != new:
            report.at("RSN-45", before, name)
    return after
