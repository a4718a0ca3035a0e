"""The vocabulary of a source's protocol: the wire paths of IR fields, and the members that only this protocol has.

Rule 1: a place is computed when somebody reads it. Rule 2: a member that only the source's protocol has is reported
under the rule that its vocabulary names; any other member is unknown (UNK-1, or the vocabulary's rule for OTHERS).
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from ..ir.node import FINDS, ByObject, Joint, Several
from ..json.pointer import Place, value_at
from .catalogue import ERRORS
from .diagnostics import LATER, Record, Refusal

Words = Mapping[str, Mapping[str, Any]]
NO_RULE = ""
"""Stands for the rule of a member that repeats an IR field, e.g. an index that its place in an array shows, so that
nothing is reported when it is dropped. For any other member that would be a silent loss: the conformance suite requires
a sample with each of them, and a reason for each in `repeats`."""

OTHERS = "*"
"""Stands for all members that the vocabulary does not name; without it they are unknown fields."""
UNKNOWN = "UNK-1"
NO_FIELDS: Mapping[str, Any] = {}


class Vocabulary:
    """The vocabulary of one protocol, made once; without arguments it is that of a tree without a protocol.

    vendor_fields, wire_paths, stores
             as in `Frontend`
    refused  for each IR class the vendor fields that may stop a conversion
    joint    the fields that have a Joint of wire paths, in some class
    """

    __slots__ = ("joint", "refused", "stores", "vendor_fields", "wire_paths")

    def __init__(self, vendor_fields: Words = NO_FIELDS, wire_paths: Words = NO_FIELDS, stores: bool = True) -> None:
        self.vendor_fields = vendor_fields
        self.wire_paths = wire_paths
        self.stores = stores
        self.joint = frozenset(
            name for fields in wire_paths.values() for name, paths in fields.items() if isinstance(paths, Joint)
        )
        self.refused = {
            cls: names
            for cls, table in vendor_fields.items()
            if isinstance(table, Mapping) and (names := frozenset(key for key in table if _refuses(table[key])))
        }

    def report_members(self, node: Any, at_once: bool, records: list[Record]) -> None:
        """Append a record of each member of a node that only this protocol has (LOS-3).

        Unless `at_once`, or if one of them may end the conversion, the members are collected when the records are
        rendered, since that takes longer than reading the object.
        """
        members, known = node.extra.members()
        if not members:
            return
        name, src = node.__class__.__name__, node.src
        if src.__class__ is Several:
            src = next((one for one in src if isinstance(one, dict) and members.keys() <= one.keys()), src[0])
        elif not isinstance(src, dict) and node.extra.unread is not None:
            src = members
        table = self.vendor_fields.get(name, NO_FIELDS)
        if at_once or (name in self.refused and not self.refused[name].isdisjoint(members)):
            records += extra_members(members, known, table, src)
        else:
            records.append((LATER, (extra_members, members, known, table, src), ""))


NONE = Vocabulary()


def _refuses(rule: Any) -> bool:
    """Return whether a rule, a table of them or a function that finds one by the value may end the conversion."""
    if isinstance(rule, Mapping):
        return any(map(_refuses, rule.values()))
    return any(map(_refuses, FINDS.get(rule, ERRORS))) if callable(rule) else rule in ERRORS


def located(place: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the place of a field in the source: the first of its wire paths that exists there.

    Otherwise it is the `src` of the node in the field, or of the node that has the field.
    """
    node, name = place[2:4]
    src = node.src
    if src.__class__ is Several:
        found = (_below(one, place) for one in (*src, src.around) if name and isinstance(one, dict))
        return next(filter(None, found), None) or _own(place[4] if len(place) > 4 else src[0])
    if name and isinstance(src, dict) and (below := _below(src, place)) is not None:
        return below
    return _own(place[4] if len(place) > 4 else src)


def in_source(refusal: Refusal, vocabulary: Vocabulary) -> list[Record]:
    """Return the records of a refusal by a writer, which names a node and its field, with places in the source."""
    return [(rule, (located, vocabulary.wire_paths, *place), detail) for rule, place, detail in refusal.records]


def _own(src: Place) -> tuple[Any, ...]:
    return src if isinstance(src, tuple) else (src,)


def _below(src: dict[str, Any], place: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return the place of a field below an object, or None if it is not there."""
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


def extra_members(
    members: Mapping[str, Any], known: Container[str], table: Mapping[str, Any], src: Place
) -> list[Record]:
    """Return a record of each member that is not known, has a value, and does not repeat an IR field."""
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
    """Append a record of each member below `keys` of `src`, by the table for that place."""
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
    """Return whether only some members of an object, or of those in it, were kept, since the others were read."""
    inner = value_at(_inside(src, keys)) if isinstance(src, dict) else None
    return bool(kept) and isinstance(inner, dict) and inner is not kept and inner != kept


def _inside(src: Place, keys: tuple[str, ...]) -> Place:
    """Return the place at `keys` of `src`, or `src` if it has no such member."""
    inner: Any = src
    for key in keys:
        if not isinstance(inner, dict) or key not in inner:
            return src
        inner = inner[key]
    return (src, *keys)
