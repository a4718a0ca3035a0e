"""Rows whose conversion is known by hand, and how the tests of bulk run it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proxai_ir.bulk import Report

CHAT, ANTHROPIC = "openai_chat_completions", "anthropic_messages"

PLAIN = b'{"model":"m","messages":[{"role":"user","content":"hi"}],"max_completion_tokens":5}'
LOSSY = b'{"model":"m","messages":[{"role":"user","content":"hi"}],"max_completion_tokens":5,"seed":1}'
REFUSED = b'{"model":"m","messages":[{"role":"user","content":"hi"}],"max_completion_tokens":5,"n":2}'
BROKEN = b'{"model":'
NOT_UTF8 = b'{"model":"\xff"}'
CONVERTED = b'{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"hi"}]}'
"""What PLAIN and LOSSY become."""


def run(source: Any, output: Any, **options: Any) -> Report:
    from proxai_ir import bulk

    sources = source if isinstance(source, list) else [source]
    return bulk.run(sources, output, CHAT, ANTHROPIC, **{"workers": 0, **options})


def check(source: Path, **options: Any) -> Report:
    from proxai_ir import bulk

    return bulk.check([source], CHAT, ANTHROPIC, **{"workers": 0, **options})


def numbered(count: int) -> bytes:
    """Rows that differ, of which every seventh is lossy and every eleventh is refused."""
    rows = []
    for at in range(count):
        row: dict[str, Any] = {"model": f"m{at}", "messages": [{"role": "user", "content": "hi " * (1 + at % 50)}]}
        row |= {
            "max_completion_tokens": 5,
            **({"seed": at} if at % 7 == 0 else {}),
            **({"n": 2} if at % 11 == 0 else {}),
        }
        rows.append(json.dumps(row))
    return "\n".join(rows).encode() + b"\n"


def side(output: Path, name: str) -> list[dict[str, Any]]:
    """The refused rows of a file."""
    return [json.loads(line) for line in (output / f"{name}.refused.jsonl").read_bytes().splitlines()]


def files(folder: Path) -> dict[str, bytes]:
    """What a reader of the output folder finds."""
    found = (file for file in folder.rglob("*") if file.is_file())
    names = {file.relative_to(folder).as_posix(): file for file in found}
    return {name: file.read_bytes() for name, file in names.items() if not name.startswith(".proxai-ir")}
