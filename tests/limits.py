"""How long a test may take: no test holds up the others for ever, whatever it waits for.

It fails when its time is over, and anew every half minute until it ends, as a task or a library may keep the exception
to itself. Where that does not end it, as in a loop of C, the process ends and says where it was.
"""

from __future__ import annotations

import faulthandler
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key

SECONDS = 300.0
SLOW = 1800.0
"""Of a test that has the mark `slow`."""
AGAIN = 30.0
GRACE = 120.0


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--limit", type=float, default=SECONDS, help="the seconds that a test may take; slow ones 6 times")


def limit_of(item: pytest.Item) -> float:
    seconds = float(item.config.option.limit)
    return seconds * SLOW / SECONDS if item.get_closest_marker("slow") else seconds


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Arm both clocks around a test and its fixtures."""
    if item.config.getoption("usepdb"):
        return (yield)
    seconds = limit_of(item)

    def late(*_: Any) -> None:
        pytest.fail(f"it takes longer than {seconds:g} s")

    alarmed = hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGALRM, late) if alarmed else None
    if alarmed:
        signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    _watch(item)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()
        if alarmed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


@pytest.hookimpl(trylast=True)
def pytest_exception_interact(node: pytest.Item | pytest.Collector) -> None:
    """Arm the second clock again, which pytest stops where a test has failed: its fixtures are still to end."""
    if isinstance(node, pytest.Item) and not node.config.getoption("usepdb"):
        _watch(node)


def _watch(item: pytest.Item) -> None:
    seconds = limit_of(item) + min(GRACE, 20 * limit_of(item))
    faulthandler.dump_traceback_later(seconds, exit=True, file=item.config.stash[fault_handler_stderr_fd_key])
