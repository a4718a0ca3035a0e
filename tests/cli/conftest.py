"""Two ways to run a command."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner, Result

from proxai_ir.cli.app import app

from .support import Run, Spawn, environment


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """A command in this process; bytes given to it are its standard input."""
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def call(*arguments: str, stdin: bytes = b"") -> Result:
        return CliRunner().invoke(app, list(arguments), input=stdin, prog_name="proxai-ir", catch_exceptions=False)

    return call


@pytest.fixture
def spawn() -> Spawn:
    """A command in a process of its own."""

    def call(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "proxai_ir.cli", *arguments]
        return subprocess.run(command, input=stdin, capture_output=True, env=environment(), timeout=60, check=False)

    return call
