"""The payloads of a column, whatever type it has, and the column of what they became; for bulk and engines.

Rule 1: a column of text or bytes, also with repeated values, as views or with the JSON logical type, keeps its type;
one of structs, of maps or of nulls alone becomes text, since payloads of another protocol have other members. Rule 2: a
null in a struct is a member that the payload lacks, and a whole number is an integer, also where the column has doubles
because other rows lack the member.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import orjson
import pyarrow as pa

from ..json.types import integral

EXPECTED = "string, binary, JSON, struct or map"
NULL = "expected a payload, found null"
LONGEST = 10_000
"""The most elements of a list that are shown of a cell that is no JSON."""


class NoJson(Exception):
    """A cell holds what JSON does not; the text says what."""


def can_hold(kind: pa.DataType) -> bool:
    """Return whether a column of the type can hold payloads."""
    found = _plain(kind)
    return _is_text(found) or _is_binary(found) or _is_structured(found) or bool(pa.types.is_null(found))


def may_be_meant(kind: pa.DataType) -> bool:
    """Return whether payloads are likely in a column of the type."""
    found = _plain(kind)
    return _is_text(found) or bool(pa.types.is_struct(found))


def written_as(kind: pa.DataType) -> pa.DataType:
    """Return the type of the column of outputs."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    found = _plain(kind)
    return kind if _is_text(found) or _is_binary(found) else pa.string()


def written(outputs: Sequence[bytes | None], kind: pa.DataType) -> pa.Array:
    """Return a column of outputs, of a type that `written_as` gave."""
    storage = _plain(kind)
    values = [None if one is None else one.decode() for one in outputs] if _is_text(storage) else outputs
    return pa.array(values, storage).cast(kind)


def payload_of(cell: pa.Scalar) -> bytes | None:
    """Return the payload of a cell, or None for a null. Raises NoJson."""
    cell = _stored(cell)
    if cell is None or not _is_structured(cell.type):
        return _bytes(cell)
    try:
        return orjson.dumps(_members(cell.as_py(maps_as_pydicts="strict")))
    except (TypeError, ValueError, KeyError) as error:  # no JSON, or none that Python reads: a key twice, nanoseconds
        raise NoJson(str(error)) from error


def shown(cell: pa.Scalar) -> bytes | None:
    """Return the bytes of a cell; a struct as pyarrow shows it. None for a null."""
    cell = _stored(cell)
    if cell is None or not _is_structured(cell.type):
        return _bytes(cell)
    return bytes(pa.array([cell]).to_string(window=LONGEST, skip_new_lines=True).encode())


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_binary(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind))


def _is_structured(kind: pa.DataType) -> bool:
    return bool(pa.types.is_struct(kind) or pa.types.is_map(kind))


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values of a column, without the notation for repeated ones and without a logical type."""
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def _stored(cell: pa.Scalar) -> pa.Scalar | None:
    """Return the cell in its plain type, or None for a null."""
    while cell is not None and cell.is_valid and isinstance(cell, (pa.DictionaryScalar, pa.ExtensionScalar)):
        cell = cell.value
    return cell if cell is not None and cell.is_valid else None


def _bytes(cell: pa.Scalar | None) -> bytes | None:
    return None if cell is None else bytes(cell.as_buffer().to_pybytes())


def _members(value: Any) -> Any:
    """Return a struct without members that are null, as only other rows have them."""
    if isinstance(value, dict):
        return {name: _members(one) for name, one in value.items() if one is not None}
    if isinstance(value, list):
        return [_members(one) for one in value]
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"JSON has no number {value}")
        return integral(value)
    return value
