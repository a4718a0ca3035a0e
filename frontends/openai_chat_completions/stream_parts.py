"""The choices of a chunk stream: what their deltas add to the parts of a response.

Rule: the wire does not mark where content begins and ends; text, reasoning and refusal are parts until one interrupts
another. `stream_calls` has the tool calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.response import UNKNOWN, Terminal, answers
from proxai_ir.ir.stream import events
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.reading import Object, an_object, json_text, optional, reader, rest, wrong
from . import reasoning
from .parts import Content, Sources, read_thinking, streamed_images
from .response import matched, read_citations, read_logprobs, terminal
from .stream_calls import Calls, read_heads

CHOICE_KEYS = frozenset({"index", "delta", "logprobs", "finish_reason"})
MOST_KEYS = frozenset({"role", "content", "refusal", "tool_calls"})
DELTA_KEYS = MOST_KEYS | {"function_call", "audio", "annotations"}
read_choice = reader(index=int, delta=dict, logprobs=dict, finish_reason=str)
AUDIO_KEYS = frozenset({"id", "data", "transcript", "expires_at"})
read_audio = reader(id=str, data=str, transcript=str, expires_at=int)

# Kinds of the part that is open: the members of the delta that its text is in.
CONTENT = ("content",)
REFUSAL = ("refusal",)
AUDIO = ("audio",)
CONTENT_PART = ("part",)  # reasoning among the parts of the content
TEXT_MEMBERS = ("content", "refusal", *reasoning.MEMBERS)


def _thought(piece: Object) -> ir.Part | None:
    """Return the thinking in a piece of the content, or None for a block of Anthropic's, which is no piece."""
    if piece["type"] == "reasoning":
        return reasoning.read_summary(piece)
    return read_thinking(piece) if isinstance(piece.get("thinking"), list) else None


class Choice:
    """One candidate. `indexes` numbers the parts of the whole stream.

    ended          its finish_reason, once it has one; _ending is the last, _continued whether more followed the first
    repeats_role   whether its last delta had the role
    length         the number of characters of the content so far
    sources        the sources of the content
    _open          the index of the part that grows and is no call; _kind is its kind, None if there is none
    _begun         whether a delta has been read: the first one has the role
    _start         the choice in the first chunk that has it
    _cited         the index of the text that citations belong to, which begins at _begins_at in the content
    _details       the kinds of `reasoning_details` so far
    _content_text  the text that a refusal may repeat
    _signature     the signature of a text that has not come yet, and the delta that has it
    """

    def __init__(self, number: int, indexes: Iterator[int]) -> None:
        self.number = number
        self.ended: str | None = None
        self.repeats_role = False
        self._indexes = indexes
        self._turn = ir.Turn(ir.Role.ASSISTANT, [])
        self._open = -1
        self._kind: tuple[str, ...] | None = None
        self._begun = False
        self._start: Object = {}
        self._ending = Terminal(UNKNOWN)
        self._continued = False
        self._calls = Calls(self._begin_call)
        self._cited = -1
        self._begins_at = self.length = 0
        self.sources = Sources()
        self._details: set[tuple[str, ...]] = set()
        self._content_text = Content()
        self._signature: tuple[ir.Seal, tuple[Object, str]] | None = None
        self._signed_parts = reasoning.SignedParts()

    def growth_of(self, index: int) -> tuple[str, Callable[[Any], Any] | None] | None:
        """Return the delta's member in which a part grows, and the function that gets its text, for the fast path.

        Without a function, the member is the text. None means that such deltas take the long way.
        """
        if index == self._open:
            kind = self._kind
            if kind == CONTENT and self._content_text.follows:
                return "content", self._content_text.note
            return (kind[0], None) if kind is not None and len(kind) == 1 and kind[0] in TEXT_MEMBERS else None
        return self._calls.growth_of(index)

    def read(self, given: Object, out: list[events.Event]) -> None:
        """Append the events of this choice in one chunk."""
        _, delta, logprobs, finish = read_choice(given)
        self._start = self._start or given
        finish = None if finish in wire.NO_FINISH else finish
        if delta is None:  # Perplexity has the whole message too, or in place of the only delta
            delta = (not self._begun and optional(given, "message", dict)) or {}
        scores = logprobs if logprobs and any(logprobs.values()) else None
        known, beside = CHOICE_KEYS, dict[str, Any]()
        if self.ended is not None and not _has_content(delta):
            if scores is not None:
                raise wrong(given, "logprobs", "nothing after the finish_reason", "STR-9")
            self._after_the_end(given, delta, finish, out)
        else:
            if self.ended is not None:
                self._not_last(out)
            if scores is not None:
                out.append(events.Scored(read_logprobs(scores), self.number, given))
            self._delta(delta, out)
            if "annotations" in given:  # some servers have them here
                self._annotations(given, beside, out)
                known = CHOICE_KEYS | {"annotations"}
            if finish is not None:
                self._finish(given, finish, out)
        if finish is not None:
            known |= matched(given)
        more = {**(rest(given, known) or {}), **beside}
        if logprobs is not None and scores is None:  # of no token
            more["logprobs"] = logprobs
        if more:
            out.append(events.UnmappedFields("Choice", ir.Extra(more), self.number, given))

    def _after_the_end(self, given: Object, delta: Object, finish: str | None, out: list[events.Event]) -> None:
        """Append the events of a chunk after the end; some servers repeat the last one."""
        if delta:
            out.append(events.UnmappedFields("Delta", ir.Extra(delta), self.number, delta))
        if finish is not None and finish != self.ended:
            self._not_last(out)
            self._finish(given, finish, out)
        elif finish is not None:
            out.append(events.UnmappedFields("Choice", ir.Extra({"finish_reason": finish}), self.number, given))

    def _not_last(self, out: list[events.Event]) -> None:
        """Report, once, a finish reason that more follows."""
        if not self._continued:
            self._continued = True
            ending = ir.Extra({"finish_reason": self.ended})
            out.append(events.UnmappedFields("Ending", ending, self.number, self._ending.src))

    def _finish(self, given: Object, finish: str, out: list[events.Event]) -> None:
        """Append the finish reason, which more content may follow."""
        self._close(out)
        self.ended, self._ending = finish, terminal(given, self._turn)
        out.append(events.Ending(self._ending, self.number))

    def end(self, out: list[events.Event]) -> None:
        """Append the end, for which the last finish reason counts."""
        ending = self._ending
        if self.ended is None:
            ending.src = self._start
        if self.ended is None or self._continued:
            self._close(out)
            ending = terminal(ending.src, self._turn)
        out.append(events.Ended(ending, self.number))

    def _close(self, out: list[events.Event]) -> None:
        """Close the open part and calls."""
        if self._kind == CONTENT and self.sources.listed:  # not before: the last chunk may have more of them
            out += [self._citing(one) for one in self.sources.citations()]
        self._interrupt(out)
        self._calls.finish(out)
        if self._signature is not None:
            self._seal(out)

    def may_end(self) -> bool:
        """Return whether the choice may end without a finish reason: something was answered, and no call is cut off."""
        return self._calls.may_end() and any(map(answers, self._turn.parts))

    def _delta(self, delta: Object, out: list[events.Event]) -> None:
        role = delta.get("role") or None  # some servers send "" for none
        if role is not None and role != "assistant":
            raise wrong(delta, "role", "'assistant'", "STR-5")
        calls = read_heads(delta)
        self._begun, self.repeats_role = True, role is not None
        known, kept, more = set(DELTA_KEYS), dict[str, Any](), not MOST_KEYS.issuperset(delta)
        if more:
            self._reasoning(delta, known, out)
        self._content(delta, kept, out)
        self._refusal(delta, kept, out)
        if more:
            self._audio(delta, kept, out)
            for image in streamed_images(delta, known) if "images" in delta else ():
                self._interrupt(out)
                out.append(events.PartClosed(self._next(image, out)))
        self._calls.read(calls, out)
        if more:
            self._calls.read_legacy(delta, kept, out)
            self._annotations(delta, kept, out)
            self._signed(delta, known, kept, out)
            kept = {**(rest(delta, known) or {}), **kept}
        if self._signature is not None and self._kind == CONTENT:
            self._seal(out)
        if role is None and delta.get("role") is not None:
            kept["role"] = delta["role"]
        if kept:
            out.append(events.UnmappedFields("Delta", ir.Extra(kept), self.number, delta))

    def _signed(self, delta: Object, known: set[str], kept: Object, out: list[events.Event]) -> None:
        """Note the signature of the text, which may come before it."""
        signed = reasoning.read_signature(delta)
        if signed is not None:
            if self._signature is not None and self._signature[0] != signed.seal:
                out.append(reasoning.lost_signature("Delta", self.number, self._signature[1][0]))
            self._signature = (signed.seal, (delta, next(iter(signed.members))))
            known.update(signed.members)
            kept |= {member: rest.fields for member, rest in signed.members.items() if rest is not None}

    def _seal(self, out: list[events.Event]) -> None:
        assert self._signature is not None
        (seal, src), self._signature = self._signature, None
        if self._kind == CONTENT:
            self._sealed(seal, src[0], reasoning.lost_signature("Delta", self.number, src[0]), out)
        else:
            index = self._next(ir.Reasoning(None, seal, src), out)
            out.append(events.PartClosed(index))

    def _sealed(self, seal: ir.Seal, src: Any, lost: events.UnmappedFields, out: list[events.Event]) -> None:
        """Append the signature of the open part, and before it the loss of another that the part had."""
        out += self._signed_parts.note(self._open, seal, lost)
        out.append(events.PartSealed(self._open, seal, src))

    def _lost(self, seal: ir.Seal, piece: Any) -> events.UnmappedFields:
        """Return the event of the loss of the signature that a piece of reasoning has."""
        return events.UnmappedFields("Piece", ir.Extra({"signature": seal.data}), self.number, piece)

    # --- text in its several forms ------------------------------------------------------------------------------------

    def _grow(self, kind: tuple[str, ...], text: str, make: Callable[[str], ir.Part], out: list[events.Event]) -> None:
        """Append more of the open part if it is of this kind, else a new part."""
        if self._kind == kind:
            out.append(events.PartGrew(self._open, text))
            return
        self._interrupt(out)
        self._begin(kind, make(text), out)

    def _begin(self, kind: tuple[str, ...], part: ir.Part, out: list[events.Event]) -> None:
        self._open, self._kind = self._next(part, out), kind
        if kind == CONTENT:
            self._cited, self._begins_at = self._open, self.length

    def _next(self, part: ir.Part, out: list[events.Event]) -> int:
        index = next(self._indexes)
        self._turn.parts.append(part)
        out.append(events.PartOpened(index, part, self.number))
        return index

    def _begin_call(self, part: ir.Part, out: list[events.Event]) -> int:
        self._interrupt(out)
        return self._next(part, out)

    def _interrupt(self, out: list[events.Event]) -> None:
        """Close the open text, and the calls whose arguments are complete: something else begins."""
        if self._kind is not None:
            text = self._content_text.take() if self._kind == CONTENT else None
            out.append(events.PartClosed(self._open, text))
            self._kind = None
        self._calls.interrupt(out)

    def _reasoning(self, delta: Object, known: set[str], out: list[events.Event]) -> None:
        texts = reasoning.texts_of(delta)
        details = reasoning.read_details(delta)
        if details and texts and all(detail.key is None for detail in details):
            self._plain(delta, texts, known, out)  # what the details seal
            texts = {}
        written = "".join([self._detail(one, out) for one in details])
        if written:
            known.update(key for key, text in texts.items() if text == written)
        elif texts:
            self._plain(delta, texts, known, out)

    def _plain(self, delta: Object, texts: dict[str, str], known: set[str], out: list[events.Event]) -> None:
        """Append reasoning that is text alone, under one name or several."""
        first, *others = texts
        members = (first, *(key for key in others if texts[key] == texts[first]))
        known.update(members)
        src = (delta, first)
        self._grow(members, texts[first], lambda text: ir.Reasoning(text, None, src), out)

    def _detail(self, detail: reasoning.Detail, out: list[events.Event]) -> str:
        """Append the events of a detail, whose signature belongs to the text before it, and return its text."""

        def make(text: str) -> ir.Part:
            return ir.Reasoning(text, None, detail.src, None, detail.summary or None)

        if detail.key is None:
            self._interrupt(out)
            self._begin((reasoning.DETAILS,), ir.Reasoning(None, detail.seal, detail.src), out)
            return ""
        kind = (reasoning.DETAILS, *map(repr, detail.key))
        if detail.text or (detail.seal is not None and kind not in self._details):
            self._details.add(kind)  # a signature alone seals thinking that is not shown
            self._grow(kind, detail.text, make, out)
        if detail.seal is not None and self._kind == kind:
            self._sealed(detail.seal, detail.src, self._lost(detail.seal, detail.src), out)
            if detail.key == (reasoning.BLOCKS,):  # whose entries have no index: a signature ends each
                self._interrupt(out)
                self._details.discard(kind)
        elif detail.seal is not None:
            out.append(self._lost(detail.seal, detail.src))
        return detail.text

    def _content(self, delta: Object, kept: Object, out: list[events.Event]) -> None:
        content = delta.get("content")
        if type(content) is str and content:
            self._text(content, (delta, "content"), out)
        elif content == "":
            kept["content"] = content
        elif isinstance(content, list):
            for index in range(len(content)):
                if not self._piece(an_object(content, index), out):
                    kept["content"] = content
        elif isinstance(content, dict):
            self._text(json_text(delta, "content"), (delta, "content"), out)
            kept["content"] = content
        elif content is not None:
            raise wrong(delta, "content", "a string or an array of parts")

    def _text(self, text: str, src: Any, out: list[events.Event]) -> None:
        self.sources.follow(text, begins=self._cited < 0)
        self._content_text.note(text)
        self._grow(CONTENT, text, lambda text: ir.Text(text, None, None, src), out)
        self.length += len(text)

    def _piece(self, piece: Object, out: list[events.Event]) -> bool:
        """Append a part of the content, text or thinking as Mistral writes it; return False if the content must be
        kept."""
        kind = piece.get("type")
        more: Object | None
        if kind == "text" and isinstance(piece.get("text"), str):
            more = rest(piece, {"type", "text"})
            if piece["text"]:
                self._text(piece["text"], piece, out)
        elif kind in ("thinking", "reasoning") and isinstance(part := _thought(piece), ir.Reasoning):
            more = None if part.extra is None else part.extra.fields
            if part.text or part.seal is not None:
                begun = ir.Reasoning(part.text or "", None, piece, None, part.summary)
                self._grow(CONTENT_PART, begun.text or "", lambda _: begun, out)
            if part.seal is not None:
                self._sealed(part.seal, piece, self._lost(part.seal, piece), out)
        else:
            return False
        if more:
            out.append(events.UnmappedFields("Piece", ir.Extra(more), self.number, piece))
        return True

    def _refusal(self, delta: Object, kept: Object, out: list[events.Event]) -> None:
        refusal = optional(delta, "refusal", str)
        if refusal:
            src = (delta, "refusal")
            self._grow(REFUSAL, refusal, lambda text: ir.Refusal(text, src), out)
        elif refusal is not None:
            kept["refusal"] = refusal

    def _audio(self, delta: Object, kept: Object, out: list[events.Event]) -> None:
        audio = optional(delta, "audio", dict)
        if not audio:
            return
        identity, data, transcript, expires = read_audio(audio)
        if self._kind != AUDIO:
            self._interrupt(out)
            source = ir.Inline("", None, audio if data is None else (audio, "data"))
            part = ir.Audio(source, "", identity, None, None, audio)
            self._begin(AUDIO, part, out)
        if transcript:
            out.append(events.PartGrew(self._open, transcript))
        if data is not None or expires is not None:
            out.append(events.MediaGrew(self._open, data or "", expires))
        unknown = rest(audio, AUDIO_KEYS)
        if unknown is not None:
            kept["audio"] = unknown

    def _annotations(self, delta: Object, kept: Object, out: list[events.Event]) -> None:
        notes = optional(delta, "annotations", list)
        if not notes:
            return
        citations = read_citations(notes)
        late = self._kind != CONTENT
        pages = [one for one in citations if isinstance(one, ir.UrlCitation)]
        placed = all(one.start is not None and one.end is not None for one in pages)
        if len(citations) == len(notes) and (not late or (self._cited >= 0 and placed)):
            out += map(self._citing, citations)
        else:
            kept["annotations"] = notes

    def _citing(self, one: ir.Citation) -> events.Event:
        """Return the event of a citation; the wire's offsets count all of the content, the IR's the text (CIT-1)."""
        if isinstance(one, ir.UrlCitation):
            one.start = None if one.start is None else one.start - self._begins_at
            one.end = None if one.end is None else one.end - self._begins_at
        return events.PartCited(self._cited, one)


def _has_content(delta: Object) -> bool:
    return any(value not in (None, "", []) for key, value in delta.items() if key != "role")
