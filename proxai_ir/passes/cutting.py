"""Cut a response at stop sequences that were not sent to the provider, whole and on streams (SMP-13, SMP-15).

`state` holds the sequences that were not sent; on the way back the first of them and everything after it in the
candidate are dropped, which a provider with stop sequences would not have generated. Rule 1: only texts are searched,
each by itself; calls, reasoning and refusals are never cut inside. Rule 2: the result does not depend on how a stream
splits the text, and only characters that may begin a sequence are buffered. Rule 3: usage stays as the provider counted
it.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any

from ..ir.parts import Citation, Part, Text, UrlCitation
from ..ir.request import Request, Sampling
from ..ir.response import (
    CONTENT_FILTER,
    END,
    REFUSAL,
    STOP_SEQUENCE,
    UNFINISHED,
    Candidate,
    LogProbs,
    StopReason,
    Terminal,
)
from ..ir.stream import events
from ..ir.stream.grammar import OF_PARTS
from ..reporting.report import Report
from ..targets.verdicts import NOT_CARRIED, Target
from .emulation import STOP_SEQUENCES, is_asked
from .stages import KEPT_STOPS, PartStage


class Automaton:
    """Aho and Corasick's automaton: finds the first of several patterns in a text that arrives in chunks.

    Its time is linear in the text, whatever the patterns are. A state is the longest suffix of the text so far that is
    a prefix of a pattern. If two patterns end at the same position, the longer one counts.

    next    for each state the next state by character; state 0 is the start
    back    for each state its failure link: the state of its longest suffix that is a prefix of a pattern
    depth   for each state the length of the prefix
    ends    for each state the pattern that ends there
    first   matches the first character of any pattern
    """

    __slots__ = ("_back", "_ends", "_first", "_next", "depth")

    def __init__(self, texts: Iterable[str]) -> None:
        self._next: list[dict[str, int]] = [{}]
        self._ends: list[str | None] = [None]
        self.depth = [0]
        for text in filter(None, texts):
            self._ends[self._added(text)] = text
        self._back = [0] * len(self._next)
        self._first = re.compile("|".join(map(re.escape, self._next[0])) or r"(?!)")
        waiting = deque(self._next[0].values())
        while waiting:
            state = waiting.popleft()
            back = self._back[state]
            self._ends[state] = self._ends[state] or self._ends[back]
            for char, after in self._next[state].items():
                self._back[after] = self._step(back, char)
                waiting.append(after)

    def _added(self, text: str) -> int:
        state = 0
        for char in text:
            if char not in self._next[state]:
                self._next[state][char] = len(self._next)
                self._next.append({})
                self._ends.append(None)
                self.depth.append(self.depth[state] + 1)
            state = self._next[state][char]
        return state

    def _step(self, state: int, char: str) -> int:
        following = self._next
        while state and char not in following[state]:
            state = self._back[state]
        return following[state].get(char, 0)

    def read(self, state: int, piece: str) -> tuple[int, int, str | None]:
        """Return the state after a chunk; or, if a pattern ends in it, the position after its end, and the pattern."""
        at, end = 0, len(piece)
        while at < end:
            if not state:
                begins = self._first.search(piece, at)
                if begins is None:
                    break
                at = begins.start()
            state = self._step(state, piece[at])
            at += 1
            found = self._ends[state]
            if found is not None:
                return state, at, found
        return state, end, None


class Search:
    """The search for the first pattern in one text, which is scanned up to the end of that pattern.

    found   the pattern that was found; nothing is read after it
    held    the suffix of the text so far that may be the beginning of a pattern
    passed  how many characters were returned
    unread  how many characters of the last chunk follow the pattern
    """

    __slots__ = ("_automaton", "_state", "found", "held", "passed", "unread")

    def __init__(self, automaton: Automaton) -> None:
        self._automaton, self._state = automaton, 0
        self.found: str | None = None
        self.held = ""
        self.passed = self.unread = 0

    def read(self, piece: str) -> str:
        """Return the text that a chunk completes: what precedes the first pattern and cannot be a part of it."""
        self._state, end, self.found = self._automaton.read(self._state, piece)
        text = self.held + piece[:end]
        left = len(text) - (len(self.found) if self.found is not None else self._automaton.depth[self._state])
        self.held, self.unread = "" if self.found is not None else text[left:], len(piece) - end
        self.passed += left
        return text[:left]


MOST = 4096
"""The most characters that the kept sequences have together; with more, they are lost as without this (SMP-11)."""
STANDING = (REFUSAL, CONTENT_FILTER, UNFINISHED)
"""Stop reasons that stay although a sequence precedes them, since the response was withdrawn."""


def keep(root: Request, target: Target, report: Report, options: Mapping[str, Any]) -> None:
    """Put the sequences that the target does not get into `state`, if the caller asks for it."""
    sampling = root.sampling
    if sampling is None or not sampling.stop or not is_asked(STOP_SEQUENCES, options):
        return
    sent = _sent(sampling, target)
    kept = [one for one in sampling.stop if one and one not in sent]
    if not kept or sum(map(len, kept)) > MOST:
        return
    report.at("SMP-13", sampling, "stop")
    sampling.stop = [one for one in sampling.stop if one not in kept] or None  # an empty sequence is ignored
    report.state[KEPT_STOPS] = kept


def _sent(sampling: Sampling, target: Target) -> Sequence[str]:
    """Return the sequences that the target gets by its verdicts."""
    stop = sampling.stop or []
    for field in target.fields.get(Sampling, ()):
        if field.name == "stop":
            for values, verdict in field.verdicts:
                if values is None and (verdict.when is None or verdict.when(sampling)):
                    if verdict.word in NOT_CARRIED:
                        return []
                    return (stop if verdict.by is None else verdict.by(sampling)) or []
    return stop


def cut(target: Target, report: Report, options: Mapping[str, Any]) -> list[PartStage]:
    """Cut a response at the sequences that `state` has."""
    kept = (options.get("state") or {}).get(KEPT_STOPS)
    return [_Cutting(Automaton(kept), _reason(target), _says_which(target), report)] if kept else []


def _reason(target: Target) -> StopReason:
    """Return the reason of a response that was cut, which is a natural ending for a target with one word for both."""
    chain = [one for field in target.fields.get(Terminal, ()) if field.name == "reason" for one in field.verdicts]
    one_word = any(values and STOP_SEQUENCE in values and verdict.rule for values, verdict in chain)
    return END if one_word else STOP_SEQUENCE


def _says_which(target: Target) -> bool:
    """Return whether the target's responses name the sequence that they ended at."""
    chains = [field.verdicts for field in target.fields.get(Terminal, ()) if field.name == "stop_sequence"]
    return not any(verdict.word in NOT_CARRIED for chain in chains for _, verdict in chain)


class _Cutting(PartStage):
    """Cuts the candidates of one response.

    reads_texts  marks a stage that needs each delta of a text, so that no fast path bypasses it
    found        the sequence at which a candidate was cut, by candidate; in a whole response by the candidate's id
    open         the texts that grow, by index
    cut          the lengths at which texts were cut, by index: citations of what is left may still come
    dropped      the indexes of parts whose further events are dropped
    """

    reads_texts = True

    def __init__(self, automaton: Automaton, reason: StopReason, says_which: bool, report: Report) -> None:
        self._automaton, self._reason, self._says_which, self._report = automaton, reason, says_which, report
        self._found: dict[int, str] = {}
        self._open: dict[int, tuple[events.PartOpened, Search]] = {}
        self._cut: dict[int, int] = {}
        self._dropped: set[int] = set()

    # --- a whole response ---

    def whole(self, part: Part, candidate: Candidate, /) -> Iterable[Part]:
        if id(candidate) in self._found:
            self._report.at("SMP-15", part)
            return ()
        if type(part) is not Text:
            return (part,)
        search = Search(self._automaton)
        text = search.read(part.text)
        if search.found is None:
            return (part,)
        self._found[id(candidate)] = search.found
        candidate.terminal = self._ending(candidate.terminal, search.found)
        candidate.logprobs = _scored(candidate, part, len(part.text) - search.unread)
        self._report.at("SMP-15", part)
        made = copy(part)
        made.text, made.seal = text, None  # which signs all of it
        made.citations = [one for one in part.citations or () if _within(one, len(text))] or None
        return (made,)

    def _ending(self, ending: Terminal, found: str) -> Terminal:
        """Return the ending of a candidate that was cut; it keeps the provider's own word (FIN-1)."""
        if ending.reason in STANDING:
            return ending
        made = copy(ending)
        made.reason, made.stop_sequence = self._reason, found if self._says_which else None
        return made

    # --- a stream ---

    def __call__(self, event: events.Event) -> Iterable[events.Event]:
        if isinstance(event, events.PartOpened):
            return self._opened(event)
        if isinstance(event, events.Failed):
            return self._failed(event)
        if isinstance(event, (events.Scored, events.Ended)) and event.candidate in self._found:
            if isinstance(event, events.Scored):
                return ()
            ending = self._ending(event.terminal, self._found[event.candidate])
            return (event if ending is event.terminal else events.Ended(ending, event.candidate),)
        if not isinstance(event, OF_PARTS):
            return (event,)
        if event.index in self._dropped:
            end = self._cut.get(event.index)
            stays = end is not None and isinstance(event, events.PartCited) and _within(event.citation, end)
            return (event,) if stays else ()
        if event.index in self._open:
            if isinstance(event, events.PartGrew):
                return self._grew(event)
            if isinstance(event, events.PartClosed):
                return self._closed(event)
        return (event,)

    def _opened(self, event: events.PartOpened) -> Iterator[events.Event]:
        if event.candidate in self._found:
            self._report.at("SMP-15", event.part)
            self._dropped.add(event.index)
        elif type(event.part) is Text:
            search = Search(self._automaton)
            self._open[event.index] = (event, search)
            part = copy(event.part)
            part.text = search.read(event.part.text)
            yield events.PartOpened(event.index, part, event.candidate)
            yield from self._stop(event.index)
        else:
            yield event

    def _grew(self, event: events.PartGrew) -> Iterator[events.Event]:
        text = self._open[event.index][1].read(event.text)
        if text:
            yield events.PartGrew(event.index, text)
        yield from self._stop(event.index)

    def _stop(self, index: int) -> Iterator[events.Event]:
        """Yield the end of a text in which a sequence was found."""
        opened, search = self._open[index]
        if search.found is not None:
            del self._open[index]
            self._report.at("SMP-15", opened.part)
            self._found[opened.candidate] = search.found
            self._cut[index] = search.passed
            self._dropped.add(index)
            yield events.PartClosed(index)

    def _closed(self, event: events.PartClosed) -> Iterator[events.Event]:
        _, search = self._open.pop(event.index)
        if search.held:
            yield events.PartGrew(event.index, search.held)
        yield event

    def _failed(self, event: events.Failed) -> Iterator[events.Event]:
        """Yield the text that is held back, in which no sequence can end any more, and then the failure."""
        for index, (_, search) in self._open.items():
            if search.held:
                yield events.PartGrew(index, search.held)
        self._open.clear()
        yield event


def _within(citation: Citation, end: int) -> bool:
    """Return whether a citation refers to the first `end` characters of a text, or to all of it."""
    return not isinstance(citation, UrlCitation) or citation.end is None or citation.end <= end


def _scored(candidate: Candidate, cut_off: Text, end: int) -> LogProbs | None:
    """Return the log probabilities of the tokens that begin before the end of the sequence in the text `cut_off`."""
    scored = candidate.logprobs
    if scored is None or scored.text is None:
        return scored
    left = end
    for part in candidate.parts:
        if part is cut_off:
            break
        left += len(part.text) if type(part) is Text else 0
    made, made.text = copy(scored), []
    for token in scored.text:
        if left <= 0:
            break
        made.text.append(token)
        left -= len(token.text)
    return made
