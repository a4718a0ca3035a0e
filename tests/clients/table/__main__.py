"""The command line of the table; the exit status is 1 where a cell is not full, and 2 where nothing ran."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

from .frameworks import FRAMEWORKS
from .official import CLIENTS
from .playing import Outcome, is_there, play, playground
from .printed import printed
from .rulings import RULINGS, Ruling
from .scenarios import SCENARIOS
from .upstreams import UPSTREAMS

ALL_CLIENTS = (*CLIENTS, *FRAMEWORKS)


def needed(row: Ruling, found: Outcome) -> bool:
    """Return whether the row has decided what was missing."""
    return row.rule in found.rule.split() and found.client in row.clients and found.upstream in row.upstreams


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.clients.table", description=__doc__)
    named: dict[str, Sequence[Any]] = {"client": ALL_CLIENTS, "upstream": UPSTREAMS, "scenario": SCENARIOS}
    for name, rows in named.items():
        names = [one.name for one in rows]
        parser.add_argument(f"--{name}", action="append", choices=names, help="only this one; repeatable")
    given = parser.parse_args(arguments)
    began = time.monotonic()
    clients = [one for one in ALL_CLIENTS if one.name in (given.client or [one.name])]
    upstreams = [one for one in UPSTREAMS if one.name in (given.upstream or [one.name])]
    scenarios = [one for one in SCENARIOS if one.name in (given.scenario or [one.name])]
    absent = [f"{one.name}: {one.package} is not installed" for one in clients if not is_there(one)]
    outcomes = []
    with playground() as place:
        for client in clients:
            if is_there(client):
                outcomes += [play(place, client, one, scenario) for one in upstreams for scenario in scenarios]
    print(printed(outcomes, absent))
    whole = not (given.client or given.upstream or given.scenario or absent)
    needless = [one for one in RULINGS if whole and not any(needed(one, found) for found in outcomes)]
    for one in needless:
        print(f"no cell needs {one.rule} of {one.what}: {one.why}")
    print(f"{time.monotonic() - began:.0f} s")
    return 2 if not outcomes else int(any(one.wrong for one in outcomes) or bool(absent or needless))


if __name__ == "__main__":
    sys.exit(main())
