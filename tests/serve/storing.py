"""Records to keep, and how tests wait for what a storage writes in a thread of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from proxai_ir.serve.records import Record, Summary
from proxai_ir.serve.storage import Storage

NOW = 1_800_000_000.0


def record(name: str, started: float = NOW, **others: Any) -> Record:
    known = {"client": "openai_responses", "provider": "anthropic_messages", "path": "/v1/responses", "status": 200}
    return Record(**{**known, "id": name, "started": started, **others})


def until(reached: Callable[[], object], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.01)


def kept(storage: Storage, *records: Record) -> None:
    """Keep them, and wait until they are written."""
    for one in records:
        storage.record(one)
    until(lambda: all(storage.exchange(one.id) for one in records))


def names(found: list[Summary]) -> list[str]:
    return [one.id for one in found]
