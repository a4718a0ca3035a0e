"""What the library reports about a conversion: diagnostics, and the errors that stop one.

Rule 1: a record is a tuple and costs next to nothing; it becomes a Diagnostic with a JSON pointer only when it is read.
Rule 2: a severity belongs to the rule (LOS-2), never to the place that cites it. Rule 3: the length of a pointer, of a
message and of an error's text is bounded, whatever they quote. Rule 4: with `quote_values` false they quote nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from traceback import walk_tb
from typing import Any, NamedTuple

from ..json.pointer import Place, PointerIndex
from ..json.types import without_marks
from .catalogue import KNOWN

Record = tuple[str, Place, str]
"""A finding that is not rendered yet: rule id, place, detail."""
LATER = ""
"""In place of a rule id: the place is a function and its arguments, which return the records in place of this one."""

ROOT = "(the whole payload)"
"""How the empty pointer is shown to readers."""

MOST_NAMED = 20
MOST_DETAIL = 300
LONGEST_NAME = 80
"""How many refusals the text of an error names, and how long the detail of a message may be, in characters."""
MOST_NEAR = 3
"""How many names are suggested in place of a part of them."""


class Severity(StrEnum):
    """How much a diagnostic weighs: `info` costs no content, `loss` does, `error` stops the conversion (LOS-2)."""

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

    Its text names the first MOST_NAMED of them, and how many more there are.
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
    """There is no such protocol, or no such kind of payload: a mistake of the caller's, whatever the payload."""


def near(name: object, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the nearest known names, if any. A name that is a word of
    others, as "openai" is, suggests those."""
    from difflib import get_close_matches  # which takes as long as a first conversion to load

    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
        return ""
    known, wanted = [*known], name.lower()
    found = [one for one in known if f"_{wanted}_" in f"_{one}_"][:MOST_NEAR]
    found = found or get_close_matches(wanted, known, 1)
    return f"; did you mean {' or '.join(map(repr, found))}?" if found else ""


class InvalidPayload(TranslationError):
    """The source is not what it claims to be."""


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
        """Return one refusal that carries many records, in order."""
        refusal = cls(*records[0])
        refusal.records = list(records)
        return refusal

    def taken(self, payload: Any, quote_values: bool = True) -> tuple[Diagnostic, ...]:
        """Return its diagnostics. It lets go of the payload, which the error that takes its place would keep in
        memory."""
        found = render(self.records, payload, refused=True, quote_values=quote_values)
        self.records = []
        self.__traceback__ = self.__context__ = None
        return found


def render(
    records: Sequence[Record], payload: Any, *, refused: bool = False, tree: bool = False, quote_values: bool = True
) -> tuple[Diagnostic, ...]:
    """Return diagnostics with pointers into `payload`; one for each place that a shared object stands at, none twice.

    `refused`: they are why the conversion stopped, so that each is an error, whatever it is elsewhere (strict mode).
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
    """Return the same with the pointers that a function finds."""
    catalogue = REFUSED if refused else REPORTED
    found: dict[tuple[str, str, str], Diagnostic] = {}
    for rule, place, detail in _expanded(records):
        code, severity, message = catalogue[rule]
        if detail:
            message = f"{message} ({_cut(without_marks(detail, quote_values))})"
        for path in pointers(place):
            same = (rule, path, message)
            if same not in found:
                found[same] = _new(Diagnostic, (code, severity, path, message))
    return tuple(_once([*found.values()]))


DEFAULT = "SMP-6"


def _once(found: list[Diagnostic]) -> list[Diagnostic]:
    """Without defaults that are dropped where a loss names the same place: one finding for one thing (LOS-5)."""
    if not any(one.rule == DEFAULT for one in found):
        return found
    lost = {one.path for one in found if one.severity is Severity.LOSS}
    return [one for one in found if one.rule != DEFAULT or one.path not in lost]


_new = tuple.__new__  # in a third of the time that the class takes itself


def too_deep(error: RecursionError) -> InvalidPayload:
    """What the public functions raise in place of an error that a payload, or a caller deep in the stack, causes."""
    error.__traceback__ = error.__context__ = None  # which would keep the payload in memory
    return InvalidPayload(TOO_DEEP)


@contextmanager
def refused_as(error: type[TranslationError], source: Any, quote_values: bool = True) -> Iterator[None]:
    """Raise what is refused inside as this error, with pointers into `source`; the same of what is nested too deeply
    and of mistakes of packages.

    Where a payload is converted in a few microseconds, the clauses are written out.
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
"""In place of a rule: the conversion ended in an exception in the code of a protocol's package; for rows of files and
tables also in one of the library, which is a bug, or it ended its process."""


PACKAGES: set[str] = set()
"""The packages of the modules that loaded protocols are in; none of this library's."""


def mistake(error: Exception) -> TranslationError | None:
    """What the public functions raise in place of an exception in the code of a package, its author's mistake; None:
    it is another one."""
    if isinstance(error, (TranslationError, UnknownProtocol)):
        return None
    place = ""
    for frame, line in walk_tb(error.__traceback__):
        module = frame.f_globals.get("__name__") or ""
        if any(module == name or module.startswith(f"{name}.") for name in PACKAGES):
            place = f"{module}, line {line}, in {frame.f_code.co_name}"
    if not place:
        return None
    return TranslationError((Diagnostic(FAILED, Severity.ERROR, "", f"{type(error).__name__} in {place}; {AUTHORS}"),))


AUTHORS = "a mistake of the package, which its author can mend"


def failed(error: Exception, quote_values: bool) -> Diagnostic:
    """Return the diagnostic of such a row, so that it costs no other."""
    what = f"{type(error).__name__}: {error}" if quote_values else type(error).__name__
    return Diagnostic(FAILED, Severity.ERROR, "", what[:MOST_DETAIL])


class _Catalogue(dict[str, tuple[str, Severity, str]]):
    """Id, severity and sentence by rule: of those that were needed so far, since packages add theirs at any time."""

    def __init__(self, refused: bool) -> None:
        self._refused = refused

    def __missing__(self, rule: str) -> tuple[str, Severity, str]:
        known = KNOWN[rule]
        severity = Severity.ERROR if self._refused else Severity(known.severity)
        self[rule] = known.id, severity, known.sentence
        return self[rule]


REPORTED, REFUSED = _Catalogue(refused=False), _Catalogue(refused=True)


def _cut(detail: str) -> str:
    return detail if len(detail) <= MOST_DETAIL else detail[: MOST_DETAIL - 1] + "…"


def rules_of(records: Sequence[Record]) -> dict[str, None]:
    """Return the ids of the rules that records cite, each once; places are not looked for."""
    return dict.fromkeys(record[0] for record in _expanded(records))


def _expanded(records: Iterable[Record]) -> list[Record]:
    expanded: list[Record] = []
    for record in records:
        if record[0] == LATER:
            find, *arguments = record[1]
            expanded += find(*arguments)
        else:
            expanded.append(record)
    return expanded


TOO_DEEP = render([("SHP-7", None, "nested too deeply for what is left of the call stack")], None, refused=True)
