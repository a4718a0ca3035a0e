"""What a row is: a thread, what was seen in it, what the client sends, and what the provider must get."""

from __future__ import annotations

from typing import Any, Final

from attrs import frozen

from proxai_ir import Profile

from ..generate_content import GEMINI
from ..support import ANTHROPIC, BEDROCK, CHAT, COHERE, INTERACTIONS, OLLAMA, RESPONSES

__all__ = [
    "ABSENT",
    "ANTHROPIC",
    "BEDROCK",
    "CHAT",
    "COHERE",
    "GEMINI",
    "INTERACTIONS",
    "OLLAMA",
    "RESPONSES",
    "Asked",
    "Refused",
]

Json = Any
ABSENT: Final = "(absent)"
"""The value of a pointer at which nothing may stand."""


@frozen
class Refused:
    """No conversion: the rule that stops it and the pointer that it cites."""

    rule: str
    at: str


@frozen(kw_only=True)
class Asked:
    """`gets`: for each target what stands at which pointer of the body, or what refuses it.

    `hides`: texts that stand nowhere in a body; `rules`: findings that tell of it, each in at least one target;
    `losses`: all rules of losses, over all targets; `server`: what the server of its protocol takes; `cloud`: where
    all of its targets are; `path`: what of all of them is asked, if it is looked at.
    """

    thread: str
    seen: str
    src: str
    sent: Json
    gets: dict[str, dict[str, Json] | Refused]
    hides: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    server: Profile | None = None
    cloud: dict[str, str] | None = None
    path: str = ""

    @property
    def by_rule(self) -> bool:
        """Whether a rule decides it: it is refused, or something is lost by name."""
        return bool(self.losses) or any(isinstance(wanted, Refused) for wanted in self.gets.values())

    def __str__(self) -> str:
        return f"{self.thread}: {self.seen}"
