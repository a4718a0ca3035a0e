"""Profiles: what one server of a protocol accepts, and its defaults for the options of conversions (CAP-1).

Rule: a setting that does not exist is a TypeError, which lists those that do. No model's name decides anything: the
caller states what the server has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from ..protocol.registry import Backend, BaseProfile, Frontend, backend
from .options import check_options, checked_settings, defaults
from .settings import Settings


class Profile(BaseProfile):
    """A protocol as one server implements it; it is accepted wherever the name of a protocol is.

        Profile("openai_chat_completions", cache_breakpoints=True, web_search=False)
        Profile("anthropic_messages", "2026-10-21")

    version   the version of the protocol's API, for protocols that have versions; it decides some capabilities
    settings  capabilities of the server, True or False, and other defaults for options of this protocol;
              `spec/capabilities.md` lists the capabilities

    `proxai_ir.profiles` has profiles of well-known servers. Profiles are immutable, and equal if protocol, version and
    stated settings are. `given` is what the caller stated; `settings` adds what the version decides. `why` has the rows
    of the table of models that a profile was made from (`profiles.for_model`).

    Raises UnknownProtocol, and TypeError for a version or setting that is not known, or a value of the wrong type.
    """

    __slots__ = ("_items", "given", "protocol", "settings", "version", "why")

    def __init__(self, protocol: str, version: str | None = None, **settings: Unpack[Settings]) -> None:
        self.settings: dict[str, Any] = checked_settings(protocol, version, settings)
        self.protocol = protocol
        self.version = version
        self.given: dict[str, Any] = {**settings, **({"version": version} if version else {})}
        self.why: tuple[Any, ...] = ()
        self._items = (protocol, version, tuple(sorted(settings.items())))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Profile) and self._items == other._items

    def __hash__(self) -> int:
        return hash(self._items)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, self._items

    def __repr__(self) -> str:
        protocol, version, settings = self._items
        stated = [f"{name}={one!r}" for name, one in settings]
        return f"Profile({', '.join([repr(protocol), *([repr(version)] if version else []), *stated])})"


def _restored(protocol: str, version: str | None, settings: tuple[tuple[str, Any], ...]) -> Profile:
    return Profile(protocol, version, **dict(settings))


def protocol_of(server: str | Profile) -> str:
    return server.protocol if isinstance(server, Profile) else server


def having(server: str | Profile, settings: Mapping[str, Any]) -> Profile:
    """Return a server that differs in these settings, of which `version` may be one. Raises TypeError."""
    given = server.given if isinstance(server, Profile) else {}
    return Profile(protocol_of(server), **{**given, **settings})


def resolved(
    dst: str | Profile, options: Mapping[str, Any], front: Frontend | None = None
) -> tuple[str | Profile, Mapping[str, Any]]:
    """Return the target, with the options that its table's verdicts depend on, and all options with their defaults.

    Raises TypeError, and UnknownProtocol.
    """
    back = backend(dst)
    if not options:
        return dst, defaults(back, front)
    check_options(options, back, front)
    return with_defaults(dst, options, back, front)


def with_defaults(
    dst: str | Profile, options: Mapping[str, Any], back: Backend, front: Frontend | None = None
) -> tuple[str | Profile, Mapping[str, Any]]:
    """Return what `resolved` returns, for options that were checked; `back` is the target's backend."""
    deciding = {name: value for name, value in options.items() if name in back.target.capabilities}
    if deciding:
        dst = having(dst, deciding)
        back = backend(dst)
    return dst, {**defaults(back, front), **options}
