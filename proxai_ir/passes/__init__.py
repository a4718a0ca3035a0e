"""From what the source said to what the target can say: the passes, in order.

`legalize` comes before what merges and moves, since nobody could speak for what was merged away; before it come those
that the caller asks for, which say in other words what the target would not get.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ..rules.legality import Target
from .adjacency import settle
from .emulation import emulate
from .envelopes import carry_seals
from .legalize import Findings, legalize
from .markers import limit_markers
from .pairing import pair
from .placement import place
from .profile import Placement

__all__ = ["Findings", "legalize", "pair", "place", "run", "settle"]

Pass = Callable[[Any, Placement, Findings, Mapping[str, Any]], None]

ORDER: tuple[Pass, ...] = (place, settle, pair, limit_markers)
"""What follows legality."""


def run(root: Any, target: Target, placement: Placement, findings: Findings, options: Mapping[str, Any]) -> None:
    """Make `root`, the pipeline's own copy of a tree, legal for a target; what that cost is in `findings`."""
    if "emulate" in options or "state" in options:
        emulate(root, target, findings, options)
    if "carry_seals" in options:
        carry_seals(root, placement, findings, options)
    legalize(root, target, findings, options)
    for step in ORDER:
        step(root, placement, findings, options)
