"""A digest of IR nodes, in which the order of the members of raw objects does not count."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import attrs

from .copying import copy_tree
from .node import Extra
from .structure import nodes

HIDDEN = frozenset({"src", "headers"})


def digest_of(facts: Iterable[Any], trees: Iterable[Any]) -> str:
    """The hexadecimal digest of plain values, and of trees."""
    text = repr((*facts, [_ordered(tree) for tree in trees]))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _ordered(tree: Any) -> Any:
    """A copy in which raw objects have their members by name."""
    tree = copy_tree(tree)
    for node in nodes(tree):
        for field in attrs.fields(type(node)):
            value = getattr(node, field.name)
            if isinstance(value, Extra):
                setattr(node, field.name, Extra(_by_name(value.fields)))
            elif isinstance(value, (dict, list)) and field.name not in HIDDEN:
                setattr(node, field.name, _by_name(value))
    return tree


def _by_name(value: Any) -> Any:
    """The same as it is where it holds nodes, or is no JSON. Not by recursion, which would end at deep values."""
    try:
        return json.loads(json.dumps(value, sort_keys=True))
    except (TypeError, ValueError):
        return value
