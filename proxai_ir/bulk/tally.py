"""Counts of a chunk, a file or a run. Plain data that adds up, so that every process can count for itself.

Rule: a rule counts the rows that report it, not the places; its example is the first row in the order of the input.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from ..ir.response import Finish

Example = dict[str, Any]
"""row, path, message; and in a report also file."""


@attrs.define
class Count:
    """How many rows report a rule, and the first of them."""

    rows: int
    example: Example


Counts = dict[str, Count]
MOST_WORDS = 100
LONGEST_WORD = 100
OTHER = "(other)"
ONE_EACH: Mapping[str, int] = {}


@attrs.define
class Tally:
    """Rows by what became of them. `lossy` rows are among the converted ones; blank lines are no rows.

    `reported` has the rules of converted rows, `refusals` those of refused ones. `finishes`: how converted responses
    ended, by reason and by the provider's own word, "" where it has none: each candidate counts. `facts`: of the table
    of models, the rows that converted requests were made for, by number.
    """

    converted: int = 0
    lossy: int = 0
    refused: int = 0
    blank: int = 0
    reported: Counts = attrs.field(factory=dict)
    refusals: Counts = attrs.field(factory=dict)
    finishes: dict[str, dict[str, int]] = attrs.field(factory=dict)
    facts: dict[str, int] = attrs.field(factory=dict)

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
        self.made_for(other.facts, other.facts)
        for reason, words in other.finishes.items():
            for word, times in words.items():
                self.finished(reason, word, times)

    def made_for(self, facts: Iterable[str], counts: Mapping[str, int] = ONE_EACH) -> None:
        for fact in facts:
            self.facts[fact] = self.facts.get(fact, 0) + counts.get(fact, 1)

    def ended(self, finish: Finish) -> None:
        self.finished(finish.reason.value, finish.raw or "")

    def finished(self, reason: str, word: str, count: int = 1) -> None:
        """Words are a provider's own, so that there may be any number: beyond the first ones they count as OTHER."""
        words = self.finishes.setdefault(reason, {})
        if word not in words and (len(words) >= MOST_WORDS or len(word) > LONGEST_WORD):
            word = OTHER
        words[word] = words.get(word, 0) + count

    def as_json(self) -> dict[str, Any]:
        return attrs.asdict(self)

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Tally:
        counts = {
            name: {rule: Count(**count) for rule, count in kept[name].items()} for name in ("reported", "refusals")
        }
        return cls(
            kept["converted"],
            kept["lossy"],
            kept["refused"],
            kept["blank"],
            **counts,
            finishes=kept["finishes"],
            facts=kept["facts"],
        )
