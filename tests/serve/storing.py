"""Records to keep, which a storage writes in a thread of its own."""

from __future__ import annotations

from functools import partial
from typing import Any

from proxai_ir.storage import Storage, exchanges
from proxai_ir.storage.records import Record, Summary

from ..waiting import until

NOW = 1_800_000_000.0
CLIENTS = ("openai_responses", "openai_chat_completions", "anthropic_messages")


def record(name: str, started: float = NOW, **others: Any) -> Record:
    known = {"client": "openai_responses", "provider": "anthropic_messages", "path": "/v1/responses", "status": 200}
    return Record(**{**known, "id": name, "started": started, **others})


def kept(storage: Storage, *records: Record) -> None:
    """Keep them, and wait until they are written."""
    for one in records:
        storage.record(one)
    until(lambda: all(storage.exchange(one.id) for one in records))


def names(found: list[Summary]) -> list[str]:
    return [one.id for one in found]


def many(storage: Storage, count: int, turns: int = 8) -> None:
    """A log of so many exchanges: sessions of several turns, some of which fail, between lists of models; written
    without their payloads, at once."""
    loss = {"side": "request", "severity": "loss", "message": "lost", "path": "/top_k"}
    rules = ("SMP-3", "TUL-4", "CAC-1")
    batch: list[Record] = []
    for at in range(count):
        known: dict[str, Any] = {"client": CLIENTS[at // turns % 3], "model": f"model-{at // turns % 10}"}
        if at % 7 == 0:
            known = {"path": "/v1/models"}
        elif at % 50 == 1:
            known |= {"status": 529, "error": "overloaded"}
        else:
            known |= {"usage": {"input": at, "output": 7}}
        found = [{**loss, "rule": rule} for rule in rules[: at % 3]] + [{**loss, "rule": "AUD-1"}] * (at % 20_011 == 1)
        batch.append(record(f"{at:032x}", NOW + at / 100, diagnostics=found, **known))
        if len(batch) == 5000 or at == count - 1:
            sessions = {one.id: f"session-{int(one.id, 16) // turns}" for one in batch if one.model}
            storage._database.run(partial(exchanges.write, records=batch, sessions=sessions), write=True)
            batch.clear()
