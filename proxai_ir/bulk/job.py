"""The job of a run, its chunks of rows, and the counts of a chunk, a file or a run, which add up.

Rule 1: all settings that decide the output are in the `digest` of a job. Rule 2: where a chunk begins and ends depends
on the file and the size of chunks alone, so that a resumed run cuts as one that was never interrupted. Rule 3: a rule
counts the rows that report it, not the places; its example is the first row in the order of the input.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

import attrs
import orjson

import proxai_ir

from .. import api, batch
from ..conversion.profile import Profile, protocol_of
from ..exports import FORMS, compile_export
from ..ir.response import Finish
from ..protocol.registry import protocols
from ..reporting.diagnostics import TranslationError

# --- counts -----------------------------------------------------------------------------------------------------------

Example = dict[str, Any]
"""A row, a path and a message; in a report also a file."""


@attrs.define
class Count:
    """The number of rows that report a rule, and the first of them."""

    rows: int
    example: Example


Counts = dict[str, Count]
CONVERTED, LOSSY = "converted", "lossy"
MOST_WORDS = 100
LONGEST_WORD = 100
OTHER = "(other)"


@attrs.define
class Tally:
    """Counts of rows by outcome. `lossy` rows are among the converted ones; blank lines are no rows.

    reported, refusals  the rules of converted rows, and of refused ones
    finishes            the endings of converted responses, by reason and by the provider's own word or "", for each
                        candidate
    facts               how many converted requests each row of the table of models was used for, by its number
    sources             converted rows by their protocol and kind, with a space between
    models              counts of converted rows, of lossy ones, and of rows by rule, for each model that a row names
    """

    converted: int = 0
    lossy: int = 0
    refused: int = 0
    blank: int = 0
    reported: Counts = attrs.field(factory=dict)
    refusals: Counts = attrs.field(factory=dict)
    finishes: dict[str, dict[str, int]] = attrs.field(factory=dict)
    facts: Counter[str] = attrs.field(factory=Counter)
    models: dict[str, Counter[str]] = attrs.field(factory=dict)
    sources: Counter[str] = attrs.field(factory=Counter)

    @property
    def rows(self) -> int:
        return self.converted + self.refused

    def add(self, other: Tally, file: str | None = None) -> None:
        """Add the counts of a later part of the input; examples get the name of its `file`."""
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
        self.facts.update(other.facts)
        self.sources.update(other.sources)
        for model, counts in other.models.items():
            self.of_model(model, counts)
        for reason, words in other.finishes.items():
            for word, times in words.items():
                self._finished(reason, word, times)

    def of_model(self, model: str, counts: Mapping[str, int]) -> None:
        """Add counts for a model; there may be any number of them, so that all but the first ones count as OTHER."""
        if model not in self.models and (len(self.models) >= MOST_WORDS or len(model) > LONGEST_WORD):
            model = OTHER
        self.models.setdefault(model, Counter()).update(counts)

    def ended(self, finish: Finish) -> None:
        self._finished(finish.reason.value, finish.raw or "", 1)

    def _finished(self, reason: str, word: str, count: int) -> None:
        """Count a provider's word; there may be any number of them, so that all but the first ones count as OTHER."""
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
        models = {model: Counter(found) for model, found in kept["models"].items()}
        counted = {name: Counter(kept[name]) for name in ("facts", "sources")}
        return cls(**{**kept, **counts, **counted, "models": models})


# --- job --------------------------------------------------------------------------------------------------------------

Server = str | Profile

STREAM: Final = "stream"
BATCH, EXPORT, PAIR = "batch", "export", "pair"
AUTO: Final = "auto"
"""A source whose rows each show their protocol (`proxai_ir.protocol.detection`)."""
WHOLE = ""
"""The column of a job whose rows are payloads, in Parquet too: the JSON pointer to a whole document."""
MODEL = "model"
PROFILES = (MODEL, "protocol")
KINDS = (*api.KINDS, PAIR, BATCH, EXPORT)
"""The kinds of rows: a payload of one of the library's kinds, a request with its response, a line of a batch file
(`proxai_ir.batch`), or a value that `proxai_ir.exports` converts, whose form `src` or `dst` names."""
CHUNK = 1 << 20
"""Bytes of a chunk, the unit of work: as many whole lines of JSON Lines as fit, or about as many rows of Parquet."""
LONGEST_ROW = 256 << 20
"""Bytes of the longest line that is read into memory."""
OUTPUT = "output"
"""The member with the output in the envelope of a row that has no column for it."""
ROUTE, HEADERS, RULE, PATH = "route", "headers", "refused_rule", "refused_path"
ADDED = ("row", ROUTE, HEADERS, RULE, PATH)
"""The members of an envelope other than the output; in tables, and in those of the engines, each is a column."""
LOSS: Final = "loss"
OUTSIDE = frozenset({"ENV-13", "TUL-24", "RSN-46"})
"""The rules of values that are in the route or the headers of a conversion: without envelopes a file loses them."""


class BulkError(Exception):
    """The run cannot begin or go on; the text says why."""


@attrs.frozen
class Job:
    """The conversion of every row. `column` is the member or column with the payload; None: the line is the payload,
    or in Parquet the column "payload"; WHOLE: the row is.
    """

    src: Server
    dst: Server
    kind: str | None = None
    options: Mapping[str, Any] = attrs.field(factory=dict)
    column: str | None = None
    profile: str = MODEL
    """The target of requests: "model", what the model that a row names accepts (CAP-5), or "protocol", what all servers
    of the protocol accept. A Profile as `dst`, and options, take precedence."""
    writes: bool = True
    """Whether outputs are written; else rows are only checked."""
    diagnostics: bool = False
    """Whether all findings of converted rows are written to files next to the outputs."""
    key: str | None = None
    """The member, the JSON pointer or the column that names a row in findings, refusals and envelopes."""
    envelope: bool = False
    """Whether each row is written with its output and the members ADDED; a refused row has no output."""
    limit: int | None = None
    """The number of the last row of each file that is converted."""
    sample: float | None = None
    """The share of the rows that are converted."""
    fail_fast: bool = False
    ordered: bool = True
    """Whether a chunk waits until earlier ones are written."""
    chunk: int = CHUNK
    longest_row: int = LONGEST_ROW

    def validated(self) -> Job:
        """Return the job itself, before any file is read.

        Raises TypeError for an option that the target lacks, and ValueError for other errors.
        """
        if self.profile not in PROFILES:
            raise ValueError(f"profile is {self.profile!r:.80}; expected one of {', '.join(PROFILES)}")
        if self.kind is not None and self.kind not in KINDS:
            raise ValueError(f"kind is {self.kind!r}; expected one of {', '.join(KINDS)}")
        forms = [name for name in self.protocols() if self.kind == EXPORT and name in FORMS]
        for name in self.protocols():
            if name not in (*protocols(), *forms) and (name != AUTO or name != self.src or self.kind == EXPORT):
                raise ValueError(f"there is no protocol {name!r}; expected one of {', '.join(protocols())}")
        if self.kind == EXPORT:
            if len(forms) != 1:
                raise ValueError(f"expected one of {', '.join(FORMS)} as either the source or the target")
            with suppress(TranslationError):  # about the empty payload; a wrong option is a TypeError
                compile_export({}, self.src, self.dst, **self.options)
        else:
            api.check({}, self.dst if self.src == AUTO else self.src, self.dst, kind="request", **self.options)
        if self.kind == BATCH:
            self._have_lines()
        if self.chunk < 1 or self.longest_row < 1:
            raise ValueError("expected chunk and longest_row of at least 1 byte")
        if self.limit is not None and self.limit < 1:
            raise ValueError(f"limit is {self.limit}; expected the number of a row, 1 or more")
        if self.sample is not None and not 0 < self.sample <= 1:
            raise ValueError(f"sample is {self.sample}; expected a share of the rows, above 0 and at most 1")
        return self

    def _have_lines(self) -> None:
        """Raise ValueError for a protocol without batch lines, since no row could be converted."""
        for server in (self.src, self.dst):
            try:
                batch.accepted_id("", self.dst if server == AUTO else server)
            except TranslationError as error:
                raise ValueError(error.diagnostics[0].message) from None

    def takes(self, row: int, file: str) -> bool:
        """Return whether a row is converted: up to `limit`, and by a hash of its number and its file for `sample`."""
        if self.limit is not None and row > self.limit:
            return False
        if self.sample is None:
            return True
        drawn = hashlib.blake2b(f"{row} {file}".encode(errors="surrogateescape"), digest_size=8).digest()
        return int.from_bytes(drawn, "big") < self.sample * (1 << 64)

    def digest(self) -> str:
        """Return a hash of all that decides the output; options are not kept themselves, as they can hold keys."""
        what = [self.src, self.dst, self.kind, self.options, self.column, self.profile, self.diagnostics]
        rows = [self.key, self.envelope, self.limit, self.sample]
        settings = [*what, *rows, self.ordered, self.chunk, self.longest_row, proxai_ir.__version__]
        known = orjson.dumps(settings, default=_plain, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
        return hashlib.sha256(known).hexdigest()

    @property
    def by_model(self) -> bool:
        """Whether requests are converted for the models that they name, unless they are of the target's protocol."""
        src, dst = self.protocols()
        return self.profile == MODEL and src != dst and self.kind != EXPORT

    @property
    def of_pairs(self) -> bool:
        """Whether rows are pairs whose envelopes keep the other members of the row."""
        return self.kind == EXPORT and self.envelope and self.dst in FORMS and not self.column

    @property
    def outside(self) -> frozenset[str]:
        """The rules of values that an output loses, as it has no place for a route and headers."""
        return frozenset() if self.envelope else OUTSIDE

    def protocols(self) -> tuple[str, str]:
        return protocol_of(self.src), protocol_of(self.dst)


def _plain(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return dict(value) if isinstance(value, Mapping) else repr(value)


FIRST_ROW = 1


class Chunk(NamedTuple):
    """Rows of one file, in bytes, on their way to a worker."""

    form: str
    """The form of the bytes, in the input and in the output."""
    row: int
    """The number of its first row, counted from 1."""
    rows: int
    data: bytes
    end: int
    """The position of the next chunk: a byte of the text, or a row of a table."""
    position: int
    """The bytes of the file that are read so far, for the progress bar."""
    too_long: int = 0
    """The length of a single row that is longer than allowed, and whose data is not here."""
    file: str = ""
    """The name of the file's output."""


class Done(NamedTuple):
    """A converted chunk: the bytes to append to the output, and to the files of refused rows and of findings."""

    output: bytes
    refused: bytes
    tally: Tally
    ids: Sequence[tuple[str, int]] = ()
    """The ids of a batch file's lines as they are written, each with its row."""
    found: bytes = b""


class UnreadableError(Exception):
    """A file that cannot be read, or not to its end; the text says why."""
