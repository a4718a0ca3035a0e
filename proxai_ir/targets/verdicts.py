"""The notation of target tables, tables on a base, and the law that each field, enum member and place has a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from types import NoneType
from typing import Any, NamedTuple, TypeVar, get_args

import attrs
from attrs import evolve, field

from ..ir.error import Error, fallback
from ..ir.request import Request, Role, Turn, TurnSettings
from ..ir.response import Response
from ..ir.structure import BOOKKEEPING, CHILDREN, FEATURES, GROWING, PLACE_OF, PLACES, VERSION, held_class, hints, since
from ..json.classes import define, frozen
from ..reporting.catalogue import KNOWN, TableError
from .settings import ASSUMED, Settings

# --- tables -----------------------------------------------------------------------------------------------------------
# A table on a base: which verdicts count if both judge the same subject, a field of a class or a class in a place.
#
# Rule 1: the verdicts of a row replace those of the base on its subject; verdicts that are limited to values, to absent
# fields, to servers or to requests stand before them. Rule 2: knows no protocol.

Words = tuple[str, ...]
"""The values of a field that a verdict judges, as rows write them; none: it judges all."""
Chain = tuple[tuple[Words, "Verdict"], ...]
Chains = Mapping[type, Mapping[str, Chain]]
Places = Mapping[str, Mapping[type, tuple["Verdict", ...]]]


class Table(NamedTuple):
    """The verdicts on each subject, in order, whatever the server."""

    fields: Chains
    request: Places
    response: Places

    def rules(self, classes: Iterable[type], places: Iterable[str]) -> set[str]:
        """Return the ids of the rules of the verdicts on these classes and places."""
        return {one.rule for one in self._verdicts(classes, places) if one.rule}

    def limited(self) -> list[Verdict]:
        """Return the verdicts that apply to some servers only."""
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
    """Return the verdicts of rows by subject; the places of responses have only what differs."""
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
    """Return the table of a base's rows, made once for all the tables that stand on it."""
    known = _BASES.get(id(rows))
    if known is not None and known[0] is rows:
        return known[1]
    made = over(drawn(rows, "the base"), EMPTY) if rows else EMPTY
    if isinstance(rows, tuple):  # a list may change
        _BASES[id(rows)] = rows, made
    return made


def over(own: Table, base: Table, ir: int = VERSION, younger: Verdict | None = None) -> Table:
    """Return a table with the verdicts of `own`, and those of the base on all else.

    `ir`: the version of the IR that `own` was written for. `younger`: the verdict on categories of errors that came
    later, as no error is refused (ERR-10).
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
    """Return the chain of a field: the table's own verdicts, then those of the base that still apply."""
    if not below:
        return own
    if any(not (words or _limited(one)) for words, one in own):  # it judges all values that were known to it
        return (*_on(_newer_words(cls, name, own, ir), below), *own) if ir < VERSION else own
    judged = {word for words, one in own for word in words if not (one.when or _limited(one))}
    return (*own, *_but(judged, _whole(cls, name), below)) if judged else (*own, *below)


def _limited(one: Verdict) -> bool:
    """Return whether a verdict leaves the field to others: for other servers, in responses, or if it is present."""
    return one.limited or bool(one.kind) or one.word == "fills"


def _newer_words(cls: type, name: str, own: Chain, ir: int) -> set[str]:
    """Return the values of a field that are newer than the table and not named by its unlimited verdicts."""
    listed = {word for words, one in own if not _limited(one) for word in words}
    newer = (word for word, member in members(cls, name).items() if since((type(member), member.name)) > ir)
    return {word for word in newer if word not in listed}


def _on(wanted: set[str], chain: Chain) -> Chain:
    """Return a chain limited to some values."""
    some = tuple(wanted)
    found = ((tuple(word for word in words if word in wanted) if words else some, one) for words, one in chain)
    return tuple((words, one) for words, one in found if words)


def _but(judged: set[str], every: Sequence[str], chain: Chain) -> Chain:
    """Return a chain without the values that are judged already; `every`: all values that the field can have."""
    found = ((tuple(w for w in words or every if w not in judged), words, one) for words, one in chain)
    return tuple((left, one) for left, words, one in found if left or not (words or every))


def _whole(cls: type, name: str) -> Sequence[str]:
    """Return the values of a field that holds members of an enum and nothing else."""
    hint = hints(cls)[name]
    options = [one for one in get_args(hint) or (hint,) if one is not NoneType]
    return tuple(members(cls, name)) if len(options) == 1 else ()


def _placed(own: Places, below: Places) -> Places:
    """Return the verdicts on places: the table's own, on top of those of the base."""
    found = dict(below)
    for place, classes in own.items():
        under = below.get(place, {})
        found[place] = {**under, **{cls: _on_top(judged, under.get(cls, ())) for cls, judged in classes.items()}}
    return found


def _on_top(own: tuple[Verdict, ...], below: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    return (*own, *below) if below and all(one.limited for one in own) else own


# --- what is newer than a table ---------------------------------------------------------------------------------------


def defaults(dropping: Verdict, refusing: Verdict, ir: int) -> Table:
    """Return the base of a table for an earlier version of the IR that names none: verdicts on what is newer."""
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
    """Return the verdicts on a field, or on its values, that are newer than the table."""
    name = attribute.name
    if name in BOOKKEEPING or (cls, name) == (Error, "category"):  # `younger` is the verdict on it
        return ()
    if since(cls, (cls, name)) > ir:
        return (((), dropping),)
    verdict = refusing if attribute.default is attrs.NOTHING else dropping
    return tuple(((word,), verdict) for word in _newer_words(cls, name, (), ir))


# --- values, and holes ------------------------------------------------------------------------------------------------


def members(cls: type, name: str) -> dict[str, Any]:
    """Return the members of the enum that a field may hold, by value."""
    hint = hints(cls)[name]
    for option in (hint, *get_args(hint)):
        if isinstance(option, type) and issubclass(option, Enum):
            return {str(member.value): member for member in option}
    return {}


def values(cls: type, name: str, words: Words) -> tuple[Any, ...] | None:
    """Return the values of a field that words name; None for no words, which means all values."""
    if not words:
        return None
    known = members(cls, name)
    if known and (unknown := set(words) - known.keys()):
        raise TableError(f"{cls.__name__}.{name} has no value {', '.join(sorted(unknown))}; it has {', '.join(known)}")
    return tuple(known[word] if known else word for word in words)


def unjudged(cls: type, name: str, chain: Chain) -> list[str]:
    """Return what no unconditional verdict judges: "" for the field as a whole, else "=value" for each such value."""
    always = [words for words, one in chain if not (one.when or _limited(one))]
    if () in always:
        return []
    judged = {word for words in always for word in words}
    known = members(cls, name) if judged else {}
    return [f"={word}" for word in known if word not in judged] if known else [""]


# --- servers ----------------------------------------------------------------------------------------------------------
# Verdicts for some servers only: those that lack a capability, or whose declared setting is one of some words.
#
# Rule: which servers a table is about is decided when the table is made, once for all that state the same (`having`),
# so that judging a node asks nothing of the server. What depends on a node and on a setting's value at once is a Check.

Where = tuple[tuple[str, tuple[str, ...]], ...]
"""Settings with the words that they may be; all must fit."""
ANY_WORD = "any word"
"""The value of a setting in a table that shows the verdicts for all of its words."""


@frozen
class Limited:
    """A verdict or check that may be limited to some servers.

    `without`: those that lack this capability. `where`: those whose settings are among these words.
    """

    without: str = field(default="", kw_only=True)
    where: Where = field(default=(), kw_only=True)

    @property
    def limited(self) -> bool:
        """Return whether it is limited to some servers."""
        return bool(self.without or self.where)


V = TypeVar("V", bound=Limited)


def lacking(capability: str, verdict: V) -> V:
    """Return the verdict, limited to servers that lack a capability of the target's (CAP-1)."""
    return evolve(verdict, without=capability)


def where(setting: str, words: str, verdict: V) -> V:
    """Return the verdict, limited to servers or calls for which a setting is one of these words:

    where("family", "claude|nova", ok("top_k"))
    """
    limits: Where = (*verdict.where, (setting, tuple(words.split("|"))))
    return evolve(verdict, where=limits)


def facts(table: str, settings: Settings, has: Mapping[str, Any], limited: Iterable[Limited]) -> dict[str, Any]:
    """Return the capabilities, and the defaults of the settings that verdicts or checks name in `where`.

    Raises TableError for a capability, setting or word that the target does not declare.
    """
    found = {**has}
    for one in limited:
        if one.without and one.without not in found:
            raise TableError(f"the table of {table} has no capability {one.without!r}: declare it in `settings`")
        for name, words in one.where:
            known = settings[name].choices if name in settings else ()
            if unknown := [word for word in words if word not in known]:
                add = f"it is one of {', '.join(known)}" if known else "declare it in `settings`, with its `choices`"
                raise TableError(f"the table of {table} has no setting {name!r} that is {' or '.join(unknown)}: {add}")
            found.setdefault(name, settings[name].default)
    return found


def fits(one: Limited, capabilities: Mapping[str, Any]) -> bool:
    """Return whether a verdict or check applies to servers with these capabilities."""
    if one.without and capabilities[one.without]:
        return False
    return not one.where or all(capabilities[name] in (*words, ANY_WORD) for name, words in one.where)


def all_shown(capabilities: Mapping[str, Any], *, has: bool) -> dict[str, Any]:
    """Return settings for showing a table: every capability or none, and verdicts for any word."""
    return {name: has if isinstance(value, bool) else ANY_WORD for name, value in capabilities.items()}


def described(limits: Where) -> str:
    """Return limits in words: "family is claude or nova"."""
    return " and ".join(f"{name} is {' or '.join(words)}" for name, words in limits)


# --- verdicts ---------------------------------------------------------------------------------------------------------
# Rule 1: a verdict is what the legality pass does to a value; no backend repeats it. Rule 2: a table with a hole
# refuses to load. Rule 3: knows no protocol. Rule 4: a table for an earlier version of the IR has defaults for what is
# newer.
#
#     of(Image, ok("source cache"), loses("IMG-1", "detail"))         what a class's fields mean to the target
#     inside("user", ok(Text, Image), refuses("AUD-1", Audio))        which classes may stand in a place
#     of(Text, lacking("citations", loses("CIT-1", "citations")), ok("text citations"))   what not every server takes
#     of(Sampling, where("family", "claude|nova", ok("top_k")), loses("SMP-3", "top_k"))  what some take
#
# | word | the value | the rule's severity |
# | --- | --- | --- |
# | `ok` | is carried, or what `by` makes of it | none: nothing is reported |
# | `notes` | is carried, or what `by` makes of it | info |
# | `weaker` | is carried approximately: as what `by` makes of it | loss |
# | `omits`, `loses` | is dropped | info, loss |
# | `fills` | is absent and required: what `by` gives is put in its place | info, or loss |
# | `refuses` | stops the conversion | error |
#
# `lacking` limits a verdict to servers without a capability (CAP-1), `where` to those with a setting, `in_requests` to
# requests. Such verdicts stand before the others on their subject: a table is total without them, for every server.
#
# A table on a base, `Target(…, base=BASE)`, states what differs. A subject is a field of a class, or a class in a
# place:
#
#     of(Sampling, ok("seed"))                                        replaces all that the base says of the field
#     of(Sampling, loses("SMP-3", "seed", when=…), ok("seed"))        the same: a chain that ends, or it is a hole
#     of(Turn, ok("role=developer"))                                  is about this value; the base judges the others
#     of(Sampling, lacking("seed", loses("SMP-3", "seed")))           about these servers; so `in_requests` and `fills`
#     inside("user", ok(Audio))                                       in responses too, whatever the base says of those
#     inside("assistant", ok(Audio), kind="response")                 in responses alone
#
# What is newer than the table (`ir=`), and what its rows do not name, is as the base has it, new values included; only
# an error of a younger category is of the one that its status means.

When = Callable[[Any], bool]


@frozen
class HasValue:
    """The condition that a field has one of some values, which the code of a judge states without a call."""

    name: str
    values: tuple[Any, ...]

    def __call__(self, node: Any) -> bool:
        return getattr(node, self.name) in self.values


By = Callable[[Any], Any]
Detail = str | Callable[[Any], str]


class Fields(dict[str, Any]):
    """The new values of several fields of one node, by name, returned by a rewrite."""


@frozen
class Verdict(Limited):
    """The treatment of a field, of some of its values, or of a class in a place; legal if `rule` is None.

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
"""The words of verdicts that drop a value."""
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
    """Return the verdict that carries a value unchanged; `by`: in the target's form of the very same."""
    return Verdict("ok", None, _split(subjects), when, by)


notes = _under("notes", "info")
"""The verdict on values that are carried without semantic loss, and reported."""
omits = _under("omits", "info")
"""The verdict on values that are dropped without semantic loss, and reported."""
loses = _under("loses", "loss")
"""The verdict on values that are dropped."""
weaker = _under("weaker", "loss")
"""The verdict on values that are carried approximately."""
fills = _under("fills", "info", "loss")
"""The verdict on required values that are absent, and filled in."""
refuses = _under("refuses", "error")
"""The verdict on values that stop the conversion."""


def in_requests(verdict: Verdict) -> Verdict:
    """Return the verdict on a field limited to requests; others judge it in responses."""
    return attrs.evolve(verdict, kind="request")


Rows = tuple[Any, tuple[Verdict, ...]]
Values = tuple[Any, ...]


def of(cls: type, *verdicts: Verdict) -> Rows:
    """Return the verdicts on the fields of a class of the IR: "a b" names two fields, "a=x|y" two values of one."""
    return cls, verdicts


def inside(place: str, *verdicts: Verdict, kind: str = "") -> Rows:
    """Return the verdicts on classes that may stand in a place.

    `kind`: "response" for verdicts that differ in responses.
    """
    return (place, kind), verdicts


class Field(NamedTuple):
    """The verdicts on one field that are not plainly legal, in order; `values` limits one to some values."""

    name: str
    verdicts: tuple[tuple[Values | None, Verdict], ...]

    def of_kind(self, kind: str) -> Field:
        """Return the field with the verdicts that hold in payloads of this kind."""
        return Field(self.name, tuple(one for one in self.verdicts if one[1].kind in ("", kind)))


@frozen
class Check(Limited):
    """A function over the legal tree below one class of root, for what no single field shows, and the rules it may
    cite.

    It acts where it reports. About Candidate: it runs for each candidate of a response, in streams at its ending, when
    texts are known by their beginnings only. `at_once`: a response's envelope alone shows it, so that a stream is
    checked before its first event is emitted. `relayed`: it also runs for a request of the target's own protocol that
    loses reasoning (RSN-27). It runs only where a field of the root is present (`needs`) or absent (`lacks`), or nodes
    of a class, a Seal or turns of a role reach the target, even if replaced (`given`).
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
    """The description of what one protocol can represent.

    Raises TableError if the rows leave a field, enum member or place unjudged.

    `limits`: for rules that reject a value, the values that this target accepts; the details of their diagnostics.

    `base`: what holds where the rows say nothing: base.BASE, the rows of another table, or another Target.

    `ir`: the version of the IR that the rows were written for. What is younger, and what they do not name, is as the
    base has it. `newer`: without a base, the verdicts on it: one that drops, for fields and for values of fields that
    may be absent, and one that refuses, for other values and for classes in places. Without either the rows must judge
    everything.

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
    own: Table = attrs.field(init=False)  # the verdicts of the rows
    table: Table = attrs.field(init=False)  # the same on the base, for all servers
    fields: dict[type, tuple[Field, ...]] = attrs.field(init=False)
    places: dict[str, dict[str, dict[type, tuple[Verdict, ...]]]] = attrs.field(init=False)
    roles: frozenset[str] = attrs.field(init=False)  # the roles of turns that are not refused
    idle: tuple[type, ...] = attrs.field(init=False)  # classes with rows that no place carries
    active: tuple[Check, ...] = attrs.field(init=False)  # the checks that are about servers with these capabilities
    plans: dict[str, Any] = attrs.field(init=False, factory=dict)  # what legalize draws from the table, once
    open: bool = attrs.field(init=False, default=False)  # whether unknown members stay

    def __attrs_post_init__(self) -> None:
        self.own = drawn(self.rows, self.name)
        self.table = over(self.own, self._beneath(), self.ir, YOUNGER)
        self.capabilities = facts(self.name, self.settings, self.capabilities, [*self.checks, *self.table.limited()])
        self.active = tuple(one for one in self.checks if fits(one, self.capabilities))
        if any(one.word == "refuses" for chain in self.own.fields.get(Error, {}).values() for _, one in chain):
            raise TableError(f"{self.name} refuses errors, which a client must get whatever is lost of them (ERR-10)")
        holes: list[str] = []
        self.places = {kind: self._placed(getattr(self.table, kind), holes) for kind in ("request", "response")}
        judged = self._judging(Turn, "role")
        refused = {role for words, one in judged if one.word == "refuses" and not one.when for role in words}
        self.roles = frozenset(role.value for role in Role) - refused
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
        """Return the verdicts on a field that apply to servers with the capabilities of this table.

        Settings that a turn changes are judged as those of the request, which they become (RSN-45).
        """
        chain = self.table.fields.get(cls, {}).get(name, ())
        if cls is TurnSettings and not chain:
            chain = self.table.fields.get(Request, {}).get(name, ())
        return tuple(one for one in chain if fits(one[1], self.capabilities))

    def _placed(self, places: Places, holes: list[str]) -> dict[str, dict[type, tuple[Verdict, ...]]]:
        """Return the verdicts on classes in places that apply to this server, and add those without any to `holes`."""
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
        """Return the classes that the target carries somewhere: only their fields mean anything to it."""
        found: set[type] = {Request, Response, Error}
        waiting: list[type] = [*found]
        turns = {PLACE_OF[Role(role)] for role in self.roles}
        for cls in waiting:  # the list grows meanwhile
            below: set[type] = set()
            for member, place in CHILDREN.get(cls, {}).items():
                judged = self._judging(cls, member)
                if judged and all(one.word in NOT_CARRIED for _, one in judged):
                    continue
                if place == "turns":
                    below.add(Turn)
                elif not place:
                    below.add(held_class(cls, member))
                for name in turns if place == "role" else (place,) if place in PLACES else ():
                    for table in self.places.values():
                        below |= {
                            one
                            for one, verdicts in table[name].items()
                            if any(verdict.word not in NOT_CARRIED for verdict in verdicts)
                        }
            waiting += below - found
            found |= below
        return found

    def _fields(self, cls: type, holes: list[str]) -> Iterable[Field]:
        """Yield the fields of a class that are not plainly legal, and add those without a verdict to `holes`."""
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
        """Return whether the target carries nodes in this place."""
        turns = (PLACE_OF[Role(role)] for role in self.roles)
        return place in turns or any(place in CHILDREN.get(cls, {}).values() for cls in self.fields)

    def drops(self, cls: type, name: str) -> bool:
        """Return whether the target gets no value, or not every value, of a field."""
        found = (field for field in self.fields.get(cls, ()) if field.name == name)
        return any(verdict.word in DROPS for field in found for _, verdict in field.verdicts)

    def having(self, capabilities: Mapping[str, Any]) -> Target:
        """Return the table for a server with these capabilities; those not named are as in this table."""
        every = {**self.capabilities, **capabilities}
        return self if every == self.capabilities else attrs.evolve(self, capabilities=every)

    def cited(self) -> set[str]:
        """Return the ids of all rules that the table or its checks can report."""
        rules = self.table.rules(self.fields, filter(self.holds, PLACES))
        return rules.union(*(check.rules for check in self.checks))
