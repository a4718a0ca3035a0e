"""Reads the parts of a Responses stream as its events build them, and compares them with what later events repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.stream import events
from proxai_ir.json.types import whole_characters
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import openai_responses as wire

from .._lib.reading import Object, extra_fields, optional, wrong
from .parts import OUTPUT, WRITTEN, kind_of, read_items, wording

# --- stream repeats ---------------------------------------------------------------------------------------------------
# What the items of a Responses stream are made of, and what has been sent of them, to compare with what repeats it.
#
# Rule: a member without an IR field is reported at the first event that has it (LOS-1).

EVENT_KEYS = frozenset(
    """
    type sequence_number item_id output_index content_index summary_index annotation_index item part delta text refusal
    arguments input name code logprobs obfuscation annotation response message param error partial_image_b64
    partial_image_index background output_format quality size
    """.split()
)
DELTA_KEYS = frozenset(
    "type sequence_number item_id output_index content_index summary_index delta logprobs obfuscation agent".split()
)
THOUGHTS = {wire.FAMILY_OF[kind]: kind for kind in ("summary_text", "reasoning_text")}

Address = tuple[int, str, int]
"""A part: the index of its item, the family of its events, its number in the item."""
Called = tuple[Any, ...]
"""What a part calls, and its id; empty if it is no call."""


def numbered(turn: ir.Turn) -> Iterator[tuple[Any, str, int]]:
    """Yield the parts of an item, each with its family of events and its position; thoughts stand in two lists."""
    summaries = 0
    for position, part in enumerate(turn.parts):
        kind = kind_of(part)
        yield part, wire.FAMILY_OF.get(kind, kind), position if kind != "reasoning_text" else position - summaries
        summaries += kind == "summary_text"


def unmapped(about: str, fields: Object | None, src: Any) -> list[events.Event]:
    """Return the event of members without an IR field, if there are any."""
    return [events.UnmappedFields(about, ir.Extra(fields), src=src)] if fields else []


def is_unchanged(part: ir.Part, known: SentPart | None) -> bool:
    """Return whether all text of a part was emitted, and no citation of it is new."""
    if known is None or "".join(known.text) != wording(part) or known.called != called(part):
        return False
    return type(part) is not ir.Text or len(part.citations or ()) <= known.cited


def called(part: ir.Part) -> Called:
    if isinstance(part, ir.CALLS):
        return (part.namespace, part.name), part.id
    return ((part.server, part.name), None) if isinstance(part, ir.McpCall) else ()


def contradicted(before: Called, part: ir.Part, item: Object) -> list[events.Event]:
    """Report the name or id of a call that differs from what was emitted when it began (STR-16)."""
    now = called(part)
    differ = [key for key, was, is_now in zip(("name", "call_id"), before, now, strict=False) if was != is_now]
    return unmapped("Contradicted", {key: item.get(key) for key in differ}, item)


def as_first_called(before: Called, part: ir.Part) -> Object:
    """Return the name and id that a call had when it began, as members of its item."""
    (namespace, name), identity = before
    if not isinstance(part, ir.CALLS):
        return {"server_label": namespace, "name": name}
    return {"name": name, "call_id": identity} | ({} if namespace is None else {"namespace": namespace})


def member_of(family: str, item: Object) -> str:
    """Return the member of an item with the text of a part, or "type" if there is none."""
    member = wire.FAMILIES[family][0] if family in wire.FAMILIES else "type"
    return member if member in item else "type"


def beginning(kind: str, given: Object) -> ir.Part:
    """Return a content part or a piece of reasoning as it begins."""
    if kind in ("summary_text", "reasoning_text"):
        summary = True if kind == "summary_text" else None
        unknown = extra_fields(given, {"type", "text"})
        return ir.Reasoning(optional(given, "text", str) or "", None, given, unknown, summary)
    part: ir.Part = WRITTEN.read(given)
    return part


# --- what has been sent -----------------------------------------------------------------------------------------------

COMPARED = frozenset({"annotations", "logprobs"})
"""Members of a part whose entries `stream_parts` compares."""
KNOWN_OF_ITEMS = frozenset(wire.VENDOR_FIELDS["Turn"])
"""Members of an item that have a rule; when the item is done, they are unchanged or have their last value."""


class SentPart:
    """A part that grows.

    `is_text` is whether it may have citations and log probabilities, and `scored` the number of tokens whose
    probabilities were emitted. `named` has the emitted members without an IR field: the part's at 0, its citations'
    from 1 on.
    """

    __slots__ = ("called", "cited", "closed", "index", "is_text", "named", "scored", "text")

    def __init__(self, index: int, is_text: bool = False, called: Called = ()) -> None:
        self.index = index
        self.called = called
        self.is_text = is_text
        self.text: list[str] = []
        self.cited = self.scored = 0
        self.closed = False
        self.named: set[tuple[int, str]] = set()

    def unnamed(self, part: ir.Part) -> list[events.Event]:
        """Return the members of the part and of its citations that were not emitted before."""
        if part.extra is None and not _citations(part):
            return []
        return [one for at, node in enumerate((part, *_citations(part))) for one in self.unnamed_of(at, node)]

    def unnamed_of(self, at: int, node: Any) -> list[events.Event]:
        """Return members of the part, or of one citation, that were not emitted before."""
        fields = (node.extra and node.extra.fields) or {}
        new = {key: value for key, value in fields.items() if (at, key) not in self.named and key not in COMPARED}
        self.named.update((at, key) for key in new)
        return unmapped(type(node).__name__, new, node.src)


def sent(part: ir.Part) -> SentPart:
    """Return what is noted of a part that was emitted as a whole."""
    whole = SentPart(-1, called=called(part))
    if kind_of(part):
        whole.text.append(wording(part))
    whole.cited = len(_citations(part))
    whole.closed = True
    whole.unnamed(part)
    return whole


def settled(part: SentPart, whole: str, holder: Object, member: str) -> list[events.Event]:
    """Compare the whole text with its pieces, and return what none of them had."""
    emitted = "".join(part.text)
    if emitted == whole or (emitted := whole_characters(emitted)) == whole:
        part.text = [whole]  # in place of its pieces
        return []
    if part.closed or not whole.startswith(emitted):
        raise wrong(holder, member, "the text of the deltas", "STR-9")
    part.text = [whole]
    return [events.PartGrew(part.index, whole[len(emitted) :])]


def check_placed(unplaced: Iterable[tuple[Object, str, str]], known: Iterable[SentPart]) -> None:
    """Refuse texts of events, each with its member, that are those of no part (STR-24)."""
    texts: set[str] | None = None
    for event, member, text in unplaced:
        texts = texts or {"".join(part.text) for part in known}
        if text not in texts:
            raise wrong(event, member, "the arguments of a call", "STR-9")


def _citations(part: ir.Part) -> list[ir.Citation]:
    return (part.citations or []) if type(part) is ir.Text else []


class SentItems:
    """The members of items that have no IR field; each is reported once."""

    def __init__(self) -> None:
        self._named: dict[int, set[str]] = {}

    def unnamed(self, index: int, turn: ir.Turn) -> list[events.Event]:
        """Return the new members of an item that is done, or repeated in the whole response."""
        return self._unnamed(index, (turn.extra and turn.extra.fields) or {}, turn.src)

    def unknown(self, index: int, item: Object) -> list[events.Event]:
        """Return the members without a rule of an item that is added, which it may lack when it is done."""
        try:
            (turn,) = read_items([item], OUTPUT)
        except Refusal:
            return []  # what is required may come later
        fields = (turn.extra and turn.extra.fields) or {}
        return self._unnamed(index, {key: fields[key] for key in fields if key not in KNOWN_OF_ITEMS}, item)

    def _unnamed(self, index: int, fields: Object, src: Any) -> list[events.Event]:
        named = self._named.setdefault(index, set())
        new = {key: value for key, value in fields.items() if key not in named}
        named.update(new)
        return unmapped("Turn", new, src)


# --- stream output ----------------------------------------------------------------------------------------------------
# The items of a Responses stream as the whole response repeats them, and which of its items is which (STR-16).
#
# Rule 1: an item is found by its id, else by its index. Rule 2: what is held here are the caller's own objects; nothing
# changes them.

SEAL = "encrypted_content"
KIND_OF_FAMILY = {family: kind for kind, family in wire.FAMILY_OF_PART.items()}
LIST_OF = {"content_index": "content", "summary_index": "summary"}
"""The list of parts that each of these members of an event counts."""
Grown = tuple[str, int, str]
"""A part: the family of its events, its position, and its text."""


class Output:
    """The items of one stream, by their index.

    added    as they were added
    done     as they were when they were done; only if the response is `kept`
    began    the name and id that a call had when it was added, which were sent, if they changed
    _heads   the id, the status and the encrypted reasoning of items that are done
    _moved   the index of an item that was added with another's, by its id
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
        """Return the index of an event's item, which may differ from the one that the event states."""
        return self._moved.get(identity, index) if self._moved and isinstance(identity, str) else index

    def moved(self, index: int, item: Object) -> int | None:
        """Return an index of its own for an item that is added with another's, or None if no id tells them apart."""
        identity, other = item.get("id"), self.added[index].get("id")
        if not (isinstance(identity, str) and isinstance(other, str)) or identity in self._ids:
            return None
        self._moved[identity] = 1 + max(self.added)
        return self._moved[identity]

    def is_of_another(self, identity: Any, index: int) -> bool:
        """Return whether an id is that of another item than this one, or no id at all."""
        return not isinstance(identity, str) or self._ids.get(identity, index) != index

    def changed(self, index: int, item: Object) -> Object:
        """Return the id and status of an item in the whole response, if they changed after it was done."""
        before = self._heads.get(index, {})
        known = {key: was for key, was in before.items() if was is not None and key != SEAL}
        return {key: item[key] for key, was in known.items() if item.get(key, was) != was}

    def resealed(self, index: int, item: Object) -> Object:
        """Return the encrypted reasoning of an item in the whole response, if another was sent, or none."""
        seal = item.get(SEAL)
        return {SEAL: seal} if seal and index in self._heads and seal != self._heads[index][SEAL] else {}

    # --- the whole response -------------------------------------------------------------------------------------------

    def places(self, items: list[Any], is_same: Callable[[int, int], bool]) -> list[int]:
        """Return, for each item of the whole response, the index that the events had, or a new one if they had none.

        Servers may leave out an index, or give other ids at the end. `is_same` tells whether the item at an index has
        the content of the one at a position.
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

    def complete(
        self, listed: Iterable[tuple[int, Object, bool]], parts: Mapping[tuple[int, str, int], SentPart], status: Any
    ) -> list[Object]:
        """Return all items, in the order of the whole response, which may lack some or all of them.

        `listed` has the index of each of its items, and whether it agrees with the events; if not, the events count.
        `parts` has what has grown.
        """
        repeated = {index: item if agrees else None for index, item, agrees in listed}
        missing = sorted(self.added.keys() - repeated.keys())
        known = self.added.keys() | self.done.keys()
        order = [index for index in _merged(repeated, missing) if repeated.get(index) or index in known]
        unrepeated = [index for index in order if repeated.get(index) is None and index not in self.done]
        grown = _by_item(parts) if unrepeated else {}
        items = repeated | {index: built(self.added[index], grown.get(index, ()), status) for index in unrepeated}
        whole = ((index, items.get(index) or self.done[index]) for index in order)
        return [{**item, **self.began.get(index, {})} for index, item in whole]


def _by_item(parts: Mapping[tuple[int, str, int], SentPart]) -> dict[int, list[Grown]]:
    grown: dict[int, list[Grown]] = {}
    for (index, family, number), part in parts.items():
        if family:  # else it came whole
            grown.setdefault(index, []).append((family, number, "".join(part.text)))
    return grown


def _merged(repeated: Iterable[int], others: Iterable[int]) -> Iterator[int]:
    """Yield both series in order, each of the others before the first repeated one that is higher."""
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
    """Return an item that no event had in full: as it was added, with the text of its deltas."""
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


# --- stream unknown ---------------------------------------------------------------------------------------------------
# Items and parts of types that are not known, in a stream: all that comes in them belongs to them (STR-27).

ITEM_ADDED = "response.output_item.added"
PARTS_ADDED = ("response.content_part.added", "response.reasoning_summary_part.added")
KNOWN_PARTS = frozenset({None, *wire.FAMILY_OF_PART})
WHOLE = frozenset({ITEM_ADDED, "response.output_item.done"})
"""Events with a complete item, which are read as any other."""


ADDRESS = frozenset("type sequence_number item_id output_index content_index summary_index".split())
"""Members of an event that say what it belongs to."""


class Unknown:
    """The items and parts of unknown type in one stream, by the index of the output, with those of the part."""

    def __init__(self) -> None:
        self._items: set[Any] = set()
        self._parts: set[tuple[Any, ...]] = set()

    def holds(self, kind: str, event: Object) -> bool:
        """Return whether an event belongs to one of them; each event must be passed, so that new ones are noted."""
        if kind == ITEM_ADDED:
            if _kind(event.get("item")) not in OUTPUT:
                self._items.add(_place(event)[0])
        elif kind in PARTS_ADDED and _kind(event.get("part")) not in KNOWN_PARTS:
            self._parts.add(_place(event))
        if not self._items and not self._parts:
            return False
        place = _place(event)
        return kind not in WHOLE and place[0] is not None and (place[0] in self._items or place in self._parts)


def _kind(holder: Any) -> Any:
    """Return the type of an item or part, or None if it is no text."""
    kind = holder.get("type") if isinstance(holder, dict) else None
    return kind if isinstance(kind, str) else None


def _place(event: Object) -> tuple[Any, ...]:
    found = (event.get(key) for key in ("output_index", "content_index", "summary_index"))
    return tuple(one if isinstance(one, int) else None for one in found)
