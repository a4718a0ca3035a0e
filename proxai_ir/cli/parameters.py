"""The options that commands share, each declared once: how it is written, what it means, what a wrong value says."""

import difflib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import orjson
import typer

import proxai_ir

from .outcome import Kind

RESERVED = {"kind": "--kind", "strict": "--strict", "src": "--from", "dst": "--to"}
"""Options of the library that the command line spells its own way."""


def protocol(name: str | None) -> str | None:
    """The name, if it is a protocol's."""
    known = proxai_ir.protocols()
    if name is None or name in known:
        return name
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise typer.BadParameter(f"no protocol is called {name!r}.{hint} Known: {', '.join(known)}.")


def protocols_from(incomplete: str) -> list[str]:
    """The shell's completion of a protocol's name."""
    return [name for name in proxai_ir.protocols() if name.startswith(incomplete)]


def read_options(pairs: Sequence[str]) -> dict[str, Any]:
    """`NAME=VALUE` pairs as keyword arguments of the library. A value that is no JSON is a string."""
    options: dict[str, Any] = {}
    for pair in pairs:
        spelled, equals, value = pair.partition("=")
        name = spelled.strip().replace("-", "_")
        if not equals or not name.isidentifier():
            raise typer.BadParameter(f"{pair!r} is not NAME=VALUE.", param_hint="'--option'")
        if name in RESERVED:
            raise typer.BadParameter(f"{name} is written {RESERVED[name]}.", param_hint="'--option'")
        if name in options:
            raise typer.BadParameter(f"{name} is given twice.", param_hint="'--option'")
        try:
            options[name] = orjson.loads(value)
        except orjson.JSONDecodeError:
            options[name] = value
    return options


@contextmanager
def naming_wrong_options(options: Mapping[str, Any]) -> Generator[None, None, None]:
    """The library's TypeError about an option is wrong usage; any other TypeError is a bug and stays one."""
    try:
        yield
    except TypeError as error:
        if any(repr(name) in str(error) for name in options):
            raise typer.BadParameter(str(error), param_hint="'--option'") from error
        raise


File = Annotated[str, typer.Argument(metavar="FILE|-", help="The payload; - is standard input.", show_default=False)]
From = Annotated[
    str,
    typer.Option(
        "--from", metavar="PROTOCOL", help="What the payload is.", callback=protocol, autocompletion=protocols_from
    ),
]
To = Annotated[
    str,
    typer.Option(
        "--to", metavar="PROTOCOL", help="What it is to become.", callback=protocol, autocompletion=protocols_from
    ),
]
OneTarget = Annotated[
    str | None,
    typer.Option(
        "--to", metavar="PROTOCOL", help="This target alone.", callback=protocol, autocompletion=protocols_from
    ),
]
KindOption = Annotated[
    Kind | None,
    typer.Option(
        "--kind",
        help="What sort of payload it is; recognised from the payload itself if left out, unless it is a stream "
        "(server-sent events, or JSON Lines).",
    ),
]
LibraryOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="NAME=VALUE",
        help="An option of the library; repeatable. VALUE is read as JSON if it is JSON, else it is a string.",
    ),
]
JsonLines = Annotated[
    bool | None,
    typer.Option(
        "--jsonl/--no-jsonl",
        help="One payload a line, of a stream one event a line, each answered as it arrives. "
        "Default: if the file is called .jsonl.",
        show_default=False,
    ),
]
Pretty = Annotated[
    bool | None,
    typer.Option(
        "--pretty/--compact", help="Indented, or on one line. Default: indented on a terminal.", show_default=False
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No diagnostics and no progress bar.")]
JsonDiagnostics = Annotated[bool, typer.Option("--json-diagnostics", help="Diagnostics as JSON lines.")]
