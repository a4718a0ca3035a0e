"""Recorded streams: none crashes, few are refused and only what is off or empty, the others agree and conform.

A source in which the oracle itself finds errors is off; it is excused where it fails.
"""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

import proxai_ir
from proxai_ir import TranslationError
from proxai_ir.reporting.catalogue import RULES
from proxai_ir.testing.pointers import exists

from .shared import ANTHROPIC, CHAT, GEMINI, RECORDED, RESPONSES, SEED, STREAMED_CUSTOM_CALL, Tools, pairs
from .test_scoreboard import CONFORM

CONVERTED = {CHAT: 0.96, ANTHROPIC: 1.0, RESPONSES: 0.93, GEMINI: 0.93}
OTHERS_CONVERTED = 1.0
"""The share of recordings that must convert, by source."""

AGREE = 0.99
EMPTY = "CHO-3"
LACKING = frozenset({"STR-5", "TUL-2", "TUL-35"})
MADE = "PLC-3"
"""Media that the model made: not every protocol's responses hold any."""
LATE = "/output/0/item: missing after"
"""A search, which Gemini tells with the end of a stream, and which is first in a whole response."""
REFUSED = frozenset({"STR-2", "STR-9", EMPTY, MADE, *LACKING})
"""Under what a recorded stream may be refused."""


def measure(tools: Tools, src: str, dst: str) -> Any:
    """The scoreboard's own cell for a route, over every recording."""
    records = tools.records(src, "stream")
    assert records
    cell = tools.scoreboard.measure(records, src, dst, "stream", 0, random.Random(SEED))
    assert cell["total"] == len(records)
    assert cell["crashed"] == 0, cell.notes
    return cell


def named(cell: Any, word: str, count: int) -> list[str]:
    """The recordings that the notes of one kind name: all of them."""
    found = [note.split()[1] for note in cell.notes if note.split()[0] == word]
    assert len(found) == count, "the notes do not name them all"
    return found


@pytest.mark.parametrize(("src", "dst"), pairs())
def test_the_figures_of_a_route(tools: Tools, src: str, dst: str) -> None:
    cell = measure(tools, src, dst)
    assert cell["converted"] >= CONVERTED.get(src, OTHERS_CONVERTED) * cell["total"], cell.rules
    excused = sum(STREAMED_CUSTOM_CALL in note for note in cell.notes)
    assert cell["conform"] >= CONFORM * (cell["converted"] - cell["excused"] - excused), cell.notes
    apart = named(cell, "agree", cell["agree_asked"] - cell["agree"])
    off = [name for name in apart if tools.is_off(src, name)]
    assert cell["agree"] > 0
    late = sum(note.endswith(LATE) for note in cell.notes) if src == GEMINI else 0
    assert cell["agree"] >= AGREE * (cell["agree_asked"] - len(off) - late), cell.notes


@pytest.mark.parametrize("protocol", RECORDED)
def test_streams_come_back(tools: Tools, protocol: str) -> None:
    """All of them, also those with an event that may not stand where it does (STR-18)."""
    cell = measure(tools, protocol, protocol)
    assert cell["identity"] == cell["converted"] == cell["total"], (cell.notes, cell.rules)


def refusals(tools: Tools, src: str, dst: str) -> list[tuple[Any, TranslationError]]:
    """The recordings that are refused, and the errors."""
    found = []
    for record in tools.records(src, "stream"):
        try:
            proxai_ir.convert(record.payload, src, dst, kind="stream")
        except TranslationError as error:
            found.append((record, error))
    return found


@pytest.mark.parametrize(("src", "dst"), pairs())
def test_every_refusal_has_a_rule_and_names_an_event(tools: Tools, src: str, dst: str) -> None:
    for record, error in refusals(tools, src, dst):
        assert error.rule in REFUSED, (record.id, error)
        assert RULES[error.rule].severity == "error"
        assert re.match(r"/\d+(/|$)", error.path), (record.id, error)
        assert exists(record.payload, error.path), (record.id, error.path)


@pytest.mark.parametrize(("src", "dst"), pairs())
def test_refused_streams_are_off_or_empty(tools: Tools, src: str, dst: str) -> None:
    for record, error in refusals(tools, src, dst):
        if error.rule == MADE:
            assert src == GEMINI, record.id
        elif error.rule in LACKING:
            assert src == RESPONSES or (src == GEMINI and error.rule == "STR-5"), record.id  # audio
        elif error.rule == EMPTY:
            assert is_empty(tools.scoreboard.oracle.accumulate(src, record.payload)), record.id
        else:
            assert tools.is_off(src, record.id), record.id


def is_empty(response: Any) -> bool:
    """Whether a response has no text, reasoning, refusal or call that other protocols can represent."""
    if "candidates" in response:
        parts = [part for one in response["candidates"] for part in one.get("content", {}).get("parts") or ()]
        return not any(part.get("text") or "functionCall" in part for part in parts)
    if "output" in response:
        texts = [
            part.get("text") or part.get("refusal") for item in response["output"] for part in item.get("content") or ()
        ]
        return not any(texts) and not any(item["type"].endswith("function_call") for item in response["output"])
    words = ("content", "refusal", "reasoning_content", "reasoning", "tool_calls", "function_call", "audio")
    return not any(choice["message"].get(word) for choice in response["choices"] for word in words)
