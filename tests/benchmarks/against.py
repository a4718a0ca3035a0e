"""Owns the rows of `--against REV`: this tree against another revision of it, interleaved, over the same payloads.

Each side is an interpreter of its own that finds its own `proxai_ir`; both stay for the whole run and take turns, so
that what slows the machine for a second slows both. Sources are made once, here; those count that both convert.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from . import conversions, imports
from .payloads import ROUTES, Route
from .report import Case, Goal, Row, Settings, duration
from .stream_payloads import reference_stream
from .timing import interleave, median, ratio

ROOT = Path(__file__).parents[2]
SIDE = Path(__file__).with_name("side.py")
HELD = Goal(must=1.02, aim=0.9)
"""Nothing may become slower by more than what the measurement itself cannot tell apart."""
NEW, OLD = "this tree", "the other"
IMPORT = "import proxai_ir"


class Side:
    """One revision in an interpreter of its own."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(SIDE)],
            env={**os.environ, "PYTHONPATH": str(tree)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **question: Any) -> Any:
        """Raises RuntimeError where the interpreter ended; what it had to say is on standard error."""
        sent, received = self._process.stdin, self._process.stdout
        assert sent is not None and received is not None
        sent.write(f"{json.dumps(question)}\n")
        sent.flush()
        line = received.readline()
        if not line:
            raise RuntimeError(f"the side of {self.tree} ended with {self._process.wait()}")
        return json.loads(line)

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


class Work(NamedTuple):
    """What both sides do: a name, the form and kind of the conversion, and the sources, as JSON can hold them."""

    name: str
    form: str
    kind: Any
    route: Route
    sources: list[Any]

    @property
    def metric(self) -> str:
        return f"{self.name}, {self.route}"


@contextmanager
def sides(revision: str) -> Iterator[dict[str, Side]]:
    """This tree and another revision, ready to convert. Raises LookupError where git has no such revision."""
    archive = subprocess.run(["git", "archive", revision], cwd=ROOT, capture_output=True, check=False)
    if archive.returncode:
        raise LookupError(f"git cannot give the tree of {revision!r}: {archive.stderr.decode().strip()}")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
            files.extractall(folder, filter="tar")
        both = {NEW: Side(ROOT), OLD: Side(folder)}
        for side in both.values():
            stack.callback(side.close)
        yield both


SECTIONS = ("requests", "responses", "streams", "imports")


def cases(settings: Settings, both: dict[str, Side], sections: Sequence[str]) -> Iterator[Case]:
    """A case for each kind of work on each route."""
    for section in SECTIONS:
        if section in sections:
            yield from _section(section, settings, both)


def _section(section: str, settings: Settings, both: dict[str, Side]) -> Iterator[Case]:
    if section == "imports":
        yield Case(IMPORT, partial(_imports, settings, both))
        return
    for route in ROUTES:
        for work in _streams(route) if section == "streams" else _payloads(section, settings, route):
            yield Case(work.metric, partial(_rows, settings, both, work))


def _streams(route: Route) -> list[Work]:
    stream = [reference_stream(route.src)]
    return [Work(f"stream, {form}", form, "stream", route, stream) for form in ("events", "sse")]


def _payloads(section: str, settings: Settings, route: Route) -> list[Work]:
    made: list[Work] = []
    for workload in conversions.WORKLOADS:
        if f"{workload.kind}s" == section:
            sources = [source.decode() for source in workload.sources(settings, route.src)]
            forms = ("b->b", "diagnostics") if sources else ()
            made += [Work(f"{workload.name}, {form}", form, workload.kind, route, sources) for form in forms]
    return made


def _rows(settings: Settings, both: dict[str, Side], work: Work) -> list[Row]:
    src, dst = work.route
    load = {"do": "load", "form": work.form, "src": src, "dst": dst, "kind": work.kind, "sources": work.sources}
    able = [side.ask(**load) for side in both.values()]
    which = [index for index, found in enumerate(zip(*able, strict=True)) if all(found)]
    if not which:
        return [Row(work.metric, None, HELD, absent="nothing that both convert")]
    repeats = _repeats(both[NEW], which, settings.batch_seconds)
    measurements = {name: partial(_nanoseconds, side, which, repeats) for name, side in both.items()}
    taken = interleave(measurements, settings.rounds)
    each = duration(median(taken, NEW) / len(which) / repeats)
    return [Row(work.metric, ratio(taken, NEW, OLD), HELD, f"{len(which)} of {len(work.sources)}, {each}")]


def _nanoseconds(side: Side, which: list[int], repeats: int) -> float:
    return float(side.ask(do="time", which=which, repeats=repeats))


def _repeats(side: Side, which: list[int], seconds: float) -> int:
    """How often all sources are converted in a batch; finding out warms that side up, the first round the other."""
    taken = min(_nanoseconds(side, which, 1) for _ in range(3))
    return max(1, int(seconds * 1e9 / taken))


def _imports(settings: Settings, both: dict[str, Side]) -> list[Row]:
    measurements = {name: partial(imports.nanoseconds_of, IMPORT, side.tree) for name, side in both.items()}
    for measure in measurements.values():
        measure()  # the first run writes the bytecode files
    taken = interleave(measurements, 2 * settings.rounds)
    return [Row(IMPORT, ratio(taken, NEW, OLD), HELD, duration(median(taken, NEW)))]
