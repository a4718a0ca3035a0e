"""JSON schemas without references: for targets that take few keywords at the top of a tool's schema and no definitions,
and for models that are not shown what a reference names.

Rule 1: a reference is replaced by what it names; where that would never end, or would be too long, a value of any type
takes its place (SCH-12), or the reference stays if the target accepts it (SCH-18). Rule 2: of a target that takes few
keywords, what stands at the top and constrains nothing is dropped (SCH-17), what constrains the arguments is named as
lost (SCH-7). Rule 3: the time is linear in the size of the schema and of what its references repeat, of which there is
a limit; what a caller's schema has in several places, or holds inside of itself, is copied once.
"""

from __future__ import annotations

from typing import Any

from ..json.pointer import Relisted, derived, extended
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
    made = _Inlining(schema, {key: schema[key] for key in TOP if key in schema})
    misfits: list[Misfit] = [("SCH-7", (schema, key)) for key in schema if key not in TOP and key not in WITHOUT_EFFECT]
    return made.root, [*misfits, *(("SCH-12", (holder, "$ref")) for holder in made.left)]


def expanded(schema: Object) -> Object:
    """Return a schema with what its references name in their place, or the same object if there is no such reference.

    Other keywords stay. A reference to what holds it stays, too, and with it the definitions; a schema that would be
    too long stays as it is. What is returned has no reference that a second time would replace, and the places of what
    was given.
    """
    top = derived(schema, {key: one for key, one in schema.items() if key not in DEFINITIONS})
    made = _Inlining(schema, top, staying=_recurring(referable(schema)))
    if not made.replaced or made.is_long:
        return schema
    return extended(made.root, {key: schema[key] for key in DEFINITIONS if made.left and key in schema})


def _recurring(named: dict[str, Json]) -> set[str]:
    """Return the references to schemas that hold references to themselves, or stand between two that do."""
    edges = {name: _references(one) & named.keys() for name, one in named.items() if name != ROOT[0]}
    holders: dict[str, set[str]] = {name: set() for name in named}
    for name, below in edges.items():
        for one in below:
            holders[one].add(name)
    return (_endless(edges, holders) & _endless(holders, edges)) | {ROOT[0]}


def _endless(edges: dict[str, set[str]], holders: dict[str, set[str]]) -> set[str]:
    """Return the names from which some path along the edges never ends."""
    ways = {name: len(below) for name, below in edges.items()}
    ended = [name for name, count in ways.items() if not count]
    for name in ended:  # it grows meanwhile
        for holder in holders.get(name, ()):
            ways[holder] -= 1
            if not ways[holder]:
                ended.append(holder)
    return ways.keys() - set(ended)


def _references(schema: Json) -> set[str]:
    """Return all references inside a schema."""
    found: set[str] = set()
    waiting, seen = [schema], set[int]()
    for one in waiting:  # it grows meanwhile
        if not isinstance(one, (dict, list)) or id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, dict) and isinstance(name := one.get("$ref"), str):
            found.add(name)
        waiting += one.values() if isinstance(one, dict) else one
    return found


class _Inlining:
    """A copy without references.

    left      objects whose references could not be replaced; where it is known which are `staying`, they keep them
    replaced  how many references were replaced
    _waiting  values with their copies, which are filled one by one, each with the references that are open around it:
              a linked list, the innermost first
    _copies   values outside of references with their copies, and all once it is long: more repeat nothing
    """

    def __init__(self, schema: Object, top: Object, *, staying: set[str] | None = None) -> None:
        self.left: list[Object] = []
        self.replaced = 0
        self._staying = staying
        self._named = referable(schema)
        self._repeated = 0
        self._waiting: list[tuple[Json, Any, Any]] = []
        self._copies: dict[tuple[int, bool], tuple[Json, Any]] = {}  # by the id, and whether it was long
        self.root: Object = self._copy(top, ROOT)
        while self._waiting:
            given, copy, open_ = self._waiting.pop()
            if isinstance(given, list):
                copy += (self._copy(one, open_) for one in given)
            else:
                given, open_ = self._resolved(given, open_)
                copy.update((key, self._copy(one, open_)) for key, one in given.items())

    @property
    def is_long(self) -> bool:
        """Whether the references repeat more than they may."""
        return self._repeated > MOST_REPEATED

    def _copy(self, given: Json, open_: Any) -> Any:
        if not isinstance(given, (dict, list)):
            return given
        once = open_ is ROOT or self.is_long
        key = id(given), self.is_long
        if once and key in self._copies:
            return self._copies[key][1]
        self._repeated += open_ is not ROOT
        copy: Any
        if self._staying is None:
            copy = {} if isinstance(given, dict) else []  # plain ones: a payload's objects may be of other classes
        else:  # more may be found in what is returned
            copy = derived(given, {}) if isinstance(given, dict) else Relisted([], given)
        if once:
            self._copies[key] = given, copy
        self._waiting.append((given, copy, open_))
        return copy

    def _resolved(self, given: Object, open_: Any) -> tuple[Object, Any]:
        """Return an object with what it refers to in place of the reference, and the references that are open then."""
        while isinstance(name := given.get("$ref"), str):
            beside = {key: one for key, one in given.items() if key != "$ref"}
            target = self._named.get(name)
            stays = name in self._staying if self._staying is not None else _is_open(name, open_)
            if not isinstance(target, dict) or stays or self.is_long:
                self.left.append(given)
                return (beside if self._staying is None else given), open_
            self.replaced += 1
            given, open_ = {**target, **beside}, (name, open_)
        return given, open_


def _is_open(name: str, open_: Any) -> bool:
    while open_ is not None and open_[0] != name:
        open_ = open_[1]
    return open_ is not None
