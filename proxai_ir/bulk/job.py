"""What a run is to do, in units of work, and the counts of each, which add up."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, NamedTuple

import attrs
import orjson

from .. import api
from ..conversion.profile import Profile, protocol_of
from ..exports import FORMS, compile_export
from ..ir.response import Finish
from ..protocol.registry import protocols
from ..reporting.diagnostics import TranslationError

# --- tally ------------------------------------------------------------------------------------------------------------
# Counts of a chunk, a file or a run. Plain data that adds up, so that every process can count for itself.
#
# Rule: a rule counts the rows that report it, not the places; its example is the first row in the order of the input.


Example = dict[str, Any]
"""row, path, message; and in a report also file."""


@attrs.define
class Count:
    """How many rows report a rule, and the first of them."""

    rows: int
    example: Example


Counts = dict[str, Count]
MOST_WORDS = 100
LONGEST_WORD = 100
OTHER = "(other)"
ONE_EACH: Mapping[str, int] = {}


@attrs.define
class Tally:
    """Rows by what became of them. `lossy` rows are among the converted ones; blank lines are no rows.

    `reported` has the rules of converted rows, `refusals` those of refused ones. `finishes`: how converted responses
    ended, by reason and by the provider's own word, "" where it has none: each candidate counts. `facts`: of the table
    of models, the rows that converted requests were made for, by number.
    """

    converted: int = 0
    lossy: int = 0
    refused: int = 0
    blank: int = 0
    reported: Counts = attrs.field(factory=dict)
    refusals: Counts = attrs.field(factory=dict)
    finishes: dict[str, dict[str, int]] = attrs.field(factory=dict)
    facts: dict[str, int] = attrs.field(factory=dict)

    @property
    def rows(self) -> int:
        return self.converted + self.refused

    def add(self, other: Tally, file: str | None = None) -> None:
        """Adds what comes later in the input. `file`: its name, which examples then have."""
        self.converted += other.converted
        self.lossy += other.lossy
        self.refused += other.refused
        self.blank += other.blank
        for own, more in ((self.reported, other.reported), (self.refusals, other.refusals)):
            for rule, count in more.items():
                if rule in own:
                    own[rule].rows += count.rows
                else:
                    example = count.example if file is None else {"file": file, **count.example}
                    own[rule] = Count(count.rows, example)
        self.made_for(other.facts, other.facts)
        for reason, words in other.finishes.items():
            for word, times in words.items():
                self.finished(reason, word, times)

    def made_for(self, facts: Iterable[str], counts: Mapping[str, int] = ONE_EACH) -> None:
        for fact in facts:
            self.facts[fact] = self.facts.get(fact, 0) + counts.get(fact, 1)

    def ended(self, finish: Finish) -> None:
        self.finished(finish.reason.value, finish.raw or "")

    def finished(self, reason: str, word: str, count: int = 1) -> None:
        """Words are a provider's own, so that there may be any number: beyond the first ones they count as OTHER."""
        words = self.finishes.setdefault(reason, {})
        if word not in words and (len(words) >= MOST_WORDS or len(word) > LONGEST_WORD):
            word = OTHER
        words[word] = words.get(word, 0) + count

    def as_json(self) -> dict[str, Any]:
        return attrs.asdict(self)

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Tally:
        counts = {
            name: {rule: Count(**count) for rule, count in kept[name].items()} for name in ("reported", "refusals")
        }
        return cls(
            kept["converted"],
            kept["lossy"],
            kept["refused"],
            kept["blank"],
            **counts,
            finishes=kept["finishes"],
            facts=kept["facts"],
        )


# --- job --------------------------------------------------------------------------------------------------------------
# What a run is to do: protocols, options, limits; and its units of work, chunks of rows.
#
# Rule 1: everything here that decides the output is in the `digest` of a job. Rule 2: where a chunk begins and ends
# depends on the file and the size of chunks alone, so that a run that goes on cuts as one that was never interrupted.


Server = str | Profile

STREAM: Final = "stream"
BATCH, EXPORT = "batch", "export"
AUTO: Final = "auto"
"""In place of the source: each row shows its own (`proxai_ir.protocol.detection`)."""
MODEL = "model"
PROFILES = (MODEL, "protocol")
KINDS = (*api.KINDS, BATCH, EXPORT)
"""What a row can be: a payload of one of the library's kinds, a line of a batch file (`proxai_ir.batch`), or what
`proxai_ir.exports` converts, for which `src` or `dst` names the form."""
CHUNK = 1 << 20
"""Bytes of a chunk, the unit of work: of JSON Lines the whole lines that fit, of Parquet about as many rows."""
LONGEST_ROW = 256 << 20
"""Bytes of the longest line that is read into memory."""


class BulkError(Exception):
    """The run cannot begin or go on; the text is why, for the caller."""


@attrs.frozen
class Job:
    """What is done to every row. `column`: the member or column that holds the payload; None: the line is the payload,
    and in Parquet the column "payload" is."""

    src: Server
    dst: Server
    kind: str | None = None
    options: Mapping[str, Any] = attrs.field(factory=dict)
    column: str | None = None
    profile: str = MODEL
    """What requests are made for: "model", what the model that a row names accepts (CAP-5), or "protocol", what every
    server of the protocol accepts. A Profile as `dst`, and options, take precedence."""
    writes: bool = True
    """False: rows are checked and nothing is written."""
    fail_fast: bool = False
    ordered: bool = True
    """False: a chunk is written as soon as it is converted."""
    chunk: int = CHUNK
    longest_row: int = LONGEST_ROW

    def validated(self) -> Job:
        """Return the same job. Raises TypeError for an option that the target does not have, before any file is read,
        and ValueError for what else is wrong."""
        if self.profile not in PROFILES:
            raise ValueError(f"profile is {self.profile!r:.80}; expected one of {', '.join(PROFILES)}")
        if self.kind is not None and self.kind not in KINDS:
            raise ValueError(f"kind is {self.kind!r}; expected one of {', '.join(KINDS)}")
        forms = [name for name in self.protocols() if self.kind == EXPORT and name in FORMS]
        for name in self.protocols():
            if name not in (*protocols(), *forms) and (name != AUTO or name != self.src or self.kind == EXPORT):
                raise ValueError(f"there is no protocol {name!r}; expected one of {', '.join(protocols())}")
        if self.kind == EXPORT:
            self._check_export(forms)
        else:
            api.check({}, self.dst if self.src == AUTO else self.src, self.dst, kind="request", **self.options)
        if self.chunk < 1 or self.longest_row < 1:
            raise ValueError("expected chunk and longest_row of at least 1 byte")
        return self

    def _check_export(self, forms: list[str]) -> None:
        if len(forms) != 1:
            raise ValueError(f"expected one of {', '.join(FORMS)} as either the source or the target")
        with suppress(TranslationError):  # of the empty payload; a wrong option is a TypeError
            compile_export({}, self.src, self.dst, **self.options)

    def digest(self) -> str:
        """Return a hash of all that decides the output; options can hold keys, so that they are not kept themselves."""
        what = [self.src, self.dst, self.kind, self.options, self.column, self.profile]
        settings = [*what, self.ordered, self.chunk, self.longest_row, _version()]
        known = orjson.dumps(settings, default=_plain, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
        return hashlib.sha256(known).hexdigest()

    @property
    def by_model(self) -> bool:
        """Whether requests are made for the models that they name; those of the target's own protocol stay."""
        src, dst = self.protocols()
        return self.profile == MODEL and src != dst and self.kind != EXPORT

    def protocols(self) -> tuple[str, str]:
        """Return the names of both protocols."""
        return protocol_of(self.src), protocol_of(self.dst)


def _plain(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return dict(value) if isinstance(value, Mapping) else repr(value)


@cache
def _version() -> str:
    try:
        return version("proxai_ir")
    except PackageNotFoundError:  # a checkout that is not installed
        return ""


FIRST_ROW = 1


class Chunk(NamedTuple):
    """Rows of one file, in bytes, on their way to a worker."""

    form: str
    """How the bytes are to be read and written."""
    row: int
    """The number of its first row, counted from 1."""
    rows: int
    data: bytes
    end: int
    """Where the next chunk begins, counted as the form counts."""
    position: int
    """How many bytes of the file are read by now; for the progress bar."""
    too_long: int = 0
    """The bytes of a single row that is longer than allowed, whose data is not here."""


class Done(NamedTuple):
    """A chunk that is converted: what to append to the output and to the file of refused rows."""

    output: bytes
    refused: bytes
    tally: Tally
    ids: Sequence[tuple[str, int]] = ()
    """Of lines of a batch file: each id as it is written, with its row."""


class UnreadableError(Exception):
    """A file that cannot be read, or not to its end; the text is why."""
