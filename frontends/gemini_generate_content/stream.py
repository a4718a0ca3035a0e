"""A stream of generateContent into the IR: each chunk is a response that has what is new (STR-2).

Rule 1: a text goes on with the next text of its kind; a signature, or anything else, ends it. Rule 2: the stream is
over when the bytes are, if each candidate has its finish reason by then. Rule 3: usage is that so far, so that the last
report counts. Rule 4: for its own protocol (`faithful`) each part of a chunk is one PartOpened, or one PartGrew of a
text, with what belongs to it, and `UnmappedFields("Chunk", …)` has the rest of the chunk, where each part has an object
with the members that no event has; what is derived from other members has no part there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, field

from proxai_ir.diagnostics import Refusal
from proxai_ir.ir import parts as ir
from proxai_ir.ir.node import Extra
from proxai_ir.ir.terminal import fitted_reason
from proxai_ir.streaming import events
from proxai_ir.wire import gemini_generate_content as wire

from .._lib.reading import Json, Object, an_object, each, extra_fields, optional, wrong
from .error import lower_error
from .grounding import cite, searched
from .ids import CallIds, key_of
from .names import canonical
from .parts import compact, read_part
from .response import (
    CANDIDATE_KEYS,
    blocked_prompt,
    envelope,
    logprobs,
    read_usage,
    terminal,
    tier_of,
)

SOURCES = ("groundingMetadata", "citationMetadata")
TEXTS = (ir.Text, ir.Reasoning)
TEXT_MEMBERS = frozenset({"text", "thought", "thoughtSignature"})
CHUNK = frozenset({"candidates", "usageMetadata", "modelVersion", "responseId"})
DELTA = frozenset({"content", "index"})


@define
class State:
    """One candidate so far.

    open     the index of the text that is open, -1 where none is; `kind` is its class, None where no text joins it
    texts    all texts that sources may be of: by the number of the part its index and its pieces
    sources  the last of what it rests on
    classes  of its parts
    """

    number: int
    ids: CallIds
    count: int = 0
    open: int = -1
    kind: type | None = None
    texts: dict[int, tuple[int, list[str]]] = field(factory=dict)
    sources: Object = field(factory=dict)
    classes: set[type] = field(factory=set)
    ended: bool = False

    def add(self, text: str) -> None:
        """More of the last part, if that is text."""
        if self.count - 1 in self.texts:
            self.texts[self.count - 1][1].append(text)


class Reader:
    def __init__(self, options: Mapping[str, Any]) -> None:
        self._faithful = bool(options.get("faithful"))
        self._head: Object | None = None  # the members that all chunks repeat
        self._key = ""
        self._tier: str | None = None  # that of the first chunk
        self._failed = False
        self._count = 0  # of parts
        self._states: dict[int, State] = {}
        self._usage: Object | None = None  # the last, while it has not been reported

    # --- chunks -------------------------------------------------------------------------------------------------------

    def text_delta(self, event: Json, part: int) -> str | None:
        """Most chunks hold a piece of a text, and the usage so far."""
        try:
            (candidate,) = event["candidates"]
            (piece,) = candidate["content"]["parts"]
            text = piece["text"]
            state = self._states[candidate.get("index", 0)]
            if (
                part == state.open >= 0
                and state.kind is not None
                and text.__class__ is str
                and piece.keys() == ({"text"} if state.kind is ir.Text else {"text", "thought"})
                and piece.get("thought", True) is True
                and candidate["content"].get("role") == wire.MODEL
                and len(candidate["content"]) == 2
                and DELTA.issuperset(candidate)
                and CHUNK.issuperset(event)
                and self._repeats(event)
                and event.get("usageMetadata", {}).__class__ is dict
            ):
                self._usage = event.get("usageMetadata", self._usage)
                state.add(text)
                return text or None
        except (AttributeError, KeyError, TypeError, ValueError):
            pass
        return None

    def _repeats(self, event: Object) -> bool:
        head = self._head or {}
        return all(event.get(key, value) == value for key, value in head.items())

    def feed(self, event: Json) -> list[events.Event]:
        if not isinstance(event, dict):
            raise Refusal("SHP-1", None, f"expected an object as the event, found {type(event).__name__}")
        if event.get("error") is not None and event.get("candidates") is None:
            self._failed = True
            return [events.Failed(lower_error(event))]
        body, forms = canonical(event, "Response")
        found, rest = self._begun(body)
        candidates = optional(body, "candidates", list) or []
        read = each(range(len(candidates)), lambda index: self._candidate(an_object(candidates, index)))
        for emitted, _ in read:
            found += emitted
        found += self._blocked(body)
        found += self._counted(body)
        if not self._faithful:
            return found
        chunk = {**rest, "candidates": [kept for _, kept in read]} if "candidates" in body else rest
        return [*found, events.UnmappedFields("Chunk", Extra(chunk, forms), src=event)]

    def close(self) -> list[events.Event]:
        states = self._states.values()
        if self._failed or not states or not all(state.ended for state in states):
            return []  # cut off (STR-2)
        return [*self._reported(), events.Completed()]

    def _begun(self, body: Object) -> tuple[list[events.Event], Object]:
        """What the envelope of a chunk adds, and what of it a restorer needs besides."""
        response = envelope(body)
        if self._head is None:
            self._head = {key: body[key] for key in ("responseId", "modelVersion") if body.get(key) is not None}
            self._key = key_of(body)
            if not self._faithful:
                self._tier = tier_of(optional(body, "usageMetadata", dict) or {})
            rest = {key: body[key] for key in body if key not in CHUNK}
            return [events.Started(response)], rest
        found: list[events.Event] = []
        if response.extra is not None and not self._faithful:
            found.append(events.UnmappedFields("Response", response.extra, src=body))
        changed = {key: body[key] for key, value in self._head.items() if body.get(key, value) not in (value, None)}
        if changed and not self._faithful:
            found.append(events.UnmappedFields("Changed", Extra(changed), src=body))
        return found, {key: value for key, value in body.items() if key not in ("candidates", "usageMetadata")}

    # --- candidates ---------------------------------------------------------------------------------------------------

    def _candidate(self, candidate: Object) -> tuple[list[events.Event], Object]:
        """The events of a candidate, and its members that no event has."""
        state = self._state(optional(candidate, "index", int) or 0)
        content = optional(candidate, "content", dict) or {}
        if optional(content, "role", str) not in (None, "", wire.MODEL):
            raise wrong(content, "role", f"'{wire.MODEL}'", "SHP-3")
        given = optional(content, "parts", list) or []
        if state.ended and (given or any(candidate.get(key) for key in SOURCES)):
            raise Refusal("STR-9", candidate, "content after the finish reason")
        found: list[events.Event] = []
        kept = {key: value for key, value in candidate.items() if key not in ("finishReason", "finishMessage")}
        scores = optional(candidate, "logprobsResult", dict)
        if scores is not None:
            made, _ = logprobs(scores)
            if made is not None and not self._faithful:
                found.append(events.Scored(made, state.number, candidate))
        left: list[Object] = []
        for index in range(len(given)):
            emitted, member = self._part(state, an_object(given, index))
            found += emitted
            left.append(member)
        if given:
            kept["content"] = {**content, "parts": left}
        state.sources |= {key: candidate[key] for key in SOURCES if candidate.get(key)}
        return [*found, *self._beside(candidate, state), *self._ended(candidate, state)], kept

    def _state(self, number: int) -> State:
        if number < 0:
            raise Refusal("SHP-3", None, "expected an index of at least 0 as the `index` of a candidate")
        return self._states.setdefault(number, State(number, CallIds(self._key, number)))

    def _beside(self, candidate: Object, state: State) -> list[events.Event]:
        """Members that no event has; scores are reported with the text."""
        if self._faithful:
            return []
        extra = extra_fields(candidate, CANDIDATE_KEYS)
        return [] if extra is None else [events.UnmappedFields("Candidate", extra, state.number, candidate)]

    def _ended(self, candidate: Object, state: State) -> list[events.Event]:
        word = optional(candidate, "finishReason", str)
        if word is None or word == wire.NO_REASON or state.ended:
            if word not in (None, wire.NO_REASON):
                raise Refusal("STR-9", (candidate, "finishReason"), "a second finish reason")
            return []
        ending = terminal(candidate)
        ending.reason = fitted_reason(ending.reason, ir.FunctionCall in state.classes)
        state.ended = True
        cited = self._cited(state)
        return [*cited, *self._closed(state), *self._searched(state), events.Ended(ending, state.number)]

    def _blocked(self, body: Object) -> list[events.Event]:
        """The prompt was blocked, which ends the response."""
        blocked = None if body.get("candidates") else blocked_prompt(body)
        if blocked is None:
            return []
        state = self._state(0)
        if state.ended:
            raise Refusal("STR-9", (body, "promptFeedback"), "a block reason after the finish reason")
        state.ended = True
        return [*self._closed(state), events.Ended(blocked.terminal, 0)]

    # --- parts --------------------------------------------------------------------------------------------------------

    def _part(self, state: State, given: Object) -> tuple[list[events.Event], Object]:
        """The events of a part, and its members that no event has."""
        part = read_part(given)
        plain = isinstance(part, TEXTS) and TEXT_MEMBERS.issuperset(given)
        if not isinstance(part, TEXTS) or not plain:
            return self._whole(state, part), {}
        text, seal = part.text or "", part.seal
        part.seal = None
        kept = {key: value for key, value in given.items() if key != "thoughtSignature" and (key != "text" or not text)}
        found: list[events.Event]
        if state.kind is type(part):
            found = [events.PartGrew(state.open, text)] if text or self._faithful else []
        elif not text and seal is None and not self._faithful:  # the last chunk often has an empty text
            return [], kept
        else:
            found = self._closed(state)
            state.open, state.kind, part.extra = self._next(state, part), type(part), None
            found.append(events.PartOpened(state.open, part, state.number))
        state.add(text)
        if seal is not None:
            found.append(events.PartSealed(state.open, seal, given))
            state.kind = None
        return found, kept

    def _whole(self, state: State, part: ir.Part) -> list[events.Event]:
        """A part that comes as a whole; the arguments of a call are text in streams."""
        found = self._closed(state)
        state.ids.give(part)
        index = self._next(state, part)
        found.append(events.PartOpened(index, part, state.number))
        if isinstance(part, ir.FunctionCall):
            arguments, part.arguments = compact({"args": part.arguments}, "args"), ""
            found.append(events.PartGrew(index, arguments))
        if isinstance(part, ir.Text):
            state.add(part.text)
        return [*found, events.PartClosed(index)]

    def _next(self, state: State, part: ir.Part) -> int:
        """The index of a new part."""
        state.classes.add(type(part))
        if isinstance(part, ir.Text):
            state.texts[state.count] = (self._count, [])
        state.count += 1
        self._count += 1
        return self._count - 1

    def _closed(self, state: State) -> list[events.Event]:
        """The text that was open is over."""
        if state.open < 0:
            return []
        index, state.open, state.kind = state.open, -1, None
        return [events.PartClosed(index)]

    def _cited(self, state: State) -> list[events.Event]:
        """What the texts rest on."""
        texts = [(at, "".join(pieces)) for at, (_, pieces) in state.texts.items()]
        return [events.PartCited(state.texts[at][0], citation) for at, citation in cite(state.sources, texts)]

    def _searched(self, state: State) -> list[events.Event]:
        """The search that the candidate reports apart from its content."""
        found: list[events.Event] = []
        for part in [] if ir.WebSearchCall in state.classes else searched(state.sources, state.ids.search):
            index = self._next(state, part)
            found += [events.PartOpened(index, part, state.number), events.PartClosed(index)]
        return found

    # --- usage --------------------------------------------------------------------------------------------------------

    def _counted(self, body: Object) -> list[events.Event]:
        """Usage counts once a candidate has ended; what came before counts where nothing follows."""
        usage = optional(body, "usageMetadata", dict)
        if usage is not None:
            self._usage = usage
        ended = any(state.ended for state in self._states.values())
        return self._reported(not ended) if ended or self._faithful else []

    def _reported(self, provisional: bool = False) -> list[events.Event]:
        usage, self._usage = self._usage, None
        return [] if usage is None else [events.UsageReported(read_usage(usage, self._tier), provisional)]
