"""Nothing that the last version promised is gone or worse."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from . import RECORD, breaks, promised

BEFORE = json.loads(RECORD.read_text(encoding="utf-8"))


def test_nothing_breaks() -> None:
    assert breaks(BEFORE, promised()) == []


def test_what_is_recorded_is_what_is_stated() -> None:
    """So that what is promised with the next version is seen when it changes; before the first there is no other."""
    now = promised()
    assert {kind: sorted(BEFORE[kind]) for kind in BEFORE} == {kind: sorted(now[kind]) for kind in now}, (
        "python -m tests.stability"
    )


def changed(path: list[Any], value: Any) -> Any:
    made = deepcopy(BEFORE)
    *around, last = path
    holder = made
    for step in around:
        holder = holder[step]
    if value is None:
        holder.remove(last) if isinstance(holder, list) else holder.pop(last)
    else:
        holder[last] = value
    return made


@pytest.mark.parametrize(
    ("path", "value", "found"),
    [
        (["names", "convert"], None, "names: convert is gone"),
        (["names", "convert", "payload"], None, "names: convert has no payload"),
        (["rules", "TUL-4"], None, "rules: TUL-4 is gone"),
        (["rules", "TUL-4"], "error", "rules: TUL-4 was loss and is error"),
        (["commands", "check", "--model"], None, "commands: check has no --model"),
        (["exit codes", "LOSS"], 9, "exit codes: LOSS was 3"),
        (["classes", "Text", "text"], None, "classes: Text has no text"),
    ],
)
def test_what_would_break(path: list[Any], value: Any, found: str) -> None:
    assert breaks(BEFORE, changed(path, value)) == [found]


@pytest.mark.parametrize(
    ("path", "value"),
    [(["rules", "TUL-4"], "info"), (["rules", "TUL-999"], "loss"), (["names", "more"], []), (["exit codes", "X"], 77)],
)
def test_what_may_change(path: list[Any], value: Any) -> None:
    assert breaks(BEFORE, changed(path, value)) == []
