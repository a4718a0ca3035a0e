"""The command `serve`: a gateway of one upstream by options, or of a configuration file.

Rule: what the extra `serve` brings is imported when the command runs, and what is missing is named.
"""

import logging
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from ..launch.plan import CannotRun, upstream_of
from .outcome import ExitCode
from .parameters import Body, Context, needing, read_members, side
from .servers import profiles_from

ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="A TOML file; spec/gateway.md describes it.", show_default=False),
]
Upstream = Annotated[
    str | None,
    side("--to", "The upstream: a protocol, VENDOR[:MODEL] or a profile.", show_default=False),
]


def serve(
    config: ConfigFile = None,
    to: Upstream = None,
    base_url: Annotated[str | None, typer.Option(metavar="URL", help="The upstream's URL.", show_default=False)] = None,
    key_env: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The environment variable with the upstream's API key.", show_default=False),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="The model that the upstream is asked for. Default: the client's.", show_default=False),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            help="What the upstream accepts: a name of proxai_ir.profiles.",
            autocompletion=profiles_from,
            show_default=False,
        ),
    ] = None,
    body: Body = None,
    context: Context = None,
    host: Annotated[
        str | None, typer.Option(help="The address to listen at. Default: 127.0.0.1.", show_default=False)
    ] = None,
    port: Annotated[int | None, typer.Option(help="The port. Default: 4000.", show_default=False)] = None,
    storage: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where responses and the log are kept.", show_default=False),
    ] = None,
    no_storage: Annotated[
        bool, typer.Option("--no-storage", help="Keep responses in memory, and no log of exchanges.")
    ] = False,
    log_payloads: Annotated[
        bool | None,
        typer.Option(
            "--log-payloads/--no-log-payloads",
            help="Whether the log has the bodies of requests and responses. Default: with one upstream by options.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Serve a gateway: clients of every protocol, one upstream by options, or several by --config."""
    upstream, model = _upstream(to, base_url, key_env, model, profile, body, context)
    tables: dict[str, dict[str, Any]] = {
        "listen": {"host": host, "port": port},
        "storage": {"url": storage, "keep": False if no_storage else None},
        "log": {"payloads": log_payloads if log_payloads is not None or config else not no_storage},
    }
    given = {table: {name: one for name, one in values.items() if one is not None} for table, values in tables.items()}
    if config is None and to is None:
        raise typer.BadParameter("expected --config FILE, or --to PROTOCOL, VENDOR[:MODEL] or PROFILE.")
    with needing("the gateway", "serve"):
        from ..serve import config as configuration
        from ..serve.config import ConfigError
        from ..serve.server import AddressError, Started, run
        from . import starting

    def tell(begun: Started) -> None:
        for line in starting.lines(made, begun):
            typer.echo(line, err=True)

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        made = _configured(configuration, config, upstream, model, given)
        run(made, tell, (lambda: configuration.from_file(config, given)) if config else None)
    except (AddressError, ConfigError) as error:
        typer.echo(f"proxai-ir: {error}", err=True)
        raise typer.Exit(ExitCode.ADDRESS if isinstance(error, AddressError) else ExitCode.USAGE) from None


def _upstream(
    to: str | None,
    base_url: str | None,
    key_env: str | None,
    model: str | None,
    profile: str | None,
    body: list[str] | None = None,
    context: int | None = None,
) -> tuple[dict[str, Any], str | None]:
    """Return the settings of the one upstream, and the model that it is asked for."""
    members = read_members(body)
    if to is None:
        return {
            "base_url": base_url,
            "key_env": key_env,
            "profile": profile,
            "body": members or None,
            "context": context,
        }, model
    try:
        found = upstream_of(to, os.environ, base_url, key_env, members, context=context, model=model)
        return {**found.table, **({"profile": profile} if profile else {})}, found.model
    except CannotRun as error:
        raise typer.BadParameter(f"{error}.") from None


def _configured(configuration: Any, file: Path | None, upstream: Any, model: str | None, given: Any) -> Any:
    if file is None:
        return configuration.one_upstream(upstream, model, **given)
    wrong = [name for name, value in {**upstream, "model": model}.items() if value is not None]
    if wrong:
        raise typer.BadParameter(f"{', '.join(wrong)}: with --config, upstreams are in the file.")
    return configuration.from_file(file, given)
