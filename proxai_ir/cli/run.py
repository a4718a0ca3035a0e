"""The loops over payloads and over the events of a stream: read, work, write, report, until the end or an error.

Rule: one payload or event at a time, and its output leaves before the next is read.
"""

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from .exits import ExitCode
from .outcome import Outcome
from .payloads import STDIN, Payload, UnreadableError, lines, payloads, pieces, whole
from .show import Reporter, in_place_of_output, lay_out


@dataclass(frozen=True, slots=True)
class Output:
    """Standard output for payloads, one after the other."""

    pretty: bool | None
    keep_going: bool = False
    """A payload without output leaves a line in its place, and does not stop the run."""
    framed: bool = False
    """Outputs bring their own layout, line ends and all."""

    def write(self, outcome: Outcome, line: int | None) -> bool:
        """Writes what there is; returns whether the run goes on."""
        if outcome.output is not None:
            typer.echo(outcome.output if self.framed else lay_out(outcome.output, self.pretty), nl=not self.framed)
        elif self.keep_going:
            typer.echo(in_place_of_output(outcome, line))
        else:
            return False
        return True


def run(
    file: str, work: Callable[[bytes], Outcome], reporter: Reporter, output: Output | None, *, jsonl: bool
) -> ExitCode:
    """Every payload of the file through `work`. Without an output (`check`) nothing stops the run."""
    worst = ExitCode.OK
    with progress(file, reporter.errors, wanted=jsonl and not reporter.quiet) as advance:
        try:
            for payload in payloads(file, lines if jsonl else whole):
                if _is_blank(payload):
                    if output is not None and output.keep_going:
                        typer.echo()
                    continue
                outcome = work(payload.data)
                reporter.show(outcome, payload.line)
                worst = max(worst, outcome.exit)
                if output is not None and not output.write(outcome, payload.line):
                    break
                advance(payload)
        except UnreadableError as error:
            reporter.unreadable(str(error))
            worst = ExitCode.UNREADABLE
    return worst


def run_stream(
    file: str,
    work: Callable[[Iterable[bytes]], Iterator[Outcome]],
    reporter: Reporter,
    output: Output | None,
) -> ExitCode:
    """The stream of the file through `work`, whose outcomes are written and reported as they come."""
    worst = ExitCode.OK
    with progress(file, reporter.errors, wanted=not reporter.quiet) as advance:
        try:
            for outcome in work(_reported(payloads(file, pieces), advance)):
                if output is not None:
                    output.write(outcome, None)
                reporter.show(outcome, None)
                worst = max(worst, outcome.exit)
        except UnreadableError as error:
            reporter.unreadable(str(error))
            worst = ExitCode.UNREADABLE
    return worst


def _reported(read: Iterable[Payload], advance: Callable[[Payload], None]) -> Iterator[bytes]:
    """The bytes of each, which count as done with when the next is asked for."""
    for payload in read:
        yield payload.data
        advance(payload)


def _is_blank(payload: Payload) -> bool:
    """Only lines can be blank: an empty file is no payload, and refused as such."""
    return payload.line is not None and not payload.data


@contextmanager
def progress(file: str, console: Console, *, wanted: bool) -> Generator[Callable[[Payload], None], None, None]:
    """A bar on standard error; gives a function to call when a payload is done.

    It is shown when standard error is a terminal and standard output is not: on one screen they tear each other.
    """
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
