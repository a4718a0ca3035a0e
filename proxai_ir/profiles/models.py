"""The profile of a model, by its name: what the rows of the table amount to, behind any protocol (CAP-5, CAP-7)."""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import cache, lru_cache

from ..conversion.profile import Profile, protocol_of
from ..protocol.registry import backend, protocols
from .clouds import CLOUDS
from .facts import BEDROCK, HOMES, OTHER, OTHERS, OWN, Fact, Name, about, check, parsed
from .named import HOSTS
from .vendors import BEST, CLOSED, FACTS, FAMILIES, MAKERS, ROLLING, SERVED, USUAL

MOST = 4096  # names of which the profile is kept; they come with requests
SERVERS = frozenset({*(cloud.server for cloud in CLOUDS), *HOSTS.values(), *HOMES.values()})
"""The names of all servers that rows may be about, but for the vendor's own."""


@cache
def table() -> Mapping[str, tuple[Fact, ...]]:
    """Return the rows by the protocols that have one of their settings. Raises TableError for rows that cannot be."""
    has = {protocol: frozenset(backend(protocol).target.settings) for protocol in protocols()}
    check(FACTS, has, SERVERS)
    return {
        protocol: tuple(row for row in FACTS if not settings.isdisjoint(row.settings))
        for protocol, settings in has.items()
    }


@lru_cache(MOST)
def for_model(protocol: str, model: str, server: str | None = None) -> Profile:
    """Return what a model takes behind a protocol: a Profile, whose `why` has the rows of the table that it is from.

        proxai_ir.profiles.for_model("anthropic_messages", "claude-sonnet-5-5")

    model   a model's name in any spelling: an alias, a dated snapshot, a cloud's or a router's. A version that no row
            is about gets the newest rows of its family; a name without a version those about all versions; of no known
            family, the protocol's defaults
    server  whose server it is, where that matters: "azure", "bedrock", "cerebras", "groq", "openrouter", "vertex" …;
            names in Bedrock's or Vertex AI's spelling say so themselves

    Raises UnknownProtocol.
    """
    has = backend(protocol).target.settings
    rows = rows_of(protocol, model, server)
    made = Profile(protocol, **{name: one for row in rows for name, one in row.settings.items() if name in has})
    made.why = rows
    return made


@lru_cache(MOST)
def tailored(side: str | Profile, model: str, server: str | None = None) -> Profile:
    """Return what a model takes at a server, of which the caller's Profile has the last word."""
    made = for_model(protocol_of(side), model, server)
    if not isinstance(side, Profile) or not side.given:
        return made
    joined = Profile(made.protocol, **{**made.given, **side.given})
    joined.why = made.why
    return joined


def rows_of(protocol: str, model: str, server: str | None = None) -> tuple[Fact, ...]:
    """Return the rows of the table about a model behind a protocol, in order.

    There are none about a closed model behind a protocol in which nobody serves it, unless a server is stated.
    """
    name, server = placed(model, server, HOMES.get(protocol, ""))
    if not server and protocol not in CLOSED.get(name.family, (protocol,)):
        return ()
    return about(_of_family(protocol, name.family), name, protocol, server)


def placed(model: str, server: str | None = None, home: str = "") -> tuple[Name, str]:
    """Return what a name says of a model, and the server: the one that is stated, the name's own, or the home."""
    name = named(model)
    server = (name.server if server is None else server) or home
    if server == BEDROCK and not name.family and OTHERS.match(model.strip().lower().rpartition("/")[2]):
        name = name._replace(family=OTHER)
    return name, server


@cache
def _of_family(protocol: str, family: str) -> tuple[Fact, ...]:
    """Return the rows about a family and those about all models, so that a name is held against no others."""
    return tuple(row for row in table().get(protocol, ()) if not row.families or family in row.families)


def named(model: str) -> Name:
    """Return what a name says of a model."""
    return parsed(model, FAMILIES, ROLLING)


@lru_cache(MOST)
def maker(model: str) -> str:
    """Return the maker of a model, such as "anthropic", or "" if it is not known."""
    return MAKERS.get(named(model).family, "")


def target(model: str, server: str | None = None) -> Profile:
    """Return the profile of a model behind the protocol in which its vendor's servers take most of what it can do.

    For names in Bedrock's spelling these are Bedrock's servers. Chat Completions, which most servers speak, where
    nothing is known of the model.
    """
    name, at = placed(model, server)
    protocol = next((one.protocol for one in BEST if one.about(name, at)), USUAL)
    return for_model(protocol, model, server)


def settled(protocol: str, families: Set[str]) -> set[str]:
    """Return the settings that rows about these families state for some versions: of the others they are known, too."""
    rows = (row for row in _behind(protocol) if row.families & families)
    return {name for row in rows if not row.servers or OWN in row.servers for name in row.settings}


def kin(protocol: str, settings: Set[str], nearest: Set[str]) -> list[str]:
    """Return names of models of families of which rows behind a protocol state one of these settings, as far as rows
    tell them apart: in the order of the table, the most specific first, and the newest of each. The nearest come before
    all."""
    families: dict[str, None] = {}
    for row in _behind(protocol):
        if settings & row.settings.keys():
            there = row.families & SERVED.get(protocol, frozenset())
            families.update(dict.fromkeys(sorted(there, key=lambda one: (-len(one), one))))
    ordered = sorted(families, key=lambda one: one not in nearest)
    return [name for family in ordered for name in _told_apart(protocol, family)]


def _behind(protocol: str) -> list[Fact]:
    return [row for row in table()[protocol] if not row.protocols or protocol in row.protocols]


def _told_apart(protocol: str, family: str) -> list[str]:
    rows = [row for row in _behind(protocol) if family in row.families]
    unversioned = [] if any(row.since and not row.until for row in rows) else [family]
    versions = sorted({version for row in rows for version in (row.since, row.until) if version}, reverse=True)
    words = sorted({word for row in rows for word in row.only})
    names = [*unversioned, *(f"{family}-{'.'.join(map(str, version))}" for version in versions)]
    return [one for name in names for one in (name, *(f"{name}-{word}" for word in words))]
