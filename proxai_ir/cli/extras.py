"""Packages of an extra that is not installed: a message with the command that installs it."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager

import typer

from .exits import ExitCode


@contextmanager
def needing(what: str, extra: str, others: Mapping[str, str] | None = None) -> Generator[None, None, None]:
    """What runs here needs an extra; `others` are the extras of single packages. A missing module ends the command."""
    try:
        yield
    except ModuleNotFoundError as missing:
        name = missing.name or ""
        if name.startswith("proxai_ir"):
            raise
        extra = (others or {}).get(name, extra)
        typer.echo(f'proxai-ir: {what} needs {name}: pip install "proxai_ir[{extra}]"', err=True)
        raise typer.Exit(ExitCode.USAGE) from None
