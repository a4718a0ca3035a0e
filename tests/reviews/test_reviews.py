"""The lists of findings: each entry names what holds it, and every numbered finding of a review has one."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from . import ID, REVIEW, ROOT, STATES, Finding, findings, numbered
from .__main__ import main

FOUND = findings()
REVIEWS = sorted(REVIEW.glob("*.md")) if REVIEW.is_dir() else []


@cache
def defined_in(file: Path) -> frozenset[str]:
    tree = ast.parse(file.read_text())
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def flaws(one: Finding) -> list[str]:
    """Return what is wrong with an entry."""
    found = [] if ID.fullmatch(one.id) else ["its id is no file with a number"]
    if one.state not in STATES:
        return [*found, f"its state is {one.state!r}"]
    if not one.what.endswith("."):
        found.append("it is no sentence")
    if one.state != "open" and not one.where:
        found.append("nothing is named that holds it")
    if one.state != "done" and not one.reason.endswith("."):
        found.append("it has no reason")
    for place in one.where:
        path, _, test = place.partition("::") if one.state == "done" else (place.split()[0], "", "")
        file, rules = ROOT / path, place.split()[1:]
        if not file.is_file():
            found.append(f"there is no {path}")
        elif one.state == "done":
            if not path.startswith("tests/") or not test.startswith("test_") or test not in defined_in(file):
                found.append(f"there is no test {place}")
        elif not path.startswith(("spec/", ".docs/pages/", "README.md", "CONTRIBUTING.md")):
            found.append(f"{path} is no page")
        elif missing := [rule for rule in rules if rule not in file.read_text()]:
            found.append(f"{path} has no {', '.join(missing)}")
    return found


@pytest.mark.parametrize("one", FOUND, ids=lambda one: one.id)
def test_what_an_entry_names_is_there(one: Finding) -> None:
    assert flaws(one) == []


def test_each_has_one_entry() -> None:
    assert [name for name, count in Counter(one.id for one in FOUND).items() if count > 1] == []


@pytest.mark.skipif(not REVIEWS, reason="../shared/review is not there")
@pytest.mark.parametrize("file", REVIEWS, ids=[file.stem for file in REVIEWS])
def test_every_numbered_finding_has_an_entry(file: Path) -> None:
    named = {about for one in FOUND for about in one.about}
    assert [number for number in numbered(file.read_text()) if (file.stem, number) not in named] == []


@pytest.mark.skipif(not REVIEWS, reason="../shared/review is not there")
def test_no_entry_is_about_nothing() -> None:
    names = {file.stem for file in REVIEWS}
    assert [one.id for one in FOUND if one.id.partition(" ")[0] not in names] == []


# --- that what is wrong is found ---


HERE = "tests/reviews/test_reviews.py::test_each_has_one_entry"


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (Finding("gateway 1", "Said.", "done", (HERE,)), []),
        (Finding("gateway 1 part", "Said.", "open", (), "Because."), []),
        (Finding("gateway 1", "Said.", "otherwise", ("spec/errors.md ERR-1",), "Because."), []),
        (Finding("Gateway-1", "Said.", "done", (HERE,)), ["its id is no file with a number"]),
        (Finding("gateway 1", "Said.", "half", (HERE,)), ["its state is 'half'"]),
        (Finding("gateway 1", "Said", "done", (HERE,)), ["it is no sentence"]),
        (Finding("gateway 1", "Said.", "done"), ["nothing is named that holds it"]),
        (Finding("gateway 1", "Said.", "open"), ["it has no reason"]),
        (Finding("gateway 1", "Said.", "done", (HERE + "_or_none",)), [f"there is no test {HERE}_or_none"]),
        (Finding("gateway 1", "Said.", "done", ("tests/nothing.py::test_x",)), ["there is no tests/nothing.py"]),
        (Finding("gateway 1", "Said.", "otherwise", ("spec/errors.md NO-1",), "So."), ["spec/errors.md has no NO-1"]),
        (Finding("gateway 1", "Said.", "otherwise", ("pyproject.toml",), "So."), ["pyproject.toml is no page"]),
    ],
)
def test_what_is_wrong_with_an_entry(one: Finding, expected: list[str]) -> None:
    assert flaws(one) == expected


def test_how_reviews_number_their_findings() -> None:
    lines = [
        "# 9 [1] t",
        "## 1. [5] a",
        "## 2 [4] b",
        "### F2c [4] c",
        "5b. [3] d",
        "**1b [3] e**",
        "## 7. Tests",
    ]
    assert numbered("\n".join(lines)) == ["1", "2", "F2c", "5b", "1b", "7"]
    assert numbered("### 4 · An error\n| 1 | x |\n1. **Name**\n- 2 [x]") == []


def test_the_command_counts_and_shows_what_is_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().out == "0 findings: 0 done, 0 otherwise, 0 open\n"
    (tmp_path / "some.toml").write_text(
        '[[finding]]\nid = "a 1"\nwhat = "A."\nstate = "open"\nreason = "B."\n'
        '[[finding]]\nid = "a 2"\nwhat = "C."\nstate = "done"\nwhere = "tests/x.py::test_x"\n'
    )
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == "2 findings: 1 done, 0 otherwise, 1 open\na 1: A.\n    B.\n"


@pytest.mark.parametrize("text", ['what = "A."\nstate = "open"', 'id = "a 1"\nwhat = "A."\nstate = "open"\nfor = "B."'])
def test_an_entry_of_another_form_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "some.toml").write_text(f"[[finding]]\n{text}\n")
    with pytest.raises(ValueError, match=r"some.toml, entry 1: its members are"):
        findings(tmp_path)
