"""Where payloads come from: a file or standard input, whole, as JSON Lines, or piece by piece.

Rule: JSON Lines are read line by line and pieces as they come, so memory stays constant and a pipe is answered as it
speaks.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from io import BufferedIOBase
from typing import NamedTuple, cast

STDIN = "-"
PIECE = 65536
"""The most bytes of a piece; fewer are one too."""


class UnreadableError(Exception):
    """The file cannot be opened or read; the text is why, without the file's name."""


class Payload(NamedTuple):
    """The bytes of one payload, or a piece of one, and where they stood."""

    data: bytes
    line: int | None
    """Counted from 1; None for what is no line of JSON Lines."""
    size: int
    """How much was read for it."""
    lines: int = 1
    """How many lines ended in it."""


def is_jsonl(file: str, wish: bool | None) -> bool:
    """The caller's wish; without one, the file's name decides."""
    return file.endswith(".jsonl") if wish is None else wish


def payloads(file: str, cut: Callable[[BufferedIOBase], Iterator[Payload]]) -> Iterator[Payload]:
    """What the file holds, in order, as `cut` cuts it. The file is opened at once, and read when it is asked for."""
    try:
        source = _open(file)
    except OSError as error:
        raise _unreadable(error) from error
    return _read(source, cut)


def whole(source: BufferedIOBase) -> Iterator[Payload]:
    """All of it as one payload."""
    data = source.read()
    yield Payload(data, None, len(data))


def lines(source: BufferedIOBase) -> Iterator[Payload]:
    """Each line a payload. A blank line is a payload without data."""
    for number, line in enumerate(source, start=1):
        yield Payload(line.strip(), number, len(line))


def pieces(source: BufferedIOBase) -> Iterator[Payload]:
    """Whatever has arrived when it is asked for; only where nothing has, this waits."""
    while data := source.read1(PIECE):
        yield Payload(data, None, len(data), data.count(b"\n"))


def _read(
    source: AbstractContextManager[BufferedIOBase], cut: Callable[[BufferedIOBase], Iterator[Payload]]
) -> Iterator[Payload]:
    try:
        with source as opened:
            yield from cut(opened)
    except OSError as error:
        raise _unreadable(error) from error


def _open(file: str) -> AbstractContextManager[BufferedIOBase]:
    return nullcontext(cast("BufferedIOBase", sys.stdin.buffer)) if file == STDIN else open(file, "rb")


def _unreadable(error: OSError) -> UnreadableError:
    return UnreadableError(error.strerror or str(error))
