"""The provider of an Exchange: its paths, and the settings that its models take."""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from attrs import evolve

from ..conversion.bytes import parsed
from ..conversion.profile import Profile, protocol_of
from ..ir.envelope import Seals
from ..protocol.detection import kind_of, read_error
from ..protocol.http import Http
from ..protocol.registry import backend, frontend, is_built_in, protocols
from ..reporting.diagnostics import Refusal, TranslationError
from .refused_settings import RESTATED, shown

# --- provider ---------------------------------------------------------------------------------------------------------
# The provider of an Exchange, with a Profile for each model: from the table of models, and from earlier refusals.
#
# Rule: a caller's Profile has the last word; what was learned outranks the table, and is forgotten after a day.


PROFILES = ("model", "protocol")
REFUSED = (400, 422)
"""The statuses of errors that may name a setting."""
LIFETIME = 24 * 3600.0
MOST = 1024  # models
Key = tuple[str, str, str]
"""Server, protocol and model."""
NOTHING: Mapping[str, Any] = {}


class Learned:
    """The settings that models refused, for a day: of at most 1,024 models, the least recently used are forgotten.

    One object may be shared by the Exchanges of a process; `models` shows what it holds. `clock`: seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._known: OrderedDict[Key, tuple[float, dict[str, Any]]] = OrderedDict()

    def of(self, key: Key) -> Mapping[str, Any]:
        with self._lock:
            until, settings = self._known.get(key, (0.0, {}))
            if until and until < self._clock():
                del self._known[key]
                return {}
            if until:
                self._known.move_to_end(key)
            return settings

    def add(self, key: Key, settings: Mapping[str, Any]) -> None:
        with self._lock:
            until = self._clock() + LIFETIME
            self._known[key] = until, {**self._known.get(key, (0.0, {}))[1], **settings}
            self._known.move_to_end(key)
            while len(self._known) > MOST:
                self._known.popitem(last=False)

    def lasting(self) -> dict[Key, tuple[float, dict[str, Any]]]:
        """Return the settings that are known now, with the seconds for which they will be."""
        with self._lock:
            now = self._clock()
            return {key: (until - now, dict(known)) for key, (until, known) in self._known.items() if until >= now}

    def models(self) -> dict[Key, dict[str, Any]]:
        """Return the settings that are known now, by server, protocol and model."""
        return {key: settings for key, (_, settings) in self.lasting().items()}


class Provider:
    """The target of requests. `by_model` False: every server of the protocol, whatever the model.

    `relayed`: its clients speak its own protocol, so that its error is for them, unless what it refuses has another
    form, in which nothing is given up.
    """

    def __init__(
        self, side: str | Profile, *, by_model: bool, server: str | None, learned: Learned | None, relayed: bool = False
    ) -> None:
        self.side = side
        self._relayed = relayed
        self._by_model = by_model
        self._server = server
        self._learned = learned

    def for_model(self, model: Any, tried: Mapping[str, Any] = NOTHING) -> str | Profile:
        """Return the target of requests for a model. `tried`: settings that it may have refused."""
        if not isinstance(model, str):
            return self.side
        made = self.side
        if self._by_model:
            from ..profiles import models  # the table is read with the first request

            made = models.tailored(made, model, self._server)
        learned = {**self._given_up({} if self._learned is None else self._learned.of(self._key(model))), **tried}
        if not learned:
            return made
        base, stated = (made.given, made.why) if isinstance(made, Profile) else ({}, ())
        caller = self.side.given if isinstance(self.side, Profile) else {}
        profile = Profile(protocol_of(made), **{**base, **learned, **caller})
        profile.why = stated
        return profile

    def sealing(self, model: Any, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the option `seals` with the model's maker, if that is known: no other's models read what it signed
        (RSN-26)."""
        seals = options.get("seals")
        if not (self._by_model and isinstance(model, str) and isinstance(seals, Seals)) or seals.maker:
            return {}
        from ..profiles import models

        return {"seals": evolve(seals, maker=models.maker(model))}

    def refused(self, model: Any, body: bytes, headers: Mapping[str, str]) -> Iterator[list[dict[str, Any]]]:
        """Yield the settings that an error may name as ones that the model does not take, the likeliest first, but for
        those that the caller states."""
        if self._learned is None or not isinstance(model, str):
            return
        try:
            error = read_error(frontend(self.side), parsed(body, "error"), None, headers)
        except (Refusal, TranslationError):
            return
        caller = self.side.given if isinstance(self.side, Profile) else {}
        named = error.param if error.param and error.param not in error.message else ""
        message = f"{named}: {error.message}" if named else error.message
        for settings in shown(message, backend(self.side).target.settings):
            left = [{name: value for name, value in one.items() if name not in caller} for one in settings]
            yield [*filter(None, map(self._given_up, left))]

    def _given_up(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return those settings that requests to it may be without."""
        return {name: value for name, value in settings.items() if not self._relayed or name in RESTATED}

    def learn(self, model: str, settings: Mapping[str, Any]) -> None:
        """Keep settings that the model refused; the next requests are without them."""
        if self._learned is not None:
            self._learned.add(self._key(model), settings)

    def _key(self, model: str) -> Key:
        return self._server or "", protocol_of(self.side), model


def http_of(side: str | Profile) -> Http:
    """Return the HTTP of a protocol. Raises UnknownProtocol, and TypeError for a protocol without `Backend.http`."""
    back = backend(side)
    if back.http is None:
        raise TypeError(f"{back.protocol} cannot be a side of an Exchange, as its backend has no `http`")
    return back.http


def asking_side(client: str | Profile, request: Any) -> str | Profile:
    """Return the side whose protocol a client's request has: its own, or another of its vendor that its clients send as
    well (`Http.siblings`)."""
    own = http_of(client)
    if own.siblings is None or kind_of(frontend(client), request) == "request":
        return client
    others = (one for one in protocols() if (http := backend(one).http) not in (None, own) and own.shares_keys(http))
    return next((one for one in others if kind_of(frontend(one), request) == "request"), client)


# --- paths ------------------------------------------------------------------------------------------------------------
# Paths and clients: the protocol of a request, by its path, and the URL of a request to a provider.
#
# Every fact is in `Http`, one declaration per protocol, so that protocols of other packages work as ours do.


VERSION = re.compile(r"/v\d+[a-z\d]*(?=/)")
"""A version of an API in a URL's path."""
TWICE = re.compile(f"{VERSION.pattern}{VERSION.pattern}")


class Asked(NamedTuple):
    """The meaning of a path: a response in this protocol, or a count of its tokens; `path`: the usual one for it."""

    protocol: str
    path: str
    counts: bool


def clients() -> dict[str, Http]:
    """Return the protocols that clients may speak; those of other packages come last, so that ours keep their paths."""
    found = {name: backend(name).http for name in sorted(protocols(), key=is_built_in, reverse=True)}
    return {name: http for name, http in found.items() if http is not None}


def client_side(protocol: str, version: str | None = None) -> Profile:
    """Return the profile of a client of a protocol; an unknown version counts as the protocol's default."""
    known = version if version in backend(protocol).versions else None
    return Profile(protocol, known, **http_of(protocol).clients)


def seeming(of: Mapping[str, Http], path: str, headers: Mapping[str, str]) -> str:
    """Return the protocol of a client by its marks, a header or the beginning of paths; without any, the first protocol
    whose clients have none."""
    shown = (one for one, http in of.items() if http.marked in headers or path.startswith(http.under))
    return next(shown, None) or next(one for one, http in of.items() if not (http.marked or http.under))


def asked(of: Mapping[str, Http], path: str) -> Asked | None:
    """Return the meaning of a path with its query; it may have more before the version of the API, or no version."""
    bare, mark, query = path.partition("?")
    for name, http in of.items():
        counting = http.counting
        if http.path:
            if any(ends_with(bare, one) for one in http.fixed):
                return Asked(name, http.path + mark + query, False)
            if counting and ends_with(bare, counting.path(http.path)):
                return Asked(name, http.path + mark + query, True)
        elif http.asked:
            if http.asked(path) is not None:
                return Asked(name, path, False)
            counted = counting.counted(bare) if counting else None
            if counted and counted != bare and http.asked(counted) is not None:
                return Asked(name, counted, True)
    return None


def ends_with(path: str, full: str) -> bool:
    """Return whether a client's path is this one of a protocol, also below a base URL's path or without a version."""
    version = VERSION.match(full)
    return path.endswith(full) or (version is not None and path == full[version.end() :])


def joined(base_url: str, path: str) -> str:
    """Return the URL of a path below a base URL, which may end with the version of the API, as for OpenAI's clients, or
    not, as for Anthropic's."""
    scheme, place, base, base_query, _ = urlsplit(base_url)
    path, _, query = path.partition("?")
    before = base.rstrip("/")
    version = VERSION.match(path)
    if version is not None and VERSION.search(before + "/"):
        path = path[version.end() :]
    return urlunsplit((scheme, place, before + path, "&".join(part for part in (base_query, query) if part), ""))


class Usual:
    """Returns a client's path as servers have it, with one version of the API: base URLs have the version or not."""

    def __init__(self, of: Iterable[Http]) -> None:
        self._served = frozenset(path for http in of for path in _paths(http))
        versions = [(found[0], path) for path in sorted(self._served) if (found := VERSION.match(path))]
        self._first = {path.split("/")[2]: version for version, path in reversed(versions)}

    def serves(self, path: str) -> bool:
        """Return whether a path is one of those that servers have, and names no model."""
        return path in self._served

    def __call__(self, path: str) -> str:
        if path in self._served:
            return path
        version = self._first.get(path[1:].partition("/")[0], "")
        return path[path.index("/", 1) :] if TWICE.match(path) else version + path


def _paths(http: Http) -> Iterator[str]:
    """Yield the paths of a protocol that have no model in them."""
    yield from http.fixed
    yield from http.listing.paths if http.listing else ()
    yield from filter(None, (http.kept.responses, http.kept.conversations)) if http.kept else ()
