"""Hold a tree against a target's table: losses are recorded, refusals collected, nothing is changed (LOS-1).

Rule 1: every field, place and kept member is judged, by the table alone. Rule 2: what a verdict says is lost is not
visited any further; its place is in `dropped`, and placement leaves it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, field

from ..diagnostics import Record
from ..ir.request import Request
from ..ir.structure import CHILDREN
from ..ir.turns import Turn
from ..json_pointer import Place
from ..rules.catalogue import RULES
from ..rules.legality import Target, Verdict

Words = Mapping[str, Mapping[str, Any]]


@define
class Findings:
    """What a target says of a tree: the records, in order, and the ids of the nodes that it does not get."""

    natives: Words
    places: Words
    records: list[Record] = field(factory=list)
    dropped: set[int] = field(factory=set)

    def at(self, rule: str, node: Any, name: str = "", detail: str = "") -> None:
        """Record a finding about a node, or about one of its fields."""
        self.records.append((rule, self.locate(node, name) if name else node.src, detail))

    def locate(self, node: Any, name: str) -> Place:
        """Where a field stands in the source: the first of its known places that exists, else the node's own."""
        src = node.src
        if not isinstance(src, dict):
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

    @property
    def refused(self) -> list[Record]:
        return [record for record in self.records if RULES[record[0]].severity == "error"]


def legalize(root: Any, target: Target, findings: Findings, options: Mapping[str, Any]) -> None:
    """Judge a Request, Response or Error and all below it."""
    kind = "request" if isinstance(root, Request) else "response"
    _Walk(target, target.places[kind], findings).visit(root)
    for check in target.checks:
        check.run(root, findings, options)


class _Walk:
    def __init__(self, target: Target, places: Mapping[str, Mapping[type, tuple[Verdict, ...]]], out: Findings) -> None:
        self.fields = target.fields
        self.places = places
        self.out = out

    def visit(self, node: Any) -> None:
        cls = node.__class__
        for item in self.fields[cls]:
            value = getattr(node, item.name)
            if value is not None:
                for values, verdict in item.verdicts:
                    if (values is None or value in values) and (verdict.when is None or verdict.when(node)):
                        if verdict.rule is not None:
                            self.out.at(verdict.rule, node, item.name)
                        break
        if node.own is not None and node.own.patch:
            self.kept(node)
        if cls is Turn:
            self.among(node.parts, node.role.value)
            return
        for name, place in _CHILDREN.get(cls, ()):
            child = getattr(node, name)
            if child is None:
                continue
            if place in ("", "turns"):
                for one in child if child.__class__ is list else (child,):
                    self.visit(one)
            else:
                self.among(child if child.__class__ is list else (child,), place)

    def among(self, nodes: Any, place: str) -> None:
        """Visit nodes that stand in a place, unless the place has none of their kind."""
        table = self.places[place]
        for node in nodes:
            rule = None
            for verdict in table[node.__class__]:
                if verdict.when is None or verdict.when(node):
                    rule = verdict
                    break
            if rule is None or rule.rule is None:
                self.visit(node)
                continue
            self.out.at(rule.rule, node, rule.at)
            if rule.word in ("loses", "refuses"):
                self.out.dropped.add(id(node))
            else:
                self.visit(node)

    def kept(self, node: Any) -> None:
        """Members that only the source's protocol has, each under the rule that its vocabulary names (LOS-3)."""
        table = self.out.natives.get(type(node).__name__, {})
        self.members(node.own.patch, table, node.src, ())

    def members(self, patch: Mapping[str, Any], table: Mapping[str, Any], src: Place, keys: tuple[str, ...]) -> None:
        for key, value in patch.items():
            entry = table.get(key)
            if isinstance(entry, dict) and isinstance(value, dict):
                self.members(value, entry, src, (*keys, key))
                continue
            if callable(entry):
                entry = entry(value)
            rule = entry if isinstance(entry, str) else "UNK-1"
            self.out.records.append((rule, _inside(src, (*keys, key)), ""))


def _inside(src: Place, keys: tuple[str, ...]) -> Place:
    """The member at `keys` of `src`, or `src` where it has none."""
    inner: Any = src
    for key in keys:
        if not isinstance(inner, dict) or key not in inner:
            return src
        inner = inner[key]
    return (src, *keys)


_CHILDREN = {cls: tuple(fields.items()) for cls, fields in CHILDREN.items()}
