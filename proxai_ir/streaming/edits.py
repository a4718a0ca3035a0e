"""The edits of a hook in a stream to its own protocol: they are made in the source's own events, and nothing else is.

Rule 1: an event in which nothing was changed goes on as it came. Rule 2: what changes is text that arrives in deltas,
where it stands in the event; text that a hook holds back comes later in a copy of the last event with text of its part.
Rule 3: what repeats a text that was changed has the new one; where that is not possible, the stream ends: no text goes
on that a hook took away. Rule 4: a title or a passage of a source repeats no text of a part; a hook is shown it in
its citation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import Any

import orjson

from ..ir.stream import events
from ..ir.stream.events import Event
from ..json.merge import text_of
from .filters import FIELD
from .hook import Hook

Json = Any
NO_TEXT = frozenset(
    "type event_type object role status id item_id model modelVersion responseId system_fingerprint service_tier "
    "serviceTier finish_reason finishReason stop_reason stopReason done_reason obfuscation p".split()
)
"""Members of events that never hold text of a part, though their values may be equal to one: words, ids and padding."""
OF_SOURCES = ("title", "cited_text", "url", "file")
"""Fields of a citation that are about its source, and hold no words of the answer."""
NOTHING: frozenset[str] = frozenset()
TOO_MUCH = "changed more of a stream to its own protocol than the text of its parts"


class Edits:
    """The edits of one stream, whose texts are held until its end.

    _was, _is  the text of each part so far: as the source has it, and as the hook made it
    _edited    the parts whose text is not the source's
    _cited     the texts of sources in each citation, by its object as text
    _last      the last text of each part, and the event that had it and no other; None if that had others
    """

    def __init__(self, hook: Hook) -> None:
        self._hook = hook
        self._was: dict[int, list[str]] = {}
        self._is: dict[int, list[str]] = {}
        self._edited: set[int] = set()
        self._cited: dict[str, frozenset[str]] = {}
        self._last: dict[int, tuple[Json | None, str]] = {}

    def made(self, found: list[Event], event: Json) -> tuple[list[Event], list[Json]]:
        """Return what the hook makes of the IR of an event, and the events that go on in place of this one.

        Raises Denied, also for an edit that cannot be made here.
        """
        seen = self._hook.run(found)
        if seen != found and _outline(seen) != _outline(found):
            self._hook.fail(TOO_MUCH)
        self._cited.update(_sources(found))
        before, texts = self._grown(_growth(found), _growth(seen), event)
        if not self._edited:
            return seen, [event]
        only_shown = bool(texts) and {*self._texts(event)} <= texts.keys()  # most events: the hook has seen all of it
        edited = () if only_shown else self._edited
        whole = {"".join(self._was[part]): "".join(self._is[part]) for part in edited}
        texts = {**whole, **texts}
        changed = {was: now for was, now in texts.items() if was != now}
        made = self._replaced(event, changed) if changed else event
        for text in {*self._texts(made)}.difference(texts.values()):
            if any(text in was and text not in now for was, now in whole.items()):
                self._hook.fail(TOO_MUCH)
        return seen, [*before, made]

    def _grown(
        self, old: dict[int, list[str]], new: dict[int, list[str]], event: Json
    ) -> tuple[list[Json], dict[str, str]]:
        """Return the events that come before one, and the new texts in it by the old ones, which may be the same."""
        before: list[Json] = []
        texts: dict[str, str] = {}
        for part in {**old, **new}:
            pieces, text = old.get(part, []), "".join(new.get(part, ()))
            self._was.setdefault(part, []).extend(pieces)
            self._is.setdefault(part, []).append(text)
            same = text == "".join(pieces)
            if not same:
                self._edited.add(part)
            if not pieces:
                template, known = self._last.get(part, (None, text))
                before.append(self._replaced(template, {known: text}))
            for at, piece in enumerate(pieces):
                wanted = piece if same else "" if at else text
                unseen = piece != wanted and self._replaced(event, {piece: wanted}) == event
                if texts.setdefault(piece, wanted) != wanted or unseen:
                    self._hook.fail(TOO_MUCH)
                self._last[part] = event if len(pieces) == len(old) == 1 else None, piece
        if None in before:
            self._hook.fail(TOO_MUCH)
        return before, texts

    def _texts(self, value: Json, name: str = "", said: frozenset[str] = NOTHING) -> Iterator[str]:
        """Yield the texts in an event that may be those of a part; `said`: those of a source that is cited."""
        if isinstance(value, str):
            if value and name not in NO_TEXT and value not in said:
                yield value
        elif isinstance(value, dict):
            said = self._said(value, said)
            for key, one in value.items():
                yield from self._texts(one, key, said)
        elif isinstance(value, list):
            for one in value:
                yield from self._texts(one, name, said)

    def _replaced(self, value: Json, texts: Mapping[str, str], name: str = "", said: frozenset[str] = NOTHING) -> Json:
        """Return an event with other texts, but for those of a source that is cited."""
        if isinstance(value, str):
            return value if name in NO_TEXT or value in said else texts.get(value, value)
        if isinstance(value, dict):
            for was, now in texts.items():
                if value and value == _object(was):
                    return _object(now) or {}
            said = self._said(value, said)
            return {key: self._replaced(one, texts, key, said) for key, one in value.items()}
        if isinstance(value, list):
            return [self._replaced(one, texts, name, said) for one in value]
        return value

    def _said(self, value: Json, said: frozenset[str]) -> frozenset[str]:
        """Return the texts of a source in an object, if it is a citation that the hook was shown, or inside of one."""
        return self._cited.get(text_of(value), said) if self._cited else said


def _sources(found: Iterable[Event]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the texts of the source in each citation of the events, by its object as text."""
    for event in found:
        cited: list[Any] = []
        if isinstance(event, events.PartCited):
            cited = [event.citation]
        elif isinstance(event, events.PartOpened):
            cited = getattr(event.part, "citations", None) or []
        for one in cited:
            texts = [getattr(one, name, None) for name in OF_SOURCES]
            if isinstance(one.src, dict) and any(texts):
                yield text_of(one.src), frozenset(filter(None, texts))


def _growth(found: Iterable[Event]) -> dict[int, list[str]]:
    """Return the pieces of text that parts grow by."""
    grown: dict[int, list[str]] = {}
    for event in found:
        text: Any = None
        if isinstance(event, events.PartGrew):
            text = event.text
        elif isinstance(event, events.PartOpened):
            text = getattr(event.part, FIELD.get(type(event.part), ""), None)
        if text and isinstance(text, str):
            grown.setdefault(event.index, []).append(text)  # type: ignore[union-attr]
    return grown


def _outline(found: Iterable[Event]) -> list[Event]:
    """Return the events without the texts that may change, and without what repeats them."""
    out: list[Event] = []
    for event in found:
        if isinstance(event, events.PartOpened) and isinstance(
            getattr(event.part, name := FIELD.get(type(event.part), ""), None), str
        ):
            part: Any = copy(event.part)
            setattr(part, name, "")
            out.append(events.PartOpened(event.index, part, event.candidate, event.item))
        elif isinstance(event, events.PartClosed):
            out.append(events.PartClosed(event.index))
        elif not isinstance(event, (events.PartGrew, events.Restated)):
            out.append(event)
    return out


def _object(text: str) -> Any:
    """Return the object that a text is the JSON of, or None: arguments, which some protocols have as an object."""
    try:
        return orjson.loads(text) if text.startswith("{") else None
    except ValueError:
        return None
