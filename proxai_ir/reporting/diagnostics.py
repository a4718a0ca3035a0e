"""The diagnostics of a conversion, and the errors that stop one.

Rule 1: a record is a tuple and costs next to nothing; it becomes a Diagnostic with a JSON pointer only when it is read.
Rule 2: a severity belongs to the rule (LOS-2), never to the code that cites it. Rule 3: pointers, messages and texts of
errors have limited lengths, whatever they quote. Rule 4: with `quote_values` false they quote nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import Any, NamedTuple

from ..json.pointer import Place, PointerIndex
from ..json.types import cut, without_marks
from .catalogue import KNOWN

Record = tuple[str, Place, str]
"""A finding that is not rendered yet: rule id, place, detail."""
LATER = ""
"""Stands for the rule id of a record whose place is a function and its arguments, which return the records for it."""

ROOT = "(the whole payload)"
"""The empty pointer, as readers see it."""

MOST_NAMED = 20  # refusals in the text of an error
MOST_DETAIL = 300  # characters of the detail of a message
LONGEST_NAME = 80  # characters of an unknown name that similar ones are suggested for
MOST_NEAR = 3  # suggestions


class Severity(StrEnum):
    """The severity of a diagnostic: `info` costs no content, `loss` does, `error` stops the conversion (LOS-2)."""

    INFO = "info"
    LOSS = "loss"
    ERROR = "error"


class Diagnostic(NamedTuple):
    """One finding. `rule`: its id (see spec/); `path`: an RFC 6901 pointer into the source, "" for all of it."""

    rule: str
    severity: Severity
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.severity} {self.rule} {self.path or ROOT} {self.message}"

    @property
    def code(self) -> str:
        """An alias of `rule`."""
        return self.rule

    def as_json(self) -> dict[str, str]:
        """Return its members by name; the empty path stays empty."""
        return {**self._asdict(), "severity": str(self.severity)}


class TranslationError(ValueError):
    """The conversion was refused. `rule` and `path` are those of the first refusal, `diagnostics` holds all of them.

    Its text names the first MOST_NAMED refusals, and how many more there are.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        self.rule = self.diagnostics[0].rule
        self.path = self.diagnostics[0].path
        named = [f"{d.rule} at {d.path or ROOT}: {d.message}" for d in self.diagnostics[:MOST_NAMED]]
        if len(self.diagnostics) > MOST_NAMED:
            named.append(f"and {len(self.diagnostics) - MOST_NAMED} more")
        super().__init__("; ".join(named))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.diagnostics,)


class UnknownProtocol(LookupError):
    """There is no such protocol, or no such kind of payload: a mistake in the call, whatever the payload."""


def near(name: object, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: similar known names, if any.

    For a name that is a word of others, as "openai" is, those are suggested.
    """
    from difflib import get_close_matches  # loading it takes as long as a first conversion

    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
        return ""
    known, wanted = [*known], name.lower()
    found = [one for one in known if f"_{wanted}_" in f"_{one}_"][:MOST_NEAR]
    found = found or get_close_matches(wanted, known, 1)
    return f"; did you mean {' or '.join(map(repr, found))}?" if found else ""


class InvalidPayload(TranslationError):
    """The source is not what it claims to be."""


class Unrepresentable(TranslationError):
    """The source is sound, but the target cannot express it."""


class StreamError(TranslationError):
    """The events of a stream come in an illegal order, or the stream was cut off."""


ONLY_WHETHER: ContextVar[bool] = ContextVar("only whether a payload is refused counts, and not for what", default=False)
"""Set while protocols are asked which of them read a payload: looking for all that is wrong with it takes longer than
reading it."""


class Refusal(Exception):
    """Raised inside frontends and backends; the public functions turn it into a TranslationError at the boundary.

    `place` is a container of the source, or a tuple of a container and keys into it.
    """

    def __init__(self, rule: str, place: Place, detail: str = "") -> None:
        super().__init__(rule, detail)
        self.records: list[Record] = [(rule, place, detail)]

    @classmethod
    def of_records(cls, records: Sequence[Record]) -> Refusal:
        """Return one refusal that carries many records, in order."""
        refusal = cls(*records[0])
        refusal.records = list(records)
        return refusal

    def taken(self, payload: Any, quote_values: bool = True) -> tuple[Diagnostic, ...]:
        """Return the diagnostics, and drop the payload, which the error that is raised instead would keep in memory."""
        found = render(self.records, payload, refused=True, quote_values=quote_values)
        self.records = []
        self.__traceback__ = self.__context__ = None
        return found


def render(
    records: Sequence[Record], payload: Any, *, refused: bool = False, tree: bool = False, quote_values: bool = True
) -> tuple[Diagnostic, ...]:
    """Return diagnostics with pointers into `payload`: one for each place of a shared object, and none twice.

    `refused`: the records stopped the conversion, so that each is an error, whatever its rule is (strict mode).
    `tree`: nothing in the payload is shared.
    """
    if not records:
        return ()
    return rendered(records, PointerIndex(payload, tree).pointers, refused=refused, quote_values=quote_values)


def rendered(
    records: Sequence[Record],
    pointers: Callable[[Place], list[str]],
    *,
    refused: bool = False,
    quote_values: bool = True,
) -> tuple[Diagnostic, ...]:
    """Return diagnostics whose pointers a function finds; the rest is as in `render`."""
    catalogue = REFUSED if refused else REPORTED
    found: dict[tuple[str, str, str], Diagnostic] = {}
    for rule, place, detail in _expanded(records):
        code, severity, message = catalogue[rule]
        if detail:
            message = f"{message} ({cut(without_marks(detail, quote_values), MOST_DETAIL)})"
        for path in pointers(place):
            key = (rule, path, message)
            if key not in found:
                found[key] = _new(Diagnostic, (code, severity, path, message))
    return tuple(_without_doubles([*found.values()]))


DEFAULT = "SMP-6"


def _without_doubles(found: list[Diagnostic]) -> list[Diagnostic]:
    """Leave out notes on dropped defaults at places that a loss names, as one finding is enough (LOS-5)."""
    if not any(one.rule == DEFAULT for one in found):
        return found
    lost = {one.path for one in found if one.severity is Severity.LOSS}
    return [one for one in found if one.rule != DEFAULT or one.path not in lost]


_new = tuple.__new__  # takes a third of the time of the class itself


def too_deep(error: RecursionError) -> InvalidPayload:
    """Return the error that the public functions raise for one that a deep payload, or a deep call stack, causes."""
    error.__traceback__ = error.__context__ = None  # else they would keep the payload in memory
    return InvalidPayload(TOO_DEEP)


@contextmanager
def refused_as(error: type[TranslationError], source: Any, quote_values: bool = True) -> Iterator[None]:
    """Raise a Refusal from inside as this error, with pointers into `source`, and handle deep values and mistakes.

    Functions that convert a payload in a few microseconds have these clauses themselves.
    """
    try:
        yield
    except Refusal as refusal:
        raise error(refusal.taken(source, quote_values)) from None
    except RecursionError as deep:
        raise too_deep(deep) from None
    except Exception as other:
        if wrong := mistake(other):
            raise wrong from other
        raise


FAILED = "internal"
"""Stands for a rule if a conversion ended in an exception in the code of a protocol's package. For rows of files and
tables it may also be a bug of the library, or the end of the process."""


PACKAGES: set[str] = set()
"""The names of the packages outside this library that loaded protocols are in."""


def mistake(error: Exception) -> TranslationError | None:
    """Return the error that the public functions raise for an exception in the code of a protocol's package.

    Return None for other exceptions.
    """
    if isinstance(error, (TranslationError, UnknownProtocol)):
        return None
    place = ""
    trace = error.__traceback__
    while trace is not None:
        frame, line, trace = trace.tb_frame, trace.tb_lineno, trace.tb_next
        module = frame.f_globals.get("__name__") or ""
        if any(module == name or module.startswith(f"{name}.") for name in PACKAGES):
            place = f"{module}, line {line}, in {frame.f_code.co_name}"
    if not place:
        return None
    return TranslationError((Diagnostic(FAILED, Severity.ERROR, "", f"{type(error).__name__} in {place}; {AUTHORS}"),))


AUTHORS = "a mistake of the package, which its author can mend"


def failed(error: Exception, quote_values: bool) -> Diagnostic:
    """Return the diagnostic of a row that ended in an exception, so that the other rows are converted."""
    what = f"{type(error).__name__}: {error}" if quote_values else type(error).__name__
    return Diagnostic(FAILED, Severity.ERROR, "", what[:MOST_DETAIL])


class _Catalogue(dict[str, tuple[str, Severity, str]]):
    """Id, severity and sentence by rule. An entry is made when it is needed, since packages add rules at any time."""

    def __init__(self, refused: bool) -> None:
        self._refused = refused

    def __missing__(self, rule: str) -> tuple[str, Severity, str]:
        known = KNOWN[rule]
        severity = Severity.ERROR if self._refused else Severity(known.severity)
        self[rule] = known.id, severity, known.sentence
        return self[rule]


REPORTED, REFUSED = _Catalogue(refused=False), _Catalogue(refused=True)


def rules_of(records: Sequence[Record]) -> dict[str, None]:
    """Return the ids of the rules that records cite, each once, without computing places."""
    return dict.fromkeys(record[0] for record in _expanded(records))


def _expanded(records: Iterable[Record]) -> list[Record]:
    """Return the records, with those that a record of the rule LATER stands for in its place."""
    expanded: list[Record] = []
    for record in records:
        if record[0] == LATER:
            find, *arguments = record[1]
            expanded += find(*arguments)
        else:
            expanded.append(record)
    return expanded


NO_STACK = "nested too deeply for what is left of the call stack"
TOO_DEEP = render([("SHP-7", None, NO_STACK)], None, refused=True)
