"""The notation of the table of what models take (CAP-5, CAP-7), and how names of models are read."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Set
from typing import Any, NamedTuple

from ..reporting.catalogue import TableError

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


GEOGRAPHY = r"(?:[a-z]{2,6}(?:-[a-z]{2,4})?\.)?"
"""What begins a name of Bedrock's for several regions, as `us.`, of which there are new ones at times."""
OF_BEDROCK = re.compile(
    f"{GEOGRAPHY}(ai21|amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshot|moonshotai|nvidia|openai"
    r"|qwen|writer|xai|zai)\."
)
OTHERS = re.compile(rf"{GEOGRAPHY}(?!anthropic\.)[a-z][a-z0-9]*\.(?=[a-z])")
"""What begins any name of Bedrock's but those of Anthropic's models."""
REVISED = re.compile(OTHERS.pattern + r"\S+-v\d+:\d+")
"""A name that only Bedrock spells so, whoever made the model."""
NAMED_BY_MAKER = {"deepseek": "deepseek-"}  # whose names are versions alone there: r1, v3
OF_AWS = re.compile(r"arn:[a-z-]+:bedrock:")
REVISION = re.compile(r"-v\d+(:\d+)?$")
DATE = re.compile(r"[-@](20\d{6}|20\d\d-\d\d-\d\d|\d\d-20\d\d|\d{4})$")
TURNED = re.compile(r"claude-(\d+(?:[-.]\d+)?)-(opus|sonnet|haiku)")  # as names before Claude 4 were made
JOINED = re.compile(r"^gpt-35(?!\d)")  # as Azure spells 3.5, whose names have no dots
NUMBER = re.compile(r"-?(?:[vkm](?=\d))?(\d{1,2}(?:\.\d{1,2}|-\d{1,2}(?![0-9a-z]))*)(?![0-9])")
LATEST = "-latest"
ROUTED = "~"
"""What begins a name that OpenRouter resolves to the newest model of the family."""
ENDINGS = (LATEST, "-preview", "-exp", "-experimental", "@default", "@latest")
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
    server = "vertex" if lower.startswith(("publishers/", "projects/")) or "@" in lower else ""
    if lower.startswith(FINE_TUNED):
        lower = lower.removeprefix(FINE_TUNED).partition(":")[0]
    bare = lower.rpartition("/")[2]
    vendorless = OF_BEDROCK.sub(lambda found: NAMED_BY_MAKER.get(found[1], ""), bare, count=1)
    server = "bedrock" if vendorless != bare or OF_AWS.match(lower) or REVISED.fullmatch(bare) else server
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
# What models take: one row a fact, with the document or error that it is from (CAP-5).
#
#     fact("claude-opus", since="4.7", sampling=False, source="https://…", looked="2026-11-24")
#
# A row names families, versions and servers, and no protocol: each protocol that has the setting applies it (CAP-7).
# Where one protocol differs, a row names that protocol and says why (`reason`).
#
# A family's rows stand before those of its versions and variants; of two that state one setting the later one counts.
# A model that is newer than all rows is as the newest, since a row without `until` is about those to come. A name
# without a version, as deployments of one's own have, gets the rows that name no version: others hold for versions that
# are known. Rule: data and their lookup alone; what a setting does is the target table's.


CHAT = "openai_chat_completions"
RESPONSES = "openai_responses"
MESSAGES = "anthropic_messages"
GEMINI = "gemini_generate_content"
CONVERSE = "bedrock_converse"
INTERACTIONS = "gemini_interactions"
OLLAMA = "ollama_chat"
OWN = "own"
"""The servers of a model's own vendor: what a caller means who names none."""
SPOKEN = "what these servers read of this protocol, of which those of other protocols have other members"
"""The reason of rows about how one server speaks one protocol."""
BEDROCK = "bedrock"
HOMES = {CONVERSE: BEDROCK, OLLAMA: "ollama"}
"""Whose servers alone speak a protocol, where that is no vendor of models."""
OTHER = "(other)"
"""The family of names that state a vendor on Bedrock, and are of no family that a row is about."""


class Fact(NamedTuple):
    """One row of the table.

    families   the families of models that it is about; none: whatever its servers serve
    settings   the capabilities and defaults that it amounts to
    source     the address of a document, the name of an official package, or the words of an error
    looked     the day on which the source was read, as 2026-11-24
    protocols  those behind which alone it holds; none: all that have the setting
    reason     why it does not hold behind other protocols
    since, until  the first and the last version; () for no limit
    only, but  words of a name: one of `only` must be there, none of `but`
    servers    whose servers it is about, OWN for the vendor's; none for all
    """

    families: frozenset[str]
    settings: Mapping[str, Any]
    source: str
    looked: str
    protocols: frozenset[str] = frozenset()
    reason: str = ""
    since: Version = ()
    until: Version = ()
    only: frozenset[str] = frozenset()
    but: frozenset[str] = frozenset()
    servers: frozenset[str] = frozenset()

    def about(self, name: Name, protocol: str, server: str) -> bool:
        """Return whether the row is about a model, behind a protocol and a server."""
        if self.protocols and protocol not in self.protocols:
            return False
        if (self.servers and (server or OWN) not in self.servers) or (
            self.families and name.family not in self.families
        ):
            return False
        words = frozenset(name.words)
        if (self.only and words.isdisjoint(self.only)) or not words.isdisjoint(self.but):
            return False
        if name.version is None:
            return not self.until and (name.newest or not self.since)
        return self.since <= name.version and (not self.until or name.version[: len(self.until)] <= self.until)

    def __str__(self) -> str:
        """Return which models, settings and source the row names, for messages."""
        names = " ".join(sorted(self.families)) or "all models"
        settings = " ".join(f"{name}={value!r}" for name, value in self.settings.items())
        limits = {"since": self.since, "until": self.until}
        told = [f"{what}={'.'.join(map(str, version))}" for what, version in limits.items() if version]
        words = {"only": self.only, "but": self.but, "server": self.servers, "protocols": self.protocols}
        told += [f"{what}={' '.join(sorted(those))}" for what, those in words.items() if those]
        return f"the fact about {', '.join([names, *told])}: {settings} ({self.source})"


def fact(
    families: str,
    *protocols: str,
    source: str,
    looked: str,
    reason: str = "",
    since: str = "",
    until: str = "",
    only: str = "",
    but: str = "",
    server: str = "",
    **settings: Any,
) -> Fact:
    """Return a row; words are separated by spaces, versions are as in names: `since="5.6"`. `until` includes what
    follows its numbers: of `until="4"`, 4.6 is one. No family: all models of a server. `server="own"`: the vendor's.

    Raises TableError for protocols without a reason, and for a reason without protocols.
    """
    names, words, others, servers = (frozenset(one.split()) for one in (families, only, but, server))
    limits = _version(since), _version(until)
    made = Fact(names, settings, source, looked, frozenset(protocols), reason, *limits, words, others, servers)
    if bool(protocols) is not bool(reason):
        raise TableError(f"{made}: an exception names its protocols and its reason, any other fact neither")
    return made


def _version(text: str) -> Version:
    return tuple(int(one) for one in text.split(".")) if text else ()


class Best(NamedTuple):
    """The protocol in which a vendor's own servers, or a cloud's, take most of what its models can do."""

    families: frozenset[str]
    protocol: str
    since: Version = ()
    only: frozenset[str] = frozenset()
    server: str = ""

    def about(self, name: Name, server: str) -> bool:
        """Return whether it is said of a model at a server."""
        if name.family not in self.families or (self.only and self.only.isdisjoint(name.words)):
            return False
        return self.server in ("", server) and (name.version is None or self.since <= name.version)


def best(families: str, protocol: str, *, since: str = "", only: str = "", server: str = "") -> Best:
    """Return a row; words are separated by spaces."""
    return Best(frozenset(families.split()), protocol, _version(since), frozenset(only.split()), server)


def about(facts: Iterable[Fact], name: Name, protocol: str, server: str) -> tuple[Fact, ...]:
    """Return the rows about a model behind a protocol and a server, in order."""
    return tuple(one for one in facts if one.about(name, protocol, server))


# --- the table as a whole ---------------------------------------------------------------------------------------------
# A table that says something wrong of itself is not loaded, and the message names the row.


def check(facts: Iterable[Fact], has: Mapping[str, Set[str]], servers: Set[str]) -> None:
    """Refuse facts about settings that no protocol has, about servers that nobody knows, and facts that a later one
    contradicts.

    has      the settings of each protocol
    servers  the names of all servers

    Raises TableError.
    """
    earlier: dict[str, list[Fact]] = {}
    for row in facts:
        for protocol in row.protocols - has.keys():
            raise TableError(f"{row}: there is no protocol {protocol}")
        for server in row.servers - servers - {OWN}:
            raise TableError(
                f"{row}: there is no server {server}, of which a table of servers or clouds would say more"
            )
        for setting in row.settings:
            behind = row.protocols or has.keys()
            if not any(setting in has[one] for one in behind) or any(setting not in has[one] for one in row.protocols):
                raise TableError(f"{row}: no protocol that it is about has the setting {setting}")
            for other in earlier.get(setting, ()):
                if other.settings[setting] != row.settings[setting] and is_within(other, row):
                    raise TableError(f"{row} contradicts {other}, which would never count")
            earlier.setdefault(setting, []).append(row)


def is_within(one: Fact, other: Fact) -> bool:
    """Return whether all that a fact is about, of a family that both name, is what another one is about."""
    return (
        (not other.families or bool(one.families & other.families))
        and other.since <= one.since
        and _endsis_within(one.until, other.until)
        and (not other.only or (one.only != frozenset() and one.only <= other.only))
        and other.but <= one.but
        and (not other.servers or (one.servers != frozenset() and one.servers <= other.servers))
        and (not other.protocols or (one.protocols != frozenset() and one.protocols <= other.protocols))
    )


def _endsis_within(one: Version, other: Version) -> bool:
    """Return whether the versions up to one are among those up to another; () is no limit, and (5,) has 5.5."""
    if not other or not one:
        return not other
    common = min(len(one), len(other))
    return one[:common] < other[:common] or (one[:common] == other[:common] and len(one) >= len(other))
