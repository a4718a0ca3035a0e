"""Errors of usage: one line that says what was found, what was expected, and what to type.

Rule: typer decides what is wrong; this only writes it. It is the group of all commands.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from ..reporting.diagnostics import near
from .show import visible

UsageError: Any = typer.BadParameter.__base__
"""The class has no public name."""
PREFIX = "Value error, "
"""What a validator of choices puts before its message."""


class Commands(TyperGroup):
    """All commands."""

    def main(  # type: ignore[override]  # as group and command are always called
        self, args: Sequence[str] | None = None, *, standalone_mode: bool = True, **others: Any
    ) -> Any:
        if not standalone_mode:
            return super().main(args, standalone_mode=False, **others)
        typed = sys.argv[1:] if args is None else [*args]
        try:
            code = super().main(args, standalone_mode=False, **others)
        except UsageError as error:
            typer.echo(self._one_line(error, typed), err=True)
            sys.exit(error.exit_code)
        except typer.Abort:
            sys.exit(1)
        sys.exit(code if isinstance(code, int) else 0)

    def _one_line(self, error: Any, typed: Sequence[str]) -> str:
        """The error, after the command that it is about; and where that one is explained."""
        named = next((word for word in typed if word in self.commands), "")
        command = error.ctx.command_path if error.ctx is not None else f"proxai-ir {named}".strip()
        about = self.commands[named] if named else self
        return visible(f"{command}: {_problem(error, about, typed).rstrip('.')}; see `{command} --help`")


def _problem(error: Any, command: Any, typed: Sequence[str]) -> str:
    message = str(error.message or "").removeprefix(PREFIX)
    parameter = getattr(error, "param", None)
    if hasattr(error, "param_type"):
        return f"{_name(parameter)} is missing; expected {_meaning(parameter)}"
    if hasattr(error, "possibilities"):
        known = [flag for one in command.params for flag in one.opts if flag.startswith("-")]
        return f"there is no option {error.option_name}{near(error.option_name, known)}"
    if hasattr(error, "option_name"):
        (parameter,) = [one for one in command.params if error.option_name in one.opts] or [None]
        return f"{message.rstrip('.')}; expected {_meaning(parameter)}" if parameter else message
    if isinstance(error, typer.BadParameter):
        return _about(error, message, _found(parameter, typed))
    if message.startswith("Got unexpected extra"):
        usage = command.get_usage(error.ctx).removeprefix("Usage: ").strip() if error.ctx else ""
        return f"{message}; expected {usage}" if usage else message
    return message


def _about(error: Any, message: str, found: str) -> str:
    """A wrong value: of what, which one, and why."""
    hint = error.param_hint
    name = hint.strip("'") if isinstance(hint, str) else _name(error.param) if error.param is not None else ""
    value = "" if not found or found in message else f"found {found!r}; "
    return f"{name}: {value}{message}" if name else message


def _found(parameter: Any, typed: Sequence[str]) -> str:
    """The value that was given to an option."""
    for at, word in enumerate(typed):
        flag, equals, value = word.partition("=")
        if parameter is not None and flag in parameter.opts and flag.startswith("-"):
            return value if equals else "".join(typed[at + 1 : at + 2])
    return ""


def _name(parameter: Any) -> str:
    """The option or argument as it is typed."""
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar or str(parameter.name).upper())


def _meaning(parameter: Any) -> str:
    """An option with its value, or an argument, and its meaning."""
    name, about = _name(parameter), (parameter.help or "").partition(". ")[0].rstrip(".")
    if parameter.param_type_name == "option" and not getattr(parameter, "is_flag", False):
        name = f"{name} {parameter.metavar or str(parameter.name).upper()}"
    return f"{name} ({about})" if about else name
