"""Messages between processes with one PostgreSQL: small values by name, each of which its process replaces.

Rule 1: a process writes rows of its own alone, so that none waits for another. Rule 2: times are by the server's clock,
so that clocks of machines are never compared. Rule 3: what a process told stays when it ends, until it is swept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Connection, bindparam, delete, select, text

from .database import TOLD, insert

CLOCK = text("SELECT extract(epoch FROM clock_timestamp())::float8")
NEWER = select(TOLD).where(TOLD.c.at > bindparam("since"), TOLD.c.process != bindparam("own"))
LATE = 15.0
"""Seconds by which a row may be seen later than its time: more than a statement has until the server ends it."""
LIFETIME = 2 * 86_400.0
"""Seconds that a row is heard and kept: more than the day that it may count for."""


class Row(NamedTuple):
    """A value; `at` is by the server's clock."""

    process: str
    name: str
    at: float
    value: Any


class Heard(NamedTuple):
    """The rows of other processes, and the time up to which they have been read."""

    rows: list[Row]
    until: float


def exchanged(connection: Connection, process: str, news: Mapping[str, Any], since: float) -> Heard:
    """Write a process's news, and return what the others wrote since a time of the server's clock."""
    now: float = connection.execute(CLOCK).scalar_one()
    stated = {name: orjson.dumps(value).decode() for name, value in news.items()}
    rows = [{"process": process, "name": name, "at": now, "value": value} for name, value in stated.items()]
    insert(connection, TOLD, rows, replace=True)
    found = connection.execute(NEWER, {"since": max(min(since, now) - LATE, now - LIFETIME), "own": process})
    return Heard([Row(one.process, one.name, one.at, orjson.loads(one.value)) for one in found], now)


def forget(connection: Connection) -> None:
    """Delete what is too old for anybody."""
    now = connection.execute(CLOCK).scalar_one()
    connection.execute(delete(TOLD).where(TOLD.c.at < now - LIFETIME))
