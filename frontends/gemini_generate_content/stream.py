"""A stream of generateContent into the IR: each chunk is a response that has what is new (STR-2).

Rule 1: a text goes on with the next text of its kind; a signature, or anything else, ends it. Rule 2: the stream is
over when the bytes are, if each candidate has its finish reason by then; the last one counts. Rule 3: usage is that so
far, so that the last report of each count counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from itertools import count
from typing import Any

from proxai_ir.ir.error import stands_for_error
from proxai_ir.ir.node import Extra
from proxai_ir.ir.parts import Reasoning, Text, WebSearchResult
from proxai_ir.ir.stream import events
from proxai_ir.ir.usage import Usage
from proxai_ir.json.pointer import Respelled
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import gemini_generate_content as wire
from proxai_ir.wire import google

from .._lib.reading import Json, Object, an_object, kept, optional, wrong
from .error import lower_error
from .grounding import marked
from .ids import CallIds, key_of
from .names import canonical, canonical_response
from .parts import CONTENT, FUNCTION_CALL, read_role
from .response import (
    CANDIDATE,
    CANDIDATE_KEYS,
    ENDING,
    USAGE,
    blocked_prompt,
    envelope,
    logprobs,
    read_usage,
    terminal,
    tier_of,
)
from .stream_parts import CandidateParts

COUNTED = dict(zip(wire.TOKENS.counts[:-1], google.COUNTED, strict=False))
LARGEST = 2**31  # of 32 bits
CHUNK = frozenset({"candidates", "usageMetadata", "modelVersion", "responseId"})
REPEATED = CHUNK | {"createTime"}
DELTA = frozenset({"content", "index"})
PIECE: dict[type | None, int] = {Text: 1, Reasoning: 2}
"""How many members a piece of a text has: the text, and that it is a thought."""


class Reader:
    def __init__(self, _: Mapping[str, Any]) -> None:
        self._begun = False
        self._id: str | None = None  # and the model, which all chunks repeat
        self._model: str | None = None
        self._key = ""
        self._tier: str | None = None  # that of the first chunk
        self._failed = False
        self._indices = count()  # of parts
        self._states: dict[int, CandidateParts] = {}
        self._ended_one = False  # of the candidates
        self._usage: Object | None = None  # the last, while it has not been reported
        self._first: Object | None = None  # that of the first chunk, while only its counts have been reported
        self._members: Set[str] = frozenset()  # those of it
        self._counts: Object = {}  # the last of each count
        self._named: set[str] = set()  # unknown members of it

    # --- chunks -------------------------------------------------------------------------------------------------------

    def text_delta(self, event: Json, part: int) -> str | None:
        """Most chunks hold a piece of a text, and the usage so far."""
        try:
            (candidate,) = event["candidates"]
            content = candidate["content"]
            (piece,) = content["parts"]
            text = piece["text"]
            state = self._states[candidate.get("index", 0)]
            get = event.get
            usage = get("usageMetadata", self._usage)
            if (
                part == state.open >= 0
                and len(piece) == PIECE[state.kind]
                and (state.kind is Text or piece["thought"] is True)
                and text.__class__ is str
                and text
                and content["role"] == wire.MODEL
                and len(content) == 2
                and DELTA.issuperset(candidate)
                and REPEATED.issuperset(event)
                and get("responseId", self._id) == self._id
                and get("modelVersion", self._model) == self._model
                and (usage is self._usage or usage.keys() == self._members)
            ):
                self._usage = usage
                state.add(text)
                return text
        except (AttributeError, KeyError, TypeError, ValueError):
            pass
        return None

    def feed(self, event: Json) -> list[events.Event]:
        if not isinstance(event, dict):
            raise Refusal("SHP-1", None, f"expected an object as the event, found {type(event).__name__}")
        if event.get("candidates") is None and stands_for_error(event):
            self._failed = True
            return [events.Failed(lower_error(event))]
        body = canonical_response(event)
        candidates = optional(body, "candidates", list) or []
        for index in range(len(candidates)):
            check_facts(an_object(candidates, index))
        found = self._envelope(body)
        for index in range(len(candidates)):
            found += self._candidate(an_object(candidates, index))
        return [*found, *self._blocked(body), *self._counted(body)]

    def close(self) -> list[events.Event]:
        states = self._states.values()
        if self._failed or not states or not all(state.ending for state in states):
            return []  # cut off (STR-2)
        ended = [event for state in states for event in state.end()]
        return [*ended, *self._reported(), events.Completed()]

    def _envelope(self, body: Object) -> list[events.Event]:
        """What the envelope of a chunk adds."""
        response = envelope(body)
        if not self._begun:
            usage = optional(body, "usageMetadata", dict)
            if usage:
                self._tier = tier_of(usage)
                response.usage = counted(usage)
            self._begun, self._id, self._model = True, response.id, optional(body, "modelVersion", str)
            self._key = key_of(body)
            return [events.Started(response)]
        found: list[events.Event] = []
        if response.extra is not None and response.extra.fields != {"modelVersion": self._model}:
            found.append(events.UnmappedFields("Response", response.extra, src=body))
        known = {"responseId": self._id, "modelVersion": self._model}
        changed = {key: body[key] for key, value in known.items() if body.get(key) not in (value, None)}
        if changed:
            found.append(events.UnmappedFields("Changed", Extra(changed), src=body))
        return found

    # --- candidates ---------------------------------------------------------------------------------------------------

    def _candidate(self, candidate: Object) -> list[events.Event]:
        index = optional(candidate, "index", int) or 0
        if not 0 <= index < LARGEST:
            raise wrong(candidate, "index", f"a number from 0 to {LARGEST - 1}", "SHP-3")
        state = self._state(index)
        content = optional(candidate, "content", dict) or {}
        given = optional(content, "parts", list) or []
        sources = {key: candidate[key] for key in wire.SOURCES if candidate.get(key)}
        found = state.not_last() if given or sources else []
        scores = optional(candidate, "logprobsResult", dict)
        if scores is not None:
            made, _ = logprobs(scores)
            if made is not None:
                found.append(events.Scored(made, state.number, candidate))
        unknown = kept(content, CONTENT)
        if unknown is not None:
            found.append(events.UnmappedFields("Turn", unknown, state.number, content))
        for index in range(len(given)):
            found += state.part(an_object(given, index))
        state.sources |= sources
        return [*found, *self._beside(candidate, state), *self._ended(candidate, state, bool(sources))]

    def _state(self, number: int) -> CandidateParts:
        if number not in self._states:
            ids = CallIds(self._key, number)
            self._states[number] = CandidateParts(number, ids, self._indices)
        return self._states[number]

    def _beside(self, candidate: Object, state: CandidateParts) -> list[events.Event]:
        """Members that no event has; scores are reported with the text. The whole has the last of each."""
        extra = marked(kept(candidate, CANDIDATE_KEYS), WebSearchResult in state.classes)
        return [] if extra is None else [events.UnmappedFields("Candidate", extra, state.number, candidate)]

    def _ended(self, candidate: Object, state: CandidateParts, late: bool) -> list[events.Event]:
        """The finish reason, which more may follow; `late`: so do sources, if there has been one."""
        word = optional(candidate, "finishReason", str)
        if word is None or word == wire.NO_REASON:
            return [events.Ending(state.ending, state.number)] if late and state.ending is not None else []
        ending = terminal(candidate)
        before = state.ending
        found = [] if before is None or before.raw == word else state.not_last()
        self._ended_one = True
        state.ending = ending
        state.check_whole(ending.reason)
        if state.sources and not state.classes:  # the search is all that there is, and comes with the end
            return found
        return [*found, events.Ending(ending, state.number)]

    def _blocked(self, body: Object) -> list[events.Event]:
        """The prompt was blocked, which ends the response."""
        blocked = None if body.get("candidates") else blocked_prompt(body)
        if blocked is None:
            return []
        state = self._state(0)
        if state.ending is not None:
            raise Refusal("STR-9", (body, "promptFeedback"), "a block reason after the finish reason")
        state.ending, self._ended_one = blocked.terminal, True
        return [events.Ending(blocked.terminal, 0)]

    # --- usage --------------------------------------------------------------------------------------------------------

    def _counted(self, body: Object) -> list[events.Event]:
        """Usage counts once a candidate has ended; what came before counts where nothing follows.

        Some servers report a count in an earlier chunk only.
        """
        usage = optional(body, "usageMetadata", dict)
        if usage is None:
            return self._reported() if self._ended_one else []
        before, last, self._usage = self._members, self._usage, usage
        self._members = body["usageMetadata"].keys()
        if last is not None and not before <= self._members:  # the fast way has not noted its counts
            last = canonical(last, "UsageMetadata")
            self._counts |= {key: last[key] for key in COUNTED if key in last}
        if self._ended_one:
            return self._reported()
        self._counts |= {key: usage[key] for key in COUNTED if key in usage}
        new = self._members - before - set(wire.TOKENS.counts)  # what is no count has to be reported where it stands
        if not new:
            return []
        if not before and new <= USAGE.known:  # which the last report has again, as a rule
            self._first = usage
            return []
        return self._more_of(usage)

    def _more_of(self, usage: Object) -> list[events.Event]:
        """What a report has beside its counts, which the last one has."""
        read = self._so_far(usage)
        read.input = read.cache_read = read.output = read.reasoning = None
        return [events.UsageReported(read)]

    def _reported(self) -> list[events.Event]:
        usage, self._usage = self._usage, None
        if usage is None:
            return []
        usage = canonical(usage, "UsageMetadata")  # the fast way knows no spellings
        last = events.UsageReported(self._read(usage))
        first, self._first = self._first, None
        return [last] if first is None or first.keys() <= usage.keys() else [*self._more_of(first), last]

    def _so_far(self, usage: Object) -> Usage:
        """Usage that is not the last: what they add up to is not known yet."""
        read = self._read(usage)
        read.total = None
        if read.extra is not None and read.extra.fields:
            unknown = {key: value for key, value in read.extra.fields.items() if key not in USAGE.known}
            read.extra = Extra(unknown or None)
        return read

    def _read(self, usage: Object) -> Usage:
        """The last of each count; an unknown member is named with the first report that has it."""
        missing = {key: optional(self._counts, key, int) for key in self._counts if key not in usage}
        self._counts |= {key: usage[key] for key in COUNTED if key in usage}
        read = read_usage(Respelled({**missing, **usage}, usage, {}) if missing else usage, self._tier)
        for key in missing:  # the earlier report has its detail
            (read.details or {}).pop(COUNTED[key], None)
        if read.extra is not None and read.extra.fields:
            new = {key: value for key, value in read.extra.fields.items() if key not in self._named}
            self._named.update(new.keys() - USAGE.known)
            read.extra = Extra(new or None)
        return read


def check_facts(candidate: Object) -> None:
    """Refuse a candidate for a fact of a wrong type, before anything of its content is taken in (ENV-15)."""
    _, content, _ = CANDIDATE(candidate)
    ENDING(candidate)
    for part in (content and optional(content, "parts", list)) or ():
        if isinstance(part, dict) and isinstance(part.get("functionCall"), dict):
            FUNCTION_CALL(part["functionCall"])
    if content:
        read_role(content, wire.MODEL_ROLE, wire.MODEL)


def counted(usage: Object) -> Usage:
    """The counts at the beginning; all else of a report is read where it is the last one, or has it alone."""
    prompt, cached, tools, output, reasoning, _ = USAGE.counts(usage)
    known = None if prompt is None and tools is None else max((prompt or 0) - (cached or 0), 0) + (tools or 0)
    made = Usage(known, cached)
    made.output, made.reasoning = output, reasoning
    return made
