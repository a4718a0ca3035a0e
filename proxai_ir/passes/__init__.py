"""From what the source said to what the target can say: the passes, in order.

`legalize` comes first: the others merge and move, and nobody could speak for what was merged away.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ..rules.legality import Target
from .adjacency import settle
from .legalize import Findings, legalize
from .pairing import pair
from .placement import place
from .profile import Placement

__all__ = ["Findings", "legalize", "pair", "place", "run", "settle"]

ORDER: tuple[Callable[[Any, Placement, Findings, Mapping[str, Any]], None], ...] = (place, settle, pair)
"""What follows legality."""


def run(root: Any, target: Target, placement: Placement, findings: Findings, options: Mapping[str, Any]) -> None:
    """Make `root`, the pipeline's own copy of a tree, legal for a target; what that cost is in `findings`."""
    legalize(root, target, findings, options)
    for step in ORDER:
        step(root, placement, findings, options)
