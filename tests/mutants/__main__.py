"""The command line of mutation testing.

    python -m tests.mutants map                     which tests run which lines: all but slow ones, with coverage
    python -m tests.mutants map --default           the same of the default tests alone, in a third of the time
    python -m tests.mutants run --count 420         that many mutants, as many of each area; what is known already stays
    python -m tests.mutants show                    the shares by area, that of the default tests, and the survivors

Counts and results are written to a folder (--folder, by default `.mutants`), so that an interrupted run can go on;
`run` makes a map of the default tests where there is none. A survivor that behaves as the source does belongs into
equivalents.toml, with the reason. The exit status of `show` is 1 where a share is below its aim.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import Any

from attrs import asdict, frozen

from ..tiers import ALL_BUT_SLOW, DEFAULT, is_medium
from . import covering
from .operators import Mutant, compiles, mutants
from .running import copied, judged, stages

ROOT = Path(__file__).parents[2]
EQUIVALENTS = Path(__file__).with_name("equivalents.toml")


@frozen
class Area:
    """A part of the library, by the beginnings of its paths, and the share of its mutants that tests must kill."""

    name: str
    paths: tuple[str, ...]
    aim: float


AREAS = (
    Area("frontends", ("frontends/",), 0.97),
    Area("backends", ("backends/",), 0.97),
    Area(
        "passes, targets", tuple(f"proxai_ir/{one}/" for one in ("passes", "targets", "protocol", "conversion")), 0.97
    ),
    Area("streaming, framing", ("proxai_ir/streaming/", "proxai_ir/framing/"), 0.97),
    Area(
        "exchange, gateway",
        tuple(f"proxai_ir/{name}/" for name in ("exchange", "serve", "storage", "httpx", "launch")),
        0.93,
    ),
    Area(
        "bulk, command line",
        tuple(f"proxai_ir/{name}/" for name in ("bulk", "batch", "cli", "exports", "engines")),
        0.93,
    ),
    Area("other core", ("proxai_ir/",), 0.97),
)
"""A module belongs to the first area whose path it has."""


def area_of(path: str) -> Area:
    return next(area for area in AREAS if path.startswith(area.paths))


# --- which mutants ----------------------------------------------------------------------------------------------------


def chosen(count: int, seed: int) -> Iterator[Mutant]:
    """As many of each area, at random by line and then by what can be changed there: the same for the same sources."""
    files = [path for part in ("frontends", "backends", "proxai_ir") for path in sorted((ROOT / part).rglob("*.py"))]
    for position, area in enumerate(AREAS):
        by_line: dict[tuple[str, int], list[Mutant]] = {}
        sources = {str(path.relative_to(ROOT)): path.read_bytes() for path in files}
        for path, source in sources.items():
            if area_of(path) is area:
                for mutant in mutants(path, source):
                    by_line.setdefault((path, mutant.line), []).append(mutant)
        share = count // len(AREAS) + (position < count % len(AREAS))
        yield from _some(by_line, sources, share, Random(f"{seed} {area.name}"))


def _some(
    by_line: dict[tuple[str, int], list[Mutant]], sources: dict[str, bytes], count: int, rng: Random
) -> Iterator[Mutant]:
    lines = list(by_line.values())
    rng.shuffle(lines)
    for line in lines:
        mutant = rng.choice(line)
        if count and compiles(mutant.applied(sources[mutant.path])):
            count -= 1
            yield mutant


# --- what became of them ----------------------------------------------------------------------------------------------


class Results:
    """One line a mutant, written as soon as it is known."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "results.jsonl"
        lines = self._file.read_text().splitlines() if self._file.is_file() else []
        self.known: dict[str, dict[str, Any]] = {row["name"]: row for row in map(json.loads, lines)}

    def add(self, mutant: Mutant, outcome: dict[str, Any]) -> None:
        row = {"name": mutant.name, "text": _text(mutant), **asdict(mutant), **outcome}
        self.known[mutant.name] = row
        with self._file.open("a") as file:
            file.write(json.dumps(row) + "\n")


def _text(mutant: Mutant) -> str:
    return (ROOT / mutant.path).read_text().splitlines()[mutant.line - 1].strip()


def _is_equivalent(row: dict[str, Any], equivalents: Iterable[dict[str, str]]) -> bool:
    return any(all(row[key] == one[key] for key in ("path", "text", "before", "after")) for one in equivalents)


# --- commands ---------------------------------------------------------------------------------------------------------


def _map(options: argparse.Namespace) -> int:
    return _mapped(options, DEFAULT if options.default else ALL_BUT_SLOW)


def _mapped(options: argparse.Namespace, tier: str) -> int:
    folder = options.folder / "map"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "pytest", "-m", tier, "-p", "tests.mutants.covering"]
    command += ["-n", str(options.workers)]
    environment = {**os.environ, covering.FOLDER: str(folder), "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def _run(options: argparse.Namespace) -> int:
    if not (options.folder / "map").is_dir():
        _mapped(options, DEFAULT)
    results = Results(options.folder)
    waiting = [mutant for mutant in chosen(options.count, options.seed) if mutant.name not in results.known]
    Random(options.seed).shuffle(waiting)  # a run that is ended has seen something of each area
    copies: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(options.workers) as pool:
        for number in range(options.workers):
            copies.put(copied(ROOT, Path(scratch) / str(number)))

        def one(mutant: Mutant) -> None:
            copy = copies.get()
            try:
                tests = covering.Covering(options.folder / "map", ROOT)
                outcome = judged(copy, mutant, stages(mutant, (ROOT / mutant.path).read_bytes(), tests, options.whole))
            finally:
                copies.put(copy)
            results.add(mutant, outcome._asdict())
            print(f"{outcome.verdict:8} {outcome.seconds:5.0f} s  {mutant.name}  ({outcome.by})", flush=True)

        for done in [pool.submit(one, mutant) for mutant in waiting]:
            done.result()
    return _show(options)


def _show(options: argparse.Namespace) -> int:
    rows = list(Results(options.folder).known.values())
    equivalents = tomllib.loads(EQUIVALENTS.read_text())["equivalent"]
    below = False
    killed_by_default = killed_in_all = counted_in_all = 0
    for area in AREAS:
        mine = [row for row in rows if area_of(row["path"]) is area]
        equal = [row for row in mine if row["verdict"] == "survived" and _is_equivalent(row, equivalents)]
        killers = [row["by"] for row in mine if row["verdict"] == "killed"]
        killed = len(killers)
        counted = len(mine) - len(equal)
        killed_by_default += sum(not is_medium(by.partition("::")[0]) for by in killers)
        killed_in_all += killed
        counted_in_all += counted
        share = killed / counted if counted else 1.0
        below |= share < area.aim
        said = f"{killed:4} of {counted:4} killed, {len(equal)} equivalent: {share:.1%} (aim {area.aim:.0%})"
        print(f"{area.name:20} {said}")
    if counted_in_all:
        print(
            f"all of them          {killed_in_all:4} of {counted_in_all:4} killed: {killed_in_all / counted_in_all:.1%}"
        )
        of_default = killed_by_default / counted_in_all
        print(f"default tests alone  {killed_by_default:4} of {counted_in_all:4} killed, or more: {of_default:.1%}")
    for row in sorted(rows, key=lambda row: str(row["name"])):
        if row["verdict"] == "survived" and not _is_equivalent(row, equivalents):
            print(f"survived {row['by']}: {row['name']}")
    return int(below)


COMMANDS = {"map": _map, "run": _run, "show": _show}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--folder", type=Path, default=ROOT / ".mutants", help="where counts and results stand")
    parser.add_argument("--count", type=int, default=420, help="how many mutants in all")
    parser.add_argument("--seed", type=int, default=1, help="another seed chooses others")
    parser.add_argument("--workers", type=int, default=2, help="how many processes run tests")
    parser.add_argument("--default", action="store_true", help="map the default tests alone")
    parser.add_argument(
        "--whole", action="store_true", help="try survivors against all but the slow tests, minutes each"
    )
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    return COMMANDS[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
