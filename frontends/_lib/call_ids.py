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


def generate_call_ids(turns: Sequence[Turn]) -> None:
    """Give ids to the calls of a request that have none, `call_<turn>_<part>`, and to the results that answer them.

    A result without a call id ("") answers the first call of the assistant's turns before it that has its name and no
    result yet; a result without a name answers the first of all. One that answers no call stays as it is (TUL-3).
    """
    waiting = _Waiting()
    answered = False
    for at, turn in enumerate(turns):
        if turn.role is ASSISTANT and answered:  # its calls are new ones
            waiting, answered = _Waiting(), False
        for number, part in enumerate(turn.parts):
            if isinstance(part, FunctionCall):
                if part.id is None:
                    part.id = f"call_{at}_{number}"
                waiting.add(part.id, part.name)
            elif isinstance(part, ToolResult):
                answered = True
                part.call_id = part.call_id or waiting.first(part.name)
                waiting.ids.discard(part.call_id)


class _Waiting:
    """The calls without a result so far, in order, by name too."""

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self._queues: defaultdict[str | None, deque[str]] = defaultdict(deque)  # None: calls of any name

    def add(self, identity: str, name: str) -> None:
        self.ids.add(identity)
        self._queues[name].append(identity)
        self._queues[None].append(identity)

    def first(self, name: str | None) -> str:
        """The id of the first call of this name; "" where there is none."""
        queue = self._queues[name]
        while queue:
            identity = queue.popleft()
            if identity in self.ids:
                return identity
        return ""
