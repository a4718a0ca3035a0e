"""A stream of chunks into the IR, dialects among it: the envelope, the usage and the end; `stream_parts` has the rest.

Rule: only a usage chunk behind the ending is the final usage (STR-4).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from operator import itemgetter
from typing import Any, NamedTuple

from proxai_ir.diagnostics import Refusal
from proxai_ir.ir.node import Extra
from proxai_ir.ir.response import Response
from proxai_ir.ir.usage import Usage
from proxai_ir.streaming import events
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.reading import Json, Object, an_object, constant, missing, note_form, optional, reader, rest, wrong
from .error import lower_error
from .response import USAGE, chosen_tier
from .stream_parts import Choice

HEAD = ("id", "object", "created", "model", "system_fingerprint", "service_tier")
CHUNK_KEYS = frozenset({*HEAD, "choices", "usage"})
read_chunk = reader(id=str, model=str, created=int, system_fingerprint=str, service_tier=str, usage=dict, choices=list)


class Usual(NamedTuple):
    """What a chunk is like that holds one more piece of a text: all but the piece is as in the chunk before.

    `member` of its delta holds the piece, which `take` gets out of it; `part` is the index of what grows; `size` counts
    the members of the chunk, its choice and its delta.
    """

    of_chunk: Callable[[Object], Any]
    chunk: Any
    of_choice: Callable[[Object], Any]
    choice: Any
    of_delta: Callable[[Object], Any] | None
    others: Any
    size: int
    member: str
    take: Callable[[Any], Any] | None
    part: int


def usual(chunk: Object, member: str, take: Callable[[Any], Any] | None, index: int) -> Usual:
    (choice,) = chunk["choices"]
    delta = choice["delta"]
    of_chunk = itemgetter(*(key for key in chunk if key not in ("choices", wire.PADDING)))
    of_choice = itemgetter(*(key for key in choice if key != "delta"))
    others = [key for key in delta if key != member]
    of_delta = itemgetter(*others) if others else None
    said = of_delta(delta) if of_delta is not None else None
    size = len(chunk) + len(choice) + len(delta)
    return Usual(of_chunk, of_chunk(chunk), of_choice, of_choice(choice), of_delta, said, size, member, take, index)


class Reader:
    """`last_usage`: where no usage chunk comes, the last running usage is the final one."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._last_usage = bool(options.get("last_usage"))
        self._faithful = bool(options.get("faithful"))
        self._running: Usage | None = None
        self._head: Object | None = None
        self._id = self._model = self._created = self._fingerprint = self._tier = None
        self._indexes = count()
        self._choices: dict[int, Choice] = {}
        self._first = Choice(0, self._indexes, self._faithful)
        self._usual: Usual | None = None
        self._completed = False

    def text_delta(self, chunk: Json, part: int) -> str | None:
        """Most chunks differ from the one before in a piece of text only."""
        if self._usual is None:
            return None
        of_chunk, around, of_choice, beside, of_delta, others, size, member, take, grows = self._usual
        try:
            (choice,) = chunk["choices"]
            delta = choice["delta"]
            if (
                grows == part
                and of_choice(choice) == beside
                and of_chunk(chunk) == around
                and len(chunk) + len(choice) + len(delta) == size
                and (of_delta is None or of_delta(delta) == others)
            ):
                text = delta[member] if take is None else take(delta[member])
                return text if text.__class__ is str else None
        except (KeyError, TypeError, ValueError):
            pass
        return None

    def feed(self, chunk: Json) -> list[events.Event]:
        said = self._read(chunk)
        self._usual = self._remember(chunk, said) if said else None
        return said

    def _remember(self, chunk: Json, said: list[events.Event]) -> Usual | None:
        """What the next chunk must be like to be told at a glance: this one, if it said but a piece of text.

        Its padding is told once (STR-14), and may be another in every chunk.
        """
        if not isinstance(said[0], events.PartGrew) or not (len(said) == 1 or self._only_padded(said)):
            return None
        index = said[0].index
        (choice,) = chunk["choices"]
        grows = self._first.grows(index) if choice.get("index") == 0 else None
        if grows is None:
            return None
        return usual(chunk, *grows, index) if grows[0] in choice["delta"] else None

    def _only_padded(self, said: list[events.Event]) -> bool:
        beside = said[1]
        return (
            not self._faithful
            and isinstance(beside, events.UnmappedFields)
            and [*(beside.extra.fields or ())] == [wire.PADDING]
        )

    def close(self) -> list[events.Event]:
        if self._completed or not self._all_ended():
            return []
        return self._complete(self._running if self._last_usage else None)

    def _all_ended(self) -> bool:
        return bool(self._choices) and all(choice.ended is not None for choice in self._choices.values())

    def _complete(self, usage: Usage | None) -> list[events.Event]:
        self._completed = True
        return [events.Completed()] if usage is None else [events.UsageReported(usage), events.Completed()]

    # --- chunks -------------------------------------------------------------------------------------------------------

    def _read(self, chunk: Json) -> list[events.Event]:
        if chunk == wire.DONE:
            if self._completed:  # or failed
                return [events.UnmappedFields("Done", Extra(None, ("whole",)))]
            if not self._all_ended():
                raise Refusal("STR-2", None, f"{wire.DONE} before a finish_reason")
            return self.close()
        if not isinstance(chunk, dict):
            raise Refusal("SHP-1", None, f"expected an object or {wire.DONE!r} as the event")
        if chunk.get("error") is not None:
            self._completed = True
            return [events.Failed(lower_error(chunk))]
        if chunk.get("object") != "":  # of chunks that tell what a filter found, which belong to no answer
            constant(chunk, "object", "chat.completion.chunk")
        *head, usage, choices = read_chunk(chunk)
        if choices is None and chunk.get("object") is None:
            raise missing(chunk, "choices")
        if not choices:
            return self._without_choices(chunk, usage)
        said = self._envelope(chunk, head)
        for index in range(len(choices)):
            given = an_object(choices, index)
            self._choice(optional(given, "index", int) or 0).read(given, said)
        self._beside(chunk, usage, said)
        return said

    def _envelope(self, chunk: Object, head: list[Any]) -> list[events.Event]:
        """The first chunk with a choice starts the answer; later ones must belong to it."""
        if self._head is not None:
            if chunk.get("id") and chunk["id"] != self._id:
                raise wrong(chunk, "id", f"{self._id!r:.80}, the id of the earlier chunks", "STR-9")
            return []
        self._head = {key: chunk[key] for key in HEAD if chunk.get(key) is not None}
        self._id, self._model, self._created, self._fingerprint, self._tier = head
        identity, model, created, fingerprint, _ = head
        response = Response(wire.NAME, identity, model, [], None, created, fingerprint=fingerprint, src=chunk)
        if created is None:
            note_form(response, "no time")
        chosen_tier(response, chunk)
        return [events.Started(response)]

    def _beside(self, chunk: Object, usage: Object | None, said: list[events.Event]) -> None:
        """What a chunk says besides its choices: another envelope than the first, running usage, unknown members."""
        head = self._head or {}
        patch = {key: chunk.get(key) for key in HEAD if chunk.get(key) != head.get(key)}
        patch |= rest(chunk, CHUNK_KEYS) or {}
        if usage is not None:
            self._running = USAGE.read(usage)
            if not self._last_usage:
                patch["usage"] = usage
        if patch:
            said.append(events.UnmappedFields("Chunk", Extra(patch), src=chunk))

    def _without_choices(self, chunk: Object, usage: Object | None) -> list[events.Event]:
        """The usage chunk, or one about something else (the verdict of a filter, a moderation)."""
        if usage is None:
            return [events.UnmappedFields("Chunk", Extra(chunk, ("whole",)), src=chunk)]
        if not self._all_ended() or self._completed:
            raise wrong(chunk, "usage", "usage without choices only once, after the last finish_reason", "STR-9")
        said: list[events.Event] = []
        self._beside(chunk, None, said)  # before the end, which nothing lost may follow in strict mode
        return said + self._complete(USAGE.read(usage))

    def _choice(self, position: int) -> Choice:
        choice = self._choices.get(position)
        if choice is None:
            choice = self._first if position == 0 else Choice(position, self._indexes, self._faithful)
            self._choices[position] = choice
        return choice
