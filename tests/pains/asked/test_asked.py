"""Every row of every module: each target's provider gets what the row says, and the caller is told of it."""

from __future__ import annotations

from collections import Counter

import pytest

from .got import at, differences
from .row import ABSENT, Asked
from .still_open import OPEN
from .table import ROWS
from .taught import ROWS as TAUGHT
from .taught import Taught, has_and_loses


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_asked(row: Asked) -> None:
    assert differences(row) == []


@pytest.mark.parametrize(("reason", "row"), OPEN, ids=str)
@pytest.mark.xfail(strict=True, raises=AssertionError, reason="known to be wrong")
def test_still_open(reason: str, row: Asked) -> None:
    assert differences(row) == [], reason


@pytest.mark.parametrize("row", TAUGHT, ids=str)
def test_a_refusal_teaches(row: Taught) -> None:
    assert has_and_loses(row) == [(one, True, True) for one in row.without]


def test_a_thread_has_one_row() -> None:
    threads = Counter(row.thread for row in (*ROWS, *(row for _, row in OPEN)))
    assert [thread for thread, count in threads.items() if count > 1] == []


def test_what_stands_at_a_pointer() -> None:
    body = {"a/b": [{"c": 1}, {"c": 2}]}
    assert [at(body, pointer) for pointer in ("/a~1b/-/c", "/a~1b/#", "/a~1b/2/c", "/d")] == [2, 2, ABSENT, ABSENT]
