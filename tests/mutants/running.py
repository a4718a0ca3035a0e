"""Owns what becomes of a mutant: a copy of the project in which it stands, and the tests that are run there.

First the tests that run its line, the quickest before the others; for a line that runs when its module is imported, as
those of tables do, the tests that run its module. A mutant that they do not notice is tried against the tests of its
neighbourhood, as the map may know the default tests alone; and against all but the slow ones if that is asked for.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, count
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from ..tiers import ALL_BUT_SLOW
from .covering import Covering
from .operators import Mutant, in_function

PROJECT = (
    *("proxai_ir", "frontends", "backends", "tests", "spec", ".ci", ".docs", ".assets", ".gitignore", "pyproject.toml"),
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE"),
)
TABLES = (
    *("tests/test_spec.py", "tests/test_pairs.py", "tests/laws", "tests/streams", "tests/test_conformance.py"),
    *("tests/meaning", "tests/test_profiles.py", "tests/test_finish.py", "tests/pains"),
)
NEAR = {
    "proxai_ir/serve": ("tests/serve",),
    "proxai_ir/storage": ("tests/serve",),
    "proxai_ir/exchange": ("tests/exchange", "tests/clouds", "tests/serve"),
    "proxai_ir/httpx": ("tests/clients",),
    "proxai_ir/launch": ("tests/launch",),
    "proxai_ir/bulk": ("tests/bulk",),
    "proxai_ir/batch": ("tests/batch", "tests/bulk"),
    "proxai_ir/cli": ("tests/cli",),
    "proxai_ir/exports": ("tests/exports",),
    "proxai_ir/engines": ("tests/engines",),
    "proxai_ir/framing": ("tests/streams", "tests/test_fuzz_targets.py", "tests/clients", "tests/serve"),
    "proxai_ir/profiles": ("tests/profiles", "tests/test_profiles.py", "tests/servers", "tests/clouds"),
    "proxai_ir/advice": ("tests/test_remedies.py", "tests/cli"),
    "proxai_ir/authoring": ("tests/test_guide.py", "tests/test_api.py"),
    "proxai_ir/streaming/edits": ("tests/exchange",),
    "proxai_ir/streaming/hook": ("tests/exchange",),
    "proxai_ir/testing": ("tests/conform", "tests/outside", "tests/snapshots", "tests/test_conformance.py"),
}
"""The tests near a module, by the beginning of its path; all others have `TABLES`."""
FEW = 20.0  # seconds of tests that are tried first
SPARE = 120.0  # seconds that a run may take in addition to ten times what its tests took
OPTIONS = ("-x", "-n", "0", "-m", ALL_BUT_SLOW, "-p", "no:cacheprovider", "--tb=no", "-rfE")
SECONDS = count(1_000_000_000)
NOT_THERE = "exit status 4"  # of pytest, for arguments that name no test
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


Stage = tuple[str, Sequence[str], float]
"""What is run: its name, the tests, and its limit in seconds."""


class Outcome(NamedTuple):
    """What became of a mutant: `killed`, by which test, or `survived` which stage; a run that hangs kills it."""

    verdict: str
    by: str
    seconds: float


def copied(root: Path, folder: Path) -> Path:
    """A copy of the project, in which one mutant at a time can stand; returns its root."""
    for name in PROJECT:
        _copied(root / name, folder / "project" / name)
    shared = root.parent / "shared"
    if shared.is_dir():
        (folder / "shared").symlink_to(shared)
    return folder / "project"


def judged(root: Path, mutant: Mutant, stages: Iterable[Stage]) -> Outcome:
    """Puts the mutant into the project there, runs the stages until a test fails, and puts the source back."""
    start = monotonic()
    place = root / mutant.path
    source = place.read_bytes()
    _write(place, mutant.applied(source))
    survived = "no tests"
    try:
        for name, tests, limit in stages:
            killer = _killer(root, tests, limit)
            if killer is not None:
                return Outcome("killed", killer, monotonic() - start)
            survived = name
    finally:
        _write(place, source)
    return Outcome("survived", survived, monotonic() - start)


def _write(place: Path, source: bytes) -> None:
    """With a time of its own: bytecode is taken for that of a source which has the same size and second."""
    place.write_bytes(source)
    second = next(SECONDS)
    os.utime(place, (second, second))


def stages(mutant: Mutant, source: bytes, covering: Covering, whole: bool) -> Iterator[Stage]:
    """What could notice a mutant of the source, the quickest first."""
    tests = covering.tests(mutant.path, mutant.line, mutant.last) if in_function(source, mutant.line) else []
    tests = tests or covering.tests(mutant.path, 1, sys.maxsize)
    few = [name for name, total in zip(tests, accumulate(map(covering.seconds, tests)), strict=True) if total <= FEW]
    if few:
        yield "the quickest tests of it", few, SPARE + 10 * FEW
    if len(tests) > len(few):
        yield "the tests of it", tests[len(few) :], SPARE + 10 * sum(map(covering.seconds, tests))
    near = next((near for start, near in NEAR.items() if mutant.path.startswith(start)), TABLES)
    yield "the tests near it", near, 1800
    if whole:
        yield "all tests but the slow ones", (), 7200


def _killer(root: Path, tests: Sequence[str], limit: float) -> str | None:
    """The test that fails; None where none does. Tests that are not there, as the mutant is in their names, are looked
    for in their files."""
    killer = _failed(root, tests, limit)
    files = dict.fromkeys(test.partition("::")[0] for test in tests)
    return _failed(root, [*files], limit) if killer == NOT_THERE else killer


def _failed(root: Path, tests: Sequence[str], limit: float) -> str | None:
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as listed:
        listed.write("\n".join(tests))
        listed.flush()
        command = [sys.executable, "-m", "pytest", *OPTIONS, f"@{listed.name}"]
        try:
            run = subprocess.run(
                command, cwd=root, env=environment, capture_output=True, text=True, timeout=limit, check=False
            )
        except subprocess.TimeoutExpired:
            return "a run that does not end"
    if run.returncode == 0:
        return None
    failed = FAILED.search(run.stdout)
    return failed[1] if failed else f"exit status {run.returncode}"


def _copied(source: Path, target: Path) -> None:
    if source.is_dir():
        ignored = shutil.ignore_patterns("__pycache__", "node_modules", "site")
        shutil.copytree(source, target, symlinks=True, ignore=ignored)  # a link for each side of the library
    elif source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
