"""Finds which of several texts ends first in a text that comes in pieces, cut anywhere.

Aho and Corasick's automaton: its time is linear in the text whatever the texts are, and its state is the longest end of
what was read that begins one of them. Where two end at once the longer one counts.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable


class Automaton:
    """
    next    of each state the states that characters lead to; state 0 is the beginning
    back    of each state the state of the longest end of it that begins a text
    depth   how many characters each state stands for
    ends    the text that ends in each state
    first   matches a character that a text begins with
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
        """The state after a piece, or where the first text ends in it, the position behind that, and the text."""
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
    """Reads one text up to the first end of one of an automaton's.

    found   the text that ended; nothing is read behind it
    held    the end of what was read that may begin one
    passed  how many characters were returned
    unread  how many characters of the last piece come behind what was found
    """

    __slots__ = ("_automaton", "_state", "found", "held", "passed", "unread")

    def __init__(self, automaton: Automaton) -> None:
        self._automaton, self._state = automaton, 0
        self.found: str | None = None
        self.held = ""
        self.passed = self.unread = 0

    def read(self, piece: str) -> str:
        """What can no longer be the beginning of any, and stands before the first."""
        self._state, end, self.found = self._automaton.read(self._state, piece)
        text = self.held + piece[:end]
        left = len(text) - (len(self.found) if self.found is not None else self._automaton.depth[self._state])
        self.held, self.unread = "" if self.found is not None else text[left:], len(piece) - end
        self.passed += left
        return text[:left]
