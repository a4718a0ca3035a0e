"""Owns the requests and responses that are measured: tiny ones, recorded ones, and a deterministic agent transcript.

Ratios depend on the size of the texts, so those of the transcript are fixed: about 1 KB each, one in four not ASCII,
none twice (a converter that remembers what it has seen must not profit).
"""

from __future__ import annotations

import base64
import gzip
from pathlib import Path
from typing import Any, NamedTuple

import orjson

import proxai_ir

Json = dict[str, Any]

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"
GEMINI = "gemini_generate_content"
SHORT = {ANTHROPIC: "anthropic", CHAT: "chat", RESPONSES: "responses", GEMINI: "gemini"}
TEXT, SYSTEM, TOOLS = 1_000, 3_000, 12
THINKING_EVERY, QUESTION_EVERY = 4, 5
SMALL = 1_500
"""Bytes of the largest recorded request that counts as small."""
MOST_RECORDED = 60

_PLAIN = (
    "the parser", "reads", "one", "record", "at a time", "and", "keeps", "its offset;", "while", "a worker",
    "merges", "sorted", "runs", "into", "blocks", "of", "fixed length,", "so", "that", "no seek", "is needed.", "Then",
    "we", "compare", "both", "checksums", "before", '"commit"', "moves", "the pointer", "forward.", "\n",
)  # fmt: skip
_FOREIGN = (
    "größte", "Änderung", "früher", "où", "déjà", "créé", "señal", "año", "порядок", "строка", "память", "σειρά",
    "μνήμη", "ολοκληρώθηκε", "記録", "確認", "完了", "顺序", "文件", "—", "“…”", "✓", "🧭", "✅",
)  # fmt: skip


class Route(NamedTuple):
    """From one protocol to another."""

    src: str
    dst: str

    def __str__(self) -> str:
        return f"{SHORT[self.src]} -> {SHORT[self.dst]}"


ROUTES = tuple(Route(src, dst) for src in SHORT for dst in SHORT if src != dst)


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


def _tool(seed: int) -> Json:
    """A function of about 1 KB, with nested and constrained parameters."""
    lines = {"type": "array", "items": {"type": "integer", "minimum": 1}, "description": prose(300 + seed, 60)}
    limits = {"depth": {"type": "integer"}, "seconds": {"type": "number", "description": prose(seed, 50)}}
    properties = {
        "path": {"type": "string", "description": prose(200 + seed, 90)},
        "lines": lines,
        "mode": {"type": "string", "enum": ["exact", "fuzzy", "regex"]},
        "limits": {"type": "object", "properties": limits, "required": ["depth"]},
    }
    schema = {"type": "object", "properties": properties, "required": ["path", "mode"]}
    return {"name": f"tool_{seed}", "description": prose(100 + seed, 320), "input_schema": schema}


def _turn(number: int, seed: int) -> list[Json]:
    """What the assistant thinks, writes and calls."""
    signature = base64.b64encode(prose(seed + 2, 220).encode()).decode()
    thought = [{"type": "thinking", "thinking": prose(seed + 1, TEXT), "signature": signature}]
    arguments = {
        "path": f"src/module_{number}/part_{number % 7}.txt",
        "lines": [number + 1, number + 40],
        "mode": "fuzzy",
        "limits": {"depth": number % 9, "seconds": 2.5},
        "note": prose(seed + 4, 160),
    }
    return [
        *(thought if number % THINKING_EVERY == THINKING_EVERY - 1 else []),
        {"type": "text", "text": prose(seed + 3, TEXT, foreign=number % 2 == 0)},
        {"type": "tool_use", "id": f"toolu_{number:024}", "name": f"tool_{number % TOOLS}", "input": arguments},
    ]


def anthropic_request(count: int, variant: int = 0) -> Json:
    """Results and questions share the user turn that follows the call; a shorter one is the beginning of a longer."""
    messages: list[Json] = []
    results: list[Json] = []
    for number in range(count):
        seed = 1_000 + 10 * number + 1_000_003 * variant
        question = [{"type": "text", "text": prose(seed, TEXT)}] if number % QUESTION_EVERY == 0 else []
        messages.append({"role": "user", "content": [*results, *question]})
        messages.append({"role": "assistant", "content": _turn(number, seed)})
        given = [{"type": "text", "text": prose(seed + 5, TEXT)}]
        results = [{"type": "tool_result", "tool_use_id": f"toolu_{number:024}", "content": given}]
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 8192,
        "system": [{"type": "text", "text": prose(7 + variant, SYSTEM)}],
        "messages": [*messages, {"role": "user", "content": results}],
        "tools": [{**_tool(number + 1_000 * variant), "name": f"tool_{number}"} for number in range(TOOLS)],
        "tool_choice": {"type": "auto"},
        "temperature": 0.2,
        "stop_sequences": ["END_OF_RUN"],
    }


def request(protocol: str, count: int, variant: int = 0) -> Json:
    """The conversation in any protocol: what our own conversion makes of it, which every server takes."""
    made = anthropic_request(count, variant)
    if protocol != ANTHROPIC:
        made = proxai_ir.convert(made, ANTHROPIC, protocol, kind="request")
    if protocol == GEMINI:  # which usually has it in the URL
        made["model"] = "models/gemini-3-flash"
    for number, item in enumerate(made.get("input", ())):  # as they come back from the server
        if item.get("role") == "assistant" or item.get("type") == "function_call":
            item |= {"id": f"{item.get('type', 'msg')[:3]}_{number:024}", "status": "completed"}
    return made


QUESTIONS = (
    "Which river flows through Vienna?",
    "What is the capital of Australia?",
    "Welche Farbe hat der Himmel über Rügen?",
    "How many legs does a spider have?",
    "日本で一番高い山を教えて。",
    "Name the largest moon of Saturn.",
)
BRIEF = "Answer in one word."


def transcripts(protocol: str, count: int) -> list[bytes]:
    """Several conversations, since one payload again and again would flatter every cache."""
    return [orjson.dumps(request(protocol, count, variant)) for variant in range(3)]


def tiny(protocol: str) -> list[bytes]:
    """A question each."""
    made: list[Json] = []
    for question in QUESTIONS:
        asked = {"role": "user", "content": question}
        if protocol == ANTHROPIC:
            made.append({"model": "claude-haiku-4-5", "max_tokens": 64, "system": BRIEF, "messages": [asked]})
        elif protocol == CHAT:
            messages = [{"role": "system", "content": BRIEF}, asked]
            made.append({"model": "gpt-4.1-mini", "max_completion_tokens": 64, "messages": messages})
        elif protocol == RESPONSES:
            made.append({"model": "gpt-5-mini", "max_output_tokens": 64, "instructions": BRIEF, "input": question})
        else:
            turn = {"role": "user", "parts": [{"text": question}]}
            brief = {"systemInstruction": {"parts": [{"text": BRIEF}]}, "generationConfig": {"maxOutputTokens": 64}}
            made.append({"model": "models/gemini-3-flash", "contents": [turn], **brief})
    return [orjson.dumps(one) for one in made]


def recorded(corpus: Path | None, protocol: str, kind: str, most: int | None = None) -> list[bytes]:
    """Recorded payloads of at most so many bytes, compact; none if there are no recordings.

    Only what the protocol's own vendor was sent or sent: dialects are tolerances, and their share means nothing.
    """
    file = corpus and corpus / f"{protocol}.{kind}.jsonl.gz"
    if not file or not file.is_file():
        return []
    with gzip.open(file) as lines:
        records = [orjson.loads(line) for line in lines]
    own = [orjson.dumps(one["payload"]) for one in records if not one.get("dialect") and not one.get("synthetic")]
    small = [payload for payload in own if most is None or len(payload) <= most]
    return small[:: 1 + len(small) // MOST_RECORDED]
