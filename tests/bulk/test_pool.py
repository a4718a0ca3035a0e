"""What is on its way to the workers is bounded, and comes back in order, or as it is done."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any, cast

import pytest

MOST, BUDGET = 4, 1000


class Workers:
    """Converts at once."""

    def result(self, chunk: Any, future: Future[Any]) -> Any:
        return future.result()

    def submit(self, chunk: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(chunk.row)
        return done


@pytest.mark.parametrize("sizes", [[10] * 100, [400] * 100, [5000] * 5, [10, 5000, 10, 990, 10, 10, 10, 10, 10]])
def test_bounds_and_order(sizes: list[int]) -> None:
    from proxai_ir.bulk.job import Chunk
    from proxai_ir.bulk.loop import Item, _results

    out: list[int] = []

    def items() -> Iterator[Item]:
        for at, size in enumerate(sizes):
            yield 0, Chunk("lines", at, 1, b"x" * size, 0, 0)
            on_the_way = sizes[len(out) : at + 1]
            assert len(on_the_way) <= MOST
            assert len(on_the_way) == 1 or sum(on_the_way) <= BUDGET

    for _, _, done in _results(items(), cast("Any", Workers()), MOST, BUDGET, ordered=True):
        out.append(cast("Any", done))
    assert out == list(range(len(sizes)))


class SlowFirst(Workers):
    """Converts the first chunk when the last one is converted, the others at once."""

    def __init__(self, last: int) -> None:
        self._last = last
        self._first: Future[Any] = Future()

    def submit(self, chunk: Any) -> Future[Any]:
        if chunk.row == 0:
            return self._first
        if chunk.row == self._last:
            self._first.set_result(0)
        return super().submit(chunk)


def test_no_chunk_waits_for_a_slower_one() -> None:
    from proxai_ir.bulk.job import Chunk
    from proxai_ir.bulk.loop import Item, _results

    rows = {0: [0, 1], 1: [2, 3, 4, 5, 6, 7]}
    items: list[Item] = []
    for file, each in rows.items():
        chunks: list[Item] = [(file, Chunk("lines", row, 1, b"x", 0, 0)) for row in each]
        items += [(file, None), *chunks, (file, None)]
    out = [
        (file, None if chunk is None else chunk.row)
        for file, chunk, _ in _results(items, cast("Any", SlowFirst(7)), MOST, BUDGET, ordered=False)
    ]
    assert out == [
        *[(0, None), (0, 1)],
        *[(1, None), *((1, row) for row in range(2, 6))],
        *[(0, 0), (0, None)],
        *[(1, 6), (1, 7), (1, None)],
    ]


def test_what_came_back_counts_no_more() -> None:
    """Two chunks are on their way at any time: what is given back makes room."""
    from proxai_ir.bulk.job import Chunk
    from proxai_ir.bulk.loop import Item, _results

    out: list[int] = []
    on_the_way: list[int] = []

    def items() -> Iterator[Item]:
        for at in range(20):
            on_the_way.append(at - len(out))
            yield 0, Chunk("lines", at, 1, b"x" * 400, 0, 0)

    for _, _, done in _results(items(), cast("Any", Workers()), MOST, BUDGET, ordered=True):
        out.append(cast("int", done))
    assert on_the_way == [0, 1, *[2] * 18]
