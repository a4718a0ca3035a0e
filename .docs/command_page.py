"""The page of the command line: its tables of commands and of exit codes, made of the application."""

from __future__ import annotations

from typing import Any

import typer.main

from proxai_ir.cli.app import COMMANDS, app
from proxai_ir.cli.outcome import MEANINGS, ExitCode

COMMAND_MARKER, CODE_MARKER = "<!-- commands -->", "<!-- exit codes -->"


def filled(markdown: str) -> str:
    """Return the page with both tables."""
    for marker, table in ((COMMAND_MARKER, commands()), (CODE_MARKER, codes())):
        assert marker in markdown, f"guides/command-line.md has no place for {marker}"
        markdown = markdown.replace(marker, table)
    return markdown


def commands() -> str:
    """Return a row for each command: what it does, an example, and the codes that it ends with."""
    group: Any = typer.main.get_command(app)
    lines = ["| command | does | example | exit codes |", "| --- | --- | --- | --- |"]
    for name, one in COMMANDS.items():
        does = " ".join((group.commands[name].help or "").partition("\n\n")[0].split()).replace("|", "\\|")
        ends = ", ".join(str(code.value) for code in (*one.codes, ExitCode.INTERRUPTED))
        lines.append(f"| `{name}` | {does} | `proxai-ir {one.example}` | {ends} |")
    return "\n".join(lines)


def codes() -> str:
    """Return a row for each exit code: what it means, and which commands end with it."""
    lines = ["| exit code | means | of |", "| --- | --- | --- |"]
    for code, meaning in MEANINGS.items():
        names = [f"`{name}`" for name, one in COMMANDS.items() if code in one.codes]
        everywhere = len(names) in (0, len(COMMANDS))
        lines.append(f"| {code.value} | {meaning} | {'all' if everywhere else ', '.join(names)} |")
    return "\n".join(lines)
