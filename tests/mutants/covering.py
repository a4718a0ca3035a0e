"""Owns which tests run which lines: a pytest plugin that counts coverage by test, and what it leaves.

    python -m tests.mutants map        runs all tests but the slow ones with it

Lines that run while a module is imported have no test of their own: tables, and what is computed from them.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = "MUTANTS_MAP"
"""The environment variable that names the folder for the counts; each process of pytest leaves a file of its own."""
QUERY = """
select context.context, line_bits.numbits from line_bits
join file on file.id = line_bits.file_id join context on context.id = line_bits.context_id where file.path = ?
"""


# --- the plugin -------------------------------------------------------------------------------------------------------


class Counting:
    """Coverage of the library while each test runs."""

    def __init__(self, folder: Path) -> None:
        from coverage import Coverage  # of the extra `mutants`

        self._coverage = Coverage(
            data_file=folder / f"counts.{os.getpid()}", source=["proxai_ir", "frontends", "backends"], config_file=False
        )
        self._folder = folder
        self._coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._coverage.switch_context(item.nodeid)
        result = yield
        self._coverage.switch_context("")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            with (self._folder / f"seconds.{os.getpid()}").open("a") as file:
                file.write(f"{report.duration:.4f} {report.nodeid}\n")

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        self._coverage.save()


def pytest_configure(config: pytest.Config) -> None:
    """Counts in the processes that run tests: the workers, or the only one."""
    if FOLDER in os.environ and (hasattr(config, "workerinput") or not config.getoption("numprocesses", None)):
        config.pluginmanager.register(Counting(Path(os.environ[FOLDER])))


# --- what it left -----------------------------------------------------------------------------------------------------


class Covering:
    """Which tests run a line, the quickest first; those that failed or were skipped are not among them."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._root = root
        self._counts = [sqlite3.connect(file) for file in sorted(folder.glob("counts.*"))]
        self._seconds = dict(_seconds(folder))

    def tests(self, path: str, first: int, last: int) -> list[str]:
        """The tests that run a line of these, of a module below the project's root."""
        found = {name for name, lines in self._runs(path) if any(first <= line <= last for line in lines)}
        return sorted(found & self._seconds.keys(), key=lambda name: (self._seconds[name], name))

    def seconds(self, test: str) -> float:
        return self._seconds[test]

    def _runs(self, path: str) -> Iterator[tuple[str, list[int]]]:
        from coverage.numbits import numbits_to_nums

        for counts in self._counts:
            for name, bits in counts.execute(QUERY, (str(self._root / path),)):
                yield name, numbits_to_nums(bits)


def _seconds(folder: Path) -> Iterator[tuple[str, float]]:
    for file in sorted(folder.glob("seconds.*")):
        for line in file.read_text().splitlines():
            seconds, name = line.split(" ", 1)
            yield name, float(seconds)
