"""Owns the rows about start-up: what importing us costs beyond the two libraries that we stand on.

Each import happens in an interpreter of its own that times itself, so that starting the interpreter is not counted.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import orjson

from .payloads import ANTHROPIC, CHAT, tiny
from .report import Case, Goal, Row, Settings, duration
from .timing import interleave, median, ratio

ROOT = Path(__file__).parents[2]
GOAL = Goal(must=0.4, aim=0.3)
BASE, OURS, FIRST = "attrs, orjson", "proxai_ir", "proxai_ir and a first conversion"
REQUEST = orjson.loads(tiny(ANTHROPIC)[0])
TIMED = {
    BASE: "import attrs, orjson",
    OURS: "import proxai_ir",
    FIRST: f"import proxai_ir; proxai_ir.convert({REQUEST!r}, {ANTHROPIC!r}, {CHAT!r}, kind='request')",
}
METRIC = "import proxai_ir / import attrs, orjson"


def cases(settings: Settings) -> Iterator[Case]:
    yield Case(METRIC, partial(_imports, settings))


def nanoseconds_of(statement: str, tree: Path = ROOT) -> float:
    """How long `statement` takes in a fresh interpreter, by that interpreter's own clock, with the code of a tree."""
    script = f"import time; start = time.thread_time_ns(); {statement}; print(time.thread_time_ns() - start)"
    done = subprocess.run([sys.executable, "-c", script], cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return float(done.stdout)


def _imports(settings: Settings) -> list[Row]:
    measurements = {name: partial(nanoseconds_of, statement) for name, statement in TIMED.items()}
    for measure in measurements.values():
        measure()  # the first run writes the bytecode files
    taken = interleave(measurements, 2 * settings.rounds)  # one import a round averages nothing out
    return [
        Row(METRIC, ratio(taken, OURS, BASE), GOAL, duration(median(taken, OURS))),
        Row("  the same, and a first tiny request", ratio(taken, FIRST, BASE), note=duration(median(taken, FIRST))),
    ]
