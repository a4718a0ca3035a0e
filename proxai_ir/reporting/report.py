"""The report of one conversion: what was found, and where in the source each finding points.

Rule 1: a finding is a tuple and costs next to nothing; its place is computed when somebody reads it. Rule 2: a member
that only the source's protocol has is reported under the rule that its vocabulary names, any other as unknown (UNK-1,
or what the vocabulary has for OTHERS).
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Set
from typing import Any

from ..ir.node import ByObject, Joint, Several, sources
from ..ir.structure import nodes
from ..json.pointer import Place, value_at
from ..rules.catalogue import ERRORS, KNOWN
from .diagnostics import LATER, Record, Refusal

Words = Mapping[str, Mapping[str, Any]]
NO_RULE = ""
"""In place of a rule: a member that repeats what an IR field holds, as an index that its place in the array shows, so
that nothing is reported when it is dropped. For any other member that would be a silent loss: the conformance suite
wants a sample with each of them, and a reason for each in `repeats`."""

OTHERS = "*"
"""In place of a member: all that the vocabulary does not name. Without it they are unknown fields."""
UNKNOWN = "UNK-1"

NO_LIMITS: Mapping[str, str] = {}
NONE_REFUSED: Mapping[str, frozenset[str]] = {}


class Facts:
    """What later passes need to know of the tree, so that they do no work where there is none.

    linked             there are tool calls or results
    executed           something that the provider executed itself was dropped
    emptied            some turn has no parts
    reshaped           some part was replaced by a weaker form, whose place may matter
    cache_breakpoints  how many there are
    named              turns of which a finding names the whole item, by id
    blank              turns that had no parts in the source, by id
    joined             the items that a turn was joined from, by the turn's id
    rounds             the calls of a request and their results, once a pass has asked (passes/rounds.py)
    met                classes of nodes and roles of turns that the target gets, of those that its checks ask for
    """

    # Defaults of the class: most conversions change none of them.
    linked = executed = emptied = reshaped = False
    cache_breakpoints = 0
    named: set[int] | None = None
    blank: set[int] | None = None
    joined: dict[int, list[Any]] | None = None
    rounds: Any = None
    met: set[Any] | None = None

    def add_named(self, turn: Any) -> None:
        self.named = self.named or set()
        self.named.add(id(turn))

    def add_blank(self, turn: Any) -> None:
        self.blank = self.blank or set()
        self.blank.add(id(turn))

    def add_joined(self, whole: Any, items: list[Any]) -> None:
        self.joined = self.joined or {}
        self.joined[id(whole)] = items

    def add_met(self, what: Any) -> None:
        if self.met is None:
            self.met = {what}
        else:
            self.met.add(what)


class Report:
    """The findings of one conversion, in the order in which they were made.

    `vendor_fields`, those of them that are `refused`, and `wire_paths` are the source's vocabulary. `stops`: the rules
    that end the conversion. `limits` name what the target accepts where a rule rejects a value: the detail of such
    findings. `state` is what the way back needs to undo what was done to tools, as plain JSON. `emulated`:
    the functions that custom tools are sent as; `client_tools`: those that tools of the client's are, with their kinds.
    `stores`: whether the source's providers store responses unless the request forbids it; so does a source of none.
    """

    __slots__ = (
        "client_tools",
        "emulated",
        "facts",
        "limits",
        "records",
        "refused",
        "state",
        "stops",
        "stores",
        "vendor_fields",
        "wire_paths",
    )

    def __init__(
        self,
        vendor_fields: Words,
        wire_paths: Words,
        stops: Set[str] = ERRORS,
        limits: Mapping[str, str] = NO_LIMITS,
        refused: Mapping[str, frozenset[str]] = NONE_REFUSED,
        stores: bool = True,
    ) -> None:
        self.vendor_fields = vendor_fields
        self.wire_paths = wire_paths
        self.stops = stops
        self.limits = limits
        self.refused = refused
        self.stores = stores
        self.records: list[Record] = []
        self.facts = Facts()
        self.state: dict[str, Any] = {}
        self.emulated: list[Any] = []
        self.client_tools: list[tuple[str, Any]] = []

    def at(self, rule: str, node: Any, name: str = "", detail: str = "") -> None:
        """Record a finding about a node, or about one of its fields."""
        detail = detail or self.limits.get(rule, "")
        self.records.append((rule, (located, self.wire_paths, node, name), detail))
        if name:
            if (fields := self.wire_paths.get(node.__class__.__name__)) is not None:
                paths = fields.get(name)
                if isinstance(paths, Joint):
                    for src in sources(node):
                        if isinstance(src, dict) and src.get(paths[-1]) is not None:
                            self.records.append((rule, (src, paths[-1]), detail))
        elif node.src.__class__ is Several:
            self.records += [(rule, (src,), detail) for src in node.src[1:]]

    def under(self, rule: str, node: Any, name: str, value: Any, detail: str = "", *, omitted: bool = False) -> None:
        """The same about a field that holds a node, or nodes.

        One that does not stand where the wire paths say is found by its own `src`: a marker beside what it marks.
        `omitted`: it is dropped without loss, so that what is inside it has to be reported by itself.
        """
        before = len(self.records)
        self.at(rule, node, name, detail)
        src = getattr(value, "src", None)
        if src is not None and src is not node.src:
            _, place, detail = self.records[before]
            self.records[before] = (rule, (*place, src[0] if src.__class__ is Several else src), detail)
            if src.__class__ is Several:
                self.records += [(rule, (one,), detail) for one in src[1:]]
        if omitted:
            for one in value if isinstance(value, list) else (value,):
                self.inside(rule, one)

    def inside(self, rule: str, node: Any) -> None:
        """Record the extra fields of a node that is dropped, and of those below it, unless the rule names them all."""
        if not KNOWN[rule].whole:
            for one in nodes(node):
                if getattr(one, "extra", None) is not None:
                    self.extra_fields(one)

    def extra_fields(self, node: Any) -> None:
        """Record members that only the source's protocol has, each under the rule that its vocabulary names (LOS-3).

        Which they are is found out when the records are rendered, unless they can end the conversion: it takes longer
        than reading the object did.
        """
        members, known = node.extra.members()
        if not members:
            return
        name = type(node).__name__
        src = node.src if isinstance(node.src, dict) or node.extra.unread is None else members
        found = (members, known, self.vendor_fields.get(name, NO_FIELDS), src)
        if self.stops is not ERRORS or (name in self.refused and not self.refused[name].isdisjoint(members)):
            self.records += extra_members(*found)
        else:
            self.records.append((LATER, (extra_members, *found), ""))

    def has_member(self, cls: str, name: str) -> bool:
        """Whether the source's protocol has a member for a field; else the field states what all its payloads do."""
        return name in self.wire_paths.get(cls, ())

    def place(self, node: Any, name: str) -> Place:
        """A place that is found out when it is read. It does not hold the report, which would hold it: a cycle."""
        return (located, self.wire_paths, node, name)

    def stop(self) -> None:
        """Raise Refusal, with all of them, if there are findings that end the conversion."""
        for record in self.records:
            if record[0] in self.stops:
                raise Refusal.of_records([each for each in self.records if each[0] in self.stops])


def located(place: tuple[Any, ...]) -> tuple[Any, ...]:
    """Where a field is in the source: the first of its known places that exists, else the `src` of the node in it, or
    that of the node that it is a field of."""
    node, name = place[2:4]
    src = node.src
    if src.__class__ is Several:
        found = (_below(one, place) for one in (*src, src.around) if name and isinstance(one, dict))
        return next(filter(None, found), None) or _own(place[4] if len(place) > 4 else src[0])
    if name and isinstance(src, dict) and (below := _below(src, place)) is not None:
        return below
    return _own(place[4] if len(place) > 4 else src)


def _own(src: Place) -> tuple[Any, ...]:
    return src if isinstance(src, tuple) else (src,)


def _below(src: dict[str, Any], place: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Where a field is below an object; None where it is not."""
    _, wire_paths, node, name = place[:4]
    fields = wire_paths.get(node.__class__.__name__)
    paths = fields.get(name, name) if fields else name
    if paths in src and src[paths] is not None:
        return (src, paths)
    for path in (paths,) if isinstance(paths, str) else paths:
        keys: list[str | int] = [*path.split("/")]
        inner: Any = src
        for at, key in enumerate(keys):
            if isinstance(inner, list):
                keys[at] = number = int(key) if str(key).isdigit() else len(inner)
                inner = inner[number] if number < len(inner) else None
            else:
                inner = inner.get(key) if isinstance(inner, dict) else None
        if inner is not None:
            return (src, *keys)
    return None


NO_FIELDS: Mapping[str, Any] = {}


def extra_members(
    members: Mapping[str, Any], known: Container[str], table: Mapping[str, Any], src: Place
) -> list[Record]:
    """A record of each member that is not known, has a value and does not repeat an IR field."""
    records: list[Record] = []
    own = src if isinstance(src, dict) else NO_FIELDS
    for key, value in members.items():
        if value is None or key in known:
            continue
        entry = table.get(key)
        if not isinstance(entry, str) and callable(entry):
            entry = entry(value, own) if type(entry) is ByObject else entry(value)
        if isinstance(entry, str) and key in own:  # nearly all
            if entry != NO_RULE:
                records.append((entry, (src, key), ""))
        else:
            unmapped_members({key: value}, table, src, (), records)
    return records


def unmapped_members(
    patch: Mapping[str, Any], table: Mapping[str, Any], src: Place, keys: tuple[str, ...], records: list[Record]
) -> None:
    for key, value in patch.items():
        entry = table.get(key)
        if value is None:
            continue
        if isinstance(value, dict) and (
            isinstance(entry, dict) or (entry is None and _is_part(value, src, (*keys, key)))
        ):
            others = {OTHERS: table[OTHERS]} if OTHERS in table else NO_FIELDS
            unmapped_members(value, others if entry is None else entry, src, (*keys, key), records)
            continue
        if callable(entry):
            whole = src if isinstance(src, dict) else NO_FIELDS
            entry = entry(value, whole) if type(entry) is ByObject else entry(value)
        if entry != NO_RULE:
            rule = entry if isinstance(entry, str) else table.get(OTHERS, UNKNOWN)
            records.append((rule, _inside(src, (*keys, key)), ""))


def _is_part(kept: dict[str, Any], src: Place, keys: tuple[str, ...]) -> bool:
    """Whether what is kept of an object is not all of it: the rest of it was read."""
    inner = value_at(_inside(src, keys)) if isinstance(src, dict) else None
    return bool(kept) and isinstance(inner, dict) and inner is not kept and len(inner) > len(kept)


def _inside(src: Place, keys: tuple[str, ...]) -> Place:
    """The member at `keys` of `src`, or `src` where it has none."""
    inner: Any = src
    for key in keys:
        if not isinstance(inner, dict) or key not in inner:
            return src
        inner = inner[key]
    return (src, *keys)
