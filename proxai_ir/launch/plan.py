"""The plan of a run: the upstream of a model, and the settings that lead a client to the gateway.

Rule: what is missing is reported before anything is started, with what would help.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from ..exchange.clouds import check_installed, checked, deployed
from ..exchange.members import checked_members
from ..exchange.provider import NOTHING, http_of
from ..exchange.servers import meant
from ..profiles.apis import Vendor
from ..reporting.diagnostics import UnknownProtocol, near
from .clients import CLIENTS, COMMAND, Client

Json = Any
HERE = "127.0.0.1,localhost"
"""Hosts for which the environment's HTTP proxy must not be used."""


class CannotRun(Exception):
    """The run cannot start; the text says why and what would help."""


@frozen(kw_only=True)
class Upstream:
    """The server of a model.

    profile   the name of the Profile that says what it takes, or None
    base_url  "" if its cloud decides
    keys      the variables that may have its key
    key       the first of them that the environment has, or None
    body      members that its requests get (CAP-11)
    context   the tokens of the model's context, or None
    """

    vendor: Vendor
    model: str | None
    protocol: str
    profile: str | None
    base_url: str
    keys: tuple[str, ...]
    key: str | None
    body: Mapping[str, Json]
    context: int | None

    @property
    def signs(self) -> bool:
        """Whether requests can be authenticated without a key, by credentials that the cloud's clients find."""
        return self.vendor.cloud is not None or http_of(self.protocol).sign is not None

    @property
    def missing(self) -> str:
        """The need of requests that this machine does not meet: a key, a value of the cloud, a package; or ""."""
        vendor, http = self.vendor, http_of(self.protocol)
        try:
            if vendor.cloud is not None:
                checked(deployed(self.protocol, vendor.cloud, key=bool(self.key), base_url=self.base_url or None))
            elif self.key is None and http.sign is not None:
                check_installed(http)
            elif self.key is None and self.keys and not vendor.keyless:
                return f"set {' or '.join(self.keys)}"
        except ValueError as error:
            return str(error)
        return ""

    @property
    def table(self) -> dict[str, Any]:
        """The settings of the gateway's upstream. Raises CannotRun without a key; the gateway checks clouds itself."""
        vendor = self.vendor
        if self.key is None and not self.signs and (missing := self.missing):
            raise CannotRun(f"{vendor.name} needs an API key: {missing}")
        return {
            "protocol": self.protocol,
            "base_url": self.base_url,
            "key_env": self.key,
            "profile": self.profile,
            "server": vendor.server,
            "cloud": vendor.cloud,
            "body": dict(self.body) or None,
            "context": self.context,
        }


def upstream_of(
    on: str,
    environment: Mapping[str, str],
    base_url: str | None = None,
    key_env: str | None = None,
    body: Mapping[str, Json] = NOTHING,
    *,
    context: int | None = None,
    model: str | None = None,
) -> Upstream:
    """Return the upstream that a word stands for (`exchange.servers`).

    `base_url` and `key_env` replace the vendor's own; of a protocol or a profile no key is read for a URL that the
    caller states. Raises CannotRun.
    """
    try:
        found = meant(on, model)
        vendor, http = found.vendor, found.http
        members = checked_members(body, http)
    except (UnknownProtocol, ValueError, TypeError) as error:
        raise CannotRun(str(error)) from None
    if base_url is None and http.base_url is None:
        raise CannotRun(f"{vendor.name} is a profile of {found.protocol}, which no URL belongs to; expected --base-url")
    known = () if vendor.cloud or (base_url and not found.is_vendor) else http.key_env
    keys = (key_env,) if key_env else known
    return Upstream(
        vendor=vendor,
        model=found.model,
        protocol=found.protocol,
        profile=found.profile,
        base_url=base_url or ("" if vendor.cloud else http.base_url) or "",
        keys=keys,
        key=next((one for one in keys if environment.get(one, "").strip()), None),
        body=members,
        context=context,
    )


@frozen(kw_only=True)
class Plan:
    """The command that starts a client, the variables that are set and unset, and the files in `folder`."""

    client: Client
    command: tuple[str, ...]
    environment: Mapping[str, str]
    without: tuple[str, ...]
    files: Mapping[str, Json]
    folder: str

    def applied_to(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of the client."""
        kept = {name: value for name, value in environment.items() if name not in self.without}
        past_proxy = {one: f"{kept[one]},{HERE}" if kept.get(one) else HERE for one in ("NO_PROXY", "no_proxy")}
        return {**kept, **past_proxy, **self.environment}

    def write(self, user: Path) -> None:
        """Write the files into the plan's folder, with links to all else that the folders of the user's own have."""
        for name, members in self.files.items():
            own, made = user / name, Path(self.folder, name)
            made.parent.mkdir(parents=True, exist_ok=True)
            for other in own.parent.iterdir() if own.parent.is_dir() else ():
                if other.name != own.name:
                    made.parent.joinpath(other.name).symlink_to(other)
            made.write_text(json.dumps(_merged(_read(own), members), indent=2), encoding="utf-8")


def plan_of(command: Sequence[str], url: str, key: str, model: str, folder: str, client: Client | None = None) -> Plan:
    """Return the plan for a command; `client` replaces the row that has its program's name."""
    program, *arguments = command
    client = client or client_of(program)
    known = {"{url}": url, "{key}": key, "{model}": model, "{folder}": folder}
    return Plan(
        client=client,
        command=(program, *(_filled(one, known) for one in client.arguments), *arguments),
        environment={
            name: _filled(value, known) if isinstance(value, str) else json.dumps(_filled_in(value, known))
            for name, value in client.environment.items()
        },
        without=tuple(one for one in client.without if one not in client.environment),
        files={name: _filled_in(value, known) for name, value in client.files.items()},
        folder=folder,
    )


def client_of(program: str) -> Client:
    return next((one for one in CLIENTS if one.name == Path(program).stem), COMMAND)


def not_found(program: str) -> str:
    """Return the message for a program that is not on this machine."""
    client = client_of(program)
    if client is not COMMAND:
        return f"{program} is not found; to install it: {client.install}"
    hint = near(program, [one.name for one in CLIENTS]) or "."
    return f"there is no command {program!r}{hint} Known clients: {', '.join(one.name for one in CLIENTS)}"


def _read(file: Path) -> Json:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise CannotRun(f"{file} cannot be read as JSON: {error}") from None


def _merged(own: Json, members: Json) -> Json:
    """Return the user's own members with others added or replaced, at any depth."""
    if not isinstance(own, dict) or not isinstance(members, dict):
        return members
    return {**own, **{name: _merged(own.get(name), value) for name, value in members.items()}}


def _filled_in(value: Json, known: Mapping[str, str]) -> Json:
    if isinstance(value, dict):
        return {_filled(name, known): _filled_in(inner, known) for name, inner in value.items()}
    return _filled(value, known) if isinstance(value, str) else value


def _filled(text: str, known: Mapping[str, str]) -> str:
    for sign, value in known.items():
        text = text.replace(sign, value)
    return text
