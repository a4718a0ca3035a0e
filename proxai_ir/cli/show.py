"""Print diagnostics and errors of usage: on a terminal, as lines, or as JSON."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import orjson
import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

from ..conversion.conversion import Ending
from ..conversion.options import as_json
from ..ir.response import Finish, counts
from ..json.types import visible
from ..reporting.diagnostics import ROOT, Diagnostic, near
from ..reporting.digest import Finding, Remedy, findings, in_order, summary
from .outcome import ExitCode, Outcome

if TYPE_CHECKING:
    from rich.table import Table

# --- show -------------------------------------------------------------------------------------------------------------
# How diagnostics look: a summary with findings on a terminal, a line for each elsewhere, or JSON for programs.
#
# Rule: what came out of a payload is printed with control characters escaped, so that a diagnostic stays one line and
# sends nothing to the terminal.


STYLES = {"info": "dim", "loss": "yellow", "error": "bold red"}


class Reporter:
    """Prints outcomes: diagnostics on `console`, unreadable input always on standard error."""

    def __init__(
        self,
        console: Console,
        *,
        file: str,
        as_json: bool,
        quiet: bool,
        done: str = "converted",
        remedies: bool | None = None,
    ) -> None:
        """Choose how outcomes are shown.

        `done` is the word for a payload that is not refused. `remedies`: whether they are searched for, or None:
        for the first payloads on a terminal.
        """
        self.errors = console if console.stderr else Console(stderr=True)
        self.quiet = quiet
        self._console = console
        self._file = file
        self._as_json = as_json
        self._done = done
        self._remedies = remedies
        self._summaries = 0
        self._tally: Tally | None = None

    def notes(self, lines: Iterable[str]) -> None:
        """Print what is to be known before any payload, unless programs read what is printed."""
        if not (self.quiet or self._as_json):
            for line in lines:
                self.errors.print(f"proxai-ir: {line}", markup=False, highlight=False, soft_wrap=True)

    def show(self, outcome: Outcome, line: int | None) -> None:
        """Print one payload's outcome, or count it; `line` is its place in a JSON Lines file."""
        if self._tally is not None:
            self._tally.add(outcome, line)
            return
        if (outcome.diagnostics or any(outcome.ending)) and not self.quiet:
            _print(self._console, self._lines(outcome, line))
        if outcome.exit is ExitCode.UNREADABLE:
            self.unreadable(outcome.reason, line)
        elif outcome.reason and not outcome.diagnostics and not self.quiet:
            self._complain(outcome.reason, line)

    def count(self) -> None:
        """Count outcomes from now on, for `sum_up`, in place of printing them; programs still get all of them."""
        if not self._as_json:
            self._tally = Tally()

    def sum_up(self) -> None:
        """Print the summary of all outcomes, if they were counted; their remedies where they are wanted."""
        if self._tally is None or self.quiet:
            return
        wanted = self._console.is_terminal if self._remedies is None else self._remedies
        _print(self._console, self._tally.lines(explained=wanted))

    def unreadable(self, reason: str, line: int | None = None) -> None:
        """Print why input is no payload at all; `quiet` does not silence it."""
        self._complain(reason, line)

    def _complain(self, reason: str, line: int | None) -> None:
        if self._as_json:
            record = {"severity": "error", "rule": None, "path": None, "message": f"{self._file}: {reason}"}
            _print(self.errors, [Text(_dumps(_at(line) | record))])
        else:
            place = self._file if line is None else f"{self._file}:{line}"
            _print(self.errors, [Text(visible(f"proxai-ir: {place}: {reason}"))])

    def _lines(self, outcome: Outcome, line: int | None) -> list[Text]:
        if self._console.is_terminal and not self._as_json:
            return self._summed_up(outcome, line)
        remedies = _by_place(outcome) if self._remedies else None
        if self._as_json:
            records: list[dict[str, Any]] = [{**one.as_json()} for one in outcome.diagnostics]
            if remedies is not None:
                for record in records:
                    record["remedies"] = [_record(one) for one in remedies.get((record["rule"], record["path"]), ())]
            return [Text(_dumps(_at(line) | one)) for one in (*records, *_ending_of(outcome.ending))]
        lines: list[Text] = []
        for one in sorted(outcome.diagnostics, key=lambda one: (one.severity == "error", in_order(one.path))):
            lines.append(_columns(one.severity, one.rule, one.path or ROOT, one.message, line))
            lines += [
                Text(f"      {visible(as_arguments(each))}") for each in (remedies or {}).get((one.rule, one.path), ())
            ]
        return lines

    def _summed_up(self, outcome: Outcome, line: int | None) -> list[Text]:
        """Return how much is lost, then each finding with what can be done about it."""
        self._summaries += 1
        wanted = self._summaries <= MOST_EXPLAINED if self._remedies is None else self._remedies
        found = (outcome.explain if wanted and outcome.explain else findings)(outcome.diagnostics)
        head = "refused" if outcome.exit is ExitCode.REFUSED else self._done
        lines = [Text("" if line is None else f"line {line}: ").append(f"{head}: {summary(found)}", "bold")]
        lines += [Text(f"      {visible(record['message'])}") for record in _ending_of(outcome.ending)]
        for one in found:
            lines.append(_columns(one.severity, one.rule, one.paths[0] or ROOT, one.message, None))
            lines += [Text(f"      {visible(text)}", style) for text, style in _details(one)]
        return lines


class Tally:
    """Counts of what was found in many payloads, with the first example of each rule."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._found: dict[tuple[str, str], Counted] = {}

    def add(self, outcome: Outcome, line: int | None) -> None:
        word = ROWS.get(outcome.exit, WHOLE)
        self._rows[word] = self._rows.get(word, 0) + 1
        shown: dict[tuple[str, str], Diagnostic | None] = {
            (one.severity, one.rule): one for one in reversed(outcome.diagnostics)
        }
        if outcome.reason and not shown:
            shown[("error", UNREAD if outcome.exit is ExitCode.UNREADABLE else NO_RULE)] = None
        for key, one in shown.items():
            if key not in self._found:
                self._found[key] = Counted(outcome, one, line)
            self._found[key].rows += 1

    def lines(self, *, explained: bool) -> list[Text]:
        """Return the counts of rows, then each rule: the gravest first, then the most frequent."""
        total = sum(self._rows.values())
        shown = ", ".join(f"{self._rows[word]:,} {word}" for word in (WHOLE, *ROWS.values()) if word in self._rows)
        hint = "; --each prints the diagnostics of every line" if self._found else ""
        lines = [Text(f"{counted(total, 'row')}: {shown or 'none'}{hint}", "bold")]
        for (severity, rule), one in sorted(self._found.items(), key=_gravest):
            lines.append(_columns(severity, rule, f"{counted(one.rows, 'row')}  {one.place}", one.message, None))
            if explained and one.example:
                remedies = _by_place(one.outcome).get((rule, one.example.path), ())
                lines += [Text(f"      {visible(as_arguments(each))}", "italic") for each in remedies]
        return lines


class Counted:
    """A rule's count of rows, and the first that it was found in."""

    def __init__(self, outcome: Outcome, example: Diagnostic | None, line: int | None) -> None:
        self.outcome, self.example = outcome, example
        self.rows = 0
        self.place = f"first in line {line}" + (f" at {example.path or ROOT}" if example else "")
        self.message = example.message if example else outcome.reason


def _gravest(found: tuple[tuple[str, str], Counted]) -> tuple[int, int, str]:
    """Return the sort key of a rule: the gravest first, then the most frequent."""
    (severity, rule), one = found
    return -[*STYLES].index(severity), -one.rows, rule


WHOLE = "without a loss"
ROWS = {ExitCode.LOSS: "with losses", ExitCode.REFUSED: "refused", ExitCode.UNREADABLE: "not readable"}
"""The words for rows by their exit code."""
NO_RULE, UNREAD = "refused", "not JSON"
"""In place of a rule, for rows without diagnostics."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: 1 row, 2,000 rows."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _by_place(outcome: Outcome) -> dict[tuple[str, str], tuple[Remedy, ...]]:
    """Return the remedies of each diagnostic, by its rule and pointer."""
    found = outcome.explain(outcome.diagnostics) if outcome.explain else ()
    return {(one.rule, path): one.remedies for one in found for path in one.paths}


def _details(finding: Finding) -> list[tuple[str, str]]:
    """Return the other places of a finding, and what removes it, each with its style."""
    others = [path or ROOT for path in finding.paths[1:]]
    left_out = len(others) - MOST_PLACES
    if left_out > 0:
        others[MOST_PLACES:] = [f"{left_out} more, which --json-diagnostics lists"]
    lines = [(f"also at {', '.join(others)}", "cyan")] if others else []
    return [*lines, *((as_arguments(one), "italic") for one in finding.remedies)]


MOST_PLACES = 10
"""How many more places of a finding are named on a terminal."""
MOST_EXPLAINED = 100
"""Unless they are asked for, remedies are searched for this many payloads: each takes about twenty conversions."""


def as_arguments(remedy: Remedy) -> str:
    """Return the change as the command line takes it."""
    if remedy.kind in ("profile", "model"):
        return remedy.with_condition(f"--{remedy.kind} {remedy.name.lower()}")
    if remedy.name == "model":
        return remedy.with_condition(f"--model {remedy.value}")
    value = as_json(remedy.value)
    text = ",".join(value) if isinstance(value, tuple) else value if isinstance(value, str) else _dumps(value)
    return remedy.with_condition(f"--{remedy.kind} {shlex.quote(f'{remedy.name}={text}')}")


def _record(remedy: Remedy) -> dict[str, Any]:
    """Return the change for a program, and as it is typed."""
    return {**remedy._asdict(), "value": as_json(remedy.value), "type": as_arguments(remedy)}


def _ending_of(ending: Ending) -> list[dict[str, Any]]:
    """Return how a response ended, and its usage, as a record like those of diagnostics; none if neither is known."""
    finishes, usage = ending[0], counts(ending[1])
    shown = [f"finish {', '.join(map(_named, finishes))}"] if finishes else []
    shown += [f"usage {', '.join(f'{name} {count}' for name, count in usage.items())}"] if usage else []
    if not shown:
        return []
    record = {"rule": None, "severity": "info", "path": None, "message": "; ".join(shown)}
    return [{**record, "finishes": [one._asdict() for one in finishes], "usage": usage}]


def _named(finish: Finish) -> str:
    return f"{finish.reason} ({'not stated' if finish.raw is None else finish.raw})"


def _columns(severity: str, code: str, where: str, message: str, line: int | None) -> Text:
    columns = [Text(f"line {line}", "dim")] if line is not None else []
    style = STYLES.get(severity, "")
    columns += [Text(severity, style), Text(code, style), Text(visible(where), "cyan"), Text(visible(message))]
    return Text("  ").join(columns)


def in_place_of_output(outcome: Outcome, line: int | None) -> bytes:
    """Return the JSON line that keeps the output aligned with the input where a payload has no output."""
    diagnostics = [diagnostic.as_json() for diagnostic in outcome.diagnostics]
    return _dumps({"error": _at(line) | {"message": outcome.reason, "diagnostics": diagnostics}}).encode()


def lay_out(output: bytes, pretty: bool | None) -> bytes:
    """Return a JSON document indented, on one line, or (None) as the library wrote it."""
    if pretty is None:
        return output
    try:
        read = json.loads(output)  # which keeps integers of any size
    except ValueError:  # one of thousands of digits
        read = orjson.loads(output)
    separators = (",", ": ") if pretty else (",", ":")
    return json.dumps(read, ensure_ascii=False, indent=2 if pretty else None, separators=separators).encode()


def quoted(text: str) -> str:
    """Return a word for a shell."""
    return visible(shlex.quote(text))


def unreadable(reason: str) -> typer.Exit:
    """Return the end of a command whose input, or output, cannot be used."""
    typer.echo(f"proxai-ir: {visible(reason)}", err=True)
    return typer.Exit(ExitCode.UNREADABLE)


def table(*heads: str) -> Table:
    """Return a table for a terminal, whose cells are folded where it is narrow: no name or place in it is cut."""
    from rich.table import Table

    made = Table(box=None)
    for head in heads:
        made.add_column(head, overflow="fold")
    return made


def print_rows(heads: Sequence[str], rows: Iterable[Sequence[str]], between: str = "\t") -> None:
    """Print rows as a table on a terminal; elsewhere a line for each, with `between` its cells, and no heads."""
    if not sys.stdout.isatty():
        for row in rows:
            typer.echo(between.join(row))
        return
    shown = table(*heads)
    for row in rows:
        shown.add_row(*map(Text, row))
    Console().print(shown)


def as_lines(records: Iterable[Mapping[str, Any]]) -> None:
    """Print each record as a line of JSON."""
    for record in records:
        typer.echo(_dumps(record))


def _at(line: int | None) -> dict[str, Any]:
    return {} if line is None else {"line": line}


def _dumps(record: Any) -> str:
    """Return JSON on one line, with everything that is not printable escaped."""
    text = orjson.dumps(record).decode()
    return text if text.isprintable() else json.dumps(record, separators=(",", ":"))


def _print(console: Console, lines: Iterable[Text]) -> None:
    """Print lines at once and unwrapped; off a terminal as plain text, which is 20 times faster than rich."""
    if console.is_terminal:
        console.print(*lines, sep="\n", soft_wrap=True, highlight=False)
    else:
        console.file.write("".join(f"{line.plain}\n" for line in lines))
        console.file.flush()


# --- usage ------------------------------------------------------------------------------------------------------------
# Errors of usage: one line that says what was found, what was expected, and what to type.
#
# Rule: typer decides what is wrong; this only writes it. It is the group of all commands.


UsageError: Any = typer.BadParameter.__base__
"""The class has no public name."""
PREFIX = "Value error, "
"""What a validator of choices puts before its message."""


class Commands(TyperGroup):
    """Group commands, and write errors of usage on one line."""

    def main(  # type: ignore[override]  # as group and command are always called
        self, args: Sequence[str] | None = None, *, standalone_mode: bool = True, **others: Any
    ) -> Any:
        if not standalone_mode:
            return super().main(args, standalone_mode=False, **others)
        typed = sys.argv[1:] if args is None else [*args]
        try:
            code = super().main(args, standalone_mode=False, **others)
        except UsageError as error:
            typer.echo(self._one_line(error, typed), err=True)
            sys.exit(error.exit_code)
        except typer.Abort:
            sys.exit(1)
        except OSError as error:  # of what is read, every command tells by itself
            sys.exit(_unwritten(error))
        sys.exit(code if isinstance(code, int) else 0)

    def _one_line(self, error: Any, typed: Sequence[str]) -> str:
        """Return the error, after the command that it is about; and where that one is explained."""
        named = next((word for word in typed if word in self.commands), "")
        command = error.ctx.command_path if error.ctx is not None else f"proxai-ir {named}".strip()
        about = self.commands[named] if named else self
        return visible(f"{command}: {_problem(error, about, typed).rstrip('.')}; see `{command} --help`")


def _unwritten(error: OSError) -> ExitCode:
    """Say why the output cannot be written, as on a full disk; nothing more is written to it then."""
    what = visible(str(error.filename)) if error.filename else "the output"
    typer.echo(f"proxai-ir: {what} cannot be written: {error.strerror or error}", err=True)
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is buffered would fail again at the end
    return ExitCode.UNREADABLE


def _problem(error: Any, command: Any, typed: Sequence[str]) -> str:
    message = str(error.message or "").removeprefix(PREFIX)
    parameter = getattr(error, "param", None)
    if hasattr(error, "param_type"):
        return f"{_name(parameter)} is missing; expected {_meaning(parameter)}"
    if hasattr(error, "possibilities"):
        known = [flag for one in command.params for flag in one.opts if flag.startswith("-")]
        return f"there is no option {error.option_name}{near(error.option_name, known)}"
    if hasattr(error, "option_name"):
        (parameter,) = [one for one in command.params if error.option_name in one.opts] or [None]
        return f"{message.rstrip('.')}; expected {_meaning(parameter)}" if parameter else message
    if isinstance(error, typer.BadParameter):
        return _about(error, message, _found(parameter, typed))
    if message.startswith("Got unexpected extra"):
        usage = command.get_usage(error.ctx).removeprefix("Usage: ").strip() if error.ctx else ""
        return f"{message}; expected {usage}" if usage else message
    return message


def _about(error: Any, message: str, found: str) -> str:
    """Return a wrong value: of what, which one, and why."""
    hint = error.param_hint
    name = hint.strip("'") if isinstance(hint, str) else _name(error.param) if error.param is not None else ""
    value = "" if not found or found in message else f"found {found!r}; "
    return f"{name}: {value}{message}" if name else message


def _found(parameter: Any, typed: Sequence[str]) -> str:
    """Return the value that was given to an option."""
    for at, word in enumerate(typed):
        flag, equals, value = word.partition("=")
        if parameter is not None and flag in parameter.opts and flag.startswith("-"):
            return value if equals else "".join(typed[at + 1 : at + 2])
    return ""


def _name(parameter: Any) -> str:
    """Return the option or argument as it is typed."""
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar or str(parameter.name).upper())


def _meaning(parameter: Any) -> str:
    """Return an option with its value, or an argument, and its meaning."""
    name, about = _name(parameter), (parameter.help or "").partition(". ")[0].rstrip(".")
    if parameter.param_type_name == "option" and not getattr(parameter, "is_flag", False):
        name = f"{name} {parameter.metavar or str(parameter.name).upper()}"
    return f"{name} ({about})" if about else name
