"""The options of a conversion: which there are, what they are where nobody gives them, and strict mode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .passes import Findings
from .registry import Backend, Frontend
from .rules.catalogue import ERRORS, LOSSES

SHARED = frozenset({"strict", "model", "status", "buffer_limit", "carry_seals"})


def understood(options: Mapping[str, Any], back: Backend, front: Frontend | None = None) -> Mapping[str, Any]:
    """The options with the defaults of those that were not given. Raises TypeError for unknown ones."""
    known = {**front.options, **back.options} if front is not None and front.options else back.options
    if not options:
        return known
    unknown = options.keys() - SHARED - known.keys()
    if unknown:
        names = ", ".join(sorted(SHARED | known.keys()))
        raise TypeError(f"unknown options {sorted(unknown)}; {back.protocol} understands {names}")
    return {**known, **options}


def new_findings(front: Frontend | None, options: Mapping[str, Any]) -> Findings:
    """An empty account of a conversion of what this frontend read; strict mode stops at losses too (LOS-2)."""
    stops = LOSSES | ERRORS if options.get("strict") else ERRORS
    return Findings(front.natives, front.places, stops) if front is not None else Findings({}, {}, stops)
