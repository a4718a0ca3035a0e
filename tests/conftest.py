"""What several suites share: the project as its files describe it, and the tools that stand next to the repository."""

import gc
import tomllib
from pathlib import Path
from typing import Any

import pytest

from .held.shared import AbsentError, Tools, load

ROOT = Path(__file__).parents[1]


def pytest_collection_finish() -> None:
    """What has been collected stays until the end: the garbage collector need not look through it in every turn."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def project() -> dict[str, Any]:
    """pyproject.toml, parsed."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.fixture(scope="session")
def tools() -> Tools:
    """The oracle, the scoreboard and the recordings, or a skip that names what is missing."""
    try:
        return load()
    except AbsentError as reason:
        pytest.skip(str(reason))
