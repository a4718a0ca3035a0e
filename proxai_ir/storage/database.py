"""Connections to the database, SQLite or PostgreSQL, and what its failures mean.

Rule 1: what fails raises StorageError, whose text has neither a value nor the password of the URL. After a failure the
next use opens the database anew, so that one that was away, or was moved aside, is used again. Rule 2: who is waited
for uses `within`, which has a budget; `run` is for threads that nobody waits for.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, StatementError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from ..exchange.memory import Unavailable
from . import tables
from .patience import NotInTime, Patience

LOG = logging.getLogger(__name__)
Result = TypeVar("Result")

SQLITE, POSTGRES = "sqlite", "postgresql"
SCHEMES = "expected a path, sqlite:///PATH, or postgresql://USER@HOST/DATABASE"
BUSY = 5.0
"""Seconds to wait for another process that writes to the same file."""
AWAY = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "tcp_user_timeout": 10_000,
    "options": "-c statement_timeout=10000 -c timezone=UTC",
}
"""How long a server that does not respond is waited for: seconds, and milliseconds. A URL's own parameters go first."""
LOCKED = ("database is locked", "database table is locked")
SOON = ("starting up", "shutting down", "recovery", "too many")
"""What a server says that refuses all connections for a while."""


class StorageError(Unavailable):
    """The database cannot be used now. `bad_record`: not for its state, but for what was to be written; `away`: it may
    come back by itself, as nothing shows that it is the wrong one."""

    def __init__(self, message: str, *, bad_record: bool = False, away: bool = False) -> None:
        super().__init__(message)
        self.bad_record, self.away = bad_record, away


def default_path() -> Path:
    """The file that is used where no storage is configured, in the user's folder for such state."""
    folder = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(folder) / "proxai-ir" / "exchanges.db"


def url_of(storage: str | None) -> URL:
    """The URL of a storage: a path of a SQLite file, or a URL; None: the default path. Raises StorageError."""
    try:
        storage = str(default_path()) if storage is None else storage
    except RuntimeError:
        raise StorageError(f"the user has no folder for the storage: {SCHEMES}") from None
    if "://" not in storage:
        if not storage.strip():
            raise StorageError(f"the storage is empty: {SCHEMES}")
        return URL.create(SQLITE, database=str(Path(storage).expanduser()))
    try:
        url = make_url(storage)
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
        self._ready = False
        self._file: tuple[int, int] | None = None  # what the path led to when the tables were made
        self._making = Lock()
        # SQLite has one writer at a time: threads of one process wait for each other here, without polling.
        self._writing: AbstractContextManager[Any] = nullcontext()
        if self.url.get_backend_name() == SQLITE:
            self._writing = Lock()
        self._engine = self._open()
        self._patience = Patience()

    def within(self, seconds: float, work: Callable[[Connection], Result], *, write: bool = False) -> Result:
        """The same as `run`, within a budget; without a try where the database did not respond a moment ago."""
        try:
            return self._patience(lambda: self.run(work, write=write), seconds)
        except NotInTime as error:
            raise StorageError(f"the storage {self.shown} failed: {error}", away=True) from None

    def run(self, work: Callable[[Connection], Result], *, write: bool = False) -> Result:
        """What `work` returns, in a transaction of its own. `work` may run twice: the second time on a new connection,
        where the first turned out to be broken."""
        try:
            return self._run(work, write)
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise self._failure(error) from None
        except Exception as error:
            raise self._failure(error) from None
        try:
            return self._run(work, write)
        except Exception as error:
            raise self._failure(error) from None

    def close(self) -> None:
        self._engine.dispose()

    def _run(self, work: Callable[[Connection], Result], write: bool) -> Result:
        if self._ready and self._is_gone():
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
            private(self.file)
        with self._engine.begin() as connection:
            tables.make(connection)
        self._file = None if self.file is None else identity(self.file)
        self._ready = True

    def _is_gone(self) -> bool:
        """Whether the path leads to another file by now: what is written to one without a name is lost."""
        return self.file is not None and identity(self.file) != self._file

    def _open(self) -> Engine:
        # hide_parameters: an error's text would quote payloads
        if self.url.get_backend_name() == POSTGRES:
            waiting = {name: value for name, value in AWAY.items() if name not in self.url.query}
            try:
                return create_engine(self.url, hide_parameters=True, pool_size=8, max_overflow=24, connect_args=waiting)
            except ImportError:
                raise StorageError("PostgreSQL needs psycopg: in the checkout, pip install '.[postgres]'") from None
        engine = create_engine(self.url, hide_parameters=True, connect_args={"timeout": BUSY})
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

    @property
    def file(self) -> Path | None:
        """The file of a SQLite database."""
        return Path(str(self.url.database)) if self.url.get_backend_name() == SQLITE else None

    @property
    def shown(self) -> str:
        """Its URL, or its path, without a password."""
        if self.file is not None:
            return str(self.file)
        return self.url.set(drivername=POSTGRES, query={}).render_as_string(hide_password=True)


def private(file: Path) -> None:
    """Make a file that only its owner can read, as it will hold prompts, unless it is there."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not file.exists():
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))


def identity(file: Path) -> tuple[int, int] | None:
    """Of the file at a path; None where there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _prepare(connection: Any, _: Any) -> None:
    """WAL: readers do not wait for the writer. NORMAL: a crash of the machine may cost the last records, no more."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
