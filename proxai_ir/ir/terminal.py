"""How a response ended, and the one normalisation of it (FIN-1).

Rule 1: each protocol's own words for an ending stand once, in its wire module, as a table to and from StopReason; whole
responses and streams read the same table (STS-7). Rule 2: the raw word is always kept with the reason (FIN-1).
"""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import Any, NamedTuple

from attrs import define, field

from .node import Extra, bookkeeping


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
        """The reason, made to fit the content; where there is no word for it that of a natural ending (STS-10)."""
        return fitted_reason(END if self.reason is UNKNOWN and not self.stated else self.reason, calls)

    def finish(self, calls: bool, refuses: bool) -> Finish:
        """The same for a caller; `calls`, `refuses`: what is in the content (STS-4, REF-9)."""
        reason = self.fitted(calls)
        found = NORMALISED[UNKNOWN if self.reason is UNKNOWN and reason is END else reason]
        return Finish(FinishReason.REFUSAL if refuses and found in OUTRANKED else found, self.raw)


# endings after which calls in the content wait for their results; others cut the response off, or mean what is unknown
WAITING = (END, STOP_SEQUENCE, PAUSE)


def fitted_reason(reason: StopReason, calls: bool) -> StopReason:
    """The reason, made to fit the content: calls that wait end a turn, missing ones do not (STS-4, FIN-6)."""
    if calls and reason in WAITING:
        return TOOL_CALLS
    if not calls and reason is TOOL_CALLS:
        return END
    return reason
