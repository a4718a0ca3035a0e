"""What models take, as a dated table: one row a fact, with the document or error that it is from (CAP-5).

    fact("gpt", CHAT, since="5.6", tools_with_thinking=False, source="https://…", looked="2026-11-24")

A family's rows stand before those of its versions and variants; of two that state one setting the later one counts. A
model that is newer than all rows is as the newest, since a row without `until` is about those to come. A name without a
version, as deployments of one's own have, gets the rows that name no version: others hold for versions that are known.
Rule: data and
their lookup alone; what a setting does is the target table's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .names import Name, Version

CHAT = "openai_chat_completions"
RESPONSES = "openai_responses"
MESSAGES = "anthropic_messages"
GEMINI = "gemini_generate_content"
CONVERSE = "bedrock_converse"
INTERACTIONS = "gemini_interactions"
OLLAMA = "ollama_chat"
OWN = "own"
"""The servers of a model's own vendor: what a caller means who names none."""


class Fact(NamedTuple):
    """One row of the table.

    families   the families of models, or server's names, that it is about
    protocols  those whose servers it is about
    settings   the capabilities and defaults that it amounts to
    source     the address of a document, the name of an official package, or the words of an error
    looked     the day on which the source was read, as 2026-11-24
    since, until  the first and the last version; () for no limit
    only, but  words of a name: one of `only` must be there, none of `but`
    servers    whose servers it is about, OWN for the vendor's; none for all
    """

    families: frozenset[str]
    protocols: frozenset[str]
    settings: Mapping[str, Any]
    source: str
    looked: str
    since: Version = ()
    until: Version = ()
    only: frozenset[str] = frozenset()
    but: frozenset[str] = frozenset()
    servers: frozenset[str] = frozenset()

    def about(self, name: Name, protocol: str, server: str) -> bool:
        """Whether the row is about a model, behind a protocol and a server."""
        if protocol not in self.protocols or (self.servers and (server or OWN) not in self.servers):
            return False
        if self.families and name.family not in self.families:
            return False
        words = frozenset(name.words)
        if (self.only and words.isdisjoint(self.only)) or not words.isdisjoint(self.but):
            return False
        if name.version is None:
            return not self.until and (name.newest or not self.since)
        return self.since <= name.version and (not self.until or name.version[: len(self.until)] <= self.until)


def fact(
    families: str,
    *protocols: str,
    source: str,
    looked: str,
    since: str = "",
    until: str = "",
    only: str = "",
    but: str = "",
    server: str = "",
    **settings: Any,
) -> Fact:
    """A row; words are separated by spaces, versions are as in names: `since="5.6"`. `until` includes what follows
    its numbers: of `until="4"`, 4.6 is one. No family: all models of a server. `server="own"`: the vendor's."""
    names, words, others, servers = (frozenset(one.split()) for one in (families, only, but, server))
    return Fact(
        names, frozenset(protocols), settings, source, looked, _version(since), _version(until), words, others, servers
    )


def _version(text: str) -> Version:
    return tuple(int(one) for one in text.split(".")) if text else ()


class Best(NamedTuple):
    """The protocol in which a vendor's own servers take most of what its models can do."""

    families: frozenset[str]
    protocol: str
    since: Version = ()
    only: frozenset[str] = frozenset()

    def about(self, name: Name) -> bool:
        if name.family not in self.families or (self.only and self.only.isdisjoint(name.words)):
            return False
        return name.version is None or self.since <= name.version


def best(families: str, protocol: str, *, since: str = "", only: str = "") -> Best:
    return Best(frozenset(families.split()), protocol, _version(since), frozenset(only.split()))


def about(facts: Iterable[Fact], name: Name, protocol: str, server: str) -> tuple[Fact, ...]:
    """The rows about a model, in order."""
    return tuple(one for one in facts if one.about(name, protocol, server))
