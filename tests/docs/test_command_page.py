"""The page of the command line: every command and every exit code is on it, as the application has them."""

from __future__ import annotations

import sys
from typing import Any

import pytest

pytest.importorskip("typer", reason="the extra `cli` is not installed")

from proxai_ir.cli.app import COMMANDS
from proxai_ir.cli.outcome import MEANINGS, ExitCode

from .conftest import DOCS


@pytest.fixture(name="lines")
def drawn(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(DOCS))
    import command_page  # type: ignore[import-not-found, unused-ignore]

    yield command_page.filled((DOCS / "pages" / "guides" / "command-line.md").read_text(encoding="utf-8")).splitlines()
    sys.modules.pop("command_page", None)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_row(lines: list[str], name: str) -> None:
    (row,) = [line for line in lines if line.startswith(f"| `{name}` |")]
    _, _, does, example, codes, _ = row.replace("\\|", "").split("|")
    assert does.strip().endswith(".")
    assert example.strip() == f"`proxai-ir {COMMANDS[name].example}`"
    assert [int(code) for code in codes.split(",")] == [*map(int, COMMANDS[name].codes), 130]


def test_every_exit_code_has_a_row(lines: list[str]) -> None:
    assert [code for code in ExitCode if not any(line.startswith(f"| {code.value} |") for line in lines)] == []
    assert [*MEANINGS] == [*ExitCode]
    assert "| 1 | different | `diff` |" in lines
    assert "| 130 | interrupted | all |" in lines


def test_nothing_is_left_to_fill_in(lines: list[str]) -> None:
    assert [line for line in lines if "<!--" in line] == []
