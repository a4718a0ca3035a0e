"""Schemas of requests as plain objects: what a frontend respelled has done its service once all of it was judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ir.request import Request, SchemaFormat
from ..ir.tools import FunctionTool
from ..json.pointer import Respelled, plain
from ..reporting.report import Report
from ..rules.constraints import Constraints


def make_plain(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Give schemas whose members were spelled otherwise as plain objects of JSON."""
    for tool in root.tools or ():
        if type(tool) is FunctionTool and _is_respelled(tool.parameters):
            tool.parameters = plain(tool.parameters)
    wanted = root.output.format if root.output is not None else None
    if type(wanted) is SchemaFormat and _is_respelled(wanted.schema):
        wanted.schema = plain(wanted.schema)


def _is_respelled(schema: Any) -> bool:
    """Whether a schema is, or one of its properties where a target has another outermost object."""
    if schema is None or schema.__class__ is Respelled:
        return schema is not None
    properties = schema.get("properties")
    return isinstance(properties, dict) and next(iter(properties.values()), None).__class__ is Respelled
