"""The options of a conversion: which there are, what they are where nobody gives them, and strict mode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .passes.emulation import CUSTOM_TOOLS
from .registry import Backend, Frontend
from .report import Report
from .rules.catalogue import ERRORS, LOSSES

SHARED = frozenset({"strict", "model", "status", "buffer_limit", "carry_seals", "emulate", "state"})
EMULATIONS = frozenset({CUSTOM_TOOLS})
"""What the option `emulate` may name, and `state` hold."""


def understood(options: Mapping[str, Any], back: Backend, front: Frontend | None = None) -> Mapping[str, Any]:
    """The options with the defaults of those that were not given. Raises TypeError for unknown ones."""
    known = {**front.options, **back.options} if front is not None and front.options else back.options
    if not options:
        return known
    unknown = options.keys() - SHARED - known.keys()
    if unknown:
        names = ", ".join(sorted(SHARED | known.keys()))
        raise TypeError(f"unknown options {sorted(unknown)}; {back.protocol} accepts {names}")
    _check_emulation(options.get("emulate", ()), options.get("state", {}))
    return {**known, **options}


def _check_emulation(emulate: Any, state: Any) -> None:
    if not isinstance(emulate, (tuple, list, set, frozenset)) or not EMULATIONS.issuperset(emulate):
        raise TypeError(
            f"option 'emulate' is {emulate!r:.80}; expected a tuple of these names: {', '.join(EMULATIONS)}"
        )
    lists = list(state.values()) if isinstance(state, Mapping) and EMULATIONS.issuperset(state) else [None]
    if not all(isinstance(names, (list, tuple)) and all(isinstance(one, str) for one in names) for names in lists):
        raise TypeError(f"option 'state' is {state!r:.80}; expected the `state` that converting the request returned")


def new_report(front: Frontend | None, back: Backend, options: Mapping[str, Any]) -> Report:
    """An empty report of a conversion of what this frontend read; strict mode stops at losses too (LOS-2)."""
    stops = LOSSES | ERRORS if options.get("strict") else ERRORS
    limits = back.target.limits
    if front is None:
        return Report({}, {}, stops, limits)
    return Report(front.vendor_fields, front.wire_paths, stops, limits)
