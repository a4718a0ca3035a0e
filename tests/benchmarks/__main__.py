"""Owns the command line: which sections run, how thoroughly, and what the exit status says (1: a must was missed)."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

from . import against, conversions, growth, imports, peers, report, streams
from .report import Case, Settings

SECTIONS: dict[str, Callable[[Settings], Iterable[Case]]] = {
    "requests": conversions.requests,
    "responses": conversions.responses,
    "streams": streams.cases,
    "growth": growth.cases,
    "imports": imports.cases,
}
"""In the order of the table."""

CORPORA = (Path(__file__).parents[1] / "corpus", Path(__file__).parents[3] / "shared" / "corpus")
"""Where recordings may lie, relative to this checkout."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen sections and print their table."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    settings = _settings(chosen)
    sections = chosen.only or tuple(SECTIONS)
    print(_preamble(settings, chosen.against), end="\n\n")
    if chosen.against:
        try:
            with against.sides(chosen.against) as both:
                rows = report.run_cases(against.cases(settings, both, sections), _announce)
        except LookupError as error:
            parser.error(str(error))
    else:
        rows = [row for name in sections for row in report.run_cases(SECTIONS[name](settings), _announce)]
    print(report.table(rows))
    if said := report.explained(rows, chosen.quick):
        print(said)
    return 0 if report.passed(rows) else 1


def _announce(case: str) -> None:
    print(f"... {case}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", description="Measure proxai_ir against its targets."
    )
    parser.add_argument(
        "--only", choices=tuple(SECTIONS), action="append", help="run this section only; may be repeated"
    )
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds of each comparison (21; with --quick 7)")
    parser.add_argument("--quick", action="store_true", help="short batches and no 10,000 turns: a look, not a verdict")
    parser.add_argument(
        "--against", metavar="REV", help="this tree against a revision of it: new / old, by the same payloads"
    )
    parser.add_argument("--corpus", type=Path, metavar="DIR", help="recorded payloads, <protocol>.<kind>.jsonl.gz")
    return parser


def _settings(chosen: argparse.Namespace) -> Settings:
    corpus = chosen.corpus or next((folder for folder in CORPORA if folder.is_dir()), None)
    if chosen.quick:
        return Settings(chosen.rounds or 7, 0.002, (1, 10, 100, 1_000), corpus)
    return Settings(chosen.rounds or 21, 0.005, (1, 10, 100, 1_000, 10_000), corpus)


def _preamble(settings: Settings, other: str | None) -> str:
    if other:
        return (
            f"This tree / {other}, Python {platform.python_version()} on {platform.machine()}.\n"
            f"{settings.rounds} interleaved rounds of at least {settings.batch_seconds * 1e3:g} ms, over several "
            "payloads in turn.\nEach side is an interpreter of its own; medians of ratios within a round, of the "
            "thread's CPU time."
        )
    others = ", ".join(peers.release(name) if peers.load(name) else f"{name} not installed" for name in peers.PEERS)
    return (
        f"Python {platform.python_version()} on {platform.machine()}, orjson {version('orjson')}; {others}.\n"
        f"{settings.rounds} interleaved rounds, batches of at least {settings.batch_seconds * 1e3:g} ms over several "
        "payloads in turn; medians of ratios within a round, of the thread's CPU time.\n"
        "Collector: run before each batch and left on during it, what lived before frozen; off in the rows on growth.\n"
        "json = json.loads(source) + json.dumps(target); floor = the same with orjson; "
        "b->b = bytes to bytes, d->d = dict to dict."
    )


if __name__ == "__main__":
    sys.exit(main())
