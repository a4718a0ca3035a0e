"""Objects in the spelling of another protocol, which has members inside an object that stand at the top here, or the
other way round.

Rule: only places and names differ. What the members mean is for the protocol's own readers, and whatever these find has
its place in the payload (json/pointer.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.json.pointer import Respelled
from proxai_ir.reporting.diagnostics import Refusal

from .reading import NOTHING, Object


def flat(given: Object, kind: str, inside: str, names: Mapping[str, str] = NOTHING) -> Object:
    """Return an object of this type with the members of its member `inside` moved to the top.

    `names`: what members are called here, where that differs. Raises Refusal where a member stands at both places.
    """
    inner = given.get(inside)
    made: Object = {}
    places: dict[str, tuple[str, ...]] = {}
    outer = [((key,), value) for key, value in given.items() if key != inside or not isinstance(inner, dict)]
    within = [((inside, key), value) for key, value in inner.items()] if isinstance(inner, dict) else []
    for place, value in (*outer, *within):
        name = names.get(place[-1], place[-1])
        if made.get(name) is not None:
            raise Refusal("SHP-4", (given, *place), f"there are two of `{name}`")
        made[name], places[name] = value, place
    return Respelled({**made, "type": kind}, given, places)


def nested(given: Object, kind: str, inside: str, names: Mapping[str, str]) -> Object:
    """Return an object of this type with the members in `names` moved into its member `inside`, under the names there.

    Raises Refusal for two members of one name.
    """
    made: Object = {key: value for key, value in given.items() if key not in names}
    inner: Object = {}
    places: dict[str, str] = {}
    for key, name in names.items():
        if given.get(key) is not None:
            if name in inner:
                raise Refusal("SHP-4", (given, key), f"there are two of `{name}`")
            inner[name], places[name] = given[key], key
    within = {inside: Respelled(inner, given, places)} if inner else {}
    return Respelled({**made, **within, "type": kind}, given, {})


def unnested(given: Any) -> Any:
    """Return an object with the members of the member that its type names moved to the top; any other value as it
    is."""
    kind = given.get("type") if isinstance(given, dict) else None
    return flat(given, kind, kind) if isinstance(kind, str) and isinstance(given.get(kind), dict) else given
