"""The report of a run: counts by file, rule and model, with an example of each rule."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import attrs

from ..reporting.catalogue import KNOWN
from .job import CONVERTED, LOSS, LOSSY, Counts, Tally

NO_PLACE = "This output has no place for it; an envelope has (--envelope)."
COUNTS = ("converted", "lossy", "refused", "blank")


@attrs.define
class FileReport:
    """The counts of one file, up to the `error` for which it was not read to its end, or not written."""

    file: str
    output: str | None
    converted: int = 0
    lossy: int = 0
    refused: int = 0
    blank: int = 0
    error: str | None = None
    sources: list[dict[str, Any]] = attrs.field(factory=list)
    """The protocols and kinds of converted rows, the most frequent first."""


@attrs.define
class Report:
    """The counts of a run, with its files in the order in which they were done."""

    src: str
    dst: str
    mode: str
    total: Tally = attrs.field(factory=Tally)
    files: list[FileReport] = attrs.field(factory=list)
    seconds: float = 0.0
    stopped: str | None = None
    """The reason why the run ended before the last file, with `fail_fast`."""
    unread: dict[str, int] = attrs.field(factory=dict)
    """The number of files in folders that were not read, by the end of their names, or ""."""
    earlier: int = 0
    """The rows that earlier runs had converted or refused."""
    outside: Collection[str] = ()
    """The rules that are losses here, as outputs have no place for their values."""

    @property
    def failed(self) -> list[FileReport]:
        return [one for one in self.files if one.error is not None]

    @property
    def complete(self) -> bool:
        """Whether every file was read and written."""
        return self.stopped is None and not self.failed

    @property
    def rate(self) -> float:
        """The rows a second of this run."""
        return (self.total.rows - self.earlier) / self.seconds if self.seconds else 0.0

    def severity(self, rule: str) -> str:
        if rule in self.outside:
            return LOSS
        return KNOWN[rule].severity if rule in KNOWN else "error"

    def sentence(self, rule: str) -> str:
        """Return a rule's sentence; for a loss that envelopes prevent, with a hint at them."""
        if rule not in KNOWN:
            return "The conversion failed with an error of the library."
        return f"{KNOWN[rule].sentence} {NO_PLACE}" if rule in self.outside else KNOWN[rule].sentence

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON, with lists that have the most frequent first.

        rules, refusals  the rules of converted rows, and of refused ones
        finishes         the endings of converted responses
        facts            rows of the table of models that were used for converted requests
        sources          the protocols and kinds of converted rows
        models           converted and lossy rows of each model that rows name, and how many of them report each rule
        """
        total = self.total
        return {
            "from": self.src,
            "to": self.dst,
            "mode": self.mode,
            "complete": self.complete,
            "stopped": self.stopped,
            "seconds": round(self.seconds, 3),
            "rows": total.rows,
            "earlier": self.earlier,
            **{name: getattr(total, name) for name in COUNTS},
            "rules": [self._rule(rule, one) for rule, one in by_rows(total.reported)],
            "refusals": [self._rule(rule, one) for rule, one in by_rows(total.refusals)],
            "finishes": [
                {"reason": reason, "raw": word or None, "count": count} for reason, word, count in ended(total)
            ],
            "facts": _facts(total.facts),
            "sources": sources_of(total),
            "models": [_of_model(model, total.models[model]) for model in by_use(total)],
            "files": [attrs.asdict(one) for one in self.files],
            "unread": self.unread,
        }

    def _rule(self, rule: str, count: Any) -> dict[str, Any]:
        about = {"severity": self.severity(rule), "sentence": self.sentence(rule)}
        return {"rule": rule, **about, "rows": count.rows, "example": count.example}


def by_rows(counts: Counts) -> list[tuple[str, Any]]:
    return sorted(counts.items(), key=lambda one: (-one[1].rows, one[0]))


def by_use(total: Tally) -> list[str]:
    """Return the models that rows name, the most frequent first."""
    return sorted(total.models, key=lambda model: (-total.models[model][CONVERTED], model))


def ended(total: Tally) -> list[tuple[str, str, int]]:
    """Return the endings of responses: reason, provider's word and number, the most frequent first."""
    found = [(reason, word, count) for reason, words in total.finishes.items() for word, count in words.items()]
    return sorted(found, key=lambda one: (-one[2], one))


def sources_of(tally: Tally) -> list[dict[str, Any]]:
    """Return the protocols and kinds of converted rows, the most frequent first."""
    found = sorted(tally.sources.items(), key=lambda one: (-one[1], one[0]))
    return [
        {"protocol": name, "kind": kind, "rows": rows} for (name, kind), rows in ((one.split(), n) for one, n in found)
    ]


def _of_model(model: str, counts: Mapping[str, int]) -> dict[str, Any]:
    about = {"model": model, CONVERTED: counts[CONVERTED], LOSSY: counts[LOSSY]}
    return {**about, "rules": rules_of_model(counts)}


def rules_of_model(counts: Mapping[str, int]) -> dict[str, int]:
    """Return how many rows of a model report each rule, the most frequent first."""
    return {rule: rows for rule, rows in sorted(counts.items(), key=lambda one: (-one[1], one[0])) if rule in KNOWN}


def _facts(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    if not counts:
        return []
    from ..profiles.vendors import FACTS  # a large table

    return [
        {
            "families": sorted((fact := FACTS[int(number)]).families),
            "settings": dict(fact.settings),
            "source": fact.source,
            "looked": fact.looked,
            "rows": count,
        }
        for number, count in sorted(counts.items(), key=lambda one: (-one[1], int(one[0])))
    ]
