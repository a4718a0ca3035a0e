"""Payloads whose conversion is known by hand, and what else the command line's tests share."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.testing import Result

import proxai_ir

ROUTE = ("--from", "openai_chat_completions", "--to", "anthropic_messages")

PLAIN = b'{"model":"m","messages":[{"role":"user","content":"hi"}],"max_completion_tokens":5}'
LOSSY = b'{"model":"m","messages":[{"role":"user","content":"hi"}],"max_completion_tokens":5,"seed":1}'
REFUSED = b'{"model":"m","messages":[{"role":"user","content":"hi"}],"max_completion_tokens":5,"n":2}'
TWICE_REFUSED = (
    b'{"model":"m","messages":[{"role":"function","name":"f","content":"x"}],"max_completion_tokens":5,"n":2}'
)
NO_JSON = b'{"model":'
CONVERTED = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 5}
"""What anthropic gets for PLAIN and for LOSSY."""

Run = Callable[..., Result]
Spawn = Callable[..., subprocess.CompletedProcess[bytes]]


def environment() -> dict[str, str]:
    """A subprocess finds the package under test, and no variable decides about colours."""
    decides = {"FORCE_COLOR", "NO_COLOR", "GITHUB_ACTIONS", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "PY_COLORS"}
    kept = {name: value for name, value in os.environ.items() if name not in decides}
    return kept | {"PYTHONPATH": str(Path(proxai_ir.__file__).parents[1]), "TERM": "xterm-256color", "COLUMNS": "80"}


def records(lines: str) -> list[dict[str, Any]]:
    """JSON lines, parsed."""
    return [json.loads(line) for line in lines.splitlines()]
