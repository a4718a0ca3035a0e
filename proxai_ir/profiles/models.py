"""The profile of a model, by its name: what the rows of the table amount to (CAP-5)."""

from __future__ import annotations

from collections.abc import Set
from functools import lru_cache

from ..conversion.profile import Profile, protocol_of
from .facts import OWN, Fact, Name, about, parsed
from .vendors import BEST, FACTS, FAMILIES, ROLLING, USUAL

MOST = 4096  # names of which the profile is kept; they come with requests


@lru_cache(MOST)
def for_model(protocol: str, model: str, server: str | None = None) -> Profile:
    """What a model takes behind a protocol: a Profile, whose `why` has the rows of the table that it is from.

        proxai_ir.profiles.for_model("anthropic_messages", "claude-sonnet-5-5")

    model   a model's name in any spelling: an alias, a dated snapshot, a cloud's or a router's. A version that no row
            is about gets the newest rows of its family; a name without a version those about all versions; of no known
            family, the protocol's defaults
    server  whose server it is, where that matters: "azure", "bedrock", "cerebras", "groq", "openrouter", "vertex" …;
            names in Bedrock's or Vertex AI's spelling say so themselves

    Raises UnknownProtocol.
    """
    rows = rows_of(protocol, model, server)
    made = Profile(protocol, **{name: value for row in rows for name, value in row.settings.items()})
    made.why = rows
    return made


@lru_cache(MOST)
def tailored(side: str | Profile, model: str, server: str | None = None) -> Profile:
    """What a model takes at a server, of which the caller's Profile has the last word."""
    made = for_model(protocol_of(side), model, server)
    if not isinstance(side, Profile) or not side.given:
        return made
    joined = Profile(made.protocol, **{**made.given, **side.given})
    joined.why = made.why
    return joined


def rows_of(protocol: str, model: str, server: str | None = None) -> tuple[Fact, ...]:
    """Return the rows of the table about a model, in order."""
    name = named(model)
    return about(FACTS, name, protocol, server if server is not None else name.server)


def named(model: str) -> Name:
    return parsed(model, FAMILIES, ROLLING)


def target(model: str, server: str | None = None) -> Profile:
    """Return the profile of a model behind the protocol in which its vendor's servers take most of what it can do.

    Chat Completions, which most servers speak, where nothing is known of the model.
    """
    name = named(model)
    protocol = next((one.protocol for one in BEST if one.about(name)), USUAL)
    return for_model(protocol, model, server)


def settled(protocol: str, families: Set[str]) -> set[str]:
    """Return the settings that rows about these families state for some versions: of the others they are known, too."""
    rows = (row for row in FACTS if protocol in row.protocols and row.families & families)
    return {name for row in rows if not row.servers or OWN in row.servers for name in row.settings}


def kin(protocol: str, settings: Set[str], nearest: Set[str]) -> list[str]:
    """Return names of models of families of which rows behind a protocol state one of these settings, as far as rows
    tell them apart: in the order of the table, the most specific first, and the newest of each. The nearest come before
    all."""
    families: dict[str, None] = {}
    for row in FACTS:
        if protocol in row.protocols and settings & row.settings.keys():
            families.update(dict.fromkeys(sorted(row.families, key=lambda one: (-len(one), one))))
    ordered = sorted(families, key=lambda one: one not in nearest)
    return [name for family in ordered for name in _told_apart(protocol, family)]


def _told_apart(protocol: str, family: str) -> list[str]:
    rows = [row for row in FACTS if protocol in row.protocols and family in row.families]
    unversioned = [] if any(row.since and not row.until for row in rows) else [family]
    versions = sorted({version for row in rows for version in (row.since, row.until) if version}, reverse=True)
    words = sorted({word for row in rows for word in row.only})
    names = [*unversioned, *(f"{family}-{'.'.join(map(str, version))}" for version in versions)]
    return [one for name in names for one in (name, *(f"{name}-{word}" for word in words))]
