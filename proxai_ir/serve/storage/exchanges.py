"""Records in the tables: written in batches, read as lists of summaries or one in full, deleted when they are old.

Rule: of one exchange all rows are written, or none.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Sequence
from typing import Any

import attrs
import orjson
from sqlalchemy import Connection, Double, cast, delete, func, or_, select, tuple_

from ..records import PAYLOADS, Exchanged, Filter, Record, Summary
from .tables import EXCHANGES, KEPT, REPORTED, insert

Json = Any
NAMES = tuple(one.name for one in attrs.fields(Exchanged))
JSONS = ("usage", "attempts")
PACKED, SHORTEST_PACKED = b"\x00zlib", 512
"""What compressed payloads begin with, and the bytes from which on they are."""
NOT_TEXT = re.compile("[\x00\ud800-\udfff]")
"""Characters that PostgreSQL, or no database at all, takes as text."""
ROW = 1000
"""About how many bytes an exchange has besides."""
SLICE, MOST_SLICES = 500, 20
"""How many exchanges are deleted in one transaction, and how many such transactions a sweep has at most."""


def write(connection: Connection, records: Sequence[Record]) -> None:
    """Add them; one that is there already, after a try whose success was not reported, stays as it is."""
    reported = [row for record in records for row in _reported(record)]
    kept = [
        {"exchange": _clean(one.id)} | {name: _packed(data) for name, data in one.payloads.items()}
        for one in records
        if one.payloads
    ]
    insert(connection, EXCHANGES, [_row(record) for record in records])
    insert(connection, REPORTED, reported)
    insert(connection, KEPT, kept)


def read(connection: Connection, wanted: Filter, limit: int, before: str | None) -> list[Summary]:
    """The newest first; `before`: the id of the exchange that the last list ended with."""
    place = (EXCHANGES.c.started, EXCHANGES.c.id)
    query = select(*[EXCHANGES.c[name] for name in NAMES]).order_by(*[column.desc() for column in place]).limit(limit)
    if before is not None:
        query = query.where(tuple_(*place) < select(*place).where(EXCHANGES.c.id == _clean(before)).scalar_subquery())
    if wanted.rule is not None:
        rule = _clean(wanted.rule.upper())
        named = REPORTED.c.rule == rule if "-" in rule else REPORTED.c.rule.startswith(f"{rule}-", autoescape=True)
        query = query.where(EXCHANGES.c.id.in_(select(REPORTED.c.exchange).where(named)))
    if wanted.model is not None:
        model = _clean(wanted.model)
        query = query.where(or_(EXCHANGES.c.model == model, EXCHANGES.c.sent_model == model))
    if wanted.failed is not None:
        failed = or_(EXCHANGES.c.status >= 400, EXCHANGES.c.error.is_not(None))
        query = query.where(failed if wanted.failed else ~failed)
    rows = connection.execute(query).all()
    rules: dict[str, list[tuple[str, str, int]]] = {}
    found = select(REPORTED).where(REPORTED.c.exchange.in_([row.id for row in rows])).order_by(REPORTED.c.rule)
    for one in connection.execute(found):
        rules.setdefault(one.exchange, []).append((one.rule, one.severity, one.times))
    return [Summary(**_facts(row), rules=tuple(rules.get(row.id, ()))) for row in rows]


def read_one(connection: Connection, name: str) -> Record | None:
    joined = EXCHANGES.outerjoin(KEPT, KEPT.c.exchange == EXCHANGES.c.id)
    query = (
        select(EXCHANGES, *[KEPT.c[each] for each in PAYLOADS])
        .select_from(joined)
        .where(EXCHANGES.c.id == _clean(name))
    )
    row = connection.execute(query).first()
    if row is None:
        return None
    payloads: dict[str, Any] = {each: _bytes(getattr(row, each)) for each in PAYLOADS}
    return Record(**_facts(row), owner=row.owner, diagnostics=orjson.loads(row.diagnostics), **payloads)


def named(connection: Connection, beginning: str, limit: int) -> list[str]:
    column = EXCHANGES.c.id
    found = select(column).where(column.startswith(_clean(beginning), autoescape=True)).order_by(column).limit(limit)
    return list(connection.execute(found).scalars())


def beyond(connection: Connection, most_bytes: int) -> float:
    """The time before which exchanges have to go, so that the others have so many bytes at most."""
    length = func.length if connection.dialect.name == "sqlite" else func.octet_length  # of neither a payload is read
    columns = EXCHANGES.c.diagnostics, *(KEPT.c[one] for one in PAYLOADS)
    sizes = [func.coalesce(length(column), 0) for column in columns]
    newest_first = EXCHANGES.c.started.desc(), EXCHANGES.c.id.desc()
    so_far = func.sum(cast(sum(sizes[1:], sizes[0]) + ROW, Double)).over(order_by=newest_first).label("so_far")
    joined = EXCHANGES.outerjoin(KEPT, KEPT.c.exchange == EXCHANGES.c.id)
    found = select(EXCHANGES.c.started, so_far).select_from(joined).subquery()
    first = select(func.max(found.c.started)).where(found.c.so_far > most_bytes)
    started = connection.execute(first).scalar()
    return 0.0 if started is None else math.nextafter(started, math.inf)


def forget(connection: Connection, oldest: float, most: int) -> int:
    """Delete some of the exchanges from before `oldest`, or that are more than `most`; how many that were."""
    newest_first = select(EXCHANGES.c.started).order_by(EXCHANGES.c.started.desc())
    beyond = connection.execute(newest_first.offset(most).limit(1)).scalar()
    too_old = EXCHANGES.c.started < oldest
    if beyond is not None:
        too_old = or_(too_old, EXCHANGES.c.started <= beyond)
    names = list(connection.execute(select(EXCHANGES.c.id).where(too_old).limit(SLICE)).scalars())
    for column in (KEPT.c.exchange, REPORTED.c.exchange, EXCHANGES.c.id) if names else ():
        connection.execute(delete(column.table).where(column.in_(names)))
    return len(names)


def _row(record: Record) -> dict[str, Any]:
    row = {name: _clean(getattr(record, name)) for name in (*NAMES, "owner")}
    for name in JSONS:
        row[name] = orjson.dumps(row[name]).decode() if row[name] else None
    try:
        row["diagnostics"] = orjson.dumps(record.diagnostics).decode()
    except orjson.JSONEncodeError:  # rare: texts that are none
        row["diagnostics"] = orjson.dumps([_cleaned(one) for one in record.diagnostics]).decode()
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


def _packed(payload: bytes | None) -> bytes | None:
    if payload is None or (len(payload) < SHORTEST_PACKED and not payload.startswith(PACKED)):
        return payload
    return PACKED + zlib.compress(payload, 1)


def _bytes(value: Any) -> bytes | None:
    if value is None:
        return None
    payload = bytes(value)
    return zlib.decompress(payload[len(PACKED) :]) if payload.startswith(PACKED) else payload


def _clean(value: Any) -> Any:
    if not isinstance(value, str) or (value.isascii() and "\x00" not in value):
        return value
    return NOT_TEXT.sub("\ufffd", value)


def _cleaned(entry: Json) -> Json:
    return {name: _clean(value) for name, value in entry.items()}
