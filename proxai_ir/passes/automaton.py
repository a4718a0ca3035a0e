"""Finds the first occurrence of one of several patterns in a text that arrives in chunks, split anywhere.

Aho and Corasick's automaton: its time is linear in the text whatever the patterns are, and its state is the longest
suffix of what was read that is a prefix of a pattern. If two patterns end at the same position the longer one counts.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable


class Automaton:
    """
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
        self._link()
        self._first = re.compile("|".join(map(re.escape, self._next[0])) or r"(?!)")

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

    def _link(self) -> None:
        waiting = deque(self._next[0].values())
        while waiting:
            state = waiting.popleft()
            back = self._back[state]
            self._ends[state] = self._ends[state] or self._ends[back]
            for char, after in self._next[state].items():
                self._back[after] = self._step(back, char)
                waiting.append(after)

    def _step(self, state: int, char: str) -> int:
        following = self._next
        while state and char not in following[state]:
            state = self._back[state]
        return following[state].get(char, 0)

    def read(self, state: int, piece: str) -> tuple[int, int, str | None]:
        """The state after a chunk; or, if a pattern ends in it, the position after its end, and the pattern."""
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
    """Scans one text up to the end of the first pattern in it.

    found   the pattern that was found; nothing is read after it
    held    the suffix of what was read that may be the beginning of a pattern
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
        """The text before the first pattern that can no longer be the beginning of one."""
        self._state, end, self.found = self._automaton.read(self._state, piece)
        text = self.held + piece[:end]
        left = len(text) - (len(self.found) if self.found is not None else self._automaton.depth[self._state])
        self.held, self.unread = "" if self.found is not None else text[left:], len(piece) - end
        self.passed += left
        return text[:left]
