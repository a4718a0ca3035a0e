"""Hold a tree against a target's table: losses are recorded, refusals collected, nothing is changed (LOS-1).

Rule 1: every field, place and kept member is judged, by the table alone. Rule 2: what a verdict says is lost is not
visited any further; its place is in `dropped`, and placement leaves it out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import NoneType
from typing import Any, get_args, get_origin

from ..ir.error import Error
from ..ir.node import Cache
from ..ir.parts import CustomCall, FunctionCall, McpCall, McpResult, ToolResult, WebSearchCall, WebSearchResult
from ..ir.request import Request
from ..ir.response import Response
from ..ir.structure import CHILDREN, FEATURES, hints
from ..ir.turns import Role, Turn
from ..report import NO_FIELDS, NO_RULE, Report, unmapped_members
from ..rules.verdicts import Field, Target, Verdict

LOST = ("loses", "refuses")
LINKED = (FunctionCall, CustomCall, ToolResult)
HOSTED = (WebSearchCall, WebSearchResult, McpCall, McpResult)
ROOTS = (Request, Response, Error)


def legalize(root: Any, target: Target, report: Report, options: Mapping[str, Any]) -> None:
    """Judge a Request, Response or Error and all below it."""
    plans = plans_of(target, "request" if type(root) is Request else "response")
    plans.of[root.__class__](report, root)
    for run in plans.checks[root.__class__]:
        run(root, report, options)


def plans_of(target: Target, kind: str) -> Plans:
    """How a target visits requests or answers (errors are answers)."""
    plans = target.plans.get(kind)
    if plans is None:
        plans = target.plans[kind] = Plans(target, kind)
    return plans


Visit = Callable[[Report, Any], None]
Judge = Callable[[Report, Any, Any], None]
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

    def turns(self, out: Report, turns: list[Turn]) -> None:
        by_role = self.turn
        for turn in turns:
            table, role = by_role[turn.role]
            if role is not None:
                role(out, turn, turn.role)
            if turn.extra is not None or turn.name is not None:
                self.of[Turn](out, turn)
            if not turn.parts:
                out.emptied = True
            for node in turn.parts:
                visit, verdicts = table[type(node)]
                if verdicts is None or not _lost(out, node, verdicts):
                    visit(out, node)


def among(out: Report, nodes: Iterable[Any], table: Table) -> None:
    """Visit nodes that stand in a place, unless the place has none of their kind."""
    for node in nodes:
        visit, verdicts = table[type(node)]
        if verdicts is None or not _lost(out, node, verdicts):
            visit(out, node)


def _lost(out: Report, node: Any, verdicts: tuple[Verdict, ...]) -> bool:
    """Whether the target does not get the node at all; what it costs is recorded either way."""
    for verdict in verdicts:
        if verdict.when is None or verdict.when(node):
            return verdict.rule is not None and _told(out, node, verdict, verdict.rule)
    raise AssertionError  # a table without a last word refuses to load


def _told(out: Report, node: Any, verdict: Verdict, rule: str) -> bool:
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
    lines += ["    if node.extra is not None:", "        kept(out, node)"]
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


def _kept(out: Report, node: Any) -> None:
    """Members that only the source's protocol has, each under the rule that its vocabulary names (LOS-3)."""
    if not node.extra.fields:
        return
    table, src, records = out.vendor_fields.get(type(node).__name__, NO_FIELDS), node.src, out.records
    for key, value in node.extra.fields.items():
        entry = table.get(key)
        if callable(entry) and value is not None:
            entry = entry(value)
        if not isinstance(entry, str) or type(src) is not dict or key not in src or value is None:
            unmapped_members({key: value}, table, src, (), records)
        elif entry != NO_RULE:  # the way of nearly all
            records.append((entry, (src, key), ""))
