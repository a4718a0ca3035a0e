"""Sessions: which exchanges are turns of one conversation of one client.

Rule 1: an exchange belongs to a session if the client names it, or if its history continues an earlier exchange of it:
it begins with the same texts of the user's, and has what the model answered. Every other one begins a session, however
much two may be alike. Rule 2: nothing here raises for a payload.

What an answer is known by is written with the exchange, so that a later one finds it without reading payloads. It is
the id of the last call, or name and arguments of one without an id, or else the answer's texts: clients hand these back
as they got them, but move cache markers, and leave thinking and blanks out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import orjson
from sqlalchemy import Connection, select

from ..api import lower
from ..exchange.memory import Memory, Recollection, Unavailable, digest, first_reference
from ..ir.parts import ClientCall, CustomCall, FunctionCall, Part, Refusal, Text
from ..ir.request import Role, Turn
from ..protocol.registry import frontend
from ..reporting.diagnostics import TranslationError
from .database import ANSWERS, insert
from .payloads import response_in
from .records import Record

LENGTH = 16
"""Characters of a session's name."""
MOST_ANSWERS = 20
"""How many of the last answers in a history are looked for."""


def assigned(connection: Connection, records: Sequence[Record], memory: Memory) -> dict[str, str]:
    """Return the sessions of records, by their ids, and write what later exchanges find them by."""
    sessions: dict[str, str] = {}
    for record in records:
        if record.session:
            if record.model:  # a list of models is no turn
                sessions[record.id] = record.session
            continue
        told = conversation(record, memory)
        if told is None:
            continue
        history, answer = told
        session = _continued(connection, history) or (digest([record.id]) or "")[:LENGTH]
        sessions[record.id] = session
        if answer:
            row = {"exchange": record.id, "answer": answer, "session": session, "started": record.started}
            insert(connection, ANSWERS, [row])
    return sessions


def conversation(record: Record, memory: Memory) -> tuple[list[str], str] | None:
    """Return digests of the answers in a record's request, the newest first, and of the answer to it.

    The latter is "" if there is none, or it was not kept. None if its request was not kept or has no message.
    """
    turns = _asked(record, memory)
    first = next((turn for turn in turns if turn.role is Role.USER), None)
    if first is None:
        return None
    opening = [record.owner, record.client, *_texts(first.parts)]
    runs = [list(run) for role, run in groupby(turns, lambda turn: turn.role) if role is Role.ASSISTANT]
    history = [mark for run in reversed(runs[-MOST_ANSWERS:]) if (mark := _mark(opening, run))]
    response = None if record.response is None or record.failed else response_in(record.response, record.client)
    answered = response.candidates[0].turns if response and response.candidates else []
    return history, _mark(opening, answered)


def _asked(record: Record, memory: Memory) -> list[Turn]:
    """Return the turns of a request, with those that it only refers to."""
    try:
        request = orjson.loads(record.request or b"")
        references = frontend(record.client).memory
        if references and first_reference(references, request):
            request = Recollection(references, memory, record.owner).recall(request)[0]
        return lower(request, record.client, kind="request").turns or []
    except (TranslationError, ValueError, TypeError, AttributeError, RecursionError, Unavailable):  # not a request
        return []


def _mark(opening: list[str], turns: Iterable[Turn]) -> str:
    """Return the digest of an answer, or "" if nothing was said."""
    parts = [part for turn in turns for part in turn.parts]
    calls = [part for part in parts if isinstance(part, FunctionCall | CustomCall | ClientCall)]
    said: list[Any] = [_call(calls[-1])] if calls else " ".join(_texts(parts)).split()
    return (digest([*opening, "", *said]) or "") if said else ""


def _call(call: FunctionCall | CustomCall | ClientCall) -> Any:
    """Return the id of a call as the payload has it: one that the reader made up depends on what is before the call."""
    named = call.id and orjson.dumps(call.id) in orjson.dumps(call.src)
    return call.id if named else [call.name, call.input if isinstance(call, CustomCall) else call.arguments]


def _texts(parts: Iterable[Part]) -> Iterator[str]:
    return (part.text for part in parts if isinstance(part, Text | Refusal))


def _continued(connection: Connection, history: Sequence[str]) -> str | None:
    """Return the session of the newest exchange whose answer is in the history."""
    if not history:
        return None
    answered = select(ANSWERS.c.session).where(ANSWERS.c.answer.in_(history))
    found: str | None = connection.execute(answered.order_by(ANSWERS.c.started.desc()).limit(1)).scalar()
    return found
