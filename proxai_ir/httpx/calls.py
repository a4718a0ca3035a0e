"""The provider of a client, and one request of an SDK on its way there and back, sans I/O.

Rule 1: wrong arguments raise when the client is made, not at the first request. Rule 2: the SDK gets every error in its
own protocol. Rule 3: a key goes only to the server that it is for: the vendor's variable is not read if the caller
states a base URL.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4

from attrs import evolve

from ..conversion.bytes import dumped, parsed
from ..conversion.profile import Profile, protocol_of
from ..exchange import Exchange, InMemory, Memory, Reply, ReplyStream, Unavailable, Upstream
from ..exchange.clouds import Stated, check_installed, checked, deployed
from ..exchange.messages import JSON_TYPE, count_in, to_count
from ..exchange.provider import Asked, Learned, asked, client_side, clients, joined, seeming
from ..exchange.servers import meant
from ..profiles.named import server_at
from ..protocol.http import Counting
from ..reporting.diagnostics import Diagnostic, Severity, TranslationError

LOG = logging.getLogger("proxai_ir.httpx")
OnDiagnostics = Callable[[str, tuple[Diagnostic, ...]], None]
"""Gets "request" or "response", and the diagnostics of its conversion."""


Made = TypeVar("Made", bound=Upstream | Reply | None)


class Configured:
    """The configuration of a client, which all its requests share."""

    def __init__(
        self,
        side: str | Profile,
        model: str | None,
        api_key: str | None,
        base_url: str | None,
        headers: Mapping[str, str] | None,
        memory: Memory | None,
        on_diagnostics: OnDiagnostics | None,
        options: Mapping[str, Any],
        cloud: Stated | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> None:
        found = meant(side, model)
        if found.note:
            LOG.info("%s", found.note)
        self.side, cloud = found.side, cloud or found.vendor.cloud
        self.cloud = None if cloud is None else deployed(self.side, cloud, key=bool(api_key), base_url=base_url)
        self.http = found.http if self.cloud is None else self.cloud.http
        self.headers = {"user-agent": "proxai-ir", **{name.lower(): one for name, one in (headers or {}).items()}}
        if base_url is None and self.http.base_url is None:
            raise TypeError(f"{found.vendor.name} states no server; expected base_url='https://…'")
        self.base_url: str = base_url if base_url is not None and cloud is None else self.http.base_url or ""
        if urlsplit(self.base_url).scheme not in ("http", "https"):
            raise ValueError(f"base_url is {self.base_url!r:.200}; expected one that begins with https:// or http://")
        keyless = found.vendor.keyless or (self.cloud is not None and self.cloud.keyless)
        self.key = self._key(api_key, () if base_url is not None else self.http.key_env, keyless=keyless)
        if self.cloud is not None:
            checked(self.cloud)
        elif self.key is None:
            check_installed(self.http)
        self.clients = clients()
        host = urlsplit(self.base_url).hostname or ""
        self._settings: dict[str, Any] = {
            **options,
            "model": found.model,
            "key": self.key,
            "body": {} if body is None else body,
            "memory": memory if memory is not None else InMemory(),
            "place": self.base_url,
            "server": found.vendor.server or (self.cloud.cloud.server if self.cloud else server_at(host)),
            "cloud": self.cloud,
            "learned": Learned(),
        }
        self._on_diagnostics = on_diagnostics
        self._check()

    def exchange(self, client: str) -> Exchange:
        own: dict[str, Any] = {"response_id": uuid4().hex, **self._settings}
        return Exchange(client_side(client), self.side, now=time.time(), **own)

    def found(self, what: str, client: str, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Pass diagnostics to the caller's function, or log them."""
        if not diagnostics:
            return
        if self._on_diagnostics is not None:
            self._on_diagnostics(what, diagnostics)
            return
        for one in diagnostics:
            level = logging.WARNING if one.severity is Severity.LOSS else logging.DEBUG  # errors are raised
            LOG.log(level, "%s of %s on %s: %s", what, client, protocol_of(self.side), one)

    def _key(self, given: str | None, names: Sequence[str], *, keyless: bool) -> str | None:
        """Return the provider's key, if it needs one; `names`: the variables that may have it. Raises ValueError."""
        key = (given or next((os.environ[name] for name in names if os.environ.get(name, "").strip()), "")).strip()
        if not key and names and not keyless:
            raise ValueError(
                f"there is no key for {protocol_of(self.side)}: set the environment variable {' or '.join(names)}, or "
                "pass api_key="
            )
        if not (key.isascii() and key.isprintable()):
            raise ValueError("the key has a character that no header can have")
        return key or None

    def _check(self) -> None:
        """Raise TypeError for options with which no client's requests can be converted."""
        wrong: list[TypeError] = []
        for client in self.clients:
            try:
                self.exchange(client)
            except TypeError as error:
                wrong.append(error)
        if len(wrong) == len(self.clients):
            raise wrong[0]


class Call:
    """One request of an SDK. `begin` and `answered` give what is to be sent next, or the reply."""

    def __init__(self, to: Configured, method: str, path: str, headers: Mapping[str, str]) -> None:
        self._to = to
        self._headers = {name.lower(): value for name, value in headers.items()}
        self._asked = asked(to.clients, path) if method == "POST" else None
        self._what = f"{method} {path.partition('?')[0]:.200}"
        self._client = self._asked.protocol if self._asked else seeming(to.clients, path, self._headers)
        self._exchange = to.exchange(self._client)
        self._streams = False

    def begin(self, body: bytes) -> Upstream | Reply:
        """Return the first request to the provider, or the reply; raises only what `on_diagnostics` raises."""
        if self._asked is None:
            served = ", ".join(http.path for http in self._to.clients.values() if http.path)
            what = f"There is no {self._what} here; expected a request for a response of a model ({served}, …)."
            return self._exchange.refusal(what, status=404)
        wanted = self._asked
        return self._next(lambda: self._converted(body, wanted))

    def streams(self, status: int) -> bool:
        """Return whether a response is converted as it comes, by `stream`; if not, `answered` gets all of it."""
        return self._streams and 200 <= status < 300

    def stream(self, status: int, headers: Mapping[str, str]) -> ReplyStream:
        return self._exchange.stream(status, headers)

    def answered(self, status: int, headers: Mapping[str, str], data: bytes) -> Upstream | Reply:
        """Return the reply, or the request once more without what the model refused."""
        if not (200 <= status < 300 or 400 <= status < 600):
            return self._exchange.refusal(f"The provider answered {status}; check its base_url.", status=502)
        if self._asked and self._asked.counts and status < 300:
            return self._counted(data)
        if self._asked and not self._asked.counts and status >= 400:
            again = self._next(lambda: self._exchange.retry(status, headers, data))
            if again is not None:
                return again
        reply = self._exchange.response(status, headers, data)
        self.found("response", reply.diagnostics)
        return reply

    def found(self, what: str, diagnostics: tuple[Diagnostic, ...]) -> None:
        self._to.found(what, self._client, diagnostics)

    def signed(self, sent: Upstream) -> tuple[str, Mapping[str, str]]:
        """Return the URL and the headers of a request to the provider. Raises Unsigned."""
        url = joined(self._to.base_url, sent.path)
        return url, self._exchange.signed(evolve(sent, headers={**sent.headers, **self._to.headers}), url)

    # --- its own ---

    def _next(self, made: Callable[[], Made]) -> Made | Reply:
        """Return what `made` returns, after reporting its diagnostics; a reply if the request cannot be converted."""
        try:
            sent: Made | Reply = made()
        except TranslationError as error:
            sent = self._exchange.refusal(error)
        except Unavailable:
            sent = self._exchange.refusal("The memory of responses cannot be used now.", status=503)
        if sent is not None:
            self.found("request", sent.diagnostics)
        self._streams = isinstance(sent, Upstream) and sent.stream
        return sent

    def _converted(self, body: bytes, wanted: Asked) -> Upstream | Reply:
        """Return the request to the provider, or the reply. Raises TranslationError."""
        if not wanted.counts:
            return self._exchange.request(body, self._headers, path=wanted.path)
        if self._to.http.counting is None:
            return self._exchange.refusal(f"{protocol_of(self._to.side)} cannot count tokens.", status=404)
        given = parsed(body)
        source = self._counting.source(given) if isinstance(given, dict) else given
        sent = self._exchange.request(source, self._headers, path=wanted.path)
        return to_count(sent, self._to.http.counting)

    def _counted(self, data: bytes) -> Reply:
        theirs, own = self._to.http.counting, self._counting
        number = None if theirs is None else count_in(data, theirs)
        if number is None:
            return self._exchange.refusal("The provider's response has no count of tokens.", status=502)
        return Reply(status=200, headers={**JSON_TYPE}, body=dumped({**own.shape, own.number: number}))

    @property
    def _counting(self) -> Counting:
        """The SDK's requests to count tokens; its protocol has them, as it asked by their path."""
        counting = self._to.clients[self._client].counting
        assert counting is not None
        return counting
