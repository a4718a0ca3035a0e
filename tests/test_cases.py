"""Cases that run as one test are all run, and each that fails is named."""

from __future__ import annotations

from inspect import signature

import pytest

from .cases import each, every


def test_all_cases_run_and_those_that_fail_are_named() -> None:
    seen = []

    @each("size", [10, pytest.param(20, id="twenty")])
    @each(("name", "number"), [("a", 1), ("b", 2)])
    def law(name: str, number: int, size: int, fixture: str) -> None:
        seen.append((name, number, size, fixture))
        assert number == 1, name

    assert list(signature(law).parameters) == ["fixture"]
    with pytest.raises(ExceptionGroup, match="2 of 4 cases") as raised:
        law(fixture="f")
    assert [note for one in raised.value.exceptions for note in one.__notes__] == ["case: 10-b-2", "case: twenty-b-2"]
    assert seen == [("a", 1, 10, "f"), ("b", 2, 10, "f"), ("a", 1, 20, "f"), ("b", 2, 20, "f")]


def test_cases_that_hold_pass() -> None:
    @each("number", [1, 2], ids=str)
    def law(number: int) -> None:
        assert number

    law()


def test_no_cases_are_a_mistake() -> None:
    with pytest.raises(AssertionError, match="no cases"):
        every([])


def test_it_is_skipped_where_all_cases_are() -> None:
    @each("number", [1, 2])
    def law(number: int) -> None:
        if number < last:
            pytest.skip("too small")

    last = 3
    with pytest.raises(pytest.skip.Exception, match="too small"):
        law()
    last = 2
    law()
