"""The command line of the lists: counts by state, and what is open; the exit status is 1 where nothing was read."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from . import LISTS, STATES, findings


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.reviews", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=LISTS, help="where the lists are")
    found = findings(parser.parse_args(arguments).folder)
    counts = Counter(one.state for one in found)
    print(f"{len(found)} findings: " + ", ".join(f"{counts[state]} {state}" for state in STATES))
    for one in found:
        if one.state == "open":
            print(f"{one.id}: {one.what}\n    {one.reason}")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
