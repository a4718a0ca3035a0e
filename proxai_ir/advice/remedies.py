"""Find remedies: each change is tried by another conversion, so that a remedy is true by construction (LOS-5).

Rule 1: a change is a remedy of a finding if it removes the finding and adds no new or graver one. Rule 2: an option may
replace a loss by another one at the same place; the remedy names it. Rule 3: conversions do not import this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, Unpack, cast

from ..api import Kind, Server, check
from ..conversion.bytes import BINARY, parsed
from ..conversion.settings import Options
from ..protocol.detection import kind_of
from ..protocol.registry import frontend
from ..reporting.diagnostics import Diagnostic, Severity, TranslationError
from ..reporting.digest import Finding, Remedy, summed_up
from .changes import applied, changes

MOST = 3
"""The most remedies of a finding that are named, the best first."""
Json = Any
WEIGHTS = {Severity.INFO: 0, Severity.LOSS: 1, Severity.ERROR: 2}
LOST = 1

Place = tuple[str, str]
"""Rule and pointer."""
Weights = Mapping[Place, int]


class Trial(NamedTuple):
    """The effect of a change: the findings that it removes, and those that it adds."""

    change: Remedy
    gone: set[Place]
    new: set[Place]
    found: Weights

    def of(self, place: Place, weight: int) -> Remedy | None:
        """Return the change as a remedy of a finding, or None if it is none."""
        if place not in self.gone or (weight < LOST and self.change.kind != "capability"):
            return None
        new = [one for one in self.new if self.found[one] >= min(weight, LOST)]
        if weight > LOST:  # a refusal hides losses
            if any(self.found[one] > LOST for one in new):
                return None
            new = [one for one in new if one[1] == place[1]]
        elif new and not self._instead(new):
            return None
        return self.change._replace(leaves=tuple(sorted({rule for rule, _ in new})))

    def _instead(self, new: Iterable[Place]) -> bool:
        """Return whether all new findings are losses at places of removed ones."""
        places = {path for _, path in self.gone}
        return self.change.kind == "option" and all(one[1] in places and self.found[one] == LOST for one in new)


def remedies(
    payload: Json, src: Server, dst: Server, *, kind: Kind | None = None, **options: Unpack[Options]
) -> tuple[Finding, ...]:
    """Return the findings of a conversion, as `findings(check(…))` does, each with the changes that remove it.

    The payload is converted again with each single change that the target's table, the options, the profiles and the
    table of models suggest; those that remove the finding and cost nothing else are named. Raises as `check` does.
    """
    return remedied(check(payload, src, dst, kind=kind, **options), payload, src, dst, kind, options)


def remedied(
    diagnostics: Iterable[Diagnostic],
    payload: Json,
    src: Server,
    dst: Server,
    kind: Kind | None,
    options: Mapping[str, Any],
) -> tuple[Finding, ...]:
    """Return findings with remedies for known diagnostics; those that this conversion does not report get none."""
    diagnostics = tuple(diagnostics)
    if isinstance(payload, BINARY) and kind != "stream":
        with suppress(TranslationError):
            read = parsed(payload, kind)
            payload = read if isinstance(read, (dict, list)) else payload  # text is read from bytes
    kind = kind or _kind(payload, src)
    lenient = {name: value for name, value in options.items() if name not in ("strict", "accept")}
    before = _weights(check(payload, src, dst, kind=kind, **lenient))
    trials = [*_trials(payload, src, dst, kind, lenient, before)]
    return summed_up((one, _best(trials, (one.rule, one.path), before)) for one in diagnostics)


def _trials(
    payload: Json, src: Server, dst: Server, kind: Kind | None, options: Mapping[str, Any], before: Weights
) -> Iterable[Trial]:
    lost = {rule for (rule, _), weight in before.items() if weight >= LOST}
    noted = {rule for (rule, _), weight in before.items() if weight < LOST}
    if not before:
        return
    for change in changes(src, dst, kind, options, lost, noted):
        server, given = applied(change, dst, options)
        after = _weights(check(payload, src, server, kind=kind, **given))
        gone = {place for place, weight in before.items() if after.get(place, -1) < weight}
        if gone:
            new = {place for place, weight in after.items() if before.get(place, -1) < weight}
            yield Trial(change, gone, new, after)


def _best(trials: Iterable[Trial], place: Place, before: Weights) -> tuple[Remedy, ...]:
    """Return one remedy of each option and capability, one profile and one model, first those without new losses."""
    weight = before.get(place)
    if weight is None:
        return ()
    found: dict[str, Remedy] = {}
    for trial in trials:
        made = trial.of(place, weight)
        if made is not None:
            name = made.kind if made.kind in ("profile", "model") else made.name
            if name not in found or len(made.leaves) < len(found[name].leaves):
                found[name] = made
    return tuple(sorted(found.values(), key=lambda one: bool(one.leaves))[:MOST])


def _weights(diagnostics: Iterable[Diagnostic]) -> dict[Place, int]:
    found: dict[Place, int] = {}
    for one in diagnostics:
        place = one.rule, one.path
        found[place] = max(found.get(place, 0), WEIGHTS[one.severity])
    return found


def _kind(payload: Json, src: Server) -> Kind | None:
    if isinstance(payload, list):
        return "stream"
    return cast("Kind | None", kind_of(frontend(src), payload))
