"""What a row is: a thread, what was seen in it, what the provider sends, and what clients must get."""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

from ..generate_content import GEMINI
from ..support import ANTHROPIC, BEDROCK, CHAT, COHERE, INTERACTIONS, OLLAMA, RESPONSES

__all__ = [
    "ANTHROPIC",
    "BEDROCK",
    "CHAT",
    "COHERE",
    "GEMINI",
    "INTERACTIONS",
    "OLLAMA",
    "RESPONSES",
    "Answer",
    "Failure",
    "Http",
    "Refused",
    "Sse",
    "Symptom",
]

Json = Any
PROTOCOLS = (CHAT, RESPONSES, ANTHROPIC, GEMINI)
Usage = tuple[int, int, int]
"""Input with what was cached, output with reasoning, and what was cached; 0 where nothing is reported."""


@frozen
class Answer:
    """What a client reads. `calls`: name and arguments; `ending`: a word of `seen.ENDINGS`; `usage` None: any."""

    text: str = ""
    ending: str = "stop"
    usage: Usage | None = None
    calls: tuple[tuple[str, Json], ...] = field(default=(), kw_only=True)
    thinking: str = field(default="", kw_only=True)
    cited: tuple[str, ...] = field(default=(), kw_only=True)


@frozen
class Failure:
    """The client's own error. `kind`: its type in Anthropic's words; `headers`: among its own.

    `status` is the client's, None within a stream. `overflow`: it is written so that clients know an overflow by it.
    """

    kind: str
    message: str
    status: int | None = None
    overflow: bool = field(default=False, kw_only=True)
    headers: dict[str, str] = field(factory=dict, kw_only=True)


@frozen
class Refused:
    """No conversion: the rule that stops it and the pointer that it cites."""

    rule: str
    at: str


@frozen
class Http:
    """A response of the provider that is no success, or none that was expected. `body`: JSON, or bytes as they came."""

    status: int
    body: Json
    headers: dict[str, str] = field(factory=dict)
    media_type: str = "application/json"


@frozen
class Sse:
    """A stream in bytes, fed whole and byte by byte."""

    data: bytes
    media_type: str = "text/event-stream"


@frozen(kw_only=True)
class Symptom:
    """`came`: a response (an object), a stream (a list of events), Sse or Http.

    `rules`: findings that tell of it, each in at least one target; `losses`: all rules of losses, over all targets.
    `targets`: where it can be seen, if not everywhere.
    """

    thread: str
    seen: str
    src: str
    came: Json
    expect: Answer | Failure | Refused
    rules: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    targets: tuple[str, ...] = PROTOCOLS

    @property
    def by_rule(self) -> bool:
        """Whether a rule decides it: it is refused, or something is lost by name."""
        return bool(self.losses) or isinstance(self.expect, Refused)

    def __str__(self) -> str:
        return f"{self.thread}: {self.seen}"
