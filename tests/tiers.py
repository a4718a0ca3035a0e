"""Which tests run when: the default ones say what a conversion means, `medium` and `slow` ones stand beside them.

A test with the mark `slow` is slow; all others below the paths of `MEDIUM` are medium, and what is left, as a new
folder is, runs by default. Whoever names paths means them: then only slow ones need `-m`.

Slow tests take the better part of an hour. CI runs one share of them for each commit, by the commit's id:
`python -m tests.tiers` prints which, and `python -m tests.tiers tests/engines` exits with 0 where it holds that folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
DEFAULT = "not slow and not medium"
ALL_BUT_SLOW = "not slow"
MEDIUM = (
    "tests/benchmarks",
    "tests/bulk",
    "tests/clients",
    "tests/docs",
    "tests/engines",
    "tests/held",
    "tests/keeping_up/test_equivalents.py",
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
    "tests/test_growth_by_place.py",
    "tests/test_guide.py",
    "tests/test_limits.py",
    "tests/test_readme.py",
)
SHARES = 18
"""In how many shares the slow tests are cut."""
TOGETHER = ("tests/agents", "tests/docs", "tests/engines")
"""Folders whose fixtures take longer than their tests, as agents, a site and clusters do: each stays in one share."""
VARIABLE = "PROXAI_IR_SLOW"


def is_medium(path: str) -> bool:
    return any(path == one or path.startswith(f"{one}/") for one in MEDIUM)


def share_of(test: str, shares: int) -> int:
    """Return the share of a slow test, from 1: it stays what it is while the test has its name."""
    key = next((folder for folder in TOGETHER if test.startswith(folder)), test)
    return int.from_bytes(sha256(key.encode()).digest()[:8]) % shares + 1


def chosen(variables: Mapping[str, str], commit: str) -> str:
    """Return the share that is to run, as "3/18": `all` or the one that the variable names, else one by the commit."""
    wanted = variables.get(VARIABLE, "")
    if wanted == "all":
        return "1/1"
    return wanted or f"{int(commit, 16) % SHARES + 1}/{SHARES}"


def pytest_addoption(parser: pytest.Parser) -> None:
    of_slow = "of the slow tests only these: share K of N, from 1/N to N/N"
    parser.addoption("--slow-share", metavar="K/N", default="1/1", help=of_slow)


def pytest_configure(config: pytest.Config) -> None:
    """Run the medium tests, too, where paths are named; a worker gets what its parent decided."""
    given: dict[str, Any] | None = getattr(config, "workerinput", None)
    if given is not None:
        config.option.markexpr = given["markexpr"]
        return
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    if named and config.option.markexpr == DEFAULT:
        config.option.markexpr = ALL_BUT_SLOW


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker which tests run: workers read the command line anew."""
    node.workerinput["markexpr"] = node.config.option.markexpr


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the medium tests, and leave out the slow ones of other shares."""
    share: str = config.option.slow_share
    others = []
    for item in items:
        if item.get_closest_marker("slow") is not None:
            if not holds(share, item.nodeid):
                others.append(item)
        elif is_medium(item.nodeid.partition("::")[0]):
            item.add_marker("medium")
    if others:
        config.hook.pytest_deselected(items=others)
        left_out = set(others)
        items[:] = [item for item in items if item not in left_out]


def holds(share: str, test: str) -> bool:
    """Whether a share, as "3/18", holds a slow test, or those of a folder of `TOGETHER`."""
    number, shares = map(int, share.split("/"))
    return share_of(test, shares) == number


def main(*folders: str) -> int:
    """Print the share of slow tests for this commit, or return 0 where it holds those of the folders."""
    command = ["git", "rev-parse", "HEAD"]
    commit = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    share = chosen(os.environ, commit)
    if not folders:
        print(share)
    return int(not all(holds(share, folder) for folder in folders))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
