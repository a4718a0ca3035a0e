"""JSON schemas for targets that enforce a subset of JSON Schema; each target names the keywords of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..json.pointer import Place, derived

# --- copies -----------------------------------------------------------------------------------------------------------
# Copies of the schemas in a schema, each made once, which a caller fills one after the other: linear in its size.

Json = Any
Object = dict[str, Any]
MOST_LOOKED_AT = 1_000
"""How many schemas inside one are looked at to find out whether it needs a copy; a larger one gets a copy."""


class Copies:
    """Copies of the schemas in a schema. `waiting` has the given ones and their copies to fill; it grows meanwhile."""

    def __init__(self) -> None:
        self._copies: dict[int, Object] = {}  # by the id of the given one
        self.waiting: list[tuple[Object, Object]] = []

    def copy(self, schema: Json) -> Json:
        """Return the copy of a schema, which is filled later; what is no object is returned as it is."""
        if not isinstance(schema, dict):
            return schema
        made = self._copies.get(id(schema))
        if made is None:
            made = self._copies[id(schema)] = {}
            self.waiting.append((schema, made))
        return made


# --- subset -----------------------------------------------------------------------------------------------------------
# JSON schemas for targets that enforce a subset of JSON Schema; each target names the keywords of its own.
#
# Rule 1: a keyword that cannot be enforced moves into the description, where the model may follow it (SCH-7), and what
# constrains nothing is dropped (SCH-11); objects are closed (SCH-6). Rule 2: a schema that could no longer allow what
# it is for is not changed but reported (SCH-8). Rule 3: linear in the size of the schema, however deep it is.

Unsupported = Callable[[str, Any], bool]
"""Returns whether a keyword with this value cannot be enforced; this module decides on keywords that hold schemas."""
Misfit = tuple[str, Place]
"""The rule, and the place of the keyword or of the object."""

DEFINITIONS = ("$defs", "definitions")
COMPOSITION = ("anyOf", "oneOf", "allOf")
IDLE = frozenset("$anchor $comment $id $schema discriminator externalDocs xml".split())
"""Keywords that neither constrain a value nor say anything about it."""
REMARKS = frozenset("deprecated example examples readOnly writeOnly".split())
"""Keywords that constrain nothing, but may mean something to the model."""


# --- whether a schema can be enforced ---------------------------------------------------------------------------------


def obstacle(schema: Object, unsupported: Unsupported) -> str:
    """Return what prevents a schema from being enforced in any form, or "" if nothing does (SCH-8)."""
    named = referable(schema)
    open_: set[int] = set()  # the schemas around the one that is looked at
    done: set[int] = set()
    holders: list[Object] = []
    waiting: list[Iterator[Json]] = [iter([schema])]
    while waiting:
        for one in waiting[-1]:
            if id(one) in open_:
                return "recursion"
            if id(one) not in done:
                found = _obstacle(one, named, unsupported)
                if found:
                    return found
                open_.add(id(one))
                holders.append(one)
                waiting.append(iter(_below(one, named)))
                break
        else:
            waiting.pop()
            if holders:
                last = id(holders.pop())
                open_.discard(last)
                done.add(last)
    return ""


def referable(schema: Object) -> dict[str, Json]:
    """Return the schemas that others may refer to, by reference."""
    found: dict[str, Json] = {"#": schema}
    for group in DEFINITIONS:
        members = schema.get(group)
        if isinstance(members, dict):
            for name, one in members.items():
                found[f"#/{group}/" + str(name).replace("~", "~0").replace("/", "~1")] = one
    return found


def _below(schema: Object, named: dict[str, Json]) -> list[Json]:
    """Return the schemas that one holds or refers to."""
    found = [one for key in DEFINITIONS if isinstance(schema.get(key), dict) for one in schema[key].values()]
    if "$ref" in schema:
        return [*found, named[schema["$ref"]]]
    composing = _composing(schema)
    if composing:
        found += schema[composing]
    if isinstance(schema.get("properties"), dict):
        found += schema["properties"].values()
    if isinstance(schema.get("items"), dict) and schema["items"]:
        found.append(schema["items"])
    return found


def _composing(schema: Object) -> str:
    """Return the keyword by which a schema combines others, or ""; none counts if properties are listed too."""
    if "$ref" in schema or isinstance(schema.get("properties"), dict):
        return ""
    for key in COMPOSITION:
        if isinstance(schema.get(key), list) and schema[key]:
            return key
    return ""


def _obstacle(schema: Json, named: dict[str, Json], unsupported: Unsupported) -> str:
    if not isinstance(schema, dict):
        return "a value of any type"
    if "$ref" in schema:
        known = isinstance(schema["$ref"], str) and schema["$ref"] in named
        return "" if known else "a `$ref` to something other than `$defs`"
    composing = _composing(schema)
    if composing:
        several = composing == "allOf" and len(schema["allOf"]) > 1
        return "`allOf` of several objects" if several and any(map(_may_be_object, schema["allOf"])) else ""
    if _is_object(schema):
        more = schema.get("additionalProperties")
        listed = schema.get("properties")
        closes = more is False or (isinstance(listed, dict) and (bool(listed) or more is None))
        return "" if closes else "an object with properties of any name"
    literal = any(key in schema and not unsupported(key, schema[key]) for key in ("enum", "const"))
    return "" if literal or "type" in schema else "a value of any type"


def _is_object(schema: Object) -> bool:
    kind = schema.get("type")
    if kind is None:
        return isinstance(schema.get("properties"), dict)
    return kind == "object" or (isinstance(kind, list) and "object" in kind)


def _may_be_object(schema: Json) -> bool:
    return not isinstance(schema, dict) or "$ref" in schema or _is_object(schema) or bool(_composing(schema))


def is_enforced(schema: Object, unsupported: Unsupported) -> bool:
    """Return whether a schema is obviously enforced as it is, which is found out faster than by the other functions.

    It is not obvious if it has references, or combines schemas in another way than by alternatives.
    """
    waiting: list[Json] = [schema]
    seen: set[int] = set()
    for one in waiting:  # it grows meanwhile
        if id(one) in seen:
            continue
        seen.add(id(one))
        if type(one) is not dict or not _is_plain(one):
            return False
        for key, value in one.items():
            if key == "properties":
                waiting += value.values()
            elif key == "items":
                waiting.append(value)
            elif key == "anyOf" and type(value) is list:
                waiting += value
            elif unsupported(key, value):
                return False
    return True


def _is_plain(schema: Object) -> bool:
    """Return whether a schema states one type or alternatives; an object must list its properties and no others."""
    kind = schema.get("type")
    if kind == "object":
        return (
            type(schema.get("properties")) is dict
            and schema.get("additionalProperties") is False
            and "anyOf" not in schema
        )
    if "properties" in schema or (type(kind) is list and "object" in kind):
        return False
    return bool(schema.get("anyOf")) if kind is None else "anyOf" not in schema


# --- the form that is enforced ----------------------------------------------------------------------------------------


def fitted(schema: Object, unsupported: Unsupported, *, closed: bool = True) -> tuple[Object, list[Misfit]]:
    """Return a schema without obstacles as the target enforces it, and the findings.

    The given one is not changed; it is the result if it is enforced as it is. `closed`: objects have to be closed.
    """
    fitting = _Fitting(unsupported, closed)
    made = fitting.copy(schema)
    for given, copy in fitting.waiting:  # it grows meanwhile
        fitting.fill(given, copy)
    return (made if fitting.changed else schema), fitting.misfits


class _Fitting(Copies):
    def __init__(self, unsupported: Unsupported, closed: bool) -> None:
        super().__init__()
        self._unsupported = unsupported
        self._closed = closed
        self.misfits: list[Misfit] = []
        self.changed = False

    def fill(self, given: Object, copy: Object) -> None:
        composing = _composing(given)
        moved: Object = {}
        for key, value in given.items():
            if key in DEFINITIONS or (key == "properties" and "$ref" not in given):
                copies = isinstance(value, dict)
                copy[key] = {name: self.copy(one) for name, one in value.items()} if copies else value
            elif composing and key == composing:
                self._compose(given, copy, key)
            elif key == "items" and isinstance(value, dict) and "$ref" not in given:
                if value:
                    copy[key] = self.copy(value)
                else:
                    self.changed = True  # items of any type: as if nothing was stated
            elif self._fits(given, key, composing):
                copy[key] = value
            else:
                self._leave_out(given, key, moved)
        if self._closed and _is_object(given) and not composing and "$ref" not in given:
            self._close(given, copy)
        if moved and "$ref" not in given:
            describe(copy, moved)

    def _fits(self, given: Object, key: str, composing: str) -> bool:
        if "$ref" in given:
            return key == "$ref"
        if key == "type":
            return not composing or not _is_object(given)  # the alternatives have their own
        if key == "additionalProperties":
            return not self._closed or given[key] is False or not _is_object(given)
        return key not in COMPOSITION and key != "items" and not self._unsupported(key, given[key])

    def _compose(self, given: Object, copy: Object, key: str) -> None:
        """Copy the alternatives; `oneOf` becomes `anyOf`, which is the same if a discriminator decides between them."""
        only = key == "allOf" and len(given[key]) == 1
        copy["anyOf" if key == "oneOf" or only else key] = [self.copy(one) for one in given[key]]
        if key == "oneOf" and not isinstance(given.get("discriminator"), dict):
            self.misfits.append(("SCH-7", (given, key)))
        self.changed = self.changed or key == "oneOf" or only

    def _leave_out(self, given: Object, key: str, moved: Object) -> None:
        self.changed = True
        idle = key in IDLE or str(key).startswith("x-") or (key == "type" and "$ref" not in given)
        self.misfits.append(("SCH-11" if idle or key in REMARKS else "SCH-7", (given, key)))
        if not idle and key != "additionalProperties":
            moved[key] = given[key]

    def _close(self, given: Object, copy: Object) -> None:
        if given.get("additionalProperties") is None:
            self.misfits.append(("SCH-6", given))
        self.changed = self.changed or given.get("additionalProperties") is not False or "type" not in given
        copy.setdefault("type", "object")
        copy["additionalProperties"] = False


MOST_OF_HINT = 1000  # characters
MOST_VALUES = 100  # in a hint
_hint = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def describe(copy: Object, moved: Object) -> None:
    """Append keywords to the description, as JSON, unless they are longer than any description."""
    own = copy.get("description", "")
    if not isinstance(own, str) or not _is_small(moved):
        return
    try:
        hint = _hint(moved)
    except (TypeError, ValueError):  # of what is no JSON
        return
    if len(hint) <= MOST_OF_HINT:
        copy["description"] = f"{own}\n\n{hint}" if own else hint


def _is_small(value: Json) -> bool:
    """Return whether there are few values at all depths."""
    waiting = [value]
    for one in waiting:  # it grows meanwhile
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        if len(waiting) + len(inner) > MOST_VALUES:
            return False
        waiting += inner
    return True


# --- composed ---------------------------------------------------------------------------------------------------------
# Schemas of a tool's whole parameters that are composed of others, for targets that want one object (SCH-9).

COMPOSING = frozenset(COMPOSITION)


def is_composed(schema: Mapping[str, Any]) -> bool:
    return not COMPOSING.isdisjoint(schema)


def one_object(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object that may have the properties of all alternatives and requires what `allOf`
    requires."""
    found: dict[str, list[Any]] = {}
    required: list[str] = []
    branches = [(key, one) for key in COMPOSITION for one in _listed(schema.get(key)) if isinstance(one, dict)]
    for key, branch in (("allOf", schema), *branches):
        properties = branch.get("properties")
        for name, one in properties.items() if isinstance(properties, dict) else ():
            forms = found.setdefault(name, [one])
            if forms[-1] != one:
                forms.append(one)
        if key == "allOf":
            required += (one for one in _listed(branch.get("required")) if isinstance(one, str))
    made = {"type": "object", **{key: value for key, value in schema.items() if key not in (*COMPOSITION, "type")}}
    made["properties"] = {name: forms[0] if len(forms) == 1 else {"anyOf": forms} for name, forms in found.items()}
    return derived(schema, {**made, "required": list(dict.fromkeys(required))} if required else made)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
