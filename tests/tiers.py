"""Which tests run when: the default ones say what a conversion means, `medium` and `slow` ones stand beside them.

A test with the mark `slow` is slow; all others below the paths of `MEDIUM` are medium, and what is left, as a new
folder is, runs by default. Whoever names paths means them: then only slow ones need `-m`.

Slow tests take the better part of an hour. CI runs one share of them for each commit, which `python -m tests.tiers`
prints.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DEFAULT = "not slow and not medium"
ALL_BUT_SLOW = "not slow"
MEDIUM = (
    "tests/benchmarks",
    "tests/bulk",
    "tests/cli",
    "tests/clients",
    "tests/docs",
    "tests/engines",
    "tests/launch",
    "tests/laws/test_mixed_lists.py",
    "tests/outside",
    "tests/properties",
    "tests/serve",
    "tests/streams/test_bytes.py",
    "tests/streams/test_generated_bytes.py",
    "tests/streams/test_laws.py",
    "tests/streams/test_unknown_members.py",
    "tests/test_fuzz.py",
    "tests/test_growth.py",
    "tests/test_guide.py",
    "tests/test_readme.py",
)
SHARES = 12
"""In how many shares the slow tests are cut."""
TOGETHER = ("tests/agents", "tests/docs", "tests/engines", "tests/serve")
"""Where files have fixtures that take longer than their tests: agents, a site, clusters. They stay in one share."""
VARIABLE = "PROXAI_IR_SLOW"


def is_medium(path: str) -> bool:
    return any(path == one or path.startswith(f"{one}/") for one in MEDIUM)


def share_of(test: str, shares: int) -> int:
    """Return the share of a slow test, from 1: it stays what it is while the test has its name."""
    path = test.partition("::")[0]
    key = path if path.startswith(TOGETHER) else test
    return int.from_bytes(sha256(key.encode()).digest()[:8]) % shares + 1


def chosen(variables: Mapping[str, str], commit: str) -> str:
    """Return the share that is to run, as "3/12": `all` or the one that the variable names, else one by the commit."""
    wanted = variables.get(VARIABLE, "")
    if wanted == "all":
        return "1/1"
    return wanted or f"{int(commit, 16) % SHARES + 1}/{SHARES}"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow-share", metavar="K/N", help="of the slow tests only these: share K of N, from 1/N to N/N")


def pytest_configure(config: pytest.Config) -> None:
    """Run the medium tests, too, where paths are named; a worker gets what its parent decided."""
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    if named and config.option.markexpr == DEFAULT and not hasattr(config, "workerinput"):
        config.option.markexpr = ALL_BUT_SLOW


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the medium tests, and leave out the slow ones of other shares."""
    share, shares = map(int, (config.getoption("--slow-share") or "1/1").split("/"))
    others = []
    for item in items:
        if item.get_closest_marker("slow") is not None:
            if share_of(item.nodeid, shares) != share:
                others.append(item)
        elif is_medium(item.nodeid.partition("::")[0]):
            item.add_marker("medium")
    if others:
        config.hook.pytest_deselected(items=others)
        left_out = set(others)
        items[:] = [item for item in items if item not in left_out]


def main() -> None:
    """Print the share of slow tests that is to run for this commit."""
    command = ["git", "rev-parse", "HEAD"]
    commit = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    print(chosen(os.environ, commit))


if __name__ == "__main__":
    sys.exit(main())
