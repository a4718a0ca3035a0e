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
from ..conversion.bytes import dumped, parsed
from ..conversion.conversion import Conversion
from ..conversion.options import quotes
from ..conversion.profile import protocol_of
from ..exports import compile_export
from ..ir.request import Request
from ..protocol.detection import detected, readings
from ..protocol.registry import framing_of, protocols
from ..reporting import diagnostics as d
from ..reporting.catalogue import KNOWN
from ..streaming.lowering import begins, first_of
from .job import AUTO, BATCH, EXPORT, STREAM, Count, Counts, Done, Job, Server, Tally

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

LOSS = "loss"
DEFAULT = "SMP-6"
ENDED = "The process that converted this row ended by itself, perhaps for lack of memory."
FATAL = (d.Diagnostic(d.FAILED, d.Severity.ERROR, "", ENDED),)
"""The diagnostics of a fatal row."""


def _compile_stream(payload: bytes, src: Server, dst: Server, **options: Any) -> Conversion[Any]:
    """Return the conversion of a stream that is a JSON array of events, or bytes.

    A text stays a text: it becomes an array if the target's bytes are no text.
    """
    framing = framing_of(src)
    if payload.startswith(b"["):
        events = parsed(payload)
    elif framing_of(dst).binary and not framing.binary:
        events = list(framing.decode([payload]))
    else:
        return api.compile(payload, src, dst, kind=STREAM, **options)
    done = api.compile(events, src, dst, kind=STREAM, **options)
    done.output = dumped(done.output)
    return done


COMPILERS: Mapping[str | None, Callable[..., Conversion[Any]]] = {
    STREAM: _compile_stream,
    BATCH: compile_line,
    EXPORT: compile_export,
}
"""The functions for rows that are not one payload each."""


def attempt(
    payload: bytes,
    src: Server,
    dst: Server,
    kind: str | None,
    options: Mapping[str, Any],
    served: Callable[[Request], Server] | None = None,
) -> Conversion[bytes] | tuple[d.Diagnostic, ...]:
    """Return the conversion of one row, or the diagnostics of its refusal. Raises nothing: an error costs one row."""
    compiler = COMPILERS.get(kind)
    try:
        if src == AUTO and kind != BATCH:
            src = _detected(payload, kind, protocol_of(dst))
        if compiler is not None:
            return compiler(payload, None if src == AUTO else src, dst, **options)
        return api.converted(payload, src, dst, kind, options, served)
    except d.TranslationError as error:
        return error.diagnostics
    except RecursionError as error:
        return d.too_deep(error).diagnostics
    except Exception as error:  # a bug of ours
        return (d.failed(error, quotes(options)),)


def _detected(payload: bytes, kind: str | None, dst: str) -> str:
    """Return the protocol of a row: the one that leaves the fewest members unknown.

    Several protocols may do so if the row means the same in all of them. Raises InvalidPayload.
    """
    found: Sequence[Any]
    if kind == STREAM:
        names, same = _streams(payload), False
    else:
        found = detected(parsed(payload), kind)
        names = [one.protocol for one in found]
        trees = [attrs.evolve(one.node, protocol=None) for one in found]
        same = all(tree == trees[0] for tree in trees)
    if len(names) == 1 or (names and same):
        return dst if dst in names else names[0]
    what = f"a payload of {' or '.join(names)}, which mean different things" if names else "one that none of them reads"
    detail = f"expected a payload of {', '.join(protocols())}; found {what}"
    raise d.InvalidPayload(d.render([("SHP-3", None, detail)], None, refused=True))


def _streams(payload: bytes) -> list[str]:
    found = []
    for name in protocols():
        with suppress(d.TranslationError):
            if name in begins(first_of([*framing_of(name).decode([payload])])):
                found.append(name)
    return found


class Refused(Exception):
    """A row was refused, after which a job with `fail_fast` converts no more."""


@attrs.frozen
class Watch:
    """The row that a process is at, in case the row ends the process."""

    at: Any
    """The number of the row, a value in shared memory."""
    fatal: frozenset[int]
    """The rows at which such a process ended."""


class Rows:
    """Converts rows, counts them, and collects the refused ones."""

    def __init__(self, job: Job, watch: Watch | None = None) -> None:
        self.tally = Tally()
        self.refused: list[bytes] = []
        self.ids: list[tuple[str, int]] = []
        self._job = job
        self._watch = watch
        self._options = dict(job.options)
        self._quotes = quotes(job.options)
        self._models = Models(job.dst, job.options.get("model")) if job.by_model else None

    def convert(self, payload: bytes, row: int, written: bytes | None = None) -> bytes | None:
        """Return the output, or None for a refused row; `written` is the row if the payload is only a part of it."""
        kept = payload if written is None else written
        job = self._job
        ids: dict[str, int] = {}
        models = self._models
        served = None if models is None else models.served
        options = self._options
        if job.kind == BATCH:
            options = {**options, "number": row, "ids": ids, "served": served}
        done = attempt(payload, job.src, job.dst, job.kind, options, served)
        facts = () if models is None else models.facts()
        if isinstance(done, tuple):
            self.refuse(self._advised(done, payload), row, kept)
            return None
        self.ids += ids.items()
        self.tally.converted += 1
        self.tally.facts.update(facts)
        self._report(done, row)
        for finish in done.finishes:
            self.tally.ended(finish)
        return done.output

    def _advised(self, found: tuple[d.Diagnostic, ...], payload: bytes) -> tuple[d.Diagnostic, ...]:
        """Return the diagnostics with a hint at the member that holds the payload, if the caller named none."""
        job, first = self._job, found[0]
        if job.column is not None or not first.rule.startswith("SHP-"):
            return found
        with suppress(d.TranslationError):
            entry = parsed(payload)
            for name, value in entry.items() if isinstance(entry, dict) else ():
                if isinstance(value, dict) and any(job.src in (AUTO, one.protocol) for one in readings(value)):
                    message = f"{first.message} Is it in the member {name!r}? Name it: column={name!r} (--column)"
                    return (first._replace(message=message), *found[1:])
        return found

    def refuse(self, found: Sequence[d.Diagnostic], row: int, payload: bytes | None) -> None:
        """Count a refused row and keep it. Raises Refused with `fail_fast`."""
        first = found[0]
        self.tally.refused += 1
        for one in {one.rule: one for one in reversed(found)}.values():
            _count(self.tally.refusals, one.rule, row, one.path, one.message)
        entry = {"row": row, "rule": first.rule, "path": first.path, "message": first.message, **_kept(payload)}
        self.refused.append(orjson.dumps(entry) + b"\n")
        if self._job.fail_fast:
            raise Refused

    def wrong(self, rule: str, detail: str, row: int, payload: bytes | None) -> None:
        """Refuse a row that holds no payload. Raises Refused with `fail_fast`."""
        self.refuse(d.render([(rule, None, detail)], None, refused=True, quote_values=self._quotes), row, payload)

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
        if DEFAULT in rules or any(rule not in self.tally.reported for rule in rules):
            found = {one.rule: one for one in reversed(done.diagnostics)}
        if any(KNOWN[rule].severity == LOSS for rule in found):
            self.tally.lossy += 1
        for rule, one in found.items():
            _count(self.tally.reported, rule, row, one.path if one else "", one.message if one else "")


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
