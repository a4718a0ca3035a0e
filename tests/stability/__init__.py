"""What a version promises to keep (spec/stability.md), as it is now, and what a change of it would break."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

import proxai_ir
from proxai_ir.cli.app import app
from proxai_ir.cli.outcome import ExitCode
from proxai_ir.ir.json_schema import schema
from proxai_ir.reporting.catalogue import RULES

RECORD = Path(__file__).parents[2] / "spec" / "stability.json"
GRAVITY = ("law", "info", "loss", "error")
"""The severities, from one that is never reported to one that stops a conversion."""

Promise = dict[str, Any]


def promised() -> Promise:
    """What users may rely on, as plain JSON."""
    return {
        "names": {name: members(getattr(proxai_ir, name)) for name in sorted(proxai_ir.__all__)},
        "rules": {rule.id: rule.severity for rule in RULES.values()},
        "commands": {name: sorted(options) for name, options in commands()},
        "exit codes": {code.name: code.value for code in ExitCode},
        "classes": {name: sorted(one["properties"]) for name, one in schema()["$defs"].items()},
    }


def members(value: Any) -> list[str]:
    """The names of a function's parameters, or of what a class has for its users."""
    if inspect.isfunction(value):
        return [*inspect.signature(value).parameters]
    return [name for name in dir(value) if not name.startswith("_")] if inspect.isclass(value) else []


def commands() -> Iterator[tuple[str, list[str]]]:
    group: Any = typer.main.get_command(app)
    for name, command in sorted(group.commands.items()):
        yield name, [option for one in command.params for option in one.opts if option.startswith("--")]


def breaks(before: Promise, now: Promise) -> list[str]:
    """What somebody who relies on `before` loses."""
    found = [f"{kind}: {name} is gone" for kind in before for name in before[kind] if name not in now[kind]]
    for kind in ("names", "commands", "classes"):
        for name, members in before[kind].items():
            found += [f"{kind}: {name} has no {one}" for one in members if one not in now[kind].get(name, members)]
    found += [
        f"rules: {name} was {was} and is {now['rules'][name]}"
        for name, was in before["rules"].items()
        if name in now["rules"] and GRAVITY.index(now["rules"][name]) > GRAVITY.index(was)
    ]
    codes = now["exit codes"]
    was = before["exit codes"].items()
    return found + [f"exit codes: {name} was {code}" for name, code in was if codes.get(name, code) != code]
