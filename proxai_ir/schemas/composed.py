"""Schemas of a tool's whole parameters that are composed of others, for targets that want one object (SCH-9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COMPOSED = ("anyOf", "oneOf", "allOf")
COMPOSING = frozenset(COMPOSED)


def is_composed(schema: Mapping[str, Any]) -> bool:
    return not COMPOSING.isdisjoint(schema)


def one_object(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an object that may have the properties of all alternatives; what `allOf` requires stays so."""
    found: dict[str, list[Any]] = {}
    required: list[str] = []
    branches = [(key, one) for key in COMPOSED for one in _listed(schema.get(key)) if isinstance(one, dict)]
    for key, branch in (("allOf", schema), *branches):
        properties = branch.get("properties")
        for name, one in properties.items() if isinstance(properties, dict) else ():
            forms = found.setdefault(name, [one])
            if forms[-1] != one:
                forms.append(one)
        if key == "allOf":
            required += (one for one in _listed(branch.get("required")) if isinstance(one, str))
    made = {"type": "object", **{key: value for key, value in schema.items() if key not in COMPOSED}}
    made["properties"] = {name: forms[0] if len(forms) == 1 else {"anyOf": forms} for name, forms in found.items()}
    return {**made, "required": list(dict.fromkeys(required))} if required else made


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
