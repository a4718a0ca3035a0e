"""Builds what is published of a commit, into a folder that does not exist yet: `python .ci/release.py dist`.

    proxai_ir-….tar.gz, …-py3-none-any.whl   built twice, in two folders, and equal byte for byte
    sbom.json                                CycloneDX: what the wheel installs, with the gateway's extra
    provenance.json                          in-toto, SLSA: commit, builder and its packages; the files' hashes

Needs the extra `release` and a checkout without changes. `--sign` attests each file by sigstore, which asks for an
identity or takes that of a CI job; nothing is uploaded. The same commit gives the same files wherever Python,
setuptools and zlib are the same.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BUILDERS = ("build", "setuptools")
PREDICATE = "https://slsa.dev/provenance/v1"


def output(*command: str | Path, cwd: Path = ROOT, **env: str) -> str:
    done = subprocess.run([*map(str, command)], cwd=cwd, env={**os.environ, **env}, check=True, stdout=subprocess.PIPE)
    return done.stdout.decode()


def built(commit: str, epoch: str, folder: Path) -> list[Path]:
    """Return an sdist and a wheel of a commit's files, made in this folder."""
    tree = folder / "tree"
    tree.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(tree, filter="tar")
    output(
        sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "out", cwd=tree, SOURCE_DATE_EPOCH=epoch
    )
    made = sorted((folder / "out").iterdir())
    for one in made:
        if one.name.endswith(".tar.gz"):
            normalised(one, int(epoch))
    return made


def normalised(sdist: Path, epoch: int) -> None:
    """Rewrite an archive without what differs from build to build: times, owners and the order of files."""
    made = io.BytesIO()
    with tarfile.open(sdist) as old, tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member in sorted(old.getmembers(), key=lambda one: one.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = epoch, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    with sdist.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=epoch) as packed:
        packed.write(made.getvalue())


def sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def bill_of_materials(wheel: Path, to: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder, "bin", "python")
        output(python, "-m", "pip", "install", "--quiet", f"{wheel}[serve]")
        output(python, "-m", "pip", "uninstall", "--quiet", "--yes", "pip", "setuptools")
        output("cyclonedx-py", "environment", "--output-reproducible", "--output-file", to, python)


def provenance(commit: str, epoch: str, files: Sequence[Path]) -> dict[str, Any]:
    packages = [{"name": name, "version": version(name)} for name in BUILDERS]
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": one.name, "digest": {"sha256": sha256(one)}} for one in files],
        "predicateType": PREDICATE,
        "predicate": {
            "buildDefinition": {
                "buildType": "python .ci/release.py",
                "externalParameters": {"commit": commit, "SOURCE_DATE_EPOCH": epoch},
                "resolvedDependencies": [{"digest": {"gitCommit": commit}}, *packages],
            },
            "runDetails": {"builder": {"id": f"python {sys.version.split()[0]}"}},
        },
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python .ci/release.py", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--no-sbom", action="store_true", help="without what needs the package registry")
    parser.add_argument("--sign", action="store_true", help="attest each file by sigstore")
    chosen = parser.parse_args(arguments)
    if chosen.commit == "HEAD" and output("git", "status", "--porcelain"):
        parser.error("the checkout has changes; commit them, or name a commit")
    commit = output("git", "rev-parse", chosen.commit).strip()
    epoch = output("git", "show", "--no-patch", "--format=%ct", commit).strip()
    chosen.folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        files, again = built(commit, epoch, Path(one)), built(commit, epoch, Path(other))
        for first, second in zip(files, again, strict=True):
            if (first.name, sha256(first)) != (second.name, sha256(second)):
                print(f"{first.name} differs when it is built again", file=sys.stderr)
                return 1
        made = [Path(shutil.copy(file, chosen.folder)) for file in files]
    if not chosen.no_sbom:
        wheel = next(one for one in made if one.suffix == ".whl")
        made.append(chosen.folder / "sbom.json")
        bill_of_materials(wheel.resolve(), made[-1])
    statement = provenance(commit, epoch, made)
    (chosen.folder / "provenance.json").write_text(json.dumps(statement, indent=1) + "\n", encoding="utf-8")
    if chosen.sign:
        predicate = chosen.folder / "predicate.json"
        predicate.write_text(json.dumps(statement["predicate"]), encoding="utf-8")
        output(
            sys.executable, "-m", "sigstore", "attest", "--predicate", predicate, "--predicate-type", PREDICATE, *made
        )
    for one in made:
        print(sha256(one), one.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
