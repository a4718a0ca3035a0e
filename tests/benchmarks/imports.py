"""Owns the rows about start-up: what importing us costs beyond the two libraries that we stand on.

Each import happens in an interpreter of its own that times itself, so that starting the interpreter is not counted.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from .payloads import ANTHROPIC, CHAT, TINY
from .report import Case, Goal, Row, Settings, duration
from .timing import interleave, median, ratio

ROUNDS_FACTOR = 2
"""One import a round cannot average anything out, so there are more rounds."""

ROOT = Path(__file__).parents[2]
GOAL = Goal(must=2.0, aim=1.5)
BASE = "attrs, orjson"
OURS = "proxai_ir"
FIRST = "proxai_ir and a first conversion"
CONTENDERS = {
    BASE: "import attrs, orjson",
    OURS: "import proxai_ir",
    FIRST: f"import proxai_ir; proxai_ir.convert({TINY[ANTHROPIC]!r}, {ANTHROPIC!r}, {CHAT!r}, kind='request')",
}
METRIC = "import proxai_ir / import attrs, orjson"


def cases(settings: Settings) -> Iterator[Case]:
    """One case: all contenders in turns."""
    yield Case(METRIC, partial(_imports, settings))


def seconds_of(statement: str) -> float:
    """How long `statement` takes in a fresh interpreter, by that interpreter's own clock."""
    script = f"import time; start = time.perf_counter(); {statement}; print(time.perf_counter() - start)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return float(done.stdout)


def _imports(settings: Settings) -> list[Row]:
    measurements = {name: partial(seconds_of, statement) for name, statement in CONTENDERS.items()}
    for measure in measurements.values():
        measure()  # the first run writes the bytecode files
    taken = interleave(measurements, ROUNDS_FACTOR * settings.rounds)
    return [
        Row(METRIC, ratio(taken, OURS, BASE), GOAL, duration(median(taken, OURS))),
        Row("  the same, and a first tiny request", ratio(taken, FIRST, BASE), note=duration(median(taken, FIRST))),
    ]
