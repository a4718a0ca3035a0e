"""Whether two payloads mean the same: their trees, field by field, with the place of each difference in both.

Rule 1: the library decides what is the same. The first payload is converted to the protocol of the second; what that
loses is a difference, and so is every field that differs between the converted tree and the second payload's tree.
Rule 2: what carries no meaning is not compared: the values of response and call ids, the provider's own values where
the IR has a normalised one, counts that are missing or zero, members whose loss is an info (LOS-5).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, NamedTuple, TypeGuard

import attrs
import orjson

import proxai_ir

from ..conversion.profile import Profile, protocol_of
from ..ir.parts import ToolResult
from ..ir.request import Role, Turn
from ..ir.response import Usage
from ..ir.structure import BOOKKEEPING, copy_tree, nodes
from ..json.pointer import PointerIndex
from ..json.types import cut, written
from ..protocol.registry import frontend
from ..reporting.catalogue import KNOWN
from ..reporting.diagnostics import ROOT
from ..reporting.report import Places
from ..reporting.vocabulary import Vocabulary

Json = Any
ENVELOPE = {
    "Response": {"id", "created", "fingerprint"},
    "Terminal": {"raw"},
    "Error": {"type", "status", "request_id"},
    "Usage": {"total"},
    "Turn": {"id", "status", "phase"},
}
"""By class: fields that are facts of one provider's envelope."""
LONGEST = 60
ABSENT = "(absent)"


class NotComparableError(Exception):
    """The two payloads are of different kinds; the text says so."""


class Side(NamedTuple):
    """One of the two payloads, unchanged, with its protocol and kind."""

    payload: Json
    server: str | Profile
    kind: str


class Difference(NamedTuple):
    """One difference: the IR field, and its pointer and value in both payloads."""

    field: str
    a: tuple[str, str]
    b: tuple[str, str]
    rule: str = ""

    def __str__(self) -> str:
        sides = "  ".join(f"{name} {path or ROOT} {value}" for name, (path, value) in zip("AB", self[1:3], strict=True))
        return f"{self.field}  {sides}"

    def as_json(self) -> dict[str, Any]:
        a, b = ({"path": path, "value": value} for path, value in (self.a, self.b))
        return {"field": self.field, "a": a, "b": b, "rule": self.rule or None}


def differences(a: Side, b: Side) -> list[Difference]:
    """Return the differences; an empty list if both mean the same. Raises NotComparableError."""
    if a.kind != b.kind:
        raise NotComparableError(f"A is a {a.kind}, B a {b.kind}; expected two payloads of one kind")
    same = protocol_of(a.server) == protocol_of(b.server)
    try:
        other: Any = proxai_ir.lower(b.payload, b.server, kind=b.kind)  # type: ignore[call-overload]
        if same:
            node: Any = proxai_ir.lower(a.payload, a.server, kind=a.kind)  # type: ignore[call-overload]
            again, lost = node, []
        else:
            done = proxai_ir.compile(a.payload, a.server, b.server, kind=a.kind)  # type: ignore[call-overload]
            node, again = done.node, proxai_ir.lower(done.output, b.server, kind=b.kind)  # type: ignore[call-overload]
            lost = [
                Difference(one.rule, (one.path, one.message), ("", ABSENT), one.rule)
                for one in done.diagnostics
                if one.severity != "info"
            ]
    except proxai_ir.TranslationError as error:
        return [Difference(one.rule, (one.path, one.message), ("", ABSENT), one.rule) for one in error.diagnostics]
    alike, places = _alike(other), _places(b)
    differing = [*_Walk(_places(a), places).nodes(_alike(node), alike, a.kind)]
    if not same:  # a field that differs in the source tree only because of the source protocol is no difference
        sent = [*_Walk(_places(b), places).nodes(_alike(again), alike, a.kind)]
        fields = {one.field for one in sent}
        differing = [one for one in differing if one.field in fields] or [
            one._replace(a=("", one.a[1])) for one in sent
        ]
    return [*lost, *differing, *_members(other, b, same, node, a)]


def _places(side: Side) -> Places:
    return Places(side.payload, frontend(side.server).vocabulary)


class _Walk:
    """Two trees at once."""

    def __init__(self, a: Places, b: Places) -> None:
        self._a, self._b = a, b

    def nodes(self, x: Any, y: Any, path: str, at: tuple[tuple[Any, Any], str] | None = None) -> Iterator[Difference]:
        """Yield the differences of two nodes. `at`: both holders and their field, where the nodes have no place."""
        if type(x) is not type(y):
            yield self._found(path, (x, "", type(x).__name__), (y, "", type(y).__name__))
            return
        for attribute in attrs.fields(type(x)):
            name = attribute.name
            if name in BOOKKEEPING or name in ENVELOPE.get(type(x).__name__, ()):
                continue
            around, stands = at or ((x, y), name)
            yield from self._values(getattr(x, name), getattr(y, name), around, stands, f"{path}.{name}")

    def _values(self, x: Any, y: Any, around: tuple[Any, Any], name: str, path: str) -> Iterator[Difference]:
        if attrs.has(type(x)) and attrs.has(type(y)):
            yield from self.nodes(x, y, path, None if hasattr(x, "src") else (around, name))
        elif _is_empty(x) and _is_empty(y):
            return
        elif None in (x, y) and attrs.has(type(x if y is None else y)):
            yield from self._only(x, y, around, name, path)
        elif _is_nodes(x) and _is_nodes(y) and (x or y):
            yield from self._lists(x, y, around, name, path)
        elif not _equal(x, y, around[0], name):
            yield self._found(path, (around[0], name, x), (around[1], name, y))

    def _only(self, x: Any, y: Any, around: tuple[Any, Any], name: str, path: str) -> Iterator[Difference]:
        """Yield the fields of a node that only one of the two trees has."""
        node, holder, other = (x, *around) if y is None else (y, *reversed(around))
        for field, value in _stated(node).items():
            where = (node, field) if hasattr(node, "src") else (holder, name)  # a seal stands where its part has it
            has, lacks = (*where, value), (other, name, None)
            yield self._found(f"{path}.{field}", *((has, lacks) if y is None else (lacks, has)))

    def _lists(
        self, x: Sequence[Any], y: Sequence[Any], around: tuple[Any, Any], name: str, path: str
    ) -> Iterator[Difference]:
        """Yield items are aligned, so that an inserted item is one difference and shifts no others."""
        matcher = difflib.SequenceMatcher(None, [*map(repr, x)], [*map(repr, y)], autojunk=False)
        for tag, a, a_end, b, b_end in matcher.get_opcodes():
            if tag == "equal":
                continue
            both = min(a_end - a, b_end - b)
            for step in range(both):
                yield from self.nodes(x[a + step], y[b + step], f"{path}[{a + step}]")
            for at in range(a + both, a_end):
                yield self._found(f"{path}[{at}]", (x[at], "", x[at]), (around[1], name, None))
            for at in range(b + both, b_end):
                yield self._found(f"{path}[{at}]", (around[0], name, None), (y[at], "", y[at]))

    def _found(self, path: str, a: tuple[Any, str, Any], b: tuple[Any, str, Any]) -> Difference:
        (x, x_name, x_value), (y, y_name, y_value) = a, b
        return Difference(path, (self._a(x, x_name), _shown(x_value)), (self._b(y, y_name), _shown(y_value)))


def _equal(x: Any, y: Any, node: Any, name: str) -> bool:
    if isinstance(node, Usage):
        return (x or None) == (y or None) or x is None or y is None
    if name == "model" and None in (x, y):  # it is in the URL of some protocols
        return True
    return bool(x == y)


def _is_empty(value: Any) -> bool:
    """Return whether a value is absent, or a node with default values only."""
    if not attrs.has(type(value)):
        return value is None
    return not _stated(value)


def _stated(node: Any) -> dict[str, Any]:
    """Return the fields of a node that have other values than their defaults."""
    fields = [one for one in attrs.fields(type(node)) if one.name not in BOOKKEEPING]
    return {one.name: value for one in fields if (value := getattr(node, one.name)) not in (one.default, [], None)}


def _is_nodes(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list) and all(attrs.has(type(one)) for one in value)


def _shown(value: Any) -> str:
    if value is None:
        return ABSENT
    if attrs.has(type(value)):
        return type(value).__name__
    value = value.value if isinstance(value, Enum) else value
    if type(value) is int:
        return str(value) if value.bit_length() <= 64 else written(value)
    text = repr(value) if not isinstance(value, (dict, list, str)) else orjson.dumps(value, default=repr).decode()
    return cut(text, LONGEST)


# --- a normal form ----------------------------------------------------------------------------------------------------


def _alike(root: Any) -> Any:
    """Return a copy in one form: arguments parsed, calls numbered in their order, results of tools in turns of their
    own."""
    root = copy_tree(root)
    numbers: dict[str, str] = {}
    for node in nodes(root):
        _number(node, numbers)
        if isinstance(arguments := getattr(node, "arguments", None), str):
            try:
                node.arguments = orjson.loads(arguments or "{}")
            except orjson.JSONDecodeError:
                continue
    for holder in (root, *(getattr(root, "candidates", None) or ())):
        if getattr(holder, "turns", None):
            holder.turns = _turns(holder.turns)
    return root


def _number(node: Any, numbers: dict[str, str]) -> None:
    """Replace the id of a call or result by its number: ids only join the two."""
    for name in ("call_id",) if hasattr(node, "call_id") else ("id",) if hasattr(node, "arguments") else ():
        if isinstance(known := getattr(node, name), str):
            setattr(node, name, numbers.setdefault(known, f"call {len(numbers) + 1}"))
    if isinstance(node, ToolResult):
        node.name = None  # that of its call


def _turns(turns: Sequence[Turn]) -> list[Turn]:
    joined: list[Turn] = []
    for turn in turns:
        for part in turn.parts:
            role = Role.TOOL if isinstance(part, ToolResult) else turn.role
            if not joined or joined[-1].role != role:
                joined.append(attrs.evolve(turn, role=role, parts=[]))
            joined[-1].parts.append(part)
    return joined


# --- members that only one protocol has -------------------------------------------------------------------------------


def _members(other: Any, b: Side, same: bool, node: Any, a: Side) -> Iterator[Difference]:
    """Yield those of B that carry meaning and that no payload of A's protocol can have, or that A has not."""
    ours = _carrying(node, a) if same else {}
    theirs = _carrying(other, b)
    for path, (value, rule) in theirs.items():
        if ours.get(path, (None, ""))[0] != value:
            had = _shown(ours[path][0]) if path in ours else ABSENT
            yield Difference(rule, (path if path in ours else "", had), (path, _shown(value)), rule)
    for path in ours.keys() - theirs.keys():
        yield Difference(ours[path][1], (path, _shown(ours[path][0])), ("", ABSENT), ours[path][1])


def _carrying(root: Any, side: Side) -> dict[str, tuple[Any, str]]:
    vocabulary: Vocabulary = frontend(side.server).vocabulary
    records: list[Any] = []
    for node in nodes(root):
        if getattr(node, "extra", None) is not None:
            vocabulary.report_members(node, True, records)
    index = PointerIndex(side.payload, tree=False)
    found = {}
    for rule, place, _ in records:
        if KNOWN[rule].severity != "info":
            path = index.pointers(place)[0]
            found[path] = (_at(side.payload, path), rule)
    return found


def _at(payload: Any, path: str) -> Any:
    for step in path.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        payload = payload[int(key)] if isinstance(payload, list) else payload.get(key)
    return payload
