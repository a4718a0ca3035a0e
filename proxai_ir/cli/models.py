"""The commands `models` and `profiles`, and the option `--model` (CAP-5): the target as one model takes requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

import proxai_ir

from ..conversion.profile import Profile, having, protocol_of
from ..exchange.servers import named_profiles
from ..json.types import visible
from ..protocol.registry import backend
from .outcome import ExitCode, check
from .parameters import AsJson, naming_wrong_options
from .run import UnreadableError, payloads, whole
from .servers import known, models_from, place, profiles_from
from .show import Reporter, as_lines, print_rows
from .source import Source, of_source

if TYPE_CHECKING:
    from ..profiles.facts import Fact

PROTOCOL = "protocol"
NOTHING: Mapping[str, Any] = {}
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="A model that the request may be sent to; repeatable: which of them would take it whole?",
        autocompletion=models_from,
        show_default=False,
    ),
]


def served(
    dst: str, profile: str | None, model: str | None, capabilities: Mapping[str, Any] = NOTHING
) -> str | Profile:
    """Return the target as it takes requests for this model, with the capabilities that are stated."""
    found = place(dst, model)
    side = dst if found is None else found.side
    if profile not in (None, PROTOCOL):
        side = _profile(protocol_of(side), profile or "")
    if capabilities:
        try:
            side = having(side, capabilities)
        except TypeError as error:
            raise typer.BadParameter(str(error), param_hint="'--capability'") from None
    if model is None or profile == PROTOCOL:
        return side
    from ..profiles.models import tailored

    return tailored(side, model, None if found is None else found.vendor.server)


def _profile(dst: str, name: str) -> Profile:
    if name.lower() not in named_profiles():
        known(name.lower(), "profile", [PROTOCOL, *named_profiles()])
    found = named_profiles()[name.lower()]
    if found.protocol != dst:
        raise typer.BadParameter(f"{name} is a profile of {found.protocol}, not of {dst}.", param_hint="'--profile'")
    return found


def best(model: str) -> str:
    """Return the protocol in which the servers of a model's vendor take most."""
    from ..profiles.models import target

    return protocol_of(target(model))


def compared(
    source: Source,
    src: str,
    dst: str | None,
    names: Sequence[str],
    reporter: Reporter,
    *,
    profile: str | None,
    capabilities: Mapping[str, Any],
    options: Mapping[str, Any],
) -> ExitCode:
    """Print for each model whether it would take the request whole, or what is lost; return the best exit code.

    Without a target, each model is asked in the protocol in which its vendor takes most, which its line names.
    """
    try:
        data = next(payloads(source, whole)).data
    except UnreadableError as error:
        reporter.unreadable(str(error))
        return ExitCode.UNREADABLE
    from ..profiles.models import named

    least = ExitCode.UNREADABLE
    ask = of_source(partial(check, kind="request"), src, "request", reporter, dst)
    with naming_wrong_options(options):
        for name in names:
            target = served(dst or best(name), profile, name, capabilities)
            found = ask(data, dst=target, options={**options, "model": name})
            least = min(least, found.exit)
            rules = {one.rule: None for one in found.diagnostics if one.severity != "info"}
            word = {ExitCode.OK: "whole", ExitCode.LOSS: "lossy"}.get(found.exit, "refused")
            note = [] if dst else [protocol_of(target)]
            note += [] if named(name).family else ["nothing is known of this model"]
            typer.echo("\t".join((visible(name) or "''", word, found.reason or ", ".join(rules), *note)))
    return least


def models(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A model.", autocompletion=models_from, show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the known families of models; or, for one model, what it accepts in each protocol, with sources."""
    from ..profiles import vendors
    from ..profiles.facts import BEDROCK, CONVERSE
    from ..profiles.models import placed, rows_of

    if name is None:
        lines = [
            (family, str(sum(family in row.families for row in vendors.FACTS))) for family in sorted(vendors.FAMILIES)
        ]
        if as_json:
            as_lines({"family": family, "facts": int(count)} for family, count in lines)
        else:
            print_rows(("family", "facts"), lines)
        return
    found, at = placed(name)
    if not found.family:
        if not as_json:
            typer.echo(f"Nothing is known of {name!r}: it gets what every server of the protocol accepts.")
        return
    serving = [one for one in proxai_ir.protocols() if found.family in vendors.SERVED.get(one, ())]
    if at == BEDROCK:
        serving = [one for one in serving if one in (CONVERSE, best(name))]
    rows = [(protocol, row) for protocol in serving for row in rows_of(protocol, name)]
    if as_json:
        about = {"model": name, "family": found.family, "best": best(name)}
        as_lines({**about, "protocol": protocol, **_record(protocol, row)} for protocol, row in rows)
        return
    typer.echo(f"{visible(name)}: a model of the family {found.family}; best used with {best(name)}")
    shown = [(protocol, _settings(protocol, row), row.looked, row.source) for protocol, row in rows]
    print_rows(("protocol", "setting", "looked up", "source"), shown)


def profiles(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A profile.", autocompletion=profiles_from, show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the named profiles of servers; or, for one, what it states of its server, with the source."""
    from ..profiles.about import ABOUT

    named = named_profiles()
    if name is not None:
        known(name.lower(), "profile", [*named])
    wanted = [*named] if name is None else [name.lower()]
    if as_json:
        as_lines(
            {"profile": one, "protocol": named[one].protocol, "settings": named[one].given, **ABOUT[one]._asdict()}
            for one in wanted
        )
    elif name is None:
        print_rows(("profile", "protocol", "for"), [(one, named[one].protocol, ABOUT[one].purpose) for one in wanted])
    else:
        (one,) = wanted
        typer.echo(f"{one}: {named[one].protocol}, for {ABOUT[one].purpose}")
        for setting, value in sorted(named[one].given.items()):
            typer.echo(f"  {setting}={value}")
        typer.echo(f"Source: {ABOUT[one].source}")


def _settings(protocol: str, row: Fact) -> str:
    return " ".join(f"{setting}={value}" for setting, value in _applied(protocol, row).items())


def _record(protocol: str, row: Fact) -> dict[str, Any]:
    reason = {"reason": row.reason} if row.reason else {}
    return {"settings": _applied(protocol, row), "looked": row.looked, "source": row.source, **reason}


def _applied(protocol: str, row: Fact) -> dict[str, Any]:
    """Return the settings of a row that a protocol has."""
    has = backend(protocol).target.settings
    return {name: value for name, value in row.settings.items() if name in has}
