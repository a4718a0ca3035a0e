"""Compare and merge JSON values: the changes between two of them, by pointer, and the same changes in a third one.

    merged(source, was, now)

`source` and `was` mean the same in two forms; `now` is `was` after an edit. The result of the three-way merge is
`source` with that edit: what `was` and `now` agree on stays as the source has it, with members that neither of them
has; what differs is as in `now`. It knows no protocol; the caller checks whether the result means what `now` means. A
source that a frontend respelled (pointer.Respelled) comes back in its own spelling.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from .pointer import Relisted, Respelled, Unwrapped, escape
from .types import LONGEST

Json = Any
Object = dict[str, Any]


# --- the merge --------------------------------------------------------------------------------------------------------


def merged(source: Json, was: Json, now: Json) -> Json:
    if equal(was, now):
        return own(source)
    if isinstance(source, dict) and type(was) is dict and type(now) is dict:
        made = _merged_objects(source, was, now)
        return [made] if isinstance(source, Unwrapped) else made
    if isinstance(source, list) and type(was) is list and type(now) is list:
        return _merged_lists(source, was, now)
    return now


def own(source: Json) -> Json:
    """Return a value in the payload's own spelling."""
    if isinstance(source, Unwrapped):
        return source.source[0]  # type: ignore[index]
    if isinstance(source, Respelled):
        return own(source.source)
    if isinstance(source, Relisted):
        if isinstance(source.source, tuple):  # the payload has one object instead of an array
            holder, key = source.source
            return holder[key]
        return source.source
    return source


def equal(one: Json, other: Json) -> bool:
    """Return whether two values are the same JSON: 1, 1.0 and true differ; the order of members does not count."""
    return one is other or text_of(one) == text_of(other)


def text_of(value: Json) -> str:
    """Return a text that is the same for values that are equal, whatever they hold; it is not always JSON."""
    try:
        return json.dumps(value, sort_keys=True)
    except (TypeError, ValueError):  # a caller's value: keys that are no strings, long integers, or it holds itself
        try:
            return repr(_writable(value))  # so that the order of members counts
        except RecursionError:
            return repr(value)


def _writable(value: Json) -> Json:
    """Return a copy with long integers as hexadecimal digits, since Python writes decimal ones to a limit."""
    if isinstance(value, dict):
        return {key: _writable(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_writable(one) for one in value]
    return hex(value) if type(value) is int and value.bit_length() > LONGEST else value


def changes(source: Json, made: Json) -> int:
    """Return how many values only one of the two has, where a value is known by its path without indexes."""
    ours, theirs = _values(source), _values(made)
    return (ours - theirs).total() + (theirs - ours).total()


def _values(value: Json) -> Counter[tuple[str, str]]:
    """Count the plain values by path without indexes, and value."""
    found: Counter[tuple[str, str]] = Counter()
    waiting: list[tuple[str, Json]] = [("", value)]
    for path, one in waiting:  # the list grows meanwhile
        if isinstance(one, dict) and one:
            waiting += [(f"{path}/{key}", inner) for key, inner in one.items()]
        elif isinstance(one, list) and one:
            waiting += [(path, inner) for inner in one]
        else:
            found[path, hex(one) if type(one) is int else repr(one)] += 1  # of any length
    return found


NONE: Object = {}


def _merged_objects(source: Object, was: Object, now: Object) -> Object:
    """Merge objects. Members that only the source has stay, and are not written a second time under another name."""
    names: Mapping[str, str] = source.names if isinstance(source, Respelled) else {}
    made: Object = {}
    for key, value in source.items():
        before, after = was.get(key, MISSING), now.get(key, MISSING)
        kept = _member(value, before, after)
        if kept is value and names:
            kept = source.source[names.get(key, key)]  # type: ignore[attr-defined]
        if kept is not MISSING:
            made[names.get(key, key)] = kept
    for key in (*now, *(key for key in was if key not in now)):
        after = now.get(key, MISSING)
        if key not in source and not (key in was and after is not MISSING and equal(was[key], after)):
            _put(made, _other_name(source, was, now, key) or key, after)
    return made


def _put(made: Object, key: str, value: Json) -> None:
    if value is not MISSING:
        made[key] = value
    else:
        made.pop(key, None)


def _other_name(source: Object, was: Object, now: Object, key: str) -> str | None:
    """Return the source's name of a member that canonical output has under another name."""
    if key not in was:
        return None
    known = was.keys() | now.keys()
    return next((name for name, value in source.items() if name not in known and equal(value, was[key])), None)


def _member(value: Json, before: Json, after: Json) -> Json:
    if before is after or (MISSING not in (before, after) and equal(before, after)):
        return value
    if isinstance(value, dict) and {type(before), type(after)} <= {dict, object}:
        inner = _merged_objects(value, NONE if before is MISSING else before, NONE if after is MISSING else after)
        return inner if inner or after is not MISSING else MISSING
    if before is MISSING or after is MISSING:
        return after
    return merged(value, before, after)


MISSING = object()


def _merged_lists(source: list[Json], was: list[Json], now: list[Json]) -> Json:
    """Merge arrays. Equal elements are aligned, so that an inserted one leaves the others as they are."""
    origin = dict(_counterparts(source, was))
    alone = _alone(source, origin)
    made: list[Json] = []
    for word, start, end, first, last in _changes(was, now):
        for at in range(start, end):
            made += alone.get(origin.get(at, NOWHERE), ())
            if word == "equal":
                made.append(own(source[origin[at]]) if at in origin else was[at])
            elif end - start == last - first:
                new = now[first + at - start]
                made.append(merged(source[origin[at]], was[at], new) if at in origin else new)
        if end - start != last - first:
            made += now[first:last]
    made += alone.get(END, ())
    single = isinstance(source, Relisted) and isinstance(source.source, tuple) and len(made) == 1
    return made[0] if single else made


END, NOWHERE = -1, -2
MOST_ALIKE = 500


def _alone(source: Sequence[Json], origin: Mapping[int, int]) -> dict[int, list[Json]]:
    """Return the elements that only the source has, by the index of the next element that `was` has too, or END."""
    found: dict[int, list[Json]] = {}
    matched = {*origin.values()}
    waiting: list[Json] = []
    for index, element in enumerate(source if matched else ()):
        if index not in matched:
            waiting.append(own(element))
        elif waiting:
            found[index], waiting = waiting, []
    if waiting:
        found[END] = waiting
    return found


def _counterparts(source: Sequence[Json], was: Sequence[Json]) -> Iterator[tuple[int, int]]:
    """Yield the indexes of elements of `was` and of the source that mean the same."""
    if len(source) == len(was):
        yield from ((index, index) for index in range(len(was)))
        return
    for word, start, end, first, last in _changes([*map(_longest, was)], [*map(_longest, source)]):
        if word == "equal":
            yield from zip(range(start, end), range(first, last), strict=True)


def _longest(value: Json) -> str:
    """Return the longest text in an element, which identifies it in any form; of several the greatest one."""
    waiting, longest = [value], ""
    for one in waiting:  # the list grows meanwhile
        if isinstance(one, (dict, list)):
            waiting += one.values() if isinstance(one, dict) else one
        elif isinstance(one, str) and (len(one), one) > (len(longest), longest):
            longest = one
    return longest


def _changes(one: Sequence[Json], other: Sequence[Json]) -> list[tuple[str, int, int, int, int]]:
    """Return the opcodes from one list to another, as difflib does; equal beginnings and ends are found first."""
    ours, theirs = [*map(text_of, one)], [*map(text_of, other)]
    most = min(len(ours), len(theirs))
    head = next((at for at in range(most) if ours[at] != theirs[at]), most)
    tail = next((at for at in range(most - head) if ours[-1 - at] != theirs[-1 - at]), most - head)
    ends = len(ours) - tail, len(theirs) - tail
    alike = max(Counter(ours[head : ends[0]]).values(), default=0)
    # with very many equal elements, comparing each pair of them would take too long
    from difflib import SequenceMatcher  # slow to load, and rarely needed

    matcher = SequenceMatcher(None, ours[head : ends[0]], theirs[head : ends[1]], autojunk=alike > MOST_ALIKE)
    middle = [(word, a + head, b + head, c + head, d + head) for word, a, b, c, d in matcher.get_opcodes()]
    return [("equal", 0, head, 0, head), *middle, ("equal", ends[0], len(ours), ends[1], len(theirs))]


# --- edits that move things -------------------------------------------------------------------------------------------


def regained(source: Json, was: Json, now: Json, filled_in: bool) -> Json:
    """Return `now` with the source's form of all content that `was` has too, wherever it is.

    This is for edits that move things, which `merged` cannot follow. `filled_in`: the result has members of `was` that
    the source lacks, and lacks members that only the source has.
    """
    forms = {text_of(theirs): own(ours) for ours, theirs in _pairs(source, was)}
    return _regained(source, was, now, forms, filled_in)


def _pairs(source: Json, was: Json) -> Iterator[tuple[Json, Json]]:
    """Yield the objects and lists that are at the same place in both, outer ones first."""
    if isinstance(source, dict) and type(was) is dict:
        yield source, was
        for key, value in was.items():
            yield from _pairs(source.get(key), value)
    elif isinstance(source, list) and type(was) is list:
        yield source, was
        for at, origin in _counterparts(source, was):
            yield from _pairs(source[origin], was[at])


def _regained(source: Json, was: Json, now: Json, forms: dict[str, Json], filled_in: bool) -> Json:
    if type(now) is not dict and type(now) is not list:
        return now
    found = forms.get(text_of(now))
    if found is not None:
        return found
    if type(now) is dict:
        return _regained_members(_of(dict, source), _of(dict, was), now, forms, filled_in)
    return _regained_elements(_of(list, source), _of(list, was), _of(list, now), forms, filled_in)


def _of(kind: type, value: Json) -> Json:
    return value if isinstance(value, kind) else kind()


def _regained_members(ours: Object, theirs: Object, now: Object, forms: dict[str, Json], filled_in: bool) -> Object:
    made = {
        key: own(ours[key])
        if _alone_in(ours, theirs, key, value)
        else _regained(ours.get(key), theirs.get(key), value, forms, filled_in)
        for key, value in now.items()
        if filled_in or key in ours or key not in theirs or not (ours and equal(theirs[key], value))
    }
    if not filled_in:
        made |= {key: own(value) for key, value in ours.items() if key not in theirs and key not in now}
    return made


def _alone_in(ours: Object, theirs: Object, key: str, now: Json) -> bool:
    """Return whether the source has a value in place of an array of one, and the edit does not change it."""
    return key in ours and type(now) is list and equal(now, theirs.get(key)) and equal(now, [ours[key]])


def _regained_elements(
    ours: list[Json], theirs: list[Json], now: list[Json], forms: dict[str, Json], filled_in: bool
) -> list[Json]:
    origin = dict(_counterparts(ours, theirs))
    pairs: dict[int, tuple[Json, Json]] = {}
    for _, start, end, first, last in _changes(theirs, now):
        if end - start == last - first:
            pairs |= {first + at - start: (ours[origin[at]], theirs[at]) for at in range(start, end) if at in origin}
    return [_regained(*pairs.get(index, (None, None)), value, forms, filled_in) for index, value in enumerate(now)]


# --- differences ------------------------------------------------------------------------------------------------------

ABSENT: Any = object()
"""Stands in a Change for a value that only the other side has."""


class Change(NamedTuple):
    path: str
    was: Json
    now: Json


def differences(was: Json, now: Json) -> Iterator[Change]:
    """Yield the differences of two values, in the order of the first; raises RecursionError for deep values."""
    waiting: list[Change] = [Change("", was, now)]
    while waiting:
        one = waiting.pop()
        path, was, now = one
        if was == now:
            continue
        if isinstance(was, dict) and isinstance(now, dict):
            pairs = [(name, was.get(name, ABSENT), now.get(name, ABSENT)) for name in {**was, **now}]
        elif isinstance(was, list) and isinstance(now, list):
            pairs = [(at, *both) for at, both in enumerate(zip_longest(was, now, fillvalue=ABSENT))]
        else:
            yield one
            continue
        waiting += [Change(f"{path}/{escape(key)}", *both) for key, *both in reversed(pairs)]
