"""The command `run`: a client on another vendor's model, with a gateway beside it until it ends.

Rule: what the extra `serve` brings is imported when the command runs, and what is missing is named.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from ..json.types import visible
from ..launch.clients import CLIENTS
from ..launch.plan import CannotRun, Plan, Upstream, not_found, plan_of, upstream_of
from ..profiles.apis import VENDORS
from .outcome import ExitCode
from .parameters import Body, Context, needing, read_members
from .show import quoted
from .starting import why

if TYPE_CHECKING:
    from ..launch.foreground import Beside
    from ..serve.config import Config

KNOWN = ", ".join(one.name for one in CLIENTS)


def vendors_from(incomplete: str) -> list[str]:
    return [f"{one.name}:" for one in VENDORS if one.name.startswith(incomplete)]


def run(
    client: Annotated[
        list[str],
        typer.Argument(metavar="CLIENT [-- ARGUMENTS]", help=f"{KNOWN}, or -- and any command.", show_default=False),
    ],
    on: Annotated[
        str,
        typer.Option(
            metavar="VENDOR:MODEL",
            help=f"The model, and whose it is: {', '.join(one.name for one in VENDORS)}; or a protocol or a profile.",
            autocompletion=vendors_from,
            show_default=False,
        ),
    ],
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Default: the vendor's own.", show_default=False)
    ] = None,
    key_env: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The variable with the key. Default: the vendor's usual one.", show_default=False
        ),
    ] = None,
    body: Body = None,
    context: Context = None,
    port: Annotated[int, typer.Option(help="The gateway's port. Default: a free one.", show_default=False)] = 0,
    storage: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where the log is. Default: the file in the user's folder."),
    ] = None,
    no_storage: Annotated[bool, typer.Option("--no-storage", help="Keep no log.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be set, and start nothing.")] = False,
) -> None:
    """Run a client on another vendor's model: proxai-ir run claude --on gemini:gemini-3-pro.

    It ends as the client does, with the client's exit code.
    """
    try:
        upstream = upstream_of(on, os.environ, base_url, key_env, read_members(body), context=context)
        model = upstream.model
        if model is None:
            raise CannotRun(f"{on!r} names no model; expected {upstream.vendor.name}:MODEL")
        if dry_run:
            for line in _dry(client, upstream, model, port):
                typer.echo(line)
            return
        if shutil.which(client[0]) is None:
            _refuse(not_found(client[0]), ExitCode.NOT_FOUND)
        with needing("the gateway", "serve"):
            from ..launch.foreground import config_of
            from ..serve.config import ConfigError
            from ..serve.server import AddressError
        try:
            code = _run(client, upstream, model, config_of(upstream, port, storage, keep=not no_storage))
        except ConfigError as error:
            _refuse(str(error), ExitCode.USAGE)
        except AddressError as error:
            _refuse(str(error), ExitCode.ADDRESS)
    except CannotRun as error:
        _refuse(str(error), ExitCode.USAGE)
    raise typer.Exit(code)


def _run(client: list[str], upstream: Upstream, model: str, config: Config) -> int:
    from ..launch import foreground
    from ..launch.foreground import gateway, own_folder

    with own_folder() as folder, gateway(config) as beside:
        plan = plan_of(client, beside.started.url, beside.key, model, folder)
        plan.write(Path.home())
        for line in why(upstream.vendor.name, next(iter(config.upstreams.values())), [model]):
            _say(line)
        if beside.started.page:
            _say(f"page: {beside.started.page}")
        try:
            kept = {name: value for name, value in os.environ.items() if name != upstream.key}
            code = foreground.run(plan.command, plan.applied_to(kept))
        except OSError as error:
            _refuse(f"{client[0]} cannot be started: {error.strerror}", ExitCode.NOT_FOUND)
    for line in _summary(beside, plan, code):
        _say(line)
    return code


def _summary(beside: Beside, plan: Plan, code: int) -> Iterator[str]:
    yield f"the client ended with {code}"
    yield from beside.passed.lines()
    if not beside.passed.exchanges:
        stronger = f"; what leads it elsewhere: {plan.client.stronger}" if plan.client.stronger else ""
        yield f"nothing of it came to the gateway with the key of this run{stronger}"
    if beside.log and beside.passed.exchanges:
        yield f"log        proxai-ir log --limit {min(beside.passed.exchanges, 1000)}  ({beside.log})"
    yield from (f"warning    {one}" for one in beside.messages)


def _key(upstream: Upstream) -> str:
    if missing := upstream.missing:
        return f"key missing: {missing}"
    if upstream.key:
        return f"key from {upstream.key}"
    return "key or signature: as the clients of the cloud find it" if upstream.signs else "no key is needed"


def _dry(client: list[str], upstream: Upstream, model: str, port: int) -> Iterator[str]:
    """Yield what would be set. The port and the key are only known when the gateway runs."""
    where = upstream.base_url or f"the cloud {upstream.vendor.cloud}"
    yield f"# upstream: {model} at {where}, {upstream.protocol}; {_key(upstream)}"
    if upstream.body:
        yield f"# body: {visible(json.dumps(upstream.body))}"
    if upstream.context:
        yield f"# context: {upstream.context} tokens"
    if upstream.signs and upstream.missing:
        return  # what would be set leads to a run that is refused
    if shutil.which(client[0]) is None:
        yield f"# {not_found(client[0])}"
    plan = plan_of(client, f"http://127.0.0.1:{port or 'PORT'}", "KEY", model, "FOLDER")
    yield "# PORT: a free one; KEY: made for each run; FOLDER: in place of the home folder, with what else is there"
    yield from (f"unset {name}" for name in plan.without if name in os.environ)
    yield from (f"export {name}={quoted(value)}" for name, value in plan.environment.items())
    yield from (f"# FOLDER/{name}: {json.dumps(members)}" for name, members in plan.files.items())
    yield " ".join(quoted(one) for one in plan.command)


def _say(line: str) -> None:
    typer.echo(f"proxai-ir: {line}", err=True)


def _refuse(text: str, code: ExitCode) -> NoReturn:
    _say(text)
    raise typer.Exit(code)
