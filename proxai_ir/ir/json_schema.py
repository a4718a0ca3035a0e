"""The JSON Schema (draft 2020-12) of the JSON form of the IR, generated from its classes: `spec/ir.schema.json`.

What `json_form.dumps` writes is valid, and the schema has no member that it does not write. Another class, field or
enum member makes another version of the IR, and of the schema.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from enum import Enum
from typing import Any, Union, get_args, get_origin

import attrs

from .json_form import HIDDEN, SOURCE, UNIONS, Node
from .structure import VERSION

PLAIN: Mapping[Any, Any] = {
    Any: True,
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
}
TAGGED = {cls for union in UNIONS for cls in get_args(union)}
"""Members of unions, which name their class in "is"."""
ROOTS: tuple[type, ...] = get_args(Node)

Schema = Any


def schema() -> dict[str, Schema]:
    """Return the schema of a Request, a Response, an Error or a Stream, which allows no members but their fields."""
    classes: dict[str, Schema] = {}
    for root in ROOTS:
        _define(root, classes)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:proxai-ir:ir:{VERSION}",
        "title": "The JSON form of the intermediate representation of proxai_ir",
        "description": "What `proxai-ir lower` prints: a Request, a Response, an Error or a Stream.",
        **_any_of(ROOTS),
        "$defs": dict(sorted(classes.items())),
    }


def _define(cls: type, classes: dict[str, Schema]) -> None:
    """Add the definition of a class and of the classes in its fields, unless it is there."""
    if cls.__name__ in classes:
        return
    members: dict[str, Schema] = {"is": {"const": cls.__name__}} if cls in TAGGED else {}
    classes[cls.__name__] = made = {"type": "object", "properties": members, "additionalProperties": False}
    attrs.resolve_types(cls)
    written = [field for field in attrs.fields(cls) if field.init and field.name not in HIDDEN]
    members |= {field.name: _of(field.type, classes) for field in written}
    if cls in ROOTS:
        members[SOURCE] = True
    if documented := (cls.__doc__ or "").partition("\n\n")[0]:
        made["description"] = " ".join(documented.split())
    required = [field.name for field in written if field.default is attrs.NOTHING]
    if required:
        made["required"] = required


def _of(annotation: Any, classes: dict[str, Schema]) -> Schema:
    """Return the schema of a field's type."""
    if annotation in PLAIN:
        return PLAIN[annotation]
    inside, origin = get_args(annotation), get_origin(annotation)
    if origin in (Union, types.UnionType):
        return _of_union(inside, classes)
    if origin in (list, tuple):
        return {"type": "array", "items": _of(inside[0], classes)}
    if origin is dict:
        values = _of(inside[1], classes)
        return {"type": "object"} if values is True else {"type": "object", "additionalProperties": values}
    if issubclass(annotation, Enum):
        return {"enum": [member.value for member in annotation]}
    _define(annotation, classes)
    return {"$ref": f"#/$defs/{annotation.__name__}"}


def _of_union(alternatives: tuple[Any, ...], classes: dict[str, Schema]) -> Schema:
    """Return the schema of a union: several node classes are told apart by "is", other types need not be."""
    nodes = tuple(one for one in alternatives if attrs.has(one))
    if len(nodes) < 2:
        return {"anyOf": [_of(one, classes) for one in alternatives]}
    for one in nodes:
        _define(one, classes)
    others = [_of(one, classes) for one in alternatives if one not in nodes]
    return {"anyOf": [*_any_of(nodes)["anyOf"], *others]}


def _any_of(tagged: tuple[type, ...]) -> dict[str, list[Schema]]:
    return {"anyOf": [{"$ref": f"#/$defs/{one.__name__}", "required": ["is"]} for one in tagged]}
