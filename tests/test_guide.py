"""The guide for authors of protocols: every block of code in it is written to its file, installed, or run."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from proxai_ir import authoring

from .outside.projects import described, run

GUIDE = (Path(__file__).parents[1] / "spec" / "adding_a_protocol.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(?P<language>\w+)(?: (?P<file>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [match.groupdict() for match in BLOCK.finditer(GUIDE)]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of the guide, installed."""
    folder = tmp_path_factory.mktemp("guide") / "acme"
    for block in BLOCKS:
        if block["file"]:
            file = folder / block["file"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block["text"])
    (folder / "acme_ir" / "__init__.py").touch()
    described(folder)
    return folder


@pytest.mark.parametrize(
    "text", [block["text"] for block in BLOCKS if block["language"] == "python" and not block["file"]]
)
def test_an_example_runs(project: Path, text: str) -> None:
    run(project, ("-c", text))


def test_its_package_conforms(project: Path) -> None:
    assert "passed" in run(project, ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "tests"))


def test_no_block_is_left_out() -> None:
    run_or_written = [block for block in BLOCKS if block["file"] or block["language"] == "python"]
    assert [block["language"] for block in BLOCKS if block not in run_or_written] == ["text"]
    assert sys.version_info >= (3, 11)


def test_every_public_name_is_in_it() -> None:
    named = set(re.findall(r"`([\w.]+)`", GUIDE))
    assert [name for name in authoring.__all__ if name not in named] == []
    table = GUIDE[GUIDE.index("| names of `proxai_ir.authoring`") :]
    assert set(re.findall(r"`(\w+)`", table)) <= set(authoring.__all__)
