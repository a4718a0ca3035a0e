"""Slips of servers: members of a response, other than its content, with a value of the wrong type.

Each frontend declares one table of the slips in responses and events, and one of those that requests repeat. A table is
shaped like the payload; its values are functions that return what a value of the wrong type means, or None to drop it.
Rule 1: tables name facts about a response, ids of calls and missing arguments, never content: a change is an info
(ENV-15, TUL-44), and no response that was paid for is refused for one. Rule 2: a table is used after a reader has
refused the payload, so that sound payloads cost nothing. Rule 3: readers of streams refuse an event for its facts
before they change their state, as the event is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

import orjson
from attrs import field

from ..json.classes import frozen
from ..json.pointer import Respelled, extended, resolved
from ..json.types import found
from ..reporting.diagnostics import Record, Refusal
from ..wire import time_of
from ..wire.objects import ByHand, Nested, OtherName, Plain, Total, WireObject

T = TypeVar("T")
Json = Any
Means = Callable[[Json], Json]
"""Returns what a value means: the value itself if its type is right, another value, or None if it means nothing."""
FACT, NO_ARGUMENTS, NO_ID = "ENV-15", "TUL-44", "TUL-17"
MOST_BITS, MOST_DIGITS = 64, 19


@frozen
class Each:
    """The table of each element of an array."""

    table: Table


@frozen
class ByType:
    """The tables of objects by the value of their `type`, and that of all `other` ones."""

    tables: Mapping[str, Table]
    other: Table = field(factory=dict)


@frozen
class Facts:
    """The table of an object that is itself a fact: a value of another type is dropped."""

    table: Mapping[str, Any]


@frozen
class Else:
    """A member for which `none` takes the place of a value without meaning, and of a missing one if it is `needed`."""

    means: Means
    none: Json
    rule: str = FACT
    needed: bool = True


Table = Mapping[str, Any] | Each | ByType | Facts


# --- what values mean -------------------------------------------------------------------------------------------------


def text(value: Json) -> Json:
    """Return a text, or the digits of an integer."""
    if type(value) is int and value.bit_length() <= MOST_BITS:
        return str(value)
    return value if isinstance(value, str) else None


def of(*types: type) -> Means:
    """Return the meaning of a value of these types; one of another type means nothing."""
    return lambda value: value if isinstance(value, types) else None


word, listed = of(str), of(list)


def count(value: Json) -> Json:
    """Return an integer, which may be written as text or with a fraction of zero."""
    if type(value) is int:
        return value
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= MOST_DIGITS:
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else None


def _tokens(value: Json) -> Json:
    """Return a count of tokens, which may have a fraction, as the reader of a usage rounds it (USE-8)."""
    return value if isinstance(value, float) else count(value)


def seconds(value: Json) -> Json:
    """Return Unix seconds, also from the text of a time."""
    if isinstance(value, str):
        return count(value) if value.isdigit() else _seconds_of(value)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def time(value: Json) -> Json:
    """Return the text of a time, also from Unix seconds."""
    if isinstance(value, str):
        return None if _seconds_of(value) is None else value
    try:
        return time_of(int(value)) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    except (ValueError, OverflowError):
        return None


def _seconds_of(value: str) -> int | None:
    try:
        return int(datetime.fromisoformat(value).timestamp())
    except (ValueError, OverflowError):
        return None


BY_HAND: Mapping[str, Means] = {"str": word, "list": listed}
"""What values mean of the members of a usage that are no counts, by their type."""


def counts(declared: WireObject | Mapping[str, Any]) -> Facts:
    """Return the table of the token counts that a usage declares."""
    members = declared.members if isinstance(declared, WireObject) else declared
    found: dict[str, Any] = {}
    for key, member in members.items():
        if isinstance(member, Nested):
            found[key] = counts(member.members)
        elif isinstance(member, (Total, OtherName)) or (isinstance(member, Plain) and member.type == "int"):
            found[key] = _tokens
        elif isinstance(member, ByHand) and member.type in BY_HAND:
            found[key] = BY_HAND[member.type]
    return Facts(found)


OTHERS = frozenset({"user", "system", "developer", "tool", "function"})
"""Other roles of a conversation: their messages are no part of a response, and are refused by its reader."""


def role(*words: str) -> Means:
    """Return the meaning of the role of a response, which is always the same: the first of these words."""

    def means(value: Json) -> Json:
        return value if isinstance(value, str) and (value in words or value in OTHERS) else words[0]

    return means


def speaker(word: str) -> Means:
    """Return the meaning of a role in a history, where `model`, as other protocols and servers say, is this word."""
    return lambda value: word if value == "model" else value


def _arguments(value: Json) -> Json:
    """Return the object that arguments are, which may be written as JSON text."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return value  # the reader refuses it
    return None if isinstance(value, str) and value.strip() in ("", "null") else value


ARGUMENTS = Else(_arguments, {}, NO_ARGUMENTS)
"""The arguments of a call, an object."""
FREE_ARGUMENTS = Else(_arguments, {}, NO_ARGUMENTS, needed=False)
"""The same in a protocol that leaves out empty ones."""
ARGUMENTS_TEXT = Else(lambda value: value, "", NO_ARGUMENTS)
"""The arguments of a call as text, which the reader parses."""
ID = Else(text, "call_0", NO_ID)
"""The id of a call. All calls without one get the same, and all but the first then get another (TUL-46)."""


# --- mending --------------------------------------------------------------------------------------------------------


class Mended(Respelled):
    """A payload whose slips are replaced by what they mean, at the same places.

    slips  the records of the slips
    lists  the arrays of the payload by the ids of those that take their places
    """

    __slots__ = ("lists", "slips")
    slips: list[Record]
    lists: dict[int, list[Json]]


def mended(payload: Json, table: Table) -> Json:
    """Return the payload without its slips; the payload itself if it has none."""
    found: list[Record] = []
    lists: dict[int, list[Json]] = {}
    made = _mended(payload, table, found, lists)
    if made is payload:
        return payload
    whole = Mended(made, payload, {})
    whole.slips, whole.lists = found, lists
    return whole


def read_mended(read: Callable[[Json], T], payload: Json) -> T:
    """Return what a function reads of a mended payload. Raises Refusal, with places in the payload as it came."""
    try:
        return read(payload)
    except Refusal as refusal:
        refusal.records = in_payload(refusal.records, payload)
        raise


def in_payload(records: list[Record], payload: Json) -> list[Record]:
    """Return records of a payload that may be mended, with places in arrays of the payload as it came."""
    if not isinstance(payload, Mended):
        return records
    lists, moved = payload.lists, list[Record]()
    for rule, place, detail in records:
        array, *keys = resolved(place)  # which a reader may have in another spelling
        moved.append((rule, (lists[id(array)], *keys) if id(array) in lists else place, detail))
    return moved


def slips_of(src: Json) -> list[Record]:
    """Return the records of the slips in the payload that a tree was read from."""
    while isinstance(src, Respelled):
        if isinstance(src, Mended):
            return src.slips
        src = src.source
    return []


def _mended(given: Json, table: Table, records: list[Record], lists: dict[int, list[Json]]) -> Json:
    if isinstance(table, Each):
        return _each(given, table.table, records, lists) if isinstance(given, list) else given
    if not isinstance(given, dict):
        return given
    if isinstance(table, ByType):
        tag = given.get("type")
        return _mended(given, table.tables.get(tag, table.other), records, lists) if isinstance(tag, str) else given
    members = table.table if isinstance(table, Facts) else table
    changed: dict[str, Json] = {}
    for key, means in members.items():
        value = given.get(key)
        if value is None and not getattr(means, "needed", False):
            continue
        new = _meant(given, key, value, means, records, lists)
        if new is not value:
            changed[key] = new
    return extended(given, changed) if changed else given


def _each(listed: list[Json], table: Table, records: list[Record], lists: dict[int, list[Json]]) -> list[Json]:
    made = [_mended(one, table, records, lists) for one in listed]
    if all(new is one for new, one in zip(made, listed, strict=True)):
        return listed
    lists[id(made)] = listed
    return made


def _nothing(_: Json) -> None:
    """Return None, for a value in which there is nothing to find."""


def _meant(
    holder: dict[str, Json], key: str, value: Json, means: Any, records: list[Record], lists: dict[int, list[Json]]
) -> Json:
    """Return what the value of one member means, or what a missing one that is needed does, and record a slip."""
    rule, none = FACT, None
    if isinstance(means, Else):
        rule, none, means = means.rule, means.none, means.means
    elif isinstance(means, Facts) and not isinstance(value, dict):  # a value of another type is dropped
        means = _nothing
    if not callable(means):
        return _mended(value, means, records, lists)
    new = None if value is None else means(value)
    rule = rule if new is None else FACT
    new = none if new is None else new
    if new is not value:
        records.append((rule, (holder, key) if key in holder else (holder,), f"`{key}`: found {found(value)}"))
    return new
