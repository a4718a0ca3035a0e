"""List advisories about what an extra installs, and what of it was withdrawn.

`python .ci/audit.py [EXTRA]` asks the package registry alone, whose page of a release has the advisories about it. pip
resolves the extra as on a fresh machine, and the registry is the one that pip uses. It exits with 1 where there is any,
with 2 where it cannot tell.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterable
from typing import Any

Json = Any


def resolved(wanted: str) -> list[tuple[str, str]]:
    """Return names and versions of all that is needed, but for what is named itself."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    report = json.loads(subprocess.run([*command, wanted], check=True, capture_output=True).stdout)
    found = [one["metadata"] for one in report["install"] if not one["requested"]]
    return sorted((one["name"], one["version"]) for one in found)


def registry() -> str:
    """Return the address of release pages: next to the index that pip is configured with, or pip's default."""
    from pip._internal.models.index import PyPI

    index = os.environ.get("PIP_INDEX_URL", "").rstrip("/")
    return index.removesuffix("/simple") + "/pypi" if index.endswith("/simple") else PyPI.pypi_url


def known(page: Json) -> list[str]:
    """Return what the page of a release says against it."""
    lines = [
        f"{one['id']} {' '.join(one.get('aliases', ()))}: {one.get('summary') or one.get('details', '')[:200]}"
        f" (fixed in {', '.join(one.get('fixed_in', ())) or 'no version'})"
        for one in page.get("vulnerabilities", ())
        if not one.get("withdrawn")
    ]
    info = page["info"]
    return [*lines, f"withdrawn: {info.get('yanked_reason') or 'no reason'}"] if info.get("yanked") else lines


def audit(packages: Iterable[tuple[str, str]], base: str) -> list[str]:
    """Raise OSError where the registry cannot be asked."""
    found = []
    for name, version in packages:
        with urllib.request.urlopen(f"{base}/{name}/{version}/json", timeout=30) as response:
            found += [f"{name} {version}: {line}" for line in known(json.load(response))]
    return found


def main(extra: str = "serve") -> int:
    packages = resolved(f".[{extra}]")
    try:
        found = audit(packages, registry())
    except OSError as error:
        print(f"The registry could not be asked: {error}")
        return 2
    print(*found, f"{len(packages)} packages of .[{extra}], {len(found)} findings.", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
