"""The progress bar of JSON Lines and streams, on standard error.

Rule: it is shown when standard error is a terminal and standard output is not, because on one screen the bar and the
output would tear each other.
"""

import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from .payloads import STDIN, Payload


@contextmanager
def progress(file: str, console: Console, *, wanted: bool) -> Generator[Callable[[Payload], None], None, None]:
    """Gives a function to call when a payload is done."""
    if not (wanted and sys.stderr.isatty() and not sys.stdout.isatty()):
        yield _nothing
        return
    columns = (TextColumn("{task.fields[lines]} lines"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    # redirect_stdout would send our output to the bar's console
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("", total=_size(file), lines=0)
        lines = 0

        def advance(payload: Payload) -> None:
            nonlocal lines
            lines += payload.lines
            bar.update(task, advance=payload.size, lines=lines)

        yield advance


def _nothing(_payload: Payload) -> None:
    pass


def _size(file: str) -> int | None:
    """None (a bar without an end) for what has no size: a pipe."""
    try:
        return None if file == STDIN else os.stat(file).st_size or None
    except OSError:
        return None
