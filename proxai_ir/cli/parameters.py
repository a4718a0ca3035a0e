"""The options that commands share, each declared once: how it is written, what it means, how it is wrong."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import orjson
import typer

from ..conversion.options import SHARED
from ..passes.emulation import AUTO
from .outcome import ExitCode, Kind
from .servers import protocol, protocol_or_profile, protocols_from, servers_from

RESERVED = {
    "kind": "--kind",
    "strict": "--strict",
    "src": "--from",
    "dst": "--to",
    "quote_values": "--hide-values",
}
"""Options of the library that the command line spells its own way."""


def read_options(pairs: Sequence[str]) -> dict[str, Any]:
    """`NAME=VALUE` pairs as keyword arguments of the library. A value that is no JSON is a string, or a list of words
    where the option takes a list.
    """
    options: dict[str, Any] = {}
    for pair in pairs:
        _, equals, value = pair.partition("=")
        name = _name(pair)
        if not equals or not name.isidentifier():
            raise typer.BadParameter(f"{pair!r} is not NAME=VALUE.", param_hint="'--option'")
        if name in options:
            raise typer.BadParameter(f"{name} is given twice.", param_hint="'--option'")
        try:
            options[name] = orjson.loads(value)
        except orjson.JSONDecodeError:
            options[name] = value.split(",") if SHARED.get(name) is tuple and value != AUTO else value
    return options


def _not_reserved(running: typer.Context, pairs: list[str] | None) -> list[str] | None:
    """Return the pairs, unless one is of an option that is written in another way, if the command has it."""
    flags = {flag for one in running.command.params for flag in one.opts}
    for pair in pairs or ():
        name = _name(pair)
        if name in RESERVED and "=" in pair:
            flag = RESERVED[name]
            what = f"use {flag} instead of the option {name}." if flag in flags else f"{name} means nothing here."
            raise typer.BadParameter(what)
    return pairs


def _name(pair: str) -> str:
    return pair.partition("=")[0].strip().replace("-", "_")


@contextmanager
def naming_wrong_options(options: Mapping[str, Any]) -> Generator[None, None, None]:
    """The library's TypeError about an option is wrong usage; any other TypeError is a bug and stays one."""
    try:
        yield
    except TypeError as error:
        if any(repr(name) in str(error) for name in options):
            raise typer.BadParameter(str(error), param_hint="'--option'") from error
        raise


def side(flag: str, about: str, callback: Callable[..., Any] = protocol_or_profile, **more: Any) -> Any:
    """Return the option with the protocol of one side, or the profile of a server of it."""
    complete = protocols_from if callback is protocol else servers_from
    return typer.Option(flag, metavar="PROTOCOL", help=about, callback=callback, autocompletion=complete, **more)


File = Annotated[str, typer.Argument(metavar="FILE|-", help="The payload; - is standard input.", show_default=False)]
From = Annotated[str, side("--from", "The protocol of the payload, or a profile of a server.")]
To = Annotated[str, side("--to", "The protocol to convert it to, or a profile of a server (vllm, …).")]
ToOrModel = Annotated[
    str | None,
    side(
        "--to",
        "The protocol to convert it to, or a profile of a server; without it the one in which the vendor of --model "
        "takes most.",
    ),
]
OneTarget = Annotated[str | None, side("--to", "Only the column of this target.", protocol)]
KindOption = Annotated[
    Kind | None,
    typer.Option(
        "--kind",
        help="The kind of payload. Default: detected from the payload; required for a stream "
        "(server-sent events, or JSON Lines).",
    ),
]
LibraryOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="NAME=VALUE",
        help="An option of the library; repeatable. VALUE is JSON, or else a string; a list is a,b.",
        callback=_not_reserved,
    ),
]
JsonLines = Annotated[
    bool | None,
    typer.Option(
        "--jsonl/--no-jsonl",
        help="One payload per line, or one event of a stream per line; each is converted as it arrives. "
        "Default: on for files with the extension .jsonl.",
        show_default=False,
    ),
]
Pretty = Annotated[
    bool | None,
    typer.Option(
        "--pretty/--compact", help="Indented or compact output. Default: indented on a terminal.", show_default=False
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="As JSON, for programs.")]
HideValues = Annotated[bool, typer.Option("--hide-values", help="Diagnostics that quote nothing of the payload.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No diagnostics and no progress bar.")]
RemediesWanted = Annotated[
    bool | None,
    typer.Option(
        "--remedies/--no-remedies",
        help="What removes each finding, found by converting again. Default: on a terminal.",
        show_default=False,
    ),
]
JsonDiagnostics = Annotated[bool, typer.Option("--json-diagnostics", "--json", help="Diagnostics as JSON lines.")]


@contextmanager
def needing(what: str, extra: str, others: Mapping[str, str] | None = None) -> Generator[None, None, None]:
    """What runs here needs an extra; `others` are the extras of single packages. A missing module ends the command."""
    try:
        yield
    except ModuleNotFoundError as missing:
        name = missing.name or ""
        if name.startswith("proxai_ir"):
            raise
        extra = (others or {}).get(name, extra)
        typer.echo(f'proxai-ir: {what} needs {name}: in the checkout, pip install ".[{extra}]"', err=True)
        raise typer.Exit(ExitCode.USAGE) from None
