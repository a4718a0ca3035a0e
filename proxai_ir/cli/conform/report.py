"""What came of a run: a table by rule family as text or as a page, or a line of JSON a vector."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from io import StringIO

import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .implementation import FAULTS
from .judging import DECLINED, ENDING, INVALID, LOSES, TAKEN, UNSAID, UNSUPPORTED, Verdict

FAILURES = (LOSES, UNSAID, ENDING, INVALID, TAKEN, DECLINED, UNSUPPORTED)
WIDTH = 150


def as_json(verdicts: Iterable[Verdict]) -> str:
    return "\n".join(
        orjson.dumps(
            {
                "id": one.vector.id,
                "rule": one.vector.rule,
                "kind": one.vector.kind,
                "from": one.vector.src,
                "to": one.vector.dst,
                "passed": one.passed,
                "word": one.word,
                "detail": one.detail,
            }
        ).decode()
        for one in verdicts
    )


def as_text(verdicts: Sequence[Verdict], failed: bool) -> str:
    console = Console(file=StringIO(), width=WIDTH, color_system=None)
    _print(console, verdicts, failed)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().rstrip()


def as_page(command: str, verdicts: Sequence[Verdict]) -> str:
    console = Console(file=StringIO(), width=WIDTH, record=True)
    console.print(Text(command, style="bold"))
    _print(console, verdicts, failed=True)
    return console.export_html()


def _print(console: Console, verdicts: Sequence[Verdict], failed: bool) -> None:
    words = [word for word in (*FAILURES, *FAULTS) if any(one.word == word for one in verdicts)]
    table = Table("rules", "vectors", "passed", *words)
    for family in sorted({one.vector.family for one in verdicts}):
        _row(table, family, [one for one in verdicts if one.vector.family == family], words)
    table.add_section()
    _row(table, "all", verdicts, words)
    console.print(table)
    if failed:
        for one in verdicts:
            if not one.passed:
                console.print(Text(f"{one.vector.id}  {one.word}  {one.vector.src} -> {one.vector.dst}  {one.detail}"))


def _row(table: Table, name: str, verdicts: Sequence[Verdict], words: Sequence[str]) -> None:
    found = Counter(one.word for one in verdicts)
    passed = sum(one.passed for one in verdicts)
    table.add_row(
        name, str(len(verdicts)), f"{passed} ({passed / len(verdicts):.0%})", *(str(found[one] or "") for one in words)
    )
