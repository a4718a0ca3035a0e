"""The profile of a model, by its name: what the rows of the table amount to (CAP-5)."""

from __future__ import annotations

from functools import lru_cache

from ..binding.profile import Profile, protocol_of
from .facts import Fact, about
from .names import Name, parsed
from .vendors import BEST, FACTS, FAMILIES, USUAL

MOST = 4096  # names of which the profile is kept; they come with requests


@lru_cache(MOST)
def for_model(protocol: str, model: str, server: str | None = None) -> Profile:
    """What a model takes behind a protocol: a Profile, whose `why` has the rows of the table that it is from.

        proxai_ir.profiles.for_model("anthropic_messages", "claude-sonnet-5-5")

    model   a model's name in any spelling: an alias, a dated snapshot, a cloud's or a router's. A name that no row is
            about gets the newest rows of its family; of no known family, the protocol's defaults
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
    """The rows of the table about a model, in order."""
    name = named(model)
    return about(FACTS, name, protocol, server if server is not None else name.server)


def named(model: str) -> Name:
    return parsed(model, FAMILIES)


def target(model: str, server: str | None = None) -> Profile:
    """The profile of a model behind the protocol in which its vendor's servers take most of what it can do.

    Chat Completions, which most servers speak, where nothing is known of the model.
    """
    name = named(model)
    protocol = next((one.protocol for one in BEST if one.about(name)), USUAL)
    return for_model(protocol, model, server)
