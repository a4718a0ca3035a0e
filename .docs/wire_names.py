"""The wire names of the IR's fields and places, for readers who know a payload and not the IR.

Rule: no name is listed here. They come from the frontends' declarations (`wire_paths`) and from their samples: each
sample is read, and a node's pointer is the wire name of its class. A class that occurs only in other protocols' samples
gets its names from theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import attrs

import proxai_ir
from proxai_ir.ir.request import Turn
from proxai_ir.ir.structure import BOOKKEEPING, CHILDREN, FEATURES, PLACE_OF
from proxai_ir.protocol.registry import frontend
from proxai_ir.reporting.vocabulary import located
from tests import samples

Names = dict[str, tuple[str, ...]]
"""By subject ("Sampling.seed", "Image in user"): the paths of the wire, the commonest first."""
OFFICIAL_WEIGHT = 1000  # the weight of a sample of the protocol itself; a sample of a server's dialect has 1
TAG = "type"  # the member whose value names an object, in every protocol that has one


@cache
def names(protocol: str) -> Names:
    """Return the wire names of every subject that the protocol's samples or declarations have."""
    found: dict[str, Counter[str]] = {}
    for sample in samples.of(protocol).of(protocol):
        if sample.kind != "stream":
            _read(protocol, sample.make(), 1 if sample.own else OFFICIAL_WEIGHT, found)
    for cls in FEATURES:
        for field in _fields(cls):
            declared = frontend(protocol).wire_paths.get(cls.__name__, {}).get(field, ())
            paths = (declared,) if isinstance(declared, str) else tuple(declared)
            found.setdefault(f"{cls.__name__}.{field}", Counter()).update(dict.fromkeys(filter(None, paths), 0))
    return {subject: tuple(path for path, _ in counts.most_common()) for subject, counts in found.items() if counts}


def _read(protocol: str, payload: Any, weight: int, found: dict[str, Counter[str]]) -> None:
    """Count where the nodes of one payload and their fields stand."""
    try:
        root = proxai_ir.lower(payload, protocol)
    except proxai_ir.TranslationError:
        return
    at = dict(_objects(payload, ()))
    paths = frontend(protocol).wire_paths
    for place, node in _nodes(root, ""):
        kind = type(node).__name__
        if place and (path := _path(located((located, paths, node, "")), at)) is not None:
            path = path.partition(" ")[0] if kind.startswith("Unknown") else path  # a type that nobody knows
            found.setdefault(f"{kind} in {place}", Counter())[path] += weight
        for field in _fields(type(node)):
            if getattr(node, field) in (None, [], {}):
                continue
            own, whole = located((located, paths, node, field)), located((located, paths, node, ""))
            if own != whole and (path := _path(own, at)) is not None:
                found.setdefault(f"{kind}.{field}", Counter())[path.partition(" ")[0]] += weight


def _fields(cls: type) -> list[str]:
    return [one.name for one in attrs.fields(cls) if one.name not in BOOKKEEPING]


def _objects(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield the place of every object and array of a payload, by identity, as nodes refer to them."""
    if isinstance(value, (dict, list)):
        yield id(value), path
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _objects(inner, (*path, key))


def _path(place: tuple[Any, ...], at: dict[int, tuple[Any, ...]]) -> str | None:
    """Return a place as a path without numbers, "messages/*/content/*", and an object's type after it."""
    around, *keys = place
    if id(around) not in at:
        return None
    path = "/".join("*" if isinstance(key, int) else str(key) for key in (*at[id(around)], *keys))
    inner = around
    for key in keys:
        inner = inner[key]
    tag = inner.get(TAG) if isinstance(inner, dict) else None
    return f"{path} {tag}" if path and isinstance(tag, str) else path or None


def _nodes(node: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Yield every node below, with the name of the place that it stands in, "" where it has none."""
    yield place, node
    for field, held in CHILDREN.get(type(node), {}).items():
        inner = PLACE_OF[node.role] if held == "role" and isinstance(node, Turn) else held
        value = getattr(node, field)
        for child in value if isinstance(value, list) else [value]:
            if attrs.has(type(child)):
                yield from _nodes(child, "" if inner == "turns" else inner)
