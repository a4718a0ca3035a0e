"""The agents, which are installed from npm into a temporary folder, once."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

PACKAGES = [
    "@anthropic-ai/claude-code@2.1.197",
    "@openai/codex@0.171.0",
    "@google/gemini-cli@0.61.0",
    "opencode-ai@1.18.33",
    "ai@6.0.326",
    "@ai-sdk/anthropic@3.0.140",
    "@ai-sdk/openai@3.0.141",
    "zod@4.6.7",
]
"""In versions that are stated: what others publish decides no test."""
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
