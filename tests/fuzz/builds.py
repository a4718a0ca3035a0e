"""Compares the compiled library with the pure one: for each case of the fuzzer both give the same bytes and findings.

    python -m tests.fuzz.builds --payloads 20000 --streams 2000 --seed 5

It compiles the commit that is checked out, and runs the fuzzer with either build at the same time. The exit status is 1
where a case differs. Needs what `.ci/compiled.py` needs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from .__main__ import CORPUS

ROOT = Path(__file__).resolve().parents[2]
MOST_NAMED = 20  # cases that differ


class Build(NamedTuple):
    """Holds how many modules of a build are compiled, and by each case's name a hash of what came of the case."""

    modules: int
    outcomes: Mapping[str, str]


def compiled(folder: Path) -> Path:
    """Compile the library of the commit that is checked out; return the tree."""
    if subprocess.run(["git", "diff", "--quiet", "HEAD"], cwd=ROOT, check=False).returncode:
        raise SystemExit("expected a checkout without changes, as it is compared with its commit")
    command = [sys.executable, str(ROOT / ".ci" / "compiled.py"), str(folder)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:  # else the compiler's warnings are of no use
        raise SystemExit(done.stdout)
    return folder / "tree"


def fuzzed(trees: Sequence[Path], arguments: Sequence[str], folder: Path) -> list[Build]:
    """Run the fuzzer with each build at the same time."""
    command = [sys.executable, "-m", "tests.fuzz", "--framings", "0", *arguments]
    files = [folder / f"{number}.json" for number in range(len(trees))]
    running = [
        subprocess.Popen([*command, "--outcomes", file], cwd=tree, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for tree, file in zip(trees, files, strict=True)
    ]
    for one in running:
        one.wait()
    return [Build(**orjson.loads(file.read_bytes())) for file in files]


def differing(pure: Build, other: Build) -> list[str]:
    """Return the cases that both compare, and of which something else came."""
    both = pure.outcomes.keys() & other.outcomes.keys()
    return sorted(name for name in both if pure.outcomes[name] != other.outcomes[name])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.builds", description=__doc__)
    for name in ("payloads", "streams", "seed"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--tree", type=Path, help="a tree of .ci/compiled.py, if there is one already")
    chosen = parser.parse_args(arguments)
    counts: dict[str, Any] = {"payloads": chosen.payloads, "streams": chosen.streams, "seed": chosen.seed}
    given = [word for name, value in counts.items() for word in (f"--{name}", value)]
    with tempfile.TemporaryDirectory() as folder:
        tree = chosen.tree or compiled(Path(folder) / "compiled")
        pure, other = fuzzed([ROOT, tree], [*given, "--corpus", str(CORPUS)], Path(folder))
    if pure.modules or not other.modules:
        raise SystemExit(f"expected a pure and a compiled build, found {pure.modules} and {other.modules} such modules")
    differ = differing(pure, other)
    alike = len(pure.outcomes.keys() & other.outcomes.keys()) - len(differ)
    print(f"seed {chosen.seed}, {other.modules} compiled modules: {alike:,} cases alike, {len(differ)} differ")
    print(*differ[:MOST_NAMED], sep="\n")
    return 1 if differ or not alike else 0


if __name__ == "__main__":
    sys.exit(main())
