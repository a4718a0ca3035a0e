"""Object stores, through fsspec: here the one in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .support import BROKEN, CONVERTED, PLAIN, run


@pytest.fixture
def store() -> Iterator[Any]:
    import fsspec

    made = fsspec.filesystem("memory")
    made.store.clear()
    yield made
    made.store.clear()


def test_from_a_store_and_into_one(store: Any, tmp_path: Path) -> None:
    store.pipe({"/logs/a.jsonl": PLAIN + b"\n" + BROKEN, "/logs/x/b.jsonl": PLAIN, "/logs/notes.txt": b"no"})
    report = run("memory://logs", "memory://made/here", work=tmp_path / "work", workers=2)
    assert report.complete
    assert report.files[0].file == "memory:///logs/a.jsonl"
    found = {name: store.cat(name) for name in store.find("/made")}
    assert found.keys() == {"/made/here/a.jsonl", "/made/here/a.jsonl.refused.jsonl", "/made/here/x/b.jsonl"}
    assert found["/made/here/a.jsonl"] == CONVERTED + b"\n"
    assert json.loads(found["/made/here/a.jsonl.refused.jsonl"])["row"] == 2
    assert not [file for file in (tmp_path / "work").rglob("*.part") if file.is_file()]
    assert run("memory://logs", "memory://made/here", work=tmp_path / "work").total == report.total


def test_globs_and_tables(store: Any, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"payload": [PLAIN.decode()] * 3}), file)
    store.pipe({"/logs/1/a.parquet": file.read_bytes(), "/logs/2/b.jsonl": PLAIN})
    assert run("memory://logs/*/*.parquet", tmp_path / "out").total.converted == 3
    assert pq.read_table(tmp_path / "out" / "1" / "a.parquet").num_rows == 3


def test_what_exists_in_a_store_stays(store: Any, tmp_path: Path) -> None:
    from proxai_ir.bulk import BulkError

    store.pipe({"/logs/a.jsonl": PLAIN, "/made/a.jsonl": b"mine"})
    with pytest.raises(BulkError, match="exists"):
        run("memory://logs", "memory://made", work=tmp_path)
    assert store.cat("/made/a.jsonl") == b"mine"
    run("memory://logs", "memory://made", work=tmp_path, overwrite=True)
    assert store.cat("/made/a.jsonl") == CONVERTED + b"\n"


def test_an_upload_that_fails_goes_on_later(store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.pipe("/logs/a.jsonl", PLAIN)

    def fail(*arguments: Any, **options: Any) -> None:
        raise OSError("the store does not respond")

    with monkeypatch.context() as patch:
        patch.setattr(type(store), "put_file", fail)
        report = run("memory://logs", "memory://made", work=tmp_path)
    assert report.files[0].error == "cannot be written after row 1: the store does not respond"
    assert store.find("/made") == []
    assert run("memory://logs", "memory://made", work=tmp_path).complete
    assert store.cat("/made/a.jsonl") == CONVERTED + b"\n"


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("nosuch://bucket/logs", "nosuch"),
        ("zip://a.jsonl::/no/such/archive.zip", "No such file"),
        ("filecache://logs", "target_protocol"),
        ("dir://logs", "dir://logs: "),
    ],
)
def test_a_store_that_is_not_there(tmp_path: Path, url: str, named: str) -> None:
    from proxai_ir.bulk import BulkError

    with pytest.raises(BulkError, match=named):
        run(url, tmp_path)
