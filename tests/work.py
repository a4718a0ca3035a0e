"""How much work and memory something takes: calls, lines and bytes are counted, and no clock is looked at."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable, Collection
from types import CodeType, FrameType
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


def steps_within(run: Run, functions: Collection[CodeType], stages: Collection[CodeType] = ()) -> Counter[CodeType]:
    """How many steps are made within each of these functions, with all that it calls, by its code.

    `stages`: those that return a list of objects which work later; what their methods do is theirs. A function that
    another one of them calls counts for itself. As in `steps`, the second run counts.
    """
    run()
    found: Counter[CodeType] = Counter()
    inside: list[tuple[FrameType, CodeType]] = []
    owners: dict[int, tuple[Any, CodeType]] = {}  # with the objects, so that no other one gets the id

    def note(frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if event == "call":
            owned = owners.get(id(frame.f_locals.get("self"))) if owners else None
            if code in functions or owned is not None:
                inside.append((frame, code if owned is None else owned[1]))
        if inside:
            found[inside[-1][1]] += 1
            if event == "return" and inside[-1][0] is frame:
                inside.pop()
                if code in stages:
                    owners.update({id(one): (one, code) for one in argument or ()})
        return note

    def note_call(frame: FrameType, event: str, argument: Any) -> None:
        if inside and event == "c_call":
            found[inside[-1][1]] += 1

    before = sys.gettrace()  # which coverage has
    sys.settrace(note)
    sys.setprofile(note_call)
    try:
        run()
    finally:
        sys.setprofile(None)
        sys.settrace(before)
    return found


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
