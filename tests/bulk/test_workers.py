"""Worker processes that end by themselves, as the system ends those that take too much memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .support import CONVERTED, PLAIN, files, numbered, run, side

DEADLY = PLAIN.replace(b"hi", b"deadly")
ENDED = "The process that converted this row ended by itself, perhaps for lack of memory."


def deadly(work: Callable[..., Any], *given: Any) -> Any:
    """What a worker does, in which some rows end the process."""
    from proxai_ir import api

    convert = api.converted

    def converted(payload: Any, *more: Any) -> Any:
        if b"deadly" in payload:
            os._exit(1)
        return convert(payload, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(api, "converted", converted)
        return work(*given)


def work(*given: Any) -> Any:
    from proxai_ir.bulk import workers

    return deadly(workers._work, *given)


def work_watched(*given: Any) -> Any:
    from proxai_ir.bulk import workers

    return deadly(workers._work_watched, *given)


def end(*_: Any) -> None:
    os._exit(1)


@pytest.fixture
def dying(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    from proxai_ir.bulk import workers

    monkeypatch.setattr(workers, "_work", work)
    monkeypatch.setattr(workers, "_work_watched", work_watched)
    yield


@pytest.mark.usefixtures("dying")
@pytest.mark.parametrize(("workers", "ordered"), [(1, True), (2, True), (2, False)])
def test_a_row_that_ends_its_process_costs_only_itself(workers: int, ordered: bool, tmp_path: Path) -> None:
    """Also where it is the only worker: another one takes its place."""
    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    rows = [PLAIN] * 400
    rows[150] = rows[152] = rows[333] = DEADLY
    source.write_bytes(b"\n".join(rows))
    report = run(source, out, workers=workers, chunk=12_000, ordered=ordered)
    assert (report.total.converted, report.total.refused) == (397, 3)
    assert (out / "a.jsonl").read_bytes() == (CONVERTED + b"\n") * 397
    found = sorted((one["row"], one["rule"], one["path"], one["message"]) for one in side(out, "a.jsonl"))
    assert found == [(row, "internal", "", ENDED) for row in (151, 153, 334)]
    assert {one["payload"] for one in side(out, "a.jsonl")} == {DEADLY.decode()}


@pytest.mark.usefixtures("dying")
def test_a_row_of_a_table_that_ends_its_process(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    source, out = tmp_path / "a.parquet", tmp_path / "out"
    pq.write_table(pa.table({"id": [1, 2, 3], "payload": [PLAIN, DEADLY, PLAIN]}), source)
    assert run(source, out, workers=2).total.refused == 1
    assert pq.read_table(out / "a.parquet").to_pylist() == [{"id": at, "payload": CONVERTED} for at in (1, 3)]
    assert [(one["row"], one["payload"]) for one in side(out, "a.parquet")] == [(2, DEADLY.decode())]


def test_a_worker_that_is_killed_once_costs_no_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from proxai_ir.bulk import workers

    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    source.write_bytes(numbered(500))
    run(source, tmp_path / "whole")
    monkeypatch.setattr(workers, "_work", end)
    assert run(source, out, workers=2, chunk=50_000).total.rows == 500
    assert files(out) == files(tmp_path / "whole")


def test_processes_that_end_before_a_row_end_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text names the usual cause, and the run can go on."""
    from proxai_ir.bulk import BulkError, workers

    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    source.write_bytes(numbered(3000))
    with monkeypatch.context() as patch:
        patch.setattr(workers, "_work", end)
        patch.setattr(workers, "_work_watched", end)
        with pytest.raises(BulkError, match=r"^a worker process ended before its first row; the main module must"):
            run(source, out, workers=2)
    assert files(out) == {}
    assert run(source, out, workers=2).total.rows == 3000
