"""What models take, as a dated table with sources (CAP-5), and how names of models are read."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from typing import Any, NamedTuple

# --- names ------------------------------------------------------------------------------------------------------------
# The names of models: one model has several, and newer ones of a family follow a pattern.
#
#     parsed("us.anthropic.claude-sonnet-4-5-20250929-v1:0")   Name("claude-sonnet", (4, 5), (), "bedrock")
#     parsed("models/gemini-3.1-pro-preview")                  Name("gemini", (3, 1), ("pro", "preview"), "")
#
# Rule: no fact about a model stands here. A name that nothing is known of is a Name without a family, never an error.


Version = tuple[int, ...]


class Name(NamedTuple):
    """A family, a version, the words behind it, and the cloud whose spelling it is.

    newest  whether a name without a version is documented to be the newest model of its family (`Rolling`)
    """

    family: str
    version: Version | None
    words: tuple[str, ...]
    server: str
    newest: bool = False


OF_BEDROCK = re.compile(
    r"(?:(?:us|us-gov|eu|apac|jp|au|ca|global)\.)?"
    r"(ai21|amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshot|moonshotai|nvidia|openai|qwen|writer|zai)\."
)
NAMED_BY_MAKER = {"deepseek": "deepseek-"}  # whose names are versions alone there: r1, v3
REVISION = re.compile(r"-v\d+(:\d+)?$")
DATE = re.compile(r"[-@](20\d{6}|20\d\d-\d\d-\d\d|\d\d-20\d\d|\d{4})$")
TURNED = re.compile(r"claude-(\d+(?:[-.]\d+)?)-(opus|sonnet|haiku)")  # as names before Claude 4 were made
JOINED = re.compile(r"^gpt-35(?!\d)")  # as Azure spells 3.5, whose names have no dots
NUMBER = re.compile(r"-?(?:[vkm](?=\d))?(\d{1,2}(?:\.\d{1,2}|-\d{1,2}(?![0-9a-z]))*)(?![0-9])")
LATEST = "-latest"
ROUTED = "~"
"""What begins a name that OpenRouter resolves to the newest model of the family."""
ENDINGS = (LATEST, "-preview", "-exp", "-experimental")
FINE_TUNED = "ft:"


def parsed(name: str, families: Iterable[str], rolling: Container[str] = ()) -> Name:
    """Return the name, of the longest of these families that it begins with; without a family where it is of none.

    rolling  the families whose vendors have names ending in `-latest` for the newest of a family
    """
    bare, server = _bare(name)
    for family in families:
        if bare == family or (bare.startswith(family) and not bare[len(family)].isalpha()):
            version, rest = _version_in(bare[len(family) :])
            words = tuple(filter(None, re.split(r"[-_: ]", rest)))
            newest = version is None and _is_latest(name) and (family in rolling or name.strip().startswith(ROUTED))
            return Name(family, version, words, server, newest)
    return Name("", None, (), server)


def _is_latest(name: str) -> bool:
    return name.strip().lower().partition(":")[0].endswith(LATEST)


def _bare(name: str) -> tuple[str, str]:
    """Return the name without what clouds, routers and snapshots add to it, and the cloud that it tells."""
    lower = name.strip().lower()
    server = "vertex" if lower.startswith("publishers/") or "@" in lower else ""
    if lower.startswith(FINE_TUNED):
        lower = lower.removeprefix(FINE_TUNED).partition(":")[0]
    bare = lower.rpartition("/")[2]
    vendorless = OF_BEDROCK.sub(lambda found: NAMED_BY_MAKER.get(found[1], ""), bare, count=1)
    server = "bedrock" if vendorless != bare else server
    bare = REVISION.sub("", vendorless).partition(":")[0]
    for _ in ENDINGS:
        bare = DATE.sub("", bare)
        bare = next((bare.removesuffix(ending) for ending in ENDINGS if bare.endswith(ending)), bare)
    return JOINED.sub("gpt-3.5", TURNED.sub(r"claude-\2-\1", bare)), server


def _version_in(rest: str) -> tuple[Version | None, str]:
    found = NUMBER.match(rest)
    if found is None:
        return None, rest
    return tuple(int(one) for one in re.split(r"[.-]", found[1])), rest[found.end() :]


# --- facts ------------------------------------------------------------------------------------------------------------
# What models take, as a dated table: one row a fact, with the document or error that it is from (CAP-5).
#
#     fact("gpt", CHAT, since="5.6", tools_with_thinking=False, source="https://…", looked="2026-11-24")
#
# A family's rows stand before those of its versions and variants; of two that state one setting the later one counts.
# A
# model that is newer than all rows is as the newest, since a row without `until` is about those to come. A name
# without a
# version, as deployments of one's own have, gets the rows that name no version: others hold for versions that are
# known.
# Rule: data and
# their lookup alone; what a setting does is the target table's.


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
        """Return whether the row is about a model, behind a protocol and a server."""
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
    """Return a row; words are separated by spaces, versions are as in names: `since="5.6"`. `until` includes what
    follows its numbers: of `until="4"`, 4.6 is one. No family: all models of a server. `server="own"`: the vendor's."""
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
    """Return the rows about a model, in order."""
    return tuple(one for one in facts if one.about(name, protocol, server))
