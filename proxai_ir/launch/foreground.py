"""Run a program in the foreground of a terminal, with a gateway for it in a thread of this process.

Rule 1: the terminal's keys send signals to the program and its children alone, in a process group of their own, as a
shell has it; a signal to this process is passed on to them. Rule 2: when the program has ended, none of its group is
left. Rule 3: messages of the gateway are held back until the client has given back the terminal.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
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

# --- the program ------------------------------------------------------------------------------------------------------

GRACE = 5.0
"""Seconds that a group has to end after a signal, before it is killed."""
LAST = 1.0
"""Seconds that children have to end once their program has ended."""
POLL = 0.02
PASSED_ON = (signal.SIGINT, signal.SIGTERM) + ((signal.SIGHUP,) if os.name == "posix" else ())


def run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Return the program's exit code, or 128 plus the signal that ended it, as shells do. Raises OSError."""
    if os.name != "posix":
        # Ctrl-C reaches all processes of a console, and the client decides what it means.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            return subprocess.run(command, env=environment, check=False).returncode  # noqa: S603
        finally:
            signal.signal(signal.SIGINT, before)
    with _signals_passed_on() as signals:
        program = subprocess.Popen(command, env=environment, process_group=0)  # noqa: S603
        signals.begin(program.pid)
        with _terminal(program.pid) as terminal:
            program.returncode = _wait(program.pid, terminal)
    _end(program.pid)
    return program.returncode


def _wait(group: int, terminal: int | None) -> int:
    """Wait for the program's exit code; if the terminal stops the program, this process stops too, until both go on."""
    while True:
        _, status = os.waitpid(group, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            code = os.waitstatus_to_exitcode(status)
            return 128 - code if code < 0 else code
        _give(terminal, os.getpgrp())
        if os.getsid(0) != os.getpid():  # else no shell would let this process go on
            os.kill(os.getpid(), signal.SIGSTOP)
        _give(terminal, group)
        _send(group, signal.SIGCONT)


def _give(terminal: int | None, group: int) -> None:
    """Give the terminal to a group."""
    if terminal is None:
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})  # it stops a process that lacks the terminal
    try:
        with suppress(OSError):  # a terminal that was closed
            os.tcsetpgrp(terminal, group)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _terminal(group: int) -> Iterator[int | None]:
    """Give the terminal to a group, if this process has it, and take it back at the end."""
    terminal = None
    with suppress(OSError, ValueError):
        if sys.stdin is not None and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp():
            terminal = sys.stdin.fileno()
    _give(terminal, group)
    _send(group, signal.SIGCONT)  # it was stopped if it read before it had the terminal
    try:
        yield terminal
    finally:
        _give(terminal, os.getpgrp())


class _Signals:
    """Passes signals on to a group, and kills it if it does not end in time."""

    def __init__(self) -> None:
        self._group = 0
        self._early: list[int] = []
        self.timers: list[threading.Timer] = []

    def begin(self, group: int) -> None:
        """Pass on earlier signals, and those that come from now on."""
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
        self.timers.append(timer)


@contextmanager
def _signals_passed_on() -> Iterator[_Signals]:
    signals = _Signals()
    before = {number: signal.signal(number, signals.pass_on) for number in PASSED_ON}
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for timer in signals.timers:
            timer.cancel()


def _end(group: int) -> None:
    """End the processes that a group has left when its program has ended."""
    until = time.monotonic() + LAST
    number = signal.SIGTERM
    while _send(group, number):
        if number == signal.SIGKILL:
            return
        while _send(group, 0) and time.monotonic() < until:
            time.sleep(POLL)
        number = signal.SIGKILL


def _send(group: int, number: int) -> bool:
    """Send a signal to a group, and return whether the group exists."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


# --- its folder -------------------------------------------------------------------------------------------------------

FOLDER = "proxai-ir-run-"


@contextmanager
def own_folder() -> Iterator[str]:
    """Yield a new temporary folder with this process in its name, and remove those of processes that were killed."""
    for left in Path(gettempdir()).glob(f"{FOLDER}*"):
        number = left.name.removeprefix(FOLDER).partition("-")[0]
        if os.name == "posix" and number.isdecimal() and not _runs(int(number)):
            shutil.rmtree(left, ignore_errors=True)  # another user's stays
    with TemporaryDirectory(prefix=f"{FOLDER}{os.getpid()}-") as folder:
        yield folder


def _runs(process: int) -> bool:
    """Return whether a process of this number runs, whoever owns it."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


# --- the gateway ------------------------------------------------------------------------------------------------------

SHUTDOWN = 1.0
"""Seconds that running requests have to end: their client has ended."""
MOST_MESSAGES = 20


def config_of(upstream: Upstream, port: int = 0, storage: str | None = None, *, keep: bool = True) -> Config:
    """Return the configuration of a local gateway with one upstream and a log with payloads.

    Raises ConfigError and CannotRun.
    """
    kept = {"keep": keep, **({"url": storage} if storage else {})}
    tables: dict[str, Any] = {"listen": {"port": port}, "storage": kept, "log": {"payloads": keep}}
    return one_upstream(upstream.table, upstream.model, **tables, timeouts={"shutdown": SHUTDOWN})


@define
class Passed:
    """Counts of the exchanges: tokens by kind, and by rule how many exchanges lost something."""

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
        self.tokens.update({kind: count for kind, count in (record.usage or {}).items() if isinstance(count, int)})
        self.lost.update({one["rule"] for one in record.diagnostics if one["severity"] != "info"})

    def lines(self) -> list[str]:
        """Return the summary, which is empty without exchanges."""
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
    """A storage whose records are counted."""

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
        return getattr(self._storage, name)  # other members of a storage


@define
class Beside:
    """A running gateway, the key that its client has to send, and the warnings that it would have written."""

    started: Started
    key: str
    passed: Passed
    log: str | None
    messages: list[str] = field(factory=list)


@contextmanager
def gateway(config: Config) -> Iterator[Beside]:
    """Serve until the block ends. Raises ConfigError, AddressError."""
    storage = storage_of(config)
    key, token, passed = new_token(), new_token(), Passed()
    access = Access([key], token)
    sockets = bound(config.listen)
    beside = Beside(started(config, sockets, access, token), key, passed, storage.shown if storage else None)
    allow_many_files()
    counted = Counted(storage or Unstored(), passed)
    served = server_of(config, counted, access, pages_of(config, storage, access))
    thread = threading.Thread(target=served.run, args=(sockets,), name="gateway")
    with _warnings_into(beside.messages):
        thread.start()
        try:
            yield beside
        finally:
            served.should_exit = True
            thread.join()


@contextmanager
def _warnings_into(messages: list[str]) -> Iterator[None]:
    """Collect warnings in a list, so that nothing is written to the terminal."""

    class Collecting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if len(messages) < MOST_MESSAGES:
                messages.append(record.getMessage())

    root = logging.getLogger()
    before: list[logging.Handler] = root.handlers
    root.handlers = [Collecting(logging.WARNING)]
    try:
        yield
    finally:
        root.handlers = before
