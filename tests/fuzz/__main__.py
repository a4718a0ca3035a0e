"""The command line of the fuzzer; the exit status is 1 where it found something."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import orjson
from attrs import define, field

from ..samples import PROTOCOLS
from . import checking, targets
from .mutating import Mutator, Source, sources

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
"""Where recordings may lie, next to the checkout."""

MOST_SHOWN = 3  # findings of one cause
SAME_SERVERS = 100
"""So many cases in a row meet the same servers, as the tables of a server take longer to make than a conversion."""
PIECE = 10 * SAME_SERVERS
"""So many cases are checked between two lines about progress."""


@define
class Findings:
    """Collects what was found, and what came of each case.

    by_cause  the cases that show a fault, by its cause
    outcomes  by case, a hash of outputs and findings; not of byte streams, nor of what is too deep to compare
    """

    by_cause: dict[str, list[str]] = field(factory=dict)
    outcomes: dict[str, str] = field(factory=dict)

    def add(self, name: str, error: Exception) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        where = [f"{Path(frame.filename).name}:{frame.name}" for frame in frames[-3:]]
        cases = self.by_cause.setdefault(f"{type(error).__name__}: {str(error)[:160]} in {' > '.join(where)}", [])
        cases.append(name)

    def take(self, others: Findings) -> None:
        for cause, cases in others.by_cause.items():
            self.by_cause.setdefault(cause, []).extend(cases)
        self.outcomes |= others.outcomes

    def __str__(self) -> str:
        lines = [
            f"{len(cases)} x {cause}\n    {', '.join(cases[:MOST_SHOWN])}" for cause, cases in self.by_cause.items()
        ]
        return "\n".join(lines) or "nothing found"


class Fuzzer:
    def __init__(self, seed: int, corpus: Path | None) -> None:
        self._seed = seed
        self._mutator = Mutator(sources(corpus))
        self._framed = [*targets.framed()]

    def case(self, name: str) -> tuple[Source, Random]:
        """A payload or stream by its name, such as "payload 4711": always the same for the same seed and sources."""
        rng = self._random(name)
        make = self._mutator.stream if name.startswith("stream") else self._mutator.payload
        return make(rng), rng

    def bytes_of(self, name: str) -> targets.Case:
        """The bytes of a stream by its name, such as "framing 4711", and where they are cut."""
        rng = self._random(name)
        return targets.other_bytes(rng.choice(self._framed), rng)

    def shown(self, name: str) -> object:
        return self.bytes_of(name) if name.startswith("framing") else self.case(name)[0]

    def check(self, name: str) -> str | None:
        """Check a case; return a hash of what came of it, if there is one."""
        if name.startswith("framing"):
            targets.framing(self.bytes_of(name))
            return None
        source, rng = self.case(name)
        servers = checking.servers_of(f"{self._seed} {int(name.split()[1]) // SAME_SERVERS}")
        return checking.digest((checking.stream if source.kind == "stream" else checking.payload)(source, rng, servers))

    def _random(self, name: str) -> Random:
        return Random(f"{self._seed} {name}")

    def run(self, kind: str, first: int, count: int) -> Findings:
        findings = Findings()
        for number in range(first, first + count):
            name = f"{kind} {number}"
            try:
                if (outcome := self.check(name)) is not None:
                    findings.outcomes[name] = outcome
            except Exception as error:
                findings.add(name, error)
        return findings


@cache
def fuzzer_of(seed: int, corpus: Path | None) -> Fuzzer:
    """Return a fuzzer, made once in each process."""
    return Fuzzer(seed, corpus)


class Piece(NamedTuple):
    """A part of a run, which one process checks."""

    seed: int
    corpus: Path | None
    kind: str
    first: int
    cases: int


def found_in(piece: Piece) -> Findings:
    return fuzzer_of(piece.seed, piece.corpus).run(piece.kind, piece.first, piece.cases)


def compiled_modules() -> int:
    """Return how many modules of the library are compiled ones."""
    ours = (one for name, one in sys.modules.items() if name.split(".")[0] == "proxai_ir")
    return sum(not (one.__file__ or "").endswith(".py") for one in ours)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--payloads", type=int, default=10_000, help="how many requests, responses and error bodies")
    parser.add_argument("--streams", type=int, default=1_000, help="how many streams")
    parser.add_argument("--framings", type=int, default=10_000, help="how many byte streams, cut and broken anywhere")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other cases")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="a folder of recordings, used if it exists")
    parser.add_argument("--workers", type=int, default=1, help="how many processes; it finds the same with any number")
    parser.add_argument("--outcomes", type=Path, help="a file for a hash of what came of each payload and stream")
    parser.add_argument("--again", default="", help="show and check one case, for example: payload 4711")
    chosen = parser.parse_args(arguments)
    if chosen.again:
        fuzzer = fuzzer_of(chosen.seed, chosen.corpus)
        most = sys.get_int_max_str_digits()
        sys.set_int_max_str_digits(0)  # to show integers of any length; the check has Python's own limit
        print(fuzzer.shown(chosen.again))
        sys.set_int_max_str_digits(most)
        fuzzer.check(chosen.again)
        return 0
    findings = Findings()
    counts = {"payload": chosen.payloads, "stream": chosen.streams, "framing": chosen.framings}
    pieces = [
        Piece(chosen.seed, chosen.corpus, kind, chosen.first + first, min(PIECE, total - first))
        for kind, total in counts.items()
        for first in range(0, total, PIECE)
    ]
    start = time.monotonic()
    with ExitStack() as stack:
        alone = chosen.workers == 1
        each = map if alone else stack.enter_context(ProcessPoolExecutor(chosen.workers)).map
        for piece, found in zip(pieces, each(found_in, pieces), strict=True):
            findings.take(found)
            seconds = time.monotonic() - start
            until = f"{piece.kind} {piece.first + piece.cases}, {seconds:.0f} s"
            print(f"{until}: {findings}", file=sys.stderr, flush=True)
    if chosen.outcomes:
        chosen.outcomes.write_bytes(orjson.dumps({"modules": compiled_modules(), "outcomes": findings.outcomes}))
    converted = f"{chosen.payloads:,} payloads and {chosen.streams:,} streams, each to {len(PROTOCOLS)} protocols"
    print(f"seed {chosen.seed}: {converted}; {chosen.framings:,} byte streams")
    print(findings)
    return 1 if findings.by_cause else 0


if __name__ == "__main__":
    sys.exit(main())
