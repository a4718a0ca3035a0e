"""The command line of the fuzzer; the exit status is 1 where it found something."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from random import Random

from attrs import define, field

from ..samples import PROTOCOLS
from . import checking
from .mutating import Mutator, Source, sources

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
"""Where recordings may lie, next to the checkout."""

MOST_SHOWN = 3  # findings of one cause
SAME_SERVERS = 100
"""So many cases in a row meet the same servers, as the tables of a server take longer to make than a conversion."""


@define
class Findings:
    """What was found: by cause, the cases that show it."""

    by_cause: dict[str, list[str]] = field(factory=dict)

    def add(self, name: str, error: Exception) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        where = [f"{Path(frame.filename).name}:{frame.name}" for frame in frames[-3:]]
        cases = self.by_cause.setdefault(f"{type(error).__name__}: {str(error)[:160]} in {' > '.join(where)}", [])
        cases.append(name)

    def __str__(self) -> str:
        lines = [
            f"{len(cases)} x {cause}\n    {', '.join(cases[:MOST_SHOWN])}" for cause, cases in self.by_cause.items()
        ]
        return "\n".join(lines) or "nothing found"


class Fuzzer:
    def __init__(self, seed: int, corpus: Path | None) -> None:
        self._seed = seed
        self._mutator = Mutator(sources(corpus))

    def case(self, name: str) -> tuple[Source, Random]:
        """A case by its name, such as "payload 4711": always the same for the same seed and sources."""
        rng = Random(f"{self._seed} {name}")
        make = self._mutator.stream if name.startswith("stream") else self._mutator.payload
        return make(rng), rng

    def check(self, name: str) -> None:
        source, rng = self.case(name)
        servers = checking.servers_of(f"{self._seed} {int(name.split()[1]) // SAME_SERVERS}")
        (checking.stream if source.kind == "stream" else checking.payload)(source, rng, servers)

    def run(self, kind: str, first: int, count: int, findings: Findings) -> None:
        for number in range(first, first + count):
            name = f"{kind} {number}"
            try:
                self.check(name)
            except Exception as error:
                findings.add(name, error)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--payloads", type=int, default=10_000, help="how many requests, responses and error bodies")
    parser.add_argument("--streams", type=int, default=1_000, help="how many streams")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other cases")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="a folder of recordings, used if it exists")
    parser.add_argument("--again", default="", help="show and check one case, for example: payload 4711")
    chosen = parser.parse_args(arguments)
    fuzzer = Fuzzer(chosen.seed, chosen.corpus)
    if chosen.again:
        print(fuzzer.case(chosen.again)[0])
        fuzzer.check(chosen.again)
        return 0
    findings = Findings()
    for kind, total in (("payload", chosen.payloads), ("stream", chosen.streams)):
        start = time.monotonic()
        for first in range(0, total, 10_000):
            fuzzer.run(kind, chosen.first + first, min(10_000, total - first), findings)
            done = min(total, first + 10_000)
            seconds = time.monotonic() - start
            print(f"{done} of {total} {kind}s, {seconds:.0f} s: {findings}", file=sys.stderr, flush=True)
    counts = f"{chosen.payloads:,} payloads and {chosen.streams:,} streams"
    print(f"seed {chosen.seed}: {counts}, each to {len(PROTOCOLS)} protocols")
    print(findings)
    return 1 if findings.by_cause else 0


if __name__ == "__main__":
    sys.exit(main())
