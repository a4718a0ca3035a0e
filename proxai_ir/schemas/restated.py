"""JSON schemas for targets that take JSON Schema and ignore some of its keywords; each target names those.

Rule 1: an ignored keyword is expressed by others if that is possible; otherwise it moves into the description, where
the model may follow it (SCH-7). Rule 2: what constrains nothing stays as it is. Rule 3: linear in the size of the
schema, however deep it is; the given one is not changed, and is the result where nothing in it would be ignored.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor
from typing import Any

from .subset import MOST_LOOKED_AT, Copies, Json, Misfit, Object, describe

NAMED = ("properties", "$defs", "definitions")
LISTED = ("anyOf", "oneOf", "prefixItems")
SINGLE = ("items", "additionalProperties")
HOLDING = frozenset((*NAMED, *LISTED, *SINGLE))
"""Keywords that hold schemas, in what is not moved."""
OLD_GROUP, GROUP = "definitions", "$defs"
OLD, NEW = f"#/{OLD_GROUP}/", f"#/{GROUP}/"
LOOKED_AT = frozenset(("oneOf", OLD_GROUP))
MORE = HOLDING | {"$ref", "enum"}
OTHERS = HOLDING - {"properties", "items", "additionalProperties"}
_SETS: dict[frozenset[str], tuple[frozenset[str], frozenset[str]]] = {}


def restated(schema: Object, ignored: frozenset[str]) -> tuple[Object, list[Misfit]]:
    """Return a schema without the keywords that a target ignores, and the findings."""
    if not _may_need(schema, ignored):
        return schema, []
    made = _Restating(ignored, OLD_GROUP in schema and GROUP not in schema)
    root = made.copy(schema)
    for given, copy in made.waiting:  # it grows meanwhile
        made.fill(given, copy)
    return (root if made.changed else schema), made.misfits


def _sets(ignored: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the keywords that may need restating, and with them those that are looked at; made once for each
    target."""
    made = _SETS[ignored] = ignored | LOOKED_AT, ignored | LOOKED_AT | MORE
    return made


def _may_need(schema: Object, ignored: frozenset[str]) -> bool:
    """Return whether a schema inside has such a keyword; True, too, if there are too many schemas to look at each."""
    needing, remarkable = _SETS.get(ignored) or _sets(ignored)
    waiting: list[Json] = [schema]
    for one in waiting:  # it grows meanwhile
        if (one.__class__ is not dict and not isinstance(one, dict)) or remarkable.isdisjoint(one):
            continue
        if not needing.isdisjoint(one) or ("$ref" in one and len(one) > 1):
            return True
        if "enum" in one and not _are_plain(one["enum"]):
            return True
        if "properties" in one and isinstance(one["properties"], dict):
            waiting += one["properties"].values()
            if "required" in one and not _are_defined(one["required"], one["properties"]):
                return True
        if "items" in one:
            waiting.append(one["items"])
        if "additionalProperties" in one and one["additionalProperties"] is not False:
            waiting.append(one["additionalProperties"])
        if not OTHERS.isdisjoint(one):
            for key in OTHERS.intersection(one):
                held = one[key]
                named = key in NAMED and isinstance(held, dict)
                waiting += held if isinstance(held, list) else held.values() if named else (held,)
        if len(waiting) > MOST_LOOKED_AT:
            return True
    return False


def _are_defined(names: Json, properties: Object) -> bool:
    """Return whether all required properties have a schema; targets refuse others."""
    try:
        return properties.keys() >= {*names}
    except TypeError:  # no names
        return True


PLAIN = frozenset((str, int, float, type(None)))


def _are_plain(values: Json) -> bool:
    """Return whether an enum has only values that targets accept: strings, numbers and null."""
    return isinstance(values, list) and PLAIN.issuperset(map(type, values))


class _Restating(Copies):
    """Copies without ignored keywords; `renames` is whether `definitions` are sent under their newer name."""

    def __init__(self, ignored: frozenset[str], renames: bool) -> None:
        super().__init__()
        self._ignored, self._renames = ignored, renames
        self.misfits: list[Misfit] = []
        self.changed = False

    def fill(self, given: Object, copy: Object) -> None:
        whole, origins = self._joined(given)
        moved: Object = {}
        for key, value in whole.items():
            if key in self._ignored or (key == "enum" and not _are_plain(value)):
                if key in FORMS and FORMS[key](whole, value, copy):
                    self._say(key, origins[key])
                else:
                    self._leave_out(key, value, origins[key], moved)
            elif key in NAMED and isinstance(value, dict):
                renamed = GROUP if key == OLD_GROUP and self._renames else key
                self.changed = self.changed or renamed != key
                copy[renamed] = {name: self.copy(one) for name, one in value.items()}
            elif key in LISTED and isinstance(value, list):
                copy[key] = [self.copy(one) for one in value]
                if key == "oneOf" and not exclusive(whole, value):
                    self.misfits.append(("SCH-7", (origins[key], key)))
            elif key == "required" and isinstance(inner := whole.get("properties"), dict):
                self._require(value, inner, origins[key], copy)
            elif key != "$ref" and key not in copy:
                copy[key] = self.copy(value) if key in SINGLE else value
        if "$ref" in whole:
            self._refer(whole, origins, copy, moved)
        if moved:
            describe(copy, moved)

    def _joined(self, given: Object) -> tuple[Object, dict[str, Object]]:
        """Return a schema joined with its `allOf`, if one schema can express both, and the origin of each keyword."""
        origins = dict.fromkeys(given, given)
        parts = _parts(given) if "allOf" in given else []
        if not parts:
            return given, origins
        whole: Object = {}
        for part in parts:
            for key, value in part.items():
                joined = JOINED[key](whole[key], value) if key in whole and key in JOINED else value
                if joined is None or (key in whole and key not in JOINED and not _same(whole[key], value)):
                    return given, origins
                whole[key] = joined
                origins.setdefault(key, part)
        self.changed = True
        return whole, origins

    def _require(self, names: Json, properties: Object, origin: Object, copy: Object) -> None:
        copy["required"] = names
        if not _are_defined(names, properties):
            self.changed = True
            self.misfits.append(("SCH-7", (origin, "required")))
            copy["required"] = [name for name in names if name in properties]

    def _say(self, key: str, origin: Object) -> None:
        """Report that other keywords express this one."""
        self.changed = True
        if key not in SAYS_THE_SAME:
            self.misfits.append(("SCH-11", (origin, key)))

    def _leave_out(self, key: str, value: Json, origin: Object, moved: Object) -> None:
        self.changed = True
        self.misfits.append(("SCH-7", (origin, key)))
        moved[key] = value

    def _refer(self, whole: Object, origins: dict[str, Object], copy: Object, moved: Object) -> None:
        """Put a reference alone, or as the only one of several alternatives."""
        name = whole["$ref"]
        if self._renames and isinstance(name, str) and name.startswith(OLD):
            name = NEW + name[len(OLD) :]
        if not moved and all(str(key).startswith("$") for key in copy):
            copy["$ref"] = name
            return
        self.changed = True
        if "anyOf" in copy:
            self._leave_out("anyOf", whole["anyOf"], origins["anyOf"], moved)
        copy["anyOf"] = [{"$ref": name}]


def _parts(given: Object) -> list[Object]:
    """Return a schema and those in its `allOf`, at any depth and without it, or none if one of them is no object."""
    waiting, found = [given], list[Object]()
    for one in waiting:  # it grows meanwhile
        inner = one.get("allOf", [])
        if not isinstance(inner, list) or not all(isinstance(each, dict) for each in inner):
            return []
        waiting += inner
        if len(waiting) > MOST_PARTS:
            return []
        found.append({key: value for key, value in one.items() if key != "allOf"})
    return found


MOST_PARTS = 100


def _same(one: Json, other: Json) -> bool:
    try:
        return bool(one == other)
    except RecursionError:  # too deep to be found out
        return False


def _all_required(own: Json, other: Json) -> Json:
    both = isinstance(own, list) and isinstance(other, list)
    return [*own, *(name for name in other if name not in own)] if both else None


def _all_properties(own: Json, other: Json) -> Json:
    """Return the properties of both, or None if they have different schemas for one."""
    if not isinstance(own, dict) or not isinstance(other, dict):
        return None
    return {**own, **other} if all(_same(own[name], other[name]) for name in own.keys() & other.keys()) else None


JOINED: dict[str, Callable[[Json, Json], Json]] = {"required": _all_required, "properties": _all_properties}
"""How the values of one keyword in two schemas of an `allOf` are joined; others must be the same."""


def exclusive(given: Object, alternatives: list[Json]) -> bool:
    """Return whether no value matches two alternatives of a `oneOf`, so that `anyOf` means the same."""
    if isinstance(given.get("discriminator"), dict) or not all(isinstance(one, dict) for one in alternatives):
        return True
    kinds = [one.get("type") for one in alternatives]
    kinds = ["number" if kind == "integer" else kind for kind in kinds]
    if all(isinstance(kind, str) for kind in kinds) and len({*kinds}) == len(kinds):
        return True
    first = alternatives[0].get("properties") if alternatives else None
    return isinstance(first, dict) and any(_tells_apart(name, alternatives) for name in first)


def _tells_apart(name: str, alternatives: list[Object]) -> bool:
    """Return whether each alternative requires another value of this property."""
    seen: list[Json] = []
    for one in alternatives:
        properties, required = one.get("properties"), one.get("required")
        inner = properties.get(name) if isinstance(properties, dict) else None
        if not isinstance(inner, dict) or not isinstance(required, list) or name not in required:
            return False
        values = [inner["const"]] if "const" in inner else inner.get("enum")
        if not isinstance(values, list) or any(_same(value, other) for value in values for other in seen):
            return False
        seen += values
    return True


# --- keywords with another form ---------------------------------------------------------------------------------------


def _const(given: Object, value: Json, copy: Object) -> bool:
    if "enum" in given or type(value) not in PLAIN:
        return False
    copy.update({"type": "null"} if value is None else {"enum": [value]})
    return True


def above(given: Object, value: Json, copy: Object) -> bool:
    return _bounded(given, value, copy, "minimum", max, lambda number: floor(number) + 1)


def below(given: Object, value: Json, copy: Object) -> bool:
    return _bounded(given, value, copy, "maximum", min, lambda number: ceil(number) - 1)


def _bounded(
    given: Object, value: Json, copy: Object, key: str, of: Callable[..., Any], nearest: Callable[[Any], int]
) -> bool:
    """Set the bound of integers, which is the next integer; return False for other types."""
    own, kind = given.get(key), given.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    if (
        "integer" not in kinds
        or not all(one in ("integer", "null") for one in kinds)
        or not _is_number(value)
        or not (own is None or _is_number(own))
    ):
        return False
    copy[key] = nearest(value) if own is None else of(nearest(value), own)
    return True


MOST = 2.0**53


def _is_number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -MOST < value < MOST


FORMS: dict[str, Callable[[Object, Json, Object], bool]] = {
    "const": _const,
    "exclusiveMinimum": above,
    "exclusiveMaximum": below,
}
"""Keywords that others can express: each function puts those into the copy, and returns whether it did."""
SAYS_THE_SAME = ("const",)
"""The keywords whose value is still sent."""
