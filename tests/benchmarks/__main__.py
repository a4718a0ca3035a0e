"""Owns the command line: which sections run, how thoroughly, and what the exit status says (1: a must was missed)."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from . import report, timing
from .report import Row, Settings

SECTIONS = ("requests", "responses", "streams", "long_streams", "scaling", "comparison", "imports")
"""Modules here, in the order of the table; each has `cases(settings)`. Peers come late, since they fill the process."""

CORPORA = (Path(__file__).parents[1] / "corpus", Path(__file__).parents[3] / "shared" / "corpus")
"""Where recordings may lie, relative to this checkout."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen sections and print their table."""
    chosen = _parser().parse_args(arguments)
    settings = _settings(chosen)
    print(_preamble(settings), end="\n\n")
    rows: list[Row] = []
    for name in chosen.only or SECTIONS:
        section = import_module(f".{name}", __package__)
        rows += report.run_cases(section.cases(settings), lambda case: print(f"... {case}", file=sys.stderr))
    print(report.table(rows))
    return 0 if report.passed(rows) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", description="Measure proxai_ir against its targets."
    )
    parser.add_argument("--only", choices=SECTIONS, action="append", help="run this section only; may be repeated")
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds of each comparison (21; with --quick 7)")
    parser.add_argument("--quick", action="store_true", help="short batches and no 10,000 turns: a look, not a verdict")
    parser.add_argument("--corpus", type=Path, metavar="DIR", help="recorded payloads, <protocol>.<kind>.jsonl.gz")
    return parser


def _settings(chosen: argparse.Namespace) -> Settings:
    corpus = chosen.corpus or next((folder for folder in CORPORA if folder.is_dir()), None)
    if chosen.quick:
        return Settings(chosen.rounds or 7, 0.002, (1, 10, 100, 1_000), corpus)
    return Settings(chosen.rounds or 21, 0.005, (1, 10, 100, 1_000, 10_000), corpus)


def _preamble(settings: Settings) -> str:
    return (
        f"Python {platform.python_version()} on {platform.machine()}, orjson {version('orjson')}, "
        f"clock: {timing.CLOCK.__name__}.\n"
        f"{settings.rounds} interleaved rounds (fewer from 1,000 turns, more of imports), "
        f"batches of {settings.batch_seconds * 1e3:g} ms; medians of ratios within a round.\n"
        "Collector: run before each batch and left on during it, what lived before frozen; off in the rows on growth.\n"
        "floor = orjson.loads(source) + orjson.dumps(target); b->b = bytes to bytes, d->d = dict to dict; N = turns."
    )


if __name__ == "__main__":
    sys.exit(main())
