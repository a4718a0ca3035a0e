"""What the table of an upstream means: which profile, which headers; and what is wrong with it.

Rule: what types alone do not show is named with its setting, before anything is sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx

from .. import profiles
from ..binding.profile import Profile, resolved
from ..binding.registry import backend, protocols
from . import keys

if TYPE_CHECKING:
    from .config import UpstreamTable

VARIABLE = re.compile(r"\$\{(\w+)\}")
"""A variable of the environment in the value of a header."""
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~\w-]+", re.ASCII)
OPTIONS = ("accept", "emulate", "instructions", "repair", "strict")
"""Options of conversions that an upstream may state."""


def wrong_upstream(upstream: UpstreamTable) -> Iterator[tuple[str, str]]:
    try:
        url = httpx.URL(upstream.base_url)
        sound = url.scheme in ("http", "https") and bool(url.host) and not url.userinfo
    except httpx.InvalidURL:
        sound = False
    if not sound:
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
        if message := keys.wrong_variable(name):
            yield "key_env", message
    yield from _wrong_headers(upstream)


def _wrong_headers(upstream: UpstreamTable) -> Iterator[tuple[str, str]]:
    for header, value in upstream.headers.items():
        for name in VARIABLE.findall(value):
            if message := keys.wrong_variable(name):
                yield "headers", message
        if not HEADER_NAME.fullmatch(header):
            yield "headers", f"{header!r} is no name of a header"
        if reason := keys.wrong_with(value):
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
    """The headers that every request to the upstream has, with the environment's values in them."""
    return {
        name.lower(): VARIABLE.sub(lambda found: keys.in_environment(found[1]) or "", value)
        for name, value in upstream.headers.items()
    }
