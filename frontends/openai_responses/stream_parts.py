"""The items of a Responses stream as parts of the answer (R2A-1).

A message's content parts, a reasoning item's summaries and texts, and the calls of the client's tools are parts that
grow; what the provider runs itself is emitted when it is done. Rule: what a `done` event repeats must equal what was
emitted before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.stream import events
from proxai_ir.ir.structure import GROWING
from proxai_ir.json.types import found
from proxai_ir.wire import openai_responses as wire

from .._lib.reading import Object, an_object, extra_fields, optional, required, tag, wrong
from . import stream_output as repeats
from .output_items import as_run
from .parts import CITATIONS, OUTPUT, SCORED_KEYS, has_span, read_items, wording
from .response import read_scores
from .stream_output import KIND_OF_FAMILY, Output


class Items:
    def __init__(self, kept: bool) -> None:
        self._indexes: Iterator[int] = count()
        self._output = Output(kept)
        self._places: list[int] = []  # of the items of the whole response
        self.changed_id: str | None = None  # the other id that the last event gave its item
        self.customs: frozenset[str] | None = None  # see output_items.custom_tools
        self._sent = repeats.SentItems()
        self._run: set[int] = set()  # the indexes of items that are emitted when they are done
        self._unplaced: list[tuple[Object, str, str]] = []  # whole arguments, and not which call they are of
        self._done: set[int] = set()
        self._parts: dict[repeats.Address, repeats.SentPart] = {}
        self._opened: dict[int, list[repeats.SentPart]] = {}  # of items that are not done
        self._last: tuple[Any, ...] = ()  # the kind and address of the last delta
        self._last_part = repeats.SentPart(-1)
        self._padded = False
        self._thought: repeats.SentPart | None = None  # reasoning that was emitted and may still get its seal
        self.readers: dict[str, Callable[[Object], list[events.Event]]] = {
            "response.output_item.added": self._added,
            "response.output_item.done": self._item_done,
            "response.content_part.added": self._part_added,
            "response.content_part.done": self._part_done,
            "response.reasoning_summary_part.added": self._part_added,
            "response.reasoning_summary_part.done": self._part_done,
            "response.reasoning_part.added": self._part_added,  # as vLLM calls them
            "response.reasoning_part.done": self._part_done,
            "response.output_text.annotation.added": self._cited,
            **{f"{family}.delta": self._delta for family in wire.FAMILIES},
            **{f"{family}.done": self._text_done for family in wire.FAMILIES},
        }

    # --- text ---------------------------------------------------------------------------------------------------------

    def text_delta(self, event: Any, part: int) -> str | None:
        """Return the text of an event that only extends the part that grew last, as most do, else None or KeyError."""
        last = self._last_part
        text, output = event["delta"], event["output_index"]
        where = (event["type"], event["item_id"], output, event.get("content_index"), event.get("summary_index"))
        if where != self._last or last.index != part or text.__class__ is not str or event.get("logprobs"):
            return None
        if not repeats.DELTA_KEYS.issuperset(event) or ("obfuscation" in event and not self._padded):
            return None
        last.text.append(text)
        return text

    def _delta(self, event: Object) -> list[events.Event]:
        if self._run and self._index(event) in self._run:
            return []
        family = event["type"].rpartition(".")[0]
        text, scores = required(event, "delta", str), optional(event, "logprobs", list)
        emitted = self._unannounced(event, family)
        part = self._of(event, family)
        part.text.append(text)
        get = event.get
        self._last = (event["type"], get("item_id"), event["output_index"], get("content_index"), get("summary_index"))
        self._last_part = part
        if scores:
            part.scored += len(scores)
            emitted.append(events.Scored(read_scores(scores, event), 0, event))
        emitted.append(events.PartGrew(part.index, text))
        if event.get("obfuscation") is not None and not self._padded:
            self._padded = True
            emitted += repeats.unmapped("Event", {"obfuscation": event["obfuscation"]}, event)
        return emitted

    def _text_done(self, event: Object) -> list[events.Event]:
        """Return the rest of a text that is repeated in full; some servers send it here for the first time."""
        family = event["type"].rpartition(".")[0]
        member, address = wire.FAMILIES[family]
        if address is None and event.get("output_index") is None and event.get("item_id") is None:
            self._unplaced.append((event, member, required(event, member, str)))
            return repeats.unmapped("Place", {member: event[member]}, event)
        if self._run and self._index(event) in self._run:
            return []
        emitted = self._unannounced(event, family)
        part = self._of(event, family)
        emitted += self._unscored(part, event)
        return [*emitted, *repeats.settled(part, required(event, member, str), event, member)]

    def _unannounced(self, event: Object, family: str) -> list[events.Event]:
        """Return the beginning of a part that grows without having been added, as some servers do it."""
        if family in wire.WORDINGS:
            return self._unannounced_wording(event, family)
        if family not in repeats.THOUGHTS:
            return []
        index, _, number = self._where(event, self._index(event), family)
        before = self._parts.get((index, family, number - 1))
        if (index, family, number) in self._parts or index in self._done or (number and before is None):
            return []
        if tag(self._output.added[index]) != "reasoning":
            return []
        closed = [] if before is None or before.closed else self._close(before)
        return [*closed, *self._open((index, family, number), repeats.beginning(repeats.THOUGHTS[family], {}))]

    def _unannounced_wording(self, event: Object, family: str) -> list[events.Event]:
        """Return the beginning of a text or a refusal that grows without its part, or without its message."""
        index = self._output.place(event.get("item_id"), required(event, "output_index", int))
        if index not in self._output.added:
            identity = optional(event, "item_id", str)
            if self._output.is_of_another(identity, index):
                return []
            self._output.add(index, {"type": "message", "id": identity, "role": "assistant", "content": []})
        where = self._where(event, self._index(event), family)
        if where in self._parts or index in self._done or tag(self._output.added[index]) != "message":
            return []
        kind, member = KIND_OF_FAMILY[family], wire.FAMILIES[family][0]
        return self._open(where, repeats.beginning(kind, {"type": kind, member: ""}))

    def _of(self, event: Object, family: str) -> repeats.SentPart:
        part = self._parts.get(self._where(event, self._index(event), family))
        if part is None:
            raise wrong(event, "output_index", "the index of an item with this part, both added before", "STR-9")
        return part

    def _index(self, event: Object) -> int:
        index = self._output.place(event.get("item_id"), required(event, "output_index", int))
        if index not in self._output.added:
            raise wrong(event, "output_index", "the index of an item that was added before", "STR-9")
        added, given = self._output.added[index].get("id"), event.get("item_id")
        if given is not None and added is not None and given != added:
            if self._output.is_of_another(given, index):
                raise wrong(event, "item_id", f"{found(added)}, the id of the item", "STR-9")
            self.changed_id = given  # some servers encrypt it anew in each event (STR-17)
        return index

    # --- parts --------------------------------------------------------------------------------------------------------

    def _open(self, where: repeats.Address, part: ir.Part) -> list[events.Event]:
        before = self._thought_over()
        opened = self._parts[where] = repeats.SentPart(next(self._indexes), type(part) is ir.Text, repeats.called(part))
        self._opened.setdefault(where[0], []).append(opened)
        if text := getattr(part, GROWING[type(part)][0]):
            opened.text.append(text)
        opened.unnamed(part)
        return [*before, events.PartOpened(opened.index, part, 0, where[0])]

    def _part_added(self, event: Object) -> list[events.Event]:
        given, where = self._part_of(event)
        if where is None:
            return []
        if where in self._parts:
            raise wrong(event, "part", "a new part, not one that was added before", "STR-9")
        member = wire.FAMILIES[where[1]][0]
        if given.get(member) is not None:
            return self._open(where, repeats.beginning(given["type"], given))
        part = repeats.beginning(given["type"], {**given, member: ""})
        part.src = given
        return self._open(where, part)

    def _part_of(self, event: Object) -> tuple[Object, repeats.Address | None]:
        """Return the part of an event with its address, or None for one that is emitted when its item is done."""
        index, given = self._index(event), required(event, "part", dict)
        family = wire.FAMILY_OF_PART.get(tag(given))
        return given, None if family is None else self._where(event, index, family)

    def _where(self, event: Object, index: int, family: str) -> repeats.Address:
        address = wire.FAMILIES[family][1]
        return index, family, (optional(event, address, int) or 0) if address else 0

    def _part_done(self, event: Object) -> list[events.Event]:
        given, where = self._part_of(event)
        if where is None:
            return []
        family, part = where[1], self._parts.get(where)
        if part is None or part.closed:
            raise wrong(event, "part", "a part that was added and is not done", "STR-9")
        member = wire.FAMILIES[family][0]
        emitted = self._unscored(part, given)
        emitted += repeats.settled(part, required(given, member, str), given, member)
        emitted += self._uncited(part, given)
        if given.get("annotations") or not SCORED_KEYS.issuperset(given):
            emitted += part.unnamed(repeats.beginning(tag(given), given))
        if family in repeats.THOUGHTS:
            self._thought, self._last = part, ()
            return emitted
        return [*emitted, *self._close(part)]

    def _close(self, part: repeats.SentPart) -> list[events.Event]:
        part.closed = True
        self._last = ()
        return [events.PartClosed(part.index, part.text[0] if part.is_text and len(part.text) == 1 else None)]

    def _thought_over(self) -> list[events.Event]:
        """Close reasoning, which stays open until something else begins or its item is done, which has its seal."""
        part, self._thought = self._thought, None
        return [] if part is None or part.closed else self._close(part)

    def _cited(self, event: Object) -> list[events.Event]:
        note = required(event, "annotation", dict)
        return [self._citing(self._of(event, "response.output_text"), note)]

    def _citing(self, part: repeats.SentPart, note: Object) -> events.Event:
        part.cited += 1
        cited = CITATIONS.read(note)
        part.unnamed_of(part.cited, cited)
        return events.PartCited(part.index, cited)

    def _uncited(self, part: repeats.SentPart, whole: Object) -> list[events.Event]:
        """Return citations that only the whole part has; if it was closed, those with a span of their own."""
        listed = (optional(whole, "annotations", list) or [])[part.cited :]
        if not part.is_text or not listed:
            return []
        if part.closed and not all(map(has_span, listed)):
            return repeats.unmapped("Contradicted", {"annotations": listed}, whole)
        return [self._citing(part, an_object(listed, index)) for index in range(len(listed))]

    def _unscored(self, part: repeats.SentPart, whole: Object) -> list[events.Event]:
        """Return log probabilities that only the whole text has; if it was closed, they are reported (STR-16)."""
        tokens = (optional(whole, "logprobs", list) or [])[part.scored :]
        if not part.is_text or not tokens:
            return []
        part.scored += len(tokens)
        if part.closed:
            return repeats.unmapped("Contradicted", {"logprobs": tokens}, whole)
        return [events.Scored(read_scores(tokens, whole), 0, whole)]

    # --- items --------------------------------------------------------------------------------------------------------

    def _added(self, event: Object) -> list[events.Event]:
        index, item = required(event, "output_index", int), required(event, "item", dict)
        family = wire.FAMILY_OF_ITEM.get(tag(item))
        named = family is not None and item.get("name") is not None
        part = as_run(read_items([item], OUTPUT)[0], self.customs).parts[0] if named else None
        emitted: list[events.Event] = []
        if index in self._output.added:
            moved = self._output.moved(index, item)
            if moved is None:
                raise wrong(event, "output_index", "the index of a new item", "STR-9")
            index = moved
            emitted += repeats.unmapped("Place", {"output_index": event["output_index"]}, event)
        self._output.add(index, item)
        if part is not None and family is not None and not isinstance(part, ir.HostedCall):
            emitted += self._open((index, family, 0), part)
        elif family is not None:
            self._run.add(index)  # it has its name when it is done
        return [*emitted, *self._sent.unknown(index, item)]

    def _item_done(self, event: Object) -> list[events.Event]:
        """Return what was not emitted of an item that is done."""
        item = required(event, "item", dict)
        index = self._output.place(item.get("id"), required(event, "output_index", int))
        turn = as_run(read_items([item], OUTPUT)[0], self.customs)
        if index not in self._output.added:
            self._output.add(index, item)
        added = self._output.added[index]
        if index in self._done or tag(item) != tag(added):
            raise wrong(event, "item", "an item that is not done, of the type that was added", "STR-9")
        self._done.add(index)
        self._output.end(index, item)
        return [*self._rest_of(index, turn, item), *self._sent.unnamed(index, turn)]

    def _rest_of(self, index: int, turn: ir.Turn, item: Object) -> list[events.Event]:
        """Return parts that were not streamed, text that came at the end, and the seal over reasoning."""
        emitted: list[events.Event] = []
        for part, where, known in self._parts_of(index, turn):
            if known is None or not where[1]:
                emitted += self._at_once(part, index)
                self._parts[where] = repeats.sent(part)
                continue
            if type(part) is ir.Text and isinstance(part.src, dict):
                emitted += self._unscored(known, part.src)
            emitted += repeats.settled(known, wording(part), item, repeats.member_of(where[1], item))
            emitted += repeats.contradicted(known.called, part, item)
            if known.called != repeats.called(part):
                self._output.began[index] = repeats.as_first_called(known.called, part)
            known.called = repeats.called(part)
            emitted += self._sealed(part, known, index, item)
            if type(part) is ir.Text and part.citations:
                emitted += self._uncited(known, part.src)
            emitted += known.unnamed(part)
            if not known.closed:
                emitted += self._close(known)
        return emitted + self._ends_of(index)

    def _ends_of(self, index: int) -> list[events.Event]:
        """Close an item's open parts."""
        return [event for known in self._opened.pop(index, ()) if not known.closed for event in self._close(known)]

    def _sealed(self, part: ir.Part, known: repeats.SentPart, index: int, item: Object) -> list[events.Event]:
        """Return the seal over reasoning that was emitted, as a part of its own if that is closed."""
        if not isinstance(part, ir.Reasoning) or part.seal is None:
            return []
        if known.closed:
            return self._at_once(ir.Reasoning(None, part.seal, item), index)
        return [events.PartSealed(known.index, part.seal, item)]

    def _at_once(self, part: ir.Part, item: int) -> list[events.Event]:
        index = next(self._indexes)
        emitted: list[events.Event] = []
        if type(part) is ir.Text:
            if isinstance(part.src, dict):
                emitted += self._unscored(repeats.SentPart(index, is_text=True), part.src)
            if emitted and part.extra is not None:
                part.extra = extra_fields(part.src, SCORED_KEYS)
        return [*emitted, events.PartOpened(index, part, 0, item), events.PartClosed(index)]

    def not_streamed(self, turns: list[ir.Turn], response: Object) -> list[events.Event]:
        """Return what only the whole response has; what contradicts the events is reported (STR-16)."""
        emitted: list[events.Event] = []
        differs = False
        self._places = self._placed(turns)
        for index, turn in zip(self._places, turns, strict=True):
            if index not in self._done and self._continues(index, turn):
                self._done.add(index)
                emitted += [*self._rest_of(index, turn, turn.src), *self._sent.unnamed(index, turn)]
            elif not self._streamed(index, turn):
                differs = True
                emitted += self._ends_of(index)
            else:
                known = ((one, part) for part, _, one in self._parts_of(index, turn) if one)
                emitted += [event for one, part in known for event in one.unnamed(part)]
                emitted += self._sent.unnamed(index, turn)
                emitted += repeats.unmapped("Restated", self._output.changed(index, turn.src), turn.src)
                emitted += repeats.unmapped("Contradicted", self._output.resealed(index, turn.src), turn.src)
        return emitted + (repeats.unmapped("Contradicted", {"output": response["output"]}, response) if differs else [])

    def had(self, turns: list[ir.Turn]) -> bool:
        """Return whether events had all that these items of a whole response have."""
        indexed = zip(self._placed(turns), turns, strict=True)
        return all(index in self._output.added and self._streamed(index, turn) for index, turn in indexed)

    def check_placed(self) -> None:
        """Refuse arguments that did not name their call and are those of none."""
        repeats.check_placed(self._unplaced, self._parts.values())

    def texts_over(self) -> list[events.Event]:
        """Close texts that no event closed, in a complete response."""
        left = [part for part in self._parts.values() if part.is_text and not part.closed]
        return [event for part in left for event in self._close(part)]

    def broken_off(self) -> list[events.Event]:
        """Close all open parts: an answer that was cut off may end in the middle of them."""
        return [event for part in self._parts.values() if not part.closed for event in self._close(part)]

    def _placed(self, turns: list[ir.Turn]) -> list[int]:
        """Return the index of each item of the whole response."""

        def is_same(index: int, position: int) -> bool:
            added, item = self._output.added[index], turns[position].src
            return added.get("type") == item.get("type") and self._streamed(index, turns[position])

        return self._output.places([turn.src for turn in turns], is_same)

    def complete(self, turns: list[ir.Turn], status: Any) -> list[Object]:
        """Return the output of the whole response, with the events' version where they contradict it.

        Call after `not_streamed`.
        """
        placed = zip(self._places, turns, strict=True)
        listed = [(index, turn.src, self._streamed(index, turn)) for index, turn in placed]
        return self._output.complete(listed, self._parts, status)

    def _parts_of(self, index: int, turn: ir.Turn) -> Iterator[tuple[Any, repeats.Address, repeats.SentPart | None]]:
        """Yield the parts of an item, each with its address and what was emitted of it."""
        for part, family, number in repeats.numbered(turn):
            where = index, family, number
            yield part, where, self._parts.get(where)

    def _continues(self, index: int, turn: ir.Turn) -> bool:
        """Return whether each text of an item begins with that of its events."""
        return all(
            family == "" or known is None or wording(part).startswith("".join(known.text))
            for part, (_, family, _), known in self._parts_of(index, turn)
        )

    def _streamed(self, index: int, turn: ir.Turn) -> bool:
        """Return whether all text of an item equals that of its events, and no citation of it is new."""
        each = self._parts_of(index, turn)
        return all(not family or repeats.is_unchanged(part, known) for part, (_, family, _), known in each)
