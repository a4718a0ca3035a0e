"""Searches of the log: stretch by stretch, by what few exchanges have, and as far as the time goes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the extra `serve` is not installed")

from proxai_ir.storage import Storage, exchanges
from proxai_ir.storage.records import Filter

from .storing import NOW, kept, many, names, record


@pytest.fixture
def storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    """A log of 40, of which a stretch is seven."""
    monkeypatch.setattr(exchanges, "STRETCH", 7)
    monkeypatch.setattr(exchanges, "FEW", 3)
    made = Storage(str(tmp_path / "kept.db"), days=1e6)
    many(made, 40)
    yield made
    made.close()


def numbers(found: list[Any]) -> list[int]:
    return [int(name, 16) for name in names(found)]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Filter(), range(40)),
        (Filter(with_models=False), [at for at in range(40) if at % 7]),
        (Filter(rule="TUL-4"), [at for at in range(40) if at % 3 == 2]),
        (Filter(rule="smp"), [at for at in range(40) if at % 3]),
        (Filter(rule="AUD-1"), [1]),
        (Filter(model="model-3"), [at for at in range(24, 32) if at % 7]),
        (
            Filter(client="anthropic_messages", failed=False),
            [at for at in [*range(16, 24), *range(40, 48)] if at % 7 and at < 40],
        ),
        (Filter(failed=True), [1]),
        (Filter(status=529, rule="SMP-3"), [1]),
        (Filter(session="session-2"), [at for at in range(16, 24) if at % 7]),
        (Filter(session="session-2", rule="TUL-4"), [17, 20, 23]),
        (Filter(rule="XYZ"), []),
    ],
)
@pytest.mark.parametrize("page", [1, 4, 100])
def test_all_that_match_are_found_in_pages_of_any_length(
    storage: Storage, wanted: Filter, expected: list[int], page: int
) -> None:
    found: list[int] = []
    before: str | None = None
    for _ in range(60):
        more, before = storage.search(wanted, page, before)
        found += numbers(more)
        if before is None:
            break
    assert found == sorted(expected, reverse=True)


def test_a_search_ends_with_its_time_and_can_go_on(storage: Storage) -> None:
    rare = Filter(status=201)
    places = []
    before: str | None = None
    while True:
        found, before = storage.search(rare, 10, before, 0)
        assert found == []
        if before is None:
            break
        places.append(int(before, 16))
    assert places == [33, 26, 19, 12, 5]
    assert storage.search(rare, 10, None, 60) == ([], None)


def test_a_place_that_is_gone(storage: Storage) -> None:
    assert storage.search(Filter(), 10, "no such exchange") == ([], None)


def test_neighbours_in_a_session(storage: Storage) -> None:
    def name(at: int) -> str:
        return f"{at:032x}"

    assert storage.beside(name(17)) == ("session-2", name(16), name(18))
    assert storage.beside(name(20)) == ("session-2", name(19), name(22)), "21 is a list of models"
    assert storage.beside(name(16)) == ("session-2", "", name(17))
    assert storage.beside(name(21)) == ("", "", "")


def test_what_is_deleted_is_no_turn_any_more(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path / "kept.db"), days=1, clock=lambda: NOW)
    known = {"model": "m", "session": "s"}
    kept(storage, record("old", NOW - 100_000, **known), record("new", NOW, **known))
    assert storage.beside("new").before == "old"
    storage.sweep()
    assert storage.beside("new").before == ""
    assert storage.beside("old").session == ""
    storage.close()
