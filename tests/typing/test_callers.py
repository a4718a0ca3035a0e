"""What type checkers tell callers: of a program that uses the library as it is installed, and of the options."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, Literal, get_type_hints

import pytest

from proxai_ir.conversion.options import SHARED, options_among, settings_of
from proxai_ir.conversion.settings import Options, ProtocolOptions, Settings
from proxai_ir.protocol.registry import protocols

PROGRAM = Path(__file__).with_name("caller.txt")
COPIED = ("pyproject.toml", "README.md", "LICENSE", "proxai_ir", "frontends", "backends", "spec")
HOOKS = {"wheel": "build_wheel", "editable": "build_editable"}


def test_every_option_has_a_type() -> None:
    """The options of built-in protocols and the types for callers are the same ones."""
    stated: dict[str, Any] = {}
    for protocol in protocols():
        stated |= settings_of(protocol)
    assert {*Settings.__annotations__} == stated.keys()
    assert {*ProtocolOptions.__annotations__} == options_among(stated).keys()
    assert {*Options.__annotations__} == {*SHARED, *ProtocolOptions.__annotations__}
    assert len(Options.__annotations__) < 24


def test_the_types_are_those_of_the_defaults() -> None:
    hints = get_type_hints(Settings)
    for protocol in protocols():
        for name, one in settings_of(protocol).items():
            assert hints[name] == (Literal[one.choices] if one.choices else type(one.default)), name


def built(root: Path, folder: Path, kind: str) -> Path:
    """An environment with nothing but this library, installed from a copy of the tree."""
    environment, wheels, tree = folder / "environment", folder / "wheels", folder / "tree"
    for one in (wheels, tree):
        one.mkdir()
    subprocess.run(["cp", "-R", *(str(root / name) for name in COPIED), str(tree)], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    code = f"import setuptools.build_meta as hooks; hooks.{HOOKS[kind]}({str(wheels)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=tree, check=True, capture_output=True, timeout=300)
    (wheel,) = wheels.glob("*.whl")
    (packages,) = environment.glob("lib/python*/site-packages")
    zipfile.ZipFile(wheel).extractall(packages)
    return environment / "bin" / "python"


def checked(command: list[str], folder: Path) -> str:
    outside = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MYPYPATH")}
    command = [sys.executable, "-m", *command, "caller.py"]
    ran = subprocess.run(command, check=False, cwd=folder, env=outside, capture_output=True, text=True, timeout=300)
    return ran.stdout


def by_mypy(python: Path, folder: Path) -> set[int]:
    found = checked(["mypy", "--strict", "--python-executable", str(python)], folder)
    return {int(line) for line in re.findall(r"^caller\.py:(\d+): error", found, flags=re.M)}


def by_pyright(python: Path, folder: Path) -> set[int]:
    (folder / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    found = json.loads(checked(["pyright", "--outputjson", "--pythonpath", str(python)], folder))
    return {one["range"]["start"]["line"] + 1 for one in found["generalDiagnostics"] if one["severity"] == "error"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOOKS)
def test_a_program_of_a_caller(kind: str, tmp_path: Path, root: Path) -> None:
    pytest.importorskip("setuptools", minversion="77")
    python = built(root, tmp_path, kind)
    folder = tmp_path / "project"
    folder.mkdir()
    text = PROGRAM.read_text()
    (folder / "caller.py").write_text(text)
    wrong = {number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# wrong")}
    for checker, module in ((by_mypy, "mypy"), (by_pyright, "pyright")):
        pytest.importorskip(module)
        assert checker(python, folder) == wrong, module
