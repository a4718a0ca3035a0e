"""Measures `proxai_ir.bulk`: rows per second with one process and with two, next to orjson alone, and peak memory.

    python -m tests.benchmarks.bulk --rows 1000000

The rows are those of the project's example requests that convert, each under a model name of its own. orjson alone
reads every line, writes it again, and does nothing between: what any program in Python costs that reads JSON Lines.
LiteLLM's transformation of the same lines runs in the same turn where LiteLLM is installed; a row that it raises an
error for is left out. All of it runs in turn, `--rounds` times; the best counts. Seconds of the processors, of all
processes together, show what a busy machine hides. "unrelated processes" convert a part of the rows each and exchange
nothing: no program that uses as many processes is faster on that machine, whose cores share caches, memory and more.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson

from proxai_ir import check
from tests.samples import samples

from . import peers

CHAT, ANTHROPIC = "openai_chat_completions", "anthropic_messages"


def main() -> None:
    chosen = _parser().parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        folder = Path(name)
        source = folder / "rows.jsonl"
        size = generate(source, chosen.rows)
        print(f"{chosen.rows:,} rows of {size // chosen.rows:,} bytes on average, {size / 1e6:,.0f} MB")
        cases: dict[str, Callable[[], str]] = {"orjson alone": lambda: plain(source, folder / "plain.jsonl")}
        for workers in chosen.workers or (1, 2):
            cases[f"bulk, {workers} processes" if workers > 1 else "bulk, 1 process"] = _bulk(source, folder, workers)
            if workers > 1:
                cases[f"{workers} unrelated processes"] = _unrelated(source, folder, workers)
        if peer := peers.load("litellm"):
            cases["LiteLLM"] = _peer(source, folder, peer["request", CHAT, ANTHROPIC])
        turns = [{case: timed(work) for case, work in cases.items()} for _ in range(chosen.rounds)]
        best = {case: min(turn[case] for turn in turns) for case in cases}
        one = best.get("bulk, 1 process")
        for case, (seconds, cpu, note) in best.items():
            times = f"  {one[0] / seconds:.2f} times one process" if one and "process" in case else ""
            rates = f"{chosen.rows / seconds:>10,.0f} rows/s {size / seconds / 1e6:>7,.1f} MB/s"
            print(f"{case:<22} {rates} {cpu:>8.1f} s of the processors{times}{note}")
        print(f"peak memory of this process and of the largest worker: {' and '.join(peak())} MiB")


def generate(file: Path, rows: int) -> int:
    """The bytes of that many lines, no two of them the same."""
    payloads = [one.make() for one in samples("request", dense=False) if one.protocol == CHAT]
    payloads = [one for one in payloads if all(found.severity != "error" for found in check(one, CHAT, ANTHROPIC))]
    with open(file, "wb") as lines:
        for at in range(rows):
            lines.write(orjson.dumps({**payloads[at % len(payloads)], "model": f"model-{at}"}) + b"\n")
    return file.stat().st_size


def plain(source: Path, target: Path) -> str:
    with open(source, "rb") as lines, open(target, "wb") as made:
        for line in lines:
            made.write(orjson.dumps(orjson.loads(line)) + b"\n")
    return ""


def _peer(source: Path, folder: Path, convert: Callable[[Any], Any]) -> Callable[[], str]:
    def work() -> str:
        refused = 0
        with open(source, "rb") as lines, open(folder / "peer.jsonl", "wb") as made:
            for line in lines:
                try:
                    made.write(orjson.dumps(convert(orjson.loads(line)), default=dict) + b"\n")
                except Exception:  # of any kind: each converter has its own
                    refused += 1
        return f"  {refused:,} rows refused"

    return work


def _bulk(source: Path, folder: Path, workers: int) -> Callable[[], str]:
    from proxai_ir import bulk

    beside = workers if workers > 1 else 0

    def work() -> str:
        report = bulk.run([source], folder / f"out{workers}", CHAT, ANTHROPIC, workers=beside, overwrite=True)
        assert report.complete
        return f"  {report.total.refused:,} rows refused"

    return work


def _unrelated(source: Path, folder: Path, processes: int) -> Callable[[], str]:
    """Each converts every so-manyth row, of a file of its own."""
    from proxai_ir import bulk

    parts = [folder / f"part{at}.jsonl" for at in range(processes)]

    def work() -> str:
        own = [
            multiprocessing.Process(
                target=bulk.run,
                args=([part], folder / part.stem, CHAT, ANTHROPIC),
                kwargs={"workers": 0, "overwrite": True},
            )
            for part in parts
        ]
        for one in own:
            one.start()
        for one in own:
            one.join()
        assert not any(one.exitcode for one in own)
        return ""

    with ExitStack() as stack:
        files = [stack.enter_context(open(part, "wb")) for part in parts]
        for at, line in enumerate(stack.enter_context(open(source, "rb"))):
            files[at % processes].write(line)
    return work


def timed(work: Callable[[], str]) -> tuple[float, float, str]:
    """Seconds of the clock, and of the processors by this process and those that it waited for; and the case's note."""
    begun, used = time.perf_counter(), sum(os.times()[:4])
    note = work()
    return time.perf_counter() - begun, sum(os.times()[:4]) - used, note


def peak() -> Iterable[str]:
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        yield f"{resource.getrusage(who).ru_maxrss / unit:,.0f}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.bulk", description="Measure proxai_ir.bulk.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--workers", type=int, action="append", help="repeatable; 1 and 2 if left out")
    parser.add_argument("--folder", type=Path, help="where files are made; a temporary folder if left out")
    return parser


if __name__ == "__main__":
    main()
