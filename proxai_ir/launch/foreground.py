"""Run a program in the foreground of a terminal, with a gateway for it in a thread of this process."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from attrs import define, field

from ..exchange import Memory
from ..reporting.catalogue import KNOWN
from ..serve.access import Access, new_token
from ..serve.config import Config, one_upstream
from ..serve.gateway import Storage, Unstored
from ..serve.server import Started, allow_many_files, bound, pages_of, server_of, started, storage_of
from ..storage.records import Record
from .plan import Upstream

# --- foreground -------------------------------------------------------------------------------------------------------
# A program in the foreground of the terminal, in a process group of its own, as a shell runs one.
#
# Rule 1: what the terminal's keys send goes to the program and its children alone, which decide what becomes of it; a
# signal that this process gets is passed on to them. Rule 2: when the program has ended, none of its group is left.


GRACE = 5.0
"""Seconds in which a group has to end after a signal, before it is killed."""
LAST = 1.0
"""The same for children that their program has left."""
POLL = 0.02
PASSED_ON = (signal.SIGINT, signal.SIGTERM) + ((signal.SIGHUP,) if os.name == "posix" else ())


def run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Return the program's exit code; 128 more than the signal that ended it, as shells have it. Raises OSError."""
    if os.name != "posix":
        with _left_to_the_client():
            return subprocess.run(command, env=environment, check=False).returncode  # noqa: S603
    with _passed_on() as groups:
        program = subprocess.Popen(command, env=environment, process_group=0)  # noqa: S603
        groups.begin(program.pid)
        with _terminal(program.pid) as terminal:
            program.returncode = _ended(program.pid, terminal)  # which has waited for it
    _end(program.pid)
    return program.returncode


def _ended(group: int, terminal: int | None) -> int:
    """Waits for the program's end; where the terminal stops it, this process stops too, until both go on."""
    while True:
        _, status = os.waitpid(group, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            code = os.waitstatus_to_exitcode(status)
            return 128 - code if code < 0 else code
        _give(terminal, os.getpgrp())
        if os.getsid(0) != os.getpid():  # else there is no shell that lets this process go on
            os.kill(os.getpid(), signal.SIGSTOP)
        _give(terminal, group)
        _send(group, signal.SIGCONT)


def _give(terminal: int | None, group: int) -> None:
    """Hand the terminal over. The kernel stops who does so without having it, unless the signal is blocked."""
    if terminal is None:
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
    try:
        with suppress(OSError):  # a terminal that was closed
            os.tcsetpgrp(terminal, group)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _terminal(group: int) -> Iterator[int | None]:
    """Hands the terminal to a group, if this process has it, and takes it back."""
    terminal = None
    with suppress(OSError, ValueError):
        if sys.stdin is not None and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp():
            terminal = sys.stdin.fileno()
    _give(terminal, group)
    _send(group, signal.SIGCONT)  # it may have been stopped by reading before the terminal was its own
    try:
        yield terminal
    finally:
        _give(terminal, os.getpgrp())


class _Passing:
    """Signals to this process end the group; one that does not end in time is killed."""

    def __init__(self) -> None:
        self._group = 0
        self._early: list[int] = []
        self._timers: list[threading.Timer] = []

    def begin(self, group: int) -> None:
        """What came before there was a group goes to it, too."""
        self._group = group
        for number in self._early:
            self.pass_on(number, None)

    def pass_on(self, number: int, _: FrameType | None) -> None:
        if not self._group:
            self._early.append(number)
            return
        _send(self._group, number)
        timer = threading.Timer(GRACE, _send, (self._group, signal.SIGKILL))
        timer.daemon = True
        timer.start()
        self._timers.append(timer)

    def end(self) -> None:
        for timer in self._timers:
            timer.cancel()


@contextmanager
def _passed_on() -> Iterator[_Passing]:
    passing = _Passing()
    before = {number: signal.signal(number, passing.pass_on) for number in PASSED_ON}
    try:
        yield passing
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        passing.end()


@contextmanager
def _left_to_the_client() -> Iterator[None]:
    """Ctrl-C reaches all processes of a console; the client decides what it means."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end(group: int) -> None:
    """Ends what is left of a group whose program has ended."""
    until = time.monotonic() + LAST
    number = signal.SIGTERM
    while _send(group, number):
        if number == signal.SIGKILL:
            return
        while _send(group, 0) and time.monotonic() < until:
            time.sleep(POLL)
        number = signal.SIGKILL


def _send(group: int, number: int) -> bool:
    """Return whether there was anybody to get it."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


# --- beside -----------------------------------------------------------------------------------------------------------
# A gateway in a thread of this process, for one client, and what passed through it.
#
# Rule: what it has to say meanwhile is kept until the client has given back the terminal.


SHUTDOWN = 1.0
"""Seconds in which what still runs has to end: the client that asked for it has ended."""
MOST_SAID = 20


def config_of(upstream: Upstream, port: int = 0, storage: str | None = None, *, keep: bool = True) -> Config:
    """Return the gateway of one upstream, on this machine, which keeps payloads. Raises ConfigError, CannotRun."""
    kept = {"keep": keep, **({"url": storage} if storage else {})}
    tables: dict[str, Any] = {"listen": {"port": port}, "storage": kept, "log": {"payloads": keep}}
    return one_upstream(upstream.table, upstream.model, **tables, timeouts={"shutdown": SHUTDOWN})


@define
class Passed:
    """What passed through. `tokens`: by kind; `lost`: how many exchanges reported a rule, by rule."""

    exchanges: int = 0
    failed: int = 0
    error: str | None = None
    tokens: Counter[str] = field(factory=Counter)
    lost: Counter[str] = field(factory=Counter)

    def add(self, record: Record) -> None:
        self.exchanges += 1
        if record.failed:
            self.failed += 1
            self.error = record.error or f"status {record.status}"
        counts = {kind: count for kind, count in (record.usage or {}).items() if isinstance(count, int)}
        self.tokens.update(counts)
        self.lost.update({one["rule"] for one in record.diagnostics if one["severity"] != "info"})

    def lines(self) -> list[str]:
        """Return the summary; empty where nothing did."""
        if not self.exchanges:
            return []
        failed = f", {self.failed} failed; the last: {self.error}" if self.failed else ""
        tokens = ", ".join(f"{kind} {count}" for kind, count in self.tokens.items() if count)
        lines = [f"exchanges  {self.exchanges}{failed}", f"tokens     {tokens or 'none were reported'}"]
        width = max(map(len, self.lost), default=0)
        for rule, count in sorted(self.lost.items(), key=lambda one: (-one[1], one[0])):
            lines.append(
                f"lost       {rule:{width}} in {count}  {KNOWN[rule].sentence if rule in KNOWN else ''}".rstrip()
            )
        return lines if self.lost else [*lines, "lost       nothing"]


class Counted:
    """A storage whose records are counted, too."""

    def __init__(self, storage: Storage, passed: Passed) -> None:
        self._storage, self._passed = storage, passed

    @property
    def memory(self) -> Memory:
        return self._storage.memory

    def record(self, record: Record) -> None:
        self._passed.add(record)
        self._storage.record(record)

    def close(self) -> None:
        self._storage.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._storage, name)  # whatever else a storage has


@define
class Beside:
    """`key`: which the client has to send; `said`: what the gateway would have written to standard error."""

    started: Started
    key: str
    passed: Passed
    log: str | None
    said: list[str] = field(factory=list)


@contextmanager
def gateway(config: Config) -> Iterator[Beside]:
    """Serves until the block ends. Raises ConfigError, AddressError."""
    storage = storage_of(config)
    key, token, passed = new_token(), new_token(), Passed()
    access = Access([key], token)
    sockets = bound(config.listen)
    begun = started(sockets, config.listen, access, token, page=storage is not None)
    beside = Beside(begun, key, passed, storage.shown if storage else None)
    allow_many_files()
    counted = Counted(storage or Unstored(), passed)
    served = server_of(config, counted, access, pages_of(config, storage, access))
    thread = threading.Thread(target=served.run, args=(sockets,), name="gateway")
    with _kept(beside.said):
        thread.start()
        try:
            yield beside
        finally:
            served.should_exit = True
            thread.join()


@contextmanager
def _kept(said: list[str]) -> Iterator[None]:
    """Warnings go into a list; nothing goes to the terminal."""

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if len(said) < MOST_SAID:
                said.append(record.getMessage())

    root = logging.getLogger()
    before: list[logging.Handler] = root.handlers
    root.handlers = [Kept(logging.WARNING)]
    try:
        yield
    finally:
        root.handlers = before
