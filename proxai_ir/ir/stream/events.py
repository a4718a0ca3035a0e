"""A response while it is being made, event by event; grammar.py defines which may follow which.

Rule 1: a part is opened once, grows, and is closed; its index is its own in the whole stream, whatever the wire counts
(STR-8). Rule 2: events hold what whole responses hold: the same parts, stop reasons, usage and errors.
"""

from __future__ import annotations

from typing import Any

from attrs import field

from ...json.classes import define
from ..error import Error
from ..node import Extra, Seal, bookkeeping
from ..parts import Citation, Part
from ..response import LogProbs, Response, Terminal, Usage


@define
class Started:
    """The envelope: a Response without candidates; its usage may be a first estimate."""

    response: Response


@define
class PartOpened:
    """A part begins. `part` is what is known of it: its text may have begun, the arguments of a call are text.

    `item`: the number of the source's item that has it; each is a turn of its own (Turn.continues).
    """

    index: int
    part: Part
    candidate: int = 0
    item: int = 0


@define
class PartGrew:
    """More text: of the part's wording, its transcript, or the arguments of a call; or all of a search's query."""

    index: int
    text: str


@define
class PartSealed:
    index: int
    seal: Seal
    src: Any = bookkeeping()


@define
class PartCited:
    """A citation of a text. It may come after the text was closed, and then has a span of its own."""

    index: int
    citation: Citation


@define
class MediaGrew:
    """More base64 data of a part with inline data, and when an audio recording expires (Unix seconds)."""

    index: int
    data: str
    expires_at: int | None = None


@define
class PartExtended:
    """More of a part that only one vendor has, as members of its raw form."""

    index: int
    raw: dict[str, Any]


MOST_REPEATED = 1000
"""The longest text, in characters, that a refusal after it is compared with (REF-11)."""


@define
class PartClosed:
    """`text`: all of a text, where the reader has it and it is not too long for a refusal to repeat it."""

    index: int
    text: str | None = None


@define
class Scored:
    """Log probabilities of the tokens of the text that comes next."""

    logprobs: LogProbs
    candidate: int = 0
    src: Any = bookkeeping()


@define
class UsageReported:
    """Tokens used so far; members that are reported again replace what was reported before.

    `provisional`: it counts only where no other report follows (STR-4).
    """

    usage: Usage
    provisional: bool = False


@define
class Ending:
    """A stop reason that need not be the last: more of the candidate may follow, and Ended comes where none can."""

    terminal: Terminal
    candidate: int = 0


@define
class Ended:
    """A candidate is finished. `texts_refuse`: its texts turn out to be the wording of a refusal (REF-4)."""

    terminal: Terminal
    candidate: int = 0
    texts_refuse: bool = False


@define
class Restated:
    """The whole response, in the form in which its own stream repeats it.

    Its text and calls are those of the events before it, where the two differ; all else is the repetition's: how the
    content is divided into turns, and members without an event of their own (STR-19). A fold takes it as it is.
    """

    response: Response


@define
class Completed:
    """The stream is whole: nothing follows that anybody would miss."""


@define
class Failed:
    """The upstream reported an error, and the stream is over (STR-12). `lost`: calls that are not completed for it."""

    error: Error
    lost: list[Any] = field(factory=list)


@define
class UnmappedFields:
    """Fields of a source event without an IR event; `about`: the wire object that they belong to.

    `index` is the part, or the candidate, that they came with.
    """

    about: str
    extra: Extra
    index: int = 0
    src: Any = bookkeeping()


@define
class Unread:
    """An event in its own form, as it or one before it may not stand where it does; only its own protocol takes it.

    `detail`: what is wrong with the first of them, which all that come after it repeat.
    """

    raw: Any
    detail: str


Event = (
    Started
    | PartOpened
    | PartGrew
    | PartSealed
    | PartCited
    | MediaGrew
    | PartExtended
    | PartClosed
    | Scored
    | UsageReported
    | Ending
    | Ended
    | Restated
    | Completed
    | Failed
    | UnmappedFields
    | Unread
)


@define
class Stream:
    """A whole stream: for each event of the source, in order, the events that it became.

    `ending`: the events of the end of the bytes, after all of them.
    """

    protocol: str | None
    steps: list[list[Event]]
    ending: list[Event] = field(factory=list)
    src: Any = bookkeeping()
