"""An implementation under test: a process that reads one line of JSON a vector and answers each with a line.

Rule 1: whatever it does, the run goes on: a vector without an answer in time, or during which the process ended, fails
with that word, and a new process gets the next one. Rule 2: what it writes to standard error is the user's to see.
"""

from __future__ import annotations

import queue
import shlex
import subprocess
import threading
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from .vectors import Vector

Json = Any
HUNG, DIED, GARBAGE, OUT_OF_ORDER = "hung", "died", "garbage", "out of order"
FAULTS = (HUNG, DIED, GARBAGE, OUT_OF_ORDER)
"""What an implementation does in place of an answer."""
MOST_STARTS = 20
"""After so many processes in a row that answered nothing, the vectors that are left fail with the last one's word."""
STARTS = 30.0
"""Seconds that the first answer of a process may take at least: much is imported before it."""
GRACE = 5.0
"""Seconds that a process has to end by itself."""


class NotStartedError(Exception):
    """The command cannot be run; the text is why."""


class Implementation:
    """The process of a command, begun when it is needed."""

    def __init__(self, command: str, timeout: float) -> None:
        self._command, self._timeout = shlex.split(command), timeout
        self._process: subprocess.Popen[bytes] | None = None
        self._in_vain = 0
        self._first = True
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def answers(self, vectors: Iterable[Vector]) -> Iterator[tuple[Vector, Json | str]]:
        """Each vector with the object that answers it, or with one of FAULTS. Raises NotStartedError."""
        try:
            answer: Json | str = DIED
            for vector in vectors:
                answer = answer if self._in_vain >= MOST_STARTS else self._answer(vector)
                yield vector, answer
        finally:
            self.close()

    def _answer(self, vector: Vector) -> Json | str:
        process = self._started()
        assert process.stdin is not None
        try:
            process.stdin.write(vector.asked())
            process.stdin.flush()
            line = self._lines.get(timeout=max(self._timeout, STARTS) if self._first else self._timeout)
            self._first = False
        except queue.Empty:
            return self._ended(HUNG)
        except OSError:
            return self._ended(DIED)
        if line is None:
            return self._ended(DIED)
        try:
            answer = orjson.loads(line)
        except ValueError:
            return self._ended(GARBAGE)
        if not _is_answer(answer):
            return self._ended(GARBAGE)
        if answer.get("id") != vector.id:
            return self._ended(OUT_OF_ORDER)
        self._in_vain = 0
        return answer

    def _ended(self, fault: str) -> str:
        """A process that did this may still answer what it was asked before: the next vector gets another."""
        self.close(0)
        self._in_vain += 1
        return fault

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            try:
                self._process = subprocess.Popen(  # noqa: S603
                    self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
                )
            except OSError as error:
                raise NotStartedError(f"{shlex.join(self._command)}: {error.strerror}") from error
            self._lines, self._first = queue.SimpleQueue(), True
            threading.Thread(target=_read, args=(self._process, self._lines), daemon=True).start()
        return self._process

    def close(self, grace: float = GRACE) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        try:
            process.stdin.close()
            process.wait(grace)
        except (OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait()


def _is_answer(answer: Json) -> bool:
    if type(answer) is not dict or type(answer.get("findings") or []) is not list:
        return False
    return not answer.keys().isdisjoint({"output", "refused", "unsupported"})


def _read(process: subprocess.Popen[bytes], lines: queue.SimpleQueue[bytes | None]) -> None:
    assert process.stdout is not None
    with process.stdout:
        for line in process.stdout:
            if line.strip():
                lines.put(line)
    lines.put(None)
