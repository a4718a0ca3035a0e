"""The state of each finding of reviews from outside: lists in TOML, which are held to the tests and pages.

    [[finding]]
    id = "gateway 17b"          the file of the review and the finding's number; a letter or words where it has parts
    what = "…"                  what it was, in one sentence of our own
    state = "done"              done, otherwise (decided against, or differently) or open
    where = "tests/x.py::test"  done: the test that holds it, or a list; otherwise: page and rule, "spec/x.md RULE-1"
    reason = "…"                which otherwise and open need

`python -m tests.reviews` counts them by state and prints those that are open.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from string import ascii_lowercase
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
LISTS = Path(__file__).parent
REVIEW = ROOT.parent / "shared" / "review"
STATES = ("done", "otherwise", "open")
MEMBERS = {"id", "what", "state", "where", "reason"}
ID = re.compile(r"[a-z_]+ [A-Za-z0-9][\w. -]*")
NUMBERED = re.compile(r"(?:#{2,4} |\*\*)?([A-Z]?\d+[a-z]?)\.? \[|## (\d+)\. ")
"""How a line of a review begins a finding: with its number and its severity, or as a numbered section."""


class Finding(NamedTuple):
    id: str
    what: str
    state: str
    where: tuple[str, ...] = ()
    reason: str = ""

    @property
    def about(self) -> set[tuple[str, str]]:
        """The file of the review, with the numbers that an entry may be about: 17b is 17, or a finding by itself."""
        file, _, rest = self.id.partition(" ")
        number = rest.split(" ")[0].partition(".")[0]
        return {(file, number), (file, number.rstrip(ascii_lowercase))}


def findings(folder: Path = LISTS) -> list[Finding]:
    """Return the entries of all lists in a folder, in order. Raises ValueError for one that has no such form."""
    found: list[Finding] = []
    for file in sorted(folder.glob("*.toml")):
        for number, given in enumerate(tomllib.loads(file.read_text()).get("finding", ()), 1):
            if given.keys() - MEMBERS or not {"id", "what", "state"} <= given.keys():
                raise ValueError(f"{file.name}, entry {number}: its members are {', '.join(given)}")
            places = given.get("where", ())
            found.append(Finding(**{**given, "where": (places,) if isinstance(places, str) else tuple(places)}))
    return found


def numbered(text: str) -> list[str]:
    """Return the numbers of the findings of a review."""
    matches = [NUMBERED.match(line) for line in text.splitlines()]
    return [one[1] or one[2] for one in matches if one]
