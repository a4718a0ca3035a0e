"""The command line of generated sessions; the exit status is 1 where one failed, or none ran."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence

from .plans import TURNS, session
from .playing import played, smallest


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sessions", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the number of the first session")
    parser.add_argument("--count", type=int, default=100, help="how many sessions")
    parser.add_argument("--turns", type=int, default=TURNS, help="of each session")
    parser.add_argument("--show", action="store_true", help="print each session, too")
    given = parser.parse_args(arguments)
    began, turns, failed = time.monotonic(), 0, 0
    kinds = Counter[str]()
    for seed in range(given.seed, given.seed + given.count):
        made = session(seed, given.turns)
        if given.show:
            print(f"seed {seed}: {made}")
        turns += len(made.steps)
        kinds.update(one.place.protocol for one in made.steps)
        found = played(made)
        if found is not None:
            failed += 1
            at, wrong = found
            print(f"seed {seed}, turn {at + 1}: {wrong}\n  the smallest history: {smallest(made)}")
    seconds = time.monotonic() - began
    print(f"{given.count} sessions from seed {given.seed}, {turns} turns, {seconds:.1f} s: {failed} failed")
    print("turns by protocol: " + ", ".join(f"{name} {count}" for name, count in sorted(kinds.items())))
    return 1 if failed or not turns else 0


if __name__ == "__main__":
    sys.exit(main())
