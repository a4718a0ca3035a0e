"""The matrix of one pair: what a target makes of every field and place of the IR that the source can express.

Rule 1: the verdicts are those that the legality pass executes; nothing here decides anything. Rule 2: knows no
protocol. Rule 3: what a source can express is what its own target table carries for a server with all capabilities,
and what its frontend declares as `source_only`; only what is reached from a request, a response or an error counts.

A field of a node that the target does not carry has no row: the row of the node's place or field is about it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import attrs
from attrs import frozen

from ..ir.error import Error
from ..ir.request import Request, Role, Turn
from ..ir.response import Response
from ..ir.structure import BOOKKEEPING, CHILDREN, PLACE_OF, PLACES, held_class
from ..protocol.registry import Frontend, backend, frontend
from ..targets.verdicts import Target, all_shown, described
from .tables import Judged, lacking_all, on_field, on_place

VERDICTS = {
    "exact": "arrives with the same meaning; a rule names what is reported of it",
    "generated": "absent from the source and required by the target: filled in",
    "omitted": "dropped, and no content and no behaviour of the response changes",
    "approximated": "arrives in a form that holds less",
    "lost": "dropped",
    "rejected": "stops the conversion",
}
"""What may become of a value, by the gravity of it."""

OF_WORDS = {
    "ok": "exact",
    "notes": "exact",
    "fills": "generated",
    "omits": "omitted",
    "weaker": "approximated",
    "loses": "lost",
    "refuses": "rejected",
}

ROOTS: dict[str, type] = {"request": Request, "response": Response, "error": Error}


@frozen
class Outcome:
    """One verdict on a subject.

    `some`: for some values only; `without`: for servers that lack this capability; `where`: for servers whose settings
    are so, in words.
    """

    verdict: str
    rule: str
    some: bool
    without: str
    where: str = ""


@frozen
class Row:
    """The fate of a field ("Sampling.seed") or of a class in a place ("Image in user").

    `verdict` holds unless one of the other `outcomes` does, on a server of which nothing is stated.
    """

    subject: str
    kinds: tuple[str, ...]
    verdict: str
    outcomes: tuple[Outcome, ...]

    @property
    def excepted(self) -> bool:
        """Whether an outcome has another verdict."""
        return any(one.verdict != self.verdict for one in self.outcomes)


class Subject(NamedTuple):
    """A field of a class, or the class in a `place`."""

    cls: type
    field: str = ""
    place: str = ""

    def __str__(self) -> str:
        return f"{self.cls.__name__}.{self.field}" if self.field else f"{self.cls.__name__} in {self.place}"

    def judged(self, target: Target, kind: str) -> Judged | None:
        if self.field:
            return on_field(target, self.cls, self.field, kind)
        return on_place(target, kind, self.place, self.cls)


def pair(src: str, dst: str) -> list[Row]:
    """Return one row for each field and place that `src` can express and `dst` judges; several where kinds differ."""
    front, source, target = frontend(src), having_all(backend(src).target), backend(dst).target
    lacking = lacking_all(target)
    kinds: dict[tuple[str, str, tuple[Outcome, ...]], list[str]] = {}
    for kind in ROOTS:
        for subject in expressed(front, source, kind):
            every, stated = subject.judged(lacking, kind), subject.judged(target, kind)
            if every is not None and stated is not None:
                row = (str(subject), _general(stated), _outcomes(every))
                kinds.setdefault(row, []).append(kind)
    return [Row(subject, tuple(found), verdict, outcomes) for (subject, verdict, outcomes), found in kinds.items()]


def having_all(target: Target) -> Target:
    return target.having(all_shown(target.capabilities, has=True))


def _outcomes(judged: Judged) -> tuple[Outcome, ...]:
    found = (
        Outcome(OF_WORDS[one.word], one.rule or "", partly, one.without, described(one.where)) for one, partly in judged
    )
    return tuple(dict.fromkeys(found))


def _general(judged: Judged) -> str:
    """Return the verdict that holds without a condition; all values of a field may be judged one by one."""
    general = (OF_WORDS[one.word] for one, partly in judged if not partly and one.word != "fills")
    return next(general, "exact")


def expressed(front: Frontend, source: Target, kind: str) -> Iterator[Subject]:
    """Yield what a payload of this kind can have."""
    waiting = [ROOTS[kind]]
    for cls in waiting:  # which grows meanwhile
        for name in [one.name for one in attrs.fields(cls) if one.name not in BOOKKEEPING]:
            if name not in front.source_only.get(cls, ()) and not _carried(on_field(source, cls, name)):
                continue
            yield Subject(cls, name)
            for below in _below(front, source, kind, cls, name):
                if below.place:
                    yield below
                if below.cls not in waiting:
                    waiting.append(below.cls)


def _below(front: Frontend, source: Target, kind: str, cls: type, name: str) -> Iterator[Subject]:
    """Yield the nodes that a field can hold; those outside of all places have no place."""
    place = CHILDREN.get(cls, {}).get(name)
    if place == "turns":
        yield Subject(Turn)
    elif place == "":
        yield Subject(held_class(cls, name))
    elif place is not None:
        for one in _turns(source, kind) if place == "role" else [place]:
            for held in PLACES[one]:
                if held in front.source_only.get(one, ()) or _carried(on_place(source, kind, one, held)):
                    yield Subject(held, place=one)


def _turns(source: Target, kind: str) -> list[str]:
    """Return the places of turns; in a response all turns are the assistant's."""
    places = dict.fromkeys(PLACE_OF.values()) if kind == "request" else [PLACE_OF[Role.ASSISTANT]]
    return [place for place in places if source.holds(place)]


def _carried(judged: Judged | None) -> bool:
    """Return whether a value is carried as it is; a class that the table carries nowhere, but that is reached, is."""
    return judged is None or any(one.word in ("ok", "notes") and one.by is None for one, _ in judged)
