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

A table on a base, `Target(…, base=BASE)`, states what differs. A subject is a field of a class, or a class in a place:

    of(Sampling, ok("seed"))                                        replaces all that the base says of the field
    of(Sampling, loses("SMP-3", "seed", when=…), ok("seed"))        the same: a chain that ends, or it is a hole
    of(Turn, ok("role=developer"))                                  is about this value; the base judges the others
    of(Sampling, lacking("seed", loses("SMP-3", "seed")))           about these servers; so `in_requests` and `fills`
    inside("user", ok(Audio))                                       in responses too, whatever the base says of those
    inside("assistant", ok(Audio), kind="response")                 in responses alone

What is newer than the table (`ir=`), and what its rows do not name, is as the base has it, new values included; only
an error of a younger category is of the one that its status means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import attrs
from attrs import define, frozen

from ..binding.server import ASSUMED, Settings
from ..ir.error import Error, fallback
from ..ir.request import Request
from ..ir.response import Response
from ..ir.structure import BOOKKEEPING, CHILDREN, FEATURES, GROWING, PLACE_OF, PLACES, held_class
from ..ir.turns import Role, Turn, TurnSettings
from ..ir.versions import VERSION
from .catalogue import KNOWN, TableError
from .servers import Limited, facts, fits
from .servers import lacking as lacking
from .servers import where as where
from .tables import Chain, Places, Table, Words, based_on, defaults, drawn, over, unjudged, values

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
    """The verdicts on the fields of a class of the IR: "a b" names two fields, "a=x|y" two values of one."""
    return cls, verdicts


def inside(place: str, *verdicts: Verdict, kind: str = "") -> Rows:
    """The verdicts on classes that may stand in a place. `kind` "response": where responses differ from requests."""
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


YOUNGER = notes("ERR-3", "category", by=fallback)
"""The verdict on the category of an error that is younger than a table: the one that its status means."""


@define
class Target:
    """What one protocol can represent. Raises TableError where the rows leave a field, enum member or place unjudged.

    `limits`: for rules that reject a value, the values that this target accepts; the details of their diagnostics.

    `base`: what holds where the rows say nothing: rules.base.BASE, the rows of another table, or another Target.

    `ir`: the version of the IR that the rows were written for. What is younger, and what they do not name, is as the
    base has it. `newer`: without a base, what becomes of it: a verdict that drops, for fields and for values of fields
    that may be absent, and one that refuses, for other values and for classes in places. Without either the rows must
    judge everything.

    `settings`: what only some servers of this protocol accept, and the options of conversions to them (CAP-1);
    `capabilities`: which of them this server has, and those that `where` names; `having` gives the table of another.
    """

    name: str
    rows: Sequence[Rows]
    checks: Sequence[Check] = ()
    limits: Mapping[str, str] = attrs.field(factory=dict)
    base: Sequence[Rows] | Target = attrs.field(default=(), kw_only=True)
    ir: int = attrs.field(default=VERSION, kw_only=True)
    newer: tuple[Verdict, Verdict] | None = attrs.field(default=None, kw_only=True)
    settings: Settings = attrs.field(factory=dict, kw_only=True)
    capabilities: Mapping[str, Any] = attrs.field(default=ASSUMED, kw_only=True)
    own: Table = attrs.field(init=False)  # what the rows say
    table: Table = attrs.field(init=False)  # the same on the base, for all servers
    fields: dict[type, tuple[Field, ...]] = attrs.field(init=False)
    places: dict[str, dict[str, dict[type, tuple[Verdict, ...]]]] = attrs.field(init=False)
    roles: frozenset[str] = attrs.field(init=False)  # of turns, those that are not refused
    idle: tuple[type, ...] = attrs.field(init=False)  # classes with rows that nothing reads: no place carries them
    active: tuple[Check, ...] = attrs.field(init=False)  # the checks that are about servers with these capabilities
    plans: dict[str, Any] = attrs.field(init=False, factory=dict)  # what legalize draws from the table, once
    open: bool = attrs.field(init=False, default=False)  # whether members that nothing is known of stay

    def __attrs_post_init__(self) -> None:
        self.own = drawn(self.rows, self.name)
        self.table = over(self.own, self._beneath(), self.ir, YOUNGER)
        self.capabilities = facts(self.name, self.settings, self.capabilities, [*self.checks, *self.table.limited()])
        self.active = tuple(one for one in self.checks if fits(one, self.capabilities))
        if any(one.word == "refuses" for chain in self.own.fields.get(Error, {}).values() for _, one in chain):
            raise TableError(f"{self.name} refuses errors, which a client must get whatever is lost of them (ERR-10)")
        holes: list[str] = []
        self.places = {kind: self._placed(getattr(self.table, kind), holes) for kind in ("request", "response")}
        turned_away = {role for one in self._judging(Turn, "role") for role in _turned_away(one)}
        self.roles = frozenset(role.value for role in Role) - turned_away
        carried = self._carried()
        self.fields = {cls: tuple(self._fields(cls, holes)) for cls in FEATURES if cls in carried}
        self.idle = tuple({cls for cls, chains in self.own.fields.items() if chains} - carried)
        if holes:
            raise TableError(
                f"the table of {self.name} needs a verdict, as in of(Class, loses(RULE, 'field=value')) or "
                f"inside('place', refuses(RULE, Class)), {self._help()}, for {', '.join(dict.fromkeys(holes))}"
            )

    def _help(self) -> str:
        if self.base:
            return "where those it has leave something open, as they take the place of the base's"
        return (
            "or a table to stand on, as in Target(…, base=BASE), or defaults for what is newer than it, as in "
            "Target(…, ir=1, newer=(loses(RULE), refuses(RULE)))"
        )

    def _beneath(self) -> Table:
        if self.newer is None:
            return self.base.table if isinstance(self.base, Target) else based_on(self.base)
        dropping, refusing = self.newer
        if self.base:
            raise TableError(f"{self.name}: what is newer than a table is as its base has it; it takes no `newer`")
        if dropping.word not in DROPS or refusing.word != "refuses":
            raise TableError(f"`newer` of {self.name}: expected (loses(RULE) or omits(RULE), refuses(RULE))")
        return defaults(dropping, refusing, self.ir)

    def _judging(self, cls: type, name: str) -> Chain:
        """The verdicts on a field that are about servers with the capabilities of this table.

        Settings that a turn changes are judged as those of the request: they become these (RSN-45).
        """
        chain = self.table.fields.get(cls, {}).get(name, ())
        if cls is TurnSettings and not chain:
            chain = self.table.fields.get(Request, {}).get(name, ())
        return tuple(one for one in chain if fits(one[1], self.capabilities))

    def _placed(self, places: Places, holes: list[str]) -> dict[str, dict[type, tuple[Verdict, ...]]]:
        found = {}
        for place, classes in PLACES.items():
            judged = {
                cls: tuple(one for one in verdicts if fits(one, self.capabilities))
                for cls, verdicts in places.get(place, {}).items()
            }
            missing = (cls for cls in classes if all(one.when or one.limited for one in judged.get(cls, ())))
            holes += [f"{cls.__name__} in {place}" for cls in missing]
            found[place] = judged
        return found

    def _carried(self) -> set[type]:
        """The classes that the target carries somewhere: only their fields mean anything to it."""
        found: set[type] = {Request, Response, Error}
        waiting: list[type] = [*found]
        turns = {PLACE_OF[Role(role)] for role in self.roles}
        for cls in waiting:  # which grows meanwhile
            below: set[type] = set()
            for field, place in CHILDREN.get(cls, {}).items():
                judged = self._judging(cls, field)
                if judged and all(one.word in NOT_CARRIED for _, one in judged):
                    continue
                if place == "turns":
                    below.add(Turn)
                elif not place:
                    below.add(held_class(cls, field))
                for name in turns if place == "role" else (place,) if place in PLACES else ():
                    for table in self.places.values():
                        below |= {one for one, verdicts in table[name].items() if _carries(verdicts)}
            waiting += below - found
            found |= below
        return found

    def _fields(self, cls: type, holes: list[str]) -> Iterable[Field]:
        names = {attribute.name for attribute in attrs.fields(cls)} - BOOKKEEPING
        for name in sorted(names):
            chain = self._judging(cls, name)
            if name in GROWING.get(cls, ()) and any(one.by is not None for _, one in chain):
                raise TableError(f"{cls.__name__}.{name} arrives in pieces in streams, so its verdicts take no `by`")
            judged = tuple((values(cls, name, words), one) for words, one in chain)
            if name not in CHILDREN.get(cls, ()):
                holes += [f"{cls.__name__}.{name}{value}" for value in unjudged(cls, name, chain)]
            if any(one.rule or one.by for _, one in chain):
                yield Field(name, judged)

    def holds(self, place: str) -> bool:
        """Whether the target carries a node that has this place."""
        turns = (PLACE_OF[Role(role)] for role in self.roles)
        return place in turns or any(place in CHILDREN.get(cls, {}).values() for cls in self.fields)

    def drops(self, cls: type, name: str) -> bool:
        """Whether a field, or some values of it, have no place in what the target gets."""
        found = (field for field in self.fields.get(cls, ()) if field.name == name)
        return any(verdict.word in DROPS for field in found for _, verdict in field.verdicts)

    def having(self, capabilities: Mapping[str, Any]) -> Target:
        """The table for a server with these capabilities; those that are not named are as in this table."""
        every = {**self.capabilities, **capabilities}
        return self if every == self.capabilities else attrs.evolve(self, capabilities=every)

    def cited(self) -> set[str]:
        """The ids of all rules that the table or its checks can report."""
        rules = self.table.rules(self.fields, filter(self.holds, PLACES))
        return rules.union(*(check.rules for check in self.checks))


def _turned_away(judged: tuple[Words, Verdict]) -> Words:
    """The roles of turns that a verdict refuses, unless it holds for some turns only."""
    words, verdict = judged
    return words if verdict.word == "refuses" and not verdict.when else ()


def _carries(verdicts: tuple[Verdict, ...]) -> bool:
    return any(verdict.word not in NOT_CARRIED for verdict in verdicts)
