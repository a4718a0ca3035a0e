"""Hold a tree against a target's table: losses are recorded, refusals collected, nothing is changed (LOS-1).

Rule 1: every field, place and kept member is judged, by the table alone. Rule 2: what a verdict says is lost is not
visited any further; its place is in `dropped`, and placement leaves it out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import NoneType
from typing import Any, get_args, get_origin

from ..diagnostics import Record, Refusal
from ..ir.error import Error
from ..ir.node import Cache
from ..ir.parts import CustomCall, FunctionCall, McpCall, McpResult, ToolResult, WebSearchCall, WebSearchResult
from ..ir.request import Request
from ..ir.response import Response
from ..ir.structure import CHILDREN, FEATURES, hints
from ..ir.turns import Role, Turn
from ..json_pointer import Place
from ..rules.catalogue import ERRORS
from ..rules.legality import Field, Target, Verdict

LOST = ("loses", "refuses")
SAID = ""  # the rule of a kept member that says nothing new: it is there for its own protocol's sake alone
LINKED = (FunctionCall, CustomCall, ToolResult)
HOSTED = (WebSearchCall, WebSearchResult, McpCall, McpResult)
ROOTS = (Request, Response, Error)
Words = Mapping[str, Mapping[str, Any]]


class Findings:
    """What a target says of a tree: the records, in order, and the ids of the nodes that it does not get.

    `stops` are the rules that end the conversion; `emulated` are the names of custom tools that became functions.
    What later passes need to know of the tree, so that they do no work where there is none:
    weakened   some node stands where the target has a weaker form of it, which placement may have to make
    linked     there are tool calls or results
    emptied    some turn has no parts
    hosted     there are calls that the provider makes itself, or results of theirs
    markers    how many cache markers there are
    """

    __slots__ = (
        "dropped",
        "emptied",
        "emulated",
        "hosted",
        "linked",
        "markers",
        "natives",
        "places",
        "records",
        "stops",
        "weakened",
    )

    def __init__(self, natives: Words, places: Words, stops: frozenset[str] = ERRORS) -> None:
        self.natives = natives
        self.places = places
        self.stops = stops
        self.records: list[Record] = []
        self.dropped: set[int] = set()
        self.emulated: list[str] = []
        self.weakened = self.linked = self.emptied = self.hosted = False
        self.markers = 0

    def at(self, rule: str, node: Any, name: str = "", detail: str = "") -> None:
        """Record a finding about a node, or about one of its fields."""
        self.records.append((rule, (located, self.places, node, name), detail))

    def place(self, node: Any, name: str) -> Place:
        """A place that is found out when it is read. It does not hold the findings, which would hold it: a cycle."""
        return (located, self.places, node, name)

    def stop(self) -> None:
        """Raise Refusal, with all of them, if there are findings that end the conversion."""
        for record in self.records:
            if record[0] in self.stops:
                raise Refusal.of_records([each for each in self.records if each[0] in self.stops])


def located(places: Words, node: Any, name: str) -> Place:
    """Where a field stands in the source: the first of its known places that exists, else the node's own."""
    src = node.src
    if not isinstance(src, dict) or not name:
        return src
    paths = places.get(type(node).__name__, NO_WORDS).get(name, name)
    if paths in src and src[paths] is not None:
        return (src, paths)
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
    plans = plans_of(target, "request" if type(root) is Request else "response")
    plans.of[root.__class__](findings, root)
    for run in plans.checks[root.__class__]:
        run(root, findings, options)


def plans_of(target: Target, kind: str) -> Plans:
    """How a target visits requests or answers (errors are answers)."""
    plans = target.plans.get(kind)
    if plans is None:
        plans = target.plans[kind] = Plans(target, kind)
    return plans


Visit = Callable[[Findings, Any], None]
Judge = Callable[[Findings, Any, Any], None]
Table = Mapping[type, tuple[Visit, "tuple[Verdict, ...] | None"]]


class Plans:
    """How one target visits requests or answers; drawn from its tables when it is first used.

    of      class -> visit: judges a node and all below it
    inside  place -> class -> visit, and the verdicts on the class there unless it is simply legal
    turn    role -> what stands in a turn of that role, and the judgement of the role itself where there is one
    """

    def __init__(self, target: Target, kind: str) -> None:
        self.checks = {cls: [check.run for check in target.checks if check.about is cls] for cls in ROOTS}
        scope: dict[str, Any] = {"kept": _kept, "among": among, "turns": self.turns}
        self.of: dict[type, Visit] = {cls: _written("visit", _visit(cls, target, scope), scope) for cls in FEATURES}
        scope |= {f"visit_{cls.__name__}": visit for cls, visit in self.of.items()}
        self.inside: dict[str, Table] = {}
        for place, table in target.places[kind].items():
            self.inside[place] = scope[_named(place)] = {
                cls: (self.of[cls], None if verdicts[0].rule is None and verdicts[0].when is None else verdicts)
                for cls, verdicts in table.items()
            }
        judged = [field for field in target.fields[Turn] if field.name == "role"]
        self.turn = {role: (self.inside[role.value], _role(role, judged)) for role in Role}

    def turns(self, out: Findings, turns: list[Turn]) -> None:
        by_role = self.turn
        for turn in turns:
            table, role = by_role[turn.role]
            if role is not None:
                role(out, turn, turn.role)
            if turn.own is not None or turn.name is not None:
                self.of[Turn](out, turn)
            if not turn.parts:
                out.emptied = True
            for node in turn.parts:
                visit, verdicts = table[type(node)]
                if verdicts is None or not _lost(out, node, verdicts):
                    visit(out, node)


def among(out: Findings, nodes: Iterable[Any], table: Table) -> None:
    """Visit nodes that stand in a place, unless the place has none of their kind."""
    for node in nodes:
        visit, verdicts = table[type(node)]
        if verdicts is None or not _lost(out, node, verdicts):
            visit(out, node)


def _lost(out: Findings, node: Any, verdicts: tuple[Verdict, ...]) -> bool:
    """Whether the target does not get the node at all; what it costs is recorded either way."""
    for verdict in verdicts:
        if verdict.when is None or verdict.when(node):
            return verdict.rule is not None and _told(out, node, verdict, verdict.rule)
    raise AssertionError  # a table without a last word refuses to load


def _told(out: Findings, node: Any, verdict: Verdict, rule: str) -> bool:
    out.at(rule, node, verdict.at)
    out.linked = True  # a refused call is linked too
    if verdict.word not in LOST:
        out.weakened = True
    elif verdict.word == "loses":  # what is refused stays, so that nobody misses it in its place
        out.dropped.add(id(node))
    return verdict.word in LOST


# --- visits, written out as code --------------------------------------------------------------------------------------
#
# Most of a visit is looking at slots that are None, and most of the rest is finding that a value is legal. As code, as
# attrs writes __init__, it costs a third of what a loop over names and verdicts does.


def _written(name: str, lines: list[str], scope: dict[str, Any]) -> Any:
    exec("\n".join(lines), scope)  # noqa: S102 - the names are those of our own classes
    return scope.pop(name)


def _visit(cls: type, target: Target, scope: dict[str, Any]) -> list[str]:
    """A function that looks at `own`, judged fields and fields with nodes, and acts on those that are not None."""
    judged = {field.name: field for field in target.fields[cls] if _here(field) and (cls, field.name) != (Turn, "role")}
    below = {name: place for name, place in CHILDREN.get(cls, {}).items() if place != "role"}
    lines = ["def visit(out, node):"]
    if cls in LINKED:
        lines.append("    out.linked = True")
    if cls in HOSTED:
        lines.append("    out.hosted = True")
    if cls is Cache:
        lines.append("    out.markers += 1")
    lines += ["    if node.own is not None:", "        kept(out, node)"]
    for name in {**judged, **below}:
        further = _further(cls, name, below[name]) if name in below else []
        act = _judging(judged[name], scope, cls, further) if name in judged else further
        if act:
            lines += [f"    if (value := node.{name}) is not None:", *_indented(_indented(act))]
    return lines


def _here(field: Field) -> bool:
    return not all(verdict.elsewhere for _, verdict in field.verdicts)


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _further(cls: type, name: str, place: str) -> list[str]:
    """Go on to the nodes that a field holds: one, or a list; those of a place are held against its table."""
    hint = hints(cls)[name]
    options = [option for option in (get_args(hint) or (hint,)) if option is not NoneType]
    listed = [option for option in (hint, *options) if get_origin(option) is list]
    if place == "turns":
        return ["turns(out, value)"]
    if place:
        return [f"among(out, {'value' if listed else '(value,)'}, {_named(place)})"]
    if listed:
        return ["for one in value:", f"    visit_{get_args(listed[0])[0].__name__}(out, one)"]
    return [f"visit_{options[0].__name__}(out, value)"]


def _named(place: str) -> str:
    return f"in_{place.replace(' ', '_')}"


def _judging(field: Field, scope: dict[str, Any], cls: type, further: list[str]) -> list[str]:
    """Find the verdict on a field's value, the first that holds; go on to its nodes where the target gets them."""
    lines: list[str] = []
    for number, (values, verdict) in enumerate(field.verdicts):
        name = f"{cls.__name__}_{field.name}_{number}"
        told = verdict.rule is not None and not verdict.elsewhere
        act = [f"out.at({verdict.rule!r}, node, {field.name!r})"] if told else []
        act += further if not told or verdict.word not in LOST else []
        tests = [f"value in values_{name}"] if values is not None else []
        tests += [f"when_{name}(node)"] if verdict.when is not None else []
        scope |= {f"values_{name}": values, f"when_{name}": verdict.when}
        if not tests:
            return [*lines, "else:", *_indented(act)] if lines and act else lines or act
        lines += [f"{'elif' if lines else 'if'} {' and '.join(tests)}:", *_indented(act or ["pass"])]
    return [*lines, "else:", *_indented(further)] if further else lines


def _role(role: Role, judged: list[Field]) -> Judge | None:
    """The judgement of a role, unless it is legal for every turn: then no turn needs to ask."""
    verdicts = [verdict for field in judged for values, verdict in field.verdicts if values is None or role in values]
    if not verdicts or verdicts[0].rule is None:
        return None
    scope: dict[str, Any] = {}
    lines = ["def judge(out, node, value):", *_indented(_judging(judged[0], scope, Turn, []))]
    judge: Judge = _written("judge", lines, scope)
    return judge


def _kept(out: Findings, node: Any) -> None:
    """Members that only the source's protocol has, each under the rule that its vocabulary names (LOS-3)."""
    if not node.own.patch:
        return
    table, src, records = out.natives.get(type(node).__name__, NO_WORDS), node.src, out.records
    for key, value in node.own.patch.items():
        entry = table.get(key)
        if callable(entry) and value is not None:
            entry = entry(value)
        if not isinstance(entry, str) or type(src) is not dict or key not in src or value is None:
            members({key: value}, table, src, (), records)
        elif entry != SAID:  # the way of nearly all
            records.append((entry, (src, key), ""))


NO_WORDS: Mapping[str, Any] = {}


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
        if entry != SAID:
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
