"""The JSON form of the IR, there and back: `loads(dumps(node)) == node`.

Defaults and the references into the source (`src`) are left out; members of a union name their class in "is". With
`source=True` the payload that the tree was read from is the member "source", so that the tree can be written back to
its own protocol as the original tree can.
"""

from __future__ import annotations

from functools import cache
from math import isfinite
from typing import Any, get_args

import attrs
import orjson
from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from .. import ir
from ..json.merge import own
from .stream import events

Node = ir.Request | ir.Response | ir.Error | events.Stream
UNIONS: tuple[Any, ...] = (
    ir.Part,
    ir.Source,
    ir.Citation,
    ir.Tool,
    ir.ToolChoice,
    ir.Format,
    ir.InputFormat,
    events.Event,
    Node,
)
HIDDEN = ("src", "headers")
"""Fields of nodes that the form leaves out."""
JSON_UNIONS: tuple[Any, ...] = (str | dict[str, Any], str | int | None)  # JSON tells their members apart


@cache
def _converter() -> Converter:
    converter = Converter()
    for union in JSON_UNIONS:
        converter.register_structure_hook(union, lambda value, _: value)
        converter.register_unstructure_hook(union, converter.unstructure)  # by the class of the value
    converter.register_structure_hook(float, _number)
    converter.register_unstructure_hook(float, _finite)
    for union in UNIONS:
        _tagged(converter, union)
    converter.register_unstructure_hook_factory(attrs.has, lambda cls: _unstructure(cls, converter))
    converter.register_structure_hook_factory(
        attrs.has, lambda cls: make_dict_structure_fn(cls, converter, **_hidden(cls))
    )
    plain = make_dict_structure_fn(ir.Error, converter, **_hidden(ir.Error))
    converter.register_structure_hook(ir.Error, lambda value, cls: plain(_with_known_category(value), cls))
    return converter


def _with_known_category(value: Any) -> Any:
    """Return an error whose category, if it is that of a later version, is replaced by that of the status (ERR-10)."""
    category = value["category"]
    if category in [member.value for member in ir.ErrorCategory]:
        return value
    status = value.get("status") or category
    return {**value, "category": ir.by_status(status if type(status) is int else None).value}


def _number(value: Any, _: Any) -> float:
    """Return a number as it was written: 1 stays 1."""
    if isinstance(value, (int, float)):
        return value
    raise ValueError("expected a number")


def _finite(value: float) -> float:
    """Return a number; raises TypeError for NaN and infinity, which orjson would write as null."""
    if type(value) is float and not isfinite(value):  # an int may be too large for `isfinite`
        raise TypeError(f"the tree holds {value}, which JSON cannot hold")
    return value


def _unstructure(cls: type, converter: Converter) -> Any:
    return make_dict_unstructure_fn(cls, converter, _cattrs_omit_if_default=True, **_hidden(cls))


def _hidden(cls: type) -> dict[str, Any]:
    attrs.resolve_types(cls)
    return {name: override(omit=True) for name in HIDDEN if name in attrs.fields_dict(cls)}


def _tagged(converter: Converter, union: Any) -> None:
    """Register hooks for a union of node classes, with and without None. They find the class when they run, as unions
    nest."""
    classes = {cls.__name__: cls for cls in get_args(union)}

    def structure_one(value: Any, _: Any) -> Any:
        if value is None:
            return None
        rest = {key: item for key, item in value.items() if key != "is"}
        return converter.structure(rest, classes[value["is"]])

    def unstructure_one(value: Any) -> Any:
        return None if value is None else {"is": type(value).__name__, **converter.unstructure(value)}

    for form in (union, union | None):
        converter.register_structure_hook(form, structure_one)
        converter.register_unstructure_hook(form, unstructure_one)


SOURCE = "source"


def dumps(root: Node, *, source: bool = False) -> bytes:
    """Return a Request, Response, Error or Stream as indented JSON; raises TypeError for what JSON cannot hold."""
    try:
        made = _converter().unstructure(root, Node)
        if source and root.src is not None:
            made[SOURCE] = own(root.src)
        return orjson.dumps(made, option=orjson.OPT_INDENT_2)
    except RecursionError:
        raise TypeError("the tree holds a value that is too deep for JSON") from None


def loads(data: bytes | str) -> Node:
    """Return the node that `dumps` wrote. Its `src` is the payload if that was written too.

    Raises ValueError for data that are no tree. Only classes and plain types are checked: an edited tree may be one
    that no frontend makes and no backend can write, so load no tree from a source that you do not trust.
    """
    try:
        read = orjson.loads(data)
        source = read.pop(SOURCE, None) if isinstance(read, dict) else None
        found: Node | None = _converter().structure(read, Node)  # type: ignore[arg-type]
        if found is not None:
            found.src = source
    except orjson.JSONDecodeError:
        raise
    except Exception as error:
        raise ValueError(f"not the JSON form of a tree: {type(error).__name__}") from error
    if found is None:
        raise ValueError("not the JSON form of a tree: null")
    return found
