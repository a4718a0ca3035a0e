"""Paths and clients: which protocol a request is in by its path, and where the requests of a provider go.

All that is known stands in `Http`, one declaration a protocol: a protocol of another package is found like ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from ..binding.http import Http
from ..binding.profile import Profile
from ..binding.registry import backend, is_built_in, protocols
from .provider import http_of

VERSION = re.compile(r"/v\d+[a-z\d]*(?=/)")
"""A version of an API in a URL's path."""
TWICE = re.compile(f"{VERSION.pattern}{VERSION.pattern}")


class Asked(NamedTuple):
    """What a path asks for: a response in the protocol, by the path that its servers have; or to count its tokens."""

    protocol: str
    path: str
    counts: bool


def clients() -> dict[str, Http]:
    """The protocols that clients may speak; those of other packages come last, and take no path of ours."""
    found = {name: backend(name).http for name in sorted(protocols(), key=is_built_in, reverse=True)}
    return {name: http for name, http in found.items() if http is not None}


def client_side(protocol: str, version: str | None = None) -> Profile:
    """How a client reads responses; a version that is not known is that of the protocol's defaults."""
    known = version if version in backend(protocol).versions else None
    return Profile(protocol, known, **http_of(protocol).clients)


def seeming(of: Mapping[str, Http], path: str, headers: Mapping[str, str]) -> str:
    """The protocol of a client, by what all its requests have; else the first one whose clients show none."""
    shown = (one for one, http in of.items() if http.marked in headers or path.startswith(http.under))
    return next(shown, None) or next(one for one, http in of.items() if not (http.marked or http.under))


def asked(of: Mapping[str, Http], path: str) -> Asked | None:
    """What a path with its query asks for, whatever stands before the version in it, and also without one."""
    bare, mark, query = path.partition("?")
    for name, http in of.items():
        counting = http.counting
        if http.path:
            if any(ends_with(bare, one) for one in (http.path, *http.aliases)):
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
    """Whether a client's path is one of a protocol's: its base URL may have a path of its own, or no version."""
    version = VERSION.match(full)
    return path.endswith(full) or (version is not None and path == full[version.end() :])


def joined(base_url: str, path: str) -> str:
    """A base URL may have the version of the API in it, as OpenAI's clients want it, or not, as Anthropic's do."""
    scheme, place, base, base_query, _ = urlsplit(base_url)
    path, _, query = path.partition("?")
    before = base.rstrip("/")
    version = VERSION.match(path)
    if version is not None and VERSION.search(before + "/"):
        path = path[version.end() :]
    return urlunsplit((scheme, place, before + path, "&".join(part for part in (base_query, query) if part), ""))


class Usual:
    """A client's path as servers have it: with one version of the API, which base URLs have or not."""

    def __init__(self, of: Iterable[Http]) -> None:
        self._served = frozenset(path for http in of for path in _paths(http))
        versions = [(found[0], path) for path in sorted(self._served) if (found := VERSION.match(path))]
        self._first = {path.split("/")[2]: version for version, path in reversed(versions)}

    def __call__(self, path: str) -> str:
        if path in self._served:
            return path
        version = self._first.get(path[1:].partition("/")[0], "")
        return path[path.index("/", 1) :] if TWICE.match(path) else version + path


def _paths(http: Http) -> Iterator[str]:
    """Those with no model in them."""
    yield from (http.path, *http.aliases) if http.path else ()
    yield from http.listing.paths if http.listing else ()
    yield from filter(None, (http.kept.responses, http.kept.conversations)) if http.kept else ()
