"""The tables: what exchanges were, which rules they reported, whose turns they are, their payloads, and the memory.

Rule: a list of exchanges reads no payload and no diagnostics, which are in columns and tables of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    inspect,
    literal_column,
    or_,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

METADATA = MetaData()

EXCHANGES = Table(
    "exchanges",
    METADATA,
    Column("id", String, primary_key=True),
    Column("started", Double, nullable=False),
    Column("client", String, nullable=False),
    Column("provider", String, nullable=False),
    Column("path", Text, nullable=False),
    Column("status", Integer, nullable=False),
    Column("upstream", String, nullable=False),
    Column("model", Text),
    Column("sent_model", Text),
    Column("upstream_status", Integer),
    Column("streamed", Boolean, nullable=False),
    Column("duration", Double),
    Column("first_byte", Double),
    Column("usage", Text),  # JSON
    Column("error", Text),
    Column("owner", String, nullable=False),
    Column("diagnostics", Text, nullable=False),  # JSON
    Column("who", Text),
    Column("attempts", Text),  # JSON
)
BY_TIME = Index("exchanges_by_time", EXCHANGES.c.started, EXCHANGES.c.id)
FAILED = or_(EXCHANGES.c.status >= literal_column("400"), EXCHANGES.c.error.is_not(None))  # without parameters: SQLite
BY_FAILURE = Index(
    "failures_by_time", EXCHANGES.c.started, EXCHANGES.c.id, sqlite_where=FAILED, postgresql_where=FAILED
)

REPORTED = Table(
    "reported_rules",
    METADATA,
    Column("exchange", String, primary_key=True),
    Column("rule", String, primary_key=True),
    Column("severity", String, primary_key=True),
    Column("times", Integer, nullable=False),
)
BY_RULE = Index("reported_rules_by_rule", REPORTED.c.rule, REPORTED.c.exchange)

TURNS = Table(
    "turns",
    METADATA,
    Column("exchange", String, primary_key=True),
    Column("session", String, nullable=False),
    Column("started", Double, nullable=False),
)
BY_SESSION = Index("turns_by_session", TURNS.c.session, TURNS.c.started, TURNS.c.exchange)

KEPT = Table(
    "payloads",
    METADATA,
    Column("exchange", String, primary_key=True),
    Column("request", LargeBinary),
    Column("upstream_request", LargeBinary),
    Column("upstream_response", LargeBinary),
    Column("response", LargeBinary),
)

MEMORY = Table(
    "memory",
    METADATA,
    Column("key", String(64), primary_key=True),  # a digest of it
    Column("until", Double, nullable=False),  # seconds since 1970
    Column("value", LargeBinary, nullable=False),  # JSON
)
BY_EXPIRY = Index("memory_by_expiry", MEMORY.c.until)

LOCK = 7_369_001  # any number that other users of the database do not lock


def make(connection: Connection) -> None:
    """Make the tables that are not there, and columns that are newer; several processes may do so at once."""
    if connection.dialect.name == "postgresql":  # where two at once fail in spite of IF NOT EXISTS
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    for table in METADATA.sorted_tables:
        connection.execute(CreateTable(table, if_not_exists=True))
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            connection.execute(CreateIndex(index, if_not_exists=True))
    known = {column["name"] for column in inspect(connection).get_columns(EXCHANGES.name)}
    for column in EXCHANGES.columns:
        if column.name not in known:
            kind = column.type.compile(connection.dialect)
            connection.execute(text(f"ALTER TABLE {EXCHANGES.name} ADD COLUMN {column.name} {kind}"))


def insert(connection: Connection, table: Table, rows: Sequence[dict[str, Any]], *, replace: bool = False) -> None:
    """Add rows; one whose primary key is there already stays as it is, or is replaced."""
    if rows:
        connection.execute(_insertion(table, connection.dialect.name, replace), rows)


@cache
def _insertion(table: Table, dialect: str, replace: bool) -> Any:
    """Made once, as making a statement takes longer than executing it."""
    new: Any = (postgresql if dialect == "postgresql" else sqlite).insert(table)
    key = list(table.primary_key.columns)
    if not replace:
        return new.on_conflict_do_nothing(index_elements=key)
    others = {column.name: new.excluded[column.name] for column in table.columns if not column.primary_key}
    return new.on_conflict_do_update(index_elements=key, set_=others)
