"""Work of the database that somebody waits for: each so long and no longer, and not at all while it does not respond.

Rule 1: a database that hangs holds a caller up for its budget at most, and after the first one nobody: for `PAUSE`
seconds all are refused at once, then one tries. Rule 2: its threads are its own: what hangs takes none of others.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

Result = TypeVar("Result")

THREADS = 8
PAUSE = 1.0
"""Seconds after work that was not done in time, in which nothing is tried."""


class NotInTime(Exception):
    """The budget is over, or nothing is tried now; the text says which."""


class Patience:
    """Runs work in a few threads. Work that fails in time is no reason to try nothing: it holds nobody up."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._work: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._lock = Lock()
        self._threads = self._running = 0
        self._next_try: float | None = None  # None while the database responds

    def __call__(self, work: Callable[[], Result], seconds: float) -> Result:
        """What the work returns or raises. Raises NotInTime; the work may still be done then, later."""
        self._admit()
        waiting: Future[Result] = Future()
        self._work.put((waiting, work))
        try:
            return waiting.result(seconds)
        except Late:
            if waiting.done():
                raise  # the work's own
            waiting.cancel()  # so that it is not begun any more
            with self._lock:
                self._next_try = self._clock() + PAUSE
            raise NotInTime(f"no response within {seconds:g} s") from None

    def _admit(self) -> None:
        with self._lock:
            if self._next_try is not None:
                if self._clock() < self._next_try:
                    raise NotInTime("it did not respond before, and is tried again in a moment")
                self._next_try = self._clock() + PAUSE  # this one tries
            self._running += 1
            if self._running > self._threads and self._threads < THREADS:
                self._threads += 1
                Thread(target=self._run, name="proxai-ir database", daemon=True).start()

    def _run(self) -> None:
        while True:
            waiting, work = self._work.get()
            if waiting.set_running_or_notify_cancel():
                self._do(waiting, work)
            with self._lock:
                self._running -= 1
            del waiting, work

    def _do(self, waiting: Future[Any], work: Callable[[], Any]) -> None:
        try:
            result = work()
        except BaseException as error:
            waiting.set_exception(error)
        else:
            with self._lock:
                self._next_try = None
            waiting.set_result(result)
