"""The configuration of a gateway, from a TOML file or from options: upstreams, clouds, keys, routes, access, limits."""

from __future__ import annotations

import difflib
import ipaddress
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import httpx
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from .. import profiles
from ..conversion.profile import Profile, resolved
from ..exchange.clouds import Deployment, check_installed, checked, deployed
from ..exchange.provider import http_of
from ..protocol.registry import backend, protocols

# --- config errors ----------------------------------------------------------------------------------------------------
# What is wrong with a configuration, with file, line and key.
#
# Rule: a message never holds the value of a key or of an environment variable.


HEADER = re.compile(r"\s*(\[\[?)\s*(?P<name>[^\[\]]+?)\s*\]\]?\s*(?:#.*)?")
SETTING = re.compile(r"\s*(?P<name>[\w\-.\"']+)\s*=")
PART = re.compile(r"[^.\"']+|\"[^\"]*\"|'[^']*'")

Where = Sequence[str | int]
MISSING = "this setting is missing"


class ConfigError(Exception):
    """A configuration that cannot be used; its text names what is wrong, and where."""


def located(message: str, where: Where = (), file: str = "", text: str = "") -> ConfigError:
    """Return an error at a place of the configuration; without a file it names the setting alone."""
    key = written(where)
    line = line_of(text, where)
    place = f"{file}:{line}" if file and line else file
    return ConfigError(": ".join(part for part in (place, key, message) if part))


def written(where: Where) -> str:
    """Return a place as TOML writes it: `routes[0].upstream`."""
    made = ""
    for part in where:
        made += f"[{part}]" if isinstance(part, int) else f".{part}" if made else part
    return made


def line_of(text: str, where: Where) -> int | None:
    """Return the line of the setting, or of the innermost table around it that is written out; None where there is
    none."""
    lines = places(text)
    for size in range(len(where), 0, -1):
        found = lines.get(tuple(where[:size]))
        if found is not None:
            return found
    return None


def places(text: str) -> dict[tuple[str | int, ...], int]:
    """Where tables and settings are first written, by line: a small scan, as the parser keeps no lines."""
    table: tuple[str | int, ...] = ()
    counted: dict[tuple[str | int, ...], int] = {}
    found: dict[tuple[str | int, ...], int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        header = HEADER.fullmatch(line)
        if header is not None:
            table = parts(header["name"])
            if header[1] == "[[":
                counted[table] = counted.get(table, -1) + 1
                found.setdefault(table, number)
                table = (*table, counted[table])
            found.setdefault(table, number)
            continue
        setting = SETTING.match(line)
        if setting is not None:
            found.setdefault((*table, *parts(setting["name"])), number)
    return found


def parts(name: str) -> tuple[str | int, ...]:
    return tuple(part.strip().strip("\"'") for part in PART.findall(name) if part.strip())


# --- clouds -----------------------------------------------------------------------------------------------------------
# Upstreams on clouds: what of a configuration follows from the cloud that an upstream names.


def cloud_of(side: Profile, upstream: UpstreamTable) -> Deployment | None:
    """Return the cloud that serves an upstream. Raises ValueError."""
    if upstream.cloud is None:
        return None
    return deployed(side, upstream.cloud, key=bool(upstream.key_env), base_url=upstream.base_url or None)


def on_clouds(config: Config, side_of: Callable[[UpstreamTable], Profile]) -> tuple[Config, list[tuple[Where, str]]]:
    """Return the configuration with URLs and keys of clouds, and what is wrong with them."""
    made, wrong = {**config.upstreams}, list[tuple[Where, str]]()
    for name, table in config.upstreams.items():
        if table.protocol is None and table.profile is None:
            continue
        try:
            if table.cloud is None:
                if table.protocol in protocols() and not table.key_env:
                    check_installed(http_of(table.protocol))
                continue
            found = cloud_of(side_of(table), table)
            assert found is not None
            checked(found)
        except (ValueError, TypeError) as error:
            wrong.append((("upstreams", name, "cloud" if table.cloud else "key_env"), str(error)))
            continue
        follows: dict[str, Any] = {"base_url": found.base_url, "key_env": table.key_env or found.keys}
        made[name] = table.model_copy(update={**follows, "server": table.server or found.cloud.server})
    return config.model_copy(update={"upstreams": made}), wrong


# --- loopback ---------------------------------------------------------------------------------------------------------
# Which hosts are this machine's own.


LOOPBACK_NAMES = ("localhost", "localhost.localdomain")


def is_loopback(host: str) -> bool:
    """Return whether an address, or the name of a host, is this machine's own."""
    if host.lower() in LOOPBACK_NAMES:
        return True
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


# --- keys -------------------------------------------------------------------------------------------------------------
# Keys and tokens: read at the start, from the environment or from a file.
#
# Rule 1: white space around a key is no part of it, as files of secrets end with a line break. Rule 2: a key that
# cannot
# stand in a header is refused at the start, and named by where it comes from, never by what it is. Rule 3: a key has a
# name, by which logs and metrics know who it was.


SHORTEST_SECRET = 16
UNSENDABLE = re.compile(r"[^ -~]")
"""What no header is sent with: control characters, and what is not ASCII."""


def in_environment(name: str | None, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the key in a variable; None where there is none."""
    return environment.get(name or "", "").strip() or None


def wrong_with(value: str) -> str:
    """Why a value cannot be sent in a header; empty where it can."""
    found = UNSENDABLE.search(value)
    return f"has a character that no header can have, at position {found.start() + 1}" if found else ""


def wrong_variable(name: str, shortest: int = 1) -> str:
    """Why the variable's key cannot be used; empty where it can."""
    key = in_environment(name)
    if key is None and shortest == 1:
        return f"the environment has no variable {name}"
    if len(key or "") < shortest:
        return f"the environment variable {name} needs at least {shortest} characters"
    reason = wrong_with(key or "")
    return f"the environment variable {name} {reason}" if reason else ""


def in_file(file: str) -> dict[str, str]:
    """Return the names of the keys of a file: one key a line, with a name before it or without, and comments. Raises
    ConfigError."""
    try:
        lines = Path(file).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        *name, key = line.split()
        if reason := wrong_with(key) or (f"has less than {SHORTEST_SECRET} characters" if _short(key) else ""):
            raise ConfigError(f"{file}:{number}: the key {reason}; {EXPECTED}")
        found[key] = " ".join(name)
    if not found:
        raise ConfigError(EXPECTED)
    return found


EXPECTED = f"expected a file with one key a line, of at least {SHORTEST_SECRET} characters each"


def _short(key: str) -> bool:
    return len(key) < SHORTEST_SECRET


def all_of(variables: Iterable[str], file: str | None) -> dict[str, str]:
    """Return the names of all keys; those of the environment have the names of their variables. Raises ConfigError for
    a file that cannot be used."""
    return {key: name for name in variables if (key := in_environment(name))} | (in_file(file) if file else {})


# --- config -----------------------------------------------------------------------------------------------------------
# The configuration of a gateway: upstreams, routes, access, limits. From one TOML file, or of one upstream.
#
# Rule 1: what is wrong is found at the start and named with file, line and key. Rule 2: keys are in the environment or
# in
# a file of their own, never in the configuration. Rule 3: what listens beyond this machine has client keys.


VARIABLE = re.compile(r"\$\{(\w+)\}")
"""A variable of the environment in the value of a header."""
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~\w-]+", re.ASCII)
OPTIONS = ("accept", "emulate", "instructions", "repair", "strict")
"""Options of conversions that an upstream may state."""

Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(gt=0)]


class Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Listen(Table):
    """`connections`: how many clients are served at once; all others get status 503."""

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 4000
    connections: Count = 1000


class Access(Table):
    """Keys of clients: in variables of the environment, whose names are the keys' names, or one a line in a file, with
    a name before it or without. `admin_env`: the variable with the token that opens the page and the metrics; without
    it, one is made at the start. `origins`: sites whose pages may call the gateway (CORS); "*": all."""

    keys_env: tuple[str, ...] = Field(default=(), strict=False)
    keys_file: str | None = None
    admin_env: str | None = None
    origins: tuple[str, ...] = Field(default=(), strict=False)


class Limits(Table):
    """`memory`: bytes of all bodies that are held at once; `stream`: bytes of a stream; `in_thread`: bytes of a body
    above which it is converted in a thread, so that other requests go on."""

    body: Count = 32 * 1024 * 1024
    headers: Count = 64 * 1024
    response: Count = 64 * 1024 * 1024
    stream: Count = 256 * 1024 * 1024
    memory: Count = 512 * 1024 * 1024
    in_thread: Count = 256 * 1024


class Timeouts(Table):
    """In seconds. `head`: until the headers of a request have come; `body`: its body, with one more for every 64 KiB;
    `total`: its response, to its end. `response`: until a whole response has come; `first_event`: until the content of
    a stream begins, if another upstream can be asked; `retry`: the longest pause that an upstream's `retry-after` may
    ask for; `stall`: how long a stream may be silent; `keep_alive`: of silence, after which the client gets what keeps
    its connection open; `shutdown`: how long running streams have to end."""

    head: Seconds = 10.0
    body: Seconds = 30.0
    total: Seconds = 3600.0
    connect: Seconds = 10.0
    response: Seconds = 600.0
    first_event: Seconds = 120.0
    retry: Annotated[float, Field(ge=0)] = 2.0
    stall: Seconds = 300.0
    keep_alive: Seconds = 15.0
    shutdown: Seconds = 60.0


class Kept(Table):
    """Where responses and the log are kept: a path, sqlite:///PATH or postgresql://USER@HOST/DATABASE; without one, a
    file in the user's folder for state. `keep = false`: responses are kept in memory, and nothing else. `days`,
    `exchanges` and `bytes`: how long the log keeps exchanges, how many, and how much of them."""

    keep: bool = True
    url: str | None = None
    days: Seconds = 30.0
    exchanges: Count = 100_000
    bytes: Count = 4 * 1024 * 1024 * 1024


class Log(Table):
    """`payloads`: whether the log has the bodies of requests and responses, `payload_bytes` of each at most;
    `requests`: whether there is a line of JSON on standard error for each request, without them."""

    payloads: bool = False
    payload_bytes: Count = 4 * 1024 * 1024
    requests: bool = False


class Seals(Table):
    """Variables with secrets that authenticate envelopes of signatures; the first makes them, all open them.

    Without one, a key is made at the start, and envelopes of an earlier run are not opened.
    """

    secrets_env: tuple[str, ...] = Field(default=(), strict=False)


def _as_names(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


class UpstreamTable(Table):
    """A provider. `key_env`: one variable, or several whose keys take turns. `profile`: the name of one of
    `proxai_ir.profiles`; `settings` and `version` change it. What they do not state is as the model takes it, or with
    the profile "protocol" as every server of the protocol does. `server`: whose it is, for facts that depend on it; by
    default that of the URL's host. `learn`: a request whose setting it refuses is sent once more without it.
    `passthrough`: paths that are not served here go to it as they are, of clients of its vendor.

    `cloud`: the cloud that serves it, by its name or with its values; where it is, its keys or signatures, and its form
    of requests follow from `proxai_ir.profiles.clouds`.

    Values of `headers` may hold `${NAME}`, a variable of the environment.
    """

    protocol: str | None = None
    base_url: str = ""
    key_env: Annotated[tuple[str, ...], BeforeValidator(_as_names)] = Field(default=(), strict=False)
    cloud: str | dict[str, str] | None = None
    profile: str | None = None
    server: str | None = None
    learn: bool = True
    version: str | None = None
    settings: dict[str, Any] = {}
    options: dict[str, Any] = {}
    headers: dict[str, str] = {}
    proxy: str | None = None
    passthrough: bool = False


def _as_fallback(value: Any) -> Any:
    return {"upstream": value} if isinstance(value, str) else value


class Candidate(Table):
    """An upstream, and the model that it is asked for; None: the one that the client asked for. `client_key`: a client
    of the upstream's vendor calls it with its own key. `client_state`: clients may name what the upstream keeps, though
    it may be another client's."""

    upstream: str
    model: str | None = None
    client_key: bool = False
    client_state: bool = False


class RouteTable(Table):
    """`models`: names, or patterns with `*` and `?`; `fallbacks`: tried where the upstream fails before its response
    begins: names of upstreams, or tables like this one's `upstream`, `model` and `client_key`."""

    models: tuple[str, ...] = Field(strict=False, min_length=1)
    upstream: str
    model: str | None = None
    client_key: bool = False
    client_state: bool = False
    fallbacks: tuple[Annotated[Candidate, BeforeValidator(_as_fallback)], ...] = Field(default=(), strict=False)

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        names = ("upstream", "model", "client_key", "client_state")
        first = Candidate(**{name: getattr(self, name) for name in names})
        return first, *self.fallbacks


class Config(Table):
    """A gateway. Of routes, one that names the model exactly comes first, then the first that fits."""

    upstreams: dict[str, UpstreamTable] = Field(min_length=1)
    routes: tuple[RouteTable, ...] = Field(default=(), strict=False)
    listen: Listen = Listen()
    access: Access = Access()
    limits: Limits = Limits()
    timeouts: Timeouts = Timeouts()
    storage: Kept = Kept()
    log: Log = Log()
    seals: Seals = Seals()


def from_file(file: str | Path, more: Mapping[str, Mapping[str, Any]] | None = None) -> Config:
    """Return the configuration of a TOML file; `more`: settings of tables that take the place of the file's. Raises
    ConfigError."""
    name = str(file)
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise ConfigError(f"{name}:{line[1] if line else 1}: {error}") from None
    changed = {table: {**given.get(table, {}), **settings} for table, settings in (more or {}).items() if settings}
    return from_mapping({**given, **changed}, name, text)


def one_upstream(upstream: Mapping[str, Any], model: str | None = None, **tables: Mapping[str, Any]) -> Config:
    """Return the configuration of one upstream for all models; `model`: what it is asked for in place of each. Raises
    ConfigError."""
    given = {name: value for name, value in upstream.items() if value is not None}
    route = {"models": ["*"], "upstream": "default", **({"model": model} if model else {})}
    return from_mapping({"upstreams": {"default": given}, "routes": [route], **tables})


def from_mapping(given: Mapping[str, Any], file: str = "", text: str = "") -> Config:
    """Raise ConfigError."""
    try:
        config = Config.model_validate(given)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = found["loc"]
        raise located(_said(found["type"], found["msg"], place), place, file, text) from None
    config, amiss = on_clouds(config, profile_of)
    for where, message in amiss or wrong(config):
        raise located(message, where, file, text)
    if not config.routes:
        config = config.model_copy(update={"routes": _all_to(next(iter(config.upstreams)))})
    return config


def _said(kind: str, message: str, where: Where) -> str:
    """What is wrong with a setting, and what would be right."""
    if kind != "extra_forbidden":
        return MISSING if kind == "missing" else message.removeprefix("Value error, ")
    table: Any = Config
    if len(where) > 1:
        tables: Mapping[str, Any] = {"upstreams": UpstreamTable, "routes": RouteTable}
        table = tables.get(str(where[0])) or type(Config.model_fields[str(where[0])].default)
        table = Candidate if "fallbacks" in where else table
    known = [*table.model_fields]
    near = difflib.get_close_matches(str(where[-1]), known, 1)
    return f"there is no such setting; expected {near[0] if near else 'one of ' + ', '.join(known)}"


def _all_to(upstream: str) -> tuple[RouteTable, ...]:
    return (RouteTable(models=("*",), upstream=upstream),)


def wrong(config: Config) -> Iterator[tuple[Where, str]]:
    """What types alone do not show."""
    for name, upstream in config.upstreams.items():
        for setting, message in _wrong_upstream(upstream):
            yield ("upstreams", name, setting), message
    for at, route in enumerate(config.routes):
        for name, place in [
            (route.upstream, ("upstream",)),
            *((one.upstream, ("fallbacks", number)) for number, one in enumerate(route.fallbacks)),
        ]:
            if name not in config.upstreams:
                yield ("routes", at, *place), f"no upstream is called {name!r}; there is {', '.join(config.upstreams)}"
    if not config.routes and len(config.upstreams) > 1:
        yield ("routes",), "with several upstreams, routes are needed; expected [[routes]] with models and upstream"
    for name in config.seals.secrets_env:
        if len(os.environ.get(name, "")) < SHORTEST_SECRET:
            yield SECRETS, f"the environment variable {name} needs at least {SHORTEST_SECRET} characters"
    yield from _wrong_access(config)


def _wrong_access(config: Config) -> Iterator[tuple[Where, str]]:
    access = config.access
    for setting, names in (("keys_env", access.keys_env), ("admin_env", (access.admin_env,))):
        for name in names:
            if name is not None and (message := wrong_variable(name, SHORTEST_SECRET)):
                yield ("access", setting), message
    try:
        found = client_keys(config)
    except ConfigError as error:
        yield ("access", "keys_file"), str(error)
        return
    for origin in access.origins:
        if not ORIGIN.fullmatch(origin):
            yield ("access", "origins"), f"{origin!r} is no origin; expected one like https://app.example"
        elif not found and not is_loopback(urlsplit(origin).hostname or ""):
            yield ("access", "origins"), f"{origin!r} is another site, which needs [access] with client keys"
    if not found and not is_loopback(config.listen.host):
        yield ("listen", "host"), f"{config.listen.host} is beyond this machine, which needs [access] with client keys"


ORIGIN = re.compile(r"\*|https?://[^/?#@\s]+")
SECRETS = ("seals", "secrets_env")


def _wrong_upstream(upstream: UpstreamTable) -> Iterator[tuple[str, str]]:
    try:
        url = httpx.URL(upstream.base_url)
        sound = url.scheme in ("http", "https") and bool(url.host) and not url.userinfo
    except httpx.InvalidURL:
        sound = False
    if not upstream.base_url:
        yield "base_url", MISSING
    elif not sound:
        yield "base_url", "expected an http:// or https:// URL without a user name"
    if upstream.protocol is None and upstream.profile in (None, BY_PROTOCOL):
        yield "protocol", f"expected one of {', '.join(protocols())}"
    elif upstream.protocol is not None and upstream.protocol not in protocols():
        yield "protocol", f"there is no protocol {upstream.protocol!r}; expected one of {', '.join(protocols())}"
    elif upstream.profile not in (None, BY_PROTOCOL) and upstream.profile.upper() not in named_profiles():
        expected = ", ".join([BY_PROTOCOL, *named_profiles()]).lower()
        yield "profile", f"there is no profile {upstream.profile!r}; expected one of {expected}"
    elif upstream.protocol not in (None, _base(upstream).protocol):
        yield "profile", f"this profile is of {_base(upstream).protocol}"
    elif backend(_base(upstream)).http is None:
        yield "protocol", f"{_base(upstream).protocol} cannot be an upstream, as its backend has no `http`"
    else:
        yield from _wrong_options(upstream)
    for name in upstream.key_env:
        if message := wrong_variable(name):
            yield "key_env", message
    yield from _wrong_headers(upstream)


def _wrong_headers(upstream: UpstreamTable) -> Iterator[tuple[str, str]]:
    for header, value in upstream.headers.items():
        for name in VARIABLE.findall(value):
            if message := wrong_variable(name):
                yield "headers", message
        if not HEADER_NAME.fullmatch(header):
            yield "headers", f"{header!r} is no name of a header"
        if reason := wrong_with(value):
            yield "headers", f"the value of {header} {reason}"


def _wrong_options(upstream: UpstreamTable) -> Iterator[tuple[str, str]]:
    try:
        side = profile_of(upstream)
    except TypeError as error:
        yield "version" if upstream.version and "'version'" in str(error) else "settings", str(error)
        return
    for name in sorted(upstream.options.keys() - set(OPTIONS)):
        yield "options", f"there is no option {name!r} here; expected {', '.join(OPTIONS)}"
    try:
        resolved(side, upstream.options)
    except TypeError as error:
        yield "options", str(error)


BY_PROTOCOL = "protocol"
"""The profile of upstreams whose models' names decide nothing."""


def named_profiles() -> list[str]:
    return [name for name in dir(profiles) if isinstance(getattr(profiles, name), Profile)]


def profile_of(upstream: UpstreamTable) -> Profile:
    """What the upstream accepts. Raises TypeError for settings that are not of its protocol."""
    base = _base(upstream)
    changed = {"version": upstream.version} if upstream.version else {}
    given: dict[str, Any] = {**base.given, **changed, **upstream.settings}
    return Profile(base.protocol, **given)


def _base(upstream: UpstreamTable) -> Profile:
    if upstream.profile not in (None, BY_PROTOCOL):
        found: Profile = getattr(profiles, upstream.profile.upper())
        return found
    return Profile(upstream.protocol or "")


def headers_of(upstream: UpstreamTable) -> dict[str, str]:
    """Return the headers that every request to the upstream has, with the environment's values in them."""
    return {
        name.lower(): VARIABLE.sub(lambda found: in_environment(found[1]) or "", value)
        for name, value in upstream.headers.items()
    }


def client_keys(config: Config) -> dict[str, str]:
    """Return the names of the keys; "" where one has none. Raises ConfigError for a file that cannot be read, or holds
    a key that cannot be used."""
    return all_of(config.access.keys_env, config.access.keys_file)
