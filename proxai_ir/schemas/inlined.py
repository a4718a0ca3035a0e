"""JSON schemas for targets that take few keywords at the top of a tool's schema, and no definitions.

Rule 1: a reference is replaced by what it names; where that would never end, or would be too long, a value of any type
takes its place (SCH-12). Rule 2: what stands at the top and constrains nothing is dropped (SCH-17), what constrains the
arguments is named as lost (SCH-7). Rule 3: the time is linear in the size of the schema and of what its references
repeat, of which there is a limit.
"""

from __future__ import annotations

from typing import Any

from .subset import DEFINITIONS, IDLE, REMARKS, Json, Misfit, Object, referable

TOP = ("type", "properties", "required")
WITHOUT_EFFECT = IDLE | REMARKS | {*DEFINITIONS, "additionalProperties", "title"}
"""Keywords at the top that the arguments do not depend on: models that lack them enforce no schema."""
ROOT = ("#", None)
MOST_REPEATED = 10_000  # values that references repeat, in one schema


def is_plain(schema: Object) -> bool:
    """Return whether nothing but a type, properties and what is required stands at the top of a schema."""
    return schema.keys() <= set(TOP)


def inlined(schema: Object) -> tuple[Object, list[Misfit]]:
    """Return a schema with the few keywords at its top and without references, and the findings; the given one is not
    changed."""
    made = _Inlining(schema)
    misfits: list[Misfit] = [("SCH-7", (schema, key)) for key in schema if key not in TOP and key not in WITHOUT_EFFECT]
    return made.root, [*misfits, *made.misfits]


class _Inlining:
    """A copy without references.

    _waiting  values with their copies, which are filled one by one, each with the references that are open around it:
              a linked list, the innermost first
    """

    def __init__(self, schema: Object) -> None:
        self.misfits: list[Misfit] = []
        self._named = referable(schema)
        self._repeated = 0
        self._waiting: list[tuple[Json, Any, Any]] = []
        self.root: Object = self._copy({key: schema[key] for key in TOP if key in schema}, ROOT)
        while self._waiting:
            given, copy, open_ = self._waiting.pop()
            if isinstance(given, list):
                copy += (self._copy(one, open_) for one in given)
            else:
                given, open_ = self._resolved(given, open_)
                copy.update((key, self._copy(one, open_)) for key, one in given.items())

    def _copy(self, given: Json, open_: Any) -> Any:
        if not isinstance(given, (dict, list)):
            return given
        self._repeated += open_ is not ROOT
        copy: Any = {} if isinstance(given, dict) else []  # plain ones: a payload's objects may be of other classes
        self._waiting.append((given, copy, open_))
        return copy

    def _resolved(self, given: Object, open_: Any) -> tuple[Object, Any]:
        """Return an object with what it refers to in place of the reference, and the references that are open then."""
        while isinstance(name := given.get("$ref"), str):
            beside = {key: one for key, one in given.items() if key != "$ref"}
            target = self._named.get(name)
            if not isinstance(target, dict) or _is_open(name, open_) or self._repeated > MOST_REPEATED:
                self.misfits.append(("SCH-12", (given, "$ref")))
                return beside, open_
            given, open_ = {**target, **beside}, (name, open_)
        return given, open_


def _is_open(name: str, open_: Any) -> bool:
    while open_ is not None and open_[0] != name:
        open_ = open_[1]
    return open_ is not None
