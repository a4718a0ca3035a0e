"""Every quickstart and tutorial, and the first page, is run as a reader would, and gives what it shows.

A page's blocks, in order:

    ```LANGUAGE title="FILE"   is that file
    ```sh                      is run in one shell, in a folder that holds the page's files; `pip install` apart
    ```console                 is for programs that are not here, and is not run
    any other                  is the whole output of the `sh` block before it; … stands for any text of a line

Counts of rows that are shown are those of the page's ROWS; where a run has fewer, they become fewer in proportion.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from ..outside.projects import ALONE, ROOT, described
from ..waiting import free_port

PAGES = ROOT / ".docs" / "pages"
BLOCK = re.compile(r'^```(?P<language>\w+)(?: title="(?P<file>[^"]+)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)
MILLION = "tutorials/million_rows"
NEEDS: dict[str, tuple[str, ...]] = {
    "index": (),
    "quickstarts/install": ("typer",),
    "quickstarts/one_payload": (),
    "quickstarts/stream": (),
    "quickstarts/proxy": ("fastapi", "httpx", "uvicorn"),
    "quickstarts/sdk": ("httpx2", "openai", "starlette", "uvicorn"),
    "quickstarts/agent": ("starlette", "uvicorn"),
    "quickstarts/parquet": ("typer", "pyarrow"),
    "quickstarts/losses": ("typer",),
    "guides/command-line": ("typer",),
    "guides/container": (),
    "guides/index": (),
    "guides/logs": ("typer", "pyarrow"),
    "guides/tables": ("typer", "pyarrow", "duckdb", "polars"),
    "guides/testing": ("pytest", "syrupy"),
    "guides/training": ("typer", "pyarrow"),
    "guides/troubleshooting": ("typer",),
    "guides/twenty": (),
    "tutorials/one_payload": ("typer",),
    "tutorials/stream": ("typer",),
    "tutorials/proxy": ("httpx", "starlette", "uvicorn"),
    MILLION: ("typer", "pyarrow"),
    "tutorials/add_a_protocol": ("typer", "hypothesis"),
}
FOLDERS = ("guides", "quickstarts", "tutorials")
SHOWN_ROWS, ROWS = 1_000_000, 5_000
END = "--- end of a block ---"


class Step(NamedTuple):
    command: str
    shown: str | None


class Page(NamedTuple):
    files: dict[str, str]
    steps: list[Step]
    installs: list[str]


def read(name: str) -> Page:
    """A page's blocks; one that nothing runs or compares is an error."""
    page = Page({}, [], [])
    for block in BLOCK.finditer((PAGES / f"{name}.md").read_text(encoding="utf-8")):
        language, file, text = block.group("language", "file", "text")
        if language == "console":
            continue
        if file:
            assert file not in page.files, f"{file} is there twice"
            page.files[file] = text
        elif language == "sh" and text.startswith("pip install "):
            page.installs.append(text)
        elif language == "sh":
            page.steps.append(Step(text, None))
        else:
            assert page.steps, "an output before the first command"
            assert page.steps[-1].shown is None, f"two outputs of {page.steps[-1].command}"
            page.steps[-1] = page.steps[-1]._replace(shown=text)
    return page


def run(page: Page, folder: Path, variables: dict[str, str]) -> list[str]:
    """The output of every step, standard error included."""
    for file, text in page.files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")
    script = "exec 2>&1\n" + "".join(f"{step.command}\nprintf '%s\\n' {shlex.quote(END)}\n" for step in page.steps)
    shell = subprocess.Popen(
        ["bash", "-c", script],
        cwd=folder,
        env=environment(page, folder) | variables,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = shell.communicate(timeout=300)
    finally:
        if shell.poll() is None:
            os.killpg(shell.pid, signal.SIGKILL)
    *outputs, rest = output.split(END + "\n")
    assert not rest, rest
    return outputs


PARENTS = ("FORCE_COLOR", "COLUMNS", "PYTEST_")
"""How variables begin that are of the terminal or the pytest that the tests run in."""


def environment(page: Page, folder: Path) -> dict[str, str]:
    """`python` and `proxai-ir` are those of the tests, with the packages that the page installs."""
    commands = {"python": "", "proxai-ir": "-m proxai_ir.cli ", "pytest": "-m pytest -p no:cacheprovider "}
    bin_ = folder.parent / "bin"
    bin_.mkdir(exist_ok=True)
    for name, module in commands.items():
        (bin_ / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {module}"$@"\n')
        (bin_ / name).chmod(0o755)
    named = [folder / word for text in page.installs for word in text.split()]
    projects = [project for project in named if (project / "pyproject.toml").is_file()]
    for project in projects:
        described(project)
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(PARENTS)},
        **ALONE,
        "PYTEST_PLUGINS": "syrupy",  # which an installed pytest finds by itself
        "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, folder, *projects))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "ROWS": str(ROWS),
    }


def fits(shown: str, output: str) -> bool:
    pattern = ".*".join(map(re.escape, shown.rstrip().split("…")))
    return re.fullmatch(pattern, output.rstrip()) is not None


def of_fewer_rows(shown: str) -> str:
    """Counts of a thousand and more, for ROWS rows."""
    return re.sub(r"\d[\d,]{2,}\d", fewer, shown)


def fewer(count: re.Match[str]) -> str:
    scaled = int(count[0].replace(",", "")) * ROWS // SHOWN_ROWS
    return f"{scaled:,}" if "," in count[0] else str(scaled)


@pytest.mark.parametrize("name", NEEDS)
def test_a_tutorial_gives_what_it_shows(name: str, tmp_path: Path, upstream: str) -> None:
    for needed in NEEDS[name]:
        pytest.importorskip(needed)
    page = read(name)
    folder = tmp_path / "tutorial"
    folder.mkdir()
    variables = {f"{vendor}_BASE_URL": upstream for vendor in ("ANTHROPIC", "OPENAI")}
    variables |= {f"{vendor}_API_KEY": "your-key" for vendor in ("ANTHROPIC", "OPENAI")}
    outputs = run(page, folder, variables | {"PORT": str(free_port())})
    for step, output in zip(page.steps, outputs, strict=True):
        shown = step.shown if step.shown is None or name != MILLION else of_fewer_rows(step.shown)
        assert shown is None or fits(shown, output), f"{step.command}{output}"


def test_every_page_is_run() -> None:
    found = {f"{folder}/{file.stem}" for folder in FOLDERS for file in (PAGES / folder).glob("*.md")}
    assert found == set(NEEDS) - {"index"}


def test_a_quickstart_is_short() -> None:
    assert [
        file.name for file in (PAGES / "quickstarts").glob("*.md") if len(file.read_text().splitlines()) > 100
    ] == []


# --- what it takes to install -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NEEDS)
def test_the_extras_that_a_page_installs_exist(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [
        text for line in read(name).installs for found in re.findall(r"\[([\w,]+)\]", line) for text in found.split(",")
    ]
    assert set(named) <= set(project["optional-dependencies"])
