"""A response: candidates, each with turns and an ending; token usage and log probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, StrEnum
from typing import Any, NamedTuple

from attrs import define, field

from .node import Extra, bookkeeping
from .parts import WORDING, ClientCall, CustomCall, FunctionCall, McpCall, Part, Reasoning, Refusal
from .request import Tier, Turn

# --- logprobs ---------------------------------------------------------------------------------------------------------
# Log probabilities of the tokens of a response.


@define
class ScoredToken:
    """A token and the natural logarithm of its probability.

    `bytes`: its UTF-8 bytes, since a token need not end where a character ends; `id`: its number in the model's
    vocabulary; `top`: the likeliest tokens at its position, most likely first.
    """

    text: str
    logprob: float
    bytes: list[int] | None = None
    top: list[ScoredToken] | None = None
    id: int | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class LogProbs:
    """The tokens of a candidate's texts, in order; protocols that score the wording of refusals do so apart."""

    text: list[ScoredToken] | None = None
    refusal: list[ScoredToken] | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


# --- terminal ---------------------------------------------------------------------------------------------------------
# How a response ended, and the one normalisation of it (FIN-1).
#
# Rule 1: each protocol's own words for an ending stand once, in its wire module, as a table to and from StopReason;
# whole
# responses and streams read the same table (STS-7). Rule 2: the raw word is always kept with the reason (FIN-1).


class StopReason(Enum):
    __hash__ = object.__hash__  # every response is looked up by it; Enum's own hash is a Python function

    END = "end"
    STOP_SEQUENCE = "stop_sequence"
    LENGTH = "length"
    CONTEXT_WINDOW = "context_window"
    TOOL_CALLS = "tool_calls"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"
    PAUSE = "pause"
    UNFINISHED = "unfinished"  # none: the response is queued, in progress or was cancelled
    UNKNOWN = "unknown"
    FAILED = "failed"  # the provider reports that generation failed: no response, but an error (FIN-8)


# The same without their class: looking a member up in it is slow.
(
    END,
    STOP_SEQUENCE,
    LENGTH,
    CONTEXT_WINDOW,
    TOOL_CALLS,
    REFUSAL,
    CONTENT_FILTER,
    PAUSE,
    UNFINISHED,
    UNKNOWN,
    FAILED,
) = StopReason

CUT_OFF = (LENGTH, CONTEXT_WINDOW, CONTENT_FILTER, REFUSAL)
"""Endings that may come in the middle of anything."""


class FinishReason(StrEnum):
    """Why a response ended, in the same six words whoever generated it (FIN-1). A member equals its word.

    stop            by itself, or at a stop sequence
    length          at a limit of tokens, or of the context window
    tool_calls      it waits for the results of the calls that it holds
    content_filter  the platform withheld or broke off its content
    refusal         the model declined
    unknown         no word for it, or none that is known: `Finish.raw` has the provider's
    """

    UNKNOWN = "unknown"
    STOP = "stop"
    LENGTH = "length"
    CONTENT_FILTER = "content_filter"
    TOOL_CALLS = "tool_calls"
    REFUSAL = "refusal"


class Finish(NamedTuple):
    """How a response ended: `reason` as every provider's is named, `raw` the provider's own word; None: it has none."""

    reason: FinishReason
    raw: str | None


NORMALISED = {
    StopReason.END: FinishReason.STOP,
    StopReason.STOP_SEQUENCE: FinishReason.STOP,
    StopReason.PAUSE: FinishReason.STOP,
    StopReason.LENGTH: FinishReason.LENGTH,
    StopReason.CONTEXT_WINDOW: FinishReason.LENGTH,
    StopReason.TOOL_CALLS: FinishReason.TOOL_CALLS,
    StopReason.REFUSAL: FinishReason.REFUSAL,
    StopReason.CONTENT_FILTER: FinishReason.CONTENT_FILTER,
    StopReason.UNFINISHED: FinishReason.UNKNOWN,
    StopReason.UNKNOWN: FinishReason.UNKNOWN,
    StopReason.FAILED: FinishReason.UNKNOWN,
}


OUTRANKED = tuple(one for one in FinishReason if one is not FinishReason.TOOL_CALLS)
"""Endings that a refusal in the content outranks (REF-9)."""


@define
class RefusalDetails:
    """What the provider reports about a refusal apart from its wording (REF-4)."""

    explanation: str | None = None
    category: str | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


UNSPECIFIED = "_UNSPECIFIED"
"""What zero values of proto enums end with; gateways pass them on under other protocols."""


@define
class Terminal:
    """How a response ended. `message` is the provider's explanation of the ending, apart from a refusal's wording."""

    reason: StopReason
    raw: str | None = None
    stop_sequence: str | None = None
    refusal: RefusalDetails | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    message: str | None = field(default=None, kw_only=True)

    @property
    def stated(self) -> bool:
        """Whether there is a word for the ending at all; the zero value of an enum is none (STS-10)."""
        return bool(self.raw) and not str(self.raw).endswith(UNSPECIFIED)

    @property
    def normalised(self) -> FinishReason:
        return NORMALISED[self.reason]

    def fitted(self, calls: bool) -> StopReason:
        """Return the reason, made to fit the content; where there is no word for it that of a natural ending
        (STS-10)."""
        return fitted_reason(END if self.reason is UNKNOWN and not self.stated else self.reason, calls)

    def finish(self, calls: bool, refuses: bool) -> Finish:
        """Return the same for a caller; `calls`, `refuses`: what is in the content (STS-4, REF-9)."""
        reason = self.fitted(calls)
        found = NORMALISED[UNKNOWN if self.reason is UNKNOWN and reason is END else reason]
        return Finish(FinishReason.REFUSAL if refuses and found in OUTRANKED else found, self.raw)


# endings after which calls in the content wait for their results; others cut the response off, or mean what is unknown
WAITING = (END, STOP_SEQUENCE, PAUSE)


def fitted_reason(reason: StopReason, calls: bool) -> StopReason:
    """Return the reason, made to fit the content: calls that wait end a turn, missing ones do not (STS-4, FIN-6)."""
    if calls and reason in WAITING:
        return TOOL_CALLS
    if not calls and reason is TOOL_CALLS:
        return END
    return reason


# --- usage ------------------------------------------------------------------------------------------------------------
# Tokens used, as a disjoint partition (USE-1).
#
# Input = input + cache_read + cache_write; output = output + reasoning. None is "not reported", never 0.


PARTITION = ("input", "cache_read", "cache_write", "output", "reasoning")
"""The fields whose sum are all tokens."""


@define
class Usage:
    """`details` break the partition down further and add to no sum: token counts by "<what>.<kind>".

    What: "input" (cached tokens included), "cache_read", "tool_use" (what the provider's own tools gave back, which is
    input), "output". Kind: a medium (text, audio, image, video, document) or a purpose (tool_use, accepted_prediction,
    rejected_prediction). Besides, "cache_write.300" is what was written to the cache for a lifetime of 300 seconds.
    """

    input: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None
    total: int | None = None
    details: dict[str, int] | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None

    @property
    def all_input(self) -> int:
        return (self.input or 0) + (self.cache_read or 0) + (self.cache_write or 0)

    @property
    def all_output(self) -> int:
        return (self.output or 0) + (self.reasoning or 0)


def counts(usage: Usage | None) -> dict[str, Any] | None:
    """Token counts by the names of `Usage`; what was not reported is left out."""
    if usage is None:
        return None
    return {name: count for name in PARTITION if (count := getattr(usage, name)) is not None}


# --- response ---------------------------------------------------------------------------------------------------------
# A response: candidates, alternatives of one another (CHO-1), each a list of turns and how it ended.


FIRST_DATE, LAST_DATE = -62_135_596_800, 253_402_300_799
"""The first second of the year 1 and the last one of the year 9999: between them a date can be written."""


def unargued(part: Part) -> bool:
    """Return whether a part is a call without any text of its arguments; an empty object is one."""
    if isinstance(part, (FunctionCall, McpCall)):
        return isinstance(part.arguments, str) and (not part.arguments or part.arguments.isspace())
    return False


def answers(part: Part) -> bool:
    """Return whether a part, as far as it got, is something that a client may act upon: text, a call, media, no
    reasoning."""
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
