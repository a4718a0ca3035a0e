"""The agents, which are installed from npm into a temporary folder, once."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

AGENTS = ["@anthropic-ai/claude-code", "@openai/codex", "@google/gemini-cli", "opencode-ai"]
PACKAGES = [*AGENTS, "ai", "@ai-sdk/anthropic", "@ai-sdk/openai", "zod"]
SETUPS = ("@anthropic-ai/claude-code/install.cjs", "opencode-ai/postinstall.mjs")
"""Which npm runs by itself only where scripts are allowed."""


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("npm")
    made = subprocess.run(
        ["npm", "install", "--prefix", str(folder), *PACKAGES], check=False, capture_output=True, text=True
    )
    if made.returncode:
        pytest.skip(f"npm could not install the agents: {made.stderr[-300:]}")
    for name in SETUPS:
        setup = folder / "node_modules" / name
        if setup.exists():
            subprocess.run(["node", setup.name], cwd=setup.parent, check=True, capture_output=True)
    return folder
