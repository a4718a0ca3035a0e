"""Reads the chunks of a Chat Completions stream: the frame of the response; stream_parts.py reads what is in a
choice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from operator import itemgetter
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.stream import events
from proxai_ir.ir.stream.interfaces import StreamReader
from proxai_ir.json.types import quoted
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.reading import Json, Object, an_object, identifier, missing, optional, reader, rest, wrong
from .parts import MEMBERS as SOURCES
from .parts import converted, sources_of
from .reasoning import CHUNKS, DETAILS, MEMBERS, OTHER_NAMES, usage_on_chunk
from .response import chosen_tier, failure, odd_time, other_object, read_usage
from .stream_parts import Choice

# --- stream members ---------------------------------------------------------------------------------------------------
# Members of a stream's chunks outside the content, put together as members of the whole response (STR-19).
#
# Rule: as the official client does it, but a value that is sent again replaces the one before. Only text that grows is
# joined: that of reasoning.

OF = {"Delta": "Turn", "Choice": "Candidate", "Chunk": "Response", "Apart": "Response"}
"""The part of the whole response that the members of a part of a chunk belong to."""
CONTENT = frozenset(
    """
    id object created model choices usage index role content refusal tool_calls function_call audio delta message
    finish_reason logprobs
    """.split()
) | {wire.PADDING}
"""Members that events have, or that only chunks have."""
EMPTY: tuple[Any, ...] = (None, "", [])
GROWING = ("text", "summary", "data", "signature")
"""The members of a reasoning detail that come in pieces."""


class Members:
    def __init__(self) -> None:
        self._found: dict[tuple[str, int], Object] = {}

    def add(self, found: list[events.Event]) -> None:
        """Note the unmapped members among the events of one chunk."""
        for one in found:
            if isinstance(one, events.UnmappedFields) and one.about in OF:
                for key, value in (one.extra.fields or {}).items():
                    if key not in CONTENT and key not in OTHER_NAMES and value not in EMPTY:
                        _put(self._found.setdefault((OF[one.about], one.index), {}), key, value)

    def named(self, number: int, delta: Any) -> None:
        """Note reasoning whose name is not the canonical one, since clients look for it under that name."""
        for name in OTHER_NAMES if isinstance(delta, dict) else ():
            text = delta.get(name)
            if isinstance(text, str) and text:
                _grow(self._found.setdefault(("Turn", number), {}), name, text)

    def take(self) -> list[events.Event]:
        """Return all members that were noted, for the whole response."""
        found, self._found = self._found, {}
        return [
            events.UnmappedFields(about, ir.Extra({key: _joined(value) for key, value in members.items()}), index)
            for (about, index), members in found.items()
        ]


class Pieces(list[str]):
    """A text that grows."""


class Entries(dict[int, Object]):
    """The entries of a list, by the index that each has."""


def _put(members: Object, key: str, value: Any) -> None:
    """Add a value to the members, at a cost that does not grow with what is there."""
    before = members.get(key)
    if key in MEMBERS and isinstance(value, str):
        _grow(members, key, value)
    elif isinstance(value, list) and all(isinstance(one, dict) and type(one.get("index")) is int for one in value):
        entries = before if isinstance(before, Entries) else Entries()
        members[key] = entries
        for one in value:
            _extend(entries.setdefault(one["index"], {}), one, key == DETAILS)
    elif isinstance(value, dict):
        members[key] = {**(before if isinstance(before, dict) else {}), **value}
    else:
        members[key] = value


def _extend(entry: Object, more: Object, grows: bool) -> None:
    for key, value in more.items():
        if grows and key in GROWING and isinstance(value, str):
            _grow(entry, key, value)
        elif value is not None or key not in entry:
            entry[key] = value


def _grow(holder: Object, key: str, text: str) -> None:
    before = holder.get(key)
    if isinstance(before, Pieces):
        before.append(text)
    else:
        holder[key] = Pieces((text,))


def _joined(value: Any) -> Any:
    """Return the JSON value that was put together."""
    if isinstance(value, Pieces):
        return "".join(value)
    if isinstance(value, Entries):
        return [{key: _joined(one) for key, one in entry.items()} for entry in value.values()]
    return value


# --- stream -----------------------------------------------------------------------------------------------------------
# A stream of chunks into the IR, dialects included: the envelope, the usage and the end; `stream_parts` has the rest.
#
# Rule: the usage chunk after the last finish reason has the final usage; without one, usage that came with that finish
# reason or after it counts (STR-4).

HEAD = ("id", "object", "created", "model", "system_fingerprint", "service_tier")
CHUNK_KEYS = frozenset({*HEAD, "choices", "usage"})
read_chunk = reader(model=str, system_fingerprint=str, service_tier=str, usage=dict, choices=list)


TextOf = Callable[[Json, int], str | None]


def _members(keys: list[str]) -> Callable[[Object], Any]:
    """Return a function that gets an object's members of these names, of which there may be none."""
    return itemgetter(*keys) if keys else _nothing


def _nothing(_: Object) -> None:
    return None


def text_of_chunks_like(
    chunk: Object, member: str, take: Callable[[Any], Any] | None, part: int, first: Choice
) -> TextOf:
    """Return a function that gets the text of a chunk for a part, or None if more than the text differs from this one.

    For the fast path; `take` gets the text out of the delta's member, and `first` is the choice that gets longer by
    content. Padding counts as a member that changes; it is reported once (STR-14).
    """
    (choice,) = chunk["choices"]
    delta = choice["delta"]
    of_chunk = _members([key for key in chunk if key not in ("choices", wire.PADDING)])
    of_choice = _members([key for key in choice if key != "delta"])
    others = [key for key in delta if key != member]
    of_delta = itemgetter(*others) if others else None
    chunk_values, choice_values = of_chunk(chunk), of_choice(choice)
    delta_values = None if of_delta is None else of_delta(delta)
    size, counts = len(chunk) + len(choice) + len(delta), member == "content"

    def text_of(chunk: Json, grows: int) -> str | None:
        try:
            (choice,) = chunk["choices"]
            delta = choice["delta"]
            if (
                grows == part
                and of_choice(choice) == choice_values
                and of_chunk(chunk) == chunk_values
                and len(chunk) + len(choice) + len(delta) == size
                and (of_delta is None or of_delta(delta) == delta_values)
            ):
                text = delta[member] if take is None else take(delta[member])
                if text and text.__class__ is str:
                    if counts:
                        first.length += len(text)
                    return text
        except (KeyError, TypeError, ValueError):
            pass
        return None

    return text_of


class Reader(StreamReader):
    """One stream. The option `usage` decides which usage on chunks with choices counts if no usage chunk comes.

    _head       the members of the first chunk that all chunks repeat; None before it
    _expected   the test of the fast path, None if no chunk can take it
    _unended    the choices without a finish_reason
    _counted    whether a chunk without choices has had the usage
    _completed  whether the response is complete, or failed
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._usage = options["usage"]
        self._head: Object | None = None
        self._indexes = count()
        self._choices: dict[int, Choice] = {}
        self._unended: set[int] = set()
        self._first = Choice(0, self._indexes)
        self._expected: TextOf | None = None
        self._counted = self._completed = False
        self._members = Members() if options.get("own_response") else None

    def text_delta(self, chunk: Json, part: int) -> str | None:
        """Return the text of a chunk that differs from the one before only in that, as most do, else None."""
        return self._expected and self._expected(chunk, part)

    def feed(self, chunk: Json) -> list[events.Event]:
        try:
            out = self._read(chunk)
        except Refusal:
            self._end_refused(chunk)
            raise
        self._expected = self._expectation(chunk, out) if out else None
        return out

    def _end_refused(self, chunk: Json) -> None:
        """Note which choices a refused chunk finishes, for a stream that is relayed as it is."""
        choices = chunk.get("choices") if isinstance(chunk, dict) else None
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and choice.get("finish_reason"):
                index = choice.get("index") or 0
                if isinstance(index, int):
                    self._unended.discard(index)

    def _expectation(self, chunk: Json, out: list[events.Event]) -> TextOf | None:
        """Return the test for the next chunk, if this one had only a piece of text and padding."""
        grown = out[0]
        if not isinstance(grown, events.PartGrew) or not (len(out) == 1 or self._only_padded(out)):
            return None
        choice, *others = chunk["choices"]
        if others:
            return None
        growth = self._first.growth_of(grown.index) if choice.get("index") == 0 else None
        if growth is None or growth[0] not in choice["delta"] or self._first.sources.listed:
            return None
        return text_of_chunks_like(chunk, *growth, grown.index, self._first)

    def _only_padded(self, out: list[events.Event]) -> bool:
        unmapped = out[1]
        return isinstance(unmapped, events.UnmappedFields) and [*(unmapped.extra.fields or ())] == [wire.PADDING]

    def close(self) -> list[events.Event]:
        if self._completed or not self._all_ended():
            return []
        return self._complete()

    def _done(self) -> list[events.Event]:
        """Return the end that a word states; choices may lack a finish reason if nothing shows that they are cut off
        (STS-10)."""
        if not self._choices:
            raise Refusal("STR-2", None, f"{wire.DONE} before any choice")
        if not all(self._choices[position].may_end() for position in self._unended):
            raise Refusal("STR-2", None, f"{wire.DONE} before a finish_reason, within a tool call or before any answer")
        return self._complete()

    def _all_ended(self) -> bool:
        return bool(self._choices) and not self._unended

    def _complete(self) -> list[events.Event]:
        """Return the end of the response."""
        self._completed = True
        out: list[events.Event] = []
        for choice in self._choices.values():
            choice.end(out)
        return [*out, *(self._members.take() if self._members is not None else ()), events.Completed()]

    # --- chunks -------------------------------------------------------------------------------------------------------

    def _read(self, chunk: Json) -> list[events.Event]:
        if chunk == wire.DONE:
            if self._completed:  # or failed
                return [events.UnmappedFields("Done", ir.Extra())]
            return self._done()
        if not isinstance(chunk, dict):
            raise Refusal("SHP-1", None, f"expected an object or {wire.DONE!r} as the event")
        failed = failure(chunk)
        if failed is not None:
            self._completed = True
            return [events.Failed(failed)]
        *head, usage, choices = read_chunk(chunk)
        if choices is None and chunk.get("object") is None:
            if chunk and CHUNK_KEYS.isdisjoint(chunk):  # an event of the server's own
                return [events.UnmappedFields("Unknown", ir.Extra(chunk), src=chunk)]
            raise missing(chunk, "choices")
        if not choices:
            return self._without_choices(chunk, usage)
        may_end = len(choices) != 1 or not self._unended or self._usage == "running" or _ends(choices[0])
        counted = self._counts_of(chunk, choices) if may_end and self._usage != "usage_chunk" else None
        out = self._envelope(chunk, head)
        if "citations" in chunk or "search_results" in chunk:
            self._first.sources.listed = sources_of(chunk)
        self._read_choices(choices, out)
        if self._head is None:
            self._head = {key: chunk[key] for key in HEAD if chunk.get(key) is not None}
        if counted is not None and (self._usage == "running" or self._all_ended()):
            out.append(events.UsageReported(counted, provisional=True))
        self._unmapped(chunk, usage, out)
        self._noted(out)
        return out

    def _read_choices(self, choices: list[Json], out: list[events.Event]) -> None:
        for index in range(len(choices)):
            given = an_object(choices, index)
            position = optional(given, "index", int) or 0
            choice = self._choice(position)
            choice.read(given, out)
            if self._members is not None:
                self._members.named(position, given.get("delta"))
            if choice.ended is not None:
                self._unended.discard(position)

    def _counts_of(self, chunk: Object, choices: list[Json]) -> ir.Usage | None:
        """Return the usage of a chunk with choices, if it may count; it is read before the choices, as it may be
        refused."""
        usage = usage_on_chunk(chunk)
        counts = self._usage == "running" or not self._unended or any(map(_ends, choices))
        return read_usage(usage) if usage is not None and counts else None

    def _envelope(self, chunk: Object, head: list[Any]) -> list[events.Event]:
        """Return the start of the response, if this is the first chunk with a choice; later ones must belong to it."""
        if self._head is not None:
            first = self._head.get("id")
            if chunk.get("id") and chunk["id"] != first and self._begins_anew(chunk["choices"]):
                raise wrong(chunk, "id", f"{quoted(first)}, the id of the earlier chunks", "STR-9")
            return []
        model, fingerprint, _ = head
        response = ir.Response(wire.NAME, identifier(chunk), model, [], None, None, fingerprint=fingerprint, src=chunk)
        odd_time(response, chunk)
        if chunk.get("object", wire.CHUNK) not in CHUNKS:
            other_object(response, chunk, wire.CHUNK)
        chosen_tier(response, chunk)
        return [events.Started(response)]

    def _begins_anew(self, choices: list[Json]) -> bool:
        """Return whether choices with content are announced by their role again, and so are another response's."""
        for given in choices:
            if isinstance(given, dict) and isinstance(given.get("delta"), dict) and given["delta"].get("role"):
                known = self._choices.get(optional(given, "index", int) or 0)
                if known is not None and not known.repeats_role:
                    return True
        return False

    def _unmapped(self, chunk: Object, usage: Object | None, out: list[events.Event]) -> None:
        """Add the members of a chunk that differ from the first chunk's, running usage, and unknown ones."""
        head = self._head or {}
        patch = {key: chunk.get(key) for key in HEAD if chunk.get(key) != head.get(key)}
        patch |= rest(chunk, CHUNK_KEYS) or {}
        if usage is not None:
            patch["usage"] = usage
        sources = self._first.sources
        if sources.listed and (self._first.ended is None or sources.cited):
            for key in converted(chunk) if self._first.ended is not None else SOURCES:
                patch.pop(key, None)
        if patch:
            out.append(events.UnmappedFields("Chunk", ir.Extra(patch), src=chunk))

    def _without_choices(self, chunk: Object, usage: Object | None) -> list[events.Event]:
        """Return the events of the usage chunk, or of one about something else (the verdict of a filter, a
        moderation)."""
        if usage is None:
            apart: list[events.Event] = [events.UnmappedFields("Apart", ir.Extra(chunk), src=chunk)]
            return [*apart, *self._noted(apart)]
        if self._completed:
            raise wrong(chunk, "usage", "usage before the end of the stream", "STR-9")
        counted, out = read_usage(usage), list[events.Event]()
        if self._head is None:  # the first chunk has the members that all repeat
            out.append(events.UnmappedFields("Apart", ir.Extra(rest(chunk, CHUNK_KEYS)), src=chunk))
        else:
            self._unmapped(chunk, None, out)
        self._noted(out)
        if self._counted:
            out.append(events.UnmappedFields("Usage again", ir.Extra({"usage": usage}), src=chunk))
        self._counted = True
        return [*out, events.UsageReported(counted, provisional=not self._all_ended())]

    def _noted(self, out: list[events.Event]) -> list[events.Event]:
        """Note the members that content does not have; return those that came after the end."""
        if self._members is None:
            return []
        self._members.add(out)
        return self._members.take() if self._completed else []

    def _choice(self, position: int) -> Choice:
        choice = self._choices.get(position)
        if choice is None:
            choice = self._first if position == 0 else Choice(position, self._indexes)
            self._choices[position] = choice
            self._unended.add(position)
        return choice


def _ends(choice: Json) -> bool:
    """Return whether a chunk's choice has its finish reason."""
    return isinstance(choice, dict) and bool(choice.get("finish_reason"))
