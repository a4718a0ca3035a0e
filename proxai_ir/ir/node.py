"""Bookkeeping that every IR node carries, and the markers that several kinds of node share.

Rule 1: bookkeeping changes nothing for another protocol. `src` is where diagnostics point; `extra` holds what only the
source's own protocol can use (LOS-3) and is given back to it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Set
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
from attrs import define, frozen


def bookkeeping() -> Any:
    """Return a slot that is no feature: left out of comparisons and of the JSON form."""
    return attrs.field(default=None, eq=False, repr=False)


@define
class Extra:
    """What a node keeps for its own protocol.

    `fields` mirrors the wire object: members without an IR field, at their place (nested objects nest); they are
    collected when they are first read. In which of several equivalent forms the source has something is noted nowhere:
    that is to be seen in `src`.
    """

    fields: dict[str, Any] | None = None
    unread: Unread | None = attrs.field(default=None, init=False, eq=False, repr=False)
    """Where `fields` will be read from."""

    @classmethod
    def of(cls, unread: Unread) -> Extra:
        """Return one whose `fields` wait in the wire object until somebody reads them."""
        extra = _new(cls)
        extra.unread = unread
        return extra

    def members(self) -> tuple[Mapping[str, Any], Container[str]]:
        """`fields` without collecting them: an object that holds them, and the members of it that do not count."""
        if self.unread is None or self.unread[2]:
            return self.fields or {}, ()
        return self.unread[:2]

    if not TYPE_CHECKING:  # where it would hide misspelt attributes

        def __getattr__(self, name: str) -> Any:
            """Called for a slot that is not filled yet."""
            if name != "fields":
                raise AttributeError(name)
            holder, known, nested = self.unread
            found = {key: value for key, value in holder.items() if key not in known and value is not None}
            self.fields, self.unread = {**found, **nested} or None, None
            return self.fields


@frozen
class ByObject:
    """Which rule reports an extra field, where that depends on the whole wire object and not on the value alone."""

    rule: Callable[[Any, Mapping[str, Any]], str]

    def __call__(self, value: Any, whole: Mapping[str, Any] | None = None) -> str:
        return self.rule(value, whole or {})


FINDS: dict[Any, tuple[str, ...]] = {}
"""By function that finds the rule of a member, the rules that it may find; it may find any where it is not here."""
Find = TypeVar("Find")


def finds(*rules: str) -> Callable[[Find], Find]:
    """Notes what a function may find: the value is looked at when findings are read, unless it may end a conversion."""

    def note(find: Find) -> Find:
        FINDS[find] = rules
        return find

    return note


class Joint(tuple[str, ...]):
    """The places of a field, of which the last has a part of it wherever the others have the rest: a finding about the
    field names both."""

    __slots__ = ()


class Several(tuple[Any, ...]):
    """The `src` of a node that was read from several objects of the payload: a field is looked for in each, in order,
    and a finding about the whole node names them all. Last it is looked for in the object `around` them."""

    around: Any

    def __new__(cls, objects: Iterable[Any], around: Any = None) -> Several:
        made = super().__new__(cls, objects)
        made.around = around
        return made


def sources(node: Any) -> tuple[Any, ...]:
    """Return the objects that a node was read from."""
    return node.src if node.src.__class__ is Several else (node.src,)


_new = object.__new__
Unread = tuple[Mapping[str, Any], Set[str], Mapping[str, Any]]
"""A wire object, the members of it that have IR fields, and what its nested objects keep."""


@define
class Cache:
    """A cache marker: what stands up to here may be cached, for at least `ttl` seconds (None: the target's default)."""

    ttl: int | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class Seal:
    """Data that only `provider`, which issued it, can read: a signature, or reasoning encrypted as a whole (RSN-4).

    `kind` is the provider's name for it: "signature", "redacted", "encrypted", "index"; `id` is the id of what is
    sealed, where the seal is of no use without it.
    """

    provider: str
    kind: str
    data: str
    id: str | None = None
