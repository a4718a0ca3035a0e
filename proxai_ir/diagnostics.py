"""What the library says about a conversion: diagnostics, and the errors that stop one.

Rule 1: a record is a tuple and costs next to nothing; it becomes a Diagnostic with a JSON pointer only
when somebody reads it. Rule 2: a severity belongs to the rule (LOS-2), never to the place that cites it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from .json_pointer import Place, pointers
from .rules.catalogue import KNOWN

Record = tuple[str, Place, str]
"""A finding that is not rendered yet: rule id, place, detail."""
LATER = ""
"""In place of a rule id: the place is a function and its arguments, which return the records in place of this one."""


class Severity(StrEnum):
    """How much a diagnostic weighs: `info` costs no content, `loss` does, `error` stops the conversion (LOS-2)."""

    INFO = "info"
    LOSS = "loss"
    ERROR = "error"


SEVERITIES = {severity.value: severity for severity in Severity}


class Diagnostic(NamedTuple):
    """One finding. `code`: a rule id (see spec/); `path`: an RFC 6901 pointer into the source, "" for all of it."""

    code: str
    severity: Severity
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.severity} {self.code} {self.path or '(the whole payload)'} {self.message}"


class TranslationError(ValueError):
    """The conversion was refused. `rule` and `path` are those of the first refusal, `diagnostics` holds all of them."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        self.rule = self.diagnostics[0].code
        self.path = self.diagnostics[0].path
        super().__init__(
            "; ".join(f"{d.code} at {d.path or 'the whole payload'}: {d.message}" for d in self.diagnostics)
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.diagnostics,)


class InvalidPayload(TranslationError):
    """The source is not what it says it is."""


class Unrepresentable(TranslationError):
    """The source is sound, but the target cannot say it."""


class StreamError(TranslationError):
    """The events of a stream come in an illegal order, or the stream was cut off."""


class Refusal(Exception):
    """Raised inside frontends and backends; the public functions turn it into a TranslationError at the boundary.

    `place` is a container of the source, or a tuple of a container and keys into it.
    """

    def __init__(self, rule: str, place: Place, detail: str = "") -> None:
        super().__init__(rule, detail)
        self.records: list[Record] = [(rule, place, detail)]

    @classmethod
    def of_records(cls, records: Sequence[Record]) -> Refusal:
        """One refusal that carries many records, in order."""
        refusal = cls(*records[0])
        refusal.records = list(records)
        return refusal


def render(
    records: Sequence[Record], payload: Any, *, refused: bool = False, tree: bool = False
) -> tuple[Diagnostic, ...]:
    """Diagnostics with pointers into `payload`; one for each place that a shared object stands at, none twice.

    `refused`: they are why the conversion stopped, so that each is an error, whatever it is elsewhere (strict mode).
    `tree`: nothing in the payload is shared.
    """
    records = list(_expanded(records))
    if not records:
        return ()
    found: dict[Diagnostic, None] = {}
    places = pointers(payload, [place for _, place, _ in records], tree=tree)
    for (rule, _, detail), paths in zip(records, places, strict=True):
        known = KNOWN[rule]
        severity = Severity.ERROR if refused else SEVERITIES[known.severity]
        message = f"{known.sentence} ({detail})" if detail else known.sentence
        for path in paths:
            found[Diagnostic(known.id, severity, path, message)] = None
    return tuple(found)


def _expanded(records: Iterable[Record]) -> Iterator[Record]:
    for record in records:
        if record[0] == LATER:
            find, *arguments = record[1]
            yield from find(*arguments)
        else:
            yield record
