"""The names of models: one model has several, and newer ones of a family follow a pattern.

    parsed("us.anthropic.claude-sonnet-4-5-20250929-v1:0")   Name("claude-sonnet", (4, 5), (), "bedrock")
    parsed("models/gemini-3.1-pro-preview")                  Name("gemini", (3, 1), ("pro", "preview"), "")

Rule: no fact about a model stands here. A name that nothing is known of is a Name without a family, never an error.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from typing import NamedTuple

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
    """The name, of the longest of these families that it begins with; without a family where it is of none.

    rolling  the families whose vendors have names ending in `-latest` for the newest of a family
    """
    bare, server = _bare(name)
    for family in families:
        if bare == family or (bare.startswith(family) and not bare[len(family)].isalpha()):
            version, rest = _version(bare[len(family) :])
            words = tuple(filter(None, re.split(r"[-_: ]", rest)))
            newest = version is None and _is_latest(name) and (family in rolling or name.strip().startswith(ROUTED))
            return Name(family, version, words, server, newest)
    return Name("", None, (), server)


def _is_latest(name: str) -> bool:
    return name.strip().lower().partition(":")[0].endswith(LATEST)


def _bare(name: str) -> tuple[str, str]:
    """The name without what clouds, routers and snapshots add to it, and the cloud that it tells."""
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


def _version(rest: str) -> tuple[Version | None, str]:
    found = NUMBER.match(rest)
    if found is None:
        return None, rest
    return tuple(int(one) for one in re.split(r"[.-]", found[1])), rest[found.end() :]
