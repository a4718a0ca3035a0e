"""How the agents are installed: from npm, into a folder of their own."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

STATED = (
    "@anthropic-ai/claude-code@2.1.332",
    "@openai/codex@0.171.0",
    "@google/gemini-cli@0.61.0",
    "opencode-ai@1.18.33",
    "ai@6.0.326",
    "@ai-sdk/anthropic@3.0.140",
    "@ai-sdk/openai@3.0.141",
    "zod@4.6.7",
)
"""In versions that are stated: what others publish decides no test."""
NEWEST = ("@anthropic-ai/claude-code", "@openai/codex", "@google/gemini-cli", "opencode-ai")
"""The agents as they are published today."""
SETUPS = ("@anthropic-ai/claude-code/install.cjs", "opencode-ai/postinstall.mjs")
"""Which npm runs by itself only where scripts are allowed."""


class NotInstalled(Exception):
    """npm could not install the packages; the text is what it said."""


def install(folder: Path, packages: Sequence[str]) -> Path:
    """Install packages, and return the folder that holds node_modules. Raises NotInstalled."""
    folder.mkdir(exist_ok=True)
    made = subprocess.run(
        ["npm", "install", "--prefix", str(folder), *packages], check=False, capture_output=True, text=True
    )
    if made.returncode:
        raise NotInstalled(made.stderr[-300:])
    for name in SETUPS:
        setup = folder / "node_modules" / name
        if setup.exists():
            subprocess.run(["node", setup.name], cwd=setup.parent, check=True, capture_output=True)
    return folder
