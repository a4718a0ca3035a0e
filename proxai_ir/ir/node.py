"""Bookkeeping that every IR node carries, and the markers that several kinds of node share.

Bookkeeping does not matter to another protocol. `src` is where diagnostics point; `extra` holds what only the source's
own protocol can use (LOS-3), which is given back to it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Set
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from ..json.classes import define, frozen


def bookkeeping() -> Any:
    """Return a slot that is no feature: comparisons and the JSON form leave it out."""
    return attrs.field(default=None, eq=False, repr=False)


@define
class Extra:
    """The members of a wire object that have no IR field, kept for the protocol of the source.

    `fields` mirrors the wire object: nested objects nest. The members are collected when they are first read. Which of
    several equivalent forms the source uses is not recorded, since `src` shows it.
    """

    fields: dict[str, Any] | None = None
    unread: Unread | None = attrs.field(default=None, init=False, eq=False, repr=False)
    """The source of `fields` until they are read."""

    @classmethod
    def of(cls, unread: Unread) -> Extra:
        """Return an Extra whose `fields` are collected from the wire object when somebody reads them."""
        extra = _new(cls)
        extra.unread = unread
        return extra

    def members(self) -> tuple[Mapping[str, Any], Container[str]]:
        """Return an object that holds `fields`, and those of its members that do not count, without collecting them."""
        if self.unread is None or self.unread[2]:
            return self.fields or {}, ()
        return self.unread[:2]

    if not TYPE_CHECKING:  # type checkers would accept misspelt attributes

        def __getattr__(self, name: str) -> Any:
            """Collect `fields`, whose slot is empty until then."""
            if name != "fields":
                raise AttributeError(name)
            holder, known, nested = self.unread
            found = {key: value for key, value in holder.items() if key not in known and value is not None}
            self.fields, self.unread = {**found, **nested} or None, None
            return self.fields


@frozen
class ByObject:
    """A function that finds the rule for an extra field by the whole wire object, and not by its value alone."""

    rule: Callable[[Any, Mapping[str, Any]], str]

    def __call__(self, value: Any, whole: Mapping[str, Any] | None = None) -> str:
        return self.rule(value, whole or {})


FINDS: dict[Any, tuple[str, ...]] = {}
"""The rules that a function may find for a member, by function; a function that is not listed may find any."""
Find = TypeVar("Find")


def finds(*rules: str) -> Callable[[Find], Find]:
    """Declare the rules that a function may find. If none ends a conversion, it runs only when findings are read."""

    def note(find: Find) -> Find:
        FINDS[find] = rules
        return find

    return note


class Joint(tuple[str, ...]):
    """The wire paths of a field that is split over two members: the last path has a part of it, and one of the others
    the rest. A finding about the field names both."""

    __slots__ = ()


class Several(tuple[Any, ...]):
    """The `src` of a node that was read from several objects of the payload. A field is looked up in each of them in
    order, and then in the object `around` them; a finding about the whole node names them all."""

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
    """A cache breakpoint: what precedes it may be cached, for at least `ttl` seconds (None: the target's default)."""

    ttl: int | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class Seal:
    """Data that only `provider`, which issued it, can read: a signature, or reasoning encrypted as a whole (RSN-4).

    `kind` is the provider's name for it: "signature", "redacted", "encrypted", "index"; `id` is the id of the sealed
    item, if the seal is of no use without it.
    """

    provider: str
    kind: str
    data: str
    id: str | None = None
