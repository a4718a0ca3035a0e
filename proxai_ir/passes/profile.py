"""How a target wants turns placed, as data: what the passes after legality read instead of knowing protocols."""

from __future__ import annotations

from typing import Literal

from attrs import frozen


@frozen
class Placement:
    """
    instructions   "top": one place before all turns (PLC-1); "inline": turns like others
    results        where a tool's results stand: "user", in the user turn that follows the calls (PLC-5);
                   "turns", in a turn each, before all user turns
    media_results  whether results hold more than text (PLC-7)
    nested         whether parts may hold parts: documents made of chunks, search results (DOC-3, DOC-4)
    ordered        whether text, reasoning and calls of an assistant turn keep their order (PLC-4)
    text_parts     whether an answer's text may stand in several parts (PLC-8)
    empty_text     whether text may be empty (PLC-9)
    open_calls     whether a request may end with calls that wait for their results (TUL-10)
    call_id        a pattern that call ids match as a whole; others are rewritten by the backend (TUL-13)
    tool_name      a pattern that the names of called tools match as a whole (TUL-8)
    """

    instructions: Literal["top", "inline"]
    results: Literal["user", "turns"]
    media_results: bool
    nested: bool
    ordered: bool
    text_parts: bool
    empty_text: bool
    open_calls: bool
    call_id: str = r"[\s\S]*"
    tool_name: str = r"[\s\S]*"
