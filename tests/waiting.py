"""How tests wait for what a thread, a task or a process does: with an end, whatever becomes of it.

A loop of a test's own that polls spins for ever where the other side has failed; `tests/test_waiting.py` finds such
loops. A task that has ended ends the waiting too, and what it raised, be it a skip, is raised here.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from typing import Any

Condition = Callable[[], object]
SECONDS = 20.0


def never() -> bool:
    return False


def came(reached: Condition, seconds: float = SECONDS, over: Condition = never, pause: float = 0.01) -> bool:
    """Whether something becomes true in time; what is `over` before, as a process that has ended, is not waited for."""
    deadline = time.monotonic() + seconds
    while not reached():
        if over() or time.monotonic() > deadline:
            return bool(reached())
        time.sleep(pause)
    return True


def until(reached: Condition, seconds: float = SECONDS, over: Condition = never, pause: float = 0.01) -> None:
    """Fail where something does not become true in time."""
    assert came(reached, seconds, over, pause), "over before it was reached" if over() else "not in time"


async def soon(reached: Condition, task: asyncio.Task[Any] | None = None, seconds: float = SECONDS) -> None:
    """Fail where something does not become true in time, and as the task did that was to make it true."""
    deadline = time.monotonic() + seconds
    while not reached():
        if task is not None and task.done():
            task.result()
            assert reached(), "over before it was reached"
            return
        assert time.monotonic() < deadline, "not in time"
        await asyncio.sleep(0.002)


def free_port() -> int:
    """Return the number of a port that nothing listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def listens(port: int) -> bool:
    """Whether something on this machine takes connections at a port."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def in_task() -> bool:
    """Whether this runs in a task, where an exception may be kept for somebody who never asks."""
    try:
        return asyncio.current_task() is not None
    except RuntimeError:  # no event loop runs in this thread
        return False
