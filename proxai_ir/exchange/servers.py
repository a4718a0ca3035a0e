"""The meaning of a word for a server, everywhere a caller may write one: a vendor, a protocol or a profile.

    meant("gemini:gemini-3-pro")  # the vendor's protocol in which the model can do most
    meant("ollama_chat"), meant("vllm")

Rule 1: a word has one meaning, whoever reads it: a protocol's name is that protocol, else a vendor's its API, else a
profile's the protocol as that server takes it. Rule 2: behind a colon stands a model.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from attrs import evolve, frozen

from .. import profiles
from ..conversion.profile import Profile, protocol_of
from ..profiles.apis import VENDORS, Vendor
from ..protocol.http import Http
from ..protocol.registry import protocols
from ..reporting.diagnostics import UnknownProtocol, near


@cache
def named_profiles() -> dict[str, Profile]:
    """Return the profiles of `proxai_ir.profiles` by their names in lower case."""
    found = {name.lower(): getattr(profiles, name) for name in dir(profiles)}
    return {name: one for name, one in found.items() if isinstance(one, Profile)}


@frozen(kw_only=True)
class Meant:
    """The server that a word stands for.

    vendor    its row; of a protocol or a profile one that is made for it
    side      its protocol, or the Profile that says what it takes
    profile   the name of that
    model     that the word, or the caller, names
    """

    vendor: Vendor
    side: str | Profile
    profile: str | None
    model: str | None

    @property
    def protocol(self) -> str:
        return protocol_of(self.side)

    @property
    def is_vendor(self) -> bool:
        return self.vendor in VENDORS

    @property
    def http(self) -> Http:
        """The protocol's HTTP at the vendor's own server; a profile belongs to no server."""
        from .provider import http_of

        http, url, keys = http_of(self.side), self.vendor.base_urls[self.protocol], self.vendor.keys
        if url is None and not keys:
            return http
        return evolve(http, base_url=http.base_url if url is None else url or None, key_env=keys or http.key_env)

    @property
    def note(self) -> str:
        """Return the sentence that says what the word stands for, or "" for a protocol's own name."""
        if self.vendor.name == self.protocol:
            return ""
        takes = f", as {self.profile} takes it" if self.profile else ""
        return f"{self.vendor.name} is the protocol {self.protocol}{takes}"


def meant(word: str | Profile, model: str | None = None) -> Meant:
    """Return the meaning of WORD or WORD:MODEL, or of a Profile. `model`: one that the caller names besides.

    Raises UnknownProtocol, and ValueError for two models.
    """
    if not isinstance(word, str):
        return Meant(vendor=row_of(protocol_of(word)), side=word, profile=None, model=model)
    name, _, stated = word.partition(":")
    if stated and model and stated != model:
        raise ValueError(f"{word!r:.200} names another model than {model!r:.200}; expected one")
    model = stated or model or None
    vendor = row_of(name)
    protocol, profile = next(iter(vendor.base_urls)), vendor.profile
    if model and len(vendor.base_urls) > 1:
        from ..profiles.models import target  # the table is read when it is needed

        best = protocol_of(target(model, vendor.server))
        protocol = best if best in vendor.base_urls else protocol
    if profile is None and model is None and name != protocol:  # the vendor's server, as long as no model says more
        own = named_profiles().get(name)
        profile = name if own is not None and own.protocol == protocol else None
    side = protocol if profile is None else named_profiles()[profile]
    return Meant(vendor=vendor, side=side, profile=profile, model=model)


def row_of(name: str) -> Vendor:
    """Return the row of a vendor, or one for a protocol or a profile. Raises UnknownProtocol."""
    if name in protocols():
        return Vendor(name=name, base_urls={name: None}, source="the protocol's own declaration")
    if (vendor := next((one for one in VENDORS if one.name == name), None)) is not None:
        return vendor
    if (profile := named_profiles().get(name)) is not None:
        urls = {profile.protocol: ""}
        return Vendor(name=name, base_urls=urls, keyless=True, profile=name, source="proxai_ir.profiles")
    raise UnknownProtocol(
        f"there is no protocol, vendor or profile {name!r:.80}{near(name, words()) or '.'} {expected()}"
    )


def words() -> list[str]:
    return [*dict.fromkeys((*protocols(), *(one.name for one in VENDORS), *named_profiles()))]


def expected() -> str:
    """Return what may stand for a server, for messages."""
    kinds: dict[str, Iterable[str]] = {
        "a protocol": protocols(),
        "a vendor": (one.name for one in VENDORS),
        "a profile": named_profiles(),
    }
    return "Expected " + "; ".join(f"{kind} ({', '.join(names)})" for kind, names in kinds.items())
