"""The notation of target tables, and their one law: a table judges every field, enum member and place of the IR.

Rule 1: verdicts declare and do nothing. Rule 2: a table with a hole refuses to load. Rule 3: knows no protocol.

    of(Image, ok("source cache"), loses("IMG-1", "detail"))         what a class's fields mean to the target
    inside("user", ok(Text, Image), refuses("AUD-1", Audio))        which classes may stand in a place
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple, get_args

import attrs
from attrs import define, frozen

from ..ir.structure import BOOKKEEPING, CHILDREN, FEATURES, PLACES, hints
from .catalogue import RULES

When = Callable[[Any], bool]


@frozen
class Verdict:
    """What becomes of a field, one of its values (`values`), or a class in a place; legal where `rule` is None.

    `when` limits it to nodes for which it holds; the next verdict of the same subject speaks for the others. `at` is
    the member of the node's wire object that a finding about a class points at, where that is not the whole object.
    `elsewhere`: declared here, found by a pass that looks at the field anyway.
    """

    word: str
    rule: str | None
    subjects: tuple[Any, ...]
    when: When | None = None
    at: str = ""
    elsewhere: bool = False


def _under(word: str, severity: str) -> Callable[..., Verdict]:
    def verdict(
        rule: str, *subjects: str | type, when: When | None = None, at: str = "", elsewhere: bool = False
    ) -> Verdict:
        if RULES[rule].severity != severity:
            raise ValueError(f"{rule} is {RULES[rule].severity}, and what a target {word} is {severity}")
        return Verdict(word, rule, _split(subjects), when, at, elsewhere)

    return verdict


def _split(subjects: Iterable[str | type]) -> tuple[Any, ...]:
    return tuple(name for subject in subjects for name in (subject.split() if isinstance(subject, str) else (subject,)))


def ok(*subjects: str | type) -> Verdict:
    """The target says it as it is."""
    return Verdict("ok", None, _split(subjects))


notes = _under("notes", "info")
"""Nothing of weight is lost, and it is said all the same."""
loses = _under("loses", "loss")
"""The target does not get it: the backend does not read it."""
weaker = _under("weaker", "loss")
"""The backend reads it and says something near to it."""
refuses = _under("refuses", "error")
"""The conversion stops."""

Rows = tuple[Any, tuple[Verdict, ...]]


def of(cls: type, *verdicts: Verdict) -> Rows:
    return cls, verdicts


def inside(place: str, *verdicts: Verdict, kind: str = "") -> Rows:
    """`kind` "response": for answers only, where they differ from requests."""
    return (place, kind), verdicts


Values = tuple[Any, ...]


class Field(NamedTuple):
    """The verdicts on one field that are not plainly legal, in order; `values` limits one to some values."""

    name: str
    verdicts: tuple[tuple[Values | None, Verdict], ...]


@frozen
class Check:
    """What no field shows: a function that looks at the tree below one class of root, and the rules it may cite.

    `at_once`: an answer's envelope alone shows it, so that a stream is held against it before anything is said.
    """

    run: Callable[..., None]
    rules: tuple[str, ...]
    about: type
    at_once: bool = False


@define
class Target:
    """What one protocol can say. Raises ValueError where the rows leave a field, an enum member or a place unjudged.

    `limits`: for rules that reject a value, the values that this target accepts; the details of their diagnostics.
    """

    name: str
    rows: Sequence[Rows]
    checks: Sequence[Check] = ()
    limits: Mapping[str, str] = attrs.field(factory=dict)
    fields: dict[type, tuple[Field, ...]] = attrs.field(init=False)
    places: dict[str, dict[str, dict[type, tuple[Verdict, ...]]]] = attrs.field(init=False)
    plans: dict[str, Any] = attrs.field(init=False, factory=dict)  # what legalize draws from the table, once

    def __attrs_post_init__(self) -> None:
        judged: dict[Any, tuple[Verdict, ...]] = {}
        for subject, verdicts in self.rows:
            judged[subject] = judged.get(subject, ()) + verdicts
        self.fields = {cls: tuple(_fields(cls, judged.pop(cls, ()))) for cls in FEATURES}
        request = {place: _place(place, judged.pop((place, ""), ()), {}) for place in PLACES}
        response = {place: _place(place, judged.pop((place, "response"), ()), request[place]) for place in PLACES}
        self.places = {"request": request, "response": response}
        if judged:
            raise ValueError(f"{self.name}: no such class or place: {list(judged)}")

    def cited(self) -> set[str]:
        """The ids of all rules that the table or its checks can report."""
        rows = {verdict.rule for _, verdicts in self.rows for verdict in verdicts if verdict.rule}
        return rows.union(*(check.rules for check in self.checks))


def _fields(cls: type, verdicts: tuple[Verdict, ...]) -> Iterable[Field]:
    types = hints(cls)
    named: dict[str, list[tuple[Values | None, Verdict]]] = {}
    for verdict in verdicts:
        for subject in verdict.subjects:
            name, _, values = subject.partition("=")
            if name not in types:
                raise ValueError(f"{cls.__name__} has no field {name}")
            named.setdefault(name, []).append((_values(types[name], values), verdict))
    wanted = {attribute.name for attribute in attrs.fields(cls)} - BOOKKEEPING - set(CHILDREN.get(cls, ()))
    for name in sorted(wanted):
        if not _total(types[name], named.get(name, [])):
            raise ValueError(f"no verdict for {cls.__name__}.{name}, or not for all its values")
    for name in sorted(named):
        if any(verdict.rule for _, verdict in named[name]):
            yield Field(name, tuple(named[name]))


def _members(hint: Any) -> dict[str, Any]:
    """The members of the enum that a field may hold, by value."""
    for option in (hint, *get_args(hint)):
        if isinstance(option, type) and issubclass(option, Enum):
            return {str(member.value): member for member in option}
    return {}


def _values(hint: Any, words: str) -> Values | None:
    if not words:
        return None
    members = _members(hint)
    return tuple(members[word] if members else word for word in words.split("|"))


def _total(hint: Any, verdicts: list[tuple[Values | None, Verdict]]) -> bool:
    always = [values for values, verdict in verdicts if verdict.when is None]
    if None in always:
        return True
    members = _members(hint)
    return bool(members) and all(any(one in (values or ()) for values in always) for one in members.values())


def _place(
    place: str, verdicts: tuple[Verdict, ...], default: Mapping[type, tuple[Verdict, ...]]
) -> dict[type, tuple[Verdict, ...]]:
    found: dict[type, tuple[Verdict, ...]] = {}
    for verdict in verdicts:
        for cls in verdict.subjects:
            found[cls] = (*found.get(cls, ()), verdict)
    for cls, old in default.items():
        found.setdefault(cls, old)
    for cls in PLACES[place]:
        if not any(verdict.when is None for verdict in found.get(cls, ())):
            raise ValueError(f"no verdict for {cls.__name__} in {place}")
    return found
