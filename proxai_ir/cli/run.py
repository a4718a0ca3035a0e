"""The loop over payloads: read, work, report, write, until the input ends or a payload stops it.

Rule: one payload at a time, and its output leaves before the next is read.
"""

from collections.abc import Callable
from dataclasses import dataclass

import typer

from .exits import ExitCode
from .outcome import Outcome
from .payloads import Payload, UnreadableError, payloads
from .progress import progress
from .show import Reporter, in_place_of_output, lay_out


@dataclass(frozen=True, slots=True)
class Output:
    """Standard output for payloads, one after the other."""

    pretty: bool | None
    keep_going: bool = False
    """A payload without output leaves a line in its place, and does not stop the run."""

    def write(self, outcome: Outcome, line: int | None) -> bool:
        """Writes what there is; says whether the run goes on."""
        if outcome.output is not None:
            typer.echo(lay_out(outcome.output, self.pretty))
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
            for payload in payloads(file, jsonl):
                if _is_blank(payload):
                    if output is not None and output.keep_going:
                        typer.echo()
                    continue
                outcome = work(payload.data)
                reporter.show(outcome, payload.line)
                worst = max(worst, outcome.exit)
                if output is not None and not output.write(outcome, payload.line):
                    break
                advance(payload.size)
        except UnreadableError as error:
            reporter.unreadable(str(error))
            worst = ExitCode.UNREADABLE
    return worst


def _is_blank(payload: Payload) -> bool:
    """Only lines can be blank: an empty file is no payload, and refused as such."""
    return payload.line is not None and not payload.data
