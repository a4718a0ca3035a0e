"""`proxai-ir run` with the real agents, each against upstreams of two other protocols than its own.

A command in the shell, then the right text; and the summary at the end. Nothing is set but what `run` sets.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import proxai_ir

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from .provider import TEXT
from .server import KEY, serving
from .test_agents import LONGEST, went_well

for module in ("starlette", "uvicorn", "httpx"):
    pytest.importorskip(module, reason="the extra `serve` is not installed")

pytestmark = pytest.mark.slow

ASKED = "Count the apples."
ARGUMENTS = {
    "claude": ("-p", ASKED, "--allowedTools", "Bash"),
    "codex": ("exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", ASKED),
    # Without a model it asks one which model it should ask, and wants JSON, which the scripted providers do not have.
    "gemini": ("-p", ASKED, "--yolo", "--skip-trust", "--model", "gemini-3-pro-preview"),
    "opencode": ("run", ASKED),
}
OWN = {"claude": ANTHROPIC, "codex": RESPONSES, "gemini": GEMINI, "opencode": ANTHROPIC}
DROPS_THOUGHTS = {"gemini"}
"""Its history has no thoughts, and so no signature of one; its calls have a placeholder where the server gave none."""
ON = {
    ANTHROPIC: ("anthropic:claude-opus-5", "ANTHROPIC_API_KEY"),
    CHAT: ("mistral:provider-model", "MISTRAL_API_KEY"),
    GEMINI: ("gemini:gemini-3-pro", "GEMINI_API_KEY"),
    RESPONSES: ("openai:gpt-5.6", "OPENAI_API_KEY"),
}
PAIRS = [
    *(("claude", GEMINI), ("claude", CHAT)),
    *(("codex", ANTHROPIC), ("codex", GEMINI)),
    *(("gemini", RESPONSES), ("gemini", ANTHROPIC)),
    *(("opencode", GEMINI), ("opencode", RESPONSES)),
]


@pytest.mark.parametrize(("agent", "protocol"), PAIRS)
def test_an_agent_on_another_model(packages: Path, tmp_path: Path, agent: str, protocol: str) -> None:
    on, variable = ON[protocol]
    environment = {
        "PATH": os.pathsep.join((str(packages / "node_modules/.bin"), os.environ["PATH"])),
        "HOME": str(tmp_path),
        "PYTHONPATH": str(Path(proxai_ir.__file__).parents[1]),
        "OPENCODE_DISABLE_MODELS_FETCH": "1",  # of a server that tests cannot rely on
        variable: KEY,
    }
    with serving(protocol) as provider:
        command = [sys.executable, "-m", "proxai_ir.cli", "run", agent, "--on", on, "--base-url", provider.url]
        done = subprocess.run(
            [*command, "--", *ARGUMENTS[agent]],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=3 * LONGEST,  # opencode installs packages when it is first started
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert TEXT in done.stdout
    if agent in DROPS_THOUGHTS:
        assert provider.found == []
    else:
        went_well(provider, OWN[agent])
    assert "the client ended with 0" in done.stderr
    assert f"exchanges  {len(provider.asked)}\n" in done.stderr
    assert "tokens     input " in done.stderr
    assert f"log        proxai-ir log --limit {len(provider.asked)}" in done.stderr
