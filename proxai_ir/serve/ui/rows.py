"""Payloads side by side: which lines of theirs stand beside each other.

Rule: nothing of protocols is known here. What stands once in each payload is one and the same, and is on one level.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from markupsafe import Markup

from .marked import Line

SHORTEST = 3
"""Characters of a text that tells what is the same; shorter ones are the same by chance."""
MOST_ROWS = 400


def rows(columns: Sequence[Sequence[Line]]) -> list[list[Markup]]:
    """Parts of each column, in rows; where nothing is common to all, one row."""
    places = [by_text(column) if column else None for column in columns]
    there = [place for place in places if place is not None]
    common = [text for text in there[0] if all(text in place for place in there[1:])][:MOST_ROWS] if there else []
    for other in there[1:]:
        matcher = SequenceMatcher(None, common, sorted(common, key=other.__getitem__), autojunk=False)
        common = [text for block in matcher.get_matching_blocks() for text in common[block.a : block.a + block.size]]
    made = []
    for column, place in zip(columns, places, strict=True):
        ends = [0, *(place[text] for text in common), len(column)] if place is not None else [0] * (len(common) + 2)
        made.append([Markup("\n".join(line.html for line in column[a:b])) for a, b in pairwise(ends)])  # noqa: S704
    return [list(row) for row in zip(*made, strict=True) if any(row)]


def by_text(column: Sequence[Line]) -> dict[str, int]:
    """Where each text is that stands in one line alone."""
    times = Counter(line.text for line in column)
    return {line.text: at for at, line in enumerate(column) if times[line.text] == 1 and len(line.text) >= SHORTEST}
