"""A protocol on a cloud: where it is, who may call it, and its requests as that cloud wants them; sans I/O.

    deployed("anthropic_messages", "bedrock")
    deployed("openai_responses", {"name": "azure", "resource": "ours"})

All that differs from the protocol's own servers is a row of `profiles.clouds`. Rule 1: what is missing is reported when
the deployment is made. Rule 2: a key goes to the server that it is meant for: no variable is read for a URL that the
caller states. Rule 3: a model's name reaches no other part of a URL than its own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from string import Formatter
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from attrs import evolve, field, frozen

from ..conversion.bytes import dumped, parsed
from ..conversion.profile import Profile, protocol_of
from ..protocol.http import Counting, Http
from ..protocol.registry import Frontend, frontend
from ..protocol.signing import Signer, Unsigned
from ..reporting.diagnostics import InvalidPayload, render
from .features import unswitched
from .messages import Upstream
from .provider import http_of

if TYPE_CHECKING:
    from ..profiles.clouds import Auth, Cloud

VALUE = re.compile(r"(?!\.{1,2}$)[\w.:-]+", re.ASCII)
"""A name of a region, a project and the like that can stand in a URL."""
MODEL = "model"
OWN = ("name", "auth")
"""The names that a caller may state in addition to a cloud's values."""


@frozen(kw_only=True)
class Deployment:
    """A protocol on a cloud.

    http      the protocol in the cloud's HTTP
    base_url  its URL; `path` and `streamed` are below it, None: the protocol's own
    keys      the environment variable with its key, if it is set; none for a URL that the caller stated
    keyless   whether its requests are signed, so that they need no key
    headers   more headers of each request
    """

    cloud: Cloud
    http: Http
    base_url: str
    path: str | None
    streamed: str | None
    keys: tuple[str, ...]
    headers: Mapping[str, str] = field(factory=dict)

    @property
    def keyless(self) -> bool:
        return self.http.sign is not None

    def reader_of_error(self, body: Any, own: Frontend) -> Frontend:
        """Return the frontend that reads an error: that of the cloud's form if the body has it, else the protocol's."""
        if self.cloud.errors is None or not isinstance(body, dict):
            return own
        other = frontend(self.cloud.errors)
        return other if any(members <= body.keys() for members in other.discriminators["error"]) else own

    def sent(self, made: Upstream, model: Any) -> Upstream:
        """Return the request in the cloud's form. Raises InvalidPayload for a model that its path cannot have."""
        headers = {**made.headers, **self.headers}
        path = (self.streamed if made.stream else None) or self.path
        if path and f"{{{MODEL}}}" in path:
            path = path.replace(f"{{{MODEL}}}", _quoted(model))
        return evolve(made, path=path or made.path, body=self._body(made.body, headers), headers=headers)

    def _body(self, data: bytes, headers: dict[str, str]) -> bytes:
        """Return the body in the cloud's form, with members that the cloud has in place of headers."""
        cloud = self.cloud
        if not (cloud.drops or cloud.adds or cloud.moved):
            return data
        body = {name: one for name, one in parsed(data).items() if name not in cloud.drops}
        moved: dict[str, Any] = {}
        for header, member in cloud.moved.items():
            value = headers.pop(header, "")
            if value:
                listed = [one.strip() for one in value.split(",")] if member in cloud.lists else None
                moved[member] = cloud.words.get(value, value) if listed is None else listed
        return dumped({**cloud.adds, **moved, **body})


Stated: TypeAlias = "str | Mapping[str, str] | Deployment"
"""A cloud by its name, or with values such as a region in {"name": …, "region": …}."""


def deployed(
    side: str | Profile,
    stated: Stated,
    *,
    key: bool = False,
    base_url: str | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Deployment:
    """Return a protocol on a cloud. Raises UnknownProtocol, and ValueError for unknown or missing values.

    key       whether the caller has a key
    base_url  the URL, in place of the cloud's own
    """
    if isinstance(stated, Deployment):
        return stated
    given = {"name": stated} if isinstance(stated, str) else {**stated}
    cloud, http = _row(protocol_of(side), given.get("name", "")), http_of(side)
    _check(given, cloud)
    auth = _auth(cloud, given, key, environment)
    url = base_url or next((environment[one] for one in cloud.urls if environment.get(one)), None)
    own = cloud.paths[protocol_of(side)]
    texts = (own or "", cloud.streamed or "", cloud.counted or "", "" if url else cloud.host)
    needed = {name: None for text in texts for name in _names(text)} | ({"region": None} if _signs(auth) else {})
    values = _values(cloud, given, [one for one in needed if one != MODEL], environment)
    template = cloud.hosts.get(values.get("region", ""), cloud.host)
    base = _below(url or template.format_map(values), cloud.below)
    path, streamed, counted = (_filled(one, values) for one in (own, cloud.streamed, cloud.counted))
    return Deployment(
        cloud=cloud,
        http=evolve(
            http,
            base_url=base,
            key_env=() if base_url else auth.keys,
            path=None if path and MODEL in _names(path) else http.path,
            sign=auth.signer(values) if auth.signer and not key else None,
            key=auth.header,
            scheme=auth.scheme,
            framing=cloud.framing or http.framing,
            listing=None if own else http.listing,
            counting=_counting(cloud, http, own, path, counted),
            telemetry=cloud.telemetry,
        ),
        base_url=base,
        path=path,
        streamed=streamed,
        keys=() if base_url else tuple(one for one in auth.keys if environment.get(one, "").strip())[:1],
        headers={name: one for name, text in cloud.headers.items() if (one := _optional(text, values))},
    )


def checked(deployment: Deployment) -> None:
    """Raise ValueError if requests can be neither signed nor sent with a key of the environment."""
    check_signing(deployment.http, f" to the cloud {deployment.cloud.name!r}")


def check_installed(http: Http) -> None:
    """Raise ValueError if requests without a key are signed by a library that is not installed."""
    try:
        if isinstance(http.sign, Signer):
            http.sign.check_installed()
    except Unsigned as error:
        raise ValueError(f"requests cannot be signed: {error}") from None


def check_signing(http: Http, where: str = "") -> None:
    """Raise ValueError if requests without a key cannot be signed: without a library, or without credentials."""
    try:
        if isinstance(http.sign, Signer):
            http.sign.ready()
    except Unsigned as error:
        raise ValueError(f"requests{where} cannot be signed: {error}") from None


def _row(protocol: str, name: str) -> Cloud:
    from ..profiles.clouds import CLOUDS  # the table is read when it is needed

    found = next((one for one in CLOUDS if one.name == name and protocol in one.paths), None)
    if found is None:
        known = dict.fromkeys(one.name for one in CLOUDS if protocol in one.paths)
        raise ValueError(
            f"there is no cloud {name!r:.80} that serves {protocol}; expected {', '.join(known) or 'none'}"
        )
    return found


def _check(given: Mapping[str, Any], cloud: Cloud) -> None:
    for name, value in given.items():
        if name not in (*OWN, *cloud.values):
            raise ValueError(
                f"the cloud {cloud.name!r} has no {name!r:.80}; expected {', '.join((*OWN, *cloud.values))}"
            )
        if not isinstance(value, str) or not (VALUE.fullmatch(value) or _free(cloud, name)):
            raise ValueError(f"{name} is {value!r:.80}; expected a name that can stand in a URL")


def _free(cloud: Cloud, name: str) -> bool:
    """Return whether a value is a text that is in no URL."""
    texts = (*cloud.paths.values(), cloud.streamed, cloud.counted, cloud.host)
    return name in cloud.values and not any(name in _names(text) for text in texts if text)


def _auth(cloud: Cloud, given: Mapping[str, str], key: bool, environment: Mapping[str, str]) -> Auth:
    """Return how requests are authenticated: as stated, else as a key, a value or the environment decides, else the
    first way."""
    ways = cloud.auth
    if "auth" in given:
        if given["auth"] not in ways:
            raise ValueError(f"auth is {given['auth']!r:.80}; expected {' or '.join(ways)}")
        return ways[given["auth"]]
    if key:
        return next(one for one in ways.values() if one.signer is None)
    chosen = (one for one in ways.values() if one.chosen_by in given)
    in_environment = (one for one in ways.values() if any(environment.get(name, "").strip() for name in one.keys))
    signed = (one for one in ways.values() if one.signer is not None)
    return next(chosen, None) or next(in_environment, None) or next(signed, None) or next(iter(ways.values()))


def _signs(auth: Auth) -> bool:
    return bool(auth.signer and auth.chosen_by)


def _values(
    cloud: Cloud, given: Mapping[str, str], needed: list[str], environment: Mapping[str, str]
) -> dict[str, str]:
    """Return the known values by name. Raises ValueError for one that is needed and unknown."""
    found = {name: given[name] for name in cloud.values if given.get(name)}
    for name, variables in cloud.values.items():
        if name not in found:
            one = next((environment[each].strip() for each in variables if environment.get(each, "").strip()), "")
            one = one or (cloud.found[name](found) if name in cloud.found and name in needed else "")
            one = one or cloud.usual.get(name, "")
            if one and not (VALUE.fullmatch(one) or _free(cloud, name)):
                raise ValueError(f"{name} is {one!r:.80} in the environment; expected what can stand in a URL")
            found |= {name: one} if one else {}
    for name in needed:
        if name not in found:
            ways = [f'state it, as {{ name = "{cloud.name}", {name} = "…" }}']
            if cloud.values[name]:
                ways.append(f"set the variable {' or '.join(cloud.values[name])}")
            else:  # what only the URL has
                ways += [f"set {one}, or base_url (--base-url), to the whole URL" for one in cloud.urls]
            raise ValueError(f"the cloud {cloud.name!r} needs {name!r}: {', or '.join(ways)}")
    return found


def _names(text: str) -> Iterator[str]:
    return (name for _, name, _, _ in Formatter().parse(text) if name)


def _filled(text: str | None, values: Mapping[str, str]) -> str | None:
    """Return a path with all its values except the model."""
    return None if text is None else text.format_map({**values, MODEL: f"{{{MODEL}}}"})


def _optional(text: str, values: Mapping[str, str]) -> str:
    return text.format_map(values) if all(name in values for name in _names(text)) else ""


def _below(url: str, below: str) -> str:
    """Return the URL with the beginning of the cloud's paths, unless it has it already, with a version or without."""
    scheme, place, path, query, _ = urlsplit(url)
    path = path.rstrip("/")
    if below and not re.search(rf"{re.escape(below)}(?:/v\d+[a-z\d]*)?$", path):
        path += below
    return urlunsplit((scheme, place, path, query, ""))


def _quoted(model: Any) -> str:
    """Return a model's name as one part of a path, without the path of a resource that some names begin with."""
    name = model.rpartition("models/")[2] if isinstance(model, str) else ""
    if not name.partition(";")[0].strip("."):
        what = f"expected the name of a model, which is part of the cloud's URL, found {model!r:.80}"
        raise InvalidPayload(render([("SHP-1", None, what)], None, refused=True))
    return quote(name, safe=":@", errors="replace")


def _counting(cloud: Cloud, http: Http, own: str | None, path: str | None, counted: str | None) -> Counting | None:
    """Return the requests to count tokens at the cloud; None: it has none."""
    theirs = http.counting
    if theirs is None or own is None:
        return theirs
    if counted and path:
        named = re.compile(re.sub(r"\\{.*?\\}", "(.+)", re.escape(path.partition("?")[0].rpartition(":")[0])))

        def body(request: Any, asked: str) -> Any:
            found = named.match(asked.rpartition(":")[0])
            model = {MODEL: unquote(found[1]).removesuffix(cloud.unversioned)} if found else {}
            counted_of = theirs.body(request if cloud.counts_betas else unswitched(http, request), asked)
            return {**counted_of, **model}

        betas = http.features.header if http.features else None
        unsent = (betas,) if betas and not cloud.counts_betas else ()
        return evolve(theirs, path=lambda _: counted, body=body, unsent=unsent)
    if cloud.counts:
        return evolve(theirs, body=lambda request, _: {one: request[one] for one in cloud.counts if one in request})
    return None
