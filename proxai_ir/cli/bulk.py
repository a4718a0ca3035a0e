"""The command `bulk`: files of payloads converted by all cores, or counted, with a report of what is lost.

Rule: what the extra `bulk` brings is imported when the command runs, and what is missing is named.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from ..json.types import visible
from .models import PROTOCOL, served
from .outcome import ExitCode
from .parameters import (
    Capabilities,
    HideValues,
    LibraryOptions,
    Model,
    ProfileName,
    Quiet,
    conversion_options,
    naming_wrong_options,
    needing,
    read_options,
    side,
)
from .servers import model_of, server, server_or_form, source_of_files
from .show import STYLES, table, unreadable

if TYPE_CHECKING:
    from ..bulk.loop import Progress as State
    from ..bulk.report import Report

MIB = 1 << 20
WIDTH = 24
"""Characters of the longest bar."""
NARROW, WITH_BARS = 80, 110
"""The least characters of a terminal's line for a table of rules, and for one with bars."""
TRIED = 1000
"""The rows of each file that a dry run reads."""
SHOWN = 20
"""The most files and models that are shown."""

Sources = Annotated[
    list[str],
    typer.Argument(metavar="FILE|FOLDER|GLOB...", help="JSON Lines or Parquet, local or a URL.", show_default=False),
]
From = Annotated[
    str,
    side(
        "--from",
        "The protocol of the rows, or `auto`: each row shows its own; with --kind export it can be a form.",
        callback=source_of_files,
    ),
]
To = Annotated[
    str,
    side("--to", "The protocol to convert them to; with --kind export it can be a form.", callback=server_or_form),
]
RowKind = Literal["request", "response", "error", "stream", "pair", "batch", "export"]
KindOption = Annotated[
    RowKind | None,
    typer.Option(
        "--kind",
        help="What a row is: a payload of this kind; pair: a request with its response, of which both are converted; "
        "batch: a line of a vendor's batch file; export: a request with "
        "its response, to or from a form, such as fine_tuning or telemetry. Default: a payload of any kind.",
        show_default=False,
    ),
]
Column = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help='The member (also /a/b) or column with the payload. Default: the whole line; in Parquet "payload".',
        show_default=False,
    ),
]


def bulk(
    sources: Sources,
    src: From,
    dst: To,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER|FILE",
            help="Where outputs go: a folder, or for one input a file, whose name says its format (.jsonl, .parquet).",
            show_default=False,
        ),
    ] = None,
    mode: Annotated[
        Literal["convert", "check"], typer.Option(help="check: only count what would be lost or refused.")
    ] = "convert",
    kind: KindOption = None,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse a row with any loss.")] = False,
    model: Model = None,
    profile: ProfileName = None,
    capability: Capabilities = None,
    option: LibraryOptions = None,
    column: Column = None,
    workers: Annotated[
        int | None,
        typer.Option(min=0, help="Processes beside this one. Default: one for each core.", show_default=False),
    ] = None,
    unordered: Annotated[
        bool, typer.Option("--unordered", help="Write rows as they are converted, not in their order.")
    ] = False,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Stop at the first row that is refused or file that fails.")
    ] = False,
    diagnostics: Annotated[
        bool,
        typer.Option("--diagnostics", help="Write all findings of an output NAME to NAME.diagnostics.jsonl."),
    ] = False,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The member (also /a/b) or column that names a row in findings, refusals and envelopes.",
            show_default=False,
        ),
    ] = None,
    envelope: Annotated[
        bool,
        typer.Option(
            "--envelope",
            help="Write each row with its number, key, route and headers beside its output, refused rows without one.",
        ),
    ] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Convert only the first rows of each file.", show_default=False)
    ] = None,
    sample: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=1.0, metavar="SHARE", help="Convert only a share of the rows: 0.01.", show_default=False
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help=f"Write nothing: tell what the first {TRIED:,} rows of each file (or --limit) are, and would lose.",
        ),
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Start again, instead of going on where the last run ended.")
    ] = False,
    work: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where outputs are made until they are complete.", show_default=False),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The report as JSON; - is standard output.", show_default=False),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The rules as a bar chart: .svg, .png or .pdf.", show_default=False),
    ] = None,
    quiet: Quiet = False,
    as_json: Annotated[bool, typer.Option("--json", help="The report as JSON on standard output: --report -.")] = False,
    hide_values: HideValues = False,
) -> None:
    """Convert files of payloads, by all cores; or count what that would lose."""
    if dry_run:
        mode, out, diagnostics, limit = "check", None, False, limit or TRIED
    if diagnostics and out is None:
        raise typer.BadParameter("--diagnostics writes beside outputs; expected --out FOLDER.")
    if (out is None) != (mode == "check"):
        raise typer.BadParameter("expected --out FOLDER, or --mode check, which writes no outputs.")
    report = Path("-") if as_json and report is None else report
    model = model if kind == "export" else model_of(dst, model)
    given = conversion_options(option, model, strict=strict, hide_values=hide_values)
    stated = read_options(capability or (), "--capability")
    source, target = server(src), served(dst, profile, None if kind == "export" else model, stated)
    with _needed(), naming_wrong_options(given), _bar(wanted=not quiet) as progress:
        from .. import bulk as library

        try:
            library.Job(source, target, kind, given, limit=limit, sample=sample).validated()
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error
        about: dict[str, Any] = {
            "kind": kind, "options": given, "column": column, "workers": workers, "fail_fast": fail_fast,
            "progress": progress, "profile": PROTOCOL if profile == PROTOCOL else "model",
            "envelope": envelope, "limit": limit, "sample": sample,
        }  # fmt: skip
        draw = None if plot is None else _drawing(plot)
        _in_folders(report, plot)
        if out is None:
            made = library.check(sources, source, target, **about)
        else:
            made = library.run(
                sources, out, source, target, ordered=not unordered, diagnostics=diagnostics, key=key,
                overwrite=overwrite, work=work, **about,
            )  # fmt: skip
    try:
        _kept(made, report)
        if draw is not None and plot is not None:
            draw(made, plot)
    except OSError as error:
        raise _unwritten(error.strerror or str(error)) from None
    if str(report) != "-" and not quiet:
        _show(made, listed=dry_run)
    raise typer.Exit(_exit(made))


def _in_folders(*files: Path | None) -> None:
    """End the command, before a run that may take hours, if a file of its report could not be written after it."""
    for file in files:
        if file is not None and (not file.parent.is_dir() or file.is_dir()):
            raise _unwritten(f"expected a file in a folder that exists, found {file}")


def _unwritten(why: str) -> typer.Exit:
    return unreadable(f"the report cannot be written: {why}")


def _drawing(file: Path) -> Callable[[Report, Path], None]:
    """Return the function that draws, before the run, so that it names a missing package or a wrong ending before."""
    from ..bulk.pictures import draw, endings

    if file.suffix.lower() not in endings():
        raise _unwritten(f"expected a name that ends in .svg, .png or .pdf, found {file}")
    return draw


@contextmanager
def _needed() -> Generator[None, None, None]:
    try:
        with needing("this", "bulk", {"matplotlib": "plot"}):
            yield
    except Exception as error:
        from ..bulk.job import BulkError

        if not isinstance(error, BulkError):
            raise
        raise unreadable(str(error)) from None


@contextmanager
def _bar(*, wanted: bool) -> Generator[Callable[[State], None] | None, None, None]:
    """Show bytes done, rows per second and the time that is left, on standard error."""
    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    columns = (
        TextColumn("{task.fields[rows]:,} rows"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("MiB"),
        TextColumn("{task.fields[rate]:,.0f} rows/s"),
        TextColumn("{task.fields[refused]:,} refused"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("", total=None, rows=0, rate=0.0, refused=0)
        first: int | None = None

        def advance(state: State) -> None:
            nonlocal first
            if first is None:
                first = state.rows  # of a run that goes on
            rate = (state.rows - first) / (bar.tasks[0].elapsed or 1)
            done, size = state.read // MIB, -(-state.size // MIB)
            bar.update(task, completed=done, total=size, rows=state.rows, rate=rate, refused=state.refused)

        yield advance


def _kept(made: Report, file: Path | None) -> None:
    """Write the report as JSON."""
    if file is None:
        return
    text = json.dumps(made.as_json(), indent=2)
    if str(file) == "-":
        typer.echo(text)
    else:
        file.write_text(f"{text}\n", encoding="utf-8")


def _show(made: Report, *, listed: bool) -> None:
    """Print counts, files and models if `listed`, the rules of refused rows, and then those of converted ones."""
    from ..bulk.report import ended
    from ..bulk.sources import TAKEN, named_by_end

    total = made.total
    console = Console(highlight=False)
    tabular = sys.stdout.isatty() and console.width >= NARROW
    print_ = partial(console.print, soft_wrap=not tabular)
    done = "converts" if made.mode == "check" else "converted"
    print_(
        Text(
            f"{total.rows:,} rows: {done} {total.converted:,} (lossy {total.lossy:,}), refused {total.refused:,}; "
            f"{len(made.files)} files in {made.seconds:.1f} s, {_speed(made)}",
            "bold",
        )
    )
    if listed:
        for line in _read(made):
            print_(Text(visible(line)))
    if made.unread:
        print_(Text(visible(f"{named_by_end(made.unread)}; a folder is read for {TAKEN}"), STYLES["loss"]))
    for one in made.failed:
        print_(Text(visible(f"{one.file}: {one.error}"), STYLES["error"]))
    if made.stopped is not None:
        print_(Text(visible(f"stopped at {made.stopped}"), STYLES["error"]))
    if total.finishes:
        endings = [f"{reason} ({visible(word) or 'not stated'}) {count:,}" for reason, word, count in ended(total)]
        print_(Text(f"finish: {', '.join(endings)}"))
    if total.facts:
        print_(Text(f"made for models: {len(total.facts)} facts of the table were used; --report FILE lists them"))
    _show_rules(made, print_, console.width if tabular else None)


def _show_rules(made: Report, print_: Callable[..., None], width: int | None) -> None:
    """Print the rules of refused and of converted rows: as a table of this width, or each on a line (None)."""
    from ..bulk.report import by_rows

    bars = [""] if width is not None and width >= WITH_BARS else []
    rules = table("rule", "severity", "rows", *bars, "first at", "")
    for column in rules.columns[:3]:
        column.no_wrap = True
    refused = [("refused", rule, count) for rule, count in by_rows(made.total.refusals)]
    found = refused + [(made.severity(rule), rule, count) for rule, count in by_rows(made.total.reported)]
    most = max((count.rows for _, _, count in found), default=1)
    for weight, rule, count in found:
        style = STYLES.get("error" if weight == "refused" else weight, "")
        first = count.example
        place = visible(f"{first['file']}:{first['row']} {first['path']}".rstrip())
        shown = visible(first["message"]) if weight == "refused" else made.sentence(rule)
        if width is not None:
            drawn = [Text("█" * max(1, round(WIDTH * count.rows / most)), style) for _ in bars]
            cells = (Text(rule, style), Text(weight, style), Text(f"{count.rows:,}"), *drawn, Text(place, "cyan"))
            rules.add_row(*cells, Text(shown))
        else:
            print_(Text("  ".join([rule, weight, str(count.rows), place, shown])))
    if width is not None and found:
        print_(rules)


def _speed(made: Report) -> str:
    if made.earlier and made.earlier == made.total.rows:
        return "all of them by earlier runs"
    return f"{made.rate:,.0f} rows/s"


def _read(made: Report) -> list[str]:
    """Return what each file was read as, and what the rows of each model would lose: the first of them."""
    from ..bulk.report import by_use, rules_of_model

    shown = []
    for one in made.files[:SHOWN]:
        found = ", ".join(f"{each['protocol']} {each['kind']} {each['rows']:,}" for each in one.sources)
        shown.append(f"{one.file}: {found or 'nothing that converts'}; lossy {one.lossy:,}, refused {one.refused:,}")
    if len(made.files) > SHOWN:
        shown.append(f"and {len(made.files) - SHOWN:,} files more; --report FILE lists them")
    models = by_use(made.total)
    for model in models[:SHOWN]:
        counts = made.total.models[model]
        rules = ", ".join(f"{rule} {rows:,}" for rule, rows in rules_of_model(counts).items())
        shown.append(
            f"model {model}: converts {counts['converted']:,} (lossy {counts['lossy']:,}): {rules or 'no rule'}"
        )
    if len(models) > SHOWN:
        shown.append(f"and {len(models) - SHOWN:,} models more; --report FILE lists them")
    return shown


def _exit(made: Report) -> ExitCode:
    if made.failed:
        return ExitCode.UNREADABLE
    if made.total.refused:
        return ExitCode.REFUSED
    return ExitCode.LOSS if made.mode == "check" and made.total.lossy else ExitCode.OK
