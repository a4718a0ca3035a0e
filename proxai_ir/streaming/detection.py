"""Detects the protocol of a stream by its first event, for a hint to a caller who named another one (SHP-12).

Rule: a reader of each protocol is asked whether the event begins a response; no protocol is listed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..binding.detection import hint, is_unknown, unknown
from ..binding.registry import frontend, protocols
from ..ir.stream.events import Event, Started, UnmappedFields
from ..ir.stream.grammar import OutOfOrder
from ..reporting.diagnostics import Record, Refusal
from ..reporting.vocabulary import Vocabulary, unmapped_members
from .lowering import reader_of

Json = Any


def begins(event: Json) -> list[str]:
    """The protocols of which a stream may begin with this event."""
    return [name for name in protocols() if _begins(event, name)]


def _begins(event: Json, protocol: str) -> bool:
    front = frontend(protocol)
    if front.stream is None or not isinstance(event, dict):
        return False
    try:
        read = reader_of(front, front.options).feed(event)
        return any(type(one) is Started for one in read) and not any(_unknown(one, front.vocabulary) for one in read)
    except Exception:  # a refusal, or a bug in another package, which must not become a finding about this stream
        return False


def _unknown(event: Event, vocabulary: Vocabulary) -> int:
    """How many members of an IR event are unknown to the protocol that it was read by."""
    if type(event) is Started:
        return unknown(event.response, vocabulary)
    records: list[Record] = []
    if type(event) is UnmappedFields:
        table = vocabulary.vendor_fields.get(event.about, {})
        if isinstance(table, Mapping):
            unmapped_members(event.extra.fields or {}, table, event.src, (), records)
    return is_unknown([rule for rule, *_ in records])


def looks_like(event: Json, given: str) -> str:
    """The hint for a stream with this first event that was passed as this protocol."""
    names = begins(event)
    if given in names:
        return ""
    if names:
        return f"the stream looks like {' or '.join(names)}"
    found = hint(event, "stream", frontend(given))
    return f"expected events of a stream; {found}" if found else ""


def hinted(error: Refusal | OutOfOrder, found: str) -> Refusal:
    """The same refusal with the hint."""
    records = [("STR-9", None, str(error))] if isinstance(error, OutOfOrder) else error.records
    (rule, place, detail), *others = records
    return Refusal.of_records([(rule, place, f"{detail}; {found}" if detail else found), *others])


def first_of(events: Sequence[Json]) -> Json:
    """The event that shows what a stream is."""
    return next((one for one in events if isinstance(one, dict)), None)
