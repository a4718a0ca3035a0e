"""Slips of servers: what stands beside a response's content and is not of the type that the protocol has for it.

Each frontend declares one table of what its servers send, whole or in events, and one of what requests repeat of that.
A table is shaped like the payload; its values say what is meant by a value of another type, or that it is dropped.
Rule 1: tables name facts about a response, ids of calls and arguments of calls that have none, never content: what
they change is an info (ENV-15, TUL-44), and no response that was paid for is refused for it. Rule 2: a table is looked
at where a reader has refused the payload, so that others cost nothing. Rule 3: readers of streams refuse an event for
its facts before they change their state, as the event is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import orjson
from attrs import frozen

from ..json.pointer import Respelled, extended
from ..json.types import found
from ..reporting.diagnostics import Record
from ..wire import time_of
from ..wire.objects import ByHand, Nested, OtherName, Plain, Total, WireObject

Json = Any
Means = Callable[[Json], Json]
"""What a value means: itself where it is of the protocol's type, another value that it stands for, or None."""
FACT, NO_ARGUMENTS, NO_ID = "ENV-15", "TUL-44", "TUL-17"
MOST_BITS, MOST_DIGITS = 64, 19


@frozen
class Each:
    """The elements of an array, each with this table."""

    table: Table


@frozen
class ByType:
    """Objects that the value of a member tells apart, and their tables."""

    tables: Mapping[str, Table]
    tag: str = "type"


@frozen
class Facts:
    """An object that is itself a fact: one of another type is dropped."""

    table: Mapping[str, Any]


@frozen
class Else:
    """A member whose values mean `none` where they mean nothing, and so does a missing one where it is `needed`."""

    means: Means
    none: Json
    rule: str = FACT
    needed: bool = True


Table = Mapping[str, Any] | Each | ByType | Facts


# --- what values mean -------------------------------------------------------------------------------------------------


def text(value: Json) -> Json:
    """Return a text: of an integer its digits."""
    if type(value) is int and value.bit_length() <= MOST_BITS:
        return str(value)
    return value if isinstance(value, str) else None


def word(value: Json) -> Json:
    """Return a text, of which no other type has a meaning."""
    return value if isinstance(value, str) else None


def count(value: Json) -> Json:
    """Return an integer, which may be written as a text or with a fraction of zero."""
    if type(value) is int:
        return value
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= MOST_DIGITS:
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else None


def _tokens(value: Json) -> Json:
    """Return a count, of which the reader of a usage knows what a fraction means (USE-8)."""
    return value if isinstance(value, float) else count(value)


def seconds(value: Json) -> Json:
    """Unix seconds, or the text of a time."""
    if isinstance(value, str):
        return count(value) if value.isdigit() else _seconds_of(value)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def time(value: Json) -> Json:
    """Return the text of a time, or Unix seconds."""
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


def counts(declared: WireObject | Mapping[str, Any]) -> Facts:
    """Return the token counts of a declared usage."""
    members = declared.members if isinstance(declared, WireObject) else declared
    found: dict[str, Any] = {}
    for key, member in members.items():
        if isinstance(member, Nested):
            found[key] = counts(member.members)
        elif isinstance(member, (Total, OtherName)) or (isinstance(member, Plain) and member.type == "int"):
            found[key] = _tokens
        elif isinstance(member, ByHand) and member.type == "str":
            found[key] = word
    return Facts(found)


OTHERS = frozenset({"user", "system", "developer", "tool", "function"})
"""Who else speaks in a conversation: what they say is no part of a response, and is refused by its reader."""


def role(*words: str) -> Means:
    """Who speaks, which in a response is always the same: the first of these words."""

    def means(value: Json) -> Json:
        return value if isinstance(value, str) and (value in words or value in OTHERS) else words[0]

    return means


def speaker(word: str) -> Means:
    """Who speaks in a history: `model`, which other protocols and servers say, is the model's own word here."""
    return lambda value: word if value == "model" else value


def _arguments(value: Json) -> Json:
    """Return arguments in a protocol that has them as an object: one, or the JSON text of one."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return value  # which is for the reader to refuse
    return None if isinstance(value, str) and value.strip() in ("", "null") else value


ARGUMENTS = Else(_arguments, {}, NO_ARGUMENTS)
"""The arguments of a call, an object."""
FREE_ARGUMENTS = Else(_arguments, {}, NO_ARGUMENTS, needed=False)
"""The same in a protocol that leaves out empty ones."""
ARGUMENTS_TEXT = Else(lambda value: value, "", NO_ARGUMENTS)
"""The arguments of a call, a text, whose words are the reader's to know."""
ID = Else(text, "call_0", NO_ID)
"""The id of a call. All that have none get the same, of which each but the first becomes another (TUL-46)."""


# --- looking for them -------------------------------------------------------------------------------------------------


class Mended(Respelled):
    """A payload with what its slips mean, which keep the places of the payload; `slips`: their records."""

    __slots__ = ("slips",)
    slips: list[Record]


def mended(payload: Json, table: Table) -> Json:
    """Return the payload as a reader can read it; itself where nothing of it is a slip."""
    found: list[Record] = []
    made = _mended(payload, table, found)
    if made is payload:
        return payload
    whole = Mended(made, payload, {})
    whole.slips = found
    return whole


def slips_of(src: Json) -> list[Record]:
    """Return the slips of the payload that a tree was read from."""
    while isinstance(src, Respelled):
        if isinstance(src, Mended):
            return src.slips
        src = src.source
    return []


def _mended(given: Json, table: Table, records: list[Record]) -> Json:
    if isinstance(table, Each):
        return _each(given, table.table, records) if isinstance(given, list) else given
    if not isinstance(given, dict):
        return given
    if isinstance(table, ByType):
        tag = given.get(table.tag)
        return _mended(given, table.tables.get(tag, {}), records) if isinstance(tag, str) else given
    members = table.table if isinstance(table, Facts) else table
    changed: dict[str, Json] = {}
    for key, means in members.items():
        value = given.get(key)
        new = _meant(given, key, value, means, records)
        if new is not value:
            changed[key] = new
    return extended(given, changed) if changed else given


def _each(listed: list[Json], table: Table, records: list[Record]) -> list[Json]:
    made = [_mended(one, table, records) for one in listed]
    return listed if all(new is one for new, one in zip(made, listed, strict=True)) else made


def _meant(holder: dict[str, Json], key: str, value: Json, means: Any, records: list[Record]) -> Json:
    """What one member means."""
    if isinstance(means, (Mapping, Each, ByType)) or (isinstance(means, Facts) and isinstance(value, dict)):
        return _mended(value, means, records)
    kind = (
        means if isinstance(means, Else) else Else(_nothing if isinstance(means, Facts) else means, None, FACT, False)
    )
    if value is None and not kind.needed:
        return None
    new = None if value is None else kind.means(value)
    rule = kind.rule if new is None else FACT
    new = kind.none if new is None else new
    if new is not value:
        records.append((rule, (holder, key) if key in holder else (holder,), f"`{key}`: found {found(value)}"))
    return new


def _nothing(_: Json) -> None:
    """What anything means in place of an object."""
