"""Runs what shows the claims, and keeps what came out.

Rule 1: a claim of tests holds if none failed and one passed; a claim of a command if it exited with 0 and its output
has the figure. Rule 2: what was skipped is named. Rule 3: a claim that could not be run keeps its earlier record.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

import orjson
from attrs import asdict, evolve, frozen

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("claims.toml")
RECORD = ROOT / ".docs" / "claims.json"
SHOWN = 5
"""How many reasons of skipped tests are named."""


@frozen
class Claim:
    """A claim, and either the paths of the tests or the command that show it."""

    name: str
    says: str
    how: str
    tests: tuple[str, ...] = ()
    slow: bool = False
    command: str = ""
    figure: str = ""
    shown: str = "{}"
    apart: bool = False
    needs: str = ""
    of_others: bool = False
    fails: str = ""

    @property
    def typed(self) -> str:
        """The command that repeats the run."""
        return self.command or f"pytest {'-m slow ' * self.slow}{' '.join(self.tests)}"


@frozen
class Outcome:
    """The result of a run. `commit` is short; `not_run` names what was skipped, by its reason."""

    holds: bool
    ran: bool
    figure: str
    date: str
    commit: str
    not_run: tuple[str, ...] = ()


def claims() -> list[Claim]:
    """Return the claims, in the order of the list."""
    rows = tomllib.loads(LIST.read_text(encoding="utf-8"))["claim"]
    return [Claim(**{**row, "tests": tuple(row.get("tests", ()))}) for row in rows]


def records() -> dict[str, Outcome]:
    """Return what came of the last run of each claim, by its name."""
    rows = orjson.loads(RECORD.read_bytes()) if RECORD.is_file() else {}
    return {name: Outcome(**{**row, "not_run": tuple(row["not_run"])}) for name, row in rows.items()}


def written(file: Path, made: Mapping[str, Outcome]) -> None:
    rows = {name: asdict(one) for name, one in made.items()}
    file.write_bytes(orjson.dumps(rows, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def outcome(holds: bool, ran: bool, figure: str, not_run: Sequence[str] = ()) -> Outcome:
    return at("HEAD", Outcome(holds, ran, figure, str(date.today()), "", tuple(not_run)))


def at(revision: str, made: Outcome) -> Outcome:
    """Return an outcome of a run at this commit, such as "HEAD", by the commit's short id."""
    asked = ["git", "rev-parse", "--short=8", "--verify", f"{revision}^{{commit}}"]
    commit = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    return evolve(made, commit=commit or "no commit")


# --- tests ------------------------------------------------------------------------------------------------------------


def tested(chosen: Sequence[Claim], slow: bool) -> dict[str, Outcome]:
    """Run the tests of all these claims once, and count each claim's by their paths."""
    if not chosen:
        return {}
    paths = dict.fromkeys(path for one in chosen for path in one.tests)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        tier = ("-m", "slow") if slow else ("-m", "not slow")
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-n", "2", *tier, f"--junitxml={report}", *paths],
            cwd=ROOT,
            check=False,
        )
        cases = list(ElementTree.parse(report).iter("testcase")) if report.is_file() else []
    return {one.name: counted(one, cases) for one in chosen}


def counted(claim: Claim, cases: Sequence[ElementTree.Element]) -> Outcome:
    """Return how many tests of a claim's paths passed, failed and were skipped."""
    starts = tuple(path.removesuffix(".py").replace("/", ".") for path in claim.tests)
    mine = [one for one in cases if any(f"{one.get('classname')}.".startswith(f"{start}.") for start in starts)]
    skipped = Counter(one.get("message", "") for case in mine for one in case.iter("skipped"))
    failed = sum(any(True for tag in ("failure", "error") for _ in case.iter(tag)) for case in mine)
    passed = len(mine) - failed - skipped.total()
    counts = {"passed": passed, "failed": failed, "skipped": skipped.total()}
    figure = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "no test ran"
    reasons = [
        f"{' '.join(reason.split())} ({count} test{'s' * (count > 1)})" for reason, count in skipped.most_common(SHOWN)
    ]
    return outcome(failed == 0 and passed > 0, bool(mine), figure, reasons)


# --- commands ---------------------------------------------------------------------------------------------------------


def measured(claim: Claim) -> Outcome:
    """Run a claim's command and read its figure."""
    if claim.needs and not (ROOT / claim.needs).exists():
        return outcome(True, False, "not run", [f"{claim.needs} is not there"])
    command = [sys.executable if word == "python" else word for word in shlex.split(claim.command)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    read = of_log(claim, f"{done.stderr}\n{done.stdout}")
    if done.returncode == 0 or claim.of_others or not read.holds:
        return read
    return outcome(False, True, read.figure)


def of_log(claim: Claim, printed: str) -> Outcome:
    """Return the figures in what a command printed, in its order."""
    found = "; ".join(figures(claim, printed))
    failed = claim.fails and re.search(claim.fails, printed, re.MULTILINE)
    return outcome(bool(found) and not failed, True, found or "no figure was printed")


def figures(claim: Claim, printed: str) -> Iterator[str]:
    for match in re.finditer(claim.figure, printed, re.MULTILINE):
        yield claim.shown.format(*(" ".join(group.split()) for group in match.groups(default="")))
