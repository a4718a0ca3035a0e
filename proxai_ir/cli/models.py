"""The command `models`, and what the option `--model` means: the target as one model takes requests (CAP-5)."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

import proxai_ir

from .. import profiles
from ..binding.profile import Profile, protocol_of
from .exits import ExitCode
from .outcome import check
from .parameters import naming_wrong_options
from .payloads import UnreadableError, payloads, whole
from .show import visible

PROTOCOL = "protocol"
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="The model that requests are sent to, in place of the one that they name.",
        show_default=False,
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="A model that the request may be sent to; repeatable: which of them would take it whole?",
        show_default=False,
    ),
]
ProfileName = Annotated[
    str | None,
    typer.Option(
        "--profile",
        metavar="NAME",
        help="What the target takes: a name of proxai_ir.profiles, which has the last word, or `protocol`: nothing by "
        "the name of a model.",
        show_default=False,
    ),
]


def named_profiles() -> list[str]:
    return [name.lower() for name in dir(profiles) if isinstance(getattr(profiles, name), Profile)]


def served(dst: str, profile: str | None, model: str | None) -> str | Profile:
    """The target, for requests to this model."""
    side: str | Profile = dst
    if profile not in (None, PROTOCOL):
        side = _profile(dst, profile or "")
    if model is None or profile == PROTOCOL:
        return side
    from ..profiles.models import tailored

    return tailored(side, model)


def _profile(dst: str, name: str) -> Profile:
    if name.lower() not in named_profiles():
        expected = ", ".join([PROTOCOL, *named_profiles()])
        raise typer.BadParameter(f"there is no profile {name!r}. Available: {expected}.", param_hint="'--profile'")
    found: Profile = getattr(profiles, name.upper())
    if found.protocol != dst:
        raise typer.BadParameter(f"{name} is a profile of {found.protocol}, not of {dst}.", param_hint="'--profile'")
    return found


def with_model(options: Mapping[str, Any], model: str | None) -> dict[str, Any]:
    """The options of a conversion for this model."""
    return {**options, "model": model} if model is not None else {**options}


def compared(
    file: str, src: str, dst: str, profile: str | None, names: Sequence[str], options: Mapping[str, Any]
) -> ExitCode:
    """A line for each model: whether it would take the request whole, else what it would cost. The best exit code."""
    try:
        data = next(payloads(file, whole)).data
    except UnreadableError as error:
        typer.echo(f"proxai-ir: {file}: {error}", err=True)
        return ExitCode.UNREADABLE
    from ..profiles.models import named

    best = ExitCode.UNREADABLE
    with naming_wrong_options(options):
        for name in names:
            found = check(data, src, served(dst, profile, name), "request", with_model(options, name))
            best = min(best, found.exit)
            rules = {one.rule: None for one in found.diagnostics if one.severity != "info"}
            word = {ExitCode.OK: "whole", ExitCode.LOSS: "lossy"}.get(found.exit, "refused")
            note = () if named(name).family else ("nothing is known of this model",)
            typer.echo("\t".join((visible(name) or "''", word, found.reason or ", ".join(rules), *note)))
    return best


def models(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A model.", show_default=False)] = None,
) -> None:
    """List what is known of families of models; or, of one model, what it takes behind each protocol, with sources."""
    from ..profiles import vendors
    from ..profiles.models import named, rows_of

    if name is None:
        lines = [
            (family, str(sum(family in row.families for row in vendors.FACTS))) for family in sorted(vendors.FAMILIES)
        ]
        _print(("family", "facts"), lines)
        return
    known = named(name)
    if not known.family:
        typer.echo(f"Nothing is known of {name!r}: it gets what every server of the protocol takes.")
        return
    rows = []
    for protocol in proxai_ir.protocols():
        for row in rows_of(protocol, name):
            settings = " ".join(f"{setting}={value}" for setting, value in row.settings.items())
            rows.append((protocol, settings, row.looked, row.source))
    best = protocol_of(profiles.target(name))
    typer.echo(f"{visible(name)}: a model of the family {known.family}; best behind {best}")
    _print(("protocol", "setting", "looked up", "source"), rows)


def _print(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Wrapped columns on a terminal, tabs between them anywhere else."""
    if not sys.stdout.isatty():
        for row in rows:
            typer.echo("\t".join(row))
        return
    table = Table(*heads, box=None)
    for row in rows:
        table.add_row(*row)
    Console().print(table)
