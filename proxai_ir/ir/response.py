"""A response: candidates, each with turns and an ending; token usage and log probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, StrEnum
from typing import Any, NamedTuple

from attrs import field

from ..json.classes import define
from .node import Extra, bookkeeping
from .parts import WORDING, ClientCall, CustomCall, FunctionCall, McpCall, Part, Reasoning, Refusal
from .request import Tier, Turn

# --- log probabilities ------------------------------------------------------------------------------------------------


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


# --- endings ----------------------------------------------------------------------------------------------------------
# The wire module of a protocol has one table of its words for endings to and from StopReason, for whole responses and
# streams (STS-7). The provider's own word is always kept with the reason (FIN-1).


class StopReason(Enum):
    __hash__ = object.__hash__  # Enum's own is a Python function, and every response is looked up by its reason

    END = "end"
    STOP_SEQUENCE = "stop_sequence"
    LENGTH = "length"
    CONTEXT_WINDOW = "context_window"
    TOOL_CALLS = "tool_calls"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"
    PAUSE = "pause"
    UNFINISHED = "unfinished"  # the response is queued, in progress or was cancelled
    UNKNOWN = "unknown"
    FAILED = "failed"  # the provider reports that generation failed: no response, but an error (FIN-8)


# Aliases, since looking up a member of the class is slow.
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
"""Endings that may come in the middle of any part."""


class FinishReason(StrEnum):
    """The reason why a response ended, in six words for all providers (FIN-1). A member equals its word.

    stop            by itself, or at a stop sequence
    length          at a limit of tokens, or of the context window
    tool_calls      it waits for the results of the calls that it holds
    content_filter  the platform withheld or broke off its content
    refusal         the model declined
    unknown         the provider gives no reason, or one that is not known: see `Finish.raw`
    """

    UNKNOWN = "unknown"
    STOP = "stop"
    LENGTH = "length"
    CONTENT_FILTER = "content_filter"
    TOOL_CALLS = "tool_calls"
    REFUSAL = "refusal"


class Finish(NamedTuple):
    """The ending of a response: `reason` is the same for all providers, `raw` the provider's own word, or None."""

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
    """The provider's report about a refusal, apart from its wording (REF-4)."""

    explanation: str | None = None
    category: str | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


UNSPECIFIED = "_UNSPECIFIED"
"""The end of zero values of proto enums, which gateways pass on under other protocols."""


@define
class Terminal:
    """The ending of a response. `message` is the provider's explanation, apart from a refusal's wording."""

    reason: StopReason
    raw: str | None = None
    stop_sequence: str | None = None
    refusal: RefusalDetails | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    message: str | None = field(default=None, kw_only=True)

    @property
    def stated(self) -> bool:
        """Whether the source states an ending; the zero value of an enum does not count (STS-10)."""
        return bool(self.raw) and not str(self.raw).endswith(UNSPECIFIED)

    @property
    def normalised(self) -> FinishReason:
        return NORMALISED[self.reason]

    def fitted(self, calls: bool) -> StopReason:
        """Return the reason, made to fit the content; without a stated ending it is that of a natural one (STS-10)."""
        return fitted_reason(END if self.reason is UNKNOWN and not self.stated else self.reason, calls)

    def finish(self, calls: bool, refuses: bool) -> Finish:
        """Return the ending for callers, by whether the content has pending calls or a refusal (STS-4, REF-9)."""
        reason = self.fitted(calls)
        found = NORMALISED[UNKNOWN if self.reason is UNKNOWN and reason is END else reason]
        return Finish(FinishReason.REFUSAL if refuses and found in OUTRANKED else found, self.raw)


WAITING = (END, STOP_SEQUENCE, PAUSE)
"""Endings after which calls wait for their results. Others cut the response off, or are unknown."""


def fitted_reason(reason: StopReason, calls: bool) -> StopReason:
    """Return TOOL_CALLS for a natural ending with pending calls, and END for TOOL_CALLS without any (STS-4, FIN-6)."""
    if calls and reason in WAITING:
        return TOOL_CALLS
    if not calls and reason is TOOL_CALLS:
        return END
    return reason


# --- usage ------------------------------------------------------------------------------------------------------------
# The counts are a partition (USE-1): all input is input + cache_read + cache_write, all output is output + reasoning.
# None is "not reported", never 0.


INPUT, OUTPUT = ("input", "cache_read", "cache_write"), ("output", "reasoning")
PARTITION = (*INPUT, *OUTPUT)
"""The fields whose sum is the number of all tokens."""


@define
class Usage:
    """Token counts. `details` break them down further and add to no sum: counts by "<what>.<kind>".

    What: "input" (with cached tokens), "cache_read", "tool_use" (results of the provider's own tools, which are input),
    "output". Kind: a medium (text, audio, image, video, document) or a purpose (tool_use, accepted_prediction,
    rejected_prediction). Besides, "cache_write.300" counts tokens that were cached for a lifetime of 300 seconds.
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
    """Return the reported token counts by the names of `Usage`."""
    if usage is None:
        return None
    return {name: count for name in PARTITION if (count := getattr(usage, name)) is not None}


# --- responses --------------------------------------------------------------------------------------------------------
# Candidates are alternatives of one another (CHO-1).


FIRST_DATE, LAST_DATE = -62_135_596_800, 253_402_300_799
"""The first second of the year 1 and the last one of the year 9999, the limits of dates."""


def unargued(part: Part) -> bool:
    """Return whether a part is a call whose arguments are blank text; an empty object is not."""
    if isinstance(part, (FunctionCall, McpCall)):
        return isinstance(part.arguments, str) and (not part.arguments or part.arguments.isspace())
    return False


def answers(part: Part) -> bool:
    """Return whether a part, even an unfinished one, answers the request: text, a call or media, but no reasoning."""
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
        """Whether its content has a refusal (REF-1)."""
        for turn in self.turns:
            for part in turn.parts:
                if part.__class__ is Refusal:
                    return True
        return False

    @property
    def broken_off(self) -> FunctionCall | McpCall | None:
        """The last call, if the response was cut off before its arguments (TUL-29)."""
        if self.terminal.reason in CUT_OFF and self.turns and self.turns[-1].parts:
            last = self.turns[-1].parts[-1]
            if isinstance(last, (FunctionCall, McpCall)) and unargued(last):
                return last
        return None

    @property
    def finish(self) -> Finish:
        """The ending (FIN-1), which depends on pending calls (STS-4) and refusals (REF-9)."""
        return self.terminal.finish(self.calls, self.refuses)

    @property
    def normalised(self) -> FinishReason:
        return self.finish.reason

    @property
    def parts(self) -> list[Part]:
        """The parts of all its turns."""
        turns = self.turns
        return turns[0].parts if len(turns) == 1 else [part for turn in turns for part in turn.parts]


@define
class Response:
    """A response. `protocol`: the source's; `created`: Unix seconds; `fingerprint`: that of the serving system;
    `headers`: the headers of the HTTP response, if known."""

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
