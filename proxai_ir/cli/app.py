"""The commands of `proxai-ir`.

Rule: a command reads its arguments, hands over, and ends in an exit code; what a conversion is, how a diagnostic looks
and where bytes come from is decided elsewhere.
"""

import sys
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

import typer
from rich.console import Console

from . import outcome
from . import run as streams
from .agent import run as run_agent
from .bulk import bulk
from .inspect import detect, diff, fold
from .log import log
from .models import Models, best, compared, models, served
from .outcome import EXIT_CODES_HELP, ExitCode
from .parameters import Given, Model, To, ToOrModel, naming_wrong_options, taking
from .reference import explain, matrix, new_protocol, protocols, rules, schema
from .run import Output, run, run_stream
from .serve import serve
from .servers import server
from .show import Commands

STREAM = "stream"

app = typer.Typer(
    help="Translate payloads between LLM wire protocols, and report what is lost.",
    epilog=EXIT_CODES_HELP,
    cls=Commands,
    invoke_without_command=True,
    pretty_exceptions_enable=False,  # a traceback is a bug of ours, and shows no payload
)


@app.command(epilog=EXIT_CODES_HELP)
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
    options = given.options(model, strict=strict)
    source, target = server(given.src), served(dst, given.profile, options.get("model"), given.capabilities)
    lines, stream = given.is_jsonl, given.kind == STREAM
    if keep_going and (stream or not lines):
        raise typer.BadParameter(
            "it needs JSON Lines of payloads (--jsonl), and no stream.", param_hint="'--keep-going'"
        )
    reporter = given.reporter(Console(stderr=True))
    output = Output(_layout(given.pretty, flat=stream or lines), keep_going, framed=stream)
    about: dict[str, Any] = {"src": source, "dst": target, "options": options, "fail_on_loss": fail_on_loss}
    with naming_wrong_options(options):
        if stream:
            events = partial(streams.convert, jsonl=lines, **about)
            raise typer.Exit(run_stream(given.file, events, reporter, output))
        work = partial(outcome.convert, kind=given.kind, model=model, **about)
        raise typer.Exit(run(given.file, work, reporter, output, jsonl=lines))


@app.command(epilog=EXIT_CODES_HELP)
@taking("file src dst kind model profile capability option jsonl quiet json_diagnostics remedies hide_values")
def check(given: Given, dst: ToOrModel = None, model: Models = None) -> None:
    """Print the diagnostics of a conversion, and no result. Every line of JSON Lines is checked."""
    if dst is None and not model:
        raise typer.BadParameter("it is needed where no --model says where the request goes.", param_hint="'--to'")
    lines, stream = given.is_jsonl, given.kind == STREAM
    if model and len(model) > 1:
        if stream or lines:
            raise typer.BadParameter("several models need one request.", param_hint="'--model'")
        stated: dict[str, Any] = {"profile": given.profile, "capabilities": given.capabilities}
        raise typer.Exit(compared(given.file, given.src, dst, model, options=given.options(), **stated))
    options = given.options(model[0] if model else None)
    name = dst or best((model or [""])[0])
    source, target = server(given.src), served(name, given.profile, options.get("model"), given.capabilities)
    reporter = given.reporter(Console(), done="converts")
    with naming_wrong_options(options):
        if stream:
            events = partial(streams.check, src=source, dst=target, options=options, jsonl=lines)
            raise typer.Exit(run_stream(given.file, events, reporter, None))
        work = partial(outcome.check, src=source, dst=target, kind=given.kind, options=options)
        raise typer.Exit(run(given.file, work, reporter, None, jsonl=lines))


@app.command(epilog=EXIT_CODES_HELP)
@taking("file src kind jsonl pretty quiet json_diagnostics hide_values")
def lower(given: Given) -> None:
    """Print the intermediate representation (IR) of a payload as JSON."""
    lines, stream = given.is_jsonl, given.kind == STREAM
    reporter = given.reporter(Console(stderr=True))
    flat = lines and not stream  # the IR of a stream is one piece of JSON, however its events stand in the file
    output = Output(_layout(given.pretty, flat=flat) or False)  # not the library's own layout, which is indented
    about: dict[str, Any] = {"src": server(given.src), "quote_values": not given.hide_values}
    if stream:
        raise typer.Exit(run_stream(given.file, partial(streams.lower, jsonl=lines, **about), reporter, output))
    raise typer.Exit(run(given.file, partial(outcome.lower, kind=given.kind, **about), reporter, output, jsonl=lines))


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
    """Return whether output is indented, or None for the library's own layout.

    A terminal gets indented output, unless each output has to stay on one line.
    """
    if not flat:
        return True if pretty is None and sys.stdout.isatty() else pretty
    if pretty:
        raise typer.BadParameter("JSON Lines and events of a stream cannot be indented.", param_hint="'--pretty'")
    return pretty
