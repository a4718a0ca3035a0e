"""The conversion of one row: its output or its refusal, its counts, and the target for the model that it names (CAP-5).

Rule 1: whatever a row holds, the rows after it are converted. Rule 2: diagnostics are rendered only if they are shown,
for the first row of a chunk that reports a rule: that takes longer than finding them.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

import attrs
import orjson

from .. import api
from ..batch import compile_line
from ..batch.convert import same_id
from ..conversion.bytes import parsed
from ..conversion.conversion import Conversion
from ..conversion.options import quotes
from ..exports import compile_export
from ..exports.pairs import MEMBERS
from ..ir.request import Request
from ..protocol.detection import readings
from ..reporting import diagnostics as d
from ..reporting.catalogue import KNOWN
from .compilers import compile_pair, compile_stream, shown_protocol
from .job import (
    AUTO,
    BATCH,
    CONVERTED,
    EXPORT,
    HEADERS,
    LOSS,
    LOSSY,
    PAIR,
    PATH,
    ROUTE,
    RULE,
    STREAM,
    Count,
    Counts,
    Done,
    Job,
    Server,
    Tally,
)  # fmt: skip

# --- models -----------------------------------------------------------------------------------------------------------
# Rule: the table of models is loaded at the first request, and looked up once for each name.

MOST = 4096  # names that are kept


class Served(NamedTuple):
    """The target for one model, and the numbers of the facts about the model that it is based on."""

    side: Server
    facts: tuple[str, ...]


@lru_cache(MOST)
def served(side: Server, model: str) -> Served:
    from ..profiles.models import tailored
    from ..profiles.vendors import FACTS

    made = tailored(side, model)
    stated = set(map(id, made.why))
    return Served(made, tuple(str(number) for number, fact in enumerate(FACTS) if id(fact) in stated))


class Models:
    """Finds the targets of the rows of a chunk, one after another; `model` is for requests that name none."""

    def __init__(self, side: Server, model: str | None) -> None:
        self._side, self._model = side, model
        self._last: tuple[str, ...] = ()

    def served(self, request: Request) -> Server:
        model = request.model or self._model
        if not model:
            return self._side
        found = served(self._side, model)
        self._last = found.facts
        return found.side

    def facts(self) -> tuple[str, ...]:
        """Return the facts for the request since the last call; none if there was no request."""
        found, self._last = self._last, ()
        return found


# --- rows -------------------------------------------------------------------------------------------------------------

DEFAULT = "SMP-6"
ENDED = "The process that converted this row ended by itself, perhaps for lack of memory."
FATAL = (d.Diagnostic(d.FAILED, d.Severity.ERROR, "", ENDED),)
"""The diagnostics of a fatal row."""


COMPILERS: Mapping[str | None, Callable[..., Conversion[Any]]] = {STREAM: compile_stream, EXPORT: compile_export}
"""The functions for rows that hold something else than one payload; pairs and lines of batch files have their own."""


class RowConverter:
    """Converts the rows of a job, one after another. It raises nothing: an error costs one row."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._options = dict(job.options)
        self._compiler = COMPILERS.get(job.kind)
        self._models = Models(job.dst, job.options.get("model")) if job.by_model else None

    def convert(
        self, payload: bytes, row: int = 0, ids: dict[str, int] | None = None
    ) -> Conversion[bytes] | tuple[d.Diagnostic, ...]:
        """Return the conversion of one row, or the diagnostics of its refusal.

        row, ids  of a batch file: the number of the line, and the ids of earlier lines (BAT-4)
        """
        try:
            return self._converted(payload, row, ids)
        except d.TranslationError as error:
            return error.diagnostics
        except RecursionError as error:
            return d.too_deep(error).diagnostics
        except Exception as error:  # a bug of ours
            return (d.failed(error, quotes(self._options)),)

    def _converted(self, payload: bytes, row: int, ids: dict[str, int] | None) -> Conversion[bytes]:
        job, options = self._job, self._options
        served = None if self._models is None else self._models.served
        if job.kind == BATCH:
            src = None if job.src == AUTO else job.src
            return compile_line(payload, src, job.dst, number=row, ids=ids, served=served, **options)
        if job.kind == PAIR:
            return compile_pair(payload, job.src, job.dst, served, options)
        if self._compiler is not None:
            return self._compiler(payload, job.src, job.dst, **options)
        src = shown_protocol(payload, job.kind, job.dst) if job.src == AUTO else job.src
        return api.converted(payload, src, job.dst, job.kind, options, served)

    def facts(self) -> tuple[str, ...]:
        """Return the facts about models that the last row was converted by."""
        return () if self._models is None else self._models.facts()


class Refused(Exception):
    """A row was refused, after which a job with `fail_fast` converts no more."""


@attrs.frozen
class Watch:
    """The row that a process is at, in case the row ends the process."""

    at: Any
    """The number of the row, a value in shared memory."""
    fatal: frozenset[int]
    """The rows at which such a process ended."""


class Made(NamedTuple):
    """Hold a row as it is written: its output, None for a refused row, and the other members of its envelope."""

    output: bytes | None
    added: dict[str, Any]


class Rows:
    """Converts rows, counts them, and collects the refused ones, and the findings of the others if they are wanted.

    `key` is the name of the row at hand, if the job says where that stands.
    """

    def __init__(self, job: Job, watch: Watch | None = None) -> None:
        self.key: Any = None
        self.tally = Tally()
        self.refused: list[bytes] = []
        self.found: list[bytes] = []
        self.ids: list[tuple[str, int]] = []
        self._job = job
        self._watch = watch
        self._quotes = quotes(job.options)
        self._converter = RowConverter(job)
        self._envelope, self._outside = job.envelope, job.outside

    def convert(self, payload: bytes, row: int, written: bytes | None = None) -> Made:
        """Return what a row became; `written` is the row if the payload is only a part of it."""
        ids: dict[str, int] = {}
        done = self._converter.convert(payload, row, ids)
        facts = self._converter.facts()
        if isinstance(done, tuple):
            return self.refuse(self._advised(done, payload), row, payload if written is None else written)
        self.ids += ids.items()
        self.tally.converted += 1
        self.tally.sources[f"{done.src} {done.kind}"] += 1
        self.tally.facts.update(facts)
        self._report(done, row)
        for finish in done.finishes:
            self.tally.ended(finish)
        return Made(done.output, self._added(row, {ROUTE: done.route, HEADERS: done.headers}) if self._envelope else {})

    def _added(self, row: int, found: Mapping[str, Any]) -> dict[str, Any]:
        """Return the members of a row's envelope other than the output."""
        return {**self._named(row), **{name: value for name, value in found.items() if value != {}}}

    def _weighed(self, one: d.Diagnostic) -> d.Diagnostic:
        return one._replace(severity=d.Severity.LOSS) if one.rule in self._outside else one

    def _advised(self, found: tuple[d.Diagnostic, ...], payload: bytes) -> tuple[d.Diagnostic, ...]:
        """Return the diagnostics with a hint at the member that holds the payload, if the caller named none."""
        job, first = self._job, found[0]
        if job.column is not None or job.kind in (BATCH, EXPORT, PAIR) or not first.rule.startswith("SHP-"):
            return found  # lines of batches and pairs have such members of their own
        with suppress(d.TranslationError):
            entry = parsed(payload)
            if isinstance(entry, dict) and entry.keys() >= {*MEMBERS}:
                message = f"{first.message} Is it a request with its response? Name that: kind={PAIR!r} (--kind {PAIR})"
                return (first._replace(message=message), *found[1:])
            for name, value in entry.items() if isinstance(entry, dict) else ():
                if isinstance(value, dict) and any(job.src in (AUTO, one.protocol) for one in readings(value)):
                    message = f"{first.message} Is it in the member {name!r}? Name it: column={name!r} (--column)"
                    return (first._replace(message=message), *found[1:])
        return found

    def refuse(self, found: Sequence[d.Diagnostic], row: int, payload: bytes | None) -> Made:
        """Count a refused row and keep it. Raises Refused with `fail_fast`."""
        first = found[0]
        self.tally.refused += 1
        for one in {one.rule: one for one in reversed(found)}.values():
            _count(self.tally.refusals, one.rule, row, one.path, one.message)
        what = {"rule": first.rule, "path": first.path, "message": first.message, **_kept(payload)}
        self.refused.append(orjson.dumps({**self._named(row), **what}, default=str) + b"\n")
        if self._job.fail_fast:
            raise Refused
        return Made(None, self._added(row, {RULE: first.rule, PATH: first.path}) if self._envelope else {})

    def _named(self, row: int) -> dict[str, Any]:
        return {"row": row} if self._job.key is None else {"row": row, "key": self.key}

    def wrong(self, rule: str, detail: str, row: int, payload: bytes | None) -> Made:
        """Refuse a row that holds no payload. Raises Refused with `fail_fast`."""
        return self.refuse(
            d.render([(rule, None, detail)], None, refused=True, quote_values=self._quotes), row, payload
        )

    def is_fatal(self, row: int) -> bool:
        """Return whether the row has ended a process; called before the row is converted."""
        if self._watch is None:
            return False
        self._watch.at.value = row
        return row in self._watch.fatal

    def _report(self, done: Conversion[bytes], row: int) -> None:
        """Count the rules of a row; rendering may remove a dropped default (LOS-5)."""
        rules = done.rules
        found: Mapping[str, d.Diagnostic | None] = rules
        wanted = self._job.diagnostics
        if wanted or DEFAULT in rules or any(rule not in self.tally.reported for rule in rules):
            found = {one.rule: one for one in reversed(done.diagnostics)}
        lossy = any(rule in self._outside or KNOWN[rule].severity == LOSS for rule in found)
        if lossy:
            self.tally.lossy += 1
        for rule, one in found.items():
            _count(self.tally.reported, rule, row, one.path if one else "", one.message if one else "")
        model = getattr(done.node, "model", None)
        if model:
            self.tally.of_model(model, {CONVERTED: 1, LOSSY: int(lossy), **dict.fromkeys(found, 1)})
        if wanted:
            about = {**self._named(row), "model": model}
            all_found = [{**about, **self._weighed(one).as_json()} for one in done.diagnostics]
            self.found += [orjson.dumps(one, default=str) + b"\n" for one in all_found]

    def done(self, output: bytes) -> Done:
        """Return the converted chunk, whose output is `output`."""
        return Done(output, b"".join(self.refused), self.tally, self.ids, b"".join(self.found))


class Ids:
    """The ids of one batch file, each with the first row that has it."""

    def __init__(self, job: Job) -> None:
        self._first: dict[str, int] = {}
        self._quotes = quotes(job.options)

    def count_repeated(self, done: Done) -> None:
        """Count in the tally of a chunk the rows whose id another row has (BAT-4)."""
        for sent, row in done.ids:
            first = self._first.setdefault(sent, row)
            if first != row:
                earlier, later = sorted((first, row))  # chunks may come in any order
                self._first[sent] = earlier
                (found,) = d.render([("BAT-4", None, same_id(sent, earlier))], None, quote_values=self._quotes)
                _count(done.tally.reported, found.rule, later, found.path, found.message)


def _count(counts: Counts, rule: str, row: int, path: str, message: str) -> None:
    if rule in counts:
        counts[rule].rows += 1
    else:
        counts[rule] = Count(1, {"row": row, "path": path, "message": message})


def _kept(payload: bytes | None) -> dict[str, Any]:
    """Return the payload as it was: text as text, other bytes in base64."""
    try:
        return {"payload": None if payload is None else payload.decode()}
    except UnicodeDecodeError:
        return {"payload_base64": base64.b64encode(payload or b"").decode()}
