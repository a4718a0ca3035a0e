"""Owns the reference conversation: a deterministic agent transcript in no protocol's words.

Ratios depend on the size of the texts, so the texts are fixed: about 1 KB each, one in four not ASCII, none twice (a
contender that remembers what it has seen must not profit).
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

TEXT = 1_000
SYSTEM = 3_000
TOOLS = 12
THINKING_EVERY = 4
QUESTION_EVERY = 5

_PLAIN = (
    "the parser", "reads", "one", "record", "at a time", "and", "keeps", "its offset;", "while", "a worker",
    "merges", "sorted", "runs", "into", "blocks", "of", "fixed length,", "so", "that", "no seek", "is needed.", "Then",
    "we", "compare", "both", "checksums", "before", '"commit"', "moves", "the pointer", "forward.", "\n",
)  # fmt: skip
_FOREIGN = (
    "größte", "Änderung", "früher", "où", "déjà", "créé", "señal", "año", "порядок", "строка", "память", "σειρά",
    "μνήμη", "ολοκληρώθηκε", "記録", "確認", "完了", "顺序", "文件", "—", "“…”", "✓", "🧭", "✅",
)  # fmt: skip


def prose(seed: int, length: int, *, foreign: bool = False) -> str:
    """About `length` bytes (UTF-8) of words in an order that `seed` decides, beginning with the seed itself."""
    words = [f"#{seed}"]
    left = length - len(words[0])
    step = seed
    while left > 0:
        step = (step * 1_103_515_245 + 12_345) % 2_147_483_648
        choice = _FOREIGN if foreign and step >> 12 & 1 else _PLAIN
        word = choice[(step >> 16) % len(choice)]
        left -= len(word.encode()) + 1
        words.append(word)
    return " ".join(words)


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the agent may call."""

    name: str
    description: str
    schema: Json


@dataclass(frozen=True, slots=True)
class Turn:
    """What one turn of the agent consists of; `result` is what the call gave, told to it in the turn after."""

    number: int
    question: str | None
    thinking: str | None
    signature: str
    answer: str
    tool: str
    arguments: Json
    result: str


def system() -> str:
    """The agent's instructions."""
    return prose(7, SYSTEM)


def tools() -> list[Tool]:
    """Twelve functions of about 1 KB each, with nested and constrained parameters."""
    return [Tool(tool_name(number), prose(100 + number, 320), _schema(number)) for number in range(TOOLS)]


def tool_name(number: int) -> str:
    """The name of the n-th tool."""
    return f"{('read', 'search', 'apply', 'inspect')[number % 4]}_{('file', 'table', 'queue')[number % 3]}_{number}"


def _schema(number: int) -> Json:
    return {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": prose(200 + number, 90)},
            "lines": {
                "type": "array",
                "items": {"type": "integer", "minimum": 1},
                "description": prose(300 + number, 60),
            },
            "mode": {"type": "string", "enum": ["exact", "fuzzy", "regex"]},
            "limits": {
                "type": "object",
                "properties": {
                    "depth": {"type": "integer"},
                    "seconds": {"type": "number", "description": prose(number, 50)},
                },
                "required": ["depth"],
            },
        },
        "required": ["path", "mode"],
    }


def turns(count: int) -> Iterator[Turn]:
    """The turns of the conversation; a shorter one is the beginning of a longer one."""
    return (_turn(number) for number in range(count))


def _turn(number: int) -> Turn:
    seed = 1_000 + 10 * number
    thinks = number % THINKING_EVERY == THINKING_EVERY - 1
    return Turn(
        number=number,
        question=prose(seed, TEXT) if number % QUESTION_EVERY == 0 else None,
        thinking=prose(seed + 1, TEXT) if thinks else None,
        signature=base64.b64encode(prose(seed + 2, 220).encode()).decode() if thinks else "",
        answer=prose(seed + 3, TEXT, foreign=number % 2 == 0),
        tool=tool_name(number % TOOLS),
        arguments={
            "path": f"src/module_{number}/part_{number % 7}.txt",
            "lines": [number + 1, number + 40],
            "mode": "fuzzy",
            "limits": {"depth": number % 9, "seconds": 2.5},
            "note": prose(seed + 4, 160),
        },
        result=prose(seed + 5, TEXT),
    )
