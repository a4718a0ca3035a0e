"""The loops of the command line over payloads and over events: read, convert, write, report."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from io import BufferedIOBase
from typing import Any, NamedTuple

import orjson
import typer
from rich.console import Console

import proxai_ir

from ..conversion.conversion import Ending
from ..conversion.profile import Profile, protocol_of
from ..framing import NDJSON, Framing
from ..protocol import registry
from . import outcome
from .outcome import ExitCode, Options, Outcome, worst
from .show import Reporter, in_place_of_output, lay_out
from .source import PIECE, STDIN, Source

# --- payloads ---------------------------------------------------------------------------------------------------------
# Where payloads come from: a file or standard input, whole, as JSON Lines, or piece by piece.
#
# Rule: JSON Lines are read line by line and pieces as they come, so memory stays constant and a pipe is answered as it
# speaks.


class UnreadableError(Exception):
    """The file cannot be opened or read; the text says why, without the file's name."""


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
    """Return whether a file is JSON Lines: as the caller wishes, or else by its name."""
    return file.endswith(".jsonl") if wish is None else wish


def payloads(source: Source, cut: Callable[[BufferedIOBase], Iterator[Payload]]) -> Iterator[Payload]:
    """Return the payloads of a source in order, as `cut` cuts it. It is opened at once and read step by step."""
    try:
        opened = source.open()
    except OSError as error:
        raise _unreadable(error) from error
    return _read(opened, cut)


def whole(source: BufferedIOBase) -> Iterator[Payload]:
    """Yield the whole source as one payload."""
    data = source.read()
    yield Payload(data, None, len(data))


def lines(source: BufferedIOBase) -> Iterator[Payload]:
    """Yield each line as a payload; a blank line is a payload without data."""
    for number, line in enumerate(source, start=1):
        yield Payload(line.strip(), number, len(line))


def pieces(source: BufferedIOBase) -> Iterator[Payload]:
    """Yield the bytes that have arrived, as soon as there are any."""
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


def _unreadable(error: OSError) -> UnreadableError:
    return UnreadableError(error.strerror or str(error))


# --- run --------------------------------------------------------------------------------------------------------------
# The loops over payloads and over the events of a stream: read, work, write, report, until the end or an error.
#
# Rule: one payload or event at a time, and its output leaves before the next is read.


@dataclass(frozen=True, slots=True)
class Output:
    """Standard output for payloads, one after the other."""

    pretty: bool | None
    keep_going: bool = False
    """A payload without output leaves a line in its place, and does not stop the run."""
    framed: bool = False
    """Outputs bring their own layout, line ends and all."""

    def write(self, outcome: Outcome, line: int | None) -> bool:
        """Write the output, if there is one, and return whether the run goes on."""
        if outcome.output is not None:
            typer.echo(outcome.output if self.framed else lay_out(outcome.output, self.pretty), nl=not self.framed)
        elif self.keep_going:
            typer.echo(in_place_of_output(outcome, line))
        else:
            return False
        return True


def run(
    source: Source, work: Callable[[bytes], Outcome], reporter: Reporter, output: Output | None, *, jsonl: bool
) -> ExitCode:
    """Send every payload of the source through `work`, and return the worst exit code.

    Without an output (`check`) nothing stops the run.
    """
    worst = ExitCode.OK
    with progress(source.file, reporter.errors, wanted=jsonl and not reporter.quiet) as advance:
        try:
            for payload in payloads(source, lines if jsonl else whole):
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
    reporter.sum_up()
    return worst


def run_stream(
    source: Source,
    work: Callable[[Iterable[bytes]], Iterator[Outcome]],
    reporter: Reporter,
    output: Output | None,
) -> ExitCode:
    """Send the stream of the source through `work`; write and report its outcomes as they come."""
    worst = ExitCode.OK
    with progress(source.file, reporter.errors, wanted=not reporter.quiet) as advance:
        try:
            for outcome in work(_reported(payloads(source, pieces), advance)):
                if output is not None:
                    output.write(outcome, None)
                reporter.show(outcome, None)
                worst = max(worst, outcome.exit)
        except UnreadableError as error:
            reporter.unreadable(str(error))
            worst = ExitCode.UNREADABLE
    return worst


def _reported(read: Iterable[Payload], advance: Callable[[Payload], None]) -> Iterator[bytes]:
    """Yield the bytes of each payload, and count it as done when the next one is asked for."""
    for payload in read:
        yield payload.data
        advance(payload)


def _is_blank(payload: Payload) -> bool:
    """Return whether a payload is a blank line; an empty file is none, and is refused as no payload."""
    return payload.line is not None and not payload.data


@contextmanager
def progress(file: str, console: Console, *, wanted: bool) -> Generator[Callable[[Payload], None], None, None]:
    """Show a bar on standard error, and give a function to call when a payload is done.

    It is shown if standard error is a terminal and standard output is none: on one screen each would garble the other.
    """
    if not (wanted and sys.stderr.isatty() and not sys.stdout.isatty()):
        yield _nothing
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

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
    """Return the size of the file, None if it has none, such as a pipe: then the bar has no end."""
    try:
        return None if file == STDIN else os.stat(file).st_size or None
    except OSError:
        return None


# --- streams ----------------------------------------------------------------------------------------------------------
# One stream through the library: the output of each event, and the diagnostics once the stream is over.
#
# Rule 1: pieces of bytes go in, outcomes come out, each as soon as it is known; files and printing belong to other
# modules. Rule 2: whatever stops a stream, its last output ends a stream of the target, so that no reader waits for
# more or takes a part of a response for the whole.


Json = Any
Server = str | Profile
NOT_JSON = "SHP-6"
MOST_KEPT = 10_000
"""How many events of a stream are kept, to search for remedies of its losses."""


def framing_of(protocol: Server, *, jsonl: bool) -> Framing:
    """Return the framing of a protocol's events; with `jsonl`, a line for each, whatever the protocol has."""
    return NDJSON if jsonl else registry.framing_of(protocol)


def convert(
    pieces: Iterable[bytes],
    src: Server,
    dst: str | Profile,
    options: Options,
    *,
    jsonl: bool,
    fail_on_loss: bool,
) -> Iterator[Outcome]:
    """Yield the output of each event that has one; the diagnostics of all events come with the last outcome.

    Raises UnreadableError as the pieces do, after everything before has been yielded.
    """

    def written(events: Iterable[Json]) -> bytes | None:
        return b"".join([encode(event, protocol_of(dst)) for event in events]) or None

    def over(output: bytes | None, found: Sequence[proxai_ir.Diagnostic]) -> Outcome:
        lossy = fail_on_loss and worst(found) is not ExitCode.OK
        return Outcome(ExitCode.LOSS if lossy else ExitCode.OK, output, found, ending=ending(), explain=explained)

    def ending() -> Ending:
        return converter.finishes, converter.usage

    def explained(found: Sequence[proxai_ir.Diagnostic]) -> tuple[proxai_ir.Finding, ...]:
        if len(kept) > MOST_KEPT:
            return proxai_ir.findings(found)
        return outcome.explained(kept, src, dst, "stream", options, found)

    try:
        converter = proxai_ir.StreamConverter(src, dst, **options)
    except proxai_ir.TranslationError as error:
        yield _stopped(error)
        return
    kept: list[Json] = []
    encode = framing_of(protocol_of(dst), jsonl=jsonl).encode
    try:
        for event in framing_of(src, jsonl=jsonl).decode(pieces):
            if len(kept) <= MOST_KEPT:
                kept.append(event)
            yield Outcome(ExitCode.OK, written(converter.feed(event)))
        yield over(written(converter.close()), converter.diagnostics)
    except proxai_ir.TranslationError as error:
        found = converter.diagnostics  # without the error, which the outcome has apart
        yield replace(_stopped(error, written(converter.close(error_event=True)), found, ending()), explain=explained)
    except UnreadableError:
        found = converter.diagnostics
        yield over(written(converter.close(error_event=True)), found)
        raise


def check(pieces: Iterable[bytes], src: Server, dst: Server, options: Options, *, jsonl: bool) -> Iterator[Outcome]:
    """Convert a stream for its diagnostics alone; a loss decides the exit code."""
    return convert(pieces, src, dst, options, jsonl=jsonl, fail_on_loss=True)


def fold(
    pieces: Iterable[bytes], src: Server, dst: Server, options: Options, *, jsonl: bool, partial: bool = False
) -> Iterator[Outcome]:
    """Yield the whole response that the stream makes, and none if it broke off or ended in an error.

    With `partial` what has come of it is the output then; the exit code is that of the error.
    """
    converter: proxai_ir.StreamConverter | None = None
    try:
        converter = proxai_ir.StreamConverter(src, dst, keep_response=True, **options)
        for event in framing_of(src, jsonl=jsonl).decode(pieces):
            converter.feed(event)
        converter.close()
        response, found = converter.response, converter.diagnostics
    except proxai_ir.TranslationError as error:
        yield _broken_off(converter, error) if partial and converter is not None else _stopped(error)
        return
    if response is None:
        why = "the stream ended with an error" if converter.failure else "an event is out of order"
        part = converter.partial() if partial else None
        output = None if part is None else orjson.dumps(part)
        yield Outcome(ExitCode.REFUSED, output, found, f"there is no whole response: {why}")
        return
    yield Outcome(ExitCode.OK, orjson.dumps(response), found, ending=(converter.finishes, converter.usage))


def _broken_off(converter: proxai_ir.StreamConverter, error: proxai_ir.TranslationError) -> Outcome:
    """Return what has come of a response, with the error that its stream broke off with."""
    try:
        response = converter.partial()
    except proxai_ir.TranslationError as refusal:
        return _stopped(refusal, None, [*converter.diagnostics, *error.diagnostics])
    output = None if response is None else orjson.dumps(response)
    return _stopped(error, output, converter.diagnostics, (converter.finishes, converter.usage))


def lower(pieces: Iterable[bytes], src: Server, *, jsonl: bool, quote_values: bool = True) -> Iterator[Outcome]:
    """Yield the IR of the whole stream as JSON."""
    from ..ir import json_form as ir_json

    try:
        node = proxai_ir.lower(
            list(framing_of(src, jsonl=jsonl).decode(pieces)), src, kind="stream", quote_values=quote_values
        )
    except proxai_ir.TranslationError as error:
        yield _stopped(error)
        return
    yield Outcome(ExitCode.OK, ir_json.dumps(node))


def _stopped(
    error: proxai_ir.TranslationError,
    output: bytes | None = None,
    found: Sequence[proxai_ir.Diagnostic] = (),
    ending: Ending = ((), None),
) -> Outcome:
    """Return the outcome of an error, with the diagnostics before it that it does not repeat (strict mode does)."""
    if error.rule == NOT_JSON:
        return Outcome(ExitCode.UNREADABLE, output, found, str(error), ending)
    again = {(one.rule, one.path, one.message) for one in error.diagnostics}
    before = [one for one in found if (one.rule, one.path, one.message) not in again]
    return Outcome(ExitCode.REFUSED, output, [*before, *error.diagnostics], str(error), ending)
