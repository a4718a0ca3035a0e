"""RFC 6901 pointers to objects of a payload, found by identity when somebody asks: readers need not track paths.

One walk over the payload serves any number of objects. It is iterative and visits every object once: deep, shared
and even cyclic structures cost no more than their size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

Place = Any
"""A dict or list of the source, or a tuple (container, key, key …) for something inside it; None is the whole payload.

A tuple that starts with a function stands for the place that it finds when it is called with the rest.
"""

MOST_PLACES = 16  # of one shared object; a payload parsed from JSON shares none
MOST_STEPS = 1000  # on the way to them; a tangle of cycles has no end of ways

WHOLE = [""]
_Parents = dict[int, list[tuple[int, "str | int"]]]


def escape(key: str | int) -> str:
    text = str(key)
    return text.replace("~", "~0").replace("/", "~1") if "~" in text or "/" in text else text


def pointers(payload: Any, places: Iterable[Place], *, tree: bool = False) -> list[list[str]]:
    """For each place the pointers at which it stands in `payload`; [""] where it stands nowhere.

    `tree`: nothing in the payload stands twice, as in what was just parsed; then the walk ends when all are found.
    """
    found = [_found(place) for place in places]
    root = id(payload)
    known: dict[int, list[str]] = {root: WHOLE, id(None): WHOLE}
    missing = {id(place[0]) for place in found}.difference(known)
    if missing:  # else everything is about the payload, or stands right in it
        parents = _tree(payload, missing.copy()) if tree else _parents(payload)
        for at in missing:
            known[at] = _only_path(at, root, parents) or list(_paths(at, root, parents)) or WHOLE
    return [_behind(known[id(place[0])], place) for place in found]


def _behind(paths: list[str], place: tuple[Any, ...]) -> list[str]:
    """The paths to a container, each with the keys into it."""
    if len(place) == 1:
        return paths
    tail = "/" + escape(place[1]) if len(place) == 2 else "".join(["/" + escape(key) for key in place[1:]])
    return [path + tail for path in paths]


def _found(place: Place) -> tuple[Any, ...]:
    """A container and the keys into it."""
    if type(place) is not tuple:
        return (place,)
    if callable(place[0]):
        return _found(place[0](*place[1:]))
    return place


def _tree(payload: Any, missing: set[int]) -> _Parents:
    """For each container its parent and key, as far as it takes to find those that are missing."""
    parents: _Parents = {id(payload): []}
    waiting = [payload]
    for container in waiting:  # which grows meanwhile
        here = id(container)
        for key, value in container.items() if type(container) is dict else enumerate(container):
            if type(value) is dict or type(value) is list:
                at = id(value)
                parents[at] = [(here, key)]
                waiting.append(value)
                if at in missing:
                    missing.remove(at)
                    if not missing:
                        return parents
    return parents


def _parents(payload: Any) -> _Parents:
    """For each container its (parent, key) pairs; all but a few of a tree have one."""
    parents: _Parents = {id(payload): []}
    waiting = [payload] if isinstance(payload, (dict, list)) else []
    for container in waiting:  # which grows meanwhile
        here = id(container)
        for key, value in container.items() if isinstance(container, dict) else enumerate(container):
            if type(value) is not str and isinstance(value, (dict, list)):
                at = id(value)
                if at in parents:
                    parents[at].append((here, key))
                else:
                    parents[at] = [(here, key)]
                    waiting.append(value)
    return parents


def _only_path(at: int, root: int, parents: _Parents) -> list[str]:
    """The path to an object that stands at one place only, like all above it; nothing for others."""
    keys: list[str] = []
    while at != root:
        above = parents.get(at, ())
        if len(above) != 1:
            return []
        at, key = above[0]
        keys.append(escape(key))
    return ["".join(["/" + key for key in reversed(keys)])]


def _paths(target: int, root: int, parents: _Parents) -> Iterator[str]:
    """Paths from the root down to a shared object, at most MOST_PLACES of them."""
    waiting: list[tuple[int, list[str], frozenset[int]]] = [(target, [], frozenset())] if target in parents else []
    found = steps = 0
    while waiting and found < MOST_PLACES and steps < MOST_STEPS:
        steps += 1
        at, keys, forks = waiting.pop()
        while len(parents[at]) == 1 and at != root:
            at, key = parents[at][0]
            keys.append(escape(key))
        if at == root:
            found += 1
            yield "".join(f"/{key}" for key in reversed(keys))
        elif at not in forks:  # else a cycle
            waiting += [(parent, [*keys, escape(key)], forks | {at}) for parent, key in reversed(parents[at])]
