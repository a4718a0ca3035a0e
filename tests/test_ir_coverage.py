"""The check of `spec/ir_coverage.md`: every field of the official types of Bedrock Converse has a place.

The walk starts at the roots of the types that the package `botocore` declares, and goes on below fields whose place is
an IR field. Without the package, in the version that is stated, it skips; what the tables claim of the IR is always
checked.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from proxai_ir.ir import error, node, parts, request, response, tools
from proxai_ir.ir.stream import events
from proxai_ir.reporting.catalogue import RULES

from .cases import each
from .stated import needs_stated

TABLE = Path(__file__).parents[1] / "spec" / "ir_coverage.md"
MODULES = (error, response, node, parts, request, response, response, tools, request, response, events)
CLASSES: dict[str, type] = {
    name: value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, type) and attrs.has(value)
}
ENDS = ("vendor ", "raw", "schema", "form", "route", "sdk")
FAMILIES = {rule.partition("-")[0] for rule in RULES}
ALL = "*"


class Row(NamedTuple):
    type: str
    fields: tuple[str, ...]
    place: str


def rows(heading: str) -> list[Row]:
    """The rows of all tables below a heading of the second level."""
    (section,) = (
        text for text in TABLE.read_text(encoding="utf-8").split("\n## ")[1:] if text.partition("\n")[0] == heading
    )
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.split("\n") if line[:2] == "| "]
    return [
        Row(name, tuple(names.split()), place) for name, names, place in cells if name != "type" and name[:3] != "---"
    ]


BEDROCK = rows("Bedrock Converse and ConverseStream")


def places(table: Iterable[Row]) -> dict[str, dict[str, str]]:
    """Type -> field -> place, of the types that the package declares."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for row in table:
        for name in row.fields:
            assert name not in found[row.type], f"{row.type}.{name} has two places"
            found[row.type][name] = row.place
    return found


# --- what the tables claim of the IR ----------------------------------------------------------------------------------


@each("row", BEDROCK, ids=lambda row: f"{row.type}: {' '.join(row.fields)[:40]}")
def test_a_place_exists(row: Row) -> None:
    named = re.findall(r"`([A-Z]\w*)\.(\w+)`", row.place)
    for cls, field in named:
        assert cls in CLASSES, f"there is no class {cls}"
        assert field in attrs.fields_dict(CLASSES[cls]), f"{cls} has no field {field}"
    vendor = re.findall(r"vendor (\w+)", row.place)
    assert set(vendor) <= FAMILIES
    assert named or vendor or row.place.startswith(ENDS), "no place"


# --- what the tables name of the types --------------------------------------------------------------------------------

Fields = dict[str, list[Any]]
"""The fields of a type, or the members of an enumeration, each with the types that it may hold."""


def walk(
    roots: Iterable[Any], name_of: Callable[[Any], str], fields_of: Callable[[Any], Fields], table: Any
) -> tuple[list[str], list[str]]:
    """Return every field that the table does not name, and every name that no type has."""
    waiting = [*roots]
    seen: dict[str, set[str]] = {}
    holes: list[str] = []
    for one in waiting:  # which grows meanwhile
        name = name_of(one)
        if name in seen:
            continue
        fields, known = fields_of(one), table.get(name, {})
        seen[name] = set(fields)
        for field, below in fields.items():
            place = known.get(field, known.get(ALL))
            if place is None:
                holes.append(f"{name}.{field}")
            elif not place.startswith(ENDS):
                waiting += below
    strange = [
        f"{name}.{field}" for name in table for field in table[name] if field != ALL and field not in seen.get(name, ())
    ]
    return holes, strange


def of_bedrock() -> tuple[list[str], list[str]]:
    """Return the fields of the installed types without a place, and the places of no field that the walk reaches."""
    model = import_module("botocore.session").get_session().get_service_model("bedrock-runtime")
    roots: list[Any] = []
    for name in ("Converse", "ConverseStream"):
        operation = model.operation_model(name)
        roots += [operation.input_shape, operation.output_shape, *operation.error_shapes]

    def held(shape: Any) -> Iterator[Any]:
        if shape.type_name == "list":
            yield from held(shape.member)
        elif shape.type_name == "structure" or getattr(shape, "enum", None):
            yield shape

    def fields(shape: Any) -> Fields:
        if shape.type_name != "structure":
            return {value: [] for value in shape.enum}
        return {name: [*held(member)] for name, member in shape.members.items()}

    return walk(roots, lambda shape: shape.name, fields, places(BEDROCK))


def test_every_field_of_bedrock_has_a_place() -> None:
    needs_stated("botocore")
    assert of_bedrock() == ([], [])
