"""What is on its way to the workers is bounded, and comes back in order."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any, cast

import pytest

MOST, BUDGET = 4, 1000


class Pool:
    """Converts at once."""

    def submit(self, work: Any, chunk: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(chunk.row)
        return done


@pytest.mark.parametrize("sizes", [[10] * 100, [400] * 100, [5000] * 5, [10, 5000, 10, 990, 10, 10, 10, 10, 10]])
def test_bounds_and_order(sizes: list[int]) -> None:
    from proxai_ir.bulk.chunks import Chunk
    from proxai_ir.bulk.pool import Item, _in_order

    out: list[int] = []

    def items() -> Iterator[Item]:
        for at, size in enumerate(sizes):
            yield 0, Chunk("lines", at, 1, b"x" * size, 0, 0)
            on_the_way = sizes[len(out) : at + 1]
            assert len(on_the_way) <= MOST
            assert len(on_the_way) == 1 or sum(on_the_way) <= BUDGET

    for _, _, done in _in_order(items(), cast("Any", Pool()), MOST, BUDGET):
        out.append(cast("Any", done))
    assert out == list(range(len(sizes)))
