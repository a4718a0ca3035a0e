"""Hold a tree against a target's table: losses are recorded, refusals collected, nothing is changed (LOS-1).

Rule 1: every field, place and kept member is judged, by the table alone. Rule 2: what a verdict says is lost is not
visited any further; its place is in `dropped`, and placement leaves it out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field

from ..diagnostics import Record, Refusal
from ..ir.error import Error
from ..ir.parts import CustomCall, FunctionCall, ToolResult
from ..ir.request import Request
from ..ir.response import Response
from ..ir.structure import CHILDREN, FEATURES
from ..ir.turns import Role, Turn
from ..json_pointer import Place
from ..rules.catalogue import ERRORS
from ..rules.legality import Field, Target, Verdict

LOST = ("loses", "refuses")
SAID = ""  # the rule of a kept member that says nothing new: it is there for its own protocol's sake alone
LINKED = (FunctionCall, CustomCall, ToolResult)
ROOTS = (Request, Response, Error)
Words = Mapping[str, Mapping[str, Any]]


@define
class Findings:
    """What a target says of a tree: the records, in order, and the ids of the nodes that it does not get.

    `stops` are the rules that end the conversion.
    What later passes need to know of the tree, so that they do no work where there is none:
    weakened   some node stands where the target has a weaker form of it, which placement may have to make
    linked     there are tool calls or results
    emptied    some turn has no parts
    """

    natives: Words
    places: Words
    stops: frozenset[str] = ERRORS
    records: list[Record] = field(factory=list)
    dropped: set[int] = field(factory=set)
    weakened: bool = False
    linked: bool = False
    emptied: bool = False

    def at(self, rule: str, node: Any, name: str = "", detail: str = "") -> None:
        """Record a finding about a node, or about one of its fields; where that is, is found out when it is read."""
        self.records.append((rule, (self.locate, node, name), detail))

    def stop(self) -> None:
        """Raise Refusal, with all of them, if there are findings that end the conversion."""
        refused = [record for record in self.records if record[0] in self.stops]
        if refused:
            raise Refusal.of_records(refused)

    def locate(self, node: Any, name: str) -> Place:
        """Where a field stands in the source: the first of its known places that exists, else the node's own."""
        src = node.src
        if not isinstance(src, dict) or not name:
            return src
        paths = self.places.get(type(node).__name__, {}).get(name, name)
        for path in (paths,) if isinstance(paths, str) else paths:
            keys = path.split("/")
            inner: Any = src
            for key in keys:
                inner = inner.get(key) if isinstance(inner, dict) else None
            if inner is not None:
                return (src, *keys)
        return src


def legalize(root: Any, target: Target, findings: Findings, options: Mapping[str, Any]) -> None:
    """Judge a Request, Response or Error and all below it."""
    plans = plans_of(target, "request" if isinstance(root, Request) else "response")
    plans.of[root.__class__](Walk(plans, findings), root)
    for run in plans.checks[root.__class__]:
        run(root, findings, options)


def plans_of(target: Target, kind: str) -> Plans:
    """How a target visits requests or answers (errors are answers)."""
    plans = target.plans.get(kind)
    if plans is None:
        plans = target.plans[kind] = Plans(target, kind)
    return plans


Act = Callable[["Walk", Any, Any], object]
Visit = Callable[["Walk", Any], None]


def _visit(cls: type, target: Target, places: Mapping[str, Any]) -> Visit:
    """A function that visits nodes of one class and acts on `own`, judged fields and fields with nodes, unless None.

    Most of a visit is looking at slots that are None. Written out as code, as attrs writes __init__, it costs half as
    much as a loop over names.
    """
    acts: dict[str, Act] = {"own": _kept}
    for judged in target.fields[cls]:
        if (cls, judged.name) != (Turn, "role") and not all(verdict.elsewhere for _, verdict in judged.verdicts):
            acts[judged.name] = _judging(judged)
    for name, place in CHILDREN.get(cls, {}).items():
        if place != "role":
            acts[name] = _unless_lost(acts.get(name), _visiting(place, places))
    lines = ["def visit(walk, node):", "    walk.out.linked = True"] if cls in LINKED else ["def visit(walk, node):"]
    for name in acts:
        lines += [f"    value = node.{name}", "    if value is not None:", f"        act_{name}(walk, node, value)"]
    scope: dict[str, Any] = {f"act_{name}": act for name, act in acts.items()}
    exec("\n".join(lines), scope)  # noqa: S102 - the names are those of our own classes
    found: Visit = scope["visit"]
    return found


def _judging(field: Field) -> Act:
    """Find the verdict on a field's value; true where the target does not get it."""

    def act(walk: Walk, node: Any, value: Any) -> bool:
        for values, verdict in field.verdicts:
            if (values is None or value in values) and (verdict.when is None or verdict.when(node)):
                if verdict.rule is None or verdict.elsewhere:
                    return False
                walk.out.at(verdict.rule, node, field.name)
                return verdict.word in LOST
        return False

    return act


def _unless_lost(judge: Act | None, visit: Act) -> Act:
    """A field that holds nodes and is judged itself is visited only where the target gets it."""
    if judge is None:
        return visit

    def act(walk: Walk, node: Any, value: Any) -> None:
        if not judge(walk, node, value):
            visit(walk, node, value)

    return act


def _role(role: Role, judged: list[Field]) -> Act | None:
    """The judgement of a role, unless it is legal for every turn: then no turn needs to ask."""
    verdicts = [verdict for field in judged for values, verdict in field.verdicts if values is None or role in values]
    return _judging(judged[0]) if verdicts and verdicts[0].rule is not None else None


def _visiting(place: str, places: Mapping[str, Any]) -> Act:
    """Go on to the nodes that a field holds: one, or a list; those of a place are held against its table."""

    def turns(walk: Walk, node: Any, value: Any) -> None:
        walk.turns(value)

    def among(walk: Walk, node: Any, value: Any) -> None:
        walk.among(value if type(value) is list else (value,), places[place])

    def visit(walk: Walk, node: Any, value: Any) -> None:
        for one in value if type(value) is list else (value,):
            walk.of[one.__class__](walk, one)

    return turns if place == "turns" else among if place else visit


Table = Mapping[type, tuple[Visit, "tuple[Verdict, ...] | None"]]


class Plans:
    """How one target visits requests or answers; drawn from its tables when it is first used."""

    def __init__(self, target: Target, kind: str) -> None:
        self.checks = {cls: [check.run for check in target.checks if check.about is cls] for cls in ROOTS}
        self.inside: dict[str, Table] = {}
        self.of = {cls: _visit(cls, target, self.inside) for cls in FEATURES}
        # place -> class -> visit, and the verdicts on the class there unless it is simply legal
        for place, table in target.places[kind].items():
            self.inside[place] = {
                cls: (self.of[cls], None if verdicts[0].rule is None and verdicts[0].when is None else verdicts)
                for cls, verdicts in table.items()
            }
        # what stands in a turn of each role, and the judgement of the role itself where there is one
        judged = [field for field in target.fields[Turn] if field.name == "role"]
        self.turn = {role: (self.inside[role.value], _role(role, judged)) for role in Role}


class Walk:
    __slots__ = ("of", "out", "turn")

    def __init__(self, plans: Plans, out: Findings) -> None:
        self.of = plans.of
        self.turn = plans.turn
        self.out = out

    def turns(self, turns: list[Turn]) -> None:
        by_role = self.turn
        for turn in turns:
            table, role = by_role[turn.role]
            if role is not None:
                role(self, turn, turn.role)
            if turn.own is not None or turn.name is not None:
                self.of[Turn](self, turn)
            if not turn.parts:
                self.out.emptied = True
            for node in turn.parts:
                visit, verdicts = table[type(node)]
                if verdicts is None or not self.lost(node, verdicts):
                    visit(self, node)

    def among(self, nodes: Any, table: Table) -> None:
        """Visit nodes that stand in a place, unless the place has none of their kind."""
        for node in nodes:
            visit, verdicts = table[type(node)]
            if verdicts is None or not self.lost(node, verdicts):
                visit(self, node)

    def lost(self, node: Any, verdicts: tuple[Verdict, ...]) -> bool:
        """Whether the target does not get the node at all; what it costs is recorded either way."""
        verdict = next(each for each in verdicts if each.when is None or each.when(node))
        if verdict.rule is None:
            return False
        self.out.at(verdict.rule, node, verdict.at)
        self.out.linked = True  # a refused call is linked too
        if verdict.word not in LOST:
            self.out.weakened = True
        elif verdict.word == "loses":  # what is refused stays, so that nobody misses it in its place
            self.out.dropped.add(id(node))
        return verdict.word in LOST


def _kept(walk: Walk, node: Any, own: Any) -> None:
    """Members that only the source's protocol has, each under the rule that its vocabulary names (LOS-3)."""
    if own.patch:
        members(own.patch, walk.out.natives.get(type(node).__name__, {}), node.src, (), walk.out.records)


def members(
    patch: Mapping[str, Any], table: Mapping[str, Any], src: Place, keys: tuple[str, ...], records: list[Record]
) -> None:
    for key, value in patch.items():
        entry = table.get(key)
        if value is None:
            continue
        if isinstance(entry, dict) and isinstance(value, dict):
            members(value, entry, src, (*keys, key), records)
            continue
        if callable(entry):
            entry = entry(value)
        if entry == SAID:
            continue
        rule = entry if isinstance(entry, str) else "UNK-1"
        records.append((rule, _inside(src, (*keys, key)), ""))


def _inside(src: Place, keys: tuple[str, ...]) -> Place:
    """The member at `keys` of `src`, or `src` where it has none."""
    inner: Any = src
    for key in keys:
        if not isinstance(inner, dict) or key not in inner:
            return src
        inner = inner[key]
    return (src, *keys)
