"""What others publish decides no test: versions are stated, and tests of other versions skip and name both."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from .keeping_up.findings import PACKAGES
from .stated import FILE, STATED, needs_stated


def test_what_is_stated_is_what_the_extras_install(project: dict[str, Any]) -> None:
    extras = project["project"]["optional-dependencies"]
    named = {re.split(r"[\[<>=~! ]", one)[0] for extra in ("clients", "dev") for one in extras[extra]}
    assert set(STATED) <= named
    assert set(PACKAGES) <= set(STATED), "which tests compare with them word by word"


def test_ci_installs_what_is_stated(root: Path) -> None:
    assert f'PIP_CONSTRAINT="$PWD/{FILE.relative_to(root)}"' in (root / ".ci" / "run").read_text(encoding="utf-8")


def test_another_version_skips_and_names_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STATED, "attrs", version("attrs"))
    needs_stated("attrs")
    monkeypatch.setitem(STATED, "attrs", "1.0")
    with pytest.raises(pytest.skip.Exception, match=r"stated for attrs 1\.0, and .* is installed"):
        needs_stated("attrs")
    with pytest.raises(pytest.skip.Exception, match="the package there-is-no-such-package is not installed"):
        needs_stated("there-is-no-such-package")
