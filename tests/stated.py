"""The versions of official packages that tests of their fields are stated for: what others publish decides no test.

A test that compares with what an installed package says, word by word, runs where its version is the stated one, and
elsewhere skips and names both. `python -m tests.keeping_up` reports what is new in other versions.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

FILE = Path(__file__).parents[1] / ".ci" / "stated.txt"
STATED: dict[str, str] = dict(
    line.split("==") for line in FILE.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")
)


def needs_stated(*packages: str) -> None:
    """Skip where a package is not installed in the version that is stated."""
    __tracebackhide__ = True
    for package in packages:
        try:
            found = version(package)
        except PackageNotFoundError:
            pytest.skip(f"the package {package} is not installed")
        if found != STATED[package]:
            pytest.skip(f"stated for {package} {STATED[package]}, and {found} is installed")
