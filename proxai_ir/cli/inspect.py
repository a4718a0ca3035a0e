"""The commands that look at payloads: `detect`, `diff` and `fold`.

Rule: what a payload is, and whether two mean the same, is decided in the library; this prints it.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer
from rich.console import Console

import proxai_ir

from ..conversion.profile import Profile, protocol_of
from ..json.types import visible
from ..streaming.whole import folded
from . import outcome
from . import run as streams
from .models import served
from .outcome import ExitCode
from .parameters import AsJson, File, Given, JsonLines, Model, naming_wrong_options, side, taking
from .run import Output, UnreadableError, is_jsonl, payloads, run, run_stream, whole
from .servers import each_server, model_of, server
from .show import Reporter, as_lines, unreadable
from .source import STREAM, Source, settled

if TYPE_CHECKING:
    from ..testing.compare import Side

Detected = Annotated[
    list[str] | None,
    side(
        "--from",
        "The protocol of A, or of both; given twice, of A and of B. Default: each payload shows it.",
        each_server,
        show_default=False,
    ),
]
Target = Annotated[
    str | None, side("--to", "The protocol of the response. Default: that of the stream.", show_default=False)
]


def detect(file: File, jsonl: JsonLines = None, as_json: AsJson = False) -> None:
    """Print the protocol and the kind of a payload; one line for each if several fit."""
    lines = is_jsonl(file, jsonl)
    output = Output(pretty=None, keep_going=lines)
    reporter = Reporter(Console(stderr=True), file=file, as_json=False, quiet=False)
    work = functools.partial(outcome.detect, as_json=as_json)
    raise typer.Exit(run(Source(file), work, reporter, output, jsonl=lines))


def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="A payload; - is standard input.", show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one.", show_default=False)],
    src: Detected = None,
    as_json: AsJson = False,
) -> None:
    """Compare two payloads of any protocols by meaning; exit with 1 and list the differences if there are any."""
    from ..testing import compare

    names: list[str | Profile | None] = [server(name) for name in src or ()] or [None]
    if len(names) > 2:
        raise typer.BadParameter("expected one protocol, or two: of A and of B.", param_hint="'--from'")
    try:
        found = compare.differences(_side(a, names[0]), _side(b, names[-1]))
    except (compare.NotComparableError, UnreadableError) as error:
        raise unreadable(str(error)) from None
    if as_json:
        as_lines([{"same": not found, "differences": [one.as_json() for one in found]}])
    elif not found:
        typer.echo("they mean the same")
    for one in () if as_json else found:
        typer.echo(visible(str(one)))
    raise typer.Exit(ExitCode.DIFFERENT if found else ExitCode.OK)


@taking("file src to partial model profile capability option jsonl pretty quiet json_diagnostics hide_values")
def fold(
    given: Given,
    to: Target = None,
    partial: Annotated[
        bool,
        typer.Option("--partial", help="Of a stream that was cut off, or failed, print what has come of its response."),
    ] = False,
    model: Model = None,
) -> None:
    """Fold a captured stream into one whole response, in its own protocol or another."""
    options = given.options(model if to is None else model_of(to, model))
    reporter = given.reporter(Console(stderr=True))
    source, lines = Source(given.file), given.is_jsonl
    src, _ = settled(source, given.src, STREAM, reporter, jsonl=lines)
    target = server(src) if to is None else served(to, given.profile, options.get("model"), given.capabilities)
    about: dict[str, Any] = {"src": server(src), "dst": target, "options": options, "jsonl": lines}
    work = functools.partial(streams.fold, partial=partial, **about)
    with naming_wrong_options(options):
        raise typer.Exit(run_stream(source, work, reporter, Output(given.pretty)))


def _side(file: str, given: str | Profile | None) -> Side:
    """Return the payload of a file; of a stream the whole response that it makes. Raises UnreadableError."""
    from ..testing import compare

    data = _whole(file)
    found = [one for one in outcome.detected(data) if given is None or one[0] == protocol_of(given)]
    if not found:
        expected = "any protocol" if given is None else protocol_of(given)
        raise UnreadableError(f"{file}: {outcome.why_no_json_in(data, None) or f'not a payload of {expected}'}")
    protocol, kind, _ = found[0]
    server = given if given is not None else protocol
    try:
        if kind != "stream":
            return compare.Side(orjson.loads(data.removeprefix(b"\xef\xbb\xbf")), server, kind)
        return compare.Side(folded(proxai_ir.lower(data, server, kind="stream").src or (), server), server, "response")
    except proxai_ir.TranslationError as error:
        raise UnreadableError(f"{file}: {error}") from error


def _whole(file: str) -> bytes:
    try:
        return next(payloads(Source(file), whole)).data
    except UnreadableError as error:
        raise UnreadableError(f"{file}: {error}") from None
