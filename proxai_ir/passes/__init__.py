"""The passes, in order: from the tree that a frontend read to the tree that a backend writes.

Legality comes before what merges and moves turns, since a merged turn cannot be judged any more. Before it come the
passes that the caller asks for, which give the target another form of what it would not get.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ..ir.error import Error
from ..ir.request import Request
from ..ir.response import Response
from ..report import Report
from ..rules.constraints import Constraints
from ..rules.verdicts import Target
from . import (
    adjacency,
    cache_breakpoints,
    emulation,
    envelopes,
    last_turn,
    late_results,
    pairing,
    placement,
    refusals,
    repair,
    strings,
)

Pass = Callable[[Any, Constraints, Report, Mapping[str, Any]], None]

AFTER_LEGALITY: dict[type, tuple[tuple[Pass, Callable[[Constraints], bool] | None], ...]] = {
    Request: (
        (placement.place, None),
        (late_results.bring_forward, None),
        (adjacency.regroup_tool_turns, None),
        (last_turn.end, last_turn.needed),
        (pairing.pair, None),
        (strings.join_texts, strings.needed),
        (cache_breakpoints.limit_cache_breakpoints, cache_breakpoints.needed),
    ),
    Response: ((placement.place, None), (pairing.pair, None)),
    Error: (),
}
"""The passes that follow legality, in order, for each class of root: each with the targets that need it (None: all)."""


WHOLE: dict[type, tuple[Pass, ...]] = {Response: (refusals.leave_out_repetitions,)}
"""The passes between legality and those that follow it, for what is whole: an outline of a stream has no wording."""


def on_whole(cls: type) -> tuple[Pass, ...]:
    return WHOLE.get(cls, ())


def after_legality(cls: type, constraints: Constraints) -> tuple[Pass, ...]:
    """The passes that a target needs."""
    return tuple(run for run, needed in AFTER_LEGALITY[cls] if needed is None or needed(constraints))


def on_request(root: Any, target: Target, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """The passes that come before legality, where the caller's options ask for them.

    Signatures are of calls of functions: they are put in envelopes before such calls become those of other tools, and
    given back after.
    """
    carries = "carry_seals" in options or "seal_keys" in options
    if carries and not isinstance(root, Request):
        envelopes.carry_seals(root, constraints, report, options)
    if "emulate" in options or "state" in options:
        emulation.emulate(root, target, constraints, report, options)
    if "repair" in options:  # the calls of emulated tools as well
        repair.repair(root, constraints, report, options)
    if carries and isinstance(root, Request):
        envelopes.carry_seals(root, constraints, report, options)
