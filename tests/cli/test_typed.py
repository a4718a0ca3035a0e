"""Whatever a message tells a user to type can be typed: commands, options, extras, and the hints of real runs."""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import typer.main

from proxai_ir.cli.app import COMMANDS, app

from .support import LOSSY, PLAIN, ROUTE, Run
from .test_convert import PENALIZED, TO_GEMINI
from .test_found import AMBIGUOUS
from .test_inspect import ASKED, SSE, bytes_of
from .test_streams import WHOLE, json_lines

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "proxai_ir"
VALUE = "1"
"""In place of what a message fills in."""
OF_OTHERS = {
    "--generation-config": "an option of vLLM's server, in the source of a fact",
    "--command": "an option of `python -m proxai_ir.testing.conform`",
    "--options": "an option of `python -m proxai_ir.testing.conform`",
    "--timeout": "an option of `python -m proxai_ir.testing.conform`",
}
THREADS = {"database", "sweeps"}
"""What stands behind the library's name in names of threads."""
GROUP: Any = typer.main.get_command(app)


def texts() -> Iterator[tuple[str, str]]:
    """Every text in the package's code with its place; what is filled in is VALUE."""
    for file in sorted(PACKAGE.rglob("*.py")):
        if "spec" in file.relative_to(PACKAGE).parts:
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        whole = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
        pieces = {id(one) for node in whole for one in node.values}
        for node in ast.walk(tree):
            place = f"{file.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.JoinedStr):
                yield place, "".join(str(one.value) if isinstance(one, ast.Constant) else VALUE for one in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in pieces:
                yield place, node.value


TEXTS = [(place, text) for place, text in texts() if re.search(r"--[a-z]|proxai-ir|pip install|proxai_ir\[", text)]


def why_not(typed: str) -> str:
    """Why a command cannot be parsed, "" if it can be; what a message fills in is no fault of it."""
    name, *arguments = shlex.split(typed)[1:]
    if name not in COMMANDS:
        return f"no command {name}"
    try:
        GROUP.commands[name].make_context(name, arguments)
    except typer.Exit:
        return ""
    except Exception as error:
        shown = f"{getattr(error, 'message', '')} {error!r}"
        return "" if f"'{VALUE}'" in shown else shown
    return ""


def options() -> set[str]:
    known = {flag for one in GROUP.params for flag in one.opts}
    for name in COMMANDS:
        for one in GROUP.commands[name].params:
            known |= {*one.opts, *one.secondary_opts}
    return known | {"--help"}


def test_there_are_such_texts() -> None:
    assert len(TEXTS) > 80


def test_every_option_in_a_text_is_one() -> None:
    known = options()
    found = [(place, flag) for place, text in TEXTS for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]", text)]
    assert [(place, flag) for place, flag in found if flag not in known | OF_OTHERS.keys()] == []


def test_every_command_in_a_text_is_one() -> None:
    found = [(place, name) for place, text in TEXTS for name in re.findall(r"proxai-ir ([a-z][a-z-]+)\b", text)]
    assert len(found) > 10
    assert [(place, name) for place, name in found if name not in COMMANDS.keys() | THREADS] == []


def test_a_whole_command_in_a_text_can_be_parsed() -> None:
    commands = [
        (place, typed) for place, text in TEXTS for typed in re.findall(r"`(proxai-ir [a-z][a-z-]+ [^`]+)`", text)
    ]
    assert commands
    assert [(place, typed, why_not(typed)) for place, typed in commands if why_not(typed)] == []


def test_what_cannot_be_parsed_is_noticed() -> None:
    assert why_not("proxai-ir convert --form x") != ""
    assert why_not("proxai-ir matrix") == "no command matrix"
    assert why_not("proxai-ir explain") != ""


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_of_a_command_can_be_parsed(name: str) -> None:
    assert COMMANDS[name].example.split()[0] == name
    assert why_not(f"proxai-ir {COMMANDS[name].example}") == ""


def test_every_extra_in_a_text_is_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {*project["optional-dependencies"], VALUE}
    found = [(place, one) for place, text in TEXTS for one in re.findall(r"pip install [\"']\.\[([^\]]+)\]", text)]
    assert len(found) > 4
    assert [(place, one) for place, one in found if one not in extras] == []
    assert [place for place, text in TEXTS if re.search(r"pip install [\"']?proxai_ir\[", text)] == []


@pytest.mark.parametrize(
    ("arguments", "stdin", "hint"),
    [
        (("convert", *ROUTE, "--kind", "request"), SSE, r"a stream needs (--kind stream)"),
        (("convert", *ROUTE), PLAIN + b"\n" + LOSSY, r"pass (--jsonl)"),
        (("convert", *ROUTE, "--kind", "stream"), json_lines(*WHOLE), r"pass (--jsonl)"),
        (("convert", "--to", ROUTE[3]), AMBIGUOUS, r"state one: (--from \w+)"),
        (("convert", *TO_GEMINI, "--option", "penalties=true"), PENALIZED, r"a server: (--capability penalties=true)"),
    ],
)
def test_what_a_message_says_is_what_helps(run: Run, arguments: tuple[str, ...], stdin: bytes, hint: str) -> None:
    refused = run(*arguments, "-", stdin=stdin)
    assert refused.exit_code in (2, 4, 5)
    found = re.search(hint, refused.stderr)
    assert found, refused.stderr
    (typed,) = found.groups()
    kept = arguments[: arguments.index("--option")] if "--option" in arguments else arguments
    done = run(*kept, *typed.split(), "-", stdin=stdin)
    assert done.exit_code == 0, done.stderr


def test_a_line_of_a_batch_names_the_command_that_converts_it(run: Run) -> None:
    result = run("convert", "--to", ROUTE[1], "-", stdin=bytes_of({"custom_id": "a", "params": ASKED}))
    (typed,) = re.findall(r"`(proxai-ir [^`]+)`", result.stderr)
    assert why_not(typed) == ""
