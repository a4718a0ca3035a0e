"""JSON schemas for targets that enforce a subset of JSON Schema: objects are closed, other keywords removed.

What does not fit is changed and reported (SCH-6, SCH-7), or refused (SCH-8); each target names the keywords.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir.json_pointer import Place

Object = dict[str, Any]
Unsupported = Callable[[str, Any], bool]
"""Whether a keyword with this value cannot be enforced."""
Misfit = tuple[str, Place]
"""The rule, and the place of the keyword or of the object."""

NAMED = ("properties", "$defs", "definitions")  # members that hold schemas by name
NESTED = ("items", "anyOf", "oneOf", "allOf")  # and those that hold a schema or a list of them


def enforceable(schema: Object, unsupported: Unsupported) -> bool:
    """Whether a schema is fitted as it is."""
    waiting = [schema]
    seen = {id(schema)}
    for given in waiting:  # which grows meanwhile
        if _open(given) or any(unsupported(key, value) for key, value in given.items()):
            return False
        for key in (*NAMED, *NESTED):
            inner = given.get(key)
            if isinstance(inner, dict):
                below = [*inner.values()] if key in NAMED else [inner]
            else:
                below = inner if isinstance(inner, list) and key in NESTED else []
            for one in below:
                if isinstance(one, dict) and id(one) not in seen:
                    seen.add(id(one))
                    waiting.append(one)
    return True


def fitted(schema: Object, unsupported: Unsupported) -> tuple[Object, list[Misfit]]:
    """The schema as the target enforces it, and what that cost; the given one is not changed."""
    misfits: list[Misfit] = []
    made = dict(schema)
    copies = {id(schema): made}
    waiting = [(schema, made)]
    for given, copy in waiting:  # which grows meanwhile
        misfits += _fit(given, copy, unsupported)
        for key in NAMED:
            if isinstance(given.get(key), dict):
                copy[key] = {name: _copied(one, copies, waiting) for name, one in given[key].items()}
        for key in NESTED:
            if isinstance(given.get(key), dict):
                copy[key] = _copied(given[key], copies, waiting)
            elif isinstance(given.get(key), list):
                copy[key] = [_copied(one, copies, waiting) for one in given[key]]
    return (made if misfits else schema), misfits


def _copied(schema: Any, copies: dict[int, Object], waiting: list[tuple[Object, Object]]) -> Any:
    """A copy that is fitted when its turn comes; of a shared schema there is one."""
    if not isinstance(schema, dict):
        return schema
    if id(schema) not in copies:
        copies[id(schema)] = dict(schema)
        waiting.append((schema, copies[id(schema)]))
    return copies[id(schema)]


def _fit(given: Object, copy: Object, unsupported: Unsupported) -> list[Misfit]:
    misfits: list[Misfit] = []
    for key, value in given.items():
        if unsupported(key, value):
            del copy[key]
            misfits.append(("SCH-7", (given, key)))
    if _open(given):
        silent = given.get("additionalProperties") is None
        copy["additionalProperties"] = False
        misfits.append(("SCH-6", given) if silent else ("SCH-8", (given, "additionalProperties")))
    return misfits


def _open(schema: Object) -> bool:
    """Whether a schema of an object allows other properties than those that it names."""
    of_object = schema.get("type") == "object" or isinstance(schema.get("properties"), dict)
    return of_object and schema.get("additionalProperties") is not False
