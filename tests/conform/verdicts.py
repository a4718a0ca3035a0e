"""Verdicts on the differences from other converters (`verdicts.toml`): which facts one covers, who is right, and why.

Rule 1: every pattern has to match the whole of what it is about; one that is not stated matches anything. Rule 2: the
first verdict that covers a fact counts, so that special ones stand above general ones.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("verdicts.toml")
RIGHT = ("ours", "peer", "both", "neither")
"""Who is right; both, where either answer is sound; neither, where what is right cannot be said."""
PATTERNS = ("peer", "class", "kind", "route", "field", "ours", "theirs")
SHORT = {
    "C": "openai_chat_completions",
    "R": "openai_responses",
    "A": "anthropic_messages",
    "G": "gemini_generate_content",
    "B": "bedrock_converse",
    "Co": "cohere_v2_chat",
    "Ol": "ollama_chat",
}
"""What a route is written with in the file: `C>A`."""
NAMES = {name: short for short, name in SHORT.items()}


class Verdict(NamedTuple):
    """A decision who is right in the facts that all patterns match."""

    patterns: tuple[str | None, ...]
    right: str
    kinds: int
    why: str


def verdicts() -> list[Verdict]:
    """Return the verdicts of the file, in its order."""
    rows = tomllib.loads(FILE.read_text())["verdict"]
    return [Verdict(tuple(map(row.get, PATTERNS)), row["right"], row["count"], row["why"]) for row in rows]


def covering(known: Sequence[Verdict], kind: Sequence[str], ours: str, theirs: str) -> Verdict | None:
    """Return the first verdict on a fact, whose kind is the peer, the class, the kind of payload, the route and the
    field."""
    peer, what, payload, route, field = kind
    short = ">".join(NAMES[protocol] for protocol in route.split(" -> "))
    values = (peer, what, payload, short, field, ours, theirs)
    return next((one for one in known if all(map(_matches, one.patterns, values))), None)


def _matches(pattern: str | None, value: str) -> bool:
    return pattern is None or _compiled(pattern).fullmatch(value) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)
