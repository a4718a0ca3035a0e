"""Random edits of IR trees, as a program makes them that reads a payload, changes the tree and writes it again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from enum import Enum
from functools import partial
from random import Random
from typing import Any

import attrs

from proxai_ir import TranslationError, lower, raise_to
from proxai_ir.api import Kind
from proxai_ir.conversion.same_protocol import same
from proxai_ir.ir.parts import Text
from proxai_ir.ir.request import Role, Turn
from proxai_ir.ir.structure import BOOKKEEPING, CHILDREN, copy_tree, is_list, nodes

Edit = Callable[[], None]
BOUND = frozenset({"id", "call_id", "protocol", "raw", "kind", "mime"})
"""Fields that others refer to, or that say what the rest of the node is."""


def edited(root: Any, random: Random) -> tuple[str, Any]:
    """A copy with one edit, and what that is; each kind of edit is as likely as any other."""
    tree = copy_tree(root)
    by_kind: dict[str, list[tuple[str, Edit]]] = {}
    for kind, name, edit in edits(tree, random):
        by_kind.setdefault(kind, []).append((name, edit))
    kind = random.choice(sorted(by_kind))
    name, edit = random.choice(by_kind[kind])
    edit()
    return f"{kind} {name}", tree


def edits(tree: Any, random: Random) -> Iterator[tuple[str, str, Edit]]:
    for node in nodes(tree):
        yield from _of_fields(node)
        for field in CHILDREN.get(type(node), ()):
            if is_list(type(node), field) and getattr(node, field):
                yield from _of_list(f"{type(node).__name__}.{field}", getattr(node, field), random)


def _of_list(name: str, listed: list[Any], random: Random) -> Iterator[tuple[str, str, Edit]]:
    at = random.randrange(len(listed))
    if name in ("Request.turns", "Turn.parts"):
        new = Turn(Role.USER, [Text("Appended.")]) if name == "Request.turns" else Text("Appended.")
        yield "append", name, lambda: listed.append(new)
        if name == "Request.turns":
            yield "insert", name, lambda: listed.insert(at, new)
            yield "replace", name, lambda: listed.__setitem__(at, new)
    if len(listed) > 1:
        yield "drop", name, lambda: listed.__delitem__(at)
        yield "move", name, lambda: listed.insert(0, listed.pop(at))


def _of_fields(node: Any) -> Iterator[tuple[str, str, Edit]]:
    for field in attrs.fields(type(node)):
        if field.name in BOOKKEEPING or field.name in BOUND or field.name in CHILDREN.get(type(node), ()):
            continue
        value = getattr(node, field.name)
        new = _other(value)
        if new is not None:
            name = f"{type(node).__name__}.{field.name}"
            yield "change", name, partial(setattr, node, field.name, new)


def _other(value: Any) -> Any:
    """Another value of the same type; None where there is none."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, Enum):
        return None
    if isinstance(value, str):
        return f"{value} Edited." if " " in value else None
    if isinstance(value, int):
        return value + 7
    if isinstance(value, float):
        return 0.375
    if isinstance(value, dict) and value and all(isinstance(key, str) for key in value):
        return {**value, "edited": True}
    return None


# --- what has to come of an edit --------------------------------------------------------------------------------------

RIGHT, UNWRITABLE, REFUSED = "right", "the protocol cannot represent it", "refused"


def verdict(payload: Any, protocol: str, kind: Kind, random: Random) -> tuple[str, str]:
    """What becomes of one random edit: what it is, and RIGHT, UNWRITABLE, REFUSED or what is wrong (PutGet)."""
    tree = lower(payload, protocol, kind=kind)
    what, wanted = edited(tree, random)
    made = _raised(wanted, protocol)
    if made is None:
        return what, REFUSED
    canonical = _raised(_sourceless(wanted), protocol)
    if not _means(made, protocol, kind, wanted):
        return what, UNWRITABLE if canonical is None or not _means(
            canonical, protocol, kind, wanted
        ) else "another tree"
    before = leaves(_raised(_sourceless(tree), protocol))
    strange = (leaves(made) - leaves(payload)) - (leaves(canonical) - before)
    return what, f"also changed: {[*strange][:3]}" if strange else RIGHT


def _sourceless(tree: Any) -> Any:
    tree = copy_tree(tree)
    tree.src = None
    return tree


def _raised(tree: Any, protocol: str) -> Any:
    try:
        return raise_to(tree, protocol)
    except TranslationError:
        return None


def _means(payload: Any, protocol: str, kind: Kind, wanted: Any) -> bool:
    try:
        return same(lower(payload, protocol, kind=kind), wanted, payload)
    except TranslationError:
        return False


def leaves(payload: Any) -> Counter[str]:
    """How often each value is there, under whatever name."""
    found: Counter[str] = Counter()
    waiting: list[Any] = [payload]
    for value in waiting:  # which grows meanwhile
        if isinstance(value, (dict, list)) and value:
            waiting += value.values() if isinstance(value, dict) else value
        else:
            found[repr(value)] += 1
    return found
