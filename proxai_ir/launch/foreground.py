"""A program in the foreground of the terminal, in a process group of its own, as a shell runs one.

Rule 1: what the terminal's keys send goes to the program and its children alone, which decide what becomes of it; a
signal that this process gets is passed on to them. Rule 2: when the program has ended, none of its group is left.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

GRACE = 5.0
"""Seconds in which a group has to end after a signal, before it is killed."""
LAST = 1.0
"""The same for children that their program has left."""
POLL = 0.02
PASSED_ON = (signal.SIGINT, signal.SIGTERM) + ((signal.SIGHUP,) if os.name == "posix" else ())


def run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """The program's exit code; 128 more than the signal that ended it, as shells have it. Raises OSError."""
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
    """Whether there was anybody to get it."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
