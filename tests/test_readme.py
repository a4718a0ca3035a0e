"""The README's examples run as they are printed, and give what it shows.

Blocks of Python run in their order, as one program, and those of `sh` each by itself, both in the clone. A block marked
`console` holds placeholders, or starts what does not end by itself.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import proxai_ir

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
PYTHON: list[str] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
SHELL: list[str] = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)


def block(containing: str) -> str:
    (found,) = [code for code in PYTHON if containing in code]
    return found


def test_every_block_of_python_runs(monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    monkeypatch.chdir(root)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant")
    scope: dict[str, Any] = {}
    for code in PYTHON:
        if all(map(find_spec, re.findall(r"^import ([a-z]\w+)$", code, re.MULTILINE))):  # an SDK may not be here
            exec(code, scope)


@pytest.mark.parametrize("block", SHELL, ids=lambda block: block.splitlines()[0][:60])
def test_every_block_of_commands_runs(block: str, root: Path, tmp_path: Path) -> None:
    """With the command of this environment; what is installed is not installed again."""
    pytest.importorskip("typer")
    command = tmp_path / "proxai-ir"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m proxai_ir.cli "$@"\n')
    command.chmod(0o755)
    variables = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    for line in re.sub(r"^pip install \S+ && ", "", block.replace("\\\n", ""), flags=re.MULTILINE).splitlines():
        done = subprocess.run(
            ["bash", "-c", line], cwd=root, env=variables, capture_output=True, text=True, check=False
        )
        lost = " check " in line  # which exits with 3 where anything is lost
        assert done.returncode == (3 if lost else 0), line + done.stderr


PLACEHOLDER = re.compile(r"(?<![\w-])(?!--)[A-Z]{4,}(?![\w=/-])|…")


def test_placeholders_stand_in_marked_blocks_only() -> None:
    assert [block for block in SHELL if PLACEHOLDER.search(block)] == []


def test_the_first_screen_says_what_why_one_picture_and_one_command() -> None:
    first = README[: README.index("\n## What do you want")]
    assert first.count("](.assets/") == 1
    assert first.count("```sh\n") == 1
    assert "Why:" in first
    assert "git clone REPOSITORY" in first


def test_the_first_example(capsys: pytest.CaptureFixture[str]) -> None:
    code = block("seed")
    scope: dict[str, Any] = {}
    exec(code, scope)
    shown = [line.removeprefix("# ") for line in code.splitlines() if line.startswith("# ")]
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == len(shown)
    for expected, got in zip(shown, printed, strict=True):
        start, _, end = expected.partition("…")
        assert got.startswith(start)
        assert got.endswith(end)
    output = re.search(r"result\.output  # (.*)", code)
    assert output
    assert str(scope["result"].output) == output[1]


def test_the_command(root: Path) -> None:
    pytest.importorskip("typer")
    arguments = re.search(r"&& proxai-ir (convert .*)", README)
    shown = re.search(r"```text\n(info .*?)```", README, re.DOTALL)
    assert arguments
    assert shown
    command = [sys.executable, "-m", "proxai_ir.cli", *arguments[1].split()]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines() == shown[1].splitlines()
    assert proxai_ir.check(json.loads(done.stdout), "openai_chat_completions", "openai_chat_completions") == ()


def test_the_example_of_strictness(capsys: pytest.CaptureFixture[str]) -> None:
    scope: dict[str, Any] = {}
    exec(block("seed"), scope)
    capsys.readouterr()
    exec(block("strict=True"), scope)
    printed = [f"# {line}" for line in capsys.readouterr().out.splitlines()]
    assert printed == [line for line in block("strict=True").splitlines() if re.match("# (loss|info)", line)]


def test_all_options_stand_in_one_table() -> None:
    from proxai_ir.conversion.options import SHARED, options_among, settings_of

    text = (Path(__file__).parents[1] / "spec" / "README.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.partition("## Options")[2].splitlines() if line.startswith("|")]
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    known = set(SHARED).union(*(options_among(settings_of(protocol)) for protocol in proxai_ir.protocols()))
    assert known - listed == set()
