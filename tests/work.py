"""How much work and memory something takes: calls, lines and bytes are counted, and no clock is looked at."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

Run = Callable[[], Any]


def operations(run: Run) -> int:
    """How many functions are called, ours and those in C."""
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    gc.disable()  # whose callbacks would count
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


def steps(run: Run) -> int:
    """How many calls, and how many lines of Python, each time that one runs: loops that call nothing count too.

    Run twice: what is loaded and compiled when it is first used does not count.
    """
    run()
    count = 0

    def note(frame: Any, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return note

    before = sys.gettrace()  # which coverage has
    sys.settrace(note)
    try:
        calls = operations(run)
    finally:
        sys.settrace(before)
    return count + calls


def allocated(run: Run) -> int:
    """How many bytes are allocated, line by line: what a line makes and lets go counts too.

    So copies show that C makes, which are no steps.
    """
    run()
    total = before = 0

    def note(frame: Any, event: str, argument: Any) -> Any:
        nonlocal total, before
        now, most = tracemalloc.get_traced_memory()
        total += max(0, most - before)
        tracemalloc.reset_peak()
        before = now
        return note

    traced = sys.gettrace()  # which coverage has
    tracemalloc.start()
    sys.settrace(note)
    try:
        run()
        note(None, "", None)
    finally:
        sys.settrace(traced)
        tracemalloc.stop()
    return total


def kept(run: Run) -> int:
    """How many bytes are still in use afterwards, but not before."""
    return _memory(run)[0]


def peak(run: Run) -> int:
    """How many bytes more are in use at one time."""
    return _memory(run)[1]


def _memory(run: Run) -> tuple[int, int]:
    gc.collect()
    gc.freeze()  # what is there stays: the second turn looks through what came since
    tracemalloc.start()
    try:
        run()
        gc.collect()
        return tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()


def cycles(run: Run) -> int:
    """How many objects are left to the garbage collector, which keeps them in memory until its next turn."""
    run()
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        run()
        return gc.collect()
    finally:
        gc.enable()
