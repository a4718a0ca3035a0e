"""RFC 6901 pointers to objects of a payload, found by identity when they are needed, so that readers track no paths.

Rule 1: one walk over the payload serves any number of objects and visits each container once: deep, shared and even
cyclic structures cost no more than their size. Rule 2: a pointer that would be longer than MOST_LENGTH ends at the last
container that fits, so that a long key is not repeated for everything inside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import FunctionType
from typing import Any

Place = Any
"""A dict or list of the source, or a tuple (container, key, key …) for something inside it; None is the whole payload.

A tuple that begins with a function is a place that is computed when it is needed: the function receives the tuple and
returns another one.
"""

MOST_LENGTH = 500
MOST_PLACES = 16  # of one shared object; there is none in a payload that was parsed from JSON
MOST_STEPS = 1000  # in the search for them; cycles lead to an object in infinitely many ways

Key = str | int
SCALARS = frozenset({str, int, float, bool, type(None)})


def escape(key: Key) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")


class _Cut(str):
    """A path that ends at a container around its place, because one to the place itself would be too long."""

    __slots__ = ()


class PointerIndex:
    """The pointers of places in one payload.

    `tree`: no container is in the payload twice, as after parsing; then it is walked no further than needed.
    """

    __slots__ = ("_more", "_path_of", "_paths_of", "_root", "_tree", "_visited", "_waiting", "_ways")

    def __init__(self, payload: Any, tree: bool) -> None:
        self._root = root = id(payload)
        self._tree = tree
        self._path_of: dict[int, str | None] = {id(None): "", root: ""}  # None: it has several
        self._paths_of: dict[int, list[str]] = {}  # of containers with several
        self._ways: dict[int, tuple[int, Key]] = {root: (root, "")}  # to each container: its parent and its key there
        self._more: dict[int, list[tuple[int, Key]]] = {}  # the other ways to containers that are in it several times
        self._waiting: list[Any] = [payload] if isinstance(payload, (dict, list)) else []
        self._visited = 0  # how many of the waiting ones

    def add(self, key: Key, value: Any) -> None:
        """Add a member to a payload that is an object, and walk over it now, since it may change later."""
        if isinstance(value, (dict, list)):
            if id(value) in self._ways:
                self._more.setdefault(id(value), []).append((self._root, key))
            else:
                self._ways[id(value)] = (self._root, key)
                self._waiting.append(value)  # kept, so that no other object gets its id
            self._visit_until(0)

    def __contains__(self, container: Any) -> bool:
        at = id(container)
        if at not in self._ways:
            self._visit_until(at)
        return at in self._ways

    def pointers(self, place: Place) -> list[str]:
        """Return the pointers of a place; a container that is not in the payload counts as the payload."""
        place = resolved(place)
        at = id(place[0])
        path = self._path_of[at] if at in self._path_of else self._path(at)
        if path is None:
            return [str(_within(each, place[1:])) for each in self._paths_of[at]]
        if len(place) > 1:
            path = _longer(path, place[1]) if len(place) == 2 else _within(path, place[1:])
        return [path if path.__class__ is str else str(path)]

    def _path(self, at: int) -> str | None:
        """Return the path to a container, or None if it has several; keep those of the containers around it."""
        ways, path_of, paths_of = self._ways, self._path_of, self._paths_of
        if at not in ways:
            self._visit_until(at)
        if at not in ways:
            return ""
        inside: list[int] = []
        while at not in path_of:
            if at in self._more:
                path_of[at], paths_of[at] = None, self._several(at)
            else:
                inside.append(at)
                at = ways[at][0]
        path = path_of[at]
        for at in reversed(inside):
            around, key = ways[at]
            if path is None:
                paths_of[at] = [_longer(each, key) for each in paths_of[around]]
            else:
                path = _longer(path, key)
            path_of[at] = path
        return path

    def _visit_until(self, target: int) -> None:
        ways, waiting = self._ways, self._waiting
        while self._visited < len(waiting):
            container = waiting[self._visited]
            self._visited += 1
            named = isinstance(container, dict)
            if SCALARS.issuperset(map(type, container.values() if named else container)):
                continue  # most containers have no others inside
            here = id(container)
            for key, value in container.items() if named else enumerate(container):
                if value.__class__ not in SCALARS and isinstance(value, (dict, list)):
                    at = id(value)
                    if at not in ways:
                        ways[at] = (here, key)
                        waiting.append(value)
                    elif len(more := self._more.setdefault(at, [])) < MOST_PLACES:
                        more.append((here, key))
            if target in ways and self._tree:
                return

    def _several(self, target: int) -> list[str]:
        """Return at most MOST_PLACES paths from the root to a container that is in the payload several times."""
        root = self._root
        unfinished: list[tuple[int, list[Key], frozenset[int]]] = [(target, [], frozenset())]
        found: list[str] = []
        steps = 0
        while unfinished and len(found) < MOST_PLACES and steps < MOST_STEPS:
            steps += 1
            at, keys, forks = unfinished.pop()
            while at != root and at not in self._more:
                at, key = self._ways[at]
                keys.append(key)
            if at == root:
                found.append(_within("", reversed(keys)))
            elif at not in forks:  # else a cycle
                ways = [self._ways[at], *self._more[at]]
                unfinished += [(parent, [*keys, key], forks | {at}) for parent, key in reversed(ways)]
        return found or [""]


class Respelled(dict[str, Any]):
    """An object in the spelling that a frontend expects. `source`: the payload's object; `names`: its own names, or the
    paths of members that are deeper in it."""

    __slots__ = ("names", "source")

    def __init__(self, members: Mapping[str, Any], source: Mapping[str, Any], names: Mapping[str, Any]) -> None:
        super().__init__(members)
        self.source = source
        self.names = names


def extended(given: Mapping[str, Any], members: Mapping[str, Any]) -> Respelled:
    """Return an object with some members replaced or added, whose other members keep their places."""
    return derived(given, {**given, **members})


def derived(given: Mapping[str, Any], members: Mapping[str, Any]) -> Respelled:
    """Return an object of these members, of which those that the given object has keep their places there."""
    if isinstance(given, Respelled):
        return (Parsed if isinstance(given, Parsed) else Respelled)(members, given.source, given.names)
    return Respelled(members, given, {})


def plain(value: Any) -> Any:
    """Return a copy of a value in which respelled objects and arrays are plain ones; each container is copied once."""
    copies: dict[int, Any] = {}
    waiting: list[Any] = []

    def copied(one: Any) -> Any:
        if not isinstance(one, (dict, list)):
            return one
        if id(one) not in copies:
            copies[id(one)] = dict(one) if isinstance(one, dict) else list(one)
            waiting.append(copies[id(one)])
        return copies[id(one)]

    made = copied(value)
    for copy in waiting:  # the list grows meanwhile
        for key, inner in copy.items() if isinstance(copy, dict) else enumerate(copy):
            copy[key] = copied(inner)
    return made


class Unwrapped(Respelled):
    """The one object in an array that is the whole payload; `source`: its place."""

    __slots__ = ()

    def __init__(self, array: list[Any]) -> None:
        super().__init__(array[0], (array, 0), {})  # type: ignore[arg-type]


class Parsed(Respelled):
    """An object that was parsed from a JSON text at the place `source`, which is the place of all its members."""

    __slots__ = ()


def parsed(value: Any, source: tuple[Any, ...]) -> Any:
    """Return a value that was parsed from a JSON text, in which objects have the place of the text."""
    if isinstance(value, dict):
        return Parsed({key: parsed(inner, source) for key, inner in value.items()}, source, {})  # type: ignore[arg-type]
    return [parsed(inner, source) for inner in value] if isinstance(value, list) else value


class Relisted(list[Any]):
    """An array in the form that a frontend expects.

    `source`: the array in the payload, or the place of the value that it has instead of an array of one.
    """

    __slots__ = ("source",)

    def __init__(self, elements: Iterable[Any], source: list[Any] | tuple[Any, ...]) -> None:
        super().__init__(elements)
        self.source = source


def resolved(place: Place) -> tuple[Any, ...]:
    """Return a place as a container of the payload, and keys into it."""
    if place.__class__ is not tuple:
        place = (place,)
    while place[0].__class__ is FunctionType:
        place = place[0](place)
    found: tuple[Any, ...] = place
    while isinstance(found[0], (Respelled, Relisted)):
        found = _in_payload(found)
    return found


def value_at(place: Place) -> Any:
    """Return the value at a place, or None if there is none."""
    found, *keys = resolved(place)
    for key in keys:
        if isinstance(found, dict):
            found = found.get(key)
        else:
            found = found[key] if isinstance(found, list) and isinstance(key, int) and key < len(found) else None
    return found


def _in_payload(place: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the place in the payload for a place in a respelled object or array."""
    at: Any = place[0]
    if at.__class__ is Parsed:
        return tuple(at.source)
    found = [*at.source] if at.source.__class__ is tuple else [at.source]
    for index, key in enumerate(place[1:], 1):
        if isinstance(at, Respelled):
            if index > 1 and at.source.__class__ is dict:  # which need not stand where it does here
                return (at, *place[index:])
            name = at.names.get(key, key)
            path = name if name.__class__ is tuple else (name,)
            if at.source.__class__ is dict and path[0] not in at.source:  # the frontend has added it
                break
            found += path
        elif not isinstance(at, Relisted) or at.source.__class__ is not tuple:
            found.append(key)
        present = key in at if isinstance(at, dict) else isinstance(at, list) and 0 <= key < len(at)
        at = at[key] if present else None
    return tuple(found)


def _longer(path: str, key: Key) -> str:
    """Return the path to a key in the container at a path."""
    if path.__class__ is _Cut:
        return path
    plain = not isinstance(key, str) or key.isidentifier()
    longer = f"{path}/{key if plain else escape(key)}"
    return longer if len(longer) <= MOST_LENGTH else _Cut(path)


def _within(path: str, keys: Iterable[Key]) -> str:
    """Return the path that leads from a container at a path along keys."""
    for key in keys:
        path = _longer(path, key)
    return path
