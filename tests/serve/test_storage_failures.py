"""What becomes of records and memory where the database fails, is slow, or is away."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the extra `serve` is not installed")

from proxai_ir.storage import Storage, StorageError

from ..waiting import until
from .postgres import Server
from .storing import NOW, kept, names, record


def test_closing_writes_what_waits(url: str) -> None:
    storage = Storage(url)
    for at in range(500):
        storage.record(record(f"r{at}"))
    storage.close()
    storage.record(record("too late"))
    assert storage.dropped == 1
    again = Storage(url)
    assert len(again.exchanges(limit=1000)) == 500
    again.close()


def test_a_server_that_is_killed_and_comes_back(postgres: Server) -> None:
    url = postgres.new_database()
    storage = Storage(url, queue=5)
    kept(storage, record("before"))
    storage.memory.put("k", 1, 60)
    postgres.kill()
    began = time.monotonic()
    try:
        for at in range(8):
            storage.record(record(f"away{at}", NOW + at))
        storage.memory.put("late", 1, 60)
        with pytest.raises(StorageError, match=r"^the storage postgresql://tests@127.0.0.1:\d+/tests_\w+ failed: "):
            storage.memory.get("k")
        with pytest.raises(StorageError):
            storage.exchanges()
        assert time.monotonic() - began < 5
        until(lambda: storage.dropped == 3)
    finally:
        postgres.start()
    until(lambda: storage.memory.get("k") == 1)
    until(lambda: storage.exchange("away7"))
    assert names(storage.exchanges()) == ["away7", "away6", "away5", "away4", "away3", "before"]
    assert (storage.dropped, storage.memory.forgotten, storage.memory.get("late")) == (3, 0, 1)
    storage.close()


def test_a_server_that_was_started_anew(postgres: Server) -> None:
    """Connections that were open before are broken; nobody notices."""
    storage = Storage(postgres.new_database())
    kept(storage, record("a"))
    storage.memory.put("k", 1, 60)
    assert storage.memory.get("k") == 1
    postgres.kill()
    postgres.start()
    assert storage.memory.get("k") == 1
    assert storage.exchange("a")
    storage.close()


def test_a_full_disk(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    storage = Storage(str(tmp_path / "kept.db"), queue=4)
    storage.open()
    full = limited(storage)
    with caplog.at_level(logging.WARNING):
        for at in range(6):
            storage.record(record(f"big{at}", NOW + at, request=os.urandom(200_000)))
        until(lambda: storage.dropped and caplog.records)
        storage.memory.put("k", "x" * 200_000, 60)
    assert {one.getMessage().partition(" failed: ")[2].partition(";")[0] for one in caplog.records} == {
        "database or disk is full"
    }
    assert len(caplog.records) <= 2, "one message a minute"
    assert storage.exchanges() == [], "nothing is half-written"
    full()
    until(lambda: storage.exchange("big5"))
    assert names(storage.exchanges()) == ["big5", "big4", "big3", "big2"]
    until(lambda: storage.memory.get("k") == "x" * 200_000)
    assert storage.memory.forgotten == 0
    storage.close()


def limited(storage: Storage) -> Callable[[], None]:
    """Let the file grow no more, until what is returned is called."""
    from sqlalchemy import event

    engine = storage._database._engine
    limits = [True]

    def limit(connection: Any, *_: Any) -> None:
        if limits[0]:
            connection.execute("PRAGMA max_page_count=40")

    engine.dispose()
    event.listen(engine, "connect", limit)

    def lift() -> None:
        limits[0] = False  # the list of listeners must not change while a writer connects
        engine.dispose()

    return lift


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    file = tmp_path / "kept.db"
    file.write_bytes(b"this is not a database" * 100)
    storage = Storage(str(file))
    with pytest.raises(StorageError, match=f"^the storage {file} failed: file is not a database$"):
        storage.open()
    storage.record(record("a"))
    time.sleep(0.3)
    file.unlink()  # as an operator would
    until(lambda: storage.exchange("a"))
    assert storage.dropped == 0
    storage.close()


def test_a_file_that_breaks(tmp_path: Path) -> None:
    file = tmp_path / "kept.db"
    storage = Storage(str(file))
    kept(storage, record("a", request=b"x" * 100_000))
    storage.close()
    pages = bytearray(file.read_bytes())
    pages[4096:] = b"\xff" * (len(pages) - 4096)
    file.write_bytes(pages)
    storage = Storage(str(file))
    storage.record(record("b"))
    with pytest.raises(StorageError):
        storage.exchanges()
    for left in tmp_path.iterdir():
        left.unlink()
    until(lambda: storage.exchange("b"))
    storage.close()


def test_a_record_that_cannot_be_written_costs_no_other(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path / "kept.db"))
    storage.record(record("a"))
    storage.record(record("b", usage={"input": object()}))
    storage.record(record("c", status=2**70))
    storage.record(record("d"))
    until(lambda: storage.exchange("d"))
    until(lambda: storage.dropped == 2)
    assert names(storage.exchanges()) == ["d", "a"]
    storage.close()


def test_what_waits_is_bounded_in_bytes(tmp_path: Path) -> None:
    file = tmp_path / "kept.db"
    file.write_bytes(b"this is not a database" * 100)
    storage = Storage(str(file), queue_bytes=2 * 10_000)
    for at in range(4):
        storage.record(record(f"r{at}", request=b"x" * 9000))
    until(lambda: storage.dropped == 2)
    began = time.monotonic()
    storage.close(timeout=0.5)
    assert time.monotonic() - began < 3
    assert storage.dropped == 4


def test_a_record_is_kept_in_no_time(tmp_path: Path) -> None:
    """Whatever the database does: here another process holds its lock."""
    file = tmp_path / "kept.db"
    storage = Storage(str(file))
    storage.open()
    other = sqlite3.connect(file)
    other.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    for at in range(1000):
        storage.record(record(f"r{at}"))
    assert time.monotonic() - began < 2, "the lock is waited for for 5 seconds"
    other.rollback()
    other.close()
    until(lambda: len(storage.exchanges(limit=1000)) == 1000)
    assert storage.dropped == 0
    storage.close()
