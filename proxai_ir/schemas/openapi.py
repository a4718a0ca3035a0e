"""JSON Schema as Google's `Schema` object, a subset of OpenAPI 3.0, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .restated import above, below, exclusive
from .subset import DEFINITIONS, IDLE, REMARKS, Json, Misfit, Object, describe, referable

# --- openapi ----------------------------------------------------------------------------------------------------------
# JSON Schema as the subset of OpenAPI 3.0 that Google's `Schema` object is.
#
# Rule 1: what `Schema` cannot hold moves into the description, where the model may follow it, or is approximated
# (SCH-7); what constrains nothing is dropped (SCH-11); nothing is dropped without a finding. Rule 2: `$ref` is replaced
# by what it refers to; where that would never end, or would be too long, a value of any type takes its place (SCH-12).
# Rule 3: the time is linear in the size of the schema and of what its references repeat, of which there is a limit.

TYPES = {name: name.upper() for name in ("string", "number", "integer", "boolean", "array", "object", "null")}
COUNTS = frozenset("maxItems maxLength maxProperties minItems minLength minProperties".split())
"""Keywords with an integer, which proto JSON writes as a string."""
OF_KIND = {
    "items": ("array",),
    "maxItems": ("array",),
    "minItems": ("array",),
    "properties": ("object",),
    "required": ("object",),
    "propertyOrdering": ("object",),
    "maxProperties": ("object",),
    "minProperties": ("object",),
    "enum": ("string",),
    "format": ("string", "number", "integer"),
    "pattern": ("string",),
    "maxLength": ("string",),
    "minLength": ("string",),
    "maximum": ("number", "integer"),
    "minimum": ("number", "integer"),
}
"""The types that a keyword of the target applies to; other keywords apply to any."""
PLAIN = frozenset("default description example title".split()) | OF_KIND.keys() - {
    *"enum format items properties required".split()
}
"""Keywords that mean the same in both."""
FORMATS = {"string": ("date-time", "enum"), "number": ("float", "double"), "integer": ("int32", "int64")}
MOST_REPEATED = 10_000  # schemas that references repeat, in one schema

# --- JSON Schema into Google's ----------------------------------------------------------------------------------------


def legal(schema: Object) -> tuple[Object, list[Misfit]]:
    """Return a JSON Schema as Google's `Schema`, and the findings; the given one is not changed."""
    made = _Legal(schema)
    return made.root, made.misfits


class _Legal:
    """A schema in Google's form.

    _waiting  schemas with their copies, which are filled one by one, the last one first, each with the references that
              are open around it: a linked list, the innermost first
    """

    def __init__(self, schema: Object) -> None:
        self.misfits: list[Misfit] = []
        self.root: Object = {}
        self._named = referable(schema)
        self._repeated = 0
        self._waiting: list[tuple[Json, Object, Any]] = [(schema, self.root, None)]
        while self._waiting:
            given, copy, open_ = self._waiting.pop()
            if isinstance(given, dict):
                self._fill(*self._flattened(given, open_), copy)
            elif given is not True:
                self.misfits.append(("SCH-7", None))  # `false`: no value at all

    def _copy(self, given: Json, open_: Any) -> Object:
        copy: Object = {}
        self._waiting.append((given, copy, open_))
        return copy

    # --- one schema of several ----------------------------------------------------------------------------------------

    def _flattened(self, given: Object, open_: Any) -> tuple[Object, dict[str, Object], Any]:
        """Return a schema with what it refers to and what `allOf` adds, the origin of each keyword, and the open
        references.

        The first schema that has a keyword counts, but properties are those of all.
        """
        found: Object = {}
        origins: dict[str, Object] = {}
        waiting: list[Object] = [given]
        for part in waiting:  # it grows meanwhile
            self._repeated += open_ is not None
            for key, value in part.items():
                if key == "$ref":
                    target = self._target(part, open_)
                    if target is not None:
                        open_ = (value, open_)
                        waiting.append(target)
                elif (key == "allOf" and _are_schemas(value)) or (key in ("anyOf", "oneOf") and _is_one(value)):
                    waiting += [one for one in value if one != NULL]
                    if NULL in value:
                        found["nullable"] = True
                elif key not in found:
                    found[key], origins[key] = value, part
                elif key == "properties" and isinstance(value, dict) and isinstance(found[key], dict):
                    found[key] = {**value, **found[key]}
                elif key == "required" and isinstance(value, list) and isinstance(found[key], list):
                    found[key] = [*found[key], *(name for name in value if name not in found[key])]
                elif isinstance(value, (dict, list)) or found[key] != value:
                    self.misfits.append(("SCH-7", (part, key)))
        return found, origins, open_

    def _target(self, given: Object, open_: Any) -> Object | None:
        """Return the schema that a reference names, or None if it is not in the document, or is around the
        reference."""
        reference = given["$ref"]
        while open_ is not None and open_[0] != reference:
            open_ = open_[1]
        target = self._named.get(reference) if isinstance(reference, str) else None
        if isinstance(target, dict) and open_ is None and self._repeated <= MOST_REPEATED:
            return target
        self.misfits.append(("SCH-12", (given, "$ref")))
        return None

    # --- its keywords -------------------------------------------------------------------------------------------------

    def _fill(self, given: Object, origins: dict[str, Object], open_: Any, copy: Object) -> None:
        moved: Object = {}
        kinds = _kinds(given)
        for key, value in given.items():
            if kinds and key in OF_KIND and not set(OF_KIND[key]) & set(kinds):
                self._leave_out(origins[key], key, value, moved)
            elif key in PLAIN or key == "nullable":
                copy.setdefault(key, value)  # of two bounds the narrower one
            elif key == "type":
                if isinstance(value, list) and "null" in value:
                    copy["nullable"] = True
            elif key in ("items", "properties", "anyOf", "oneOf") and self._hold(key, value, copy, open_):
                if key == "oneOf" and not exclusive(given, value):
                    self.misfits.append(("SCH-7", (origins[key], key)))
            elif key not in FORMS or not FORMS[key](given, value, kinds, copy):
                self._leave_out(origins[key], key, value, moved)
            elif key in BOUNDS:
                self.misfits.append(("SCH-11", (origins[key], key)))
        if kinds and "anyOf" in copy:  # which stands alone: what has a type as well keeps that
            key = "anyOf" if "anyOf" in given else "oneOf"
            self._leave_out(origins[key], key, given[key], moved)
            del copy["anyOf"]
        if moved:
            describe(copy, moved)
        _type(copy, kinds)

    def _hold(self, key: str, value: Json, copy: Object, open_: Any) -> bool:
        """Copy the schemas that a keyword holds, and return whether the copy can hold them."""
        if key == "items":
            if isinstance(value, (dict, bool)):
                copy[key] = self._copy(value, open_)
            return isinstance(value, (dict, bool))
        if key == "properties":
            if isinstance(value, dict) and value:  # an empty one is refused
                copy[key] = {name: self._copy(one, open_) for name, one in value.items()}
            return isinstance(value, dict)
        if not isinstance(value, list) or not value or "anyOf" in copy:
            return False
        copy["anyOf"] = [self._copy(one, open_) for one in value if one != NULL]
        if len(copy["anyOf"]) < len(value):
            copy["nullable"] = True
        return True

    def _leave_out(self, origin: Object, key: str, value: Json, moved: Object) -> None:
        if key in DEFINITIONS:
            return  # they are where they are referred to
        idle = key in IDLE or str(key).startswith("x-") or (key == "additionalProperties" and isinstance(value, bool))
        self.misfits.append(("SCH-11" if idle or key in REMARKS else "SCH-7", (origin, key)))
        if not idle:
            moved[key] = value


NULL = {"type": "null"}


def _type(copy: Object, kinds: list[str]) -> None:
    """Set the type of a schema; one with several types gets alternatives, each with the keywords for its type.

    A schema that has alternatives already moves its keywords into them, since nothing may stand next to `anyOf`.
    """
    if len(kinds) == 1:
        copy["type"] = TYPES[kinds[0]]
        if kinds[0] == "array":
            copy.setdefault("items", {})  # which is required
        return
    if kinds:
        own = {key: copy.pop(key) for key in OF_KIND if key in copy}
        copy["anyOf"] = [{key: one for key, one in own.items() if kind in OF_KIND[key]} for kind in kinds]
        for kind, one in zip(kinds, copy["anyOf"], strict=True):
            _type(one, [kind])
    if "anyOf" in copy and len(copy) > 1:
        shared = {key: copy.pop(key) for key in [*copy] if key != "anyOf"}
        nullable = shared.pop("nullable", False)
        short = all(not isinstance(one, (dict, list)) and len(str(one)) <= MOST_SHARED for one in shared.values())
        for one in copy["anyOf"] if short else copy["anyOf"][:1]:
            one.update(shared)
        if nullable:
            copy["anyOf"].append({"type": "NULL"})


MOST_SHARED = 1000  # characters of a description that each alternative repeats


def _are_schemas(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def _is_one(value: Json) -> bool:
    """Return whether alternatives are one schema, and perhaps null."""
    return _are_schemas(value) and sum(one != NULL for one in value) == 1


def _required(given: Object, value: Json, _: list[str], copy: Object) -> bool:
    """Copy the names of properties that are defined; Google refuses others."""
    properties = given.get("properties")
    if not isinstance(value, list) or not isinstance(properties, dict):
        return bool(value == [])
    names = [name for name in value if isinstance(name, str) and name in properties]
    if names:
        copy["required"] = names
    return len(names) == len(value)


def _enum(_: Object, value: Json, kinds: list[str], copy: Object) -> bool:
    """Copy an enum of strings, perhaps with null; there are no others."""
    words = [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
    if not words or len(words) < len(value) - value.count(None) or kinds not in ([], ["string"]):
        return False
    if len(words) < len(value):
        copy["nullable"] = True
    copy["type"], copy["enum"] = "STRING", words
    return True


def _format(_: Object, value: Json, kinds: list[str], copy: Object) -> bool:
    known = len(kinds) == 1 and isinstance(value, str) and value in FORMATS.get(kinds[0], ())
    if known:
        copy["format"] = value
    return known


FORMS: dict[str, Callable[[Object, Json, list[str], Object], bool]] = {
    "const": lambda given, value, kinds, copy: _enum(given, [value], kinds, copy),
    "enum": _enum,
    "exclusiveMaximum": lambda given, value, kinds, copy: kinds == ["integer"] and below(given, value, copy),
    "exclusiveMinimum": lambda given, value, kinds, copy: kinds == ["integer"] and above(given, value, copy),
    "format": _format,
    "required": _required,
}
"""Keywords with another form in the target: each puts it into the copy, and returns whether there is one."""
BOUNDS = ("exclusiveMaximum", "exclusiveMinimum")
"""The keywords whose value changes (SCH-11)."""


def _kinds(given: Object) -> list[str]:
    """Return the types that a schema allows, without null if there are others; one without `type` may imply one."""
    stated = given.get("type")
    kinds = [one for one in (stated if isinstance(stated, list) else [stated]) if isinstance(one, str) and one in TYPES]
    others = [one for one in kinds if one != "null"]
    if not kinds and isinstance(given.get("properties"), dict):
        return ["object"]
    if not kinds and "items" in given and "anyOf" not in given and "oneOf" not in given:
        return ["array"]
    return others or kinds


# --- from openapi -----------------------------------------------------------------------------------------------------
# Google's `Schema` object, a subset of OpenAPI 3.0, as JSON Schema.
#
# Rule 1: a schema that is JSON Schema already is not copied. Rule 2: the time is linear in its size.

OPENAPI_NAMES = {
    "additional_properties": "additionalProperties",
    "any_of": "anyOf",
    "defs": "$defs",
    "max_items": "maxItems",
    "max_length": "maxLength",
    "max_properties": "maxProperties",
    "min_items": "minItems",
    "min_length": "minLength",
    "min_properties": "minProperties",
    "property_ordering": "propertyOrdering",
    "ref": "$ref",
}
"""Keywords of `Schema` by names that JSON Schema does not know."""
NOT_JSON_SCHEMA = OPENAPI_NAMES.keys() | {"nullable", "propertyOrdering"}
LOWER = {word: name for name, word in TYPES.items()}
NO_TYPE = "TYPE_UNSPECIFIED"
NUMBERED = (NO_TYPE, *TYPES)  # the enum's words, which TYPES has in its order
HOLDERS = ("properties", "$defs", "definitions")
INNER = ("items", "additionalProperties", "not")
LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")

Make = Callable[[Object, dict[str, str]], Object]


def normalised(schema: Object, make: Make = lambda *_: {}) -> Object:
    """Return Google's `Schema` as JSON Schema: the given one itself if it is, else a copy of what differs.

    `make` gets a schema and the names of its renamed keywords, new name to old, and returns its empty copy; it may
    refuse a schema that has a keyword under both names.
    """
    if not _differs(schema):
        return schema
    copies: dict[int, Object] = {}
    waiting: list[tuple[Object, Object]] = []

    def copied(given: Json) -> Json:
        if not isinstance(given, dict):
            return given
        if id(given) not in copies:
            renamed = {new: old for old, new in OPENAPI_NAMES.items() if old in given and _is_keyword(old, given[old])}
            copies[id(given)] = make(given, renamed)
            waiting.append((given, copies[id(given)]))
        return copies[id(given)]

    made: Object = copied(schema)
    for given, copy in waiting:  # it grows meanwhile
        for old, value in given.items():
            key = OPENAPI_NAMES[old] if old in OPENAPI_NAMES and _is_keyword(old, value) else old
            if key in HOLDERS and isinstance(value, dict):
                copy[key] = {name: copied(one) for name, one in value.items()}
            elif key in INNER:
                copy[key] = copied(value)
            elif key in LISTS and isinstance(value, list):
                copy[key] = [copied(one) for one in value]
            else:
                copy[key] = _value(key, value)
        _allow_null(given, copy)
        _in_order(copy)
    return made


def _is_keyword(old: str, value: Json) -> bool:
    """Return whether a member is the keyword of this name, and no other that happens to have the name."""
    return isinstance(value, {"ref": str, "defs": dict}.get(old, object))


def _value(key: str, value: Json) -> Json:
    if key == "type" and type(value) is int and 0 <= value < len(NUMBERED):
        return NUMBERED[value]
    if not isinstance(value, str):
        return value
    if key == "type":
        return LOWER.get(value.upper(), value)
    if key in COUNTS and value.isdecimal() and value.isascii():
        return int(value) if len(value) < MOST_DIGITS else value
    if key == "$ref" and value.startswith("#/defs/"):
        return "#/$defs/" + value[len("#/defs/") :]
    return value


MOST_DIGITS = 20  # of 64 bits


def _allow_null(given: Object, copy: Object) -> None:
    """Add null to the types, and to the listed values, for `nullable`."""
    if copy.get("type") == NO_TYPE:
        del copy["type"]
    if copy.get("format") == "enum":
        del copy["format"]
    if not isinstance(given.get("nullable"), bool):
        return
    if copy.pop("nullable"):
        if isinstance(copy.get("type"), str):
            copy["type"] = [copy["type"], "null"]
        elif isinstance(copy.get("anyOf"), list):
            copy["anyOf"] = [*copy["anyOf"], {"type": "null"}]
        if isinstance(copy.get("enum"), list) and None not in copy["enum"]:
            copy["enum"] = [*copy["enum"], None]


def _in_order(copy: Object) -> None:
    """List the properties in the stated order, if that names all of them."""
    order, properties = copy.get("propertyOrdering"), copy.get("properties")
    if isinstance(order, list) and isinstance(properties, dict) and all(isinstance(name, str) for name in order):
        if len(order) == len(properties) and {*order} == properties.keys():
            copy["properties"] = {name: properties[name] for name in copy.pop("propertyOrdering")}


def _differs(schema: Object) -> bool:
    """Return whether something in a schema is not JSON Schema."""
    waiting: list[Json] = [schema]
    seen: set[int] = set()
    for one in waiting:  # it grows meanwhile
        if not isinstance(one, dict) or id(one) in seen:
            continue
        seen.add(id(one))
        if not NOT_JSON_SCHEMA.isdisjoint(one) or one.get("format") == "enum" or one.get("type") == NO_TYPE:
            return True
        for key, value in one.items():
            if key in HOLDERS and isinstance(value, dict):
                waiting += value.values()
            elif key in INNER:
                waiting.append(value)
            elif key in LISTS and isinstance(value, list):
                waiting += value
            elif isinstance(value, (str, int)) and _value(key, value) != value:
                return True
    return False
