"""A table on a base: which verdicts count where the rows of two tables speak of the same, and what none speaks of.

Rule 1: what rows say of a subject, a field of a class or a class in a place, replaces what the base says of it; what
they limit to values, to what is absent, to servers or to requests stands before it. Rule 2: knows no protocol.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import attrs

from ..ir.error import Error
from ..ir.structure import BOOKKEEPING, FEATURES, PLACES, hints
from ..ir.versions import VERSION, since
from .rule import TableError

if TYPE_CHECKING:
    from .verdicts import Rows, Verdict

Words = tuple[str, ...]
"""The values of a field that a verdict is about, as rows write them; none: it is about all."""
Chain = tuple[tuple[Words, "Verdict"], ...]
Fields = Mapping[type, Mapping[str, Chain]]
Places = Mapping[str, Mapping[type, tuple["Verdict", ...]]]


class Table(NamedTuple):
    """The verdicts on each subject, in order, whatever the server."""

    fields: Fields
    request: Places
    response: Places

    def rules(self, classes: Iterable[type], places: Iterable[str]) -> set[str]:
        """The ids of the rules of the verdicts on these classes and places."""
        return {one.rule for one in self._verdicts(classes, places) if one.rule}

    def limited(self) -> list[Verdict]:
        """The verdicts that are about some servers only."""
        return [one for one in self._verdicts(self.fields, self.request) if one.limited]

    def _verdicts(self, classes: Iterable[type], places: Iterable[str]) -> Iterable[Verdict]:
        for cls in classes:
            for chain in self.fields.get(cls, {}).values():
                yield from (one for _, one in chain)
        for place in places:
            for kind in (self.request, self.response):
                for found in kind[place].values():
                    yield from found


CLASSES = frozenset(FEATURES)
EMPTY = Table({}, {}, {})
_BASES: dict[int, tuple[Sequence[Rows], Table]] = {}


def drawn(rows: Sequence[Rows], name: str) -> Table:
    """The verdicts of rows by subject; those on places as they stand, so that responses have only what differs."""
    fields: dict[type, dict[str, Chain]] = {}
    places: dict[str, dict[str, dict[type, tuple[Verdict, ...]]]] = {"": {}, "response": {}}
    for about, verdicts in rows:
        if about in CLASSES:
            chains = fields.setdefault(about, {})
            for one in verdicts:
                for subject in one.subjects:
                    field, _, words = subject.partition("=")
                    chains[field] = (*chains.get(field, ()), (tuple(words.split("|")) if words else (), one))
            known = {attribute.name for attribute in attrs.fields(about)}
            if unknown := chains.keys() - known:
                has = ", ".join(sorted(known - BOOKKEEPING))
                raise TableError(f"{name}: {about.__name__} has no field {', '.join(sorted(unknown))}; it has {has}")
        elif isinstance(about, tuple) and about[0] in PLACES and about[1] in places:
            place = places[about[1]].setdefault(about[0], {})
            for one in verdicts:
                for cls in one.subjects:
                    place[cls] = (*place.get(cls, ()), one)
            if strange := [cls.__name__ for cls in place if cls not in PLACES[about[0]]]:
                may = ", ".join(cls.__name__ for cls in PLACES[about[0]])
                raise TableError(f"{name}: no {', '.join(strange)} can be in {about[0]!r}, which takes {may}")
        elif isinstance(about, tuple):
            of = f" of kind {about[1]!r}" if about[1] else ""
            raise TableError(f"{name}: there is no place {about[0]!r}{of}; places are {', '.join(PLACES)}")
        else:
            raise TableError(f"{name}: expected a class of the IR or a place, as in `inside`, found {about!r:.80}")
    return Table(fields, places[""], places["response"])


def based_on(rows: Sequence[Rows]) -> Table:
    """The table of a base's rows, drawn once for all the tables that stand on it."""
    known = _BASES.get(id(rows))
    if known is not None and known[0] is rows:
        return known[1]
    made = over(drawn(rows, "the base"), EMPTY) if rows else EMPTY
    if isinstance(rows, tuple):  # others may change
        _BASES[id(rows)] = rows, made
    return made


def over(own: Table, base: Table, ir: int = VERSION, younger: Verdict | None = None) -> Table:
    """A table with the verdicts of `own`, written for a version of the IR, and those of the base on all else.

    `younger`: on categories of errors that came later, as no error is refused (ERR-10)
    """
    fields = dict(base.fields)
    for cls, chains in own.fields.items():
        below = fields.get(cls, {})
        joined = {name: _joined(cls, name, chain, below.get(name, ()), ir) for name, chain in chains.items()}
        fields[cls] = {**below, **joined}
    if ir < VERSION and younger is not None:
        words = _newer_words(Error, "category", own.fields.get(Error, {}).get("category", ()), ir)
        known = fields.get(Error, {})
        late = tuple(((word,), younger) for word in words)
        fields[Error] = {**known, "category": (*late, *known.get("category", ()))}
    request = _placed(own.request, base.request)
    return Table(fields, request, _placed(own.response, _placed(own.request, base.response)))


def _joined(cls: type, name: str, own: Chain, below: Chain, ir: int) -> Chain:
    if not below:
        return own
    if any(not (words or _limited(one)) for words, one in own):  # about all that there was when it was written
        return (*_on(_newer_words(cls, name, own, ir), below), *own) if ir < VERSION else own
    judged = {word for words, one in own for word in words if not (one.when or _limited(one))}
    return (*own, *_but(judged, _whole(cls, name), below)) if judged else (*own, *below)


def _limited(one: Verdict) -> bool:
    """Whether a verdict leaves the field to others, for other servers, in responses, or where it is not absent."""
    return one.limited or bool(one.kind) or one.word == "fills"


def _newer_words(cls: type, name: str, own: Chain, ir: int) -> set[str]:
    """The values of a field that are newer than the verdicts on all its values, and not named for all servers."""
    listed = {word for words, one in own if not _limited(one) for word in words}
    newer = (word for word, member in members(cls, name).items() if since((type(member), member.name)) > ir)
    return {word for word in newer if word not in listed}


def _on(wanted: set[str], chain: Chain) -> Chain:
    """The verdicts of a chain, on some values only."""
    some = tuple(wanted)
    found = ((tuple(word for word in words if word in wanted) if words else some, one) for words, one in chain)
    return tuple((words, one) for words, one in found if words)


def _but(judged: set[str], every: Sequence[str], chain: Chain) -> Chain:
    """The verdicts of a chain, on other values than some; `every`: of a field that has no others than these."""
    found = ((tuple(w for w in words or every if w not in judged), words, one) for words, one in chain)
    return tuple((left, one) for left, words, one in found if left or not (words or every))


def _whole(cls: type, name: str) -> Sequence[str]:
    """The values of a field that holds members of an enum and nothing else."""
    hint = hints(cls)[name]
    options = [one for one in get_args(hint) or (hint,) if one is not NoneType]
    return tuple(members(cls, name)) if len(options) == 1 else ()


def _placed(own: Places, below: Places) -> Places:
    found = dict(below)
    for place, classes in own.items():
        under = below.get(place, {})
        found[place] = {**under, **{cls: _on_top(judged, under.get(cls, ())) for cls, judged in classes.items()}}
    return found


def _on_top(own: tuple[Verdict, ...], below: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    return (*own, *below) if all(one.limited for one in own) else own


# --- what is newer than a table ---------------------------------------------------------------------------------------


def defaults(dropping: Verdict, refusing: Verdict, ir: int) -> Table:
    """The table that a table for an earlier version of the IR stands on, where it names no other."""
    fields = {
        cls: {attribute.name: _default(cls, attribute, dropping, refusing, ir) for attribute in attrs.fields(cls)}
        for cls in FEATURES
    }
    placed = {
        place: {cls: (refusing,) for cls in classes if since(cls, place, (place, cls)) > ir}
        for place, classes in PLACES.items()
    }
    return Table(fields, placed, placed)


def _default(cls: type, attribute: Any, dropping: Verdict, refusing: Verdict, ir: int) -> Chain:
    name = attribute.name
    if name in BOOKKEEPING or (cls, name) == (Error, "category"):  # on which `younger` is
        return ()
    if since(cls, (cls, name)) > ir:
        return (((), dropping),)
    verdict = refusing if attribute.default is attrs.NOTHING else dropping
    return tuple(((word,), verdict) for word in _newer_words(cls, name, (), ir))


# --- values, and holes ------------------------------------------------------------------------------------------------


def members(cls: type, name: str) -> dict[str, Any]:
    """The members of the enum that a field may hold, by value."""
    hint = hints(cls)[name]
    for option in (hint, *get_args(hint)):
        if isinstance(option, type) and issubclass(option, Enum):
            return {str(member.value): member for member in option}
    return {}


def values(cls: type, name: str, words: Words) -> tuple[Any, ...] | None:
    """What a field holds where a verdict is about these values; None for all."""
    if not words:
        return None
    known = members(cls, name)
    if known and (unknown := set(words) - known.keys()):
        raise TableError(f"{cls.__name__}.{name} has no value {', '.join(sorted(unknown))}; it has {', '.join(known)}")
    return tuple(known[word] if known else word for word in words)


def unjudged(cls: type, name: str, chain: Chain) -> list[str]:
    """What no unconditional verdict is about: "" for the field as a whole, else "=value" for each such value."""
    always = [words for words, one in chain if not (one.when or _limited(one))]
    if () in always:
        return []
    judged = {word for words in always for word in words}
    known = members(cls, name) if judged else {}
    return [f"={word}" for word in known if word not in judged] if known else [""]
