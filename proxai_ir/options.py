"""The options of a conversion: which there are, their types, their defaults, and strict mode.

Rule: an option of an unknown name or a wrong type is a TypeError of the caller, raised before anything is converted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .passes.emulation import CUSTOM_TOOLS
from .registry import Backend, Frontend
from .report import Report
from .rules.catalogue import ERRORS, LOSSES

SHARED: dict[str, type] = {
    "strict": bool,
    "model": str,
    "response_id": str,
    "status": int,
    "buffer_limit": int,
    "carry_seals": bool,
    "emulate": tuple,
    "state": dict,
}
"""Options of every protocol, by type; those of one protocol have the types of their defaults."""

CHOICES: dict[str, tuple[str, ...]] = {
    "refusal_status": ("failed", "completed"),
    "usage": ("finish_chunk", "usage_chunk", "running"),
}
"""The values of options that are one of a few words."""

NAMES = {bool: "True or False", str: "a string", int: "an integer"}
EMULATIONS = frozenset({CUSTOM_TOOLS})
"""What the option `emulate` may name, and `state` hold."""


def understood(options: Mapping[str, Any], back: Backend, front: Frontend | None = None) -> Mapping[str, Any]:
    """The options with the defaults of those that were not given. Raises TypeError."""
    defaults = {**front.options, **back.options} if front is not None and front.options else back.options
    if not options:
        return defaults
    unknown = options.keys() - SHARED.keys() - defaults.keys()
    if unknown:
        names = ", ".join(sorted(SHARED.keys() | defaults.keys()))
        raise TypeError(f"unknown options {sorted(unknown)}; {back.protocol} accepts {names}")
    for name, value in options.items():
        _check(name, value, SHARED.get(name) or type(defaults[name]))
    return {**defaults, **options}


def _check(name: str, value: Any, kind: type) -> None:
    if name == "emulate":
        _check_emulate(value)
    elif name == "state":
        _check_state(value)
    elif name in CHOICES:
        if value not in CHOICES[name]:
            raise TypeError(f"option {name!r} is {value!r:.80}; expected one of {', '.join(CHOICES[name])}")
    elif type(value) is not kind and not (value is None and name in SHARED):
        raise TypeError(f"option {name!r} is {value!r:.80}; expected {NAMES.get(kind, kind.__name__)}")


def _check_emulate(emulate: Any) -> None:
    if not isinstance(emulate, (tuple, list, set, frozenset)) or not _all_strings(emulate, EMULATIONS):
        raise TypeError(
            f"option 'emulate' is {emulate!r:.80}; expected a tuple of these names: {', '.join(EMULATIONS)}"
        )


def _check_state(state: Any) -> None:
    sound = isinstance(state, Mapping) and EMULATIONS.issuperset(state)
    if not sound or not all(isinstance(names, (list, tuple)) and _all_strings(names) for names in state.values()):
        raise TypeError(f"option 'state' is {state!r:.80}; expected the `state` that converting the request returned")


def _all_strings(values: Any, known: frozenset[str] | None = None) -> bool:
    return all(isinstance(one, str) and (known is None or one in known) for one in values)


def new_report(front: Frontend | None, back: Backend, options: Mapping[str, Any]) -> Report:
    """An empty report of a conversion of what this frontend read; strict mode stops at losses too (LOS-2)."""
    stops = LOSSES | ERRORS if options.get("strict") else ERRORS
    limits = back.target.limits
    if front is None:
        return Report({}, {}, stops, limits)
    return Report(front.vendor_fields, front.wire_paths, stops, limits, front.refused)
