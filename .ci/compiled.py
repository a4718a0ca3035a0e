"""Compiles the library of a commit by Cython, as a tree to test and as a wheel: `python .ci/compiled.py FOLDER`.

    FOLDER/tree   the commit's files with extension modules beside their sources: `cd FOLDER/tree && python -m pytest`
    FOLDER/dist   a wheel for this Python and machine; where none fits, installers take the pure one of release.py

The sources are those of the pure wheel, and stay in this one: tracebacks name their lines. Compiled is what a
conversion runs through; extension modules of `wire`, `rules`, `json` and `ir` change nothing that can be measured, and
`reporting` stays as it is, since findings lost their places when it was compiled.
Needs the extra `compile` and a C compiler.
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (
    "frontends",
    "backends",
    "proxai_ir/passes",
    "proxai_ir/protocol",
    "proxai_ir/conversion",
    "proxai_ir/streaming",
)
MODULES = ("proxai_ir/api.py",)
SETUP = """
from Cython.Build import cythonize
from setuptools import Extension, setup

setup(ext_modules=cythonize(
    [Extension(name, [source], extra_compile_args=["-g0"]) for name, source in {modules!r}],
    build_dir="build/c",
    nthreads={jobs},
    compiler_directives={{"language_level": 3, "binding": True, "annotation_typing": False}},
))
"""


def exported(commit: str, to: Path) -> None:
    to.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(to, filter="tar")


def modules(tree: Path, only: str) -> list[tuple[str, str]]:
    """Return names and sources of what is compiled: all but packages' own modules, which hold names alone."""
    files = [tree / one for one in MODULES]
    files += [file for package in PACKAGES for file in sorted((tree / package).rglob("*.py"))]
    sources = [file.relative_to(tree) for file in files if file.name != "__init__.py"]
    named = [(".".join(one.with_suffix("").parts), str(one)) for one in sources]
    whole = [(name if name.startswith("proxai_ir.") else f"proxai_ir.{name}", source) for name, source in named]
    return [(name, source) for name, source in whole if only in name]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python .ci/compiled.py", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--only", default="", help="only modules with this in their name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    chosen = parser.parse_args(arguments)
    tree = chosen.folder.resolve() / "tree"
    exported(chosen.commit, tree)
    found = modules(tree, chosen.only)
    (tree / "setup.py").write_text(SETUP.format(modules=found, jobs=chosen.jobs), encoding="utf-8")
    build = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace", f"--parallel={chosen.jobs}"]
    subprocess.run(build, cwd=tree, check=True)
    wheel = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tree.parent / "dist"]
    subprocess.run(wheel, cwd=tree, check=True, stdout=subprocess.DEVNULL)
    print(f"{len(found)} modules", *(tree.parent / "dist").iterdir())
    return 0


if __name__ == "__main__":
    sys.exit(main())
