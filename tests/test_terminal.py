"""The one normalisation of endings (FIN-1), held against the table of the specification."""

from __future__ import annotations

import re
from pathlib import Path

from proxai_ir.ir.response import FinishReason, StopReason, Terminal

ROW = re.compile(r"^\| ([a-z_, ]+) \| ([a-z_]+) \|$", re.MULTILINE)


def test_every_stop_reason_is_normalised_as_specified(root: Path) -> None:
    section = (root / "spec" / "terminal.md").read_text().split("## FIN-1")[1].split("\n## ")[0]
    documented = {reason: row[2] for row in ROW.finditer(section) for reason in row[1].split(", ")}
    assert documented == {reason.value: Terminal(reason).normalised.value for reason in StopReason}
    assert set(documented.values()) == {finish.value for finish in FinishReason}
