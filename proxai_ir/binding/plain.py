"""Schemas that a frontend respelled, in what a caller gets as objects: plain ones take their place.

Bytes show no difference, and cost nothing here.
"""

from __future__ import annotations

from typing import Any

from ..ir.request import Request, SchemaFormat
from ..ir.tools import FunctionTool
from ..json.pointer import Respelled, plain


def in_plain_objects(made: Any, root: Any) -> Any:
    """What was made of a tree, copied where a schema in it is respelled."""
    if type(root) is not Request:
        return made
    wanted = root.output.format if root.output is not None else None
    if type(wanted) is SchemaFormat and _holds_respelled(wanted.schema):
        return plain(made)
    schemas = (tool.parameters for tool in root.tools or () if type(tool) is FunctionTool)
    return plain(made) if any(map(_is_respelled, schemas)) else made


def _is_respelled(schema: Any) -> bool:
    """Whether a schema is, or its properties, where a target has another outermost object."""
    if not isinstance(schema, dict) or isinstance(schema, Respelled):
        return schema is not None
    properties = schema.get("properties")
    return isinstance(properties, dict) and isinstance(next(iter(properties.values()), None), Respelled)


def _holds_respelled(schema: Any) -> bool:
    """Whether a schema is respelled, or anything in it: targets put the name of an output into its schema.

    A caller's schema may hold itself.
    """
    waiting, seen = [schema], set[int]()
    while waiting:
        one = waiting.pop()
        if isinstance(one, Respelled):
            return True
        if isinstance(one, (dict, list)) and id(one) not in seen:
            seen.add(id(one))
            waiting += one.values() if isinstance(one, dict) else one
    return False
