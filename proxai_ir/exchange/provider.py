"""The provider of an Exchange, as its models take requests: by the table of models, and by what it refused before.

Rule: a caller's Profile has the last word; what was learned outranks the table, and is forgotten after a while.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from ..binding.http import Http
from ..binding.profile import Profile, protocol_of
from ..binding.readers import read_error
from ..binding.registry import backend, frontend
from ..json.bytes import parsed
from ..reporting.diagnostics import Refusal, TranslationError
from .refused_settings import without

PROFILES = ("model", "protocol")
REFUSED = (400, 422)
"""The statuses of errors that may name a setting."""
LIFETIME = 24 * 3600.0
MOST = 1024  # models
Key = tuple[str, str, str]
"""Server, protocol and model."""


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
        """The same, with the seconds for which it will be known."""
        with self._lock:
            now = self._clock()
            return {key: (until - now, dict(known)) for key, (until, known) in self._known.items() if until >= now}

    def models(self) -> dict[Key, dict[str, Any]]:
        """What is known now, by server, protocol and model."""
        return {key: settings for key, (_, settings) in self.lasting().items()}


class Provider:
    """The provider's side of requests. `by_model` False: as every server of the protocol takes them."""

    def __init__(self, side: str | Profile, *, by_model: bool, server: str | None, learned: Learned | None) -> None:
        self.side = side
        self._by_model = by_model
        self._server = server
        self._learned = learned

    def for_model(self, model: Any) -> str | Profile:
        """As the model takes requests."""
        if not isinstance(model, str):
            return self.side
        made = self._by_table(model) if self._by_model else self.side
        learned = {} if self._learned is None else self._learned.of(self._key(model))
        if not learned:
            return made
        base, stated = (made.given, made.why) if isinstance(made, Profile) else ({}, ())
        caller = self.side.given if isinstance(self.side, Profile) else {}
        profile = Profile(protocol_of(made), **{**base, **learned, **caller})
        profile.why = stated
        return profile

    def learns(self, model: Any, body: bytes, headers: Mapping[str, str]) -> bool:
        """Whether an error of the provider's names a setting of the target's, which the next request is without."""
        if self._learned is None or not isinstance(model, str):
            return False
        known = backend(self.side).target.settings
        settings = without(self._message(body, headers), known)
        caller = self.side.given if isinstance(self.side, Profile) else {}
        new = {name: value for name, value in (settings or {}).items() if name not in caller}
        if not new or new.items() <= self._learned.of(self._key(model)).items():
            return False
        self._learned.add(self._key(model), new)
        return True

    def _message(self, body: bytes, headers: Mapping[str, str]) -> str:
        try:
            return read_error(frontend(self.side), parsed(body, "error"), None, headers).message
        except (Refusal, TranslationError):
            return ""

    def _by_table(self, model: str) -> Profile:
        from ..profiles import models  # the table is read with the first request

        return models.tailored(self.side, model, self._server)

    def _key(self, model: str) -> Key:
        return self._server or "", protocol_of(self.side), model


def http_of(side: str | Profile) -> Http:
    """Raises UnknownProtocol, and TypeError for a protocol without `Backend.http`."""
    back = backend(side)
    if back.http is None:
        raise TypeError(f"{back.protocol} cannot be a side of an Exchange, as its backend has no `http`")
    return back.http
