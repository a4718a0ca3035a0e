"""What is shipped: the package list is the tree, the symlinks stand, dependencies are few and imports lazy."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

LINKED = ("frontends", "backends", "spec")
OURS = "proxai_ir"


def in_tree(root: Path) -> set[str]:
    """The packages that the tree holds, by their import names."""
    found = set()
    for base, folder in (
        (OURS, root / OURS),
        (f"{OURS}.frontends", root / "frontends"),
        (f"{OURS}.backends", root / "backends"),
    ):
        for file in folder.rglob("__init__.py"):
            inner = file.parent.relative_to(folder).parts
            if not set(inner) & set(LINKED):  # a symlink to what is walked by itself
                found.add(".".join((base, *inner)))
    return found | {f"{OURS}.spec"}


def test_the_package_list_is_the_tree(project: dict[str, Any], root: Path) -> None:
    listed = project["tool"]["setuptools"]["packages"]
    assert len(listed) == len(set(listed))
    assert set(listed) == in_tree(root)


def test_package_folders(project: dict[str, Any]) -> None:
    folders = {OURS: OURS, **{f"{OURS}.{name}": name for name in LINKED}}
    assert project["tool"]["setuptools"]["package-dir"] == folders


@pytest.mark.parametrize("name", LINKED)
def test_symlinks(name: str, root: Path) -> None:
    link = root / OURS / name
    assert link.is_symlink()
    assert link.readlink() == Path("..") / name
    assert link.resolve() == (root / name).resolve()


def test_core_dependencies(project: dict[str, Any]) -> None:
    names = {re.split(r"[<>=~! ]", wanted)[0] for wanted in project["project"]["dependencies"]}
    assert names == {"attrs", "cattrs", "orjson"}


def loaded_after(code: str) -> set[str]:
    program = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.split())


TABLE = {"proxai_ir.profiles.models", "proxai_ir.profiles.facts", "proxai_ir.profiles.vendors"}
"""The table of models, which the first question about one reads."""


def test_the_table_of_models_is_read_when_it_is_asked_for() -> None:
    assert TABLE.isdisjoint(loaded_after("from proxai_ir import profiles\nprofiles.DEEPSEEK"))
    assert loaded_after("from proxai_ir import profiles\nprofiles.for_model('anthropic_messages', 'm')") >= TABLE


def test_import_is_light() -> None:
    loaded = loaded_after("import proxai_ir")
    heavy = {"cattrs", "typer", "rich", "click", "proxai_ir.frontends", "proxai_ir.backends", "proxai_ir.cli"}
    heavy |= TABLE
    assert "proxai_ir" in loaded
    assert heavy & loaded == set()


def test_a_conversion_loads_two_protocols_and_no_cattrs() -> None:
    payload = '{"model": "m", "messages": []}'
    loaded = loaded_after(f"import proxai_ir\nproxai_ir.lower({payload}, 'openai_chat_completions')")
    assert "proxai_ir.frontends.openai_chat_completions" in loaded
    unused = {
        "cattrs",
        "proxai_ir.frontends.anthropic_messages",
        "proxai_ir.backends.anthropic_messages",
        "typer",
        "rich",
        *TABLE,
    }
    assert unused & loaded == set()


def test_a_conversion_loads_no_module_of_python_that_it_does_not_use() -> None:
    """Each of these takes as long to load as several conversions, and only errors, URLs, ids and merges need them."""
    payload = '{"model": "m", "messages": [{"role": "user", "content": "Hi"}]}'
    code = f"proxai_ir.convert({payload}, 'openai_chat_completions', 'anthropic_messages', max_tokens=9)"
    loaded = loaded_after(f"import proxai_ir\n{code}")
    assert {"difflib", "hashlib", "hmac", "ipaddress", "traceback", "urllib.parse"} & loaded == set()


def test_a_command_loads_the_modules_of_no_other() -> None:
    line = "['proxai-ir', 'detect', '--help']"
    run = (
        f"import sys\nsys.argv = {line}\nfrom proxai_ir.cli import main\ntry:\n    main()\nexcept SystemExit:\n    pass"
    )
    loaded = loaded_after(run)
    assert "proxai_ir.cli.inspect" in loaded
    others = {f"proxai_ir.cli.{name}" for name in ("agent", "bulk", "convert", "log", "reference", "serve", "starting")}
    assert (
        others | {"proxai_ir.exchange.exchange", "proxai_ir.launch.plan", "proxai_ir.profiles.named"}
    ) & loaded == set()


@pytest.mark.parametrize(
    ("modules", "extra", "others"),
    [
        # a project's own snapshots: .docs/pages/guides/testing.md installs pytest and syrupy beside the core
        ("testing.snapshots", "", "hypothesis typer matplotlib"),
        ("cli.app cli.bulk cli.reference cli.serve", "typer", "matplotlib hypothesis pytest pyarrow fsspec starlette"),
        ("bulk.run bulk.tables bulk.report bulk.sources", "pyarrow", "matplotlib hypothesis pytest starlette"),
        ("serve.server storage serve.ui.views", "starlette", "matplotlib hypothesis pytest pyarrow fsspec botocore"),
        ("httpx", "httpx2", "matplotlib hypothesis pytest pyarrow fsspec starlette sqlalchemy typer"),
    ],
)
def test_a_part_loads_no_package_of_another_extra(modules: str, extra: str, others: str) -> None:
    """Where it did, whoever installs the one extra that a guide names could not use it."""
    if extra:
        pytest.importorskip(extra)
    loaded = loaded_after("import " + ", ".join(f"proxai_ir.{name}" for name in modules.split()))
    assert set(others.split()) & loaded == set()


def test_all_names_can_be_loaded_one_by_one() -> None:
    """No module leans on another having been imported first."""
    for name in (
        "proxai_ir.protocol.registry",
        "proxai_ir.targets.verdicts",
        "proxai_ir.passes",
        "proxai_ir.ir.json_form",
        "proxai_ir.targets.checks",
    ):
        assert name in loaded_after(f"import {name}")


@pytest.mark.slow
def test_the_wheel(tmp_path: Path, root: Path) -> None:
    try:
        version = int(importlib.metadata.version("setuptools").split(".")[0])
    except importlib.metadata.PackageNotFoundError:
        version = 0
    if version < 77:
        pytest.skip("no setuptools that knows the licence as pyproject.toml writes it")
    source = tmp_path / "source"
    copied = ("pyproject.toml", "README.md", "LICENSE", OURS, *LINKED)
    source.mkdir()
    subprocess.run(["cp", "-R", *(str(root / name) for name in copied), str(source)], check=True)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(tmp_path),
        str(source),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {OURS}
    assert {"proxai_ir/py.typed", "proxai_ir/frontends/__init__.py", "proxai_ir/backends/_lib/writing.py"} <= names
    assert {f"proxai_ir/spec/{file.name}" for file in (root / "spec").glob("*.md")} <= names
    page = root / OURS / "serve" / "ui"
    shown = [file.relative_to(root).as_posix() for file in (*page.glob("*.css"), *page.glob("templates/*.html"))]
    assert len(shown) > 1
    assert {*shown} <= names
    for package in in_tree(root) - {f"{OURS}.spec"}:
        assert package.replace(".", "/") + "/__init__.py" in names
