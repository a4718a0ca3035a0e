"""Counts of a chunk, a file or a run. Plain data that adds up, so that every process can count for itself.

Rule: a rule counts the rows that report it, not the places; its example is the first row in the order of the input.
"""

from __future__ import annotations

from typing import Any

import attrs

Example = dict[str, Any]
"""row, path, message; and in a report also file."""


@attrs.define
class Count:
    """How many rows report a rule, and the first of them."""

    rows: int
    example: Example


Counts = dict[str, Count]


@attrs.define
class Tally:
    """Rows by what became of them. `lossy` rows are among the converted ones; blank lines are no rows.

    `reported` has the rules of converted rows, `refusals` those of refused ones.
    """

    converted: int = 0
    lossy: int = 0
    refused: int = 0
    blank: int = 0
    reported: Counts = attrs.field(factory=dict)
    refusals: Counts = attrs.field(factory=dict)

    @property
    def rows(self) -> int:
        return self.converted + self.refused

    def add(self, other: Tally, file: str | None = None) -> None:
        """Adds what comes later in the input. `file`: its name, which examples then have."""
        self.converted += other.converted
        self.lossy += other.lossy
        self.refused += other.refused
        self.blank += other.blank
        for own, more in ((self.reported, other.reported), (self.refusals, other.refusals)):
            for rule, count in more.items():
                if rule in own:
                    own[rule].rows += count.rows
                else:
                    example = count.example if file is None else {"file": file, **count.example}
                    own[rule] = Count(count.rows, example)

    def as_json(self) -> dict[str, Any]:
        return attrs.asdict(self)

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Tally:
        counts = {
            name: {rule: Count(**count) for rule, count in kept[name].items()} for name in ("reported", "refusals")
        }
        return cls(kept["converted"], kept["lossy"], kept["refused"], kept["blank"], **counts)
