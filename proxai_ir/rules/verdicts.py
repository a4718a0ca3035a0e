"""The notation of target tables, and their one law: a table judges every field, enum member and place of the IR.

Rule 1: a verdict is what the legality pass does to a value; no backend repeats it. Rule 2: a table with a hole refuses
to load. Rule 3: knows no protocol. Rule 4: a table for an earlier version of the IR has defaults for what is newer.

    of(Image, ok("source cache"), loses("IMG-1", "detail"))         what a class's fields mean to the target
    inside("user", ok(Text, Image), refuses("AUD-1", Audio))        which classes may stand in a place
    of(Text, lacking("citations", loses("CIT-1", "citations")), ok("text citations"))   what not every server takes
    of(Sampling, where("family", "claude|nova", ok("top_k")), loses("SMP-3", "top_k"))  what some take

| word | the value | the rule's severity |
| --- | --- | --- |
| `ok` | is carried, or what `by` makes of it | none: nothing is reported |
| `notes` | is carried, or what `by` makes of it | info |
| `weaker` | is carried approximately: as what `by` makes of it | loss |
| `omits`, `loses` | is dropped | info, loss |
| `fills` | is absent and required: what `by` gives is put in its place | info, or loss |
| `refuses` | stops the conversion | error |

`lacking` limits a verdict to servers without a capability (CAP-1), `where` to those with a setting, `in_requests` to
requests. Such verdicts stand before the others on their subject: a table is total without them, for every server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import partial
from typing import Any, NamedTuple, get_args

import attrs
from attrs import define, frozen

from ..binding.server import ASSUMED, Settings
from ..ir.error import Error, ErrorCategory, fallback
from ..ir.request import Request
from ..ir.response import Response
from ..ir.structure import BOOKKEEPING, CHILDREN, FEATURES, GROWING, PLACE_OF, PLACES, held_class, hints
from ..ir.turns import Role, Turn
from ..ir.versions import VERSION, since
from .catalogue import KNOWN, TableError
from .servers import Limited, facts, fits
from .servers import lacking as lacking
from .servers import where as where

When = Callable[[Any], bool]
By = Callable[[Any], Any]
Detail = str | Callable[[Any], str]


class Fields(dict[str, Any]):
    """What a rewrite returns where it sets several fields of its node, by name."""


@frozen
class Verdict(Limited):
    """What becomes of a field, one of its values (`values`), or a class in a place; legal where `rule` is None.

    when
        limits it to nodes for which it holds; the next verdict of the same subject decides for the others. It sees the
        tree as the source had it, whatever other verdicts change
    by
        the rewrite: gets the node, which it does not change, and returns the field's new value, or Fields where it sets
        several, or, for a class in a place, the node or list of nodes that replaces it. It may raise
        diagnostics.Refusal with the node and field name as its place
    at
        the member of the node's wire object that a finding about a class points at, where that is not the whole object
    elsewhere
        declared here, acted on by a pass that looks at the field anyway
    kind
        "request": holds in requests only; "": in responses too
    detail
        what a diagnostic names after the rule's sentence, as the limit that decided; a function gets the node
    """

    word: str
    rule: str | None
    subjects: tuple[Any, ...]
    when: When | None = None
    by: By | None = None
    at: str = ""
    elsewhere: bool = False
    detail: Detail = ""
    kind: str = ""


DROPS = ("omits", "loses")
"""Words of verdicts that drop what they judge."""
NOT_CARRIED = (*DROPS, "refuses")


def _under(word: str, *severities: str) -> Callable[..., Verdict]:
    def verdict(
        rule: str,
        *subjects: str | type,
        when: When | None = None,
        by: By | None = None,
        at: str = "",
        elsewhere: bool = False,
        detail: Detail = "",
    ) -> Verdict:
        if rule not in KNOWN:
            raise TableError(f"there is no rule {rule}")
        if KNOWN[rule].severity not in severities:
            raise TableError(f"{rule} is {KNOWN[rule].severity}, and `{word}` takes {' or '.join(severities)}")
        if by is not None and word in NOT_CARRIED:
            raise TableError(f"{rule}: `{word}` carries nothing, so it takes no `by`")
        return Verdict(word, rule, _split(subjects), when, by, at, elsewhere, detail=detail)

    return verdict


def _split(subjects: Iterable[str | type]) -> tuple[Any, ...]:
    return tuple(name for subject in subjects for name in (subject.split() if isinstance(subject, str) else (subject,)))


def ok(*subjects: str | type, when: When | None = None, by: By | None = None) -> Verdict:
    """Supported unchanged; `by`: in the form that the target has for the very same."""
    return Verdict("ok", None, _split(subjects), when, by)


notes = _under("notes", "info")
"""Carried without semantic loss; reported."""
omits = _under("omits", "info")
"""Dropped without semantic loss; reported."""
loses = _under("loses", "loss")
"""Dropped."""
weaker = _under("weaker", "loss")
"""Carried approximately."""
fills = _under("fills", "info", "loss")
"""Absent and required: filled in."""
refuses = _under("refuses", "error")
"""The conversion stops."""


def in_requests(verdict: Verdict) -> Verdict:
    """The verdict on a field, in requests only; others judge it in responses."""
    return attrs.evolve(verdict, kind="request")


Rows = tuple[Any, tuple[Verdict, ...]]
Values = tuple[Any, ...]


def of(cls: type, *verdicts: Verdict) -> Rows:
    return cls, verdicts


def inside(place: str, *verdicts: Verdict, kind: str = "") -> Rows:
    """`kind` "response": for responses only, where they differ from requests."""
    return (place, kind), verdicts


class Field(NamedTuple):
    """The verdicts on one field that are not plainly legal, in order; `values` limits one to some values."""

    name: str
    verdicts: tuple[tuple[Values | None, Verdict], ...]

    def of_kind(self, kind: str) -> Field:
        """With the verdicts that hold in payloads of this kind."""
        return Field(self.name, tuple(one for one in self.verdicts if one[1].kind in ("", kind)))


@frozen
class Check(Limited):
    """What no single field shows: a function over the legal tree below one class of root, and the rules it may cite.

    It acts where it reports. About Candidate: it runs for each candidate of a response, in streams at its ending, when
    texts are known by their beginnings only. `at_once`: a response's envelope alone shows it, so that a stream is
    checked before its first event is emitted. `relayed`: for a request of the target's own protocol as well, where
    that loses reasoning (RSN-27). It runs only where a field of the root is present (`needs`) or absent (`lacks`),
    nodes of a class, a Seal or turns of a role reach the target, even if replaced (`given`).
    """

    run: Callable[..., None]
    rules: tuple[str, ...]
    about: type
    at_once: bool = False
    needs: tuple[str, ...] = ()
    given: tuple[type | Role, ...] = ()
    lacks: tuple[str, ...] = ()
    relayed: bool = False


@define
class Target:
    """What one protocol can represent. Raises TableError where the rows leave a field, enum member or place unjudged.

    `limits`: for rules that reject a value, the values that this target accepts; the details of their diagnostics.

    `ir`: the version of the IR that the rows were written for. `newer`: what becomes of anything younger that they do
    not name: a verdict that drops, for fields and for values of fields that may be absent, and one that refuses, for
    other values and for classes in places. Without it the rows must judge everything.

    `settings`: what only some servers of this protocol accept, and the options of conversions to them (CAP-1);
    `capabilities`: which of them this server has, and those that `where` names; `having` gives the table of another.
    """

    name: str
    rows: Sequence[Rows]
    checks: Sequence[Check] = ()
    limits: Mapping[str, str] = attrs.field(factory=dict)
    ir: int = attrs.field(default=VERSION, kw_only=True)
    newer: tuple[Verdict, Verdict] | None = attrs.field(default=None, kw_only=True)
    settings: Settings = attrs.field(factory=dict, kw_only=True)
    capabilities: Mapping[str, Any] = attrs.field(default=ASSUMED, kw_only=True)
    fields: dict[type, tuple[Field, ...]] = attrs.field(init=False)
    places: dict[str, dict[str, dict[type, tuple[Verdict, ...]]]] = attrs.field(init=False)
    roles: frozenset[str] = attrs.field(init=False)  # of turns, those that are not refused
    idle: tuple[type, ...] = attrs.field(init=False)  # classes with rows that nothing reads: no place carries them
    active: tuple[Check, ...] = attrs.field(init=False)  # the checks that are about servers with these capabilities
    plans: dict[str, Any] = attrs.field(init=False, factory=dict)  # what legalize draws from the table, once

    def __attrs_post_init__(self) -> None:
        rows = _with_defaults(self)
        limited: list[Limited] = [*self.checks, *(one for _, verdicts in rows for one in verdicts)]
        self.capabilities = facts(self.name, self.settings, self.capabilities, limited)
        judges = partial(fits, capabilities=self.capabilities)
        self.active = tuple(filter(judges, self.checks))
        judged: dict[Any, tuple[Verdict, ...]] = {}
        for subject, verdicts in rows:
            judged[subject] = judged.get(subject, ()) + tuple(filter(judges, verdicts))
        holes: list[str] = []
        request = {place: _place(place, judged.pop((place, ""), ()), {}, holes) for place in PLACES}
        answers = {place: judged.pop((place, "response"), ()) for place in PLACES}
        response = {place: _place(place, answers[place], request[place], holes) for place in PLACES}
        self.places = {"request": request, "response": response}
        if unknown := judged.keys() - set(FEATURES):
            raise TableError(f"{self.name}: no such class or place: {list(unknown)}")
        turned_away = {value for one in judged.get(Turn, ()) if one.word == "refuses" for value in _roles(one)}
        self.roles = frozenset(role.value for role in Role) - turned_away
        carried = _carried(self.places, {PLACE_OF[Role(role)] for role in self.roles}, judged)
        self.fields = {cls: tuple(_fields(cls, judged.get(cls, ()), holes)) for cls in FEATURES if cls in carried}
        self.idle = tuple({about for about, verdicts in self.rows if verdicts and about in FEATURES} - carried)
        if holes:
            raise TableError(
                f"the table of {self.name} needs a verdict, as in of(Class, loses(RULE, 'field=value')) or "
                "inside('place', refuses(RULE, Class)), or defaults for what is newer than it, as in Target(…, ir=1, "
                f"newer=(loses(RULE), refuses(RULE))), for {', '.join(dict.fromkeys(holes))}"
            )

    def holds(self, place: str) -> bool:
        """Whether the target carries a node that has this place."""
        turns = (PLACE_OF[Role(role)] for role in self.roles)
        return place in turns or any(place in CHILDREN.get(cls, {}).values() for cls in self.fields)

    def having(self, capabilities: Mapping[str, Any]) -> Target:
        """The table for a server with these capabilities; those that are not named are as in this table."""
        every = {**self.capabilities, **capabilities}
        return self if every == self.capabilities else attrs.evolve(self, capabilities=every)

    def cited(self) -> set[str]:
        """The ids of all rules that the table or its checks can report."""
        rows = {verdict.rule for _, verdicts in self.rows for verdict in verdicts if verdict.rule}
        return rows.union(*(check.rules for check in self.checks))


def _roles(verdict: Verdict) -> list[str]:
    """The roles of turns that a verdict is about, unless it holds for some turns only."""
    names = [subject.partition("=")[2] for subject in verdict.subjects if subject.startswith("role=")]
    return [] if verdict.when else [role for name in names for role in name.split("|")]


def _with_defaults(target: Target) -> Sequence[Rows]:
    """The rows with the verdicts on what is newer than they are. What they name themselves they judge themselves; but a
    verdict on all values of a field is about those that there were.
    """
    if target.newer is None:
        return target.rows
    dropping, refusing = target.newer
    if dropping.word not in DROPS or refusing.word != "refuses":
        raise TableError(f"`newer` of {target.name}: expected (loses(RULE) or omits(RULE), refuses(RULE))")
    values: list[Rows] = []
    others: list[Rows] = []
    for cls in FEATURES:
        subjects = [
            each for about, verdicts in target.rows if about is cls for one in verdicts for each in one.subjects
        ]
        splits = [subject.partition("=") for subject in subjects]
        listed = {(name, value) for name, _, words in splits for value in words.split("|")}
        for attribute in attrs.fields(cls):
            name = attribute.name
            if name not in BOOKKEEPING and since(cls, (cls, name)) > target.ir:
                others.append(of(cls, attrs.evolve(dropping, subjects=(name,))))
            for value, member in _members(hints(cls)[name]).items():
                if since((type(member), member.name)) > target.ir and (name, value) not in listed:
                    verdict = refusing if attribute.default is attrs.NOTHING else dropping
                    if isinstance(member, ErrorCategory):  # an error is never refused (ERR-10)
                        verdict = notes("ERR-3", by=fallback)
                    values.append(of(cls, attrs.evolve(verdict, subjects=(f"{name}={value}",))))
    for place, classes in PLACES.items():
        newer = tuple(cls for cls in classes if since(cls, place, (place, cls)) > target.ir)
        others.append(inside(place, attrs.evolve(refusing, subjects=newer)))
    return (*values, *target.rows, *others)


def _carried(
    places: Mapping[str, Mapping[str, Mapping[type, tuple[Verdict, ...]]]],
    turns: Iterable[str],
    judged: Mapping[Any, tuple[Verdict, ...]],
) -> set[type]:
    """The classes that the target carries somewhere: only their fields mean anything to it."""
    found: set[type] = {Request, Response, Error}
    waiting: list[type] = [*found]
    for cls in waiting:  # which grows meanwhile
        below: set[type] = set()
        for field, place in CHILDREN.get(cls, {}).items():
            if _dropped(judged.get(cls, ()), field):
                continue
            if place == "turns":
                below.add(Turn)
            elif not place:
                below.add(held_class(cls, field))
            for name in turns if place == "role" else (place,) if place in PLACES else ():
                for table in places.values():
                    below |= {one for one, verdicts in table[name].items() if _carries(verdicts)}
        waiting += below - found
        found |= below
    return found


def _dropped(verdicts: tuple[Verdict, ...], field: str) -> bool:
    """Whether a field with nodes is dropped whatever is in it."""
    words = [verdict.word for verdict in verdicts if field in verdict.subjects]
    return bool(words) and all(word in NOT_CARRIED for word in words)


def _carries(verdicts: tuple[Verdict, ...]) -> bool:
    return any(verdict.word not in NOT_CARRIED for verdict in verdicts)


def _fields(cls: type, verdicts: tuple[Verdict, ...], holes: list[str]) -> Iterable[Field]:
    types = hints(cls)
    named: dict[str, list[tuple[Values | None, Verdict]]] = {}
    for verdict in verdicts:
        for subject in verdict.subjects:
            name, _, values = subject.partition("=")
            if name not in types:
                raise TableError(f"{cls.__name__} has no field {name}")
            named.setdefault(name, []).append((_values(cls, name, values), verdict))
    for name in GROWING.get(cls, ()):
        if any(verdict.by is not None for _, verdict in named.get(name, ())):
            raise TableError(f"{cls.__name__}.{name} arrives in pieces in streams, so its verdicts take no `by`")
    wanted = {attribute.name for attribute in attrs.fields(cls)} - BOOKKEEPING - set(CHILDREN.get(cls, ()))
    for name in sorted(wanted):
        holes += [f"{cls.__name__}.{name}{value}" for value in _unjudged(types[name], named.get(name, []))]
    for name in sorted(named):
        if any(verdict.rule or verdict.by for _, verdict in named[name]):
            yield Field(name, tuple(named[name]))


def _members(hint: Any) -> dict[str, Any]:
    """The members of the enum that a field may hold, by value."""
    for option in (hint, *get_args(hint)):
        if isinstance(option, type) and issubclass(option, Enum):
            return {str(member.value): member for member in option}
    return {}


def _values(cls: type, name: str, words: str) -> Values | None:
    if not words:
        return None
    members = _members(hints(cls)[name])
    if members and (unknown := set(words.split("|")) - members.keys()):
        raise TableError(
            f"{cls.__name__}.{name} has no value {', '.join(sorted(unknown))}; it has {', '.join(members)}"
        )
    return tuple(members[word] if members else word for word in words.split("|"))


def _unjudged(hint: Any, verdicts: list[tuple[Values | None, Verdict]]) -> list[str]:
    """What no unconditional verdict is about: "" for the field as a whole, else "=value" for each such value."""
    partly = [one for _, one in verdicts if one.when or one.word == "fills" or one.without or one.where or one.kind]
    always = [values for values, one in verdicts if one not in partly]
    if None in always:
        return []
    judged = {one for values in always for one in values or ()}
    missing = [f"={value}" for value, member in _members(hint).items() if member not in judged]
    return missing if judged and _members(hint) else [""]


def _place(
    place: str, verdicts: tuple[Verdict, ...], default: Mapping[type, tuple[Verdict, ...]], holes: list[str]
) -> dict[type, tuple[Verdict, ...]]:
    found: dict[type, tuple[Verdict, ...]] = {}
    for verdict in verdicts:
        for cls in verdict.subjects:
            found[cls] = (*found.get(cls, ()), verdict)
    for cls, old in default.items():
        found.setdefault(cls, old)
    unjudged = [cls for cls in PLACES[place] if all(one.when or one.without or one.where for one in found.get(cls, ()))]
    holes += [f"{cls.__name__} in {place}" for cls in unjudged]
    return found
