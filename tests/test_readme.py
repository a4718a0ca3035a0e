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
    for line in re.sub(r"^pip install \S+( && |.*$)", "", block.replace("\\\n", ""), flags=re.MULTILINE).splitlines():
        done = subprocess.run(
            ["bash", "-c", line], cwd=root, env=variables, capture_output=True, text=True, check=False
        )
        lost = " check " in line  # which exits with 3 where anything is lost
        assert done.returncode == (3 if lost else 0), line + done.stderr


def test_a_reader_sees_it_in_five_minutes() -> None:
    assert len(README.splitlines()) <= 160


INSTALLED = {"attrs", "cattrs", "orjson", "proxai_ir"}
"""What `pip install .` brings, by the names of their imports."""


def test_a_block_imports_what_the_page_has_installed_until_then() -> None:
    """A block of Python is run by a reader who typed the blocks of `sh` before it and nothing else."""
    installed = set(INSTALLED)
    for language, code in re.findall(r"```(python|sh)\n(.*?)```", README, re.DOTALL):
        if language == "sh":
            installed |= {
                word.strip('"')
                for line in re.findall(r"pip install (.*?)(?: &&|$)", code, re.M)
                for word in line.split()
            }
        else:
            assert set(re.findall(r"^import ([a-z]\w+)", code, re.MULTILINE)) <= installed, code
            assert "proxai_ir.httpx" not in code or any("httpx" in one for one in installed), code


LINKED = re.findall(r"\]\((\.docs/pages/(?:guides|quickstarts)/[\w-]+\.md)\)", README)


def test_each_story_has_a_link() -> None:
    """The author of a proxy, the engineer with logs, the user of an agent, and who tests payloads of his own."""
    stories = {"quickstarts/proxy", "guides/logs", "quickstarts/agent", "guides/testing"}
    assert {f".docs/pages/{story}.md" for story in stories} <= set(LINKED)
    assert [link for link in LINKED if not (Path(__file__).parents[1] / link).is_file()] == []


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


def test_all_options_stand_in_one_table() -> None:
    from proxai_ir.conversion.options import SHARED, options_among, settings_of

    text = (Path(__file__).parents[1] / "spec" / "README.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.partition("## Options")[2].splitlines() if line.startswith("|")]
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    known = set(SHARED).union(*(options_among(settings_of(protocol)) for protocol in proxai_ir.protocols()))
    assert known - listed == set()
