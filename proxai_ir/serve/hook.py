"""The operator's hook: found by its name at the start, and called in threads with a budget of time.

Rule 1: a function that hangs costs the call its budget, and its thread, until it returns; no thread keeps the process
from ending. Rule 2: no line of the log says what a function was shown, returned or raised, but by the names of classes.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from importlib import import_module
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore, Thread
from typing import Any

from ..streaming.hook import Denied, Failing, Function, Hook, HookCall

LOG = logging.getLogger("proxai_ir.serve")
THREADS = 32
"""The functions that run at once in one process, those that hang included."""

Work = Callable[[], Any]
Done = SimpleQueue[tuple[Any, str]]


def named(name: str) -> Function:
    """Return the function that "module:function" names. Raises ValueError."""
    module, _, inner = name.partition(":")
    if not (module and inner):
        raise ValueError(f'expected "module:function", found {name!r:.80}')
    try:
        found = getattr(import_module(module), inner, None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        missing = f" ({error.name})" if isinstance(error, ModuleNotFoundError) else ""
        raise ValueError(f"the module {module!r} cannot be imported: {type(error).__name__}{missing}") from None
    if not callable(found):
        raise ValueError(f"the module {module!r} has no function {inner!r}")
    if inspect.iscoroutinefunction(found):
        raise ValueError(f"{name} is asynchronous; expected a plain function, which runs in a thread")
    try:
        inspect.signature(found).bind(None, None)
    except (TypeError, ValueError):
        raise ValueError(f"{name} cannot be called with two arguments; expected a function (ir, call)") from None
    function: Function = found
    return function


class Threads:
    """Threads for work that may never end. Idle ones wait for the next work."""

    def __init__(self, most: int) -> None:
        self._most, self._free = most, BoundedSemaphore(most)
        self._idle: list[SimpleQueue[tuple[Work, Done]]] = []

    def run(self, work: Work, seconds: float) -> Any:
        """Return what the work returns. Raises Failing for work that raises or is late, or finds no thread in time."""
        if not self._free.acquire(timeout=seconds):
            raise Failing(f"found none of its {self._most} threads free within {seconds:g} s")
        done: Done = SimpleQueue()
        try:
            given = self._idle.pop()
        except IndexError:
            given = SimpleQueue()
            try:
                Thread(target=self._serve, args=(given,), name="proxai_ir hook", daemon=True).start()
            except RuntimeError:
                self._free.release()
                raise Failing("found no thread, as the system has no more") from None
        given.put((work, done))
        try:
            made, why = done.get(timeout=seconds)
        except Empty:
            raise Failing(f"did not return within {seconds:g} s") from None
        if why:
            raise Failing(why)
        return made

    def _serve(self, given: SimpleQueue[tuple[Work, Done]]) -> None:
        while True:
            work, done = given.get()
            try:
                made, why = work(), ""
            except Denied as error:
                made, why = error, ""
            except BaseException as error:  # SystemExit, too, which would end the thread and nothing else
                made, why = None, f"raised {type(error).__name__}"
            self._idle.append(given)
            self._free.release()
            done.put((made, why))
            del work, done, made


POOL = Threads(THREADS)


def hook_of(name: str | None, seconds: float) -> Callable[[HookCall], Hook] | None:
    """Return what makes the hook of one exchange, by the name of its function; None without a name."""
    if name is None:
        return None
    function = named(name)

    def limited(tree: Any, call: HookCall) -> Any:
        return POOL.run(lambda: function(tree, call), seconds)

    def hook(call: HookCall) -> Hook:
        return Hook(
            limited, call, lambda why: LOG.error("the hook %s failed in exchange %s: it %s", name, call.id, why)
        )

    return hook
