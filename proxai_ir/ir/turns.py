"""A turn: who speaks, and what.

Instructions are turns too; where they go in a target is for placement to decide (PLC-1). A turn's parts stand in the
order of the source; a tool's results may stand in a turn of their own or inside a user turn (PLC-5).
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from enum import Enum
from typing import Any

from attrs import define, field

from .node import Extra, bookkeeping
from .parts import Part
from .settings import Output, Thinking


class Role(Enum):
    __hash__ = object.__hash__  # Enum's own is a Python function, and every turn is looked up by its role

    SYSTEM = "system"
    DEVELOPER = "developer"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


SYSTEM, DEVELOPER, USER, ASSISTANT, TOOL = Role
"""The same without their class: looking a member up in it is slow, and every turn is asked for its role."""


BETWEEN_ITEMS = "\n\n"
"""What keeps the texts of two items apart where they become one string (PLC-8)."""


@define
class TurnSettings:
    """What instructions set besides what they say: how the model responds from there on, until a later turn sets the
    same again (RSN-45).

    `passing`: their text is only for what follows the user's message before them; once there is a later one, their
    protocol leaves it out (PLC-29).
    """

    thinking: Thinking | None = None
    output: Output | None = None
    passing: bool | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    pending: Any = bookkeeping()  # whether what they set waits for a later message of the user's


@define
class Turn:
    """`continues`: it is of the same response as the turn before it, as a separate item of the source.

    `recap`: it begins with a summary that replaces all turns before it but instructions (PLC-63)
    """

    role: Role
    parts: list[Part]
    name: str | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    continues: bool | None = None
    recap: Any = bookkeeping()
    settings: TurnSettings | None = field(default=None, kw_only=True, repr=False)  # ids of responses are of the rest


def without(turns: Iterable[Turn], parts: Container[int]) -> list[Turn]:
    """The turns without these parts, named by `id()`; one that held nothing else goes with them."""
    kept: list[Turn] = []
    for turn in turns:
        left = [part for part in turn.parts if id(part) not in parts]
        if left or not turn.parts:
            turn.parts = left
            kept.append(turn)
    return kept
