"""A test that does not end fails, and where it cannot, the process ends and says where it was."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOOP = """
import pytest

def test_hangs():
    {0}

def test_is_fine():
    pass
"""


def run(tmp_path: Path, code: str) -> tuple[int, str]:
    (tmp_path / "test_it.py").write_text(code)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = slow")
    command = [sys.executable, "-m", "pytest", "-p", "tests.limits", "--limit", "0.5", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "-p", "no:xdist", str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""},  # CI states processes there
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.skipif(os.name != "posix", reason="alarms as POSIX has them")
@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "__import__('threading').Event().wait()",
        "__import__('asyncio').run(__import__('asyncio').sleep(60))",
        "__import__('subprocess').run(['sleep', '60'])",
    ],
)
def test_a_test_that_does_not_end_fails_and_the_next_one_runs(code: str, tmp_path: Path) -> None:
    status, output = run(tmp_path, LOOP.format(code))
    assert status == 1
    assert "it takes longer than 0.5 s" in output
    assert "1 failed, 1 passed" in output


SWALLOWS = """
    while True:
        try:
            __import__('time').sleep(9)
        except BaseException:
            pass"""


@pytest.mark.parametrize("code", [SWALLOWS, "sum(iter(int, 1))"])
def test_a_process_that_cannot_be_stopped_ends(code: str, tmp_path: Path) -> None:
    status, output = run(tmp_path, LOOP.format(code))
    assert status == 1
    assert "in test_hangs" in output
    assert "passed" not in output


FIXTURE = """
import pytest

@pytest.fixture
def held():
    yield
    {0}

def test_fails(held):
    assert False
"""


def test_fixtures_of_a_failed_test_end_too(tmp_path: Path) -> None:
    status, output = run(tmp_path, FIXTURE.format(SWALLOWS))
    assert status == 1
    assert "in held" in output


def test_a_slow_test_has_more_time(tmp_path: Path) -> None:
    code = LOOP.format("__import__('time').sleep(1)").replace("def test_hangs", "@pytest.mark.slow\ndef test_hangs")
    assert run(tmp_path, code)[0] == 0
