"""Sum up diagnostics for readers: equal ones are one finding with all its places, the gravest first (LOS-5).

Nothing is left out. Diagnostics have an entry for every place, so that programs can account for every value; findings
say the same to people.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from .diagnostics import ROOT, Diagnostic, Severity

GRAVEST_FIRST = (Severity.ERROR, Severity.LOSS, Severity.INFO)


class Remedy(NamedTuple):
    """A change to a conversion that removes a finding. `str` writes it as in Python.

    kind      "option": the caller may choose it for any server; "capability": only if the server has it; "profile":
              another server of proxai_ir.profiles; "model": another model of the table of models
    name      the name of the option, capability, profile or model
    value     the value of an option or a capability
    leaves    the rules of the losses that are then reported instead of the finding
    protocol  of a capability: the protocol of the server, whose Profile states it
    """

    kind: Literal["option", "capability", "profile", "model"]
    name: str
    value: Any = None
    leaves: tuple[str, ...] = ()
    protocol: str = ""

    def __str__(self) -> str:
        if self.kind == "profile":
            return self.with_condition(f"profiles.{self.name}")
        if self.kind == "model":
            return self.with_condition(f"the model {self.name!r}")
        stated = repr(self.value) if self.name == "version" else f"{self.name}={self.value!r}"
        return self.with_condition(f"Profile({self.protocol!r}, {stated})" if self.kind == "capability" else stated)

    def with_condition(self, written: str) -> str:
        """Return a written change, followed by its condition and by the losses that it leaves."""
        leaves = f" (then {', '.join(self.leaves)})" if self.leaves else ""
        return written + CONDITIONS.get(self.kind, "") + leaves


CONDITIONS = {"capability": ", if the server has it", "profile": ", if it is that server"}


class Finding(NamedTuple):
    """All diagnostics with one rule and message.

    `paths` are the places, in the order of the payload or of a stream's events. `remedies`: changes by which the caller
    can remove the finding, which `proxai_ir.remedies` finds by trial.
    """

    rule: str
    severity: Severity
    paths: tuple[str, ...]
    message: str
    remedies: tuple[Remedy, ...] = ()

    def __str__(self) -> str:
        return f"{self.severity} {self.rule} {self.where} {self.message}"

    @property
    def code(self) -> str:
        """An alias of `rule`."""
        return self.rule

    @property
    def where(self) -> str:
        """The first place, and the number of further ones."""
        more = len(self.paths) - 1
        return f"{self.paths[0] or ROOT}{f' and {more} more' if more else ''}"


def findings(diagnostics: Iterable[Diagnostic]) -> tuple[Finding, ...]:
    """Return one finding for all diagnostics with the same rule and message."""
    return summed_up((one, ()) for one in diagnostics)


def summed_up(diagnostics: Iterable[tuple[Diagnostic, tuple[Remedy, ...]]]) -> tuple[Finding, ...]:
    """Return one finding for all diagnostics with the same rule, message and remedies."""
    places: dict[tuple[str, Severity, str, tuple[Remedy, ...]], list[str]] = {}
    for (rule, severity, path, message), remedies in diagnostics:
        places.setdefault((rule, severity, message, remedies), []).append(path)
    found = [
        Finding(rule, severity, tuple(sorted(paths, key=in_order)), message, remedies)
        for (rule, severity, message, remedies), paths in places.items()
    ]
    return tuple(sorted(found, key=lambda one: (GRAVEST_FIRST.index(one.severity), in_order(one.paths[0]))))


def in_order(path: str) -> list[tuple[int, int, str]]:
    """Return a sort key for pointers: items of arrays by number, members by name."""
    return [(0, int(step), "") if step.isdigit() and len(step) < 20 else (1, 0, step) for step in path.split("/")[1:]]


def summary(found: Iterable[Finding]) -> str:
    """Return the numbers of refusals, losses and notes in words: `12 values lost, 3 notes`. A value counts once."""
    found = tuple(found)
    refused, notes = (sum(one.severity is severity for one in found) for severity in (Severity.ERROR, Severity.INFO))
    lost = len({path for one in found if one.severity is Severity.LOSS for path in one.paths})
    words = [f"{refused} reason{'s' if refused > 1 else ''}"] if refused else []
    words += [f"{lost} value{'s' if lost > 1 else ''} lost" if lost else "nothing lost"] if lost or not refused else []
    words += [f"{notes} note{'s' if notes > 1 else ''}"] if notes else []
    return ", ".join(words)
