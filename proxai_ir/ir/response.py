"""A response: candidates, alternatives of one another (CHO-1), each a list of turns and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, field

from .logprobs import LogProbs
from .node import Extra, bookkeeping
from .parts import WORDING, ClientCall, CustomCall, FunctionCall, McpCall, Part, Reasoning, Refusal
from .request import Tier
from .terminal import CUT_OFF, Finish, FinishReason, Terminal
from .turns import Turn
from .usage import Usage

FIRST_DATE, LAST_DATE = -62_135_596_800, 253_402_300_799
"""The first second of the year 1 and the last one of the year 9999: between them a date can be written."""


def unargued(part: Part) -> bool:
    """Whether a part is a call without any text of its arguments; an empty object is one."""
    if isinstance(part, (FunctionCall, McpCall)):
        return isinstance(part.arguments, str) and (not part.arguments or part.arguments.isspace())
    return False


def answers(part: Part) -> bool:
    """Whether a part, as far as it got, is something that a client may act upon: text, a call, media, no reasoning."""
    return bool(part.text) if isinstance(part, WORDING) else not isinstance(part, Reasoning)


PENDING = frozenset({FunctionCall, CustomCall, ClientCall})
"""Calls that the client runs (STS-4)."""


@define
class Candidate:
    turns: list[Turn]
    terminal: Terminal
    logprobs: LogProbs | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None

    @property
    def calls(self) -> bool:
        """Whether the client has a tool to run before the conversation continues (STS-4)."""
        for turn in self.turns:
            for part in turn.parts:
                if part.__class__ in PENDING:
                    return True
        return False

    @property
    def refuses(self) -> bool:
        """Whether its content holds a refusal (REF-1)."""
        for turn in self.turns:
            for part in turn.parts:
                if part.__class__ is Refusal:
                    return True
        return False

    @property
    def broken_off(self) -> FunctionCall | McpCall | None:
        """The last call, where the response was cut off before any of its arguments (TUL-29)."""
        if self.terminal.reason in CUT_OFF and self.turns and self.turns[-1].parts:
            last = self.turns[-1].parts[-1]
            if isinstance(last, (FunctionCall, McpCall)) and unargued(last):
                return last
        return None

    @property
    def finish(self) -> Finish:
        """How it ended (FIN-1): pending calls show in it (STS-4), and so does a refusal (REF-9)."""
        return self.terminal.finish(self.calls, self.refuses)

    @property
    def normalised(self) -> FinishReason:
        return self.finish.reason

    @property
    def parts(self) -> list[Part]:
        """The parts of its turns, of which most responses have one."""
        turns = self.turns
        return turns[0].parts if len(turns) == 1 else [part for turn in turns for part in turn.parts]


@define
class Response:
    """`protocol`: the source's; `created`: Unix seconds; `fingerprint`: of the serving system; `headers`: those of the
    HTTP response that its reader saw."""

    protocol: str | None
    id: str | None
    model: str | None
    candidates: list[Candidate]
    usage: Usage | None = None
    created: int | None = None
    tier: Tier | None = None
    fast: bool | None = None
    fingerprint: str | None = None
    metadata: dict[str, Any] | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    headers: Mapping[str, str] | None = field(default=None, kw_only=True, eq=False, repr=False)
