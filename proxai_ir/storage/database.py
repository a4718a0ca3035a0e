"""The database: its tables, connections, the meaning of failures, and the time that callers wait."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import Column, Connection, Index, Table, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, StatementError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.schema import CreateIndex, CreateTable

from ..exchange.memory import Unavailable
from .records import PAYLOADS

# --- patience ---------------------------------------------------------------------------------------------------------
# Rule 1: a database that hangs delays a caller by its budget at most. After the first one, all are refused at once for
# `PAUSE` seconds; then one of them tries. Rule 2: work that hangs blocks no threads but those that are made here.

Result = TypeVar("Result")

THREADS = 8
PAUSE = 1.0
"""Seconds after work that was not done in time, during which nothing is tried."""


class NotInTime(Exception):
    """The budget is over, or the database is not tried now; the text says which."""


class Patience:
    """Runs work in a few threads, with a budget of time. Work that fails in time does not make others wait."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._work: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._lock = Lock()
        self._threads = self._running = 0
        self._next_try: float | None = None  # None while the database responds

    def __call__(self, work: Callable[[], Result], seconds: float) -> Result:
        """Return the result of the work. Raises what the work raises, and NotInTime; the work may then end later."""
        self._admit()
        waiting: Future[Result] = Future()
        self._work.put((waiting, work))
        try:
            return waiting.result(seconds)
        except Late:
            if waiting.done():
                raise  # the work's own
            waiting.cancel()  # unless it has begun
            with self._lock:
                self._next_try = self._clock() + PAUSE
            raise NotInTime(f"no response within {seconds:g} s") from None

    def _admit(self) -> None:
        with self._lock:
            if self._next_try is not None:
                if self._clock() < self._next_try:
                    raise NotInTime("it did not respond before, and is tried again in a moment")
                self._next_try = self._clock() + PAUSE  # this one tries
            self._running += 1
            if self._running > self._threads and self._threads < THREADS:
                self._threads += 1
                Thread(target=self._run, name="proxai-ir database", daemon=True).start()

    def _run(self) -> None:
        while True:
            waiting, work = self._work.get()
            if waiting.set_running_or_notify_cancel():
                try:
                    result = work()
                except BaseException as error:
                    waiting.set_exception(error)
                else:
                    with self._lock:
                        self._next_try = None
                    waiting.set_result(result)
            with self._lock:
                self._running -= 1
            del waiting, work


# --- tables -----------------------------------------------------------------------------------------------------------
# Rule: a list of exchanges reads no payload and no diagnostics, which are in columns and tables of their own.

METADATA = sa.MetaData()

EXCHANGES = Table(
    "exchanges",
    METADATA,
    Column("id", sa.String, primary_key=True),
    Column("started", sa.Double, nullable=False),
    Column("client", sa.String, nullable=False),
    Column("provider", sa.String, nullable=False),
    Column("path", sa.Text, nullable=False),
    Column("status", sa.Integer, nullable=False),
    Column("upstream", sa.String, nullable=False),
    Column("model", sa.Text),
    Column("sent_model", sa.Text),
    Column("upstream_status", sa.Integer),
    Column("streamed", sa.Boolean, nullable=False),
    Column("duration", sa.Double),
    Column("first_byte", sa.Double),
    Column("usage", sa.Text),  # JSON
    Column("error", sa.Text),
    Column("owner", sa.String, nullable=False),
    Column("diagnostics", sa.Text, nullable=False),  # JSON
    Column("who", sa.Text),
    Column("attempts", sa.Text),  # JSON
)
BY_TIME = Index("exchanges_by_time", EXCHANGES.c.started, EXCHANGES.c.id)
FAILED = sa.or_(EXCHANGES.c.status >= sa.literal_column("400"), EXCHANGES.c.error.is_not(None))
"""The condition of an index: SQLite takes no parameter in one."""
BY_FAILURE = Index(
    "failures_by_time", EXCHANGES.c.started, EXCHANGES.c.id, sqlite_where=FAILED, postgresql_where=FAILED
)

REPORTED = Table(
    "reported_rules",
    METADATA,
    Column("exchange", sa.String, primary_key=True),
    Column("rule", sa.String, primary_key=True),
    Column("severity", sa.String, primary_key=True),
    Column("times", sa.Integer, nullable=False),
)
BY_RULE = Index("reported_rules_by_rule", REPORTED.c.rule, REPORTED.c.exchange)

TURNS = Table(
    "turns",
    METADATA,
    Column("exchange", sa.String, primary_key=True),
    Column("session", sa.String, nullable=False),
    Column("started", sa.Double, nullable=False),
)
BY_SESSION = Index("turns_by_session", TURNS.c.session, TURNS.c.started, TURNS.c.exchange)

ANSWERS = Table(  # what the model answered, by which a later turn finds its session
    "answers",
    METADATA,
    Column("exchange", sa.String, primary_key=True),
    Column("answer", sa.String, nullable=False),  # a digest of it
    Column("session", sa.String, nullable=False),
    Column("started", sa.Double, nullable=False),
)
BY_ANSWER = Index("answers_by_answer", ANSWERS.c.answer, ANSWERS.c.started)

KEPT = Table(
    "payloads",
    METADATA,
    Column("exchange", sa.String, primary_key=True),
    *(Column(name, sa.LargeBinary) for name in PAYLOADS),
)

MEMORY = Table(
    "memory",
    METADATA,
    Column("key", sa.String(64), primary_key=True),  # a digest of it
    Column("until", sa.Double, nullable=False),  # seconds since 1970
    Column("value", sa.LargeBinary, nullable=False),  # JSON
)
BY_EXPIRY = Index("memory_by_expiry", MEMORY.c.until)

TOLD = Table(  # what processes tell each other; without further indexes, as rows are updated all the time
    "told",
    METADATA,
    Column("process", sa.String, primary_key=True),
    Column("name", sa.Text, primary_key=True),
    Column("at", sa.Double, nullable=False),  # seconds by the server's clock
    Column("value", sa.Text, nullable=False),  # JSON
)

LOCK = 7_369_001  # any number, if other users of the database do not lock it


def make(connection: Connection) -> None:
    """Make missing tables, and columns that an older table lacks; several processes may do so at once."""
    if connection.dialect.name == "postgresql":  # two at once would fail there in spite of IF NOT EXISTS
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    for table in METADATA.sorted_tables:
        connection.execute(CreateTable(table, if_not_exists=True))
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            connection.execute(CreateIndex(index, if_not_exists=True))
    known = {column["name"] for column in sa.inspect(connection).get_columns(EXCHANGES.name)}
    for column in EXCHANGES.columns:
        if column.name not in known:
            kind = column.type.compile(connection.dialect)
            connection.execute(sa.text(f"ALTER TABLE {EXCHANGES.name} ADD COLUMN {column.name} {kind}"))


def insert(connection: Connection, table: Table, rows: Sequence[dict[str, Any]], *, replace: bool = False) -> None:
    """Insert rows; one whose primary key exists stays as it is, or is replaced."""
    if rows:
        connection.execute(_insertion(table, connection.dialect.name, replace), rows)


@cache
def _insertion(table: Table, dialect: str, replace: bool) -> Any:
    """Return the statement, which is made once, as that takes longer than executing it."""
    new: Any = (postgresql if dialect == "postgresql" else sqlite).insert(table)
    key = list(table.primary_key.columns)
    if not replace:
        return new.on_conflict_do_nothing(index_elements=key)
    others = {column.name: new.excluded[column.name] for column in table.columns if not column.primary_key}
    return new.on_conflict_do_update(index_elements=key, set_=others)


# --- database ---------------------------------------------------------------------------------------------------------
# Rule 1: a failure raises StorageError, whose text has neither a value nor the password of the URL. After a failure the
# next use opens the database again, in case it was away, or was moved aside. Rule 2: where somebody waits, `within` is
# used, which has a budget; `run` is for threads that nobody waits for.

LOG = logging.getLogger(__name__)
SQLITE, POSTGRES = "sqlite", "postgresql"
SCHEMES = "expected a path, sqlite:///PATH, or postgresql://USER@HOST/DATABASE"
SPARE, FEW_PAGES = 0.25, 250
"""The share of a file's pages that may be free, and the number that may."""
PAGES, MOST_SHRUNK = 5_000, 50
"""How many pages are given back in one transaction, and how many such transactions a sweep has at most."""
BUSY = 5.0
"""Seconds to wait for another process that writes to the same file."""
AWAY = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "tcp_user_timeout": 10_000,
    "options": "-c statement_timeout=10000 -c timezone=UTC",
}
"""How long to wait for a server that does not respond: seconds, and milliseconds. Parameters of the URL go first."""
LOCKED = ("database is locked", "database table is locked")
SOON = ("starting up", "shutting down", "recovery", "too many")
"""Words in the error of a server that refuses all connections for a while."""


class StorageError(Unavailable):
    """The database cannot be used now."""

    def __init__(self, message: str, *, bad_record: bool = False, away: bool = False) -> None:
        super().__init__(message)
        self.bad_record = bad_record  # whether the cause is what was to be written, and not the database's state
        self.away = away  # whether it may come back by itself, as nothing shows that it is the wrong one


def default_path() -> Path:
    """Return the file that is used if no storage is configured, in the user's folder for state."""
    folder = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(folder) / "proxai-ir" / "exchanges.db"


def url_of(storage: str | None) -> sa.URL:
    """Return the URL of a storage, which is a URL, a path of a SQLite file, or None: the default path.

    Raises StorageError.
    """
    try:
        storage = str(default_path()) if storage is None else storage
    except RuntimeError:
        raise StorageError(f"the user has no folder for the storage: {SCHEMES}") from None
    if "://" not in storage:
        if not storage.strip():
            raise StorageError(f"the storage is empty: {SCHEMES}")
        return sa.URL.create(SQLITE, database=str(Path(storage).expanduser()))
    try:
        url = sa.make_url(storage)
    except (ArgumentError, ValueError):
        raise StorageError(f"the storage is no URL: {SCHEMES}") from None
    name = url.get_backend_name()
    if name in (POSTGRES, "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if name != SQLITE:
        raise StorageError(f"the storage is of the kind {name!r}: {SCHEMES}")
    if not url.database or url.database == ":memory:":
        raise StorageError(f"the storage names no file: {SCHEMES}")
    return url


class Database:
    """One database. Safe to use from several threads; a process that forks makes its own."""

    def __init__(self, storage: str | None) -> None:
        self.url = url_of(storage)
        self.shared = self.url.get_backend_name() == POSTGRES  # whether it is for several processes
        self.file = None if self.shared else Path(str(self.url.database))  # of SQLite
        plain = self.url.set(drivername=POSTGRES, query={})  # without a password
        self.shown = plain.render_as_string(hide_password=True) if self.file is None else str(self.file)
        self._ready = False
        self._file: tuple[int, int] | None = None  # what the path led to when the tables were made
        self._making = Lock()
        # SQLite has one writer at a time: threads of one process wait for each other here, without polling.
        self._writing: AbstractContextManager[Any] = nullcontext() if self.shared else Lock()
        self._engine = self._open()
        self._patience = Patience()

    def within(self, seconds: float, work: Callable[[Connection], Result], *, write: bool = False) -> Result:
        """Return what `run` returns, within a budget. Raises StorageError at once if the database has just hung."""
        try:
            return self._patience(lambda: self.run(work, write=write), seconds)
        except NotInTime as error:
            raise StorageError(f"the storage {self.shown} failed: {error}", away=True) from None

    def run(self, work: Callable[[Connection], Result], *, write: bool = False) -> Result:
        """Return what the work returns, in a transaction of its own; it runs again if its connection was broken."""
        try:
            try:
                return self._run(work, write)
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
            return self._run(work, write)
        except Exception as error:
            raise self._failure(error) from None

    def shrink(self) -> None:
        """Give the free pages of a SQLite file back, if they are many: some at a time, and not all at once."""
        for _ in range(MOST_SHRUNK):
            if self.file is None or not self.run(_shrunk, write=True):
                return

    def close(self) -> None:
        self._engine.dispose()

    def _run(self, work: Callable[[Connection], Result], write: bool) -> Result:
        # A file that the path no longer leads to would be written to, and lost.
        if self._ready and self.file is not None and identity(self.file) != self._file:
            LOG.warning("the storage %s was taken away; a new one is begun", self.shown)
            self._ready = False
            self._engine.dispose()
        if not self._ready:
            with self._making, self._writing:
                if not self._ready:
                    self._make()
        with self._writing if write else nullcontext(), self._engine.begin() as connection:
            return work(connection)

    def _make(self) -> None:
        if self.file is not None:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self.file.exists():  # its owner alone can read it, as it will hold prompts
                os.close(os.open(self.file, os.O_CREAT | os.O_RDWR, 0o600))
        with self._engine.begin() as connection:
            make(connection)
        self._file = None if self.file is None else identity(self.file)
        self._ready = True

    def _open(self) -> sa.Engine:
        # hide_parameters: an error's text would quote payloads
        if self.shared:
            waiting = {name: value for name, value in AWAY.items() if name not in self.url.query}
            try:
                return sa.create_engine(
                    self.url, hide_parameters=True, pool_size=8, max_overflow=24, connect_args=waiting
                )
            except ImportError:
                raise StorageError("PostgreSQL needs psycopg: in the checkout, pip install '.[postgres]'") from None
        engine = sa.create_engine(self.url, hide_parameters=True, connect_args={"timeout": BUSY})
        event.listen(engine, "connect", _prepare)
        return engine

    def _failure(self, error: Exception) -> StorageError:
        of_database = isinstance(error, (DBAPIError, OSError)) and not isinstance(error, (DataError, IntegrityError))
        bad_record = not of_database and not isinstance(error, PoolTimeout)
        if not bad_record:
            self._ready = False
            self._engine.dispose()
        cause = error.orig if isinstance(error, StatementError) and error.orig else error
        lines = str(cause).strip().splitlines() or [type(cause).__name__]
        text = lines[0][:300]
        refused = text not in LOCKED if self.file is not None else "FATAL:" in text
        away = not refused or any(word in text for word in SOON)
        return StorageError(f"the storage {self.shown} failed: {text}", bad_record=bad_record, away=away)


def identity(file: Path) -> tuple[int, int] | None:
    """Return device and inode of a file, or None if there is none."""
    try:
        facts = file.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino


def _prepare(connection: Any, _: Any) -> None:
    """Set up a connection of SQLite.

    WAL: readers do not wait for the writer. NORMAL: a crash of the machine may cost the last records, no more.
    """
    cursor = connection.cursor()
    for pragma in ("auto_vacuum=INCREMENTAL", "journal_mode=WAL", "synchronous=NORMAL"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _shrunk(connection: Connection) -> bool:
    """Return whether so many pages are free that some were given back; a file without `auto_vacuum` is made anew."""
    cursor = connection.connection.cursor()
    free, pages, incremental = (
        cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("freelist_count", "page_count", "auto_vacuum")
    )
    if free < max(SPARE * pages, FEW_PAGES):
        return False
    vacuum = f"PRAGMA incremental_vacuum({PAGES})" if incremental else "VACUUM"
    cursor.executescript(f"{vacuum}; PRAGMA wal_checkpoint(TRUNCATE)")  # `execute` frees one page, in its first step
    return True
