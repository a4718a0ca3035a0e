"""Records in the tables: writing in batches, search, sums, reading, and deletion of old ones.

Rule: of one exchange all rows are written, or none.
"""

from __future__ import annotations

import math
import re
import time
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import orjson
import sqlalchemy as sa
from sqlalchemy import Connection, and_, case, cast, delete, exists, func, or_, select, tuple_, type_coerce

from ..ir.response import PARTITION
from ..reporting.catalogue import KNOWN
from ..reporting.diagnostics import Severity
from .database import ANSWERS, EXCHANGES, FAILED, KEPT, REPORTED, TURNS, insert
from .records import COUNTS, PAYLOADS, TIMES, Beside, Exchanged, Filter, Found, Record, Summary

NAMES = tuple(one.name for one in attrs.fields(Exchanged))
JSONS = ("usage", "attempts")
PACKED, SHORTEST_PACKED = b"\x00zlib", 512
"""The beginning of compressed payloads, and the bytes of the shortest payload that is compressed."""
NOT_TEXT = re.compile("[\x00\ud800-\udfff]")
"""Characters that PostgreSQL, or any database, refuses in text."""
ROW = 1000
"""About how many bytes a row, or an exchange, has in addition to its long columns; so bytes bound the number, too."""
MEASURED = 16
"""How often sizes are measured while a whole quota is written, as that reads those of all rows."""
PLACE = (EXCHANGES.c.started, EXCHANGES.c.id)
"""The order of the log."""
BEGINNING = (math.inf, "")
"""The place before the newest one."""
WHOLE = EXCHANGES.outerjoin(KEPT, KEPT.c.exchange == EXCHANGES.c.id)
Measured = tuple[Any, Sequence[Any], Sequence[Any]]
"""Rows whose bytes are bounded, the columns that order them by time, and the long ones."""
LOG: Measured = WHOLE, PLACE, (EXCHANGES.c.diagnostics, *(KEPT.c[one] for one in PAYLOADS))
STRETCH = 1_000
"""How many exchanges are searched at once."""
FEW = 500
"""Up to how many matching exchanges are looked up by id; more are found faster in the order of the log."""
SUMMED = 10_000
"""How many exchanges are summed up at once, so that no statement takes long, whatever the log has."""
POSTGRES_TIMES = {"day": "YYYY-MM-DD", "hour": "YYYY-MM-DD HH24:00"}
"""TIMES in the notation of PostgreSQL."""
SLICE = 500
"""How many exchanges, or values, are deleted in one transaction."""


def write(connection: Connection, records: Sequence[Record], sessions: Mapping[str, str | None]) -> None:
    """Insert records, with the sessions of those that are turns of one, by id.

    A record that exists, after a try whose success was not reported, stays as it is.
    """
    turns = [
        {"exchange": _clean(one.id), "session": session, "started": one.started}
        for one in records
        if (session := sessions.get(one.id))
    ]
    kept = [
        {"exchange": _clean(one.id)} | {name: packed(data) for name, data in one.payloads.items()}
        for one in records
        if one.payloads
    ]
    insert(connection, EXCHANGES, [_row(record) for record in records])
    insert(connection, REPORTED, [row for record in records for row in _reported(record)])
    insert(connection, TURNS, turns)
    insert(connection, KEPT, kept)


def read(connection: Connection, wanted: Filter, limit: int, before: str | None, seconds: float) -> Found:
    """Return exchanges, the newest first, beginning after the one with the id `before`.

    The log is searched in one stretch after another, until enough are found or so many seconds are over.
    """
    stop = time.monotonic() + seconds
    place: Any = BEGINNING
    if before is not None:
        place = connection.execute(select(*PLACE).where(EXCHANGES.c.id == _clean(before))).first()
    if place is None:
        return Found([], None)
    conditions, few = _conditions(connection, wanted)
    failed = wanted.failed or (wanted.status or 0) >= 400  # failures have an index of their own
    everything = select(*[EXCHANGES.c[name] for name in NAMES]).order_by(*[one.desc() for one in PLACE])
    everything = everything.where(FAILED) if failed else everything
    rows: list[Any] = []
    while True:
        stretch, place = _stretch(connection, everything, place, None if few else STRETCH)
        rows += connection.execute(stretch.where(*conditions).limit(limit - len(rows))).all()
        if place is None or len(rows) == limit or time.monotonic() >= stop:
            break
    further = rows[-1].id if len(rows) == limit else place and place.id
    return Found(_summaries(connection, rows), further)


def sums(
    connection: Connection, wanted: Filter, columns: Sequence[str], place: Any, since: float, until: float
) -> tuple[Sequence[Any], Any]:
    """Return values of the columns with COUNTS for a stretch of the log, and the place where the next one begins.

    By `rule`, an exchange is counted at each rule by which it lost something, and else at "".
    """
    order = select(*PLACE).order_by(*[one.desc() for one in PLACE])
    stretch, place = _stretch(connection, order, place or (until, ""), SUMMED, since)
    lost = REPORTED.c.exchange == EXCHANGES.c.id, REPORTED.c.severity == str(Severity.LOSS)
    joined = EXCHANGES.outerjoin(REPORTED, and_(*lost)) if "rule" in columns else EXCHANGES
    times = REPORTED.c.times if "rule" in columns else select(func.sum(REPORTED.c.times)).where(*lost).scalar_subquery()
    sqlite = connection.dialect.name == "sqlite"
    usage: Any = type_coerce(EXCHANGES.c.usage, sa.JSON) if sqlite else cast(EXCHANGES.c.usage, sa.JSON)
    counts = [case((FAILED, 1), else_=0), times, *(cast(usage[kind].as_string(), sa.Double) for kind in PARTITION)]
    conditions, _ = _conditions(connection, wanted)
    values = [_value(name, sqlite).label(name) for name in columns]
    each = [func.coalesce(count, 0).label(name) for name, count in zip(COUNTS[1:], counts, strict=True)]
    plain = stretch.where(*conditions).with_only_columns(*values, *each).select_from(joined).order_by(None).subquery()
    by = [plain.c[name] for name in columns]
    query = select(*by, func.count(), *(func.sum(plain.c[name]) for name in COUNTS[1:])).group_by(*by)
    return connection.execute(query).all(), place


def _value(name: str, sqlite: bool) -> Any:
    """Return the text of a column of sums."""
    if name == "rule":
        return func.coalesce(REPORTED.c.rule, "")
    if name not in TIMES:
        return func.coalesce(cast(EXCHANGES.c[name], sa.String), "")
    if sqlite:
        return func.strftime(TIMES[name], EXCHANGES.c.started, "unixepoch")
    return func.to_char(func.timezone("UTC", func.to_timestamp(EXCHANGES.c.started)), POSTGRES_TIMES[name])


def _stretch(
    connection: Connection, order: Any, place: Any, most: int | None, since: float = -math.inf
) -> tuple[Any, Any]:
    """Return the part of the log after a place that has so many exchanges, and the place of its last one.

    The place is None where the log ends or has nothing of the time `since`, or if there is no limit.
    """
    here = tuple_(*PLACE)  # each bound stands once, as SQLite looks for the first of several in its index
    newest, oldest = order.where(here < tuple(place)), (since, "")
    rest = newest.where(here >= oldest).with_only_columns(*PLACE)
    last = most and connection.execute(rest.offset(most - 1).limit(1)).first()
    return newest.where(here >= tuple(last or oldest)), last or None


def _conditions(connection: Connection, wanted: Filter) -> tuple[list[Any], bool]:
    """Return the conditions of a search, and whether they name a few exchanges by id."""
    found: list[Any] = []
    listed: list[tuple[Any, Any]] = []
    if wanted.rule is not None:
        rule = _clean(wanted.rule.upper())
        family = [one for one in KNOWN if one.startswith(f"{rule}-")]
        listed.append((REPORTED.c.exchange, REPORTED.c.rule.in_(family or [rule])))
    if wanted.session is not None:
        listed.append((TURNS.c.exchange, TURNS.c.session == _clean(wanted.session)))
    few = False
    for column, condition in listed:
        names = connection.execute(select(column).where(condition).limit(FEW + 1)).scalars().all()
        few = few or len(names) <= FEW
        among = EXCHANGES.c.id.in_(names) if len(names) <= FEW else exists().where(column == EXCHANGES.c.id, condition)
        found.append(among)
    if wanted.model is not None:
        found.append(or_(*(EXCHANGES.c[name] == _clean(wanted.model) for name in ("model", "sent_model"))))
    if wanted.client is not None:
        found.append(EXCHANGES.c.client == _clean(wanted.client))
    if wanted.status is not None:
        found.append(or_(*(EXCHANGES.c[name] == wanted.status for name in ("status", "upstream_status"))))
    if wanted.failed is not None:
        found.append(FAILED if wanted.failed else ~FAILED)
    if not wanted.with_models:
        found.append(or_(EXCHANGES.c.model.is_not(None), FAILED))
    return found, few


def _summaries(connection: Connection, rows: Sequence[Any]) -> list[Summary]:
    names = [row.id for row in rows]
    rules: dict[str, list[tuple[str, str, int]]] = {}
    reported = select(REPORTED).where(REPORTED.c.exchange.in_(names)).order_by(REPORTED.c.rule)
    for one in connection.execute(reported):
        rules.setdefault(one.exchange, []).append((one.rule, one.severity, one.times))
    turns = connection.execute(select(TURNS).where(TURNS.c.exchange.in_(names)))
    sessions = {one.exchange: one.session for one in turns}
    return [
        Summary(**_facts(row), rules=tuple(rules.get(row.id, ())), session=sessions.get(row.id, "")) for row in rows
    ]


def beside(connection: Connection, name: str) -> Beside:
    turn = connection.execute(select(TURNS).where(TURNS.c.exchange == _clean(name))).first()
    if turn is None:
        return Beside()
    place = (TURNS.c.started, TURNS.c.exchange)
    here = tuple_(*place), (turn.started, turn.exchange)
    turns = select(TURNS.c.exchange).where(TURNS.c.session == turn.session).limit(1)
    before = turns.where(here[0] < here[1]).order_by(*[one.desc() for one in place])
    after = turns.where(here[0] > here[1]).order_by(*place)
    return Beside(turn.session, *(connection.execute(one).scalar() or "" for one in (before, after)))


def read_one(connection: Connection, name: str) -> Record | None:
    query = select(EXCHANGES, *[KEPT.c[each] for each in PAYLOADS]).select_from(WHOLE)
    row = connection.execute(query.where(EXCHANGES.c.id == _clean(name))).first()
    if row is None:
        return None
    payloads: dict[str, Any] = {each: unpacked(getattr(row, each)) for each in PAYLOADS}
    return Record(**_facts(row), owner=row.owner, diagnostics=orjson.loads(row.diagnostics), **payloads)


def named(connection: Connection, beginning: str, limit: int) -> list[str]:
    column = EXCHANGES.c.id
    found = select(column).where(column.startswith(_clean(beginning), autoescape=True)).order_by(column).limit(limit)
    return list(connection.execute(found).scalars())


def beyond(connection: Connection, measured: Measured, most_bytes: int) -> float:
    """Return the time before which rows must be deleted, so that the rest has so many bytes at most."""
    rows, order, columns = measured
    length = func.length if connection.dialect.name == "sqlite" else func.octet_length  # neither reads the payload
    sizes = [func.coalesce(length(column), 0) for column in columns]
    newest_first = [one.desc() for one in order]
    so_far = func.sum(cast(sum(sizes[1:], sizes[0]) + ROW, sa.Double)).over(order_by=newest_first).label("so_far")
    found = select(order[0].label("time"), so_far).select_from(rows).subquery()
    time_of_first = connection.execute(select(func.max(found.c.time)).where(found.c.so_far > most_bytes)).scalar()
    return 0.0 if time_of_first is None else math.nextafter(time_of_first, math.inf)


def forget(connection: Connection, oldest: float, most: int) -> int:
    """Delete some exchanges from before `oldest` or beyond the newest `most`, and return their number."""
    newest_first = select(EXCHANGES.c.started).order_by(EXCHANGES.c.started.desc())
    beyond = connection.execute(newest_first.offset(most).limit(1)).scalar()
    too_old = EXCHANGES.c.started < oldest
    if beyond is not None:
        too_old = or_(too_old, EXCHANGES.c.started <= beyond)
    names = list(connection.execute(select(EXCHANGES.c.id).where(too_old).limit(SLICE)).scalars())
    for column in (*(table.c.exchange for table in (KEPT, REPORTED, TURNS, ANSWERS)), EXCHANGES.c.id) if names else ():
        connection.execute(delete(column.table).where(column.in_(names)))
    return len(names)


def _row(record: Record) -> dict[str, Any]:
    row = {name: _clean(getattr(record, name)) for name in (*NAMES, "owner")}
    for name in JSONS:
        row[name] = orjson.dumps(row[name]).decode() if row[name] else None
    try:
        row["diagnostics"] = orjson.dumps(record.diagnostics).decode()
    except orjson.JSONEncodeError:  # rare: texts with lone surrogates
        cleaned = [{name: _clean(value) for name, value in one.items()} for one in record.diagnostics]
        row["diagnostics"] = orjson.dumps(cleaned).decode()
    return row


def _reported(record: Record) -> list[dict[str, Any]]:
    counted: dict[tuple[str, str], int] = {}
    for one in record.diagnostics:
        found = one["rule"], one["severity"]
        counted[found] = counted.get(found, 0) + one.get("times", 1)
    return [
        {"exchange": _clean(record.id), "rule": _clean(rule), "severity": _clean(severity), "times": count}
        for (rule, severity), count in counted.items()
    ]


def _facts(row: Any) -> dict[str, Any]:
    facts = {name: getattr(row, name) for name in NAMES}
    for name in JSONS:
        facts[name] = None if facts[name] is None else orjson.loads(facts[name])
    return facts | {"who": facts["who"] or "", "attempts": facts["attempts"] or []}


def packed(payload: bytes | None) -> bytes | None:
    if payload is None or (len(payload) < SHORTEST_PACKED and not payload.startswith(PACKED)):
        return payload
    return PACKED + zlib.compress(payload, 1)


def unpacked(value: Any) -> bytes | None:
    if value is None:
        return None
    payload = bytes(value)
    return zlib.decompress(payload[len(PACKED) :]) if payload.startswith(PACKED) else payload


def _clean(value: Any) -> Any:
    if not isinstance(value, str) or (value.isascii() and "\x00" not in value):
        return value
    return NOT_TEXT.sub("\ufffd", value)
