"""From what the source said to what the target can say: the passes, in order.

`legalize` comes before what merges and moves, since nobody could speak for what was merged away; before it come those
that the caller asks for, which say in other words what the target would not get.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ..report import Report
from ..rules.constraints import Constraints
from ..rules.verdicts import Target
from . import adjacency, cache_breakpoints, emulation, envelopes, legalize, pairing, placement

Pass = Callable[[Any, Constraints, Report, Mapping[str, Any]], None]

ORDER: tuple[Pass, ...] = (
    placement.place,
    adjacency.regroup_tool_turns,
    pairing.pair,
    cache_breakpoints.limit_cache_breakpoints,
)
"""What follows legality."""


def run(root: Any, target: Target, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Make `root`, the pipeline's own copy of a tree, legal for a target; what that cost is in `report`."""
    if "emulate" in options or "state" in options:
        emulation.emulate(root, target, report, options)
    if "carry_seals" in options:
        envelopes.carry_seals(root, constraints, report, options)
    legalize.legalize(root, target, report, options)
    for step in ORDER:
        step(root, constraints, report, options)
