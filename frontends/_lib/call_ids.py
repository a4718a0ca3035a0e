"""Ids for the tool calls of protocols that have none: a frontend generates them, so that every other protocol has some.

Rule 1: the same payload gets the same ids. Rule 2: an id depends on what is before its call and on nothing after it, so
that a call keeps its id when the conversation goes on. Rule 3: no result is given to a call by guessing.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence

from proxai_ir.ir.parts import FunctionCall, ToolResult
from proxai_ir.ir.turns import ASSISTANT, Turn


def response_call_id(response_id: str, number: int) -> str:
    """The id of call `number`, from 0, of a response or of a stream. Response ids differ, so these do."""
    return f"call_{response_id}_{number}"


def generate_call_ids(turns: Sequence[Turn]) -> list[ToolResult]:
    """Give ids to the calls of a request that have none, `call_<turn>_<part>`, and to the results that answer them.

    A result without a call id ("") answers the first call of the assistant's turns before it that has its name and no
    result yet; a result without a name answers the first of all. One that answers no call stays as it is (TUL-3).
    Returns the results that got an id.
    """
    given: list[ToolResult] = []
    waiting = _Waiting()
    answered = False
    for at, turn in enumerate(turns):
        if turn.role is ASSISTANT and answered:  # its calls are new ones
            waiting, answered = _Waiting(), False
        for number, part in enumerate(turn.parts):
            if type(part) is FunctionCall:
                if part.id is None:
                    part.id = f"call_{at}_{number}"
                waiting.calls.append((part.id, part.name))
                waiting.answered.discard(part.id)
            elif type(part) is ToolResult:
                answered = True
                if not part.call_id:
                    part.call_id = waiting.first(part.name or None)
                    if part.call_id:
                        given.append(part)
                waiting.answered.add(part.call_id)
    return given


class _Waiting:
    """Calls in order, and the ids of those that have a result; they are sorted by name when a result asks for that."""

    __slots__ = ("_queues", "_sorted", "answered", "calls")

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []  # ids and names
        self.answered: set[str] = set()
        self._sorted = 0  # how many of the calls
        self._queues: defaultdict[str | None, deque[str]] = defaultdict(deque)  # None: calls of any name

    def first(self, name: str | None) -> str:
        """The id of the first call of this name that has no result; "" where there is none."""
        for identity, called in self.calls[self._sorted :]:
            self._queues[called].append(identity)
            self._queues[None].append(identity)
        self._sorted = len(self.calls)
        queue = self._queues[name]
        while queue:
            identity = queue.popleft()
            if identity not in self.answered:
                return identity
        return ""
