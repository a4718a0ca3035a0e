"""Reads the events of a stream of generateContent, one at a time: the frame of the response, and its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from functools import partial
from itertools import count, pairwise
from typing import Any

from attrs import field

from proxai_ir import ir
from proxai_ir.ir.error import stands_for_error
from proxai_ir.ir.response import END, StopReason, Terminal, Usage
from proxai_ir.ir.stream import events
from proxai_ir.ir.stream.interfaces import StreamReader
from proxai_ir.json.classes import define
from proxai_ir.json.pointer import Respelled
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import gemini_generate_content as wire
from proxai_ir.wire import google
from proxai_ir.wire.gemini_generate_content_structure import SHAPES

from .._lib.reading import (
    Json,
    Object,
    an_object,
    each_object,
    extra_fields,
    kept,
    number,
    optional,
    reader,
    required,
    wrong,
)
from . import response as responses
from .names import canonical, canonical_response
from .parts import CONTENT, FUNCTION_CALL, CallIds, compact, data_of, key_of, read_part, read_role, signature_alone

# --- stream parts -----------------------------------------------------------------------------------------------------
# The parts of a candidate of a stream: texts that grow, calls whose arguments come in pieces, and complete parts.
#
# The arguments of a call may come in pieces, each with the place of a value in them (`partialArgs`); the call is read
# when it is complete.

TEXTS = (ir.Text, ir.Reasoning)
TEXT_MEMBERS = frozenset({"text", "thought", "thoughtSignature"})
ARGUMENTS = frozenset({"args", "partialArgs", "willContinue"})
CALL_KEYS = ARGUMENTS | {"name", "id"}


@define
class PartialCall:
    """A call that is not complete yet.

    first   the part that began it
    part    the members of that part, and a signature that came later
    call    the members of its call, without the arguments
    args    the arguments so far that came complete
    pieces  the arguments so far that came in pieces
    """

    first: Object
    part: Object
    call: Object
    args: Object = field(factory=dict)
    pieces: Object = field(factory=dict)

    def add(self, given: Object, call: Object) -> Object:
        """Take in one more piece, and return its members that the call has no place for."""
        for key in ("name", "id"):
            value = optional(call, key, str)
            if value and self.call.get(key) in (None, ""):
                self.call[key] = value
            elif value and self.call[key] != value:
                raise Refusal("STR-9", (call, key), "a new call, while the arguments of the last one are not complete")
        if signed := optional(given, "thoughtSignature", str):
            self.part.setdefault("thoughtSignature", signed)
        inner = {key: call[key] for key in call if key not in CALL_KEYS and call[key] != self.call.get(key)}
        left = {key: given[key] for key in given if key != "functionCall" and given[key] != self.part.get(key)}
        return {**left, "functionCall": inner} if inner else left

    def add_arguments(self, call: Object) -> list[tuple[Object, ir.Extra]]:
        """Take in the arguments of a piece, which replace none before them; return the unknown members of its
        values."""
        for key, value in (optional(call, "args", dict) or {}).items():
            if self.args.setdefault(key, value) != value:
                raise Refusal("SHP-4", (call, "args", key), NO_FIT)
        placed = each_object(optional(call, "partialArgs", list) or [], partial(_put, self.pieces))
        return [(value, unknown) for value in placed if (unknown := extra_fields(value, VALUE_KEYS)) is not None]

    def complete(self) -> Object:
        """Return the complete call as a part; a value that came both ways must be the same."""
        for key, value in self.args.items():
            if self.pieces.setdefault(key, value) != value:
                raise Refusal("SHP-4", (self.first, "functionCall"), NO_FIT)
        return {**self.part, "functionCall": {**self.call, "args": self.pieces}}


@define
class CandidateParts:
    """One candidate so far.

    indices  the indices of parts in the stream, which all candidates take from
    open     the index of the open text, -1 if there is none; `kind` is its class, None if no text may extend it
    texts    the texts that may have sources: the index and the pieces of each, by the number of the part
    pieces   the pieces of the last part, if it is such a text
    sources  the last report of its sources
    classes  the classes of its parts
    ending   the last finish reason; `continued` is whether it was reported that more follows one
    """

    number: int
    ids: CallIds
    indices: Iterator[int]
    count: int = 0
    open: int = -1
    kind: type | None = None
    texts: dict[int, tuple[int, list[str]]] = field(factory=dict)
    pieces: list[str] | None = None
    sources: Object = field(factory=dict)
    classes: set[type] = field(factory=set)
    calling: PartialCall | None = None
    ending: Terminal | None = None
    blank: bool = True  # whether the open text has no text so far
    continued: bool = False

    def add(self, text: str) -> None:
        """Note more text of the last part, if that is a text."""
        self.blank = self.blank and not text
        if self.pieces is not None:
            self.pieces.append(text)

    def part(self, given: Object) -> list[events.Event]:
        call = given.get("functionCall")
        if isinstance(call, dict) and (call.get("partialArgs") or call.get("willContinue") or self.calling is not None):
            return self._piece(given, call)
        part = read_part(given)
        if not isinstance(part, TEXTS) or not TEXT_MEMBERS.issuperset(given):
            return self._complete(part)
        text, seal = part.text or "", part.seal
        part.seal = None
        found: list[events.Event]
        alone = seal is not None and not text and self.blank  # there is no text that it could be the signature of
        if self.kind is type(part) and not alone:
            found = [events.PartGrew(self.open, text)] if text else []
        elif not text and seal is None:  # the last chunk often has an empty text
            return self.closed()  # as in the IR, where it is a part between two others
        else:
            found = self.closed()
            if seal is not None and not text and type(part) is ir.Text:  # of what stands with it (RSN-28)
                part = signature_alone(seal, given)
                index = self._next(part)
                return [*found, events.PartOpened(index, part, self.number), events.PartClosed(index)]
            self.open, self.kind, part.extra, self.blank = self._next(part), type(part), None, True
            found.append(events.PartOpened(self.open, part, self.number))
        self.add(text)
        if seal is not None:
            found.append(events.PartSealed(self.open, seal, given))
            self.kind = None
        return found

    def _complete(self, part: ir.Part) -> list[events.Event]:
        """Return a part that comes complete; the arguments of a call are text in streams."""
        found = self.closed()
        self.ids.give(part)
        index = self._next(part)
        found.append(events.PartOpened(index, part, self.number))
        if isinstance(part, ir.FunctionCall):
            arguments, part.arguments = compact({"args": part.arguments}, "args"), ""
            found.append(events.PartGrew(index, arguments))
        if isinstance(part, ir.Text):
            self.add(part.text)
        return [*found, events.PartClosed(index)]

    def _piece(self, given: Object, call: Object) -> list[events.Event]:
        """Take in a piece of a call; the last one completes it."""
        data_of(given)  # refuses data of another kind in the same part
        found: list[events.Event] = []
        if self.calling is None:
            required(call, "name", str)
            known = {key: call[key] for key in call if key not in ARGUMENTS}
            self.calling = PartialCall(given, dict(given), known)
        elif left := self.calling.add(given, call):
            found.append(events.UnmappedFields("FunctionCall", ir.Extra(left), self.number, given))
        begun = self.calling
        for value, extra in begun.add_arguments(call):
            found.append(events.UnmappedFields("PartialArg", extra, self.number, value))
        if optional(call, "willContinue", bool):
            return found
        self.calling = None
        return [*found, *self._call(begun)]

    def _call(self, begun: PartialCall) -> list[events.Event]:
        made = read_part(begun.complete())
        made.src = begun.first
        return self._complete(made)

    def check_complete(self, reason: StopReason) -> None:
        """Refuse a response that ends of itself within a call."""
        if self.calling is not None and reason is END:
            begun, self.calling = self.calling, None
            detail = "the arguments of this call are not complete; expected a last piece without `willContinue`"
            raise Refusal("STR-9", begun.first, detail)

    def unfinished(self, reason: StopReason) -> list[events.Event]:
        """Return the call in which the response breaks off, its arguments without their end (TUL-29)."""
        self.check_complete(reason)
        begun, self.calling = self.calling, None
        if begun is None:
            return []
        *before, grew, closed = self._call(begun)
        assert isinstance(grew, events.PartGrew)
        return [*before, events.PartGrew(grew.index, grew.text[:-1]), closed]

    def not_last(self) -> list[events.Event]:
        """Return an event for a finish reason that more follows, once."""
        if self.ending is None or self.continued:
            return []
        self.continued = True
        return [
            events.UnmappedFields("Ending", ir.Extra({"finishReason": self.ending.raw}), self.number, self.ending.src)
        ]

    def end(self) -> list[events.Event]:
        """Return the last events of a candidate; the last finish reason counts."""
        ending = self.ending
        assert ending is not None
        broken_off = self.unfinished(ending.reason)
        responses.fit(ending, ir.FunctionCall in self.classes)
        cited = self.cited()
        return [*cited, *self.closed(), *broken_off, *self.searched(), events.Ended(ending, self.number)]

    def _next(self, part: ir.Part) -> int:
        """Return the index of a new part."""
        index = next(self.indices)
        self.classes.add(type(part))
        self.pieces = [] if isinstance(part, ir.Text) else None
        if self.pieces is not None:
            self.texts[self.count] = (index, self.pieces)
        self.count += 1
        return index

    def closed(self) -> list[events.Event]:
        """Close the open text, if there is one."""
        if self.open < 0:
            return []
        index, self.open, self.kind = self.open, -1, None
        return [events.PartClosed(index)]

    def cited(self) -> list[events.Event]:
        """Return the citations of the texts."""
        texts = [(at, "".join(pieces)) for at, (_, pieces) in self.texts.items()]
        return [events.PartCited(self.texts[at][0], citation) for at, citation in responses.cite(self.sources, texts)]

    def searched(self) -> list[events.Event]:
        """Return the search that the candidate reports apart from its content."""
        found: list[events.Event] = []
        search = [] if ir.WebSearchCall in self.classes else responses.searched(self.sources, self.ids.search)
        for part in [*responses.opened(self.sources, self.ids.search), *search]:
            index = self._next(part)
            found += [events.PartOpened(index, part, self.number), events.PartClosed(index)]
        return found


# --- arguments in pieces ----------------------------------------------------------------------------------------------

VALUE_KEYS = SHAPES["PartialArg"].known
NO_FIT = "the pieces of these arguments do not fit together"
STEP = re.compile(r"\.([^.\[\]]+)|\[([0-9]{1,4})\]|\['([^']*)'\]|\[\"([^\"]*)\"\]")


def _put(arguments: Object, piece: Object) -> Object:
    """Put a value at the path of a piece, or append it to the string there, and return the piece."""
    path = required(piece, "jsonPath", str)
    keys = _keys(piece, path)
    key, value = _value(piece)
    holder: Json = arguments
    for at, then in pairwise(keys):
        holder = _within(piece, holder, at, {} if isinstance(then, str) else [])
    before = _within(piece, holder, keys[-1], value)
    if key == "stringValue" and isinstance(before, str) and before is not value:
        holder[keys[-1]] = before + value
    return piece


def _value(piece: Object) -> tuple[str, Json]:
    """Return the member with the value of a piece, and the value; none is null."""
    text, truth = optional(piece, "stringValue", str), optional(piece, "boolValue", bool)
    values: Object = {"stringValue": text, "boolValue": truth, "numberValue": number(piece, "numberValue")}
    found = [(key, value) for key, value in values.items() if value is not None]
    if len(found) + (piece.get("nullValue") is not None) > 1:
        raise Refusal("SHP-4", piece, "expected one value, found several")
    return found[0] if found else ("nullValue", None)


def _keys(piece: Object, path: str) -> list[str | int]:
    keys: list[str | int] = []
    at = 1
    while path.startswith("$") and at < len(path) and (step := STEP.match(path, at)) is not None:
        name, index, quoted, other = step.groups()
        keys.append(int(index) if index is not None else next(one for one in (name, quoted, other) if one is not None))
        at = step.end()
    if at != len(path) or not keys:
        raise wrong(piece, "jsonPath", "a path such as $.a.b[0]", "SHP-3")
    return keys


def _within(piece: Object, holder: Json, key: str | int, new: Json) -> Json:
    """Return the value at a key, which is `new` if there was none."""
    if isinstance(holder, dict) and isinstance(key, str):
        return holder.setdefault(key, new)
    if isinstance(holder, list) and isinstance(key, int) and key <= len(holder):
        if key == len(holder):
            holder.append(new)
        return holder[key]
    raise Refusal("SHP-4", (piece, "jsonPath"), NO_FIT)


# --- stream -----------------------------------------------------------------------------------------------------------
# A stream of generateContent into the IR: each chunk is a response that has what is new (STR-2).
#
# Rule 1: a text goes on with the next text of its kind; a signature, or anything else, ends it. Rule 2: the stream ends
# with the bytes, if each candidate has its finish reason by then; the last one counts. Rule 3: usage is cumulative, so
# that the last report of each count counts.

COUNTED = dict(zip(wire.TOKENS.counts[:-1], google.COUNTED, strict=False))
LARGEST = 2**31  # of 32 bits
CHUNK = frozenset({"candidates", "usageMetadata", "modelVersion", "responseId"})
REPEATED = CHUNK | {"createTime"}
DELTA = frozenset({"content", "index"})
PIECE: dict[type | None, int] = {ir.Text: 1, ir.Reasoning: 2}
"""How many members a piece of a text has: the text, and for a thought `thought`."""


class Reader(StreamReader):
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
        """Return the text of a chunk that only extends this part's text, and counts usage, as most do, else None."""
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
                and (state.kind is ir.Text or piece["thought"] is True)
                and text.__class__ is str
                and text
                and content["role"] == wire.MODEL
                and len(content) == 2
                and DELTA.issuperset(candidate)
                and REPEATED.issuperset(event)
                and get("responseId", self._id) == self._id
                and get("modelVersion", self._model) == self._model
                and (usage is self._usage or usage.keys() == self._members)
                and not self._ended_one
            ):
                self._usage, state.blank = usage, False
                if state.pieces is not None:
                    state.pieces.append(text)
                return text
        except (AttributeError, KeyError, TypeError, ValueError):
            pass
        return None

    def feed(self, event: Json) -> list[events.Event]:
        if not isinstance(event, dict):
            raise Refusal("SHP-1", None, f"expected an object as the event, found {type(event).__name__}")
        if event.get("candidates") is None and stands_for_error(event):
            self._failed = True
            return [events.Failed(responses.lower_error(event))]
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
        """Return the events of a chunk's envelope."""
        response = responses.envelope(body)
        if not self._begun:
            usage = optional(body, "usageMetadata", dict)
            if usage:
                self._tier = responses.tier_of(usage)
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
            found.append(events.UnmappedFields("Changed", ir.Extra(changed), src=body))
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
            made, _ = responses.logprobs(scores)
            if made is not None:
                found.append(events.Scored(made, state.number, candidate))
        unknown = kept(content, CONTENT)
        if unknown is not None:
            found.append(events.UnmappedFields("Turn", unknown, state.number, content))
        for index in range(len(given)):
            found += state.part(an_object(given, index))
        state.sources |= sources
        return [*found, *self._unmapped(candidate, state), *self._ended(candidate, state, bool(sources))]

    def _state(self, number: int) -> CandidateParts:
        if number not in self._states:
            ids = CallIds(self._key, number)
            self._states[number] = CandidateParts(number, ids, self._indices)
        return self._states[number]

    def _unmapped(self, candidate: Object, state: CandidateParts) -> list[events.Event]:
        """Return the members of a candidate that no event has; scores are reported with the text."""
        extra = responses.marked(kept(candidate, responses.CANDIDATE_KEYS), ir.WebSearchResult in state.classes)
        return [] if extra is None else [events.UnmappedFields("Candidate", extra, state.number, candidate)]

    def _ended(self, candidate: Object, state: CandidateParts, late: bool) -> list[events.Event]:
        """Return the finish reason, which more may follow; `late` is whether sources come after the reason."""
        word = optional(candidate, "finishReason", str)
        if word is None or word == wire.NO_REASON:
            return [events.Ending(state.ending, state.number)] if late and state.ending is not None else []
        ending = responses.terminal(candidate)
        before = state.ending
        found = [] if before is None or before.raw == word else state.not_last()
        self._ended_one = True
        state.ending = ending
        state.check_complete(ending.reason)
        if state.sources and not state.classes:  # the search is all that there is, and comes with the end
            return found
        return [*found, events.Ending(ending, state.number)]

    def _blocked(self, body: Object) -> list[events.Event]:
        """Return the ending of a response whose prompt was blocked."""
        blocked = None if body.get("candidates") else responses.blocked_prompt(body)
        if blocked is None:
            return []
        state = self._state(0)
        if state.ending is not None:
            raise Refusal("STR-9", (body, "promptFeedback"), "a block reason after the finish reason")
        state.ending, self._ended_one = blocked.terminal, True
        return [events.Ending(blocked.terminal, 0)]

    # --- usage --------------------------------------------------------------------------------------------------------

    def _counted(self, body: Object) -> list[events.Event]:
        """Return the usage if a candidate has ended, and else note its counts.

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
        new = self._members - before - set(wire.TOKENS.counts)  # members other than counts are reported now
        if not new:
            return []
        if not before and new <= responses.USAGE.known:  # the last report usually has them again
            self._first = usage
            return []
        return self._more_of(usage)

    def _more_of(self, usage: Object) -> list[events.Event]:
        """Return the members of a report except its counts, which are those of the last report."""
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
        """Return usage that is not the last, and so has no total yet."""
        read = self._read(usage)
        read.total = None
        if read.extra is not None and read.extra.fields:
            unknown = {key: value for key, value in read.extra.fields.items() if key not in responses.USAGE.known}
            read.extra = ir.Extra(unknown or None)
        return read

    def _read(self, usage: Object) -> Usage:
        """Return the usage of a report with the last of each count; an unknown member is named once."""
        missing = {key: optional(self._counts, key, int) for key in self._counts if key not in usage}
        self._counts |= {key: usage[key] for key in COUNTED if key in usage}
        read = responses.read_usage(Respelled({**missing, **usage}, usage, {}) if missing else usage, self._tier)
        for key in missing:  # the earlier report has its detail
            (read.details or {}).pop(COUNTED[key], None)
        if read.extra is not None and read.extra.fields:
            new = {key: value for key, value in read.extra.fields.items() if key not in self._named}
            self._named.update(new.keys() - responses.USAGE.known)
            read.extra = ir.Extra(new or None)
        return read


_ID = reader(id=str)
CHECKED = {"functionCall": FUNCTION_CALL, "toolCall": _ID, "toolResponse": _ID}
"""The readers that check ids and names, by the members of a part that have some."""


def check_facts(candidate: Object) -> None:
    """Refuse a candidate for a member of a wrong type, before any of its content is taken in (ENV-15)."""
    _, content, _ = responses.CANDIDATE(candidate)
    responses.ENDING(candidate)
    for part in (content and optional(content, "parts", list)) or ():
        for key in CHECKED if isinstance(part, dict) else ():
            if isinstance(part.get(key), dict):
                CHECKED[key](part[key])
    if content:
        read_role(content, wire.MODEL_ROLE, wire.MODEL)


def counted(usage: Object) -> Usage:
    """Return the counts of the first chunk; other members are read in the last report, or the only one that has
    them."""
    prompt, cached, tools, output, reasoning, _ = responses.USAGE.counts(usage)
    known = None if prompt is None and tools is None else max((prompt or 0) - (cached or 0), 0) + (tools or 0)
    made = Usage(known, cached)
    made.output, made.reasoning = output, reasoning
    return made
