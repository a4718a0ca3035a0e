"""The commands of `proxai-ir`.

Rule: a command reads its arguments, hands over, and ends in an exit code; what a conversion is, how a diagnostic looks
and where bytes come from is decided elsewhere.
"""

import sys
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer
from rich.console import Console

from . import outcome
from . import run as streams
from .agent import run as run_agent
from .bulk import bulk
from .inspect import detect, diff, fold
from .log import log
from .models import Model, Models, ProfileName, best, compared, models, served, with_model
from .outcome import EXIT_CODES_HELP, ExitCode
from .parameters import (
    File,
    From,
    HideValues,
    JsonDiagnostics,
    JsonLines,
    KindOption,
    LibraryOptions,
    Pretty,
    Quiet,
    RemediesWanted,
    To,
    ToOrModel,
    naming_wrong_options,
    read_options,
)
from .reference import explain, matrix, new_protocol, protocols, rules, schema
from .run import Output, is_jsonl, run, run_stream
from .serve import serve
from .servers import server
from .show import Commands, Reporter

STREAM = "stream"

app = typer.Typer(
    help="Translate payloads between LLM wire protocols, and report what is lost.",
    epilog=EXIT_CODES_HELP,
    cls=Commands,
    invoke_without_command=True,
    pretty_exceptions_enable=False,  # a traceback is a bug of ours, and shows no payload
)


@app.command(epilog=EXIT_CODES_HELP)
def convert(
    file: File,
    src: From,
    dst: To,
    kind: KindOption = None,
    model: Model = None,
    profile: ProfileName = None,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse a conversion with any loss.")] = False,
    option: LibraryOptions = None,
    jsonl: JsonLines = None,
    keep_going: Annotated[
        bool,
        typer.Option("--keep-going", help='JSON Lines: write {"error": …} for a refused line, and continue.'),
    ] = False,
    fail_on_loss: Annotated[bool, typer.Option("--fail-on-loss", help="Exit with 3 if there is any loss.")] = False,
    pretty: Pretty = None,
    quiet: Quiet = False,
    json_diagnostics: JsonDiagnostics = False,
    remedies: RemediesWanted = None,
    hide_values: HideValues = False,
) -> None:
    """Convert a payload: the result goes to standard output, diagnostics go to standard error."""
    options = with_model(read_options(option or ()), model)
    source, target = server(src), served(dst, profile, options.get("model"))
    given = options | ({"strict": True} if strict else {}) | ({"quote_values": False} if hide_values else {})
    lines, stream = is_jsonl(file, jsonl), kind == STREAM
    if keep_going and (stream or not lines):
        raise typer.BadParameter(
            "it needs JSON Lines of payloads (--jsonl), and no stream.", param_hint="'--keep-going'"
        )
    reporter = Reporter(Console(stderr=True), file=file, as_json=json_diagnostics, quiet=quiet, remedies=remedies)
    output = Output(_layout(pretty, flat=stream or lines), keep_going, framed=stream)
    with naming_wrong_options(options):
        if stream:
            events = partial(
                streams.convert, src=source, dst=target, options=given, jsonl=lines, fail_on_loss=fail_on_loss
            )
            raise typer.Exit(run_stream(file, events, reporter, output))
        work = partial(
            outcome.convert,
            src=source,
            dst=target,
            kind=kind,
            options=given,
            fail_on_loss=fail_on_loss,
            model=model,
        )
        raise typer.Exit(run(file, work, reporter, output, jsonl=lines))


@app.command(epilog=EXIT_CODES_HELP)
def check(
    file: File,
    src: From,
    dst: ToOrModel = None,
    kind: KindOption = None,
    model: Models = None,
    profile: ProfileName = None,
    option: LibraryOptions = None,
    jsonl: JsonLines = None,
    quiet: Quiet = False,
    json_diagnostics: JsonDiagnostics = False,
    remedies: RemediesWanted = None,
    hide_values: HideValues = False,
) -> None:
    """Print the diagnostics of a conversion, and no result. Every line of JSON Lines is checked."""
    if dst is None and not model:
        raise typer.BadParameter("it is needed where no --model says where the request goes.", param_hint="'--to'")
    if model and len(model) > 1:
        if kind == STREAM or is_jsonl(file, jsonl):
            raise typer.BadParameter("several models need one request.", param_hint="'--model'")
        raise typer.Exit(compared(file, src, dst, profile, model, read_options(option or ())))
    options = with_model(read_options(option or ()), model[0] if model else None)
    source, target = server(src), served(dst or best((model or [""])[0]), profile, options.get("model"))
    given = options | {"quote_values": False} if hide_values else options
    lines = is_jsonl(file, jsonl)
    reporter = Reporter(Console(), file=file, as_json=json_diagnostics, quiet=quiet, done="converts", remedies=remedies)
    with naming_wrong_options(options):
        if kind == STREAM:
            events = partial(streams.check, src=source, dst=target, options=given, jsonl=lines)
            raise typer.Exit(run_stream(file, events, reporter, None))
        work = partial(outcome.check, src=source, dst=target, kind=kind, options=given)
        raise typer.Exit(run(file, work, reporter, None, jsonl=lines))


@app.command(epilog=EXIT_CODES_HELP)
def lower(
    file: File,
    src: From,
    kind: KindOption = None,
    jsonl: JsonLines = None,
    pretty: Pretty = None,
    quiet: Quiet = False,
    json_diagnostics: JsonDiagnostics = False,
    hide_values: HideValues = False,
) -> None:
    """Print the intermediate representation (IR) of a payload as JSON."""
    lines, stream = is_jsonl(file, jsonl), kind == STREAM
    reporter = Reporter(Console(stderr=True), file=file, as_json=json_diagnostics, quiet=quiet)
    flat = lines and not stream  # the IR of a stream is one piece of JSON, however its events stand in the file
    output = Output(_layout(pretty, flat=flat) or False)  # the library indents the IR, lines and pipes want it flat
    if stream:
        events = partial(streams.lower, src=server(src), jsonl=lines, quote_values=not hide_values)
        raise typer.Exit(run_stream(file, events, reporter, output))
    work = partial(outcome.lower, src=server(src), kind=kind, quote_values=not hide_values)
    raise typer.Exit(run(file, work, reporter, output, jsonl=lines))


app.command(epilog=EXIT_CODES_HELP)(detect)
app.command(epilog=EXIT_CODES_HELP)(diff)
app.command(epilog=EXIT_CODES_HELP)(fold)
app.command(epilog=EXIT_CODES_HELP)(bulk)
app.command(epilog=EXIT_CODES_HELP)(serve)
app.command("run", epilog=EXIT_CODES_HELP)(run_agent)
app.command(epilog=EXIT_CODES_HELP)(log)
app.command(epilog=EXIT_CODES_HELP)(new_protocol)
app.command()(models)
app.command()(rules)
app.command()(explain)
app.command()(matrix)
app.command()(schema)
app.command()(protocols)


def _version(wanted: bool) -> None:
    if wanted:
        try:
            typer.echo(f"proxai-ir {version('proxai_ir')}")
        except PackageNotFoundError:
            typer.echo("proxai-ir (a checkout that is not installed)")
        raise typer.Exit


@app.callback()
def everywhere(
    context: typer.Context,
    show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Translate payloads between LLM wire protocols, and report what is lost."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(ExitCode.USAGE)


def _layout(pretty: bool | None, *, flat: bool) -> bool | None:
    """Pretty for eyes, as the library wrote it for pipes; what has to stay on one line is never indented."""
    if not flat:
        return True if pretty is None and sys.stdout.isatty() else pretty
    if pretty:
        raise typer.BadParameter("JSON Lines and events of a stream cannot be indented.", param_hint="'--pretty'")
    return pretty
