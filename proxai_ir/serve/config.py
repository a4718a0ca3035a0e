"""The configuration of a gateway, from a TOML file or from options: upstreams, clouds, keys, routes, access, limits.

Rule 1: errors are found at the start and named with file, line and key. Rule 2: keys are in the environment or in a
file of their own, never in the configuration. Rule 3: a gateway that listens beyond this machine has client keys.
"""

from __future__ import annotations

import difflib
import ipaddress
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import httpx
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ..conversion.profile import Profile, resolved
from ..exchange.clouds import Deployment, check_signing, checked, deployed
from ..exchange.members import wrong_members
from ..exchange.provider import http_of
from ..exchange.servers import named_profiles
from ..protocol.registry import backend, protocols
from .hook import hook_of

# --- errors -----------------------------------------------------------------------------------------------------------
# Rule: a message never holds the value of a key or of an environment variable.

HEADER = re.compile(r"\s*(\[\[?)\s*(?P<name>[^\[\]]+?)\s*\]\]?\s*(?:#.*)?")
SETTING = re.compile(r"\s*(?P<name>[\w\-.\"']+)\s*=")
PART = re.compile(r"[^.\"']+|\"[^\"]*\"|'[^']*'")

Where = Sequence[str | int]
MISSING = "this setting is missing"
EXPECTED_TYPES = {
    "missing": MISSING,
    "tuple_type": 'expected a list, as ["…"]',
    "string_pattern_mismatch": "expected a path",
}
"""The messages about wrong types, in place of those of pydantic that name types of Python."""


class ConfigError(Exception):
    """A configuration that cannot be used; the text says what is wrong, and where."""


def located(message: str, where: Where = (), file: str = "", text: str = "") -> ConfigError:
    """Return an error that names file, line and setting; without a file the setting alone.

    The line is that of the setting, or of the innermost table around it that the file has.
    """
    key = ""  # as TOML writes it: routes[0].upstream
    for part in where:
        key += f"[{part}]" if isinstance(part, int) else f".{part}" if key else part
    lines = places(text)
    around = (tuple(where[:size]) for size in range(len(where), 0, -1))
    line = next((lines[one] for one in around if one in lines), None)
    place = f"{file}:{line}" if file and line else file
    return ConfigError(": ".join(part for part in (place, key, message) if part))


def places(text: str) -> dict[tuple[str | int, ...], int]:
    """Return the line on which each table and setting is first written, which the TOML parser does not tell."""
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


def cloud_of(upstream: UpstreamTable) -> Deployment | None:
    """Return the cloud that serves an upstream, or None if it names none. Raises ValueError and TypeError."""
    if upstream.cloud is None:
        return None
    side = profile_of(upstream)
    return deployed(side, upstream.cloud, key=bool(upstream.key_env), base_url=upstream.base_url or None)


def on_clouds(config: Config) -> tuple[Config, list[tuple[Where, str]]]:
    """Return the configuration with the URLs and keys that follow from clouds, and what is wrong with the clouds."""
    made, wrong = {**config.upstreams}, list[tuple[Where, str]]()
    for name, table in config.upstreams.items():
        if table.protocol is None and table.profile is None:
            continue
        try:
            if (found := cloud_of(table)) is not None:
                checked(found)
            elif table.protocol in protocols() and not table.key_env and "authorization" not in headers_of(table):
                check_signing(http_of(table.protocol))
        except (ValueError, TypeError) as error:
            wrong.append((("upstreams", name, "cloud" if table.cloud else "key_env"), str(error)))
            continue
        if found is None:
            continue
        follows: dict[str, Any] = {"base_url": found.base_url, "key_env": table.key_env or found.keys}
        made[name] = table.model_copy(update={**follows, "server": table.server or found.cloud.server})
    return config.model_copy(update={"upstreams": made}), wrong


def is_loopback(host: str) -> bool:
    """Return whether an address, or the name of a host, is this machine's own."""
    if host.lower() in ("localhost", "localhost.localdomain"):
        return True
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


# --- keys -------------------------------------------------------------------------------------------------------------
# Rule 1: white space around a key is ignored, as files of secrets end with a line break. Rule 2: a key that no header
# can hold is refused at the start, and named by its source, never by its value. Rule 3: a key has a name, which logs
# and metrics show.

SHORTEST_SECRET = 16
EVERY_KEY = "*"
"""The name of the limits of all keys that have none of their own."""
EXPECTED = f"expected a file with one key a line, of at least {SHORTEST_SECRET} characters each"
UNSENDABLE = re.compile(r"[^ -~]")
"""A character that no header can hold: a control character, or one that is not ASCII."""


def in_environment(name: str | None) -> str | None:
    """Return the key that a variable holds, or None."""
    return os.environ.get(name or "", "").strip() or None


def wrong_with(value: str) -> str:
    """Return why a value cannot be sent in a header; empty if it can."""
    found = UNSENDABLE.search(value)
    return f"has a character that no header can have, at position {found.start() + 1}" if found else ""


def wrong_variable(name: str, shortest: int = 1) -> str:
    """Return why the key in a variable cannot be used; empty if it can."""
    key = in_environment(name)
    if key is None and shortest == 1:
        return f"the environment has no variable {name}"
    if len(key or "") < shortest:
        return f"the environment variable {name} needs at least {shortest} characters"
    reason = wrong_with(key or "")
    return f"the environment variable {name} {reason}" if reason else ""


def in_file(file: str) -> dict[str, str]:
    """Return the keys of a file, with their names: one key a line, which may have its name before it, and comments.

    Raises ConfigError.
    """
    try:
        lines = Path(file).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        *name, key = line.split()
        short = f"has less than {SHORTEST_SECRET} characters" if len(key) < SHORTEST_SECRET else ""
        if reason := wrong_with(key) or short:
            raise ConfigError(f"{file}:{number}: the key {reason}; {EXPECTED}")
        found[key] = " ".join(name)
    if not found:
        raise ConfigError(EXPECTED)
    return found


# --- tables -----------------------------------------------------------------------------------------------------------

VARIABLE = re.compile(r"\$\{(\w+)\}")
"""A variable of the environment in the value of a header."""
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~\w-]+", re.ASCII)
IN_PATH = re.compile(r"[\w@+-][\w.@+-]*(?:[/:][\w@+-][\w.@+-]*)*")
"""The name of a model that may stand in the path of a URL."""
ORIGIN = re.compile(r"\*|https?://[^/?#@\s]+")
BY_PROTOCOL = "protocol"
"""The profile of an upstream whose models' names decide nothing."""
OPTIONS = ("accept", "deferred_tools", "emulate", "instructions", "repair", "strict")
"""Options of conversions that an upstream may state."""

Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(gt=0)]
PathOrPattern = Annotated[str, Field(pattern="^[/*]")]


class Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Listen(Table):
    """The address of the gateway. `connections`: how many clients are served at once; the others get status 503."""

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 4000
    connections: Count = 1000


class KeyLimits(Table):
    """The limits of one client key; what is not stated has none.

    `models` has names as clients ask for them, and `paths` has paths with their version; both may have patterns with
    `*` and `?`.
    """

    requests_per_minute: Count | None = None  # that begin within any 60 seconds
    requests_at_once: Count | None = None
    tokens_per_day: Count | None = None  # that upstreams report in a day (UTC), after which no request more begins
    models: tuple[Annotated[str, Field(min_length=1)], ...] | None = Field(default=None, strict=False, min_length=1)
    paths: tuple[PathOrPattern, ...] | None = Field(default=None, strict=False, min_length=1)


class Access(Table):
    """The keys of clients, and what else lets a request in."""

    keys_env: tuple[str, ...] = Field(default=(), strict=False)  # variables, by which the keys are named
    keys_file: str | None = None  # with one key a line, which may have its name before it
    admin_env: str | None = None  # the variable with the token of the page and the metrics; else one is made
    origins: tuple[str, ...] = Field(default=(), strict=False)  # sites whose pages may call it (CORS); "*": all
    limits: dict[str, KeyLimits] = {}  # by the names of keys; "*": those of each other key


class Limits(Table):
    """The most bytes of one body, one head, one response, one stream, and of all bodies in memory at once.

    A body of more than `in_thread` bytes is converted in a thread, so that other requests go on.
    """

    body: Count = 32 * 1024 * 1024
    headers: Count = 64 * 1024
    response: Count = 64 * 1024 * 1024
    stream: Count = 256 * 1024 * 1024
    memory: Count = 512 * 1024 * 1024
    in_thread: Count = 256 * 1024


class Timeouts(Table):
    """Times in seconds."""

    head: Seconds = 10.0  # for the headers of a client's request
    body: Seconds = 30.0  # for its body, and one second more for every 64 KiB
    total: Seconds = 3600.0  # for its response, to the end
    connect: Seconds = 10.0  # for a connection to an upstream
    response: Seconds = 600.0  # for a whole response of an upstream
    first_event: Seconds = 120.0  # until a stream's content begins, if another upstream can be asked
    retry: Annotated[float, Field(ge=0)] = 2.0  # the longest pause that an upstream's `retry-after` may ask for
    rest: Annotated[float, Field(ge=0)] = 30.0  # for which one that keeps failing is asked only where no other can be
    stall: Seconds = 300.0  # of silence in an upstream's stream
    keep_alive: Seconds = 15.0  # of silence, after which the client is sent something that keeps its connection open
    shutdown: Seconds = 60.0  # for running streams to end
    socket: Seconds = 3600.0  # that a WebSocket lasts, and longer only until what runs on it has ended


class Kept(Table):
    """The place of responses and of the log, the most that the log keeps, and the most that is kept of responses."""

    keep: bool = True  # false: responses are kept in memory, and nothing else
    url: str | None = None  # as of a Storage
    days: Seconds = 30.0
    exchanges: Count = 100_000
    bytes: Count = 4 * 1024 * 1024 * 1024
    memory_days: Seconds = 30.0
    memory_bytes: Count = 1024 * 1024 * 1024


class Log(Table):
    """The contents of the log: `payloads`, at most `payload_bytes` of each; `requests`, a line of JSON on stderr.

    Where `payloads` is stated to be false, no responses are kept on disk either (`Config.keeps_responses`).
    """

    payloads: bool = False
    payload_bytes: Count = 4 * 1024 * 1024
    requests: bool = False


class Seals(Table):
    """Variables with secrets that authenticate envelopes of signatures: the first one signs, all of them verify.

    Without one, a key is made at the start, and envelopes of an earlier run are not accepted.
    """

    secrets_env: tuple[str, ...] = Field(default=(), strict=False)


Names = BeforeValidator(lambda value: (value,) if isinstance(value, str) else value)
Paths = BeforeValidator(lambda value: (("*",) if value else ()) if isinstance(value, bool) else value)
CAPTURED = "{}"
"""The part of a model's name that stands for what the `*` of a route's pattern matched."""


class UpstreamTable(Table):
    """A provider.

    cloud        the cloud that serves it, by its name or with its values, from which `proxai_ir.profiles.clouds`
                 derives its URL, its keys or signatures, and its form of requests
    profile      the name of one of `proxai_ir.profiles`, or "protocol": what every server of the protocol takes;
                 without it the model decides, and `settings` and `version` take precedence
    passthrough  which paths that the gateway lacks are passed on to it, for clients of its vendor; true: all
    """

    protocol: str | None = None
    base_url: str = ""
    key_env: Annotated[tuple[str, ...], Names] = Field(default=(), strict=False)  # keys of several variables take turns
    cloud: str | dict[str, str] | None = None
    profile: str | None = None
    server: str | None = None  # its name in facts that depend on the server; by default that of the URL's host
    learn: bool = True  # whether a request with a setting that it refuses is sent once more without the setting
    version: str | None = None
    settings: dict[str, Any] = {}
    options: dict[str, Any] = {}
    context: Count | None = None  # the tokens of its models' context (CAP-12)
    body: dict[str, Any] = {}  # members of every request's body that it does not have itself (CAP-11)
    headers: dict[str, str] = {}  # of every request; values may hold `${NAME}`, a variable of the environment
    proxy: str | None = None
    passthrough: Annotated[tuple[PathOrPattern, ...], Paths] = Field(default=(), strict=False)


class Candidate(Table):
    """An upstream that a request may be sent to."""

    upstream: str
    model: str | None = None  # that it is asked for; None: the one that the client asked for
    client_key: bool = False  # whether a client of the upstream's vendor calls it with its own key
    client_state: bool = False  # whether clients may refer to what it keeps, though it may be another client's


Fallback = BeforeValidator(lambda value: {"upstream": value} if isinstance(value, str) else value)


class RouteTable(Table):
    """The upstream of some models.

    `fallbacks` are upstreams, or tables as of a Candidate, that are tried if it fails before its response begins.
    """

    models: tuple[str, ...] = Field(strict=False, min_length=1)  # names, or patterns with `*` and `?`
    upstream: Annotated[tuple[str, ...], Names] = Field(strict=False, min_length=1)  # equal ones take turns
    model: str | None = None  # in which `{}` stands for what the `*` of a pattern matched
    client_key: bool = False
    client_state: bool = False
    fallbacks: tuple[Annotated[Candidate, Fallback], ...] = Field(default=(), strict=False)

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        same = {name: getattr(self, name) for name in ("model", "client_key", "client_state")}
        return (*(Candidate(upstream=one, **same) for one in self.upstream), *self.fallbacks)


class HookTable(Table):
    """The operator's own function, as "module:function", that is shown requests, responses and events of streams."""

    function: str | None = None
    timeout: Seconds = 1.0  # that each call of it may take


class Config(Table):
    """A gateway. A route that names a model exactly comes before all patterns, of which the first match counts."""

    upstreams: dict[str, UpstreamTable] = Field(min_length=1)
    routes: tuple[RouteTable, ...] = Field(default=(), strict=False)
    listen: Listen = Listen()
    access: Access = Access()
    limits: Limits = Limits()
    timeouts: Timeouts = Timeouts()
    storage: Kept = Kept()
    log: Log = Log()
    seals: Seals = Seals()
    hook: HookTable = HookTable()

    @property
    def keeps_responses(self) -> bool:
        """Whether responses are kept in the storage.

        They are not if the log is stated to have no payloads, unless the storage states how long or how many.
        """
        refused = "payloads" in self.log.model_fields_set and not self.log.payloads
        return not refused or bool({"memory_days", "memory_bytes"} & self.storage.model_fields_set)


# --- reading ----------------------------------------------------------------------------------------------------------


def from_file(file: str | Path, more: Mapping[str, Mapping[str, Any]] | None = None) -> Config:
    """Return the configuration of a TOML file, in which `more` replaces settings. Raises ConfigError."""
    name = str(file)
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
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
    """Return the configuration of one upstream for all models, or for `model` in place of each. Raises ConfigError."""
    given = {name: value for name, value in upstream.items() if value is not None}
    route = {"models": ["*"], "upstream": "default", **({"model": model} if model else {})}
    return from_mapping({"upstreams": {"default": given}, "routes": [route], **tables})


def from_mapping(given: Mapping[str, Any], file: str = "", text: str = "") -> Config:
    """Return the configuration that parsed TOML has; `file` and its `text` are for errors. Raises ConfigError."""
    try:
        config = Config.model_validate(given)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = found["loc"]
        raise located(_problem(found["type"], found["msg"], place), place, file, text) from None
    config, wrong_clouds = on_clouds(config)
    for where, message in wrong_clouds or wrong(config):
        raise located(message, where, file, text)
    if not config.routes:
        route = RouteTable(models=("*",), upstream=tuple(config.upstreams))
        config = config.model_copy(update={"routes": (route,)})
    return config


def _problem(kind: str, message: str, where: Where) -> str:
    """Return what is wrong with a setting, and what would be right."""
    if kind != "extra_forbidden":
        return EXPECTED_TYPES.get(kind) or message.removeprefix("Value error, ")
    table: Any = Config
    if len(where) > 1:
        tables: Mapping[str, Any] = {"upstreams": UpstreamTable, "routes": RouteTable}
        table = tables.get(str(where[0])) or type(Config.model_fields[str(where[0])].default)
        inner: Mapping[str | int, Any] = {"fallbacks": Candidate, "limits": KeyLimits}
        table = next((inner[one] for one in where[1:-1] if one in inner), table)
    known = [*table.model_fields]
    near = difflib.get_close_matches(str(where[-1]), known, 1)
    return f"there is no such setting; expected {near[0] if near else 'one of ' + ', '.join(known)}"


def wrong(config: Config) -> Iterator[tuple[Where, str]]:
    """Yield the places and descriptions of errors that types alone do not show."""
    for name, upstream in config.upstreams.items():
        for setting, message in _wrong_upstream(upstream):
            yield ("upstreams", name, setting), message
        for path, message in wrong_members(upstream.body, http_of(profile_of(upstream))):
            yield ("upstreams", name, "body", *path), message
    for at, route in enumerate(config.routes):
        for number, one in enumerate(route.candidates, -len(route.upstream)):
            own: Where = () if number < 0 else ("fallbacks", number)
            if one.upstream not in config.upstreams:
                known, place = ", ".join(config.upstreams), own or ("upstream",)
                yield ("routes", at, *place), f"no upstream is called {one.upstream!r}; there is {known}"
            elif message := _wrong_model(one, route, config.upstreams[one.upstream]):
                yield ("routes", at, *own, "model"), message
    if not config.routes and len(config.upstreams) > 1:
        yield ("routes",), "with several upstreams, routes are needed; expected [[routes]] with models and upstream"
    for name in config.seals.secrets_env:
        if len(os.environ.get(name, "")) < SHORTEST_SECRET:
            message = f"the environment variable {name} needs at least {SHORTEST_SECRET} characters"
            yield ("seals", "secrets_env"), message
    yield from _wrong_access(config)
    try:
        hook_of(config.hook.function, config.hook.timeout)
    except ValueError as error:
        yield ("hook", "function"), str(error)


def _wrong_model(candidate: Candidate, route: RouteTable, upstream: UpstreamTable) -> str:
    """Return why an upstream cannot be asked for the model that a route names for it; empty if it can."""
    model, side = candidate.model, profile_of(upstream)
    if model is None:
        return ""
    if CAPTURED in model and any(one.count("*") != 1 or "[" in one for one in route.models):
        return f"{CAPTURED} stands for what `*` matches; expected one * in each of the route's models"
    http = found.http if (found := cloud_of(upstream)) else http_of(side)
    name = model.replace(CAPTURED, "x")
    fits = name.isprintable() and name.strip() if http.path else IN_PATH.fullmatch(name)
    return "" if fits else f"{model!r:.80} is no name of a model that {side.protocol} can be asked for"


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
    known = dict.fromkeys((*filter(None, found.values()), EVERY_KEY))
    for name in access.limits.keys() - known.keys():
        expected = ", ".join(map(repr, known))
        yield ("access", "limits", name), f"no client key has the name {name!r}; expected one of {expected}"
    for origin in access.origins:
        if not ORIGIN.fullmatch(origin):
            yield ("access", "origins"), f"{origin!r} is no origin; expected one like https://app.example"
        elif not found and not is_loopback(urlsplit(origin).hostname or ""):
            yield ("access", "origins"), f"{origin!r} is another site, which needs [access] with client keys"
    if not found and not is_loopback(config.listen.host):
        yield ("listen", "host"), f"{config.listen.host} is beyond this machine, which needs [access] with client keys"


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
    elif upstream.profile not in (None, BY_PROTOCOL) and upstream.profile.lower() not in named_profiles():
        expected = ", ".join([BY_PROTOCOL, *named_profiles()])
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


def profile_of(upstream: UpstreamTable) -> Profile:
    """Return what the upstream accepts. Raises TypeError for settings that its protocol lacks."""
    base = _base(upstream)
    changed = {"version": upstream.version} if upstream.version else {}
    given: dict[str, Any] = {**base.given, **changed, **upstream.settings}
    return Profile(base.protocol, **given)


def _base(upstream: UpstreamTable) -> Profile:
    if upstream.profile not in (None, BY_PROTOCOL):
        return named_profiles()[upstream.profile.lower()]
    return Profile(upstream.protocol or "")


def headers_of(upstream: UpstreamTable) -> dict[str, str]:
    """Return the headers of every request to the upstream, with the environment's values."""
    return {
        name.lower(): VARIABLE.sub(lambda found: in_environment(found[1]) or "", value)
        for name, value in upstream.headers.items()
    }


def client_keys(config: Config) -> dict[str, str]:
    """Return the keys of clients with their names, or "" for a key without one; variables name their keys.

    Raises ConfigError for a file that cannot be read, or holds a key that cannot be used.
    """
    access = config.access
    known = {key: name for name in access.keys_env if (key := in_environment(name))}
    return known | (in_file(access.keys_file) if access.keys_file else {})
