"""Copies of a tree as deep as its nodes and the lists that hold them.

Rule: raw values (schemas, tool input, the source payload behind `src`) are shared, never copied; no pass changes them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import attrs

from ..json.codegen import compiled
from .structure import CHILDREN, is_list

T = TypeVar("T")


def copy_tree(node: T) -> T:
    """A copy of a node and of all nodes below it."""
    cls: type = type(node)
    made: T = copier(cls)(node)
    return made


@cache
def copier(cls: type) -> Callable[[Any], Any]:
    """The function that copies nodes of one class, written out as code: one call a node, no loop over its fields."""
    children = CHILDREN.get(cls, {})
    lines = ["def copy_node(node):", "    made = new(cls)"]
    for field in attrs.fields(cls):
        name = field.name
        lines.append(f"    made.{name} = node.{name}")
        if name in children:
            copied = "[copy_tree(one) for one in value]" if is_list(cls, name) else "copy_tree(value)"
            lines += [f"    if (value := node.{name}) is not None:", f"        made.{name} = {copied}"]
    scope = {"cls": cls, "new": object.__new__, "copy_tree": copy_tree}
    made: Callable[[Any], Any] = compiled(f"copier of {cls.__name__}", [*lines, "    return made"], scope)
    return made
