"""What is published is the same whenever a commit is built, says where it comes from, and runs as it is."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / ".ci" / "release.py"
pytestmark = pytest.mark.slow


def in_git() -> bool:
    return bool(shutil.which("git")) and (ROOT / ".git").exists()


def released(folder: Path) -> Path:
    if find_spec("build") is None or not in_git():
        pytest.skip("no checkout, or `build` is not installed: the extra `release`")
    command: list[str | Path] = [sys.executable, SCRIPT, folder, "--commit", "HEAD~0", "--no-sbom"]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def hashes(folder: Path) -> dict[str, str]:
    return {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in sorted(folder.iterdir())}


def test_a_release_is_the_same_again_and_runs(tmp_path: Path) -> None:
    first = released(tmp_path / "first")
    assert hashes(first) == hashes(released(tmp_path / "second"))
    said = json.loads((first / "provenance.json").read_bytes())
    files = {one["name"]: one["digest"]["sha256"] for one in said["subject"]}
    assert files == {name: one for name, one in hashes(first).items() if name != "provenance.json"}
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert said["predicate"]["buildDefinition"]["externalParameters"]["commit"] == commit.strip()

    (wheel,) = first.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")  # no compiler is needed
    runs(wheel, tmp_path)


def runs(wheel: Path, folder: Path) -> Path:
    """That a wheel converts by itself; where it is installed."""
    installed = folder / "installed"
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        installed,
        wheel,
    ]
    subprocess.run(command, check=True, capture_output=True)
    program = (
        "import proxai_ir; print(proxai_ir.__file__); print(proxai_ir.convert({'model': 'm', 'max_tokens': 5, "
        "'messages': [{'role': 'user', 'content': 'Hi'}]}, 'anthropic_messages', 'openai_chat_completions'))"
    )
    run, env = [sys.executable, "-c", program], {"PYTHONPATH": str(installed)}
    done = subprocess.run(run, check=True, capture_output=True, text=True, cwd=folder, env=env)
    where, output = done.stdout.splitlines()
    assert Path(where).is_relative_to(installed)
    assert output == "{'model': 'm', 'messages': [{'role': 'user', 'content': 'Hi'}], 'max_completion_tokens': 5}"
    return installed


def test_a_compiled_wheel_runs_and_its_tracebacks_name_the_lines_of_the_sources(tmp_path: Path) -> None:
    if find_spec("Cython") is None or find_spec("build") is None or not shutil.which("cc") or not in_git():
        pytest.skip("no checkout, no C compiler, or Cython is not installed: the extra `compile`")
    script: list[str | Path] = [
        sys.executable,
        ROOT / ".ci" / "compiled.py",
        tmp_path / "made",
        "--only",
        "passes.naming",
    ]
    subprocess.run(script, check=True, capture_output=True)
    (wheel,) = (tmp_path / "made" / "dist").glob("*.whl")
    installed = runs(wheel, tmp_path)
    program = "from proxai_ir.passes import naming; print(naming.__file__); naming._qualified(5)"
    run, env = [sys.executable, "-c", program], {"PYTHONPATH": str(installed)}
    done = subprocess.run(run, check=False, capture_output=True, text=True, cwd=tmp_path, env=env)
    assert Path(done.stdout.strip()).suffix == ".so"
    assert 'proxai_ir/passes/naming.py", line ' in done.stderr
    assert (installed / "proxai_ir" / "passes" / "naming.py").is_file()
    assert not [*installed.rglob("*.c")]
