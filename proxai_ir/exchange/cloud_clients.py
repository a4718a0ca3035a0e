"""Clients in a cloud's form, as AzureOpenAI and AnthropicBedrock are: their requests as those of the protocol's own.

It is the way back of `clouds`, by the same table. Rule: what the path says counts, whatever the body says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from string import Formatter
from typing import Any

from attrs import frozen

from ..framing import Framing
from ..profiles.clouds import CLOUDS, Cloud
from ..protocol.http import Http
from .provider import VERSION, Usual

MODEL, REST = "model", "rest"
WAYS = dict.fromkeys((auth.header, auth.scheme, auth.signed_by) for cloud in CLOUDS for auth in cloud.auth.values())
"""How the clients of clouds authenticate their requests."""


@frozen
class Form:
    """A request in a cloud's form.

    path      the path of the same request to the protocol's vendor
    model     the model that the cloud's path names; None: the body names it
    streamed  whether the cloud's path asks for a stream
    """

    cloud: Cloud
    path: str
    model: str | None = None
    streamed: bool = False

    @property
    def framing(self) -> Framing | None:
        """The framing of its stream, if it is not the protocol's."""
        return self.cloud.framing

    def own(self, body: Any, headers: Mapping[str, str]) -> tuple[Any, Mapping[str, str]]:
        """Return body and headers as the protocol's own clients send them; what has a wrong type stays in the body."""
        if not isinstance(body, dict):
            return body, headers
        named, asked = {MODEL: self.model} if self.model else {}, {"stream": True} if self.streamed else {}
        made, moved = {**body, **named, **asked}, {**headers}
        for header, member in self.cloud.moved.items():
            value = made.get(member)
            if member in self.cloud.lists and isinstance(value, list) and all(isinstance(one, str) for one in value):
                moved[header] = ",".join(value)
            elif member not in self.cloud.lists and isinstance(value, str):
                moved[header] = next((own for own, theirs in self.cloud.words.items() if theirs == value), value)
            else:
                continue
            del made[member]
        return made, moved


class Forms:
    """Recognises requests in the form of any cloud by their paths."""

    def __init__(self, of: Mapping[str, Http]) -> None:
        self._usual = Usual(of.values())
        self._patterns = [*_patterns(of)]
        self._of = lru_cache(1024)(self._found)

    def __call__(self, path: str) -> Form | None:
        """Return the form of a request; None for one that is in the protocol's own."""
        return None if self._usual.serves(path) else self._of(path)

    def _found(self, path: str) -> Form | None:
        for pattern, cloud, own, streamed in self._patterns:
            if found := pattern.fullmatch(path):
                known = found.groupdict()
                rest = known.get(REST) or ""
                if own or VERSION.match(rest) or self._usual.serves(self._usual(rest)):
                    return Form(cloud, own or rest, known.get(MODEL), streamed)
        return None


def _patterns(of: Mapping[str, Http]) -> Iterator[tuple[re.Pattern[str], Cloud, str, bool]]:
    """Yield the pattern of each path, its cloud, the protocol's own path, if it is one, and whether it is a stream's.

    Protocols whose paths name the model read those of clouds, too.
    """
    for cloud in CLOUDS:
        for protocol, path in cloud.paths.items():
            http = of.get(protocol)
            if http is None or not http.path:
                continue
            if path is None and not cloud.below:  # the protocol's own path
                continue
            if path is None:
                yield re.compile(f"{re.escape(cloud.below)}(?P<{REST}>/.*)"), cloud, "", False
                continue
            if cloud.counted and http.counting:
                yield _pattern(cloud.below + cloud.counted), cloud, http.counting.path(http.path), False
            yield _pattern(cloud.below + path), cloud, http.path, False
            if cloud.streamed:
                yield _pattern(cloud.below + cloud.streamed), cloud, http.path, True


def _pattern(path: str) -> re.Pattern[str]:
    """Return the pattern of a path without its query; base URLs have its version or not."""
    path = path.partition("?")[0]
    version = VERSION.match(path)
    made = f"(?:{VERSION.pattern})?" if version else ""
    for text, name, _, _ in Formatter().parse(path[version.end() :] if version else path):
        made += re.escape(text) + ("" if name is None else f"(?P<{MODEL}>.+)" if name == MODEL else "[^/]+")
    return re.compile(made)


def key_in(headers: Mapping[str, str]) -> str | None:
    """Return the key that a cloud's client sent, or the name of the one with which it signed; headers by lower-case
    name."""
    for header, scheme, signed_by in WAYS:
        value = headers.get(header, "")
        if signed_by and (found := re.match(signed_by, value)):
            return found[1]
        if not signed_by and value.startswith(scheme) and (key := value.removeprefix(scheme).strip()):
            return key
    return None
