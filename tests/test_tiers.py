"""Every test has a tier by one table, and the shares of the slow ones are all of them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from .tiers import ALL_BUT_SLOW, DEFAULT, MEDIUM, SHARES, TOGETHER, VARIABLE, chosen, holds, is_medium, share_of

ROOT = Path(__file__).parents[1]
MEANING = (
    *("spec", "pains", "servers", "exchange", "profiles", "meaning", "snapshots", "finish", "legality", "api", "laws"),
    *("clouds", "batch", "exports"),
)
"""What the default run is for: what a conversion means."""
FILES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py"))
TESTS = [f"{path}::test_{at}" for path in FILES for at in range(20)]


@pytest.mark.parametrize("path", [*MEDIUM, *TOGETHER])
def test_the_paths_of_the_tables_are_there(path: str) -> None:
    assert [one for one in FILES if one == path or one.startswith(f"{path}/")]
    assert not [one for one in MEDIUM if path.startswith(f"{one}/")], "it stands there with its folder"


def test_what_a_conversion_means_runs_by_default() -> None:
    for name in MEANING:
        paths = f"tests/{name}", f"tests/test_{name}.py"
        assert [path for path in paths if (ROOT / path).exists() and not is_medium(path)], name


def test_a_new_file_runs_by_default_unless_its_folder_is_listed() -> None:
    assert not is_medium("tests/test_new.py")
    assert not is_medium("tests/a_new_folder/test_new.py")
    assert not is_medium("tests/laws/test_new.py")
    assert not is_medium("tests/served/test_new.py")
    assert is_medium("tests/serve/test_new.py")


def test_a_run_without_paths_is_the_default_one(project: dict[str, Any]) -> None:
    options = project["tool"]["pytest"]["ini_options"]
    assert f"-m '{DEFAULT}'" in options["addopts"]
    assert [one.partition(":")[0] for one in options["markers"]] == ["medium", "slow"]


def collected(*arguments: str) -> set[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-n", "0", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, pytest.ExitCode.NO_TESTS_COLLECTED), done.stdout + done.stderr
    return {line for line in done.stdout.splitlines() if "::" in line}


def test_whoever_names_a_path_gets_its_medium_tests() -> None:
    path = "tests/properties/test_servers.py"
    medium, slow = collected(path), collected("-m", "slow", path)
    assert medium
    assert slow
    assert not medium & slow
    assert collected("-m", "medium", path) == medium
    shares = [collected("-m", "slow", "--slow-share", share, path) for share in ("1/2", "2/2")]
    assert Counter(test for share in shares for test in share) == Counter(slow)


def test_the_shares_are_about_as_large_as_each_other() -> None:
    found = Counter(share_of(test, SHARES) for test in TESTS if not test.startswith(TOGETHER))
    assert set(found) == set(range(1, SHARES + 1))
    assert max(found.values()) < 1.5 * min(found.values())


@pytest.mark.parametrize("folder", TOGETHER)
def test_a_folder_with_clusters_stays_in_one_share(folder: str) -> None:
    share = f"{share_of(folder, SHARES)}/{SHARES}"
    assert all(holds(share, f"{folder}/test_{at}.py::test_{at}") for at in range(20))
    assert holds("1/1", folder)


def test_each_share_has_one_such_folder_at_most() -> None:
    assert len({share_of(folder, SHARES) for folder in TOGETHER}) == len(TOGETHER)


def test_the_share_turns_by_commits_unless_a_variable_says_which() -> None:
    commits = [f"{number:040x}\n" for number in range(SHARES)]
    assert [chosen({}, one) for one in commits] == [f"{at + 1}/{SHARES}" for at in range(SHARES)]
    assert chosen({VARIABLE: "all"}, commits[3]) == "1/1"
    assert chosen({VARIABLE: "2/12"}, commits[3]) == "2/12"


def test_ci_runs_every_tier() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    runs = re.findall(r"pytest( -m (?:slow|\"[^\"]+\"))?", script)
    assert {" -m slow", f' -m "{ALL_BUT_SLOW}"'} <= set(runs)
    assert VARIABLE in script
