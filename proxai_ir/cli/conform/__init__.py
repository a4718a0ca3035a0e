"""The command `conform`: any implementation of conversions, held against the vectors of the specification."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..exits import ExitCode
from ..show import unreadable
from .implementation import Implementation, NotStartedError
from .judging import judged
from .report import as_json, as_page, as_text
from .vectors import vectors


def conform(
    command: Annotated[
        str,
        typer.Option(
            metavar="COMMAND",
            help="Starts the implementation: a process that reads a JSON object a line and answers each with a line.",
            show_default=False,
        ),
    ],
    rule: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Only vectors of this rule, family or id.", show_default=False),
    ] = None,
    options: Annotated[bool, typer.Option(help="Also vectors that need an option of the conversion.")] = False,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", help="How long an answer may take.", min=0.01)] = 10.0,
    json: Annotated[bool, typer.Option("--json", help="A JSON object a vector.")] = False,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a page of HTML.", show_default=False)
    ] = None,
    failed: Annotated[bool, typer.Option("--failed", help="List every vector that fails, and why.")] = False,
) -> None:
    """Run an implementation on the vectors of the specification; exit with 1 if it fails one."""
    chosen = [*vectors([one.upper() for one in rule or ()], options)]
    if not chosen:
        raise typer.BadParameter(
            "no vector has such a rule; expected ids as `rules` prints them.", param_hint="'--rule'"
        )
    try:
        verdicts = [judged(vector, answer) for vector, answer in Implementation(command, timeout).answers(chosen)]
    except NotStartedError as error:
        raise unreadable(str(error)) from None
    typer.echo(as_json(verdicts) if json else as_text(verdicts, failed))
    if page is not None:
        page.write_text(as_page(command, verdicts), encoding="utf-8")
    raise typer.Exit(ExitCode.OK if all(one.passed for one in verdicts) else ExitCode.DIFFERENT)
