"""Projects of other packages: found by the library as installed ones are, and run in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]


def described(project: Path) -> None:
    """Write what an installer would write about a project, into the folder that holds it."""
    about = tomllib.loads((project / "pyproject.toml").read_text())["project"]
    info = project.parent / f"{about['name'].replace('-', '_')}-{about['version']}.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n")
    lines: list[str] = []
    for group, entries in about["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {target}" for name, target in entries.items())]
    info.joinpath("entry_points.txt").write_text("\n".join(lines) + "\n")


# A pytest that a test starts has neither the plugins nor the options of the run that it belongs to.
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}


def run(project: Path, command: Sequence[str], library: Path = ROOT) -> str:
    """The output of a Python command in a project, with the library from a folder."""
    path = os.pathsep.join(map(str, (project.parent, project, library)))
    done = subprocess.run(
        [sys.executable, *command],
        cwd=project,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **ALONE},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    return done.stdout
