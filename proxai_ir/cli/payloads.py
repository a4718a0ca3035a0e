"""Where payloads come from: a file or standard input, one payload or JSON Lines.

Rule: JSON Lines are read line by line, so memory stays constant and a pipe is answered as it speaks.
"""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import BinaryIO, NamedTuple

STDIN = "-"


class UnreadableError(Exception):
    """The file cannot be opened or read; the text says why, without the file's name."""


class Payload(NamedTuple):
    """One payload's bytes, and where they stood."""

    data: bytes
    line: int | None
    """Counted from 1; None for a file that is one payload."""
    size: int
    """How much was read for it."""


def is_jsonl(file: str, wish: bool | None) -> bool:
    """The caller's wish; without one, the file's name decides."""
    return file.endswith(".jsonl") if wish is None else wish


def payloads(file: str, jsonl: bool) -> Iterator[Payload]:
    """Each payload of the file, in order. A blank line is a payload without data."""
    try:
        with _open(file) as source:
            if not jsonl:
                data = source.read()
                yield Payload(data, None, len(data))
                return
            for number, line in enumerate(source, start=1):
                yield Payload(line.strip(), number, len(line))
    except OSError as error:
        raise UnreadableError(error.strerror or str(error)) from error


def _open(file: str) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if file == STDIN else open(file, "rb")
