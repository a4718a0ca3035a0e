"""Define attrs classes whose comparison, hash and `repr` are shared functions.

attrs compiles these methods for each class when it is defined, which took a fifth of a new process's first conversion.
Rule 1: they mean what those of attrs mean: objects of one class are equal if their fields are, but for fields with
`eq=False`; frozen objects hash by the same fields, others are unhashable; `repr` leaves out fields with `repr=False`.
Rule 2: `__init__` stays that of attrs, since it runs for each node.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:  # checkers know what these decorators do to a class
    from attrs import define as define
    from attrs import frozen as frozen
else:

    def define(cls: type | None = None, **options: Any) -> Any:
        """Return an attrs class, as `attrs.define` does."""
        return _shared(attrs.define, None, options, cls)

    def frozen(cls: type | None = None, **options: Any) -> Any:
        """Return an immutable attrs class, as `attrs.frozen` does."""
        return _shared(attrs.frozen, _hash, options, cls)


def _shared(decorate: Callable[..., Any], hashing: Any, options: dict[str, Any], cls: type | None) -> Any:
    if cls is None:
        return lambda cls: _shared(decorate, hashing, options, cls)
    own = cls.__dict__
    compares = options.pop("eq", True) and "__eq__" not in own
    shown = "__repr__" not in own
    made: Any = decorate(cls, eq=False, repr=False, **options)
    if compares:
        made.__eq__ = _eq
        made.__hash__ = hashing
    if shown:
        made.__repr__ = _repr
    return made


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    values = _compared(self.__class__)
    return values(self) == values(other)


def _hash(self: Any) -> int:
    cls = self.__class__
    return hash((cls, _compared(cls)(self)))


def _repr(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in attrs.fields(self.__class__) if one.repr)
    return f"{self.__class__.__qualname__.rpartition('>.')[2]}({', '.join(shown)})"


@cache
def _compared(cls: type) -> Callable[[Any], Any]:
    """Return a function of an object of the class, which returns the values of the fields that are compared."""
    names = [one.name for one in attrs.fields(cls) if one.eq]
    return attrgetter(*names) if names else type
