"""Tests a release on several Pythons, with the lowest and the newest versions of all that it depends on.

    python .ci/release.py dist
    python .ci/versions.py dist python3.11 python3.12 python3.13 python3.14

For each Python and each of the two: a new environment gets the wheel with the extra `test`, converts a payload in an
empty folder, and runs the default tests of the commit that the wheel was built from. The lowest version is the lowest
that pyproject.toml allows and that has a wheel for that Python. Needs the extra `release`. The exit status is 1 where
one run failed, or where a Python is not there.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest"}
"""What uv calls them; of packages that only other packages ask for it takes the newest in both."""
SHOWN = ("attrs", "cattrs", "orjson")
UV = (sys.executable, "-m", "uv", "pip")
CONVERTS = """
import proxai_ir
payload = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
made = proxai_ir.convert(payload, "openai_chat_completions", "anthropic_messages")
assert made["messages"][0]["content"] == "Hi", made
"""
COUNTED = re.compile(r"^(?:=+ )?(\d+ (?:passed|failed|skipped|error).*?) in [\d.]+s", re.MULTILINE)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python .ci/versions.py", description=__doc__)
    parser.add_argument("dist", type=Path, help="the folder that release.py made")
    parser.add_argument("pythons", nargs="+", help="interpreters, as names or paths")
    chosen = parser.parse_args(arguments)
    (wheel,) = chosen.dist.resolve().glob("*-py3-none-any.whl")
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        tree = sources(chosen.dist, Path(scratch) / "tree")
        for python in chosen.pythons:
            for outcome in outcomes(python, wheel, tree):
                print(outcome, flush=True)
                failed |= "failed" in outcome
    return int(failed)


def sources(dist: Path, folder: Path) -> Path:
    """Return the files of the commit that the release names, which are more than an sdist holds."""
    said = json.loads((dist / "provenance.json").read_bytes())
    commit = said["predicate"]["buildDefinition"]["externalParameters"]["commit"]
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="tar")
    return folder


def outcomes(python: str, wheel: Path, tree: Path) -> Iterator[str]:
    """Yield a line for the lowest and one for the newest versions, with what the tests say."""
    if shutil.which(python) is None:
        yield f"{python}: failed, it is not on this machine"
        return
    for name, resolution in RESOLUTIONS.items():
        with tempfile.TemporaryDirectory() as folder:
            yield f"{python}, {name}: {tried(python, resolution, wheel, tree, Path(folder))}"


def tried(python: str, resolution: str, wheel: Path, tree: Path, folder: Path) -> str:
    """Install and run everything; return the versions and the counts of the tests."""
    subprocess.run([python, "-m", "venv", folder / "env"], check=True)
    inner = folder / "env" / "bin" / "python"
    pinned = folder / "pinned.txt"
    asked = ("--python", inner, "--only-binary", ":all:")
    for command in (
        (
            "compile",
            *asked,
            "--resolution",
            resolution,
            "--extra",
            "test",
            "--output-file",
            pinned,
            tree / "pyproject.toml",
        ),
        ("install", *asked, "--constraint", pinned, f"{wheel}[test]"),
    ):
        done = subprocess.run([*UV, "--quiet", *command], capture_output=True, text=True, check=False)
        if done.returncode:
            return f"failed, it cannot be installed: {' '.join(done.stderr.split())}"
    versions = dict(
        line.split("==") for line in pinned.read_text().splitlines() if line.startswith(SHOWN) and "==" in line
    )
    said = ", ".join(f"{name} {version}" for name, version in versions.items())
    done = subprocess.run([inner, "-c", CONVERTS], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"{said}: failed, it does not convert: {done.stderr.strip().splitlines()[-1]}"
    done = subprocess.run([inner, "-m", "pytest", "-n", "2"], cwd=tree, capture_output=True, text=True, check=False)
    (counted, *_) = COUNTED.findall(done.stdout) or ["failed, no test ran"]
    failures = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return "\n    ".join([f"{said}: {counted}", *failures])


if __name__ == "__main__":
    sys.exit(main())
