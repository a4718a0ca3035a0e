"""The command line of the claims; the exit status is 1 where one failed, or where nothing ran for it.

python -m tests.claims                      all but those that take hours or need what most machines lack
python -m tests.claims --only fuzzing       these claims alone, and those that are run only when they are named
python -m tests.claims --log mutants FILE   a claim's figures out of what its command printed earlier; --commit REV
                                            states at which commit, where that was not the present one
python -m tests.claims --page               write the page again from the record
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from . import page
from .running import RECORD, Claim, Outcome, at, claims, counted, measured, of_log, records, tested, written


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.claims", description=__doc__)
    known = {one.name: one for one in claims()}
    parser.add_argument("--only", nargs="+", choices=known, metavar="NAME", help=f"of {', '.join(known)}")
    parser.add_argument("--log", nargs=2, metavar=("NAME", "FILE"), help="what the command of a claim has printed")
    parser.add_argument("--report", type=Path, metavar="FILE", help="of a run of pytest in JUnit's form")
    parser.add_argument("--commit", default="HEAD", metavar="REV", help="of an earlier run, for --log and --report")
    parser.add_argument("--page", action="store_true", help="run nothing")
    given = parser.parse_args(arguments)
    if given.log:
        name, file = given.log
        made = {name: at(given.commit, of_log(known[name], Path(file).read_text(encoding="utf-8")))}
    elif given.report:
        cases = list(ElementTree.parse(given.report).iter("testcase"))
        shown = [one for one in known.values() if one.tests and not one.slow]
        made = {one.name: at(given.commit, counted(one, cases)) for one in shown}
    elif given.page:
        made = {}
    else:
        made = ran([known[name] for name in given.only or known if given.only or not known[name].apart])
    for name, outcome in made.items():
        print(f"{name}: {'' if outcome.holds else 'FAILED, '}{outcome.figure}")
        print("".join(f"    not run: {one}\n" for one in outcome.not_run), end="")
    written(RECORD, {**records(), **{name: one for name, one in made.items() if one.ran}})
    page.write(known.values(), records())
    return int(not all(one.holds for one in made.values()))


def ran(chosen: Sequence[Claim]) -> dict[str, Outcome]:
    """Run what shows these claims: all tests of one tier in one process, each command in one of its own."""
    made: dict[str, Outcome] = {}
    for slow in (False, True):
        made |= tested([one for one in chosen if one.tests and one.slow is slow], slow)
    for one in chosen:
        if one.command:
            print(f"... {one.command}", file=sys.stderr, flush=True)
            made[one.name] = measured(one)
    return {one.name: made[one.name] for one in chosen}


if __name__ == "__main__":
    sys.exit(main())
