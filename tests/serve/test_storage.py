"""What is kept comes back, is found, and grows old; and where it is."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

pytest.importorskip("sqlalchemy", reason="the extra `serve` is not installed")

from sqlalchemy import Connection, select, text

from proxai_ir import Diagnostic, Severity
from proxai_ir.exchange import InMemory
from proxai_ir.exchange.memory import Recollection
from proxai_ir.protocol.registry import frontend
from proxai_ir.storage import Storage, StorageError, default_path
from proxai_ir.storage.database import MEMORY
from proxai_ir.storage.records import Filter, Record, entries

from ..waiting import until
from .postgres import Server
from .storing import NOW, kept, names, record

LOST = entries(
    "request",
    [
        Diagnostic("TUL-4", Severity.LOSS, "/tools/0", "first"),
        Diagnostic("TUL-4", Severity.LOSS, "/tools/1", "second"),
        Diagnostic("SMP-6", Severity.INFO, "/n", "third"),
    ],
)


@pytest.fixture
def storage(url: str) -> Iterator[Storage]:
    made = Storage(url, clock=lambda: NOW)
    yield made
    made.close()


# --- what is kept ---


def test_a_record_comes_back(storage: Storage) -> None:
    whole = record(
        "a",
        upstream="main",
        model="gpt-5",
        sent_model="claude-opus-5",
        upstream_status=200,
        streamed=True,
        duration=1.5,
        first_byte=0.25,
        usage={"input": 3, "output": 2},
        diagnostics=LOST,
        error="the stream was cut",
        owner="f00",
        request=b'{"model": "gpt-5"}',
        upstream_request=b"{}",
        upstream_response=b"\x00\xff",
        response=b"",
    )
    bare = record("b")
    kept(storage, whole, bare)
    assert storage.exchange("a") == whole
    assert storage.exchange("b") == bare
    assert storage.exchange("c") is None
    assert storage.dropped == 0


def test_whose_it_was_and_what_failed_before(storage: Storage) -> None:
    attempts = [{"upstream": "first", "reason": "status", "detail": "503"}]
    kept(storage, record("a", who="alice", attempts=attempts))
    for found in (storage.exchange("a"), *storage.exchanges()):
        assert found is not None
        assert (found.who, found.attempts) == ("alice", attempts)


def test_payloads_are_compressed(storage: Storage) -> None:
    payloads: dict[str, Any] = {
        "request": b"a long text " * 10_000,
        "response": b"\x00zlib",
        "upstream_request": b"short",
    }
    kept(storage, record("a", **payloads))
    found = storage.exchange("a")
    assert found is not None
    assert {name: getattr(found, name) for name in payloads} == payloads
    query = text("SELECT length(request), length(upstream_request) FROM payloads")
    packed, short = storage._database.run(lambda connection: connection.execute(query).one())
    assert packed < 2_000
    assert short == 5


def test_an_exchange_without_payloads_has_no_row_for_them(storage: Storage) -> None:
    kept(storage, record("a", request=b"{}"), record("b"))
    query = text("SELECT exchange FROM payloads")
    assert storage._database.run(lambda connection: [*connection.execute(query).scalars()]) == ["a"]


def test_a_log_of_an_earlier_version(tmp_path: Path) -> None:
    """It has no columns for what was not known then."""
    file = tmp_path / "kept.db"
    storage = Storage(str(file))
    kept(storage, record("old"))
    storage.close()
    with sqlite3.connect(file) as connection:
        for column in ("who", "attempts"):
            connection.execute(f"ALTER TABLE exchanges DROP COLUMN {column}")
    connection.close()
    storage = Storage(str(file))
    kept(storage, record("new", who="alice"))
    assert {one.id: (one.who, one.attempts) for one in storage.exchanges()} == {"old": ("", []), "new": ("alice", [])}
    storage.close()


def test_a_summary(storage: Storage) -> None:
    kept(storage, record("a", diagnostics=LOST, usage={"input": 3}, request=b"{}"))
    (found,) = storage.exchanges()
    assert found.rules == (("SMP-6", "info", 1), ("TUL-4", "loss", 2))
    assert found.usage == {"input": 3}
    assert not found.failed


def test_records_have_no_headers() -> None:
    assert not [name for name in attrs.fields(Record) if "header" in name.name or "key" in name.name]


def test_text_that_no_database_takes(storage: Storage) -> None:
    odd = record("a\x00", model="m\x00\ud800", diagnostics=[{**LOST[0], "message": "x\ud800\x00"}])
    storage.record(odd)
    until(storage.exchanges)
    (found,) = storage.exchanges(Filter(model="m\x00\ud800", rule="TUL"))
    assert found.model == "m\ufffd\ufffd"
    whole = storage.exchange("a\x00")
    assert whole is not None
    assert whole.diagnostics[0]["message"] == "x\ufffd\ufffd"
    assert storage.exchanges(Filter(rule="\x00"), before="\x00") == []


# --- what is found ---


def test_newest_first_in_pages(storage: Storage) -> None:
    kept(storage, *(record(f"r{at}", NOW + at // 2) for at in range(7)))  # two at a time, in one moment
    everything = names(storage.exchanges())
    assert everything == ["r6", "r5", "r4", "r3", "r2", "r1", "r0"]
    assert names(storage.exchanges(limit=3)) == everything[:3]
    assert names(storage.exchanges(limit=3, before="r4")) == everything[3:6]
    assert names(storage.exchanges(limit=3, before="r1")) == everything[6:]
    assert storage.exchanges(before="gone") == []


def test_filters(storage: Storage) -> None:
    kept(
        storage,
        record("lossy", NOW + 3, diagnostics=LOST, model="small"),
        record("failed", NOW + 2, status=529, model="small", sent_model="big"),
        record("cut", NOW + 1, error="cut", model="big"),
        record("other", NOW, diagnostics=[{**LOST[0], "rule": "TUL-40"}]),
    )

    def found(**wanted: Any) -> list[str]:
        return names(storage.exchanges(Filter(**wanted)))

    assert found(rule="TUL-4") == ["lossy"]
    assert found(rule="tul") == ["lossy", "other"]
    assert found(rule="TU") == []
    assert found(rule="%") == []
    assert found(model="big") == ["failed", "cut"]
    assert found(failed=True) == ["failed", "cut"]
    assert found(failed=False) == ["lossy", "other"]
    assert found(failed=True, model="small") == ["failed"]


def test_the_old_and_the_many_go(url: str) -> None:
    storage = Storage(url, days=2, most=3, clock=lambda: NOW)
    ages = {"d0": 0.0, "d1": 1.0, "d3": 3.0}
    kept(storage, *(record(name, NOW - days * 86_400, request=b"{}", diagnostics=LOST) for name, days in ages.items()))
    storage.sweep()
    assert names(storage.exchanges()) == ["d0", "d1"]
    kept(storage, *(record(f"n{at}", NOW + at) for at in range(1, 4)))
    storage.sweep()
    assert names(storage.exchanges()) == ["n3", "n2", "n1"]
    assert storage.exchanges(Filter(rule="TUL-4")) == []
    storage.close()


# --- the memory ---


def test_memory(url: str) -> None:
    now = [NOW]
    storage = Storage(url, clock=lambda: now[0])
    memory = storage.memory
    assert memory.get("a") is None
    memory.put("a", {"x": [1, None, "é"]}, 10)
    memory.put("a", {"x": 2}, 10)
    memory.put("long" * 5000 + "\x00\ud800", [], 20)
    assert memory.get("a") == {"x": 2}
    assert memory.get("long" * 5000 + "\x00\ud800") == []
    now[0] += 15
    assert memory.get("a") is None
    memory.delete("long" * 5000 + "\x00\ud800")
    memory.delete("never there")
    assert memory.get("long" * 5000 + "\x00\ud800") is None
    storage.close()


def test_what_has_expired_is_deleted(tmp_path: Path) -> None:
    now = [NOW]
    storage = Storage(str(tmp_path / "kept.db"), clock=lambda: now[0])
    storage.memory.put("a", 1, 10)
    assert storage.memory.get("a") == 1
    now[0] += 100
    storage.memory.put("b", 1, 10)
    storage.memory.settle()
    storage.sweep()
    storage.close()
    with sqlite3.connect(tmp_path / "kept.db") as connection:
        assert connection.execute("SELECT count(*) FROM memory").fetchone() == (1,)


def memory_rows(storage: Storage) -> list[tuple[float, bytes]]:
    def read(connection: Connection) -> list[tuple[float, bytes]]:
        return [(one.until, bytes(one.value)) for one in connection.execute(select(MEMORY).order_by(MEMORY.c.until))]

    return storage._database.run(read)


def test_the_memory_has_a_quota_in_bytes(url: str) -> None:
    """The first to expire go first; small values count, too, so that it bounds their number."""
    now = [NOW]
    storage = Storage(url, memory_bytes=40_000, clock=lambda: now[0])
    for at in range(6):
        storage.memory.put(f"large{at}", os.urandom(10_000).hex(), 1_000 + at)
        storage.memory.settle()
    storage.sweep()
    assert [storage.memory.get(f"large{at}") is not None for at in range(6)] == [False] * 3 + [True] * 3
    for at in range(100):
        storage.memory.put(f"small{at}", at, 5_000 + at)
    storage.memory.settle()
    storage.sweep()
    assert len(memory_rows(storage)) == 39
    assert storage.memory.get("small99") == 99
    storage.close()


def test_the_memory_is_kept_for_so_many_days(url: str) -> None:
    """Also what was put when it was to be kept for longer."""
    before = Storage(url, clock=lambda: NOW)
    before.memory.put("a", 1, 20 * 86_400)
    before.close()
    storage = Storage(url, memory_days=2, clock=lambda: NOW)
    storage.sweep()
    storage.memory.put("b", 1, 20 * 86_400)
    storage.memory.put("c", 1, 60)
    storage.memory.settle()
    assert [until - NOW for until, _ in memory_rows(storage)] == [60, 2 * 86_400, 2 * 86_400]
    storage.close()


def test_the_memory_is_compressed(url: str) -> None:
    storage = Storage(url, clock=lambda: NOW)
    storage.memory.put("a", {"text": "again and " * 10_000}, 60)
    storage.memory.put("b", {"text": "again"}, 60)
    assert storage.memory.get("a") == {"text": "again and " * 10_000}
    assert storage.memory.get("b") == {"text": "again"}
    assert sum(len(value) for _, value in memory_rows(storage)) < 2_000
    storage.close()


# --- sweeps and files ---


def test_what_is_too_old_is_deleted_at_the_start_and_by_a_timer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [NOW]
    file = str(tmp_path / "kept.db")
    before = Storage(file, clock=lambda: NOW)
    kept(before, record("old", NOW - 3 * 86_400), record("new", NOW))
    before.close()
    monkeypatch.setattr("proxai_ir.storage.SWEEPS", 0.01)
    storage = Storage(file, days=2, clock=lambda: now[0])
    storage.keep_swept()
    until(lambda: names(storage.exchanges()) == ["new"])
    now[0] += 3 * 86_400
    until(lambda: storage.exchanges() == [])
    storage.close()
    assert storage._sweeps is not None
    assert not storage._sweeps.is_alive()


def test_every_gateway_sweeps(tmp_path: Path) -> None:
    """That of `run` has its storage from there, too."""
    pytest.importorskip("uvicorn")
    from proxai_ir.serve.config import from_mapping
    from proxai_ir.serve.server import storage_of

    file = str(tmp_path / "kept.db")
    before = Storage(file)
    kept(before, record("old", 1.0))
    before.close()
    table = {"protocol": "openai_chat_completions", "base_url": "http://a.invalid"}
    storage = storage_of(from_mapping({"upstreams": {"u": table}, "storage": {"url": file}}))
    assert storage is not None
    until(lambda: storage.exchanges() == [])
    storage.close()


def test_timers_go_on_when_the_database_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []

    def sweep(self: Storage) -> None:
        tries.append(1)
        raise StorageError("away")

    monkeypatch.setattr("proxai_ir.storage.SWEEPS", 0.01)
    monkeypatch.setattr(Storage, "sweep", sweep)
    storage = Storage(str(tmp_path / "kept.db"))
    storage.keep_swept()
    until(lambda: len(tries) > 2)
    storage.close()


@pytest.mark.parametrize("old", [False, True])
def test_a_file_shrinks(tmp_path: Path, old: bool) -> None:
    """Also one that was made by an earlier version, without `auto_vacuum`."""
    file = tmp_path / "kept.db"
    if old:
        with sqlite3.connect(file) as connection:
            connection.execute("CREATE TABLE other (x)")
    now = [NOW]
    storage = Storage(str(file), days=1, clock=lambda: now[0])
    kept(storage, *(record(f"r{at}", NOW, request=os.urandom(100_000)) for at in range(100)))
    storage.sweep()
    assert file.stat().st_size + Path(f"{file}-wal").stat().st_size > 10_000_000
    now[0] += 2 * 86_400
    storage.sweep()
    assert file.stat().st_size + Path(f"{file}-wal").stat().st_size < 2_000_000
    kept(storage, record("after", now[0]))
    storage.close()


def test_memory_is_shared_by_processes(url: str, root: Path) -> None:
    program = (
        "import sys; from proxai_ir.storage import Storage\n"
        "s = Storage(sys.argv[1]); s.memory.put('k', {'from': 'another process'}, 60); s.close()"
    )
    subprocess.run([sys.executable, "-c", program, url], check=True, cwd=root, timeout=60)
    storage = Storage(url)
    assert storage.memory.get("k") == {"from": "another process"}
    storage.close()


def test_processes_that_start_at_once(url: str, root: Path) -> None:
    """All make the tables, and write."""
    program = (
        "import sys; from proxai_ir.storage import Storage; from proxai_ir.storage.records import Record\n"
        "s = Storage(sys.argv[1])\n"
        "for at in range(20):\n"
        "    s.record(Record(id=f'{sys.argv[2]}-{at}', started=at, client='a', provider='b', path='/', status=200))\n"
        "    s.memory.put(f'{sys.argv[2]}-{at}', at, 60)\n"
        "s.close(30); print(s.dropped, s.memory.forgotten)"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", program, url, str(at)], stdout=subprocess.PIPE, text=True, cwd=root)
        for at in range(3)
    ]
    assert [process.communicate(timeout=60)[0] for process in processes] == ["0 0\n"] * 3
    storage = Storage(url)
    assert len(storage.exchanges(limit=100)) == 60
    assert storage.memory.get("2-19") == 19
    storage.close()


def test_memory_serves_an_exchange(storage: Storage) -> None:
    references = frontend("openai_responses").memory
    assert references is not None
    found = []
    for memory in (storage.memory, InMemory(clock=lambda: NOW)):
        recollection = Recollection(references, memory, "owner")
        request = {"model": "m", "input": "hi"}
        _, keeps = recollection.recall(request)
        output = [{"type": "message", "id": "m1", "role": "assistant", "content": []}]
        recollection.keep({"id": "r1", "output": output}, keeps)
        found.append(recollection.recall({"model": "m", "input": "more", "previous_response_id": "r1"}))
    assert found[0] == found[1]
    assert len(found[0][0]["input"]) == 3


def test_many_threads(url: str) -> None:
    storage = Storage(url)
    failures: list[Exception] = []

    def work(own: int) -> None:
        try:
            for at in range(20):
                storage.memory.put(f"{own}/{at}", at, 60)
                assert storage.memory.get(f"{own}/{at}") == at
                storage.record(record(f"{own}-{at}"))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(own,)) for own in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    until(lambda: len(storage.exchanges(limit=200)) == 160)
    assert (storage.dropped, storage.memory.forgotten) == (0, 0)
    storage.close()


# --- where it is ---


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "the storage is empty"),
        ("sqlite://", "the storage names no file"),
        ("sqlite:///:memory:", "the storage names no file"),
        ("mysql://u@h/d", "the storage is of the kind 'mysql'"),
        ("://", "the storage is no URL"),
        ("postgresql://h:port/d", "the storage is no URL"),
    ],
)
def test_no_storage(url: str, why: str) -> None:
    expected = "expected a path, sqlite:///PATH, or postgresql://USER@HOST/DATABASE"
    with pytest.raises(StorageError) as raised:
        Storage(url)
    assert str(raised.value) == f"{why}: {expected}"


def test_a_password_is_never_shown() -> None:
    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    storage = Storage("postgresql://me:secret@127.0.0.1:1/db?application_name=x")
    assert storage.shown == "postgresql://me:***@127.0.0.1:1/db"
    with pytest.raises(StorageError) as raised:
        storage.open()
    assert "secret" not in str(raised.value)


def test_only_the_owner_can_read_the_file(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path / "folder" / "kept.db"))
    storage.open()
    assert (tmp_path / "folder").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "folder" / "kept.db").stat().st_mode & 0o777 == 0o600
    storage.close()


def test_the_default_is_in_the_users_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_path() == tmp_path / "proxai-ir" / "exchanges.db"
    assert Storage().shown == str(default_path())
    monkeypatch.delenv("XDG_STATE_HOME")
    assert default_path().parts[-4:] == (".local", "state", "proxai-ir", "exchanges.db")


def test_a_user_without_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: Path("~no-such-user").expanduser())
    with pytest.raises(StorageError, match=r"^the user has no folder for the storage: expected a path, "):
        Storage()


def test_parameters_of_the_url_go_first(postgres: Server) -> None:
    storage = Storage(postgres.new_database() + "?options=-c%20statement_timeout%3D1234")
    wanted = text("SELECT current_setting('statement_timeout')")
    assert storage._database.run(lambda connection: connection.execute(wanted).scalar()) == "1234ms"
    storage.close()


def test_diagnostics_as_a_record_has_them() -> None:
    assert json.loads(json.dumps(LOST))[0] == {
        "side": "request",
        "rule": "TUL-4",
        "severity": "loss",
        "path": "/tools/0",
        "message": "first",
    }
