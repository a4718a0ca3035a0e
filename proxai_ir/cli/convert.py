"""The commands `convert`, `check` and `lower`.

Rule: a command reads its arguments, hands over, and ends in an exit code; what a conversion is, how a diagnostic looks
and where bytes come from is decided elsewhere.
"""

import sys
from functools import partial
from typing import Annotated, Any

import typer
from rich.console import Console

from ..conversion.profile import protocol_of
from . import outcome
from . import run as streams
from .models import Models, best, compared, served
from .outcome import Kind
from .parameters import Given, Model, To, ToOrModel, naming_wrong_options, taking
from .run import Output, run, run_stream
from .servers import model_of, note_of, server
from .source import STREAM, Source, of_source, settled


@taking(
    "file src dst kind model profile capability strict option jsonl keep_going fail_on_loss pretty quiet "
    "json_diagnostics remedies hide_values"
)
def convert(
    given: Given,
    dst: To,
    model: Model = None,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse a conversion with any loss.")] = False,
    keep_going: Annotated[
        bool,
        typer.Option("--keep-going", help='JSON Lines: write {"error": …} for a refused line, and continue.'),
    ] = False,
    fail_on_loss: Annotated[bool, typer.Option("--fail-on-loss", help="Exit with 3 if there is any loss.")] = False,
) -> None:
    """Convert a payload: the result goes to standard output, diagnostics go to standard error."""
    model = model_of(dst, model)
    options = given.options(model, strict=strict)
    target = served(dst, given.profile, options.get("model"), given.capabilities)
    reporter = given.reporter(Console(stderr=True))
    reporter.notes(note_of((given.src, dst)))
    source, lines = Source(given.file), given.is_jsonl
    _output(given, given.kind, keep_going)  # so that wrong usage is said before anything is read
    src, kind = settled(source, given.src, given.kind, reporter, jsonl=lines)
    output = _output(given, kind, keep_going)
    about: dict[str, Any] = {"dst": target, "options": options, "fail_on_loss": fail_on_loss}
    with naming_wrong_options(options):
        if kind == STREAM:
            events = partial(streams.convert, src=server(src), jsonl=lines, **about)
            raise typer.Exit(run_stream(source, events, reporter, output))
        work = partial(outcome.convert, kind=kind, model=model, **about)
        found = of_source(work, src, kind, reporter, protocol_of(target))
        raise typer.Exit(run(source, found, reporter, output, jsonl=lines))


@taking("file src dst kind model profile capability option jsonl each quiet json_diagnostics remedies hide_values")
def check(
    given: Given,
    dst: ToOrModel = None,
    model: Models = None,
    each: Annotated[
        bool, typer.Option("--each", help="JSON Lines: print the diagnostics of every line, in place of a summary.")
    ] = False,
) -> None:
    """Print the diagnostics of a conversion, and no result. Every line of JSON Lines is checked, and summed up."""
    if dst is None and not model:
        raise typer.BadParameter("it is needed where no --model says where the request goes.", param_hint="'--to'")
    name = dst or best((model or [""])[0])
    reporter = given.reporter(Console(), done="converts")
    if not (model and len(model) > 1):
        reporter.notes(note_of((given.src, name)))
    source, lines = Source(given.file), given.is_jsonl
    src, kind = settled(source, given.src, given.kind, reporter, jsonl=lines)
    if model and len(model) > 1:
        if kind == STREAM or lines:
            raise typer.BadParameter("several models need one request.", param_hint="'--model'")
        stated: dict[str, Any] = {"profile": given.profile, "capabilities": given.capabilities}
        raise typer.Exit(compared(source, src, dst, model, reporter, options=given.options(), **stated))
    options = given.options(model_of(name, model[0] if model else None))
    target = served(name, given.profile, options.get("model"), given.capabilities)
    with naming_wrong_options(options):
        if kind == STREAM:
            events = partial(streams.check, src=server(src), dst=target, options=options, jsonl=lines)
            raise typer.Exit(run_stream(source, events, reporter, None))
        if lines and not each:
            reporter.count()
        work = partial(outcome.check, dst=target, kind=kind, options=options)
        found = of_source(work, src, kind, reporter, protocol_of(target))
        raise typer.Exit(run(source, found, reporter, None, jsonl=lines))


@taking("file src kind jsonl pretty quiet json_diagnostics hide_values")
def lower(given: Given) -> None:
    """Print the intermediate representation (IR) of a payload as JSON."""
    reporter = given.reporter(Console(stderr=True))
    source, lines = Source(given.file), given.is_jsonl
    src, kind = settled(source, given.src, given.kind, reporter, jsonl=lines)
    flat = lines and kind != STREAM  # the IR of a stream is one piece of JSON, however its events stand in the file
    output = Output(_layout(given.pretty, flat=flat) or False)  # not the library's own layout, which is indented
    about: dict[str, Any] = {"quote_values": not given.hide_values}
    if kind == STREAM:
        events = partial(streams.lower, src=server(src), jsonl=lines, **about)
        raise typer.Exit(run_stream(source, events, reporter, output))
    work = of_source(partial(outcome.lower, kind=kind, **about), src, kind, reporter)
    raise typer.Exit(run(source, work, reporter, output, jsonl=lines))


def _output(given: Given, kind: Kind | None, keep_going: bool) -> Output:
    if keep_going and (kind == STREAM or not given.is_jsonl):
        raise typer.BadParameter(
            "it needs JSON Lines of payloads (--jsonl), and no stream.", param_hint="'--keep-going'"
        )
    flat = kind == STREAM or given.is_jsonl
    return Output(_layout(given.pretty, flat=flat), keep_going, framed=kind == STREAM)


def _layout(pretty: bool | None, *, flat: bool) -> bool | None:
    """Return whether output is indented, or None for the library's own layout.

    A terminal gets indented output, unless each output has to stay on one line.
    """
    if not flat:
        return True if pretty is None and sys.stdout.isatty() else pretty
    if pretty:
        raise typer.BadParameter("JSON Lines and events of a stream cannot be indented.", param_hint="'--pretty'")
    return pretty
