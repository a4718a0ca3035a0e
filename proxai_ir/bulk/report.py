"""What a run reports: counts of all files, per file and per rule, with an example of each rule."""

from __future__ import annotations

from typing import Any

import attrs

from ..reporting.catalogue import KNOWN
from .models import described
from .tally import Counts, Tally

COUNTS = ("converted", "lossy", "refused", "blank")


@attrs.define
class FileReport:
    """One file. `error`: why it was not read to its end or not written; its rows up to there are counted."""

    file: str
    output: str | None
    converted: int = 0
    lossy: int = 0
    refused: int = 0
    blank: int = 0
    error: str | None = None


@attrs.define
class Report:
    """The counts of a run, with its files in the order in which they were done. `complete`: whether every file was read
    and written."""

    src: str
    dst: str
    mode: str
    total: Tally = attrs.field(factory=Tally)
    files: list[FileReport] = attrs.field(factory=list)
    seconds: float = 0.0
    stopped: str | None = None
    """Why the run ended before the last file, with `fail_fast`."""
    unread: dict[str, int] = attrs.field(factory=dict)
    """How many files of the folders were not read, by the end of their names; "" for names without one."""

    @property
    def failed(self) -> list[FileReport]:
        return [one for one in self.files if one.error is not None]

    @property
    def complete(self) -> bool:
        return self.stopped is None and not self.failed

    def as_json(self) -> dict[str, Any]:
        """Plain data. `rules` lists the rules of converted rows, `refusals` those of refused ones, `finishes` how
        converted responses ended, and `facts` what of the table of models converted requests were made for: the most
        frequent first."""
        total = self.total
        return {
            "from": self.src,
            "to": self.dst,
            "mode": self.mode,
            "complete": self.complete,
            "stopped": self.stopped,
            "seconds": round(self.seconds, 3),
            "rows": total.rows,
            **{name: getattr(total, name) for name in COUNTS},
            "rules": [_rule(rule, one) for rule, one in by_rows(total.reported)],
            "refusals": [_rule(rule, one) for rule, one in by_rows(total.refusals)],
            "finishes": [
                {"reason": reason, "raw": word or None, "count": count} for reason, word, count in ended(total)
            ],
            "facts": described(total.facts.items()),
            "files": [attrs.asdict(one) for one in self.files],
            "unread": self.unread,
        }


def by_rows(counts: Counts) -> list[tuple[str, Any]]:
    return sorted(counts.items(), key=lambda one: (-one[1].rows, one[0]))


def ended(total: Tally) -> list[tuple[str, str, int]]:
    """How responses ended: the reason, the provider's word, and how many, the most frequent first."""
    found = [(reason, word, count) for reason, words in total.finishes.items() for word, count in words.items()]
    return sorted(found, key=lambda one: (-one[2], one))


def severity(rule: str) -> str:
    return KNOWN[rule].severity if rule in KNOWN else "error"


def sentence(rule: str) -> str:
    return KNOWN[rule].sentence if rule in KNOWN else "The conversion failed with an error of the library."


def _rule(rule: str, count: Any) -> dict[str, Any]:
    return {
        "rule": rule,
        "severity": severity(rule),
        "sentence": sentence(rule),
        "rows": count.rows,
        "example": count.example,
    }
