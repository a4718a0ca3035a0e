"""The items of a Responses stream as the whole response repeats them, and which of its items is which (STR-16).

Rule 1: an item is found by its id, else by its index. Rule 2: what is held here are the caller's own objects; nothing
changes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from proxai_ir.wire import openai_responses as wire

from .._lib.reading import Object
from .stream_repeats import SentPart

SEAL = "encrypted_content"
KIND_OF_FAMILY = {family: kind for kind, family in wire.FAMILY_OF_PART.items()}
LIST_OF = {"content_index": "content", "summary_index": "summary"}
"""The member of an item that holds the parts which this member counts."""
SEAL = "encrypted_content"
Grown = tuple[str, int, str]
"""A part: the family of its events, its position, and its text."""


class Output:
    """The items of one stream, by their index.

    added    as they were added
    done     as they were when they were done; only where the response is `kept`
    began    the name and id of a call, where it had others when it was added: these were sent; likewise
    _heads   the id, the status and the encrypted reasoning of items that are done
    _moved   by its id, the index of an item that had that of another
    """

    def __init__(self, kept: bool) -> None:
        self.added: dict[int, Object] = {}
        self.done: dict[int, Object] = {}
        self.began: dict[int, Object] = {}
        self._kept = kept
        self._heads: dict[int, Object] = {}
        self._ids: dict[Any, int] = {}
        self._seals: dict[int, Any] = {}
        self._moved: dict[str, int] = {}

    def add(self, index: int, item: Object) -> None:
        self.added[index] = item
        self._identify(index, item)

    def end(self, index: int, item: Object) -> None:
        self._identify(index, item)
        self._heads[index] = {key: item.get(key) for key in ("id", "status", SEAL)}
        if self._kept:
            self.done[index] = item

    def _identify(self, index: int, item: Object) -> None:
        if isinstance(item.get("id"), str):
            self._ids[item["id"]] = index

    def place(self, identity: Any, index: int) -> int:
        """The index of the item that an event is of, which gives this one."""
        return self._moved.get(identity, index) if self._moved and isinstance(identity, str) else index

    def moved(self, index: int, item: Object) -> int | None:
        """An index of its own for an item that is added with that of another; None where no id tells the two apart."""
        identity, other = item.get("id"), self.added[index].get("id")
        if not (isinstance(identity, str) and isinstance(other, str)) or identity in self._ids:
            return None
        self._moved[identity] = 1 + max(self.added)
        return self._moved[identity]

    def is_of_another(self, identity: Any, index: int) -> bool:
        """Whether an id is that of another item than this one, or none at all."""
        return not isinstance(identity, str) or self._ids.get(identity, index) != index

    def changed(self, index: int, item: Object) -> Object:
        """The id and status that the whole response gives an item, where they are others than when it was done."""
        before = self._heads.get(index, {})
        known = {key: was for key, was in before.items() if was is not None and key != SEAL}
        return {key: item[key] for key, was in known.items() if item.get(key, was) != was}

    def resealed(self, index: int, item: Object) -> Object:
        """The encrypted reasoning that the whole response gives an item, where another was sent, or none."""
        seal = item.get(SEAL)
        return {SEAL: seal} if seal and index in self._heads and seal != self._heads[index][SEAL] else {}

    # --- the whole response -------------------------------------------------------------------------------------------

    def places(self, items: list[Any], is_same: Callable[[int, int], bool]) -> list[int]:
        """The index that the events had for each item of the whole response, or one of its own where they had none.

        Servers may leave out an index, or give other ids at the end. `is_same`: whether the item of an index has the
        content of the one at a position.
        """
        found: dict[int, int] = {}
        for position, item in enumerate(items):
            index = self._by_id(position, item)
            if index is not None and index not in found:
                found[index] = position
        places = {position: index for index, position in found.items()}
        left = iter(sorted(self.added.keys() - found.keys()))
        fresh = max(len(items), 1 + max(self.added, default=-1))
        after = next(left, None)
        for position in range(len(items)):
            if position in places:
                continue
            while after is not None and after in found:
                after = next(left, None)
            index = position
            if (position in found or position not in self.added) and after is not None and is_same(after, position):
                index = after
            elif position in found:
                index, fresh = fresh, fresh + 1
            found[index], places[position] = position, index
        return [places[position] for position in range(len(items))]

    def _by_id(self, position: int, item: Object) -> int | None:
        identity = item.get("id")
        if not isinstance(identity, str):
            return None
        if position in self.added and self.added[position].get("id") == identity:
            return position
        return self._ids.get(identity)

    def whole(
        self, listed: Iterable[tuple[int, Object, bool]], parts: Mapping[tuple[int, str, int], SentPart], status: Any
    ) -> list[Object]:
        """All items, in the order of the whole response, which may be without some or all of them.

        `listed`: of each of its items the index, and whether it `agrees` with the events; else these count. `parts`:
        what has grown.
        """
        repeated = {index: item if agrees else None for index, item, agrees in listed}
        missing = sorted(self.added.keys() - repeated.keys())
        order = [index for index in _merged(repeated, missing) if repeated.get(index) or self._began(index)]
        unrepeated = [index for index in order if repeated.get(index) is None and index not in self.done]
        grown = _by_item(parts) if unrepeated else {}
        items = repeated | {index: built(self.added[index], grown.get(index, ()), status) for index in unrepeated}
        whole = ((index, items.get(index) or self.done[index]) for index in order)
        return [{**item, **self.began.get(index, {})} for index, item in whole]

    def _began(self, index: int) -> bool:
        return index in self.done or index in self.added


def _by_item(parts: Mapping[tuple[int, str, int], SentPart]) -> dict[int, list[Grown]]:
    grown: dict[int, list[Grown]] = {}
    for (index, family, number), part in parts.items():
        if family:  # else it came whole
            grown.setdefault(index, []).append((family, number, "".join(part.text)))
    return grown


def _merged(repeated: Iterable[int], others: Iterable[int]) -> Iterator[int]:
    """The others each before the first of the repeated ones that is higher."""
    left = iter(others)
    other = next(left, None)
    for one in repeated:
        while other is not None and other < one:
            yield other
            other = next(left, None)
        yield one
    while other is not None:
        yield other
        other = next(left, None)


def built(added: Object, grown: Iterable[Grown], status: Any) -> Object:
    """An item that no event had as a whole: as it was added, with the text of its deltas."""
    item = {**added} if added.get("status") is None else {**added, "status": status}
    lists: dict[str, list[Object]] = {}
    for family, _, text in sorted(grown, key=lambda one: one[1]):
        member, address = wire.FAMILIES[family]
        if address is None:
            item[member] = text
        else:
            kind = KIND_OF_FAMILY[family]
            notes: Object = {"annotations": []} if kind == "output_text" else {}
            lists.setdefault(LIST_OF[address], []).append({"type": kind, member: text, **notes})
    return item | lists
