"""Four strangers, each with a clock: from a clone of HEAD and a fresh environment to what the README promises them.

A story is a list of pages, each of which the README or the page before it links. Its commands are those of the pages,
in their order: how the README has the project cloned and first used, then every block of `sh` on the pages. Nothing
else is installed or typed. Each block exits with 0 and prints what its page shows; where nothing is shown, it prints no
error.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ..outside.projects import ROOT
from ..waiting import free_port
from .test_tutorials import BLOCK, PAGES, PARENTS, fits, read

README = (ROOT / "README.md").read_text(encoding="utf-8")
STORIES = {
    "the author of a proxy": ["quickstarts/proxy"],
    "an engineer with logs": ["guides/logs", "quickstarts/parquet"],
    "the user of an agent": ["quickstarts/agent"],
    "who tests payloads of his own": ["guides/testing"],
}
SECONDS = 300
"""What each story may take, with all that pip fetches and builds."""
END = "--- end of a block:"
WRONG = re.compile(r"Traceback|command not found|No such file|^error\b|\berror:", re.IGNORECASE | re.MULTILINE)
RUN = "proxai-ir run claude --on gemini:gemini-3-pro\n"
"""The one `console` block that is run: with an agent that stands in for Claude Code, and a server for the vendor's."""
RAN = """…: gemini at …
…: page: …
…It is 42.…: the client ended with 0
…: exchanges  1
…: tokens     input 9, output 7
…: lost       nothing
…: log        proxai-ir log --limit 1 …
"""
AGENT = """#!/bin/sh
exec curl --silent --fail "$ANTHROPIC_BASE_URL/v1/messages" -H "authorization: Bearer $ANTHROPIC_AUTH_TOKEN" \\
  --json '{"model": "claude-opus-4-6", "max_tokens": 500, "messages": [{"role": "user", "content": "6 times 7?"}]}'
"""


def linked(text: str, folder: Path) -> set[str]:
    """Return the pages that a text in this folder links, by their names."""
    links = [(folder / link).resolve() for link in re.findall(r"\]\(([^)#:]+\.md)", text)]
    return {str(link.relative_to(PAGES).with_suffix("")) for link in links if link.is_relative_to(PAGES)}


def blocks(text: str, upstream: str) -> list[tuple[str, str | None]]:
    """Return the commands of a page, in their order, each with the output that the page shows."""
    found: list[tuple[str, str | None]] = []
    for block in BLOCK.finditer(text):
        language, file, code = block.group("language", "file", "text")
        if language == "sh":
            found.append((code, None))
        elif code == RUN:
            found.append((f"{code.rstrip()} --base-url {upstream}", RAN))
        elif not file and language != "console":
            found[-1] = found[-1][0], code
    return found


def begun(clone: Path) -> list[tuple[str, str | None]]:
    """Return the first two blocks of the README, which install the project; losses are printed before its output."""
    (get,) = re.findall(r"```console\n(git clone REPOSITORY .*?)```", README, re.DOTALL)
    first = next(block["text"] for block in BLOCK.finditer(README) if block["language"] == "sh")
    return [(get.replace("REPOSITORY proxai_ir", shlex.join(map(str, (ROOT, clone.name)))), None), (first, None)]


@pytest.fixture(scope="module")
def available(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where git, curl or a pip that finds packages is missing, which a stranger's machine has."""
    for program in ("git", "curl", "python3"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program}")
    if subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=False, capture_output=True).returncode:
        pytest.skip("this is no clone, of which another could be made")
    command = ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(tmp_path_factory.mktemp("pip")), "attrs"]
    done = subprocess.run([sys.executable, *command], check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"pip finds no packages: {done.stderr.strip().rpartition(chr(10))[2]}")


@pytest.mark.slow
@pytest.mark.parametrize("who", STORIES)
@pytest.mark.usefixtures("available")
def test_a_story(who: str, tmp_path: Path, upstream: str, capsys: pytest.CaptureFixture[str]) -> None:
    clone, own, programs = tmp_path / "proxai_ir", tmp_path / "own", tmp_path / "bin"
    steps = begun(clone)
    known = linked(README, ROOT)
    for page in STORIES[who]:
        text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
        assert page in known, f"nothing links {page}"
        known |= linked(text, (PAGES / page).parent)
        steps += blocks(text, upstream)
        for file, content in read(page).files.items():
            (own / file).parent.mkdir(parents=True, exist_ok=True)
            (own / file).write_text(content, encoding="utf-8")
    programs.mkdir()
    (programs / "claude").write_text(AGENT)
    (programs / "claude").chmod(0o755)
    started = time.monotonic()
    outputs = typed([command for command, _ in steps], clone, own, environment(programs, upstream))
    seconds = time.monotonic() - started
    with capsys.disabled():
        print(f"\n{who}: {seconds:.0f} s", end=" ")
    for (command, shown), (output, code) in zip(steps, outputs, strict=True):
        assert code == 0, f"{command}{output}"
        assert fits(shown, output) if shown else not WRONG.search(output), f"{command}{output}"
    assert seconds <= SECONDS


def environment(programs: Path, upstream: str) -> dict[str, str]:
    """Return the variables of a stranger's shell, with keys, and with servers of ours for the vendors'."""
    ours = (*PARENTS, "PYTHON", "VIRTUAL_ENV", "XDG_", "COVERAGE")
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(ours)},
        **{f"{vendor}_BASE_URL": upstream for vendor in ("ANTHROPIC", "OPENAI")},
        **{f"{vendor}_API_KEY": "your-key" for vendor in ("ANTHROPIC", "OPENAI", "GEMINI")},
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PORT": str(free_port()),
        "XDG_STATE_HOME": str(programs.parent / "state"),
    }


def typed(commands: list[str], clone: Path, own: Path, variables: dict[str, str]) -> list[tuple[str, int]]:
    """Type commands into one shell: what installs the project in the clone, and all else in a folder of one's own.

    Returns the output of each, standard error included, and its exit code.
    """
    own.mkdir(exist_ok=True)
    script = "exec 2>&1\n"
    for at, command in enumerate(commands):
        if at > 0:
            script += f"cd {shlex.quote(str(clone if command.startswith('pip install ') else own))}\n"
        script += f"{command}\nprintf '%s %s\\n' {shlex.quote(END)} $?\n"
    shell = subprocess.Popen(
        ["bash", "-c", script],
        cwd=clone.parent,
        env=variables,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = shell.communicate(timeout=3 * SECONDS)
    finally:
        if shell.poll() is None:
            os.killpg(shell.pid, signal.SIGKILL)
    pieces = re.split(rf"{re.escape(END)} (\d+)\n", output)  # after output without a newline, too
    return [(text, int(code)) for text, code in zip(pieces[::2], pieces[1::2], strict=False)]
