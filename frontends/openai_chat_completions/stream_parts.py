"""The choices of a chunk stream: what their deltas add to the parts of an answer.

The wire does not say where content begins and ends: text, reasoning and refusal are parts as long as they are not
interrupted by one another; a call is one until the ending, or until its arguments are whole and something else begins.
Rule: the fragments of a call are joined by its `index`, and by its id where a server gives all calls the same index
(STR-8).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import orjson

from proxai_ir.diagnostics import Refusal
from proxai_ir.ir import parts
from proxai_ir.ir.node import Extra
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.streaming import events

from .._lib.reading import Object, an_object, extra_fields, keep, optional, reader, required, rest, wrong
from .parts import REASONING_KEYS, absent_members, reasoning_form
from .response import cited, is_citation, read_logprobs, terminal

CHOICE_KEYS = frozenset({"index", "delta", "logprobs", "finish_reason"})
DELTA_KEYS = frozenset({"role", "content", "refusal", "tool_calls", "function_call", "audio", "annotations"})
read_choice = reader(index=int, delta=dict, logprobs=dict, finish_reason=str)
read_fragment = reader(index=int, id=str, type=str, function=dict, custom=dict)
read_audio = reader(id=str, data=str, transcript=str, expires_at=int)


NO_DELTA = ("no delta",)
PLAIN = ("content", "refusal", *REASONING_KEYS)  # members of a delta that are text as it is
MOST_LOOKS = 8


class _Call:
    """A call that may still grow, and what of its arguments has come."""

    __slots__ = ("closed", "id", "index", "looks", "text")

    def __init__(self, index: int, identity: str | None, text: str) -> None:
        self.index = index
        self.closed = False
        self.id = identity
        self.text = [text]
        self.looks = MOST_LOOKS

    def whole(self) -> bool:
        """Whether the arguments are one whole JSON object, to which nothing can be added.

        A call that others interrupt again and again waits for the ending instead: looking costs its whole length.
        """
        if not self.looks or not self.text[-1].rstrip().endswith("}"):
            return False
        self.looks -= 1
        try:
            return isinstance(orjson.loads("".join(self.text)), dict)
        except orjson.JSONDecodeError:
            return False

    def only_fragment(self, key: int, fragments: Any) -> Any:
        """The text of a list of fragments that holds nothing but more of this call's arguments; else None."""
        (fragment,) = fragments
        function = fragment["function"]
        text = function["arguments"]
        if fragment["index"] != key or len(fragment) != 2 or len(function) != 1 or text.__class__ is not str:
            return None
        if text:
            self.text.append(text)
        return text


class Choice:
    """One candidate: its parts so far, and which of them may grow. `indexes` numbers the parts of the whole stream.

    `kind` is what the open part is that is no call, `open` its index.
    """

    def __init__(self, number: int, indexes: Iterator[int], faithful: bool) -> None:
        self.number = number
        self._faithful = faithful
        self.kind: Any = None
        self.open = -1
        self.ended: str | None = None
        self._indexes = indexes
        self._turn = Turn(Role.ASSISTANT, [])
        self._spoken = False
        self._calls: dict[Any, _Call] = {}
        self._grown: dict[int, _Call] = {}  # since something else began
        self._counted = 0
        self._cited = -1  # the text that citations are of

    def grows(self, index: int) -> tuple[str, Callable[[Any], Any] | None] | None:
        """The delta's member that a part grows by, and what takes the text out of it; None where that is intricate."""
        if index == self.open:
            member = self.kind[0] if isinstance(self.kind, tuple) and len(self.kind) == 1 else self.kind
            return (member, None) if member in PLAIN else None
        for key, call in self._calls.items():
            if call.index == index and not call.closed and isinstance(key, int):
                return "tool_calls", partial(call.only_fragment, key)
        return None

    def read(self, given: Object, said: list[events.Event]) -> None:
        """What one chunk says of this choice."""
        _, delta, logprobs, finish = read_choice(given)
        delta, finish = delta or {}, finish or None  # some servers say "" until the end
        before = len(said)
        scores = logprobs if logprobs and any(logprobs.values()) else None
        if self.ended is not None:
            if scores is not None:
                raise wrong(given, "logprobs", "nothing after the finish_reason", "STR-9")
            self._afterwards(given, delta, finish, said)
        else:
            if scores is not None:
                said.append(events.Scored(read_logprobs(scores), self.number, given))
            self._delta(delta, said)
            if finish is not None:
                self._finish(given, finish, said)
        more = rest(given, CHOICE_KEYS) or {}
        if logprobs is not None and scores is None:  # of no token
            more["logprobs"] = logprobs
        if self._faithful and given.get("finish_reason") == "":
            more["finish_reason"] = ""
        words = NO_DELTA if given.get("delta") is None else ()
        if more or words or len(said) == before:
            said.append(events.UnmappedFields("Choice", Extra(more or None, words), self.number, given))

    def _afterwards(self, given: Object, delta: Object, finish: str | None, said: list[events.Event]) -> None:
        """Some servers repeat the last chunk; content behind the ending has no place."""
        if any(value not in (None, "", []) for key, value in delta.items() if key != "role"):
            raise wrong(given, "delta", "nothing after the finish_reason", "STR-9")
        if finish is not None and finish != self.ended:
            raise wrong(given, "finish_reason", f"{self.ended!r:.80}, the earlier finish_reason", "STR-9")
        if delta:
            said.append(events.UnmappedFields("Delta", Extra(delta), self.number, delta))
        if finish is not None:
            said.append(events.UnmappedFields("Choice", Extra({"finish_reason": finish}), self.number, given))

    def _finish(self, given: Object, finish: str, said: list[events.Event]) -> None:
        self._interrupt(said)
        said += [events.PartClosed(call.index) for call in self._calls.values() if not call.closed]
        self._calls.clear()
        self.ended = finish
        said.append(events.Ended(terminal(given, self._turn), self.number))

    def _delta(self, delta: Object, said: list[events.Event]) -> None:
        role = delta.get("role")
        if role is not None and role != "assistant":
            raise wrong(delta, "role", "'assistant'", "STR-5")
        kept: Object = {}
        wire_forms = () if self._spoken or role is not None else ("no role",)
        if self._spoken and role is not None:
            wire_forms = ("role",)
        self._spoken = True
        known = set(DELTA_KEYS)
        self._reasoning(delta, known, said)
        self._content(delta, kept, said)
        self._refusal(delta, kept, said)
        self._audio(delta, said)
        for index in range(len(optional(delta, "tool_calls", list) or ())):
            self._fragment(an_object(delta["tool_calls"], index), said)
        self._legacy(delta, said)
        self._annotations(delta, kept, said)
        more = {**(rest(delta, known) or {}), **kept}
        if more or (wire_forms and self._faithful):
            said.append(events.UnmappedFields("Delta", Extra(more or None, wire_forms), self.number, delta))

    # --- text in its several forms ------------------------------------------------------------------------------------

    def _grow(self, kind: Any, text: str, make: Callable[[str], parts.Part], said: list[events.Event]) -> None:
        """More of the open part, if it is of this kind; else a new part."""
        if self.kind == kind:
            said.append(events.PartGrew(self.open, text))
            return
        self._interrupt(said)
        self._begin(kind, make(text), said)

    def _begin(self, kind: Any, part: parts.Part, said: list[events.Event]) -> None:
        self.open, self.kind = self._next(part, said), kind
        if kind == "content":
            self._cited = self.open

    def _next(self, part: parts.Part, said: list[events.Event]) -> int:
        index = next(self._indexes)
        self._turn.parts.append(part)
        said.append(events.PartOpened(index, part, self.number))
        return index

    def _called(
        self, key: Any, part: parts.FunctionCall | parts.CustomCall, text: str, said: list[events.Event]
    ) -> None:
        call = self._calls[key] = _Call(self._next(part, said), part.id, text)
        self._grown[call.index] = call

    def _interrupt(self, said: list[events.Event]) -> None:
        """Something else begins: the open text is over, and so is every call whose arguments are whole."""
        if self.kind is not None:
            said.append(events.PartClosed(self.open))
            self.kind = None
        for call in self._grown.values():
            if call.whole():
                call.closed = True
                call.text.clear()
                said.append(events.PartClosed(call.index))
        self._grown.clear()

    def _reasoning(self, delta: Object, known: set[str], said: list[events.Event]) -> None:
        texts = {key: delta[key] for key in REASONING_KEYS if isinstance(delta.get(key), str) and delta[key]}
        if texts:
            first, *others = texts
            spelled = (first, *(key for key in others if texts[key] == texts[first]))
            known.update(spelled)
            src = (delta, first)
            form = reasoning_form(*spelled)
            self._grow(spelled, texts[first], lambda text: parts.Reasoning(text, None, src, form), said)

    def _content(self, delta: Object, kept: Object, said: list[events.Event]) -> None:
        content = delta.get("content")
        if type(content) is str and content:
            self._text(content, (delta, "content"), said)
        elif content == "":
            kept["content"] = content
        elif isinstance(content, list):
            for index in range(len(content)):
                if not self._piece(an_object(content, index), said):
                    kept["content"] = content
        elif content is not None:
            raise wrong(delta, "content", "a string or an array of parts")

    def _text(self, text: str, src: Any, said: list[events.Event]) -> None:
        self._grow("content", text, lambda text: parts.Text(text, None, None, src), said)

    def _piece(self, piece: Object, said: list[events.Event]) -> bool:
        """Mistral's dialect: text and thinking as parts of the content; false for what is neither."""
        kind = piece.get("type")
        if kind == "text" and isinstance(piece.get("text"), str) and len(piece) == 2:
            self._text(piece["text"], piece, said)
            return True
        thinking = piece.get("thinking")
        only = thinking[0] if isinstance(thinking, list) and len(thinking) == 1 else None
        if kind != "thinking" or not isinstance(only, dict) or only.keys() != {"type", "text"} or len(piece) != 2:
            return False
        if not isinstance(only["text"], str):
            return False
        self._grow(
            ("part",), only["text"], lambda text: parts.Reasoning(text, None, piece, Extra(None, ("part",))), said
        )
        return True

    def _refusal(self, delta: Object, kept: Object, said: list[events.Event]) -> None:
        refusal = optional(delta, "refusal", str)
        if refusal:
            src = (delta, "refusal")
            self._grow("refusal", refusal, lambda text: parts.Refusal(text, src), said)
        elif refusal is not None:
            kept["refusal"] = refusal

    def _audio(self, delta: Object, said: list[events.Event]) -> None:
        audio = optional(delta, "audio", dict)
        if not audio:
            return
        identity, data, transcript, expires = read_audio(audio)
        if self.kind != "audio":
            self._interrupt(said)
            part = parts.Audio(parts.Inline("", None, (audio, "data")), "", identity, None, None, audio)
            self._begin("audio", part, said)
        if transcript:
            said.append(events.PartGrew(self.open, transcript))
        if data is not None or expires is not None:
            said.append(events.MediaGrew(self.open, data or "", expires))

    def _annotations(self, delta: Object, kept: Object, said: list[events.Event]) -> None:
        notes = optional(delta, "annotations", list)
        if not notes:
            return
        citations = [
            cited(note, note["url_citation"]) for note in notes if isinstance(note, dict) and is_citation(note)
        ]
        late = self.kind != "content"
        if len(citations) == len(notes) and (not late or (self._cited >= 0 and all(map(_has_span, citations)))):
            said += [events.PartCited(self._cited, citation) for citation in citations]
        else:
            kept["annotations"] = notes

    # --- calls --------------------------------------------------------------------------------------------------------

    def _fragment(self, fragment: Object, said: list[events.Event]) -> None:
        index, identity, kind, function, custom = read_fragment(fragment)
        is_custom = kind == "custom" or (kind is None and custom is not None)
        inner, member = (custom, "input") if is_custom else (function, "arguments")
        inner = inner or {}
        name, text = optional(inner, "name", str), optional(inner, member, str)
        key, call = self._call_of(index, identity, bool(name))
        if call is None:
            self._new_call(key, fragment, inner, said)
            return
        if call.closed and text and not text.isspace():
            raise wrong(inner, member, "no more text: the call was closed with complete arguments", "STR-9")
        if text is not None and not call.closed:
            if text:
                call.text.append(text)
                self._grown[call.index] = call
            said.append(events.PartGrew(call.index, text))
        known = set() if call.closed else {member}
        holder = "custom" if is_custom else "function"
        more = extra_fields(fragment, {"index", "function", "custom"}, nested={holder: extra_fields(inner, known)})
        if more is not None:
            said.append(events.UnmappedFields("Fragment", more, call.index, fragment))

    def _call_of(self, index: int | None, identity: str | None, named: bool) -> tuple[Any, Any]:
        """The key of a fragment's call, and the call if it has begun."""
        key: Any = index
        if index is None:
            key = identity or next(reversed(self._calls), None)
        call = self._calls.get(key)
        if call is not None and identity and call.id and identity != call.id:
            if not named:
                raise Refusal("STR-9", None, f"call {key!r:.60} has the id {call.id!r:.60}, found {identity!r:.60}")
            return (key, identity), self._calls.get((key, identity))
        return key, call

    def _new_call(self, key: Any, fragment: Object, inner: Object, said: list[events.Event]) -> None:
        self._interrupt(said)
        kind = fragment.get("type") or "function"
        if kind not in ("function", "custom"):
            raise wrong(fragment, "type", "'function' or 'custom'", "SHP-3")
        name = required(inner, "name", str) if inner else required(required(fragment, kind, dict), "name", str)
        part: parts.FunctionCall | parts.CustomCall
        if kind == "custom":
            text = optional(inner, "input", str) or ""
            part = parts.CustomCall(required(fragment, "id", str), name, text, fragment)
            part.extra = extra_fields(
                fragment, {"index", "id", "type", "custom"}, nested={"custom": extra_fields(inner, {"name", "input"})}
            )
        else:
            text = optional(inner, "arguments", str) or ""
            part = parts.FunctionCall(optional(fragment, "id", str), name, text, None, fragment)
            function = extra_fields(inner, {"name", "arguments"})
            wire_forms = absent_members(fragment, inner)
            part.extra = extra_fields(
                fragment, {"index", "id", "type", "function"}, *wire_forms, nested={"function": function}
            )
        if fragment.get("index") != self._counted:
            keep(part, "index", fragment.get("index"))
        self._counted += 1
        self._called(key, part, text, said)

    def _legacy(self, delta: Object, said: list[events.Event]) -> None:
        """The single, id-less call of the legacy `function_call` (TUL-5)."""
        given = optional(delta, "function_call", dict)
        if not given or not any(given.values()):
            return
        name, text = optional(given, "name", str), optional(given, "arguments", str) or ""
        call = self._calls.get("legacy")
        if call is None:
            self._interrupt(said)
            part = parts.FunctionCall(None, required(given, "name", str), text, None, given)
            self._called("legacy", part, text, said)
        else:
            if name is not None:
                raise wrong(given, "name", "no second name of the function call", "STR-9")
            call.text.append(text)
            self._grown[call.index] = call
            said.append(events.PartGrew(call.index, text))


def _has_span(citation: parts.UrlCitation) -> bool:
    return citation.start is not None and citation.end is not None
