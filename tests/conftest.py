"""What several suites share: the project as its files describe it, and the tools that stand next to the repository."""

import gc
import threading
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .held.shared import AbsentError, Tools, load
from .waiting import in_task

ROOT = Path(__file__).parents[1]
pytest_plugins = ("tests.limits", "tests.tiers")


def pytest_configure(config: pytest.Config) -> None:
    """Let no test skip in a task or a thread, which may keep the skip to itself: it fails there, skip or not."""
    patch = pytest.MonkeyPatch()
    for name in ("skip", "importorskip"):
        patch.setattr(pytest, name, _seen(getattr(pytest, name)))
    config.add_cleanup(patch.undo)


def _seen(skip: Callable[..., Any]) -> Callable[..., Any]:
    def skip_where_it_is_seen(*given: Any, **named: Any) -> Any:
        __tracebackhide__ = True  # a skip's place is the test
        if in_task() or threading.current_thread() is not threading.main_thread():
            raise RuntimeError("a skip that nobody may see: skip before the task or thread begins")
        return skip(*given, **named)

    skip_where_it_is_seen.Exception = pytest.skip.Exception  # type: ignore[attr-defined]
    return skip_where_it_is_seen


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
