"""The list of claims names what exists; a claim for which nothing ran does not hold; the page shows the record."""

from __future__ import annotations

import shlex
import subprocess
from importlib.util import find_spec
from typing import Any
from xml.etree import ElementTree

import pytest

from . import page
from .running import ROOT, Claim, Outcome, at, claims, counted, measured, of_log, records

CASES = """
<testsuite>
  <testcase classname="tests.pains.test_one" name="a"/>
  <testcase classname="tests.pains.test_one.TestMore" name="b"/>
  <testcase classname="tests.pains.test_two" name="c"><skipped message="npm is\nnot there"/></testcase>
  <testcase classname="tests.painful.test_three" name="d"><failure message="no"/></testcase>
</testsuite>
"""
SHOWN = [*ElementTree.fromstring(CASES)]


def claim(*tests: str, **more: Any) -> Claim:
    return Claim("name", "It holds.", "It is run.", tests, **more)


def test_the_list_names_what_exists() -> None:
    listed = claims()
    assert len({one.name for one in listed}) == len(listed) > 15
    for one in listed:
        assert bool(one.tests) is not bool(one.command and one.figure), (
            f"{one.name}: expected either tests or a command"
        )
        assert [path for path in one.tests if not (ROOT / path).exists()] == []
        if one.command and not one.needs:
            _, *words = shlex.split(one.command)
            assert find_spec(words[1]) if words[0] == "-m" else (ROOT / words[0]).exists(), one.command


@pytest.mark.parametrize(
    ("path", "holds", "figure"),
    [
        ("tests/pains", True, "2 passed, 1 skipped"),
        ("tests/pains/test_one.py", True, "2 passed"),
        ("tests/pains/test_two.py", False, "1 skipped"),
        ("tests/painful", False, "1 failed"),
        ("tests/pain", False, "no test ran"),
    ],
)
def test_tests_are_counted_by_their_paths(path: str, holds: bool, figure: str) -> None:
    made = counted(claim(path), SHOWN)
    assert (made.holds, made.figure) == (holds, figure)


def test_what_was_skipped_is_named() -> None:
    assert counted(claim("tests/pains"), SHOWN).not_run == ("npm is not there (1 test)",)


def test_a_command_shows_its_figure() -> None:
    one = claim(
        command="python -c 'print(\"seed 3: 5 cases,  0 failed\")'", figure="(\\d+ cases), +(.*)", shown="{}: {}"
    )
    assert (measured(one).holds, measured(one).figure) == (True, "5 cases: 0 failed")


@pytest.mark.parametrize("written", ["print('nothing')", "print('5 cases'); raise SystemExit(1)"])
def test_a_command_that_fails_or_shows_nothing_does_not_hold(written: str) -> None:
    assert not measured(claim(command=shlex.join(["python", "-c", written]), figure="(\\d+ cases)")).holds


def test_a_command_that_cannot_run_says_what_is_missing() -> None:
    made = measured(claim(command="python -c ''", figure="(.*)", needs="../not-there"))
    assert (made.ran, made.not_run) == (False, ("../not-there is not there",))


def test_an_earlier_log_has_the_figure() -> None:
    assert (
        of_log(claim(command="x", figure="^(\\d+ of \\d+)"), "a\n3 of 4 killed\n5 of 5 killed\n").figure
        == "3 of 4; 5 of 5"
    )


def test_a_log_may_be_of_an_earlier_commit() -> None:
    asked = ["git", "rev-parse", "--short=8", "HEAD~1"]
    before = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    assert at("HEAD~1", of_log(claim(command="x", figure="(.*)"), "5")).commit == (before or "no commit")
    assert at("no-such-revision", of_log(claim(command="x", figure="(.*)"), "5")).commit == "no commit"


def test_a_log_that_tells_a_failure_does_not_hold() -> None:
    fuzzing = next(one for one in claims() if one.name == "fuzzing")
    counts = "seed 3: 10 payloads and 1 streams, each to 8 protocols; 5 byte streams\n"
    assert of_log(fuzzing, f"{counts}nothing found\n").holds
    assert not of_log(fuzzing, f"{counts}1 x ValueError: no\n    payload 7\n").holds


def test_the_page_says_what_the_record_says() -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.filled(text, claims(), records()) == text, (
        "expected the page that `python -m tests.claims --page` writes"
    )
    assert text.count("<!-- claims -->") == text.count("<!-- end -->") == 1


def test_a_row_tells_a_failure_and_what_was_not_run() -> None:
    told = page.row(
        claim("tests/pains"), Outcome(False, True, "1 failed", "2026-11-30", "abcdef12", ("no npm (2 tests)",))
    )
    assert told == (
        "| It holds. | It is run. | **failed**, 1 failed; 2026-11-30, `abcdef12`<br>not run: no npm (2 tests) "
        "| `pytest tests/pains` |"
    )
